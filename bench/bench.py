"""All measurements as one table: bench.py BINARY FOLDER [--short [--strict] | --long] [GROUP...]

FOLDER holds the helpers that run.sh builds; the table goes to build/bench.txt and build/bench.csv. Figures are
processor times of the same run, the best of some. Growth: exponents of size, ours and the peer's, from the row above.
"""
import os
import sys

import machines
import mechanisms
import networks
import short
import symbolic
from table import Table, Tools

HERE = os.path.dirname(os.path.realpath(__file__))


def main():
    names = [a for a in sys.argv[3:] if not a.startswith('--')]
    tools = Tools(sys.argv[1], sys.argv[2])
    if '--short' in sys.argv:
        sys.exit(short.check(tools, HERE, 1 if '--strict' in sys.argv else 0.1))
    parts = {'networks': lambda: networks.rows(tools, HERE, '--long' in sys.argv),
             'mechanisms': lambda: mechanisms.rows(tools, os.path.join(HERE, '..', 'models')),
             'machines': lambda: machines.rows(tools, os.path.join(HERE, '..', 'models')),
             'symbolic': lambda: symbolic.rows(tools)}
    table = Table(os.path.join(HERE, '..', 'build', 'bench'))
    for name, rows in parts.items():
        if not names or name in names:
            for row in rows():
                table.add(row)
    table.close()
    aims = [r for r in table.rows if r.has_aim()]
    print(f'\n{sum(r.met() for r in aims)} of {len(aims)} aims met; kept in build/bench.txt and build/bench.csv')


if __name__ == '__main__':
    main()
