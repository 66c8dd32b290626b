"""The short mode: a few rows with small sizes, each against something that is always there, and its floor.

The hand-written squeezer (one evaluation in C, or its run) is the yardstick where no peer is at hand: a ratio says how
often the yardstick fits into our time, which a slower machine hardly changes. On one that does other things at the
same time ratios of short runs scatter by a factor of two or three; `make test` asks for a tenth of each floor only,
which what has grown by a whole order misses; `make bench` asks for the floors themselves."""
import os

import mechanisms
import networks
import symbolic


def read_floors(path):
    """Lines `ratio task`: task as in the table, its size behind it."""
    with open(path) as file:
        lines = [line.split(None, 1) for line in file if line.strip() and not line.startswith('#')]
    return {name.strip(): float(ratio) for ratio, name in lines}


def yardstick(tools):
    """Seconds of 1000 evaluations of the squeezer by hand."""
    return min(1000 * float(tools.run([tools.built('squeezer'), '0'])[3].split()[1]) for _ in range(3))


def rows(tools, here):
    """(name, ratio): larger is better."""
    unit = yardstick(tools)
    ladder, _ = networks.our_ladder(tools, 1000, '1e-5')
    yield 'RC ladder 1000', unit / ladder.value
    grid = tools.cotree('equilibrium', networks.texts.grid_lg(40), times=3)
    yield 'resistor grid 40', unit / grid[1]
    for n in (7, 100):
        run = tools.simulate(mechanisms.texts.chain(n), '--stop', '1us', '--times', '0,1e-6', times=3)
        yield f'chain, call {n}', unit / (1000 * run[0]['call_seconds'])
    run = tools.simulate(mechanisms.texts.chain(10), '--times', '0,10', '--tol', '1e-6', times=3)
    yield 'chain, 10 s 10', unit / run[0]['motion_seconds']
    run = tools.simulate(mechanisms.texts.fourbar(10), '--times', '0,10', '--tol', '1e-6', times=3)
    yield 'four-bars, 10 s 10', unit / run[0]['motion_seconds']
    for row in mechanisms.squeezer(tools, os.path.join(here, '..', 'models')):
        yield row.task, row.ratio()
    for n in (10, 100):
        yield f'derivation of a chain {n}', unit / symbolic.first_call(tools, n)[0]['process_seconds']
    for row in symbolic.compiling(tools):
        yield row.task, row.ratio()


def check(tools, here, share):
    """Prints ratio and floor of each row; 1 when this share of a floor is missed, also at a second look."""
    floors = read_floors(os.path.join(here, 'floors'))
    native = symbolic.first_call(tools, 2, times=1)[0]['native']
    missed = []
    for _ in range(2):
        missed = []
        for name, ratio in rows(tools, here):
            floor = share * floors[name] / (1 if native else 15)
            if ratio < floor:
                missed.append(name)
            print(f'{name:<32} {ratio:10.4g}  floor {floor:g}' + ('  MISSED' if ratio < floor else ''), flush=True)
        if not missed:
            break
    return 1 if missed else 0
