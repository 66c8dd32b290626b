"""Nobody finds out what a symbol means by reading its name: base/symbol.h has its record.

Lists functions that make `der(x)` or `x[3]` apart from base/symbol.c, and such that look into the text of a name for
dots, brackets, beginnings and endings. ALLOWED says which of them may, and why."""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if sys.argv[1:] else pathlib.Path(__file__).resolve().parent.parent / "src")
READERS = {"lang", "cli", "spice", "robot", "lg2ss", "units"}  # they read what users write
ALLOWED = {
    ("base/symbol.c", "*"): "makes the names",
    ("lang/format_expr.c", "*"): "formats texts of users",
    ("export/c.c", "*"): "a remark in exported code",
    ("model/names.c", "ct_last_word"): "the inverse of ct_join_path, for messages",
    ("export/parts.c", "is_taken"): "a new name must not be one of the model",
    ("model/resolve.c", "fill_string"): "holes of a string, from the text of the model",
    ("model/field_options.c", "*"): "words of a choice, from the text of the model",
    ("export/equations_remark.c", "*"): "a parameter whose name stands in a remark",
    ("export/doc.c", "names_with"): "elements whose names hold the word that a user asks for",
    ("export/table_phasors.c", "inner_name"): "columns of a table, by what stands above them",
    ("export/statespace_text.c", "col_name"): "names of matrices: A to F",
    ("export/statespace_text.c", "put_law"): "names of matrices: A to F",
}
TEXT = r"(?:ct_name_text|ct_machine_variable|text_of|name_text)\("
LOOKS = r"\b(?:strchr|strrchr|strstr|strncmp|strncasecmp|strspn|strcspn|strtoul|strtol|memchr|sscanf)\("


def functions(text):
    """Name, first line and body of each function."""
    for m in re.finditer(r"^\w[^;{}#]*?\b(\w+)\([^;{}]*\)\n\{\n(.*?)^\}", text, re.S | re.M):
        yield m.group(1), text.count("\n", 0, m.start()) + 1, m.group(0)


def reads_name(body):
    """Does it look into a text that is a name's, or is called `name`?"""
    names = set(re.findall(r"(\w+) = [^;,]*?" + TEXT, body)) | {"name"}
    for look in re.finditer(LOOKS + r"([^;{}]*)", body):
        arguments = look.group(1)
        if re.search(TEXT, arguments) or any(re.match(r"\(?\*?%s\b" % re.escape(n), arguments) for n in names):
            return look.group(0)
    for n in names:
        found = re.search(r"\b%s\[[^\]]*\] *[!=]= *'[^A-Za-z\\]'" % re.escape(n), body)
        if found:
            return found.group(0)
    return None


def faults(path, text):
    """Pairs of function and what is wrong with it."""
    for name, line, body in functions(text):
        if re.search(r'"der\(|strcmp\([^;]*"t"\)', body):
            yield name, line, "has a name of its own for a rate, or reads `t`"
        if re.search(r'ct_intern\w*\([^;]*\[%\w+\]"', body):
            yield name, line, "makes the name of an entry"
        if path.split("/")[0] not in READERS and re.search(r'(?:str(?:n?cmp|str)\([^;]*|\] = )"\.[a-z][^"%/]*"', body):
            yield name, line, "reads the end of a name"
        look = path.split("/")[0] not in READERS and reads_name(body)
        if look:
            yield name, line, "reads a name: " + " ".join(look.split())[:60]


def main():
    bad, used = [], set()
    for file in sorted(ROOT.rglob("*.c")):
        path = str(file.relative_to(ROOT))
        for name, line, what in faults(path, file.read_text()):
            allowed = {(path, name), (path, "*")} & set(ALLOWED)
            used |= allowed
            if not allowed:
                bad.append("src/%s:%d: %s %s" % (path, line, name, what))
    bad += ["tools/check_symbols.py: %s %s needs no permission" % k for k in ALLOWED if k not in used]
    print("\n".join(bad), end="\n" if bad else "")
    return 1 if bad else 0


sys.exit(main())
