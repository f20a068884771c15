#include "isa.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

unsigned isa_candidates(enum kernel kernel, const struct kernel_isa *forced,
                        struct isa_choice ret_choices[ISA_CANDIDATES])
{
    bool is_libc = kernel == KERNEL_MEMSET || kernel == KERNEL_MEMCPY || kernel == KERNEL_BZERO ||
                   kernel == KERNEL_BCOPY;
    unsigned count = 0;
    if (kernel_plain[kernel]) {
        ret_choices[0] = (struct isa_choice){is_libc ? "libc" : "C", kernel_plain[kernel]};
        return 1;
    }
    if (forced && forced->fn[kernel]) {
        ret_choices[0] = (struct isa_choice){forced->name, forced->fn[kernel]};
        return 1;
    }
    for (size_t i = 0; kernel_isas[i] && count < (forced ? 1u : ISA_CANDIDATES); i++)
        if (kernel_isas[i]->fn[kernel] && kernel_isas[i]->is_usable())
            ret_choices[count++] =
                (struct isa_choice){kernel_isas[i]->name, kernel_isas[i]->fn[kernel]};
    return count;
}

/* Sets with a read of their own: DC ZVA is none that one could ask for. */
static bool is_named(const struct kernel_isa *isa)
{
    return isa->fn[KERNEL_READ] && isa->is_usable();
}

const char *isa_list(char text[ISA_TEXT])
{
    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; kernel_isas[i]; i++)
        if (is_named(kernel_isas[i]))
            at += (size_t)snprintf(text + at, ISA_TEXT - at, "%s%s", at ? ", " : "",
                                   kernel_isas[i]->name);
    return text;
}

int isa_find(const char *name, const struct kernel_isa **ret_isa, char why[ISA_TEXT])
{
    char have[ISA_TEXT];
    *ret_isa = NULL;
    if (!name[0] || strcmp(name, "auto") == 0)
        return 0;
    for (size_t i = 0; kernel_isas[i]; i++)
        if (is_named(kernel_isas[i]) &&
            (strcmp(name, "base") == 0 || strcmp(name, kernel_isas[i]->name) == 0)) {
            *ret_isa = kernel_isas[i];
            return 0;
        }
    snprintf(why, ISA_TEXT, "isa=%.20s: this CPU does not have it; it has %.120s", name,
             isa_list(have));
    return -EINVAL;
}
