#!/usr/bin/env python3
"""check_docs.py BINARY FILE...: runs every snippet of the documents.
```console blocks: lines `$ command` followed by its exact output (stdout and stderr).
```lg, ```cir and ```urdf blocks must pass `cotree check` (no errors); `lg file=NAME` is kept for later commands;
`lg error=E123` must give that code (and only it when `only`). With --update outputs are rewritten."""
import os, re, shutil, subprocess, sys, tempfile
args = [a for a in sys.argv[1:] if a != '--update']
update = '--update' in sys.argv
binary = os.path.realpath(args[0]); root = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
bad = n = 0
def run(cmd, cwd):
    env = dict(os.environ, PATH=cwd + '/.bin:' + os.environ['PATH'], NO_COLOR='1')
    p = subprocess.run(['bash', '-c', cmd], cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return p.returncode, p.stdout
for path in args[1:]:
    text = open(path).read()
    tmp = tempfile.mkdtemp()
    os.mkdir(tmp + '/.bin'); os.symlink(binary, tmp + '/.bin/cotree')
    for d in ('models', 'library'): os.symlink(root + '/' + d, tmp + '/' + d)
    out = []; pos = 0
    for m in re.finditer(r'^([ ]*)```(\S*)([^\n]*)\n(.*?)^\1```[ ]*$', text, re.M | re.S):
        ind, kind, info, body = m.groups()
        if kind in ('lg', 'cir', 'urdf'):
            n += 1
            name = re.search(r'file=(\S+)', info); name = name.group(1) if name else 'snippet.' + kind
            err = re.search(r'error=(\S+)', info); 
            b = '\n'.join(l[len(ind):] for l in body.split('\n'))
            os.makedirs(os.path.dirname(tmp + '/' + name), exist_ok=True)
            open(tmp + '/' + name, 'w').write(b)
            rc, o = run('cotree check ' + name, tmp)
            codes = sorted(set(re.findall(r'(?:error|warning)\[(\w+)\]', o)))
            want = sorted(err.group(1).split(',')) if err else []
            if codes != want:
                bad += 1; print(f'{path}: lg snippet gives {codes}, want {want}:\n{b}{o}')
        elif kind == 'console':
            new = []; cmds = []
            for line in body.split('\n')[:-1]:
                if line.startswith(ind + '$ '): cmds.append([line[len(ind)+2:], []])
                elif cmds: cmds[-1][1].append(line[len(ind):])
            for cmd, want in cmds:
                n += 1
                rc, o = run(cmd, tmp)
                got = o.rstrip('\n').split('\n') if o.strip() else []
                got = [g.rstrip() for g in got]
                while want and not want[-1].strip(): want.pop()
                if got != want:
                    if not update:
                        bad += 1; print(f'{path}: $ {cmd}\n' + '\n'.join(got) + '\n--- document has\n' + '\n'.join(want))
                new.append('$ ' + cmd); new += got
            if update and cmds:
                nb = ''.join((ind + l).rstrip() + '\n' for l in new)
                out.append(text[pos:m.start(4)] + nb); pos = m.end(4)
    if update:
        out.append(text[pos:]); open(path, 'w').write(''.join(out))
    shutil.rmtree(tmp)
    for i, line in enumerate(text.split('\n'), 1):
        if len(line) > 116 and not line.startswith('|') and '```' not in line and not line.startswith('    ') :
            print(f'{path}:{i}: {len(line)} columns')
    if os.path.basename(path) == 'messages.md':
        for code in re.findall(r'^CODE\("(\w+)"', open(root + '/src/base/codes.def').read(), re.M):
            found = len(re.findall(rf'^#+ {code}\b', text, re.M))
            if found != 1: bad += 1; print(f'{path}: {code} stands there {found} times')
print(f'{n} snippets, {bad} bad')
sys.exit(bad > 0)
