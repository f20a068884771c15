#include "pages.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

/* A kernel without large pages, or none left, gives small ones: no harm. */
int pages_make(struct pages *pages, size_t size)
{
    size_t whole = (size + PAGES_LARGE - 1) & ~(PAGES_LARGE - 1), mapped = whole + PAGES_LARGE;
    if (mapped < size)
        return -ENOMEM;
    void *mapping = mmap(NULL, mapped, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED)
        return -ENOMEM;
    size_t before = (size_t)(-(uintptr_t)mapping & (PAGES_LARGE - 1));
    *pages = (struct pages){(unsigned char *)mapping + before, mapping, mapped};
    (void)madvise(pages->bytes, whole, MADV_HUGEPAGE);
    memset(pages->bytes, 0, size);
    return 0;
}

void pages_done(struct pages *pages)
{
    if (pages->mapping)
        munmap(pages->mapping, pages->mapped);
    *pages = (struct pages){0};
}
