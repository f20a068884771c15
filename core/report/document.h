/* document: a whole run as one text: JSON, CSV, Markdown, dd's, bw_mem's and iperf3's shapes. Made
 * from frames. */
#ifndef REPORT_DOCUMENT_H
#define REPORT_DOCUMENT_H

#include "run/intervals.h"
#include "run/model.h"

struct str;

struct document;

enum document_form {
    DOCUMENT_JSON,
    DOCUMENT_CSV,
    DOCUMENT_MARKDOWN,
    DOCUMENT_DD,
    DOCUMENT_BW_MEM,
    DOCUMENT_IPERF3,
    DOCUMENT_PLAIN
};

/* Collects the report intervals of a run (all lanes); the caller feeds it every frame it also gives
 * to the model. */
struct document *document_new(void);
struct document *document_free(struct document *document);
int document_apply(struct document *document, const struct frame *frame);
/* 0; -ENODATA when a run has no line of dd, of bw_mem or of iperf3. Writes the form from the
 * collected intervals and the finished (or running) model. */
int document_write(const struct document *document, const struct model *model,
                   enum document_form form, struct str *into);

#endif
