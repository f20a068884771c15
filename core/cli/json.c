#include "cli/json.h"

#include <math.h>
#include <stdio.h>

#include "base/units.h"
#include "cli/command.h"

#define EXACT_INTEGER_MAX 9007199254740992.0 /* 2^53: above it a double skips integers */

json_t *cli_json_text(const char *text)
{
    json_t *value = text ? json_string(text) : NULL;
    return value ? value : json_null();
}

json_t *cli_json_number(double value)
{
    if (!isfinite(value))
        return json_null();
    if (value == floor(value) && fabs(value) <= EXACT_INTEGER_MAX)
        return json_integer((json_int_t)value);
    return json_real(value);
}

json_t *cli_json_pair(const char *text)
{
    double value;
    if (!text || !text[0])
        return json_null();
    if (units_parse_double(text, &value) == 0)
        return cli_json_number(value);
    return cli_json_text(text);
}

int cli_json_print(json_t *value)
{
    char *text = json_dumps(value, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    json_decref(value);
    if (!text)
        return command_fail(EXIT_TEST_FAILED, "cannot make the JSON text");
    (void)puts(text);
    free(text);
    return EXIT_DONE;
}
