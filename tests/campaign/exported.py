"""Random events in exported C: its own main against a run of the same model, in every row.

The models are those of events.py. Rows near an event are left out where the order of two events is a matter of rounding.
"""
import os
import subprocess
import tempfile

from campaign import Campaign
from events import Plan

ROWS = 40
STEPS = 40  # of a row: those of the classical Runge-Kutta method have one size, and small errors grow from event to event


def rows_of_c(program, text, folder, name="model", arguments=(), options=()):
    """What the exported program prints, or why it does not."""
    answer = program.call(text, "export", "--to", "c", "-o", os.path.join(folder, "model.c"), *options)
    if answer.code:
        return None, answer.why()
    made = subprocess.run(["cc", "-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-D%s_MAIN" % name, "model.c", "-lm", "-o", "model"],
                          cwd=folder, capture_output=True, text=True)
    if made.returncode:
        return None, made.stderr
    said = subprocess.run(["./model", *arguments], cwd=folder, capture_output=True, text=True, timeout=600)
    lines = said.stdout.splitlines()
    return [dict(zip(lines[0].split(","), map(float, line.split(",")))) for line in lines[1:]], said.stderr


def main():
    campaign = Campaign("exported", 6)
    for case in campaign:
        plan = Plan(case.dice)
        text = plan.text() + "simulate points = %d\n" % ROWS
        times = [plan.stop * i / ROWS for i in range(1, ROWS + 1)]
        exact, other = plan.run(times), plan.run(times, 1e-9)
        if exact is None or other is None:
            continue
        with tempfile.TemporaryDirectory() as folder:
            rows, why = rows_of_c(case.program, text, folder, arguments=(repr(plan.stop), str(ROWS), str(STEPS)))
        if not case.check(rows and len(rows) == ROWS + 1, "exported: " + why, text):
            continue
        for row, right, near in zip(rows[1:], exact, other):
            if max(abs(a - b) for a, b in zip(right, near)) > 1e-7:
                break  # small errors grow from event to event
            good = all(case.equal(row[name], float(value), 1e-5 * (1 + abs(value)), "%s(%r)" % (name, row["time"]), text)
                       for name, value in zip(("x", "d", "n", "k", "s"), right))
            if not good:
                break
    campaign.close()


if __name__ == "__main__":
    main()
