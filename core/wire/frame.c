#include "wire/frame.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "iodyno/plugin.h"

#define ALIGNED(size) (((size) + 7u) & ~(size_t)7u)
#define ERRNO_MAX 4095
#define SIGNAL_MAX 127 /* MIPS has as many */

struct head { /* begins every frame */
    uint16_t type, flags;
    uint32_t size; /* head, struct, metrics and pairs, before the padding */
};

/* Everything that distinguishes one type from another. */
struct rule {
    uint16_t body;      /* bytes of the fixed struct */
    uint16_t pairs_min; /* pairs it must and may have */
    uint16_t pairs_max;
    uint16_t text_max; /* bytes of a value; 0: as the packet holds */
    bool is_cut;       /* packet_add shortens a longer value */
    const char *key;   /* the only key allowed, or NULL */
    bool (*is_fit)(const struct frame *frame);
};

static const char *const STATE_NAMES[RUN_STATES] = {
    "running", "done", "failed", "cancelled", "refused", "removed", "abandoned", "interrupted",
};

const char *run_state_name(unsigned state)
{
    return state < RUN_STATES ? STATE_NAMES[state] : "unknown";
}

int run_state_from_name(const char *name, unsigned *ret_state)
{
    for (unsigned state = 0; state < RUN_STATES; state++) {
        if (strcmp(name, STATE_NAMES[state]) == 0) {
            *ret_state = state;
            return 0;
        }
    }
    return -EINVAL;
}

static const char *const TARGET_KINDS[] = {
    [DYNO_BLOCK] = "block", [DYNO_FOLDER] = "folder", [DYNO_MEM] = "mem", [DYNO_NET] = "net"};

const char *target_kind_name(unsigned kind)
{
    return kind < ARRAY_SIZE(TARGET_KINDS) ? TARGET_KINDS[kind] : NULL;
}

unsigned target_kind_from_name(const char *name)
{
    for (unsigned kind = 0; kind < ARRAY_SIZE(TARGET_KINDS); kind++) {
        if (TARGET_KINDS[kind] && strcmp(name, TARGET_KINDS[kind]) == 0)
            return kind;
    }
    return 0;
}

static bool is_fit_key(const char *key, size_t size)
{
    if (size == 0 || size > FRAME_KEY_MAX)
        return false;
    for (size_t i = 0; i < size; i++) {
        if (key[i] < ' ' || key[i] > '~')
            return false;
    }
    return true;
}

static bool is_fit_metric(const struct frame_metric *metric)
{
    const char *end = memchr(metric->key, '\0', sizeof(metric->key));

    return metric->unit >= DYNO_BYTE && metric->unit <= DYNO_PER_S && metric->kind >= DYNO_DELTA &&
           metric->kind <= DYNO_TOTAL && metric->better >= DYNO_HIGHER &&
           metric->better <= DYNO_NONE && metric->is_host <= 1 && end &&
           is_fit_key(metric->key, (size_t)(end - metric->key)) &&
           memchr(metric->label, '\0', sizeof(metric->label));
}

static bool fit_order(const struct frame *frame)
{
    return frame->order.tick_ns > 0 && frame->order.report_ns >= frame->order.tick_ns;
}

static bool fit_start(const struct frame *frame)
{
    const struct frame_start *start = &frame->start;

    if (start->tick_ns == 0 || start->report_ns < start->tick_ns || start->reserved != 0)
        return false;
    for (uint32_t i = 0; i < start->metric_count; i++) {
        if (!is_fit_metric(&frame->metrics[i]))
            return false;
    }
    return true;
}

static bool fit_sample(const struct frame *frame)
{
    const struct frame_sample *sample = &frame->sample;

    return sample->metric < FRAME_METRICS_MAX && sample->lane <= DYNO_LANE_MAX &&
           sample->t1_ns > sample->t0_ns && isfinite(sample->value);
}

static bool fit_result(const struct frame *frame)
{
    const struct frame_result *result = &frame->result;

    return result->metric < FRAME_METRICS_MAX &&
           (result->lane <= DYNO_LANE_MAX || result->lane == DYNO_LANE_ALL) &&
           result->reserved == 0 && isfinite(result->value);
}

static bool fit_log(const struct frame *frame)
{
    return frame->log.level >= DYNO_DEBUG && frame->log.level <= DYNO_ERROR &&
           frame->log.reserved == 0;
}

static bool fit_end(const struct frame *frame)
{
    const struct frame_end *end = &frame->end;

    return end->state > RUN_RUNNING && end->state < RUN_STATES && end->code <= 0 &&
           end->code >= -ERRNO_MAX && end->signal <= SIGNAL_MAX && end->reserved == 0;
}

static bool fit_plugin(const struct frame *frame)
{
    return frame->plugin.reserved == 0;
}

static bool fit_option(const struct frame *frame)
{
    const struct frame_option *option = &frame->option;

    return option->type >= DYNO_BOOL && option->type <= DYNO_DEVICE && option->reserved == 0 &&
           option->min <= option->max;
}

static bool fit_metric(const struct frame *frame)
{
    return is_fit_metric(&frame->metric);
}

static bool fit_recorded(const struct frame *frame)
{
    return frame->recorded.id > 0;
}

#define ANY UINT16_MAX
static const struct rule RULES[FRAME_TYPES] = {
    [FRAME_ORDER] = {sizeof(struct frame_order), 0, ANY, 0, false, NULL, fit_order},
    [FRAME_START] = {sizeof(struct frame_start), 0, ANY, 0, false, NULL, fit_start},
    [FRAME_FACT] = {0, 1, 1, FRAME_FACT_MAX, true, NULL, NULL},
    [FRAME_PHASE] = {sizeof(struct frame_phase), 1, 1, FRAME_KEY_MAX, false, "name", NULL},
    [FRAME_SAMPLE] = {sizeof(struct frame_sample), 0, 0, 0, false, NULL, fit_sample},
    [FRAME_PROGRESS] = {sizeof(struct frame_progress), 0, 0, 0, false, NULL, NULL},
    [FRAME_RESULT] = {sizeof(struct frame_result), 0, 0, 0, false, NULL, fit_result},
    [FRAME_EVENT] = {sizeof(struct frame_event), 1, 1, FRAME_EVENT_MAX, true, NULL, NULL},
    [FRAME_LOG] = {sizeof(struct frame_log), 1, 1, FRAME_LOG_MAX, true, "text", fit_log},
    [FRAME_END] = {sizeof(struct frame_end), 1, 1, FRAME_SENTENCE_MAX, true, "sentence", fit_end},
    [FRAME_PLUGIN] = {sizeof(struct frame_plugin), 1, ANY, 0, false, NULL, fit_plugin},
    [FRAME_TEST] = {sizeof(struct frame_test), 1, ANY, 0, false, NULL, NULL},
    [FRAME_OPTION] = {sizeof(struct frame_option), 1, ANY, 0, false, NULL, fit_option},
    [FRAME_METRIC] = {sizeof(struct frame_metric), 0, 0, 0, false, NULL, fit_metric},
    [FRAME_REFUSED] = {0, 1, ANY, 0, false, NULL, NULL},
    [FRAME_ROW] = {0, 0, ANY, 0, false, NULL, NULL},
    [FRAME_RECORDED] = {sizeof(struct frame_recorded), 0, 0, 0, false, NULL, fit_recorded},
};

/* All members of the union begin at one address. */
static void *body_of(struct frame *frame)
{
    return &frame->order;
}

static bool are_fit_pairs(const struct frame *frame, const struct rule *rule)
{
    const char *at = frame->pairs, *end;
    unsigned count = 0;

    if (frame->pairs_size == 0)
        return rule->pairs_min == 0;
    end = at + frame->pairs_size;
    for (; at < end; count++) {
        const char *key_end = memchr(at, '\0', (size_t)(end - at)), *value, *value_end;

        if (!key_end || !is_fit_key(at, (size_t)(key_end - at)))
            return false;
        if (rule->key && strcmp(at, rule->key) != 0)
            return false;
        value = key_end + 1;
        value_end = memchr(value, '\0', (size_t)(end - value));
        if (!value_end || (rule->text_max && value_end - value > rule->text_max))
            return false;
        at = value_end + 1;
    }
    return count >= rule->pairs_min && count <= rule->pairs_max;
}

/* The one judgement on a frame, the same for what goes out and what comes in. */
static bool is_fit(const struct frame *frame, const struct rule *rule)
{
    return (frame->flags & ~FRAME_OWNER) == 0 && (!rule->is_fit || rule->is_fit(frame)) &&
           are_fit_pairs(frame, rule);
}

/* Bytes of the metrics table that stands between the struct and the pairs. */
static size_t metrics_size(const struct frame *frame)
{
    return frame->type == FRAME_START ? frame->start.metric_count * sizeof(struct frame_metric) : 0;
}

static bool next_head(const uint8_t *bytes, size_t size, size_t offset, struct head *ret_head)
{
    if (size - offset < sizeof(*ret_head))
        return false;
    memcpy(ret_head, bytes + offset, sizeof(*ret_head));
    return ret_head->size >= sizeof(*ret_head) && ret_head->size <= size - offset &&
           ALIGNED(ret_head->size) <= size - offset;
}

/* Number of frames in a packet, -EPROTO when its heads do not lead to its end. */
static int count_frames(const uint8_t *bytes, size_t size)
{
    struct head head;
    int count = 0;

    for (size_t offset = 0; offset < size; offset += ALIGNED(head.size), count++) {
        if (!next_head(bytes, size, offset, &head))
            return -EPROTO;
    }
    return count;
}

static bool is_zero(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != 0)
            return false;
    }
    return true;
}

int frame_next(const void *bytes, size_t size, size_t *offset, struct frame *ret_frame)
{
    const uint8_t *at = bytes;
    struct frame frame = {0};
    struct head head;
    size_t left;

    if (size > FRAME_PACKET_MAX || size % 8 != 0 || *offset % 8 != 0 || *offset > size ||
        (uintptr_t)bytes % 8 != 0)
        return -EPROTO;
    if (*offset == size)
        return 0;
    if (*offset == 0) {
        int count = count_frames(at, size);

        if (count < 0 || count > FRAME_SAMPLES_MAX)
            return -EPROTO;
    }
    if (!next_head(at, size, *offset, &head) || head.type == 0 || head.type >= FRAME_TYPES)
        return -EPROTO;
    left = head.size - sizeof(head);
    if (left < RULES[head.type].body)
        return -EPROTO;
    at += *offset + sizeof(head);
    frame.type = head.type;
    frame.flags = head.flags;
    memcpy(body_of(&frame), at, RULES[head.type].body);
    at += RULES[head.type].body;
    left -= RULES[head.type].body;
    if (head.type == FRAME_START) {
        if (frame.start.metric_count > FRAME_METRICS_MAX || metrics_size(&frame) > left)
            return -EPROTO;
        frame.metrics = frame.start.metric_count ? (const void *)at : NULL;
        at += metrics_size(&frame);
        left -= metrics_size(&frame);
    }
    frame.pairs = left ? (const char *)at : NULL;
    frame.pairs_size = left;
    if (!is_fit(&frame, &RULES[head.type]) || !is_zero(at + left, ALIGNED(head.size) - head.size))
        return -EPROTO;
    *offset += ALIGNED(head.size);
    *ret_frame = frame;
    return 1;
}

/* Shortens the value of a one-pair frame into `into`, when it is too long and may be. */
static void cut_pairs(struct frame *frame, const struct rule *rule, char *into, size_t room)
{
    size_t key_size, value_size, length;

    if (!rule->is_cut || frame->pairs_size < 2 || frame->pairs[frame->pairs_size - 1] != '\0')
        return;
    key_size = strlen(frame->pairs) + 1;
    if (key_size >= frame->pairs_size)
        return;
    value_size = strlen(frame->pairs + key_size);
    if (value_size <= rule->text_max || key_size + value_size + 1 != frame->pairs_size ||
        key_size + rule->text_max + 1u > room)
        return;
    length = str_cut_size(frame->pairs + key_size, value_size, rule->text_max);
    memcpy(into, frame->pairs, key_size + length);
    into[key_size + length] = '\0';
    frame->pairs = into;
    frame->pairs_size = key_size + length + 1;
}

int packet_add(struct packet *packet, const struct frame *given)
{
    char cut[FRAME_KEY_MAX + 1 + FRAME_EVENT_MAX + 1];
    struct frame frame = *given;
    const struct rule *rule;
    struct head head = {given->type, given->flags, 0};
    size_t size, metrics;
    uint8_t *at;
    int count;

    if (frame.type == 0 || frame.type >= FRAME_TYPES)
        return -EINVAL;
    if (frame.type == FRAME_START && frame.start.metric_count > FRAME_METRICS_MAX)
        return -EINVAL;
    metrics = metrics_size(&frame);
    if ((metrics && !frame.metrics) || (frame.pairs_size && !frame.pairs))
        return -EINVAL;
    rule = &RULES[frame.type];
    cut_pairs(&frame, rule, cut, sizeof(cut));
    if (!is_fit(&frame, rule))
        return -EINVAL;
    size = sizeof(head) + rule->body + metrics + frame.pairs_size;
    if (frame.pairs_size > FRAME_PACKET_MAX || packet->size > FRAME_PACKET_MAX ||
        ALIGNED(size) > FRAME_PACKET_MAX - packet->size)
        return -EMSGSIZE;
    count = count_frames(packet->bytes, packet->size);
    if (count < 0 || count >= FRAME_SAMPLES_MAX)
        return -EMSGSIZE;
    head.size = (uint32_t)size;
    at = packet->bytes + packet->size;
    memcpy(at, &head, sizeof(head));
    at += sizeof(head);
    memcpy(at, body_of(&frame), rule->body);
    at += rule->body;
    if (metrics)
        memcpy(at, frame.metrics, metrics);
    at += metrics;
    if (frame.pairs_size)
        memcpy(at, frame.pairs, frame.pairs_size);
    memset(at + frame.pairs_size, 0, ALIGNED(size) - size);
    packet->size += ALIGNED(size);
    return 0;
}

bool frame_pair_next(const struct frame *frame, size_t *pos, const char **ret_key,
                     const char **ret_value)
{
    if (*pos >= frame->pairs_size)
        return false;
    *ret_key = frame->pairs + *pos;
    *ret_value = *ret_key + strlen(*ret_key) + 1;
    *pos = (size_t)(*ret_value - frame->pairs) + strlen(*ret_value) + 1;
    return true;
}

const char *frame_pair(const struct frame *frame, const char *key)
{
    const char *found, *value;

    for (size_t pos = 0; frame_pair_next(frame, &pos, &found, &value);) {
        if (strcmp(found, key) == 0)
            return value;
    }
    return NULL;
}
