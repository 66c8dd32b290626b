/* regulator.c - the regulator of examples/positioning: PID in increments, called every 2 ms. */
enum { REFERENCE, SENSOR };

typedef struct memory {
    double error, sum;
} memory;

void regulate(double t, const double *u, double *y, double *state)
{
    const double T = 0.002, Kp = 2, Ki = 2, Kd = 0.14;
    memory *m = (memory *)state;
    double e = u[REFERENCE] - u[SENSOR], sum = m->sum + T * e;
    y[0] = Kp * e + Ki * sum + Kd / T * (e - m->error);
    m->error = e;
    m->sum = sum;
    (void)t;
}
