"""A chain of N rods in the plane by SymPy's KanesMethod: kane.py N. Prints CPU seconds of the derivation alone."""
import sys
import time

from sympy import symbols
from sympy.physics.mechanics import KanesMethod, Point, ReferenceFrame, RigidBody, dynamicsymbols, inertia

n = int(sys.argv[1])
start = time.process_time()
q, u = dynamicsymbols(f"q:{n}"), dynamicsymbols(f"u:{n}")
m, g, length = symbols("m g L")
world = ReferenceFrame("N")
end = Point("O")
end.set_vel(world, 0)
bodies, loads = [], []
for i in range(n):
    frame = world.orientnew(f"A{i}", "Axis", (sum(q[: i + 1]), world.z))
    frame.set_ang_vel(world, sum(u[: i + 1]) * world.z)
    centre = end.locatenew(f"C{i}", -length / 2 * frame.y)
    centre.v2pt_theory(end, world, frame)
    tip = end.locatenew(f"P{i}", -length * frame.y)
    tip.v2pt_theory(end, world, frame)
    bodies.append(RigidBody(f"B{i}", centre, frame, m, (inertia(frame, 0, 0, m * length**2 / 12), centre)))
    loads.append((centre, -m * g * world.y))
    end = tip
kane = KanesMethod(world, q, u, [qi.diff() - ui for qi, ui in zip(q, u)])
kane.kanes_equations(bodies, loads)
print(f"{time.process_time() - start:.3f}")
