#include "chase.h"

#define GOLDEN UINT64_C(0x9e3779b97f4a7c15)
#define THREES 3u

uint64_t chase_lines(uint64_t bytes)
{
    uint64_t lines = bytes / CHASE_LINE, power = CHASE_LINES_LEAST;
    if (lines < CHASE_LINES_LEAST)
        return 0;
    if (lines > CHASE_LINES_MOST)
        return CHASE_LINES_MOST;
    while (power <= lines / 2)
        power *= 2;
    uint64_t halves = power / 2 * THREES; /* 1.5 times the power */
    return halves <= lines ? halves : power;
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The period is full when step and lines share no factor, and factor - 1 is a multiple of 4 and of
 * each prime of lines. */
void chase_init(struct chase *chase, void *base, uint64_t lines)
{
    uint64_t unit = lines % THREES == 0 ? 4 * THREES : 4;
    uint64_t places = lines / unit, most = places > 1 ? places : 2;
    /* the part of 0.618.. in the number of places: steps as uneven as they get */
    uint64_t x = (uint64_t)((double)(GOLDEN >> 12) / (double)(UINT64_C(1) << 52) * (double)most);
    while (gcd(x, 2 * THREES) != 1)
        x++;
    uint64_t step = (uint64_t)((double)lines * 0.2113248654) | 1;
    while (gcd(step, lines) != 1)
        step += 2;
    *chase = (struct chase){
        .base = base, .lines = lines, .factor = (unit * x + 1) % lines, .step = step % lines};
}

/* a * b mod n without a type of 128 bits: lines stay below CHASE_LINES_MOST. */
static uint64_t next_line(const struct chase *chase, uint64_t line)
{
    return (line * chase->factor + chase->step) % chase->lines;
}

static void **place(const struct chase *chase, uint64_t line)
{
    return (void **)(void *)(chase->base + line * CHASE_LINE);
}

void chase_lay(const struct chase *chase, uint64_t from, uint64_t count)
{
    uint64_t next = next_line(chase, from); /* each further one lies `factor` on */
    for (uint64_t line = from; line < from + count && line < chase->lines; line++) {
        *place(chase, line) = place(chase, next);
        next += chase->factor;
        if (next >= chase->lines)
            next -= chase->lines;
    }
}

uint64_t chase_after(const struct chase *chase, uint64_t count)
{
    /* line -> factor line + step, composed with itself for each bit of count */
    struct chase power = *chase;
    uint64_t line = 0;
    for (count %= chase->lines; count; count /= 2) {
        if (count % 2)
            line = next_line(&power, line);
        uint64_t step = (power.factor * power.step + power.step) % power.lines;
        power.factor = power.factor * power.factor % power.lines;
        power.step = step;
    }
    return line;
}

#define FOUR(x) x x x x
#define FOLLOW(i) p##i = *(void **)p##i;

#define WALK(chains, LOAD, TURN, STORE)                                                            \
    static void walk##chains(void *at[CHASE_CHAINS_MOST], size_t count)                            \
    {                                                                                              \
        LOAD for (size_t i = 0; i < count; i += 16){FOUR(FOUR(TURN))} STORE                        \
    }

#define LOAD1 void *p0 = at[0];
#define LOAD2 LOAD1 void *p1 = at[1];
#define LOAD4 LOAD2 void *p2 = at[2], *p3 = at[3];
#define LOAD8 LOAD4 void *p4 = at[4], *p5 = at[5], *p6 = at[6], *p7 = at[7];
#define TURN1 FOLLOW(0)
#define TURN2 TURN1 FOLLOW(1)
#define TURN4 TURN2 FOLLOW(2) FOLLOW(3)
#define TURN8 TURN4 FOLLOW(4) FOLLOW(5) FOLLOW(6) FOLLOW(7)
#define STORE1 at[0] = p0;
#define STORE2 STORE1 at[1] = p1;
#define STORE4 STORE2 at[2] = p2, at[3] = p3;
#define STORE8 STORE4 at[4] = p4, at[5] = p5, at[6] = p6, at[7] = p7;

WALK(1, LOAD1, TURN1, STORE1)
WALK(2, LOAD2, TURN2, STORE2)
WALK(4, LOAD4, TURN4, STORE4)
WALK(8, LOAD8, TURN8, STORE8)

void chase_walk(unsigned chains, void *at[CHASE_CHAINS_MOST], size_t count)
{
    if (chains == 1)
        walk1(at, count);
    else if (chains == 2)
        walk2(at, count);
    else if (chains == 4)
        walk4(at, count);
    else
        walk8(at, count);
}
