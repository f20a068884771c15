#include "screen/stack.h"

#include <stddef.h>

bool stack_push(struct stack *stack, int screen, void *state)
{
    if (stack->depth == STACK_MAX)
        return false;
    stack->entries[stack->depth++] = (struct stack_entry){screen, state};
    return true;
}

bool stack_pop(struct stack *stack, struct stack_entry *ret_entry)
{
    if (stack->depth <= 1)
        return false;
    *ret_entry = stack->entries[--stack->depth];
    return true;
}

struct stack_entry *stack_top(struct stack *stack)
{
    return stack->depth ? &stack->entries[stack->depth - 1] : NULL;
}
