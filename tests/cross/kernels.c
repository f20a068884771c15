/* The kernels' self-checks as a program of its own, for a foreign CPU or an emulator of one. Exit
 * 0: all right. */
#include "../unit/memory/kernel_check.h"

int main(void)
{
    unsigned functions = 0, faults = check_kernels(stdout, &functions);
    printf("%u functions, %u checks wrong\n", functions, faults);
    return faults ? 1 : 0;
}
