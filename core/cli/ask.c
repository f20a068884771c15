#include "cli/ask.h"

#include "base/cleanup.h"
#include "base/places.h"
#include "history/history.h"

struct asking {
    struct answer *answer;
    struct loop *loop;
};

static void on_row(void *user, const struct frame *row, const char *problem)
{
    struct asking *asking = user;
    struct answer *answer = asking->answer;
    if (!row) {
        if (problem)
            str_add(&answer->problem, problem);
        loop_stop(asking->loop, 0);
        return;
    }
    answer->rows = mem_grow(answer->rows, answer->row_count + 1, sizeof(*answer->rows));
    answer->rows[answer->row_count] = (struct str){0};
    str_add_bytes(&answer->rows[answer->row_count], row->pairs, row->pairs_size);
    answer->row_count++;
}

int ask(const char *program, const char *const *arguments, struct answer *ret_answer)
{
    *ret_answer = (struct answer){0};
    struct asking asking = {.answer = ret_answer};
    int code = loop_new(&asking.loop);
    if (code)
        return code;
    struct history_query *query = NULL;
    code = program ? history_ask_program(asking.loop, program, arguments, HISTORY_LIMIT_NS, on_row,
                                         &asking, &query)
                   : history_ask(asking.loop, arguments, on_row, &asking, &query);
    if (!code)
        code = loop_run(asking.loop);
    history_free(query);
    loop_free(asking.loop);
    return code;
}

void answer_done(struct answer *answer)
{
    for (size_t i = 0; i < answer->row_count; i++)
        str_done(&answer->rows[i]);
    free(answer->rows);
    str_done(&answer->problem);
    *answer = (struct answer){0};
}

const char *answer_value(const struct answer *answer, size_t row, const char *key)
{
    const struct frame frame = {
        .type = FRAME_ROW,
        .pairs = answer->rows[row].text,
        .pairs_size = answer->rows[row].size,
    };
    const char *value = frame_pair(&frame, key);
    return value ? value : "";
}

int ask_database(const char *given, struct str *into)
{
    return places_results(given, into);
}

const char *ask_file(const char *word, struct str *name)
{
    str_clear(name);
    str_addf(name, "%s%s", word[0] == '-' ? "./" : "", word);
    return str_text(name);
}
