/* mujoco.c - trees by MuJoCo: mujoco FILE.xml STEP ANGLE... prints processor seconds of one forward
 * dynamics call, of 10 s of motion by its Runge-Kutta method with this step, and the energy lost or
 * won, J; a step of 0: `-` for both. */
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double energy(const mjModel *m, mjData *d)
{
    mj_forward(m, d);
    return d->energy[0] + d->energy[1];
}

int main(int count, char **argument)
{
    char why[1000];
    mjModel *m = count > 2 ? mj_loadXML(argument[1], NULL, why, sizeof why) : NULL;
    if (!m)
        return 1;
    double step = atof(argument[2]);
    m->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_PASSIVE;
    m->opt.enableflags |= mjENBL_ENERGY;
    m->opt.integrator = mjINT_RK4;
    m->opt.timestep = step > 0 ? step : 1e-3;
    mjData *d = mj_makeData(m);
    for (int i = 3; i < count && i - 3 < m->nq; i++)
        d->qpos[i - 3] = atof(argument[i]);
    double before = energy(m, d), begin = cpu();
    long calls = 0;
    while (cpu() - begin < 0.3)
        for (int i = 0; i < 20; i++, calls++)
            mj_forward(m, d);
    printf("%.4g ", (cpu() - begin) / (double)calls);
    begin = cpu();
    for (long i = 0; step > 0 && (double)i * step < 10 - step / 2; i++)
        mj_step(m, d);
    if (step > 0)
        printf("%.4g %.3g\n", cpu() - begin, energy(m, d) - before);
    else
        printf("- -\n");
    return 0;
}
