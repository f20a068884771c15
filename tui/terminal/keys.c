#include "terminal/keys.h"

#include <stddef.h>

static const struct {
    int letter, arrow;
} vi_keys[] = {
    {'h', KEY_CODE_LEFT}, {'j', KEY_CODE_DOWN}, {'k', KEY_CODE_UP}, {'l', KEY_CODE_RIGHT}};

static int find(const struct key_row *table, int key)
{
    for (const struct key_row *row = table; row->keys[0]; row++) {
        for (size_t i = 0; i < sizeof(row->keys) / sizeof(row->keys[0]) && row->keys[i]; i++) {
            if (row->keys[i] == key)
                return row->action;
        }
    }
    return -1;
}

int keys_action(const struct key_row *table, int key)
{
    if (key <= 0)
        return -1;
    int action = find(table, key);
    for (size_t i = 0; action < 0 && i < sizeof(vi_keys) / sizeof(vi_keys[0]); i++) {
        if (vi_keys[i].letter == key)
            action = find(table, vi_keys[i].arrow);
    }
    return action;
}
