/* stack: which screens lie above each other. Pure: holds numbers and states, opens nothing. */
#ifndef SCREEN_STACK_H
#define SCREEN_STACK_H

#include <stdbool.h>

#define STACK_MAX 12

struct stack_entry {
    int screen; /* enum screen_id */
    void *state;
};
struct stack { /* {0}: empty */
    struct stack_entry entries[STACK_MAX];
    int depth;
};

/* Puts one on top. False when the stack is full. */
bool stack_push(struct stack *stack, int screen, void *state);
/* Takes the top off; the lowest one stays: false. */
bool stack_pop(struct stack *stack, struct stack_entry *ret_entry);
struct stack_entry *stack_top(struct stack *stack); /* NULL when empty */

#endif
