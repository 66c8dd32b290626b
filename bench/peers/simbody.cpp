// The mechanisms of bench/texts.py by Simbody: simbody TASK N [ACCURACY].
//     chain N       N links of length 1, mass 1, hanging by pins from the ground
//     fourbar N     N four-bars in a row, links of length 1 and mass 1
//     arm N         N rods in space, each joint at a right angle to the one before
//     slider        slider-crank that falls from 30 degrees
//     tree FILE     pins between bodies: parent, axis, place, mass, mass centre, inertia, angle for each
//     stewart       a platform on six legs with springs
// Prints: CPU seconds of one forward dynamics call, CPU seconds of 10 s of motion at this accuracy, and the energy
// lost or won, J; `-` for both without an accuracy, and if the integrator does not get through.
#include <Simbody.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <vector>

using namespace SimTK;

static double cpu()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

struct Bench {
    MultibodySystem system;
    SimbodyMatterSubsystem matter{system};
    GeneralForceSubsystem forces{system};
    Force::Gravity gravity{forces, matter, Vec3(0, -9.81, 0)};

    // A rod of mass m whose frame stands at its inboard end; centre of mass at c.
    static Body::Rigid rod(double m, Vec3 c, double inertia)
    {
        Inertia central(1, 1, inertia);
        return Body::Rigid(MassProperties(m, c, central.shiftFromMassCenter(-c, m)));
    }
};

static void close_pin(Bench &b, MobilizedBody &plane, Vec3 at, MobilizedBody &body, Vec3 point)
{
    Constraint::PointInPlane(plane, UnitVec3(1, 0, 0), at[0], body, point);
    Constraint::PointInPlane(plane, UnitVec3(0, 1, 0), at[1], body, point);
    (void)b;
}

static void make_chain(Bench &b, int n, std::vector<double> &start)
{
    MobilizedBody parent = b.matter.updGround();
    for (int i = 0; i < n; i++) {
        Body::Rigid link = Bench::rod(1, Vec3(0, -0.5, 0), 1. / 12);
        parent = MobilizedBody::Pin(parent, Transform(Vec3(0, i ? -1 : 0, 0)), link, Transform());
        start.push_back(i ? 0.1 : 1.0);
    }
}

static void make_arm(Bench &b, int n, std::vector<double> &start)
{
    MobilizedBody parent = b.matter.updGround();
    Vec3 c(0, 0, 0.5);
    for (int i = 0; i < n; i++) {
        Body::Rigid link(MassProperties(1, c, Inertia(0.1, 0.1, 0.02).shiftFromMassCenter(-c, 1)));
        Rotation turn(i ? Pi / 2 : -Pi / 2, XAxis); // gravity is along -y here
        parent = MobilizedBody::Pin(parent, Transform(turn, Vec3(0, 0, i ? 1 : 0)), link, Transform());
        start.push_back(i ? 0.1 : 1.0);
    }
}

static void make_fourbar(Bench &b, int n, std::vector<double> &start)
{
    std::vector<MobilizedBody> arm;
    Body::Rigid link = Bench::rod(1, Vec3(0.5, 0, 0), 1. / 12);
    for (int i = 0; i <= n; i++) {
        arm.push_back(MobilizedBody::Pin(b.matter.updGround(), Transform(Vec3(i, 0, 0)), link, Transform()));
        start.push_back(Pi / 2);
    }
    for (int i = 1; i <= n; i++) {
        MobilizedBody bar = MobilizedBody::Pin(arm[size_t(i - 1)], Transform(Vec3(1, 0, 0)), link, Transform());
        start.push_back(-Pi / 2);
        close_pin(b, arm[size_t(i)], Vec3(1, 0, 0), bar, Vec3(1, 0, 0));
    }
}

static void make_slider(Bench &b, std::vector<double> &start)
{
    MobilizedBody crank = MobilizedBody::Pin(b.matter.updGround(), Transform(),
                                             Bench::rod(0.8, Vec3(0.025, 0, 0), 4e-4), Transform());
    MobilizedBody rod = MobilizedBody::Pin(crank, Transform(Vec3(0.05, 0, 0)),
                                           Bench::rod(1.2, Vec3(0.1, 0, 0), 4e-3), Transform());
    MobilizedBody slider = MobilizedBody::Slider(b.matter.updGround(), Transform(),
                                                 Bench::rod(0.5, Vec3(0), 1e-3), Transform());
    double phi = Pi / 6, psi = std::asin(-0.05 * std::sin(phi) / 0.2);
    start = {phi, psi - phi, 0.05 * std::cos(phi) + 0.2 * std::cos(psi)};
    close_pin(b, slider, Vec3(0), rod, Vec3(0.2, 0, 0));
}

static void make_tree(Bench &b, const char *path, std::vector<double> &start)
{
    std::vector<MobilizedBody> body{b.matter.updGround()};
    FILE *file = std::fopen(path, "r");
    int parent, axis;
    double at[3], m, c[3], I[3], q;
    b.gravity.setDefaultGravityVector(Vec3(0, 0, -9.81));
    while (file && std::fscanf(file, "%d %d %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf", &parent, &axis, at, at + 1, at + 2,
                               &m, c, c + 1, c + 2, I, I + 1, I + 2, &q) == 13) {
        Vec3 centre(c[0], c[1], c[2]);
        Body::Rigid link(MassProperties(m, centre, Inertia(I[0], I[1], I[2]).shiftFromMassCenter(-centre, m)));
        Rotation turn(UnitVec3(axis == 0, axis == 1, axis == 2), ZAxis);
        body.push_back(MobilizedBody::Pin(body[size_t(parent)], Transform(turn, Vec3(at[0], at[1], at[2])), link,
                                          Transform(turn, Vec3(0))));
        start.push_back(q);
    }
}

static Vec3 on_circle(double radius, int k, double half)
{
    double angle = 2 * Pi / 3 * ((k - 1) / 2) + (k % 2 ? half : -half);
    return Vec3(radius * std::cos(angle), radius * std::sin(angle), 0);
}

static void make_stewart(Bench &b, std::vector<double> &start)
{
    Vec3 place(0.03, -0.02, 0.65), low(0, 0, 0.22), up(0, 0, -0.25);
    b.gravity.setDefaultGravityVector(Vec3(0, 0, -9.81));
    MobilizedBody platform = MobilizedBody::Free(b.matter.updGround(), Transform(),
                                                 Body::Rigid(MassProperties(12, Vec3(0), Inertia(0.4, 0.45, 0.8))), Transform());
    start = {1, 0, 0, 0, place[0], place[1], place[2]};
    Rotation along(UnitVec3(0, 0, 1), XAxis); // a slider moves along x
    for (int k = 1; k <= 6; k++) {
        Vec3 from = on_circle(0.6, k, 0.35), to = on_circle(0.35, k, 0.75), way = place + to - from, d = way / way.norm();
        MobilizedBody lower = MobilizedBody::Universal(
            b.matter.updGround(), Transform(from),
            Body::Rigid(MassProperties(1.5, low, Inertia(0.02, 0.02, 0.001).shiftFromMassCenter(-low, 1.5))), Transform());
        MobilizedBody upper = MobilizedBody::Slider(
            lower, Transform(along, Vec3(0)),
            Body::Rigid(MassProperties(0.8, up, Inertia(0.012, 0.012, 0.0004).shiftFromMassCenter(-up, 0.8))),
            Transform(along, Vec3(0)));
        Force::MobilityLinearSpring(b.forces, upper, 0, 4000, 0.75);
        Constraint::Ball(upper, Vec3(0), platform, to);
        start.push_back(std::atan2(-d[1], d[2]));
        start.push_back(std::asin(d[0]));
        start.push_back(way.norm());
    }
}

int main(int argc, char **argv)
{
    const char *task = argc > 1 ? argv[1] : "chain";
    int n = argc > 2 ? std::atoi(argv[2]) : 2;
    Bench b;
    std::vector<double> start;
    if (!std::strcmp(task, "chain"))
        make_chain(b, n, start);
    else if (!std::strcmp(task, "arm"))
        make_arm(b, n, start);
    else if (!std::strcmp(task, "tree"))
        make_tree(b, argv[2], start);
    else if (!std::strcmp(task, "stewart"))
        make_stewart(b, start);
    else if (!std::strcmp(task, "fourbar"))
        make_fourbar(b, n, start);
    else
        make_slider(b, start);
    State state = b.system.realizeTopology();
    b.system.realizeModel(state);
    for (size_t i = 0; i < start.size(); i++)
        state.updQ()[int(i)] = start[i];
    if (!std::strcmp(task, "fourbar"))
        for (int i = 0; i <= n; i++)
            state.updU()[i] = -1; // the arms fall to the right, the bars stay level
    if (!std::strcmp(task, "fourbar"))
        for (int i = n + 1; i < int(start.size()); i++)
            state.updU()[i] = 1;
    RungeKuttaMersonIntegrator integrator(b.system);
    integrator.setAccuracy(argc > 3 ? std::atof(argv[3]) : 1e-6);
    TimeStepper stepper(b.system, integrator);
    stepper.initialize(state);
    state = integrator.getState();
    b.system.realize(state, Stage::Acceleration);
    double before = b.system.calcEnergy(state), begin = cpu();
    long calls = 0;
    while (cpu() - begin < 0.3) {
        for (int i = 0; i < 20; i++, calls++) {
            state.updU()[0] = state.getU()[0];
            state.invalidateAllCacheAtOrAbove(Stage::Position);
            b.system.realize(state, Stage::Acceleration);
        }
    }
    double call = (cpu() - begin) / double(calls);
    begin = cpu();
    try {
        if (argc < 4)
            throw std::runtime_error("no motion wanted");
        stepper.stepTo(10);
    } catch (const std::exception &) { // a singular position: the motion ends there
        std::printf("%.4g - -\n", call);
        return 0;
    }
    double run = cpu() - begin;
    b.system.realize(integrator.getState(), Stage::Acceleration);
    double after = b.system.calcEnergy(integrator.getState());
    std::printf("%.4g %.4g %.3g\n", call, run, after - before);
    return 0;
}
