"""Measuring, and one table of all rows: task, size, our figure, the peer's, their ratio, the aim, growth with size."""
import csv
import json
import math
import os
import subprocess
import tempfile

FIELDS = ['group', 'task', 'size', 'unit', 'cotree', 'cotree_error', 'peer', 'peer_figure', 'peer_error', 'error_unit',
          'ratio', 'aim', 'met', 'cotree_growth', 'peer_growth', 'note']


class Figure:
    """A measured number; more: the program was stopped there. None: it failed or there is none."""

    def __init__(self, value, error=None, more=False):
        self.value, self.error, self.more = value, error, more


NONE = Figure(None)


class Tools:
    """Runs programs; all figures are processor time of the child."""

    def __init__(self, binary, folder):
        self.binary, self.folder = os.path.realpath(binary), folder
        self.place = tempfile.TemporaryDirectory()

    def path(self, name):
        return os.path.join(self.place.name, name)

    def write(self, name, text):
        with open(self.path(name), 'w') as file:
            file.write(text)
        return self.path(name)

    def built(self, name):
        return os.path.join(self.folder, name)

    def run(self, command, limit=60, given=None):
        """(exit code, seconds, megabytes, what it printed); exit code 124: beyond the limit."""
        times = self.path('times')
        answer = subprocess.run([self.built('measure'), str(limit), times, *command], input=given, text=True,
                                capture_output=True, check=False)
        with open(times) as file:
            code, seconds, megabytes = file.read().split()
        return int(code), float(seconds), float(megabytes), answer.stdout

    def best(self, command, limit=60, times=3):
        """The fastest of some runs; fewer when a run is long."""
        best = self.run(command, limit)
        for k in range(times - 1):
            if best[0] == 0 and best[1] * (1 + k // 2) < limit / 20:
                best = min(best, self.run(command, limit), key=lambda r: (r[0], r[1]))
        return best

    def cotree(self, verb, text, *options, limit=60, times=1):
        """The verb with a model text: (exit code, seconds, megabytes, what it printed)."""
        model = self.write('model.lg', text)
        return self.best([self.binary, verb, model, *options], limit, times)

    def simulate(self, text, *options, limit=60, times=1):
        """(statistics with `process_seconds`, `megabytes`; last row of outputs), or None."""
        model, rows = self.write('model.lg', text), self.path('rows.csv')
        answer = None
        for _ in range(times):
            run = self.run([self.binary, 'run', model, '--stats', '-o', rows, *options], limit)
            if run[0]:
                return None
            stats = json.loads(run[3])
            stats.update(process_seconds=run[1], megabytes=run[2])
            stats['motion_seconds'] = stats['cpu_seconds'] - stats['start_seconds']
            stats['call_seconds'] = stats['rhs_seconds'] / max(stats['rhs_evals'], 1)
            answer = {k: min(v, answer[k]) if k.endswith('seconds') else v for k, v in stats.items()} \
                if answer else stats
            if run[1] > limit / 20:
                break
        with open(rows) as file:
            table = [[float(x) for x in row] for row in list(csv.reader(file))[1:]]
        return answer, table


class Row:
    def __init__(self, group, task, size, unit, ours, peer='', other=NONE, aim=None, most=None, good=None,
                 error_unit='', note=''):
        self.group, self.task, self.size, self.unit, self.note = group, task, size, unit, note
        self.ours, self.peer, self.other, self.error_unit = ours, peer, other, error_unit
        self.aim, self.most, self.good = aim, most, good  # a ratio at least; a figure at most; an error at most
        self.growth = [None, None]

    def ratio(self):
        a, b = self.ours, self.other
        return None if a.value is None or b.value is None or a.more else b.value / max(a.value, 1e-12)

    def met(self):
        if self.ours.value is None:
            return False
        ok = self.most is None or (self.ours.value <= self.most and not self.ours.more)
        if self.good is not None:
            ok = ok and self.ours.error is not None and self.ours.error <= self.good
        if self.aim is not None:
            ok = ok and self.ratio() is not None and self.ratio() >= self.aim
        return ok

    def has_aim(self):
        return any(x is not None for x in (self.aim, self.most, self.good))

    def grow_from(self, before):
        """Exponents of size between this row and a smaller one."""
        pairs = [(before.ours, self.ours), (before.other, self.other)]
        scale = math.log(self.size / before.size)
        self.growth = [None if a.value is None or b.value is None or a.more or b.more or min(a.value, b.value) <= 0
                       else math.log(b.value / a.value) / scale for a, b in pairs]


def short(x, digits=3):
    if x is None:
        return '-'
    text = f'{x:.{digits}g}'
    if 'e' in text and 1e-4 < abs(x) < 1e7:
        text = f'{x:.0f}' if abs(x) >= 1000 else f'{x:f}'.rstrip('0')
    return text


def shown(f):
    return '-' if f.value is None else ('> ' if f.more else '') + short(f.value)


def aim_text(row):
    parts = [f'>= {short(row.aim)} x'] if row.aim is not None else []
    parts += [f'<= {short(row.most)} {row.unit}'] if row.most is not None else []
    parts += [f'error <= {row.good:.0e} {row.error_unit}'] if row.good is not None else []
    return ', '.join(parts)


class Table:
    """Prints rows as they come and keeps them as text and CSV."""
    HEAD = ('task', 'size', 'Cotree', 'error', 'peer', '', 'error', 'times', 'aim', 'met', 'growth')
    FORMAT = '{:<30} {:>8} {:>11} {:>8}  {:<10} {:>11} {:>8} {:>8}  {:<20} {:<4} {:<12} {}'

    def __init__(self, path):
        self.rows, self.last, self.path = [], {}, path
        self.text = open(path + '.txt', 'w')
        self.group = None

    def say(self, line=''):
        print(line.rstrip(), flush=True)
        print(line.rstrip(), file=self.text, flush=True)

    def add(self, row):
        if row.group != self.group:
            self.group = row.group
            self.say()
            self.say('== ' + row.group)
            self.say(self.FORMAT.format(*self.HEAD, ''))
        before = self.last.get((row.group, row.task, row.unit))
        if before and before.size and row.size and row.size > before.size:
            row.grow_from(before)
        self.last[row.group, row.task, row.unit] = row
        self.rows.append(row)
        self.say(self.line(row))

    def line(self, row):
        ours, other = row.ours, row.other
        ratio = row.ratio()
        growth = ' '.join(short(g, 2) for g in row.growth) if row.growth != [None, None] else ''
        figure = '-' if ours.value is None else f'{shown(ours)} {row.unit}'
        beside = '' if other.value is None and not row.peer else shown(other)
        times = '' if ratio is None else ('> ' if other.more else '') + short(ratio)
        met = '' if not row.has_aim() else 'yes' if row.met() else 'no'
        note = (f'[{row.error_unit}] ' if row.error_unit else '') + row.note
        return self.FORMAT.format(row.task, short(row.size, 6) if row.size else '', figure, self.error(ours), row.peer,
                                  beside, self.error(other), times, aim_text(row), met, growth, note)

    @staticmethod
    def error(f):
        return '' if f.error is None else f'{f.error:.0e}'

    def close(self):
        self.text.close()
        with open(self.path + '.csv', 'w', newline='') as file:
            out = csv.writer(file)
            out.writerow(FIELDS)
            for r in self.rows:
                out.writerow([r.group, r.task, r.size or '', r.unit, shown(r.ours), r.ours.error, r.peer,
                              shown(r.other), r.other.error, r.error_unit, short(r.ratio(), 4), aim_text(r),
                              int(r.met()) if r.has_aim() else '', short(r.growth[0]), short(r.growth[1]), r.note])
