/* terms: what the figures of a run mean, each in a sentence or two: "what is Retr". Pure. */
#ifndef VIEW_TERMS_H
#define VIEW_TERMS_H

struct term {
    const char *name, *text;
};

/* Those of network runs; ends with a name that is NULL. */
const struct term *terms_network(void);

#endif
