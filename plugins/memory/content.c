#include "content.h"

#include "kernel.h"

#include <string.h>

uint64_t content_word(const struct content *content, size_t index)
{
    uint64_t word = content->word;
    double value = (1.0 + KERNEL_TRIAD_FACTOR) * kernel_triad_value(content->first + index);
    switch (content->kind) {
    case CONTENT_FILL:
        word = kernel_fill_word(content->first + index);
        break;
    case CONTENT_TRIAD:
        memcpy(&word, &value, sizeof word);
        break;
    case CONTENT_ADDRESS:
        word = content->first + index * sizeof(uint64_t);
        break;
    case CONTENT_WALKING:
        word = UINT64_C(1) << (content->first + index) % 64;
        break;
    case CONTENT_WORD:
        break;
    }
    return word ^ content->invert;
}

uint64_t content_mask(const struct content *content, size_t index)
{
    const uint32_t first_half[2] = {UINT32_MAX, 0};
    uint64_t mask = UINT64_MAX;
    if (!content->sparse)
        return mask;
    if (index % 2)
        return 0;
    memcpy(&mask, first_half, sizeof mask);
    return mask;
}

void content_write(const struct content *content, uint64_t *base, size_t count)
{
    for (size_t i = 0; i < count; i++)
        base[i] = content_word(content, i);
}

/* Whether all words of a stretch are as they must be; quick for the two usual kinds. */
static int is_right(const struct content *content, const uint64_t *base, size_t from, size_t count)
{
    uint64_t wrong = 0;
    if (content->sparse || (content->kind != CONTENT_FILL && content->kind != CONTENT_WORD)) {
        for (size_t i = from; i < from + count; i++)
            wrong |= (base[i] ^ content_word(content, i)) & content_mask(content, i);
        return wrong == 0;
    }
    uint64_t step = content->kind == CONTENT_FILL ? FILL_STEP : 0;
    uint64_t word =
        content->kind == CONTENT_FILL ? kernel_fill_word(content->first + from) : content->word;
    for (size_t i = from; i < from + count; i++) {
        wrong |= base[i] ^ word ^ content->invert;
        word += step;
    }
    return wrong == 0;
}

size_t content_find(const struct content *content, const uint64_t *base, size_t from, size_t count)
{
    while (from < count) {
        size_t stretch = count - from < CONTENT_STRETCH ? count - from : CONTENT_STRETCH;
        if (is_right(content, base, from, stretch)) {
            from += stretch;
            continue;
        }
        for (size_t i = from; i < from + stretch; i++)
            if ((base[i] ^ content_word(content, i)) & content_mask(content, i))
                return i;
        return from; /* it was wrong a moment ago and is right now */
    }
    return count;
}

void content_invert(uint64_t *to, const uint64_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = ~from[i];
}
