/* by_hand.h - what models written by hand share: processor time, and LU of SIZE rows, which
 * the file that includes it gives, so that the compiler knows the size. */
#include <math.h>
#include <time.h>

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void swap(double *x, double *y)
{
    double kept = *x;
    *x = *y;
    *y = kept;
}

/* A x = b in place; 0: singular. */
static int solve(double a[SIZE][SIZE], double *b)
{
    for (int k = 0; k < SIZE; k++) {
        int p = k;
        for (int i = k + 1; i < SIZE; i++)
            p = fabs(a[i][k]) > fabs(a[p][k]) ? i : p;
        if (a[p][k] == 0)
            return 0;
        for (int j = k; j < SIZE && p != k; j++)
            swap(&a[k][j], &a[p][j]);
        swap(&b[k], &b[p]);
        double inverse = 1 / a[k][k];
        for (int i = k + 1; i < SIZE; i++) {
            double w = a[i][k] * inverse;
            for (int j = k + 1; j < SIZE; j++)
                a[i][j] -= w * a[k][j];
            b[i] -= w * b[k];
        }
        a[k][k] = inverse;
    }
    for (int i = SIZE; i-- > 0;) {
        for (int j = i + 1; j < SIZE; j++)
            b[i] -= a[i][j] * b[j];
        b[i] *= a[i][i];
    }
    return 1;
}
