/* JSON lines of a foreign file: what the reader takes, written and read again, is the same run. */
#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "fuzz.h"
#include "report/document.h"
#include "report/jsonl.h"

#define EXACT_NS                                                                                   \
    4000000000000000ull /* seconds beyond this have less than a nanosecond's digits                \
                         */

static const char START[] =
    "{\"type\": \"start\", \"schema\": \"iodyno.run/1\", \"label\": \"A\", \"test\": "
    "\"storage.write\", \"machine\": {\"cpus\": 2}, \"target\": {\"id\": \"sda1\", \"kind\": "
    "\"usb\", \"access\": \"block\", \"ceiling\": 43000000}, \"options\": {\"bs\": 1048576}, "
    "\"started\": \"2026-01-31T09:00:00Z\", \"interval_s\": 1, \"flags\": 5, \"metrics\": "
    "[{\"key\": \"written\", \"unit\": \"B\", \"kind\": \"delta\", \"better\": \"higher\", "
    "\"label\": \"W\"}, {\"key\": \"requests\", \"unit\": \"count\", \"kind\": \"delta\", "
    "\"better\": \"none\", \"label\": \"R\"}, {\"key\": \"rate\", \"unit\": \"B/s\", \"kind\": "
    "\"total\", \"better\": \"higher\", \"label\": \"Rate\"}], \"expectations\": [\"rate > 1 "
    "B/s\"]}\n";
static const char MEASURED[] =
    "{\"type\": \"phase\", \"name\": \"write\", \"t0_s\": 0.001}\n"
    "{\"type\": \"fact\", \"key\": \"engine\", \"text\": \"plain\"}\n"
    "{\"type\": \"interval\", \"metric\": \"requests\", \"lane\": 0, \"t0_s\": 0, \"t1_s\": 1.5, "
    "\"value\": 3}\n"
    "{\"type\": \"interval\", \"metric\": \"written\", \"lane\": 0, \"t0_s\": 0, \"t1_s\": 1.5, "
    "\"value\": 0.1, \"merged\": 2}\n"
    "{\"type\": \"interval\", \"metric\": \"requests\", \"lane\": 0, \"t0_s\": 2, \"t1_s\": 3, "
    "\"value\": 3}\n";
static const char TOLD[] =
    "{\"type\": \"event\", \"t_s\": 1, \"code\": \"stalled\", \"text\": \"\", \"owner\": true}\n"
    "{\"type\": \"log\", \"level\": \"info\", \"text\": \"\\u00e9\\n\"}\n"
    "{\"type\": \"result\", \"metric\": \"rate\", \"lane\": null, \"value\": 12.5}\n";
static const char END[] =
    "{\"type\": \"end\", \"t_s\": 3, \"state\": \"done\", \"error\": null, \"code\": 0, "
    "\"signal\": 0}\n";
static const char *const SEEDS[] = {START, MEASURED, TOLD, END};
#define PARTS (sizeof(SEEDS) / sizeof(SEEDS[0]))

size_t fuzz_seed(unsigned index, uint8_t *into)
{
    size_t size = 0;
    if (index >= PARTS)
        return 0;
    for (size_t i = 0; i <= index; i++) {
        memcpy(into + size, SEEDS[i], strlen(SEEDS[i]));
        size += strlen(SEEDS[i]);
    }
    return size;
}

struct side {
    struct model *model;
    struct document *document;
    struct jsonl_writer *writer;
    struct str lines, json;
};

static struct side side_new(void)
{
    struct side side = {.model = model_new(), .document = document_new()};
    side.writer = jsonl_writer_new(side.model);
    return side;
}

static void side_done(struct side *side)
{
    jsonl_writer_free(side->writer);
    document_free(side->document);
    model_free(side->model);
    str_done(&side->lines);
    str_done(&side->json);
}

static int take(void *user, const struct frame *frame)
{
    struct side *side = user;
    int code = model_apply(side->model, frame);
    if (code < 0)
        return code;
    FUZZ_HOLDS(document_apply(side->document, frame) == 0);
    FUZZ_HOLDS(jsonl_write(side->writer, frame, &side->lines) == 0);
    return 0;
}

static int read_all(struct side *side, const char *text, size_t size, struct str *why)
{
    struct jsonl_reader *reader = jsonl_reader_new(take, side);
    int code = 0;
    while (size > 0 && code == 0) {
        const char *end = memchr(text, '\n', size);
        size_t part = end ? (size_t)(end - text) : size;
        code = jsonl_read_line(reader, text, part, why);
        text += part + (end != NULL);
        size -= part + (end != NULL);
    }
    FUZZ_HOLDS(code == 0 || (code == -EPROTO && str_starts(str_text(why), "line ")));
    if (code == 0)
        FUZZ_HOLDS(jsonl_read_finish(reader) == 0);
    jsonl_reader_free(reader);
    return code;
}

static void check_again(struct side *first)
{
    struct side second = side_new();
    struct str why = {0};
    int code = read_all(&second, first->lines.text, first->lines.size, &why);
    if (code < 0)
        (void)fprintf(stderr, "%s\n%s", str_text(&why), str_text(&first->lines));
    FUZZ_HOLDS(code == 0);
    FUZZ_HOLDS(document_write(first->document, first->model, DOCUMENT_JSON, &first->json) == 0);
    FUZZ_HOLDS(document_write(second.document, second.model, DOCUMENT_JSON, &second.json) == 0);
    if (strcmp(first->json.text, second.json.text) != 0)
        (void)fprintf(stderr, "%s---\n%s", first->json.text, second.json.text);
    FUZZ_HOLDS(strcmp(first->json.text, second.json.text) == 0);
    side_done(&second);
    str_done(&why);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct side side = side_new();
    struct str why = {0};
    if (read_all(&side, (const char *)bytes, size, &why) == 0 && side.model->has_start &&
        side.model->now_ns < side.model->zero_ns + EXACT_NS)
        check_again(&side);
    side_done(&side);
    str_done(&why);
    return 0;
}
