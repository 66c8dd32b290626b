/* squeezer.c - Andrews' squeezer as written by hand, the usual way: squeezer TOL
 *
 * The equations of the IVP Test Set (Hairer and Wanner, Solving Ordinary Differential Equations II,
 * section VII.7) in its seven angles; each evaluation solves
 *
 *     [M  G^T] [q'']   [f      ]
 *     [G   0 ] [l  ] = [-g_qq v v]
 *
 * by LU with row pivots (13 x 13, written out for this size), and CVODES (Adams) integrates to
 * 0.03 s. Prints: processor seconds of the fastest of some runs, of one evaluation, number of
 * evaluations, and the seven angles at the end. With TOL = 0: the second figure only. */
enum { ANGLES = 7, TIES = 6, SIZE = ANGLES + TIES };

static const double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.0705,
                    m6 = 0.00706, m7 = 0.05498, i1 = 2.194e-6, i2 = 4.41e-7, i3 = 5.255e-6,
                    i4 = 5.667e-7, i5 = 1.169e-5, i6 = 5.667e-7, i7 = 1.912e-5;
static const double xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072, c0 = 4530, l0 = 0.07785,
                    d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092,
                    ss = 0.035, sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308,
                    tb = 0.00916, u = 0.04, ua = 0.01228, ub = 0.00449, zf = 0.02, zt = 0.04,
                    fa = 0.01421, mom = 0.033;

#include "by_hand.h"

/* q = (beta, Theta, gamma, Phi, delta, Omega, epsilon); y = (q, v) */
static void slopes(const double *y, double *rate)
{
    const double *q = y, *v = y + ANGLES;
    double be = q[0], th = q[1], ga = q[2], ph = q[3], de = q[4], om = q[5], ep = q[6];
    double sib = sin(be), cob = cos(be), sbt = sin(be + th), cbt = cos(be + th), sit = sin(th),
           cot = cos(th), sig = sin(ga), cog = cos(ga), sip = sin(ph), cop = cos(ph), sid = sin(de),
           cod = cos(de), spd = sin(ph + de), cpd = cos(ph + de), sio = sin(om), coo = cos(om),
           sie = sin(ep), coe = cos(ep), soe = sin(om + ep), coe2 = cos(om + ep);
    double a[SIZE][SIZE] = {{0}}, b[SIZE];
    double e1 = e - ea, z1 = zf - fa;
    a[0][0] = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * cot + da * da) + i1 + i2;
    a[1][0] = a[0][1] = m2 * (da * da - da * rr * cot) + i2;
    a[1][1] = m2 * da * da + i2;
    a[2][2] = m3 * (sa * sa + sb * sb) + i3;
    a[3][3] = m4 * e1 * e1 + i4;
    a[4][3] = a[3][4] = m4 * (e1 * e1 + zt * e1 * sip) + i4;
    a[4][4] = m4 * (zt * zt + 2 * zt * e1 * sip + e1 * e1) + m5 * (ta * ta + tb * tb) + i4 + i5;
    a[5][5] = m6 * z1 * z1 + i6;
    a[6][5] = a[5][6] = m6 * (z1 * z1 - u * z1 * sio) + i6;
    a[6][6] = m6 * (z1 * z1 - 2 * u * z1 * sio + u * u) + m7 * (ua * ua + ub * ub) + i6 + i7;
    double dx = sd * cog + sc * sig + xb - xc, dy = sd * sig - sc * cog + yb - yc;
    double length = sqrt(dx * dx + dy * dy), force = -c0 * (length - l0) / length;
    b[0] = mom - m2 * da * rr * v[1] * (v[1] + 2 * v[0]) * sit;
    b[1] = m2 * da * rr * v[0] * v[0] * sit;
    b[2] = force * dx * (sc * cog - sd * sig) + force * dy * (sd * cog + sc * sig);
    b[3] = m4 * zt * e1 * v[4] * v[4] * cop;
    b[4] = -m4 * zt * e1 * v[3] * (v[3] + 2 * v[4]) * cop;
    b[5] = -m6 * u * z1 * v[6] * v[6] * coo;
    b[6] = m6 * u * z1 * v[5] * (v[5] + 2 * v[6]) * coo;
    double bt = v[0] + v[1], pd = v[3] + v[4], oe = v[5] + v[6];
    double gx = rr * cob * v[0] * v[0] - d * cbt * bt * bt; /* -g_qq v v, common parts */
    double gy = rr * sib * v[0] * v[0] - d * sbt * bt * bt;
    for (int k = 0; k < TIES; k += 2) { /* the way O, F, E */
        a[ANGLES + k][0] = -rr * sib + d * sbt;
        a[ANGLES + k][1] = d * sbt;
        a[ANGLES + k + 1][0] = rr * cob - d * cbt;
        a[ANGLES + k + 1][1] = -d * cbt;
    }
    a[7][2] = -ss * cog;
    a[8][2] = -ss * sig;
    a[9][3] = -e * cpd;
    a[9][4] = -e * cpd + zt * sid;
    a[10][3] = -e * spd;
    a[10][4] = -e * spd - zt * cod;
    a[11][5] = zf * soe;
    a[11][6] = zf * soe - u * coe;
    a[12][5] = -zf * coe2;
    a[12][6] = -zf * coe2 - u * sie;
    for (int i = ANGLES; i < SIZE; i++)
        for (int j = 0; j < ANGLES; j++)
            a[j][i] = a[i][j];
    b[7] = gx - ss * sig * v[2] * v[2];
    b[8] = gy + ss * cog * v[2] * v[2];
    b[9] = gx - e * spd * pd * pd - zt * cod * v[4] * v[4];
    b[10] = gy + e * cpd * pd * pd - zt * sid * v[4] * v[4];
    b[11] = gx - zf * coe2 * oe * oe - u * sie * v[6] * v[6];
    b[12] = gy - zf * soe * oe * oe + u * coe * v[6] * v[6];
    solve(a, b);
    for (int i = 0; i < ANGLES; i++) {
        rate[i] = v[i];
        rate[ANGLES + i] = b[i];
    }
}

static const double start[2 * ANGLES] = {-0.06171389001427645, 0.0,
                                         0.45527981916307037,  0.22266839016588588,
                                         0.48736497954384256,  -0.22266839016588588,
                                         1.2305474445498212};

static const double stop = 0.03;

static double floor_of(int i)
{
    (void)i;
    return 1;
}

enum { COORDINATES = ANGLES };

#include "by_hand_run.h"

int main(int count, char **argument)
{
    measure(count > 1 ? atof(argument[1]) : 1e-6, 1);
    return 0;
}
