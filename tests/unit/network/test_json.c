/* json: parts and depth are counted before anything is parsed. */
#include "prelude.h"

#include "network/json.h"

static const char *why;

static bool parses(const char *text)
{
    json_t *object = json_object_of(text, strlen(text), &why);
    bool is_object = object != NULL;
    json_decref(object);
    return is_object;
}

/* {"a":[[1,1,...,1]]} with so many commas, and so many brackets around them. */
static bool parts_parse(unsigned commas, unsigned depth)
{
    char *text = malloc(32 + 2 * (size_t)commas + 2 * (size_t)depth);
    assert_non_null(text);
    size_t used = (size_t)snprintf(text, 8, "{\"a\":");
    memset(text + used, '[', depth);
    used += depth;
    text[used++] = '1';
    for (unsigned i = 0; i < commas; i++) {
        text[used++] = ',';
        text[used++] = '1';
    }
    memset(text + used, ']', depth);
    used += depth;
    text[used++] = '}';
    text[used] = '\0';
    bool is_good = parses(text);
    free(text);
    return is_good;
}

static void parts_and_depth_are_bounded(void **state)
{
    (void)state;
    assert_true(parts_parse(JSON_MARKS_MAX - 3, 1));
    assert_false(parts_parse(JSON_MARKS_MAX - 2, 1));
    assert_non_null(strstr(why, "too many parts"));
    assert_true(parts_parse(0, JSON_DEPTH_MAX - 1));
    assert_false(parts_parse(0, JSON_DEPTH_MAX));
    assert_false(parts_parse(0, 100000));
}

static void only_whole_objects_are_taken(void **state)
{
    (void)state;
    assert_true(parses("{}"));
    assert_false(parses("[]"));
    assert_non_null(strstr(why, "no object"));
    assert_false(parses("1"));
    assert_false(parses("{\"a\":1}x"));
    assert_false(parses("{\"a\":\"\xff\"}"));
    assert_non_null(strstr(why, "not JSON"));
}

static void numbers_and_texts_by_their_type(void **state)
{
    (void)state;
    static const char text[] = "{\"a\":18446744073709551615,\"b\":1.5,\"c\":\"9\",\"d\":true,"
                               "\"e\":\"cu\\u001b[31mbic, a long name\",\"f\":1}";
    char into[8];
    double number = 7;
    json_t *object = json_object_of(text, strlen(text), &why);
    assert_non_null(object);
    assert_true(json_get_number(object, "a", &number) && number > 1.8e19);
    assert_true(json_get_number(object, "b", &number) && number == 1.5);
    assert_false(json_get_number(object, "c", &number) || json_get_number(object, "z", &number));
    assert_true(number == 1.5);
    assert_true(json_is_set(object, "d"));
    assert_false(json_is_set(object, "f"));
    assert_true(json_get_text(object, "e", into, sizeof into));
    assert_string_equal(into, "cu[31mb");
    assert_false(json_get_text(object, "f", into, sizeof into));
    json_decref(object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_and_depth_are_bounded),
        cmocka_unit_test(only_whole_objects_are_taken),
        cmocka_unit_test(numbers_and_texts_by_their_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
