/* json: JSON values and their printing for the commands. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <jansson.h>

json_t *cli_json_text(const char *text); /* null for NULL or text that is no UTF-8 */
json_t *cli_json_number(double value);   /* an integer when it is one */
json_t *cli_json_pair(const char *text); /* "17" a number, "" null, else a string */
int cli_json_print(json_t *value);       /* on stdout, frees it; an exit code */

#endif
