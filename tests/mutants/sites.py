"""Places of a C source where a small change can be made, as text around a switch that chooses at run time.

A site is (start, end, old, new, line): `old` becomes `(ct_is_mutant(K) ? new : old)`, a dropped statement
`{ if (!ct_is_mutant(K)) old }`. No parser of C: tokens, brackets and precedence are enough, and what does not
compile is left out by the caller.
"""
import re

TOKEN = re.compile(r"""
    (?P<skip>/\*.*?\*/|//[^\n]*|[ \t\r\n]+|\\\n)|
    (?P<macro>(?m:^)[ \t]*\#(?:[^\n\\]|\\.|\\\n)*)|
    (?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|
    (?P<number>(?:0[xX][0-9a-fA-F]+|\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)[uUlLfF]*)|
    (?P<word>[A-Za-z_]\w*)|
    (?P<op><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||\+=|-=|\*=|/=|%=|&=|\|=|\^=|[-+*/%<>=!&|^~?:;,.(){}\[\]\#])
""", re.X | re.S)

PRECEDENCE = {"*": 10, "/": 10, "%": 10, "+": 9, "-": 9, "<<": 8, ">>": 8, "<": 7, ">": 7, "<=": 7, ">=": 7,
              "==": 6, "!=": 6, "&": 5, "^": 4, "|": 3, "&&": 2, "||": 1}
SWAP = {"+": "-", "-": "+", "*": "/", "/": "*", "<": ">=", ">": "<=", "<=": ">", ">=": "<", "==": "!=", "!=": "==",
        "&&": "||", "||": "&&"}
# Sizes of memory, messages, figures of effort and given-back memory: no numbers of the model.
APART = re.compile(r"sizeof|alloc|_ARRAY|CT_NEW|CT_PUSH|CT_NEED|\bfree\(|_free\(|ct_note|ct_help|ct_witness|ct_error|ct_warn|"
                   r"ct_put|printf|CT_DROP|_release|stats|seconds|static const|reserve|assert")
TOLERANCE = 1e-6 # smaller and inversely larger constants bound rounding: twice of it is as good
OPEN, CLOSE = "([{", ")]}"
STOPS = {";", ",", "?", ":", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "{", "}", "return"}
TYPES = re.compile(r"^(double|float|int|long|char|short|unsigned|signed|void|size_t|bool|struct|const|u?int\d+_t|"
                   r"sunrealtype|sunindextype|complex)$")
KEYWORDS = {"return", "if", "else", "while", "for", "do", "switch", "case", "default", "break", "continue", "goto",
            "sizeof", "static", "const", "struct", "typedef", "enum", "union", "extern", "inline", "volatile"}


class Token:
    def __init__(self, kind, text, at):
        self.kind, self.text, self.at, self.end = kind, text, at, at + len(text)
        self.pair = None


def tokens(source):
    found, at = [], 0
    while at < len(source):
        m = TOKEN.match(source, at)
        if not m:
            raise ValueError("no token at %d: %r" % (at, source[at:at + 20]))
        if m.lastgroup not in ("skip", "macro"):
            found.append(Token(m.lastgroup, m.group(), at))
        at = m.end()
    stack = []
    for i, t in enumerate(found):
        if t.text in OPEN and t.kind == "op":
            stack.append(i)
        elif t.text in CLOSE and t.kind == "op" and stack:
            t.pair = stack.pop()
            found[t.pair].pair = i
    return found


def bodies(ts):
    """Functions: brace after a closing bracket at the outer level."""
    i = 0
    while i < len(ts):
        if ts[i].text == "{" and ts[i].pair:
            if i and ts[i - 1].text == ")":
                yield i + 1, ts[i].pair
            i = ts[i].pair
        i += 1


def is_cast(ts, i):
    """Does a closing bracket end a cast?"""
    inside = ts[ts[i].pair + 1:i]
    return bool(inside) and all(t.kind == "word" or t.text == "*" for t in inside) and (
        TYPES.match(inside[0].text) is not None or inside[-1].text == "*" or inside[0].text.startswith("ct_"))


def is_binary(ts, i):
    before = ts[i - 1]
    if before.text == ")":
        return not is_cast(ts, i - 1)
    if before.kind == "word":
        return before.text not in KEYWORDS and not TYPES.match(before.text)
    return before.kind in ("number", "text") or before.text == "]"


def left_of(ts, i, strength, low):
    """First token of the left operand of a binary operator."""
    k = i - 1
    while k >= low:
        t = ts[k]
        if t.text in CLOSE and t.kind == "op":
            if t.text == "}":
                break
            k = t.pair - 1
            continue
        if t.text in OPEN or t.text in STOPS or t.kind == "word" and t.text in KEYWORDS - {"sizeof"}:
            break
        if t.text in PRECEDENCE and t.kind == "op" and is_binary(ts, k) and PRECEDENCE[t.text] < strength:
            break
        k -= 1
    return k + 1


def right_of(ts, i, strength, high):
    """Last token of the right operand."""
    k = i + 1
    while k < high:
        t = ts[k]
        if t.text in OPEN and t.kind == "op":
            k = t.pair + 1
            continue
        if t.text in CLOSE or t.text in STOPS:
            break
        if t.text in PRECEDENCE and t.kind == "op" and k > i + 1 and is_binary(ts, k) and \
                PRECEDENCE[t.text] <= strength:
            break
        k += 1
    return k - 1


def changed_number(text):
    if re.match(r"^\d+[uUlL]*$", text):
        digits = re.match(r"\d+", text).group()
        return str(int(digits) + 1) + text[len(digits):]
    if re.match(r"^0[xX]", text) or text[-1] in "fF":
        return None
    value = float(text.rstrip("lL"))
    if value and not TOLERANCE < value < 1 / TOLERANCE:
        return None
    return "(2*" + text + ")" if value else "1.0"


def of_operator(ts, i, low, high):
    t = ts[i]
    strength = PRECEDENCE[t.text]
    first, last = left_of(ts, i, strength, low), right_of(ts, i, strength, high)
    if first >= i or last <= i:
        return None
    # `double *x`, `a * const b`: a declaration
    if t.text == "*" and first == i - 1 and ts[first - 1].text in ("{", "}", ";", "(", ","):
        return None
    new = SWAP[t.text]
    if t.text == "<" and in_head_of_for(ts, i): # all but the last
        new = "+ 1 <"
    return ts[first].at, ts[last].end, t.at, t.end, new


def in_head_of_for(ts, i):
    k = i - 1
    while k > 0 and ts[k].text not in ("(", "{", "}"):
        k = ts[k].pair - 1 if ts[k].text in (")", "]") else k - 1
    return ts[k].text == "(" and ts[k - 1].text == "for"


def statements(ts, low, high):
    """Calls and assignments that are statements of their own."""
    i = low
    while i < high:
        before = ts[i - 1].text
        t = ts[i]
        if t.text == "(" and t.kind == "op":
            i = t.pair
            continue
        if before in (";", "{", "}", ")", "else") and t.kind == "word" and t.text not in KEYWORDS and \
                not TYPES.match(t.text) and (before != ")" or is_head(ts, i - 1)) and i + 1 < high:
            end = i
            while end < high and ts[end].text != ";":
                end = ts[end].pair + 1 if ts[end].text in OPEN and ts[end].kind == "op" else end + 1
            if ts[i + 1].kind != "word" and ts[i + 1].text != "*" and ts[i + 1].text != ":" and end < high:
                yield t.at, ts[end].end
            i = end
        i += 1


def is_head(ts, i):
    """Does this bracket end the head of if, for or while?"""
    return ts[i].pair is not None and ts[ts[i].pair - 1].text in ("if", "for", "while")


def operand_end(ts, i):
    """Last token of a name or number with what is behind it: fields, indices, arguments."""
    while ts[i + 1].text in ("(", "[", ".", "->"):
        i = ts[i + 1].pair if ts[i + 1].pair else i + 2
    return i


def is_filler(ts, i):
    """`= {0}`, and the size of an array that is declared: `double x[8];`."""
    before, after = ts[i - 1].text, ts[i + 1].text
    if before == "{" and after == "}":
        return True
    return before == "[" and after == "]" and ts[i - 2].kind == "word" and (
        ts[i - 3].kind == "word" and ts[i - 3].text not in KEYWORDS - {"const"} or ts[i - 3].text in ("*", ","))


def find(source):
    """All sites of a source: (kind, start, end, old, new)."""
    ts = tokens(source)
    sites = []
    for low, high in bodies(ts):
        for i in range(low, high):
            t = ts[i]
            if t.kind == "op" and t.text in SWAP and is_binary(ts, i):
                found = of_operator(ts, i, low, high)
                if found:
                    start, end, at, stop, new = found
                    sites.append(("operator", start, end, source[start:end],
                                  source[start:at] + new + source[stop:end]))
            elif t.kind == "op" and t.text == "-" and not is_binary(ts, i) and ts[i + 1].kind != "op":
                end = ts[operand_end(ts, i + 1)].end
                sites.append(("sign", t.at, end, source[t.at:end], source[t.end:end]))
            elif t.kind == "number" and ts[i - 1].text != "case" and not is_filler(ts, i):
                new = changed_number(t.text)
                if new:
                    sites.append(("constant", t.at, t.end, t.text, new))
        for start, end in statements(ts, low, high):
            sites.append(("statement", start, end, source[start:end], ";"))
    return [s for s in sites if not is_apart(source, s)]


def is_apart(source, site):
    """By the whole statement around it."""
    start = max(source.rfind(c, 0, site[1]) for c in ";{}") + 1
    end = source.find(";", site[2] - 1)
    return APART.search(source[start:end]) is not None


def switched(site, number):
    kind, _, _, old, new = site
    if kind == "statement":
        return "{ if (!ct_is_mutant(%d)) %s }" % (number, old)
    return "(ct_is_mutant(%d) ? (%s) : (%s))" % (number, new, old)


def apply(source, chosen):
    """chosen: [(number, site)], without overlaps."""
    for number, site in sorted(chosen, key=lambda c: -c[1][1]):
        source = source[:site[1]] + switched(site, number) + source[site[2]:]
    return "#include \"mutant.h\"\n#line 1\n" + source
