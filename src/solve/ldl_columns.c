/* ldl_columns.c - L D L^T column by column, in real and in complex numbers. */
#include <string.h>

#include "solve/ldl_block.h"
#include "solve/ldl_number.h"

#define TWICE "solve/ldl_columns.def"
#include "solve/ldl_twice.def"
