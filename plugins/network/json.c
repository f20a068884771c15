#include "json.h"

#include <math.h>

static bool is_modest(const char *text, size_t size)
{
    size_t marks = 0, depth = 0;
    bool is_string = false;
    for (size_t i = 0; i < size; i++) {
        if (is_string && text[i] == '\\')
            i++;
        else if (text[i] == '"')
            is_string = !is_string;
        else if (is_string)
            continue;
        else if (text[i] == '{' || text[i] == '[')
            marks++, depth++;
        else if (text[i] == '}' || text[i] == ']')
            depth -= depth > 0;
        else if (text[i] == ',' || text[i] == ':')
            marks++;
        if (marks > JSON_MARKS_MAX || depth > JSON_DEPTH_MAX)
            return false;
    }
    return true;
}

json_t *json_object_of(const char *text, size_t size, const char **ret_why)
{
    json_error_t error;
    *ret_why = "its JSON has too many parts";
    if (!is_modest(text, size))
        return NULL;
    *ret_why = "it is not JSON";
    json_t *root = json_loadb(text, size, JSON_DECODE_INT_AS_REAL, &error);
    if (root && !json_is_object(root)) {
        json_decref(root);
        root = NULL;
        *ret_why = "its JSON is no object";
    }
    return root;
}

bool json_get_number(const json_t *object, const char *key, double *ret_value)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_number(value) || !isfinite(json_number_value(value)))
        return false;
    *ret_value = json_number_value(value);
    return true;
}

bool json_is_set(const json_t *object, const char *key)
{
    return json_is_true(json_object_get(object, key));
}

bool json_get_text(const json_t *object, const char *key, char *into, size_t size)
{
    const char *text = json_string_value(json_object_get(object, key));
    size_t used = 0;
    if (!text || size == 0)
        return false;
    for (; *text && used + 1 < size; text++)
        if (*text >= ' ' && *text < 127)
            into[used++] = *text;
    into[used] = '\0';
    return true;
}
