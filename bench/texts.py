"""The same systems as texts for Cotree and for its peers."""


def ladder_lg(n, tol=1e-5):
    """n sections of 1 kohm and 1 nF behind 1 V with a rise of 1 us, for 1 ms."""
    return f"""model ladder
V1 : vsource(n0, ground)  v = min(t/1e-6, 1)
repeat i = 1..{n} {{
  R{{i}} : resistor(n{{i-1}}, n{{i}})  R = 1 kohm
  C{{i}} : capacitor(n{{i}}, ground)  C = 1 nF
}}
output n50.v as y
simulate stop = 1 ms, tol = {tol}
"""


def flat_ladder_lg(n):
    """The same without `repeat`: two lines for each section."""
    lines = ['model ladder', 'V1 : vsource(n0, ground)  v = min(t/1e-6, 1)']
    lines += [f'R{i} : resistor(n{i-1}, n{i})  R = 1 kohm\nC{i} : capacitor(n{i}, ground)  C = 1 nF' for i in range(1, n + 1)]
    return '\n'.join(lines + ['output n50.v as y', 'simulate stop = 1 ms, tol = 1e-5', ''])


def ladder_cir(n, options, step):
    lines = ['* ladder', 'V1 n0 0 PWL(0 0 1u 1)']
    lines += [f'R{i} n{i-1} n{i} 1k\nC{i} n{i} 0 1n' for i in range(1, n + 1)]
    return '\n'.join(lines + ['.options abstol=1e-14 vntol=1e-9 ' + options, f'.tran {step} 1m 0 {step}', '.control',
                              'set noaskquit', 'save v(n50)', 'run', 'meas tran y FIND v(n50) AT=1m', 'print y', 'quit',
                              '.endc', '.end', ''])


LADDER_EXACT = 0.2634355674  # n50 at 1 ms, from the matrix exponential; the same to 1e-10 for 300 sections and more


def grid_lg(n):
    """n x n nodes, 1 ohm between neighbours; 1 V at one corner, 1 ohm to ground at the other."""
    return f"""model grid
const N = {n - 1}
V1 : vsource(n0_0, ground)  v = 1 V
repeat i = 0..N {{
  repeat j = 1..N {{
    A{{i}}_{{j}} : resistor(n{{i}}_{{j-1}}, n{{i}}_{{j}})  R = 1 ohm
    B{{i}}_{{j}} : resistor(n{{j-1}}_{{i}}, n{{j}}_{{i}})  R = 1 ohm
  }}
}}
Rg : resistor(n{{N}}_{{N}}, ground)  R = 1 ohm
output n{{N}}_{{N}}.v as y
"""


def grid_cir(n):
    lines = ['* grid', 'V1 n0_0 0 1']
    for i in range(n):
        lines += [f'RA{i}_{j} n{i}_{j-1} n{i}_{j} 1\nRB{i}_{j} n{j-1}_{i} n{j}_{i} 1' for j in range(1, n)]
    m = n - 1
    return '\n'.join(lines + [f'RG n{m}_{m} 0 1', '.control', 'set noaskquit', 'op', f'let y = v(n{m}_{m})', 'print y',
                              'quit', '.endc', '.end', ''])


# ---- nonlinear networks: (netlist without its end, node that is looked at, step and stop)

def diode_ladder_cir(n):
    lines = ['* diode ladder', 'V1 n0 0 SIN(0 5 1k)', '.model DX D(IS=1e-14 RS=1)']
    return lines + [f'R{i} n{i-1} n{i} 100\nD{i} n{i} 0 DX\nC{i} n{i} 0 1n' for i in range(1, n + 1)], 'n5', 1e-5, 2e-3


def amplifier_row_cir(n):
    lines = ['* amplifiers in a row', 'VCC vcc 0 12', 'V1 n0 0 SIN(0 0.5 1k)',
             '.model QX NPN(BF=200 IS=1e-14 VAF=80 CJE=5p CJC=3p)']
    return lines + [f'CI{i} n{i-1} b{i} 1u\nRA{i} vcc b{i} 47k\nRB{i} b{i} 0 10k\nRC{i} vcc n{i} 4.7k\n'
                    f'RE{i} e{i} 0 4.7k\nQ{i} n{i} b{i} e{i} QX' for i in range(1, n + 1)], 'n5', 2e-5, 2e-3


def inverter_row_cir(n):
    lines = ['* inverters in a row', 'VDD vdd 0 3.3', 'V1 n0 0 PULSE(0 3.3 1n 0.1n 0.1n 5n 10n)',
             '.model NM NMOS(VTO=0.7 KP=100u LAMBDA=0.02)', '.model PM PMOS(VTO=-0.7 KP=40u LAMBDA=0.02)']
    return lines + [f'MP{i} n{i} n{i-1} vdd vdd PM W=2u L=1u\nMN{i} n{i} n{i-1} 0 0 NM W=1u L=1u\nC{i} n{i} 0 5f'
                    for i in range(1, n + 1)], 'n3', 1e-10, 3e-8


def inverter_ring_cir(n):
    n |= 1  # an odd one oscillates; the first is held down for 1 ns
    lines = ['* ring of inverters', 'VDD vdd 0 3.3', 'I1 n1 0 PULSE(1m 0 1n 0.1n 0.1n 1 2)', '.model NM NMOS(VTO=0.7 KP=100u LAMBDA=0.02)',
             '.model PM PMOS(VTO=-0.7 KP=40u LAMBDA=0.02)']
    return lines + [f'MP{i} n{i} n{i-1 or n} vdd vdd PM W=2u L=1u\nMN{i} n{i} n{i-1 or n} 0 0 NM W=1u L=1u\nC{i} n{i} 0 5f'
                    for i in range(1, n + 1)], 'n3', 1e-10, 1e-8


def diode_grid_cir(n):
    """n x n nodes, 1 kohm between neighbours, a diode and 1 nF from each to ground; a sine at one corner."""
    lines = ['* grid of diodes', 'V1 in 0 SIN(0 5 1k)', 'RI in n0_0 10', '.model DX D(IS=1e-14 RS=1)']
    for i in range(n):
        for j in range(n):
            lines.append(f'D{i}_{j} n{i}_{j} 0 DX\nC{i}_{j} n{i}_{j} 0 1n')
            lines += [f'RA{i}_{j} n{i}_{j-1} n{i}_{j} 1k'] if j else []
            lines += [f'RB{i}_{j} n{i-1}_{j} n{i}_{j} 1k'] if i else []
    return lines, 'n1_1', 1e-5, 2e-3


# ---- mechanisms; the same as in peers/simbody.cpp

HEAD = 'model bench\nspace = planar\nconst N = {n}\ngravity = [0, -9.81]\n'
TAIL = 'output kinetic() + potential() as E\nsimulate stop = 10 s, tol = 1e-6\n'


def chain(n):
    """n rods of length 1 and mass 1 hang by pins from the ground."""
    return HEAD.format(n=n) + """repeat i = 0..N-1 { b{i} : body  m = 1, I = 1/12  { A = [0, 0.5], B = [0, -0.5] } }
h0 : revolute(ground, b0.A)
repeat i = 1..N-1 { h{i} : revolute(b{i-1}.B, b{i}.A) }
initial h0.beta = 1
repeat i = 1..N-1 { initial h{i}.beta = 0.1 }
""" + TAIL


def arm(n, symbols=False):
    """Rods in space, each joint at a right angle to the one before; data as numbers or as params."""
    m, I, c, l = ('m', '[Ix, Ix, Iz]', 'c', 'l') if symbols else ('1 kg', '[0.1, 0.1, 0.02] kg.m^2', '0.5 m', '1 m')
    text = 'space = spatial\ngravity = [0, 0, -9.81] m/s^2\n'
    if symbols:
        text += 'param m = 1 kg, Ix = 0.1 kg.m^2, Iz = 0.02 kg.m^2, l = 1 m, c = 0.5 m\n'
    for i in range(1, n + 1):
        text += f'b{i} : body  m = {m}, I = {I}, com = [0, 0, {c}]  {{ e = frame([0, 0, {l}], rotate(x, 90 deg)) }}\n'
        text += f"J{i} : revolute({'ground' if i == 1 else f'b{i - 1}.e'}, b{i})  beta(0) = {1.0 if i == 1 else 0.1}\n"
    return text + TAIL


def fourbar(n):
    """n four-bars in a row: arms b0 to bN, bars bN+1 to b2N; singular whenever the arms lie level."""
    return HEAD.format(n=n) + """repeat i = 0..2*N { b{i} : body  m = 1, I = 1/12  { A = [-0.5, 0], B = [0.5, 0] } }
repeat i = 0..N {
  ground { G{i} = [i, 0] }
  h{i} : revolute(ground.G{i}, b{i}.A)
}
repeat i = 1..N {
  p{i} : revolute(b{i-1}.B, b{N+i}.A)
  q{i} : revolute(b{N+i}.B, b{i}.B)
}
initial h0.beta = 90 deg, b0.B.v[1] = 1
repeat i = 1..N { guess b{i}.theta = 90 deg, b{N+i}.theta = 0 }
""" + TAIL


def slider(n):
    """A slider-crank that falls from 30 degrees."""
    return HEAD.format(n=n) + """b0 : body  m = 0.8, I = 4e-4  { A = [-0.025, 0], B = [0.025, 0] }
b1 : body  m = 1.2, I = 4e-3  { A = [-0.1, 0], B = [0.1, 0] }
b2 : body  m = 0.5, I = 1e-3
h0 : revolute(ground, b0.A)
h1 : revolute(b0.B, b1.A)
h2 : revolute(b1.B, b2)
s : prismatic(ground, b2)  axis = [1, 0]
initial h0.beta = 30 deg
guess b1.theta = 0, s.s = 0.2
""" + TAIL


# ---- networks with symbols: (kind, name, node, node), node -1 is the ground

def cascade(n):
    """n sections of series R and shunt C behind a source."""
    edges = [('V', 'V0', 0, -1)]
    for i in range(1, n + 1):
        edges += [('R', f'R{i}', i - 1, i), ('C', f'C{i}', i, -1)]
    return edges


def mesh(n):
    """Two capacitors, and resistors between all pairs of their nodes and n inner nodes."""
    edges = [('C', 'Ca', 0, -1), ('C', 'Cb', 1, -1)]
    return edges + [('R', f'R{a}_{b}', a, b) for a in range(n + 2) for b in range(max(a + 1, 2), n + 2)]


ELEMENTS = {'V': 'vsource({}, {})  v = u', 'R': 'resistor({}, {})  R = ', 'C': 'capacitor({}, {})  C = '}


def symbolic_lg(edges):
    lines = ['model bench', 'input u : V' if edges[0][0] == 'V' else '']
    lines += ['param ' + name for kind, name, _, _ in edges if kind != 'V']
    for kind, name, a, b in edges:
        ends = ('ground' if x < 0 else f'n{x}' for x in (a, b))
        lines.append(f'{name} : ' + ELEMENTS[kind].format(*ends) + ('' if kind == 'V' else name))
    last = [name for kind, name, _, _ in edges if kind == 'C'][-1]
    return '\n'.join(lines + [f'output {last}.v as y', ''])


def line_lg(n):
    return (f'model line\nV1 : vsource(e, ground)  v = sin(t)^2\nR1 : resistor(e, a)  R = 1\n'
            f'L1 : line(a, b)  length = 1, r = 0.2, l = 1, c = 1, method = cells, cells = {n}\n'
            'R2 : resistor(b, ground)  R = 3\noutput R2.v\nsimulate stop = 4\n')


def wall_lg(n):
    return (f'model wall\nT1 : temperature_source(a, ground)  T = 1\nC1 : thermal_capacitor(b, ground)  C = 1\n'
            f'W1 : wall(a, b)  length = 1, k = 1, rho = 1, cp = 1, method = cells, cells = {n}\n'
            'output C1.T\nsimulate stop = 4\n')


def beam_lg(n):
    return (f'model beam\nB1 : beam(ground, b)  E = 2e11, rho = 7800, A = 1e-4, Iz = 1e-9, length = 1, modes = {n}, '
            'zeta = 0.01, ends = clamped_free, load = 3\nm1 : mass(b)  m = 0.1\noutput m1.x\nsimulate stop = 2 ms\n')


def links_lg(n):
    return (f'model links\nB1 : beam(ground, b | ground, rb)  E = 2e11, rho = 7800, A = 1e-4, Iz = 1e-9, length = 1, '
            f'slopes = ports, damping = 1e-5, method = cells, cells = {n}\nF1 : force(ground, b)  F = sin(50*t)\n'
            'output b.x\nsimulate stop = 20 ms\n')


def driven_arm(n):
    """The arm with its motion given: what its joints take is integrated, so that a call is inverse dynamics."""
    text = arm(n)[:-len(TAIL)]
    for i in range(1, n + 1):
        start = f"b{i})  beta(0) = {1.0 if i == 1 else 0.1}"
        text = text.replace(start, f"b{i})  beta = 0.{i}1 + 0.2{i}/1 s*t + 0.3{i}/1 s^2*t^2")
        text += f'I{i} : integrator(J{i}.drive/1 N.m)\n'
    return text + 'output I1.y\nsimulate stop = 1 s\n'


def humanoid_joints():
    """30 joints of a humanoid on a fixed trunk: (parent, axis, place in it, mass, mass centre, inertia, start)."""
    rows = []

    def limb(at, axes, length, mass, start):
        parent = 0
        for k, axis in enumerate(axes):
            place = at if k == 0 else (0.02 * (k % 2), 0.01, -length)
            m = mass / (k + 1)
            rows.append((parent, axis, place, m, (0.01, 0.005, -length / 2),
                         (0.02 * m, 0.02 * m, 0.006 * m), start if k % 2 else -start / 2))
            parent = len(rows)
    for side in (-1, 1):
        limb((0, 0.1 * side, 0), 'zxyyyx', 0.2, 4, 0.4 * side)
        limb((0, 0.2 * side, 0.5), 'yxzyzyx', 0.15, 2, 0.5 * side)
    limb((0, 0, 0.6), 'zy', 0.1, 3, 0.3)
    limb((0.1, 0, 0.3), 'zy', 0.1, 3, 0.2)
    return rows


def humanoid(n=30):
    """The same as a text."""
    rows = humanoid_joints()
    text = 'space = spatial\ngravity = [0, 0, -9.81] m/s^2\n'
    frames = {}
    for i, row in enumerate(rows, 1):
        frames.setdefault(row[0], []).append(f'c{i} = [%r, %r, %r] m' % row[2])
    text += 'ground { %s }\n' % ', '.join(frames[0])
    for i, (parent, axis, _, m, com, inertia, start) in enumerate(rows, 1):
        text += f'b{i} : body  m = {m!r} kg, com = [%r, %r, %r] m, I = [%r, %r, %r] kg.m^2' % (*com, *inertia)
        text += '  { %s }\n' % ', '.join(frames[i]) if i in frames else '\n'
        text += f"J{i} : revolute({'ground' if not parent else f'b{parent}'}.c{i}, b{i})  axis = {axis}, beta(0) = {start!r}\n"
    return text + TAIL


def humanoid_numbers():
    """For Simbody: a line for each joint."""
    return ''.join('%d %d %r %r %r %r %r %r %r %r %r %r %r\n' % (p, 'xyz'.index(axis), *at, m, *com, *inertia, start)
                   for p, axis, at, m, com, inertia, start in humanoid_joints())


def humanoid_mjcf():
    """For MuJoCo."""
    rows, axes = humanoid_joints(), {'x': '1 0 0', 'y': '0 1 0', 'z': '0 0 1'}

    def body(i):
        _, axis, at, m, com, inertia, start = rows[i - 1]
        inner = ''.join(body(k) for k, row in enumerate(rows, 1) if row[0] == i)
        return '<body pos="%r %r %r"><joint axis="%s"/><inertial mass="%r" pos="%r %r %r" diaginertia="%r %r %r"/>%s</body>' % (
            *at, axes[axis], m, *com, *inertia, inner)
    return '<mujoco><option gravity="0 0 -9.81"/><worldbody>%s</worldbody></mujoco>' % ''.join(
        body(k) for k, row in enumerate(rows, 1) if row[0] == 0), [row[6] for row in rows]


def arm_mjcf(n):
    text = ''
    for i in range(n, 0, -1):
        turn = '' if i == 1 else ' pos="0 0 1" axisangle="1 0 0 90"'
        text = f'<body{turn}><joint axis="0 0 1"/><inertial mass="1" pos="0 0 0.5" diaginertia="0.1 0.1 0.02"/>{text}</body>'
    return f'<mujoco><option gravity="0 0 -9.81"/><worldbody>{text}</worldbody></mujoco>', [1.0] + [0.1] * (n - 1)


def stewart(n=6):
    """A platform on six legs with springs, as in peers/simbody.cpp."""
    return """space = spatial
param rb = 0.6 m, rp = 0.35 m, k = 4000 N/m, L0 = 0.75 m
gravity = [0, 0, -9.81] m/s^2
function angle(k, half) = 120 deg*floor((k - 1)/2) + (if mod(k, 2) == 1 then 1 else -1)*half
ground { repeat i = 1..6 { B{i} = [rb*cos(angle(i, 0.35)), rb*sin(angle(i, 0.35)), 0] } }
platform : body  m = 12 kg, I = [0.4, 0.45, 0.8] kg.m^2
           { repeat i = 1..6 { P{i} = [rp*cos(angle(i, 0.75)), rp*sin(angle(i, 0.75)), 0] } }
repeat i = 1..6 {
  low{i} : body  m = 1.5 kg, I = [0.02, 0.02, 0.001] kg.m^2, com = [0, 0, 0.22] m
  up{i}  : body  m = 0.8 kg, I = [0.012, 0.012, 0.0004] kg.m^2, com = [0, 0, -0.25] m
  U{i} : universal(ground.B{i}, low{i})  axis1 = x, axis2 = y
  P{i} : prismatic(low{i}, up{i})        axis = z
  S{i} : spherical(up{i}, platform.P{i})
  spring{i} : spring(P{i})  k = k, l0 = L0
  guess P{i}.s = L0
}
initial platform.r = [0.03, -0.02, 0.65] m, platform.R = rotate(z, 0), platform.v = [0, 0, 0] m/s, platform.omega = [0, 0, 0] rad/s
output kinetic() + potential() + k/2*((P1.s - L0)^2 + (P2.s - L0)^2 + (P3.s - L0)^2 + (P4.s - L0)^2 + (P5.s - L0)^2 + (P6.s - L0)^2) as E
simulate stop = 10 s, tol = 1e-6
"""
