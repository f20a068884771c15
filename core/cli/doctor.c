#include <errno.h>
#include <langinfo.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/places.h"
#include "base/units.h"
#include "cli/ask.h"
#include "cli/command.h"
#include "cli/follow.h"
#include "cli/json.h"
#include "device/inventory.h"
#include "device/medium.h"
#include "iodyno/plugin.h"

static const struct argument_row rows[] = {
    {"json", false, "one JSON object (iodyno.doctor/1)"},
    {NULL, false, NULL},
};

enum finding { FINDING_OK, FINDING_LACKS, FINDING_BROKEN };

struct doctor {
    json_t *findings; /* also kept for the text form: one list, two ways to print it */
    bool is_broken;
};

/* One finding: what was looked at, what is so, and the command that mends it ("" when none is
 * needed). */
static void find(struct doctor *doctor, enum finding finding, const char *what, const char *text,
                 const char *mend)
{
    static const char *const names[] = {"ok", "lacks", "broken"};
    doctor->is_broken |= finding == FINDING_BROKEN;
    json_array_append_new(doctor->findings,
                          json_pack("{s:s, s:s, s:o, s:o}", "state", names[finding], "what", what,
                                    "text", cli_json_text(text), "mend",
                                    mend[0] ? cli_json_text(mend) : json_null()));
}

static void check_programs(struct doctor *doctor)
{
    static const char *const programs[] = {"iodyno-worker", "iodyno-store", "iodyno-screen"};
    for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
        struct str path AUTO(str_done) = {0};
        if (places_program(programs[i], &path) == 0 && access(str_text(&path), X_OK) == 0)
            find(doctor, FINDING_OK, programs[i], str_text(&path), "");
        else
            find(doctor, i == 2 ? FINDING_LACKS : FINDING_BROKEN, programs[i],
                 "it is not beside this program",
                 i == 2 ? "cmake -DIODYNO_TUI=ON, then install again" : "install again");
    }
}

static void check_plugins(struct doctor *doctor, const char *database)
{
    struct follow *follow = NULL;
    int code = follow_open(database, FOLLOW_TEXT, false, &follow);
    if (!code)
        code = follow_catalog(follow);
    if (code) {
        find(doctor, FINDING_BROKEN, "plugins", err_text(code), "");
        follow_close(follow);
        return;
    }
    const struct catalog *catalog = core_catalog(follow_core(follow));
    size_t good = 0;
    for (size_t i = 0; i < catalog->plugin_count; i++) {
        const struct catalog_plugin *plugin = &catalog->plugins[i];
        struct str text AUTO(str_done) = {0};
        str_addf(&text, "%s %s", plugin->path, plugin->refused ? plugin->refused : plugin->title);
        find(doctor, plugin->refused ? FINDING_LACKS : FINDING_OK,
             plugin->refused ? "plugin refused" : "plugin", str_text(&text), "");
        good += !plugin->refused;
    }
    if (good == 0)
        find(doctor, FINDING_BROKEN, "plugins", "none is usable, so there is no test to run",
             "install again");
    follow_close(follow);
}

static void check_database(struct doctor *doctor, const char *given)
{
    struct str database AUTO(str_done) = {0};
    int code = ask_database(given, &database);
    if (code) {
        find(doctor, FINDING_BROKEN, "results", err_text(code), "export XDG_DATA_HOME=/var/lib");
        return;
    }
    const char *const question[] = {"query", "info", str_text(&database), NULL};
    struct answer answer AUTO(answer_done) = {0};
    code = ask(NULL, question, &answer);
    struct str text AUTO(str_done) = {0};
    if (!code && answer.row_count && !answer.problem.size) {
        str_addf(&text, "%s, %s runs", str_text(&database), answer_value(&answer, 0, "runs"));
        find(doctor, FINDING_OK, "results", str_text(&text), "");
        return;
    }
    str_addf(&text, "%s: %s", str_text(&database),
             answer.problem.size ? str_text(&answer.problem) : "iodyno-store did not answer");
    find(doctor, FINDING_LACKS, "results", str_text(&text), "");
}

static void check_terminal(struct doctor *doctor)
{
    const char *term = getenv("TERM");
    struct str text AUTO(str_done) = {0};
    str_addf(&text, "TERM=%s, character set %s", term ? term : "(unset)", nl_langinfo(CODESET));
    bool is_utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    find(doctor, is_utf8 ? FINDING_OK : FINDING_LACKS, "terminal", str_text(&text),
         is_utf8 ? "" : "export LANG=C.UTF-8");
}

static void check_rights(struct doctor *doctor)
{
    bool has_debugfs =
        access("/sys/kernel/debug/clk", R_OK) == 0 || access("/sys/kernel/debug/block", R_OK) == 0;
    find(doctor, has_debugfs ? FINDING_OK : FINDING_LACKS, "bus modes",
         has_debugfs ? "debugfs can be read"
                     : "debugfs cannot be read: the negotiated mode of cards stays unknown",
         has_debugfs ? "" : "sudo mount -t debugfs none /sys/kernel/debug, and run as root");
    struct rlimit locked = {0};
    bool can_lock = geteuid() == 0 ||
                    (getrlimit(RLIMIT_MEMLOCK, &locked) == 0 && locked.rlim_cur >= (8u << 20));
    find(doctor, can_lock ? FINDING_OK : FINDING_LACKS, "memory lock",
         can_lock ? "the screen can lock its pages"
                  : "the screen cannot lock its pages; a test of the root disk may slow it",
         can_lock ? "" : "ulimit -l 16384");
}

/* A card that comes into a reader is seen by whoever opens it: udev, or a program that may. */
static void check_readers(struct doctor *doctor)
{
    struct inventory inventory = {0};
    struct str text AUTO(str_done) = {0}, locked AUTO(str_done) = {0};
    size_t count = 0;
    if (inventory_scan("", &inventory) < 0)
        return;
    for (size_t i = 0; i < inventory.count; i++) {
        const struct device *device = &inventory.devices[i];
        struct str node AUTO(str_done) = {0};
        if (!medium_is_unwatched("", device, medium_has_udev()))
            continue;
        str_addf(&node, "/dev/%s", device->id);
        count++;
        if (access(node.text, R_OK) < 0)
            str_addf(&locked, " %s", device->id);
    }
    if (locked.size > 0)
        str_addf(&text, "no udev looks at%s, and you may not: cards put in are not seen",
                 locked.text);
    else if (count > 0)
        str_addf(&text, "no udev looks at %zu slots: the screen does, every two seconds", count);
    if (text.size > 0)
        find(doctor, locked.size > 0 ? FINDING_LACKS : FINDING_OK, "card readers", text.text,
             locked.size > 0 ? "run as root, or as a member of the group `disk`" : "");
    inventory_done(&inventory);
}

static void print_findings(const json_t *findings)
{
    size_t i;
    json_t *finding;
    json_array_foreach(findings, i, finding)
    {
        const char *mend = json_string_value(json_object_get(finding, "mend"));
        const char *text = json_string_value(json_object_get(finding, "text"));
        printf("%-7s %-16s %s\n", json_string_value(json_object_get(finding, "state")),
               json_string_value(json_object_get(finding, "what")), text ? text : "");
        if (mend)
            printf("%-24s mend: %s\n", "", mend);
    }
}

static int run(const struct arguments *arguments)
{
    struct doctor doctor = {.findings = json_array()};
    const char *database = arguments_value(arguments, "db");
    check_programs(&doctor);
    check_plugins(&doctor, database);
    check_database(&doctor, database);
    check_terminal(&doctor);
    check_rights(&doctor);
    check_readers(&doctor);
    if (arguments_has(arguments, "json")) {
        json_t *document = json_object();
        json_object_set_new(document, "schema", json_string("iodyno.doctor/1"));
        json_object_set_new(document, "findings", doctor.findings);
        (void)cli_json_print(document);
    } else {
        print_findings(doctor.findings);
        json_decref(doctor.findings);
    }
    return doctor.is_broken ? EXIT_TEST_FAILED : EXIT_DONE;
}

const struct command command_doctor = {
    .name = "doctor",
    .usage = "doctor [--json]",
    .help = "what this machine lacks, and the command that mends it",
    .rows = rows,
    .run = run,
};
