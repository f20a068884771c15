#include "llc_tree.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "common/text.h"

#define TREE "/proc/device-tree"
#define NODES_MAX 64 /* cache nodes; further ones are not followed */
#define CPUS_MAX 1024
#define DEPTH_MAX 4 /* below /cpus; some trees put a cache within its CPU */

struct node {
    uint32_t phandle, next; /* 0: none */
    uint32_t level;         /* 0: does not say */
    uint64_t bytes;
};
struct tree {
    const char *root;
    struct node caches[NODES_MAX], cpus[CPUS_MAX];
    size_t cache_count, cpu_count;
};

/* A cell of four bytes, or of eight for the sizes of some trees; 0 when absent or anything else. */
static uint64_t cell(const char *root, const char *node, const char *name)
{
    char path[TEXT_PATH_MAX];
    uint8_t bytes[9];
    uint64_t value = 0;
    int size = snprintf(path, sizeof path, "%s/%s", node, name);
    if (size < 0 || (size_t)size >= sizeof path)
        return 0;
    size = text_read_bytes(root, path, bytes, sizeof bytes);
    if (size != 4 && size != 8)
        return 0;
    for (int i = 0; i < size; i++)
        value = value << 8 | bytes[i];
    return value;
}

static void take_node(struct tree *tree, const char *path, bool is_cpu)
{
    const char *root = tree->root;
    struct node node = {
        .phandle = (uint32_t)cell(root, path, "phandle"),
        .next = (uint32_t)cell(root, path, "next-level-cache"),
        .level = (uint32_t)cell(root, path, "cache-level"),
        .bytes = cell(root, path, is_cpu ? "d-cache-size" : "cache-size"),
    };
    if (node.next == 0) /* as the first trees spelled it */
        node.next = (uint32_t)cell(root, path, "l2-cache");
    if (node.bytes == 0)
        node.bytes = cell(root, path, is_cpu ? "cache-size" : "d-cache-size");
    if (is_cpu && tree->cpu_count < CPUS_MAX)
        tree->cpus[tree->cpu_count++] = node;
    else if (!is_cpu && node.phandle && tree->cache_count < NODES_MAX)
        tree->caches[tree->cache_count++] = node;
}

static bool is_folder(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* `path` is below the root. Links are not followed: a tree has none. */
static void walk(struct tree *tree, const char *path, unsigned depth)
{
    char whole[TEXT_PATH_MAX], below[TEXT_PATH_MAX];
    int size = snprintf(whole, sizeof whole, "%s%s", tree->root, path);
    DIR *folder = size > 0 && (size_t)size < sizeof whole ? opendir(whole) : NULL;
    if (!folder)
        return;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        const char *name = entry->d_name;
        if (name[0] == '.')
            continue;
        size = snprintf(whole, sizeof whole, "%s%s/%s", tree->root, path, name);
        if (size < 0 || (size_t)size >= sizeof whole || !is_folder(whole))
            continue;
        (void)memcpy(below, whole + strlen(tree->root), strlen(whole + strlen(tree->root)) + 1);
        const bool is_cpu = strncmp(name, "cpu@", 4) == 0;
        if (is_cpu || strstr(name, "cache"))
            take_node(tree, below, is_cpu);
        if (depth < DEPTH_MAX)
            walk(tree, below, depth + 1);
    }
    (void)closedir(folder);
}

/* The index of a cache; NODES_MAX: none. */
static size_t find(const struct tree *tree, uint32_t phandle)
{
    for (size_t i = 0; phandle && i < tree->cache_count; i++)
        if (tree->caches[i].phandle == phandle)
            return i;
    return NODES_MAX;
}

/* Renesas' RZ/G2L has an L3 right behind its L1: the node's own word rules over its place. */
static void follow(const struct tree *tree, unsigned cpu, struct llc_tally *tally)
{
    unsigned level = 1;
    llc_tally_take(tally, level, cpu, tree->cpus[cpu].bytes);
    for (size_t at = find(tree, tree->cpus[cpu].next); at < NODES_MAX && level < LLC_LEVELS;
         at = find(tree, tree->caches[at].next)) {
        const struct node *node = &tree->caches[at];
        level = node->level > level && node->level <= LLC_LEVELS ? node->level : level + 1;
        llc_tally_take(tally, level, (unsigned)at, node->bytes);
    }
}

void llc_tree_take(const char *root, struct llc_tally *tally)
{
    AUTO_FREE struct tree *tree = calloc(1, sizeof *tree);
    if (!tree)
        return;
    tree->root = strcmp(root, "/") == 0 ? "" : root;
    walk(tree, TREE "/cpus", 0);
    /* A cache of the whole machine may also stand beside its CPUs. */
    if (tree->cpu_count > 0 && tree->cache_count == 0)
        walk(tree, TREE, DEPTH_MAX);
    for (unsigned i = 0; i < tree->cpu_count; i++)
        follow(tree, i, tally);
}
