/* servo.c - current control of examples/servo_code: a PI law whose integrator waits at the limits.
 */
enum { REFERENCE, CURRENT };

void servo_step(double t, const double *u, double *y, double *state)
{
    const double period = 50e-6, Kp = 6, Ki = 4000, limit = 24;
    double e = u[REFERENCE] - u[CURRENT], trial = state[0] + Ki * e * period;
    double v = Kp * e + trial, kept = v > limit ? limit : v < -limit ? -limit : v;
    if (kept == v)
        state[0] = trial;
    y[0] = kept;
    (void)t;
}
