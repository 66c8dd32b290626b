"""What the checks of tools/ share: the files of the project, and C without its comments."""
import functools
import os
import re
import subprocess

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)


@functools.cache
def files(*folders):
    """Names of the files in these folders (all: none given) that git knows, or would take."""
    call = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *folders]
    names = subprocess.run(call, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return [name for name in sorted(set(names)) if os.path.isfile(os.path.join(ROOT, name))]


@functools.cache
def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as file:
        return file.read()


@functools.cache
def code_of(path):
    """The text of a C file without comments; lines keep their numbers, strings stay."""
    return COMMENT.sub(lambda m: m[0] if m[0][0] == '"' else "\n" * m[0].count("\n"), read(path))
