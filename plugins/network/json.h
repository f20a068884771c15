/* json: JSON text of a peer, judged before it is parsed, and members by name and type. */
#ifndef NETWORK_JSON_H
#define NETWORK_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JSON_MARKS_MAX 20000u /* brackets, commas and colons: bounds what parsing can allocate */
#define JSON_DEPTH_MAX 16u

/* An object, or NULL with a reason. Numbers are doubles. To be given back with json_decref. */
json_t *json_object_of(const char *text, size_t size, const char **ret_why);

/* A finite number; false when the key is absent or of another type. Untouched then. */
bool json_get_number(const json_t *object, const char *key, double *ret_value);
/* A literal true. */
bool json_is_set(const json_t *object, const char *key);
/* Printable characters of a string, cut to what fits; false as above. */
bool json_get_text(const json_t *object, const char *key, char *into, size_t size);

#endif
