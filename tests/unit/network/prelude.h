/* prelude: what each test of this room needs before its own headers. */
#ifndef PRELUDE_H
#define PRELUDE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#endif
