/* pose.c - places and axes of frames, inertias seen from other frames, in numbers. */
#include <math.h>
#include <string.h>

#include "robot/inside.h"

static const double as_good_as_quarter = 1e-15; /* of an angle in radians */
static const double rounding = 4e-16;           /* of products of rotations */
static const double gimbal_lock = 1e-8; /* cosine of a pitch below which roll and yaw are one */

static const double quarter = 1.57079632679489661923;

double ct_quarter_turns(double angle)
{
    double turns = nearbyint(angle / quarter);
    return fabs(angle - turns * quarter) <= as_good_as_quarter * (1 + fabs(angle)) ? turns : NAN;
}

/* Exact at quarter turns, so that products of such turns stay exact. */
static void cos_sin(double angle, double *c, double *s)
{
    static const double cosine[] = {1, 0, -1, 0}, sine[] = {0, 1, 0, -1};
    double turns = ct_quarter_turns(angle);
    bool whole = fabs(turns) < 1e6;
    int at = whole ? (int)(((long)turns % 4 + 4) % 4) : 0;
    *c = whole ? cosine[at] : cos(angle);
    *s = whole ? sine[at] : sin(angle);
}

pose ct_pose_none(void)
{
    return (pose){{0, 0, 0}, {0, 0, 0}};
}

bool ct_pose_is_none(const pose *p)
{
    for (int i = 0; i < 3; i++)
        if (p->at[i] != 0 || p->rpy[i] != 0)
            return false;
    return true;
}

/* Rz(yaw) Ry(pitch) Rx(roll) */
void ct_pose_matrix(const pose *p, double R[9])
{
    double cr, sr, cp, sp, cy, sy;
    cos_sin(p->rpy[0], &cr, &sr);
    cos_sin(p->rpy[1], &cp, &sp);
    cos_sin(p->rpy[2], &cy, &sy);
    const double rows[9] = {cy * cp,
                            cy * sp * sr - sy * cr,
                            cy * sp * cr + sy * sr,
                            sy * cp,
                            sy * sp * sr + cy * cr,
                            sy * sp * cr - cy * sr,
                            -sp,
                            cp * sr,
                            cp * cr};
    memcpy(R, rows, sizeof rows);
}

/* Rounding of a product must not make a quarter turn one that is nearly one. */
static double tidy(double angle)
{
    double turns = nearbyint(angle / quarter);
    return fabs(angle - turns * quarter) < rounding * (4 + fabs(turns)) ? turns * quarter : angle;
}

void ct_pose_set_matrix(pose *p, const double R[9])
{
    double across = hypot(R[0], R[3]);
    p->rpy[1] = tidy(atan2(-R[6], across));
    if (across > gimbal_lock) {
        p->rpy[0] = tidy(atan2(R[7], R[8]));
        p->rpy[2] = tidy(atan2(R[3], R[0]));
    } else { /* z and x turn about the same axis: all is z */
        p->rpy[0] = 0;
        p->rpy[2] = tidy(atan2(-R[1], R[4]));
    }
}

void ct_turn_vector(const double R[9], const double in[3], double out[3])
{
    double v[3];
    for (int i = 0; i < 3; i++)
        v[i] = R[3 * i] * in[0] + R[3 * i + 1] * in[1] + R[3 * i + 2] * in[2];
    memcpy(out, v, sizeof v);
}

void ct_pose_apply(const pose *p, const double in[3], double out[3])
{
    double R[9];
    ct_pose_matrix(p, R);
    ct_turn_vector(R, in, out);
    for (int i = 0; i < 3; i++)
        out[i] += p->at[i];
}

static void multiply(const double A[9], const double B[9], double out[9])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out[3 * i + k] = A[3 * i] * B[k] + A[3 * i + 1] * B[3 + k] + A[3 * i + 2] * B[6 + k];
}

static void transpose(const double A[9], double out[9])
{
    for (int i = 0; i < 9; i++)
        out[i] = A[3 * (i % 3) + i / 3];
}

static bool is_straight(const pose *p)
{
    return p->rpy[0] == 0 && p->rpy[1] == 0 && p->rpy[2] == 0;
}

pose ct_pose_product(const pose *a, const pose *b)
{
    double A[9], B[9], AB[9];
    pose p = ct_pose_none();
    ct_pose_apply(a, b->at, p.at);
    ct_pose_matrix(a, A);
    ct_pose_matrix(b, B);
    multiply(A, B, AB);
    if (is_straight(b)) /* as written, to the last digit */
        memcpy(p.rpy, a->rpy, sizeof p.rpy);
    else if (is_straight(a))
        memcpy(p.rpy, b->rpy, sizeof p.rpy);
    else
        ct_pose_set_matrix(&p, AB);
    return p;
}

pose ct_pose_inverse(const pose *a)
{
    double A[9], back[9];
    pose p = ct_pose_none();
    if (ct_pose_is_none(a))
        return p;
    ct_pose_matrix(a, A);
    transpose(A, back);
    ct_turn_vector(back, a->at, p.at);
    for (int i = 0; i < 3; i++)
        p.at[i] = 0 - p.at[i];
    ct_pose_set_matrix(&p, back);
    return p;
}

/* ---- inertias */

static void unfold(const double I[6], double out[9])
{
    const double full[9] = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]};
    memcpy(out, full, sizeof full);
}

void ct_inertia_turn(const double R[9], double I[6])
{
    static const int at[6] = {0, 4, 8, 1, 2, 5};
    double full[9], left[9], back[9], out[9];
    unfold(I, full);
    transpose(R, back);
    multiply(R, full, left);
    multiply(left, back, out);
    for (int i = 0; i < 6; i++)
        I[i] = out[at[i]];
}

inertial ct_inertial_in(const inertial *own, const pose *p)
{
    inertial out = *own;
    double R[9];
    ct_pose_apply(p, own->com, out.com);
    if (is_straight(p))
        return out;
    ct_pose_matrix(p, R);
    ct_inertia_turn(R, out.I);
    return out;
}
