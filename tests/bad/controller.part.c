/* controller.part.c - the file that controller_without_file.good.lg asks for. */
void step(double t, const double *u, double *y, double *state)
{
    (void)u, (void)state;
    y[0] = t;
}
