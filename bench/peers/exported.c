/* exported.c - processor time of one call of exported code: the file is included as EXPORTED, its
 * names begin with `model`. Prints seconds of the right-hand side and of the outputs. */
#include EXPORTED
#include <stdio.h>
#include <time.h>

static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double x[model_STATES + 1], slope[model_STATES + 1], y[model_OUTPUTS + 1],
    work[model_WORK + 1];

int main(void)
{
    double seconds[2], sum = 0;
    for (int i = 0; i < model_STATES; i++)
        x[i] = model_start_state[i] + 0.1 * (i + 1);
    model_prepare(model_parameter_value, work);
    for (int what = 0; what < 2; what++) {
        long calls = 0;
        double begin = cpu();
        while (cpu() - begin < 0.3)
            for (int i = 0; i < 1000; i++, calls++) {
                double t = 1e-4 * i;
                if (what)
                    model_outputs(t, x, y, work);
                else
                    model_rhs(t, x, slope, work);
                sum += what ? y[0] : slope[0];
            }
        seconds[what] = (cpu() - begin) / (double)calls;
    }
    printf("%.4g %.4g %g\n", seconds[0], seconds[1], sum);
    return 0;
}
