/* The INI reader: every entry lies within the bounds, every fault is one clean line. */
#include <string.h>

#include "base/ini.h"
#include "fuzz.h"

static const char *const SEEDS[] = {
    "[roles]\naccent = #ff8800 | 208 | yellow+bold\ntext = default\n",
    "; plan\n[plan]\nname = \"acceptance\"\n\n[step write]\ntest = storage.write\nbs=1M\n",
    "\xef\xbb\xbf[board]\r\nusb.2-1 = J7 top\r\neth0 : P2 ; beside\r\n",
    "[a-section-name-of-49-bytes-that-is-at-its-bound--]\na=1\nb=2\n",
    "k=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    "\n",
    "loose = 1\n[a]\n[a]\nb=1\n  indented\n[c\n]\n=x\nx\n",
};

size_t fuzz_seed(unsigned index, uint8_t *into)
{
    size_t size;

    if (index >= sizeof(SEEDS) / sizeof(SEEDS[0]))
        return 0;
    size = strlen(SEEDS[index]);
    memcpy(into, SEEDS[index], size);
    return size;
}

static int on_entry(void *user, const char *section, const char *key, const char *value, char *why,
                    size_t why_size)
{
    size_t *size = user;

    FUZZ_HOLDS(strlen(section) < 50);
    FUZZ_HOLDS(*key != '\0');
    FUZZ_HOLDS(strlen(key) + strlen(value) <= INI_LINE_MAX);
    if (strcmp(value, "x") == 0) {
        (void)snprintf(why, why_size, "%s", "not x");
        return -1;
    }
    (*size)++;
    return 0;
}

static void on_fault(void *user, const char *sentence)
{
    (void)user;
    FUZZ_HOLDS(strncmp(sentence, "name:", 5) == 0);
    FUZZ_HOLDS(!strchr(sentence, '\n') && !strchr(sentence, '\x1b'));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *exact = malloc(size ? size : 1);
    size_t entries = 0;

    FUZZ_HOLDS(exact != NULL);
    memcpy(exact, bytes, size);
    FUZZ_HOLDS(ini_read_text("name", exact, size, on_entry, on_fault, &entries) == 0 ||
               size > INI_FILE_MAX);
    FUZZ_HOLDS(entries <= size);
    free(exact);
    return 0;
}
