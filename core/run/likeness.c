#include "run/likeness.h"

#include "base/cleanup.h"
#include "base/str.h"

void likeness_add(const struct model *model, struct str *into)
{
    static const char *const amounts[] = {"size", "count", "time", "file", "passes", "loops"};
    for (size_t i = 0; i < model->option_count; i++) {
        const struct model_text *option = &model->options[i];
        bool is_amount = false;
        for (size_t k = 0; k < ARRAY_SIZE(amounts); k++)
            is_amount = is_amount || str_equal_key(option->key, amounts[k]);
        if (!is_amount && option->value[0])
            str_addf(into, "%s%s=%s", into->size ? " " : "", option->key, option->value);
    }
}
