/* cpu.h - what the processor has.
 *
 * The C library of Linux has asked it already when a program begins. __builtin_cpu_supports() makes
 * every run ask once more, which takes 40 us where each question leaves a virtual machine. */
#ifndef CT_BASE_CPU_H
#define CT_BASE_CPU_H

#if defined __x86_64__

#if defined __linux__ && __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#define CT_HAS_AVX   CPU_FEATURE_ACTIVE(AVX)
#define CT_HAS_AVX2  CPU_FEATURE_ACTIVE(AVX2)
#define CT_HAS_SSE41 CPU_FEATURE_ACTIVE(SSE4_1)
#else
#define CT_HAS_AVX   __builtin_cpu_supports("avx")
#define CT_HAS_AVX2  __builtin_cpu_supports("avx2")
#define CT_HAS_SSE41 __builtin_cpu_supports("sse4.1")
#endif

#endif

#endif
