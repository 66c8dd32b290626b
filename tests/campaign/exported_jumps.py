"""Jumps of what is stored in exported C: its own main against the tableau in numpy, as in jumps.py. In all forms and random
trees, whose states may take impulses themselves, and beside diodes, which leave algebraic unknowns."""
import tempfile

from campaign import Campaign
from exported import rows_of_c
from jumps import Jumping, Solution, tight
from rest import FORMS

ROWS = 30
STEPS = 10  # of the program, for each row
DIODES = "V91 : vsource(n91, ground) v = 1\nD92 : diode(n91, n92)\nR93 : resistor(n92, n93) R = 2\nD94 : diode(n93, ground)\n"


def main():
    campaign = Campaign("exported_jumps", 40)
    for case in campaign:
        network = Jumping(case.dice).make().give()
        right = Solution(network) if network.after and network.store else None
        stop = 3 * network.when
        if not right or not right.good or right.fastest() * stop > 0.1 * ROWS * STEPS:
            continue  # fixed steps are too long for it
        t0, names = network.scale[1], {s[0] for s in network.store}
        text = network.with_starts(network.text(False)).replace("stop = 1 ms", "stop = %r" % (stop * t0))
        text += "simulate points = %d\n" % ROWS + (DIODES if case.dice.random() < 0.5 else "")
        options = ["--form", case.dice.choice(FORMS)] + (network.tree() if case.dice.random() < 0.7 else [])
        with tempfile.TemporaryDirectory() as folder:
            rows, why = rows_of_c(case.program, text, folder, "random", (), options)
        if not rows and network.rates_after and tight(network) and "E511" in why:
            continue  # as in jumps.py
        if not case.check(rows and len(rows) == ROWS + 1, "exported %s: %s" % (options, why), text):
            continue
        times = [stop * i / ROWS for i in range(ROWS + 1)]
        wanted = [network.wanted(right.at(t, t > network.when * (1 - 1e-9))) for t in times]
        for t, row, want in zip(times, rows, wanted):
            shown = [k for k in want if k in names or (t > 0 and abs(t / network.when - 1) > 1e-6)]
            size = max([abs(w[k]) for w in wanted for k in want] + [1e-3])
            wrong = [k for k in shown if abs(row[k] - want[k]) > 1e-5 * size]
            if not case.check(not wrong, "exported %s at %r: %s" % (options, t * t0, [
                    "%s = %r, right %r" % (k, row[k], want[k]) for k in wrong[:3]]), text):
                break
    campaign.close()


if __name__ == "__main__":
    main()
