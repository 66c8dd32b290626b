#!/usr/bin/env python3
"""one_document.py BINARY: with --json a verb answers with one JSON document, and messages stand in it.

Every verb that takes --json, on a model with a warning, on one without, and on a wrong one."""
import json
import os
import subprocess
import sys
import tempfile

good = 'model m\ninput u : V = 1\nV1 : vsource(a, ground)  v = u\nR1 : resistor(a, b)  R = 1 kohm\n' \
       'C1 : capacitor(b, ground)  C = 1 uF\noutput C1.v\n'
models = {'good': (good, []), 'warned': (good + 'R9 : resistor(b, lonely)  R = 1 ohm\n', ['W320']),
          'wrong': (good + 'V2 : vsource(a, ground)  v = 2 V\n', ['E310'])}
calls = [['check', '--json'], ['check', '--json', '--stats'], ['check', '--stats'], ['graph', '--json'],
         ['equations', '--json'], ['equations', '--format', 'json'], ['statespace', '--json'],
         ['statespace', '--json', '--numeric', '--poles', '--zeros', '--tf'], ['equilibrium', '--json'],
         ['eval', '--json'], ['graph', '--json', '--all'], ['statespace', '--json', '--tf']]


def complaint(said, wanted, asked):
    try:
        answer = json.loads(said.stdout)
    except ValueError as problem:
        return None if wanted and wanted[0][0] == 'E' and not asked else f'no JSON document: {problem}'
    codes = [d['code'] for d in answer.get('diagnostics', [])]
    if 'diagnostics' not in answer or codes != wanted:
        return f'messages {codes}, not {wanted}'
    if asked and said.stderr:
        return 'messages on standard error, too: ' + said.stderr
    if not asked and wanted and wanted[0] not in said.stderr:
        return 'no message on standard error'
    return None


def main():
    binary, passed, failed = os.path.realpath(sys.argv[1]), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for name, (text, wanted) in models.items():
            path = os.path.join(folder, name + '.lg')
            with open(path, 'w') as out:
                out.write(text)
            for verb, *options in calls:
                said = subprocess.run([binary, verb, path, *options], capture_output=True, text=True)
                wrong = complaint(said, wanted, '--json' in options)
                passed, failed = passed + (not wrong), failed + bool(wrong)
                if wrong:
                    print(f'{name}: cotree {verb} {" ".join(options)}: {wrong}')
    print(f'{passed} passed, {failed} failed')
    return failed != 0


sys.exit(main())
