"""Mechanisms against Simbody, MuJoCo, exported C, and a squeezer written by hand."""
import os

import texts
from table import NONE, Figure, Row

GROUP = 'mechanisms'
TOLERANCES = ['1e-5', '1e-6', '1e-7', '1e-8', '1e-9', '1e-10']
ANGLES = [15.810771195151869, -15.756371058409542, 0.04082224011962804, -0.5347301163421102, 0.524409965879953,
          0.5347301163421105, 1.048080741041937]  # of the squeezer at 0.03 s
ROD = [-0.33117349882562613, 0.00018931924676347044, 2.3757514877040186e-05, -5.3238968147341536e-06,
       -8.3633133411692694e-06]  # angle and coordinates of the elastic slider-crank at 0.1 s, to 1e-11


def simbody(tools, task, n, accuracy='', limit=60):
    """(seconds of a call, Figure of the motion): the second only with an accuracy."""
    if not os.path.exists(tools.built('simbody')):
        return None, NONE
    code, _, _, out = tools.run([tools.built('simbody'), task, str(n), *([accuracy] if accuracy else [])], limit)
    if code == 124:
        return None, Figure(limit, more=True)
    if code:
        return None, NONE
    call, motion, energy = out.split()
    return float(call), (NONE if motion == '-' else Figure(float(motion), abs(float(energy))))


def energy_change(table):
    return abs(table[-1][1] - table[0][1])


def calls(tools):
    for n in (2, 7, 20, 100, 500):
        run = tools.simulate(texts.chain(n), '--stop', '1us', '--times', '0,1e-6', times=3)
        ours = Figure(1e6 * run[0]['call_seconds']) if run else NONE
        call, _ = simbody(tools, 'chain', n)
        note = f"{run[0]['tape_ops'] / n:.0f} operations and {1e3 * ours.value / n:.0f} ns per freedom" if run else ''
        yield Row(GROUP, 'chain, forward dynamics', n, 'us', ours, 'Simbody', Figure(call and 1e6 * call),
                  100 if n == 7 else None, 0.045 * n, note=note)


def arms(tools):
    for n in (7, 30):
        run = tools.simulate(texts.arm(n), '--stop', '1us', '--times', '0,1e-6', times=3)
        ours = Figure(1e6 * run[0]['call_seconds']) if run else NONE
        call, _ = simbody(tools, 'arm', n)
        note = f"{run[0]['tape_ops'] / n:.0f} operations per joint" if run else ''
        yield Row(GROUP, 'chain in space, forward dynamics', n, 'us', ours, 'Simbody', Figure(call and 1e6 * call),
                  35 if n == 7 else None, 0.4 if n == 7 else None, note=note)


def mujoco(tools, model, goal=None):
    """(seconds of a call, Figure of the motion): with the largest step whose energy error is below the goal."""
    if not os.path.exists(tools.built('mujoco')):
        return None, NONE
    text, angles = model
    path, found = tools.write('model.xml', text), NONE
    for step in ('0.005', '0.002', '0.001', '0.0005', '0.0002') if goal else ('0',):
        code, _, _, out = tools.run([tools.built('mujoco'), path, step, *map(repr, angles)])
        if code:
            return None, NONE
        call, motion, energy = out.split()
        found = NONE if motion == '-' else Figure(float(motion), abs(float(energy)))
        if goal and found.error <= goal:
            break
    return float(call), found


def exported(tools, text):
    """Microseconds of a call of the exported right-hand side, by gcc -O2."""
    path, program = tools.path('exported.c'), tools.path('exported')
    source = os.path.join(os.path.dirname(os.path.realpath(__file__)), 'peers', 'exported.c')
    made = tools.run([tools.binary, 'export', tools.write('model.lg', text), '-o', path])[0] or tools.run(
        ['gcc', '-std=c99', '-D_POSIX_C_SOURCE=200809L', '-O2', '-ffp-contract=off', f'-DEXPORTED="{path}"', source,
         '-lm', '-o', program])[0]
    return NONE if made else Figure(1e6 * float(tools.best([program])[3].split()[0]))


def beside(tools):
    """Peers that are no Simbody: exported C, MuJoCo; what is not installed has no figure."""
    run = tools.simulate(texts.arm(7), '--stop', '1us', '--times', '0,1e-6', times=3)
    ours = Figure(1e6 * run[0]['call_seconds']) if run else NONE
    yield Row(GROUP, 'the same as exported C', 7, 'us', ours, 'gcc -O2', exported(tools, texts.arm(7)), 1 / 1.2, 0.4)
    for name, text, model in (('chain in space by MuJoCo', texts.arm(7), texts.arm_mjcf(7)),
                              ('humanoid, forward dynamics', texts.humanoid(), texts.humanoid_mjcf())):
        run = tools.simulate(text, '--stop', '1us', '--times', '0,1e-6', times=3)
        call, _ = mujoco(tools, model)
        yield Row(GROUP, name, len(model[1]), 'us', Figure(1e6 * run[0]['call_seconds']) if run else NONE, 'MuJoCo',
                  Figure(call and 1e6 * call), note='' if call else 'MuJoCo is not installed')
    run = tools.simulate(texts.driven_arm(7), '--times', '0,1', times=3)
    yield Row(GROUP, 'chain in space, inverse', 7, 'us', Figure(1e6 * run[0]['call_seconds']) if run else NONE, most=0.2,
              note=f"{run[0]['tape_ops'] / 7:.0f} operations per joint" if run else '')


def structures(tools):
    """A humanoid from its URDF to the first row; 10 s of a humanoid and of a Stewart platform."""
    robot = os.path.join(os.path.dirname(os.path.realpath(__file__)), '..', 'tests', 'robots', 'humanoid.urdf')
    code, seconds, _, _ = tools.best([tools.binary, 'run', robot, '--stop', '1us', '--times', '0', '-o', tools.path('rows.csv')], times=5)
    yield Row(GROUP, 'humanoid, URDF to first row', 30, 's', NONE if code else Figure(seconds), most=0.1)
    path = tools.write('humanoid.txt', texts.humanoid_numbers())
    yield motion(tools, 'tree', 'humanoid, 10 s', 30, argument=path, text=texts.humanoid())
    run = tools.simulate(texts.humanoid(), '--times', '0,10', '--tol', '1e-6', times=3)
    ours = Figure(run[0]['motion_seconds'], energy_change(run[1])) if run else NONE
    call, other = mujoco(tools, texts.humanoid_mjcf(), goal=max(ours.error or 0, 1e-5))
    yield Row(GROUP, 'humanoid, 10 s, by MuJoCo', 30, 's', ours, 'MuJoCo', other, error_unit='J',
              note='' if call else 'MuJoCo is not installed')
    yield motion(tools, 'stewart', 'Stewart platform, 10 s', 6, text=texts.stewart())


def motion(tools, task, name, n, aim=None, argument=None, text=None):
    """Ours at the loosest tolerance that keeps energy as well as Simbody does at 1e-6."""
    _, other = simbody(tools, task, argument or n, '1e-6')
    text = text or getattr(texts, task)(n)
    ours, tol = NONE, '-'
    for tol in ('1e-6', '3e-7', '1e-7', '3e-8'):
        run = tools.simulate(text, '--times', '0,10', '--tol', tol, times=3)
        if not run:
            break
        ours = Figure(run[0]['motion_seconds'], energy_change(run[1]))
        if other.error is None or ours.error <= max(other.error, 1e-5):
            break
    note = f"tol {tol}, {run[0]['rhs_evals']} calls" if run else ''
    return Row(GROUP, name, n, 's', ours, 'Simbody', other, aim, error_unit='J', note=note)


def fourbars(tools):
    """Ours at the loosest tolerance with an energy error below 1e-3 J."""
    for n in (1, 10, 40, 100, 300, 1000):
        other, ours, tol, run = NONE, NONE, '-', None
        if n <= 40:
            _, other = simbody(tools, 'fourbar', n, '1e-6', limit=10)
        for tol in TOLERANCES[1:5]:
            run = tools.simulate(texts.fourbar(n), '--times', '0,10', '--tol', tol, limit=30)
            if run:
                ours = Figure(run[0]['motion_seconds'], energy_change(run[1]))
            if not run or ours.error <= 1e-3:
                break
        note = f"tol {tol}, {run[0]['rhs_evals']} calls, {run[0]['process_seconds'] - run[0]['motion_seconds']:.2f} s " \
               f"and {run[0]['megabytes']:.0f} MB to begin" if run else ''
        yield Row(GROUP, 'four-bars in a row, 10 s', n, 's', ours, 'Simbody' if n <= 40 else '', other,
                  good=1e-3, error_unit='J', note=note + ('; Simbody stops' if n <= 40 and other.value is None else ''))


def squeezer(tools, models, goal=1e-5):
    with open(f'{models}/andrews/model.lg') as file:
        text = file.read()
    ours, other, call, hand_call, tol, hand_tol, run = NONE, NONE, NONE, NONE, '-', '-', None
    for hand_tol in ['1e-5', '1e-6', '3e-7', '1e-7', '3e-8', '1e-8', '1e-9']:
        found = [float(x) for x in tools.run([tools.built('squeezer'), hand_tol])[3].split()]
        hand_call, other = Figure(1e6 * found[1]), Figure(found[0], max(abs(a - b) for a, b in zip(found[3:], ANGLES)))
        if other.error <= goal:
            break
    for tol in TOLERANCES:
        run = tools.simulate(text, '--tol', tol, '--times', '0.03', times=5)
        if not run:
            break
        ours = Figure(run[0]['motion_seconds'], max(abs(a - b) for a, b in zip(run[1][-1][1:], ANGLES)))
        call = Figure(1e6 * run[0]['call_seconds'])
        if ours.error <= goal:
            break
    note = f"tol {tol}, {run[0]['rhs_evals']} calls; by hand tol {hand_tol}, {found[2]:.0f} calls" if run else ''
    yield Row(GROUP, 'squeezer, 0.03 s', None, 's', ours, 'C, CVODES', other, 1, error_unit='rad', note=note)
    yield Row(GROUP, 'squeezer, right-hand side', None, 'us', call, 'C, 13x13 LU', hand_call, 1, 0.4,
              note=f"{run[0]['tape_ops']} operations" if run else '')


def crank_error(found):
    """Of the rod's angle and of its four coordinates, in parts of their largest."""
    return max(abs(a - b) / s for a, b, s in zip(found, ROD, (1, 2e-4, 2e-4, 2e-4, 2e-4)))


def elastic_crank(tools, models, goal=1e-5):
    """Both at their loosest tolerance within the goal; by hand the better one of BDF and Adams."""
    with open(f'{models}/slider_crank_flexible/model.lg') as file:
        text = file.read()
    ours, other, call, hand_call, how, run, tol = NONE, NONE, NONE, NONE, '', None, '-'
    for way in ([], ['adams']):
        for hand_tol in ('1e-4', '1e-5', '1e-6', '1e-7', '1e-8', '1e-9'):
            found = [float(x) for x in tools.run([tools.built('crank'), hand_tol, *way])[3].split()]
            tried = Figure(found[0], crank_error([found[4], *found[6:]]))
            if tried.error <= goal and (other.value is None or tried.value < other.value):
                other, hand_call = tried, Figure(1e6 * found[1])
                how = f"by hand {'Adams' if way else 'BDF'} tol {hand_tol}, {found[2]:.0f} calls"
            if tried.error <= goal:
                break
    for tol in ['1e-2', '1e-3', '1e-4', *TOLERANCES]:
        run = tools.simulate(text, '--tol', tol, '--times', '0.1', times=5)  # the model asks for rk8
        if not run:
            break
        row = run[1][-1]
        ours = Figure(run[0]['motion_seconds'], crank_error([row[2], *row[4:8]]))
        call = Figure(1e6 * run[0]['call_seconds'])
        if ours.error <= goal:
            break
    note = f"rk8 tol {tol}, {run[0]['rhs_evals']} calls; {how}" if run else ''
    yield Row(GROUP, 'elastic slider-crank, 0.1 s', None, 's', ours, 'C, CVODES', other, 5, note=note)
    yield Row(GROUP, 'elastic slider-crank, rates', None, 'us', call, 'C, 10x10 LU', hand_call, 1,
              note=f"{run[0]['tape_ops']} operations" if run else '')


def rows(tools, models):
    yield from calls(tools)
    yield from arms(tools)
    yield from beside(tools)
    yield motion(tools, 'arm', 'chain in space, 10 s', 7)
    yield from structures(tools)
    for n in (2, 10, 100):
        yield motion(tools, 'chain', 'chain, 10 s', n, 25 if n > 2 else None)
    yield motion(tools, 'slider', 'slider-crank, 10 s', 1)
    yield from squeezer(tools, models)
    yield from elastic_crank(tools, models)
    yield from fourbars(tools)
