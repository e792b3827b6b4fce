#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks that the source keeps its layers and its shape.

arch.py ROOT            checks a source tree; prints path:line: RULE: text for each offence
arch.py --selftest DIR  runs the checks on the made-up trees DIR/*.tree (see read_tree) and
                        compares with what each tree expects; every rule must fire somewhere
"""

import bisect
import collections
import pathlib
import re
import sys
import tempfile

# Which layer may include which, as in the design: a layer may include what stands here and all that those may.
LIB = {
    'lib/base': [],
    'lib/net': ['lib/base'],
    'lib/nl': ['lib/base'],
    'lib/obj': ['lib/net'],
    'lib/codec': ['lib/obj', 'lib/nl'],
    'lib/kinds': ['lib/codec'],
    'lib/mirror': ['lib/obj'],
    'lib/plan': ['lib/mirror'],
    'lib/verify': ['lib/mirror', 'lib/kinds'],
    'lib/exec': ['lib/plan', 'lib/verify', 'lib/codec', 'lib/kinds'],
}
DAEMON = {
    'daemon/log': ['lib/base'],
    'daemon/loop': [*LIB, 'daemon/log'],
    'daemon/netns': ['daemon/loop'],
    # The reconciler reads, stores and resumes configurations; config itself sees neither it nor a loop.
    'daemon/config': ['lib/plan', 'daemon/log'],
    # Lines of ip(8) to operations, from text and mirror alone: so they can be fuzzed, and tested without a kernel.
    'daemon/batch': ['lib/plan'],
    'daemon/reconcile': ['daemon/netns', 'daemon/config', 'daemon/batch'],
    'daemon/bus': ['daemon/reconcile'],
    'daemon/pmtu': ['daemon/netns'],
}
# These see exactly what stands here and nothing more by way of it.
EXACT = {
    'daemon/config': ['lib/base', 'lib/net', 'lib/obj', 'lib/plan', 'daemon/log'],
    'daemon/batch': ['lib/base', 'lib/net', 'lib/obj', 'lib/plan'],
    'daemon/helper': ['lib/base', 'lib/nl'],
    'daemon/netctl': ['lib/base', 'lib/net', 'lib/obj'],
}
MAIN = 'daemon/main.c'  # sees everything
# One header of a folder that is otherwise out of sight: the protocol of the privileged helper.
SINGLE_HEADERS = {('daemon/netns', 'daemon/helper/protocol.h')}

# System headers that only some folders may see.
SYSTEM_HEADERS = [
    (r'ev\.h|ev\+\+\.h', {'daemon/loop'}),
    (r'yaml\.h', {'daemon/config'}),
    (r'systemd/sd-bus.*\.h', {'daemon/bus', 'daemon/netctl'}),
    (r'systemd/sd-event\.h', set()),
    (r'libmnl/.*', {'lib/nl', 'lib/codec', 'lib/kinds'}),
    (r'netlink/.*', {'lib/verify'}), # libnl, the second opinion
    # Besides the requester's threads, what they share with the loop (the channel by which the helper opens
    # sockets), and the helper's own, one a channel.
    (r'pthread\.h|threads\.h', {'lib/nl', 'daemon/netns', 'daemon/helper'}),
    (r'seccomp\.h', {'daemon/netns', 'daemon/helper'}),
]

MAX_LINES = {'.c': 600, '.h': 150}
MAX_FUNCTION = 80
LONG_FUNCTION = 40
MAX_LONG_SHARE = 0.15

SPDX = '/* SPDX-License-Identifier: LGPL-2.1-or-later */'
RULES = ['S1-doc', 'S1-spdx', 'S2-layer', 'S2-folder', 'S2-include', 'S2-cycle', 'S3-file', 'S3-function',
         'S3-share', 'S4-header', 'S5-kind', 'S12-static', 'S12-forward']

Offence = collections.namedtuple('Offence', 'path line rule text')
Function = collections.namedtuple('Function', 'path line name lines')


def closure(table):
    """All that each layer may see, itself included."""
    seen = {}

    def visit(layer):
        if layer not in seen:
            seen[layer] = {layer}.union(*(visit(below) for below in table[layer]))
        return seen[layer]

    for layer in table:
        visit(layer)
    return seen


ALLOWED = closure({**LIB, **DAEMON})
ALLOWED.update({layer: {layer, *below} for layer, below in EXACT.items()})
ALLOWED[MAIN] = {MAIN, *ALLOWED}


def blank(text):
    """text with comments and the insides of literals turned to blanks; newlines and offsets stay."""
    token = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''

    def wipe(m):
        s = m.group()
        if s[0] == '/':
            return re.sub(r'[^\n]', ' ', s)
        return s[0] + re.sub(r'[^\n]', ' ', s[1:-1]) + s[-1]

    return re.sub(token, wipe, text, flags=re.S)


def without_directives(code):
    """code with preprocessor directives, continued lines included, turned to blanks."""
    return re.sub(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', lambda m: re.sub(r'[^\n]', ' ', m.group()), code, flags=re.M)


class Source:
    def __init__(self, root, path):
        self.path = path
        self.text = (root / path).read_text(errors='replace')
        self.blanked = blank(self.text)
        self.code = without_directives(self.blanked)
        self.starts = [0] + [m.end() for m in re.finditer('\n', self.text)]
        parts = path.split('/')
        self.layer = path if path == MAIN or len(parts) < 3 else '/'.join(parts[:2])
        self.is_product = parts[0] in ('lib', 'daemon')

    def line_of(self, offset):
        return bisect.bisect_right(self.starts, offset)

    def includes(self):
        """(line, kind of quote, name)"""
        for m in re.finditer(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', self.text, re.M):
            if self.blanked[m.start(1)] != ' ':
                yield self.line_of(m.start(1)), m.group(1), m.group(2)

    def functions(self):
        depth = 0
        begin = 0  # of what may become a definition
        current = None
        for m in re.finditer(r'[{};]', self.code):
            c = m.group()
            if c == '{':
                if depth == 0:
                    current = self.function_head(begin, m.start())
                depth += 1
                continue
            if c == '}':
                depth = max(depth - 1, 0)
                if depth == 0 and current:
                    line, name = current
                    yield Function(self.path, line, name, self.line_of(m.start()) - line + 1)
                    current = None
            if depth == 0:
                begin = m.end()

    def function_head(self, begin, end):
        head = self.code[begin:end]
        bare = re.sub(r'__attribute__\s*\(\(.*?\)\)', lambda m: ' ' * len(m.group()), head, flags=re.S)
        m = re.search(r'(\w+)\s*\(', bare)
        if not m or '=' in bare or not bare.rstrip().endswith(')'):
            return None
        start = begin + len(head) - len(head.lstrip())
        return self.line_of(start), m.group(1)


def check_top(src):
    first, _, rest = src.text.partition('\n')
    if first != SPDX:
        yield Offence(src.path, 1, 'S1-spdx', f'the first line is not "{SPDX}"')
    if src.path.endswith('.c') and not re.match(r'\s*/\*\s*(?:\*\s*)?DOC: ', rest):
        yield Offence(src.path, 2, 'S1-doc', 'no "DOC:" paragraph below the first line')


def check_includes(src, files):
    if src.layer not in ALLOWED:
        yield Offence(src.path, 1, 'S2-folder', f'{src.layer} is no layer of the allow-list')
        return
    for line, quote, name in src.includes():
        if quote == '<':
            yield from check_system(src, files, line, name)
            continue
        target = resolve(files, name)
        if not target:
            yield Offence(src.path, line, 'S2-include', f'"{name}" is no "folder/header.h" of lib/ or daemon/')
        elif target.layer not in ALLOWED[src.layer] and (src.layer, target.path) not in SINGLE_HEADERS:
            yield Offence(src.path, line, 'S2-layer', f'{src.layer} may not include {target.layer} ("{name}")')


def check_system(src, files, line, name):
    if resolve(files, name):
        yield Offence(src.path, line, 'S2-include', f'<{name}> is a header of ours: write "{name}"')
    for pattern, layers in SYSTEM_HEADERS:
        if re.fullmatch(pattern, name) and src.layer not in layers:
            yield Offence(src.path, line, 'S4-header', f'<{name}> is only for {", ".join(sorted(layers)) or "no one"}')


def resolve(files, name):
    return files.get('lib/' + name) or files.get('daemon/' + name)


def check_cycles(files):
    """One offence for each include that closes a cycle."""
    edges = {path: [(line, resolve(files, name).path) for line, _, name in src.includes() if resolve(files, name)]
             for path, src in files.items()}
    done = set()

    def visit(path, trail):
        for line, target in edges[path]:
            if target in trail or target == path:
                ring = [*trail, path][[*trail, path].index(target):]
                yield Offence(path, line, 'S2-cycle', 'include cycle: ' + ' -> '.join([*ring, target]))
            elif target not in done:
                yield from visit(target, [*trail, path])
        done.add(path)

    for path in sorted(edges):
        if path not in done:
            yield from visit(path, [])


def check_sizes(src, functions):
    lines = src.text.count('\n')
    limit = MAX_LINES[pathlib.PurePath(src.path).suffix]
    if lines > limit:
        yield Offence(src.path, limit + 1, 'S3-file', f'{lines} lines, at most {limit}')
    for f in functions:
        if f.lines > MAX_FUNCTION:
            yield Offence(f.path, f.line, 'S3-function', f'{f.name}() has {f.lines} lines, at most {MAX_FUNCTION}')


def check_share(functions):
    long = sorted((f for f in functions if f.lines > LONG_FUNCTION), key=lambda f: -f.lines)
    if len(long) > MAX_LONG_SHARE * len(functions):
        f = long[0]
        yield Offence(f.path, f.line, 'S3-share', f'{len(long)} of {len(functions)} functions have more than '
                      f'{LONG_FUNCTION} lines (at most {MAX_LONG_SHARE:.0%}); the longest is {f.name}()')


def calls(code, names):
    """(offset, text between the parentheses) of each call of one of names."""
    for m in re.finditer(rf'\b(?:{names})\s*\(', code):
        depth = 1
        end = m.end()
        while end < len(code) and depth:
            depth += {'(': 1, ')': -1}.get(code[end], 0)
            end += 1
        yield m.start(), code[m.end():end - 1]


def check_kinds(src):
    """Only lib/kinds and the registry know one kind from another. Equality of two kinds is fine.

    A layer that cannot see lib/obj knows no link; what it calls a kind is something else.
    """
    if 'lib/obj' not in ALLOWED.get(src.layer, ()) or src.layer == 'lib/kinds':
        return
    if re.fullmatch(r'lib/obj/kind[\w-]*\.[ch]', src.path):
        return
    kind = r'(?:\b|_)kinds?(?:\b|_)'
    why = 'only lib/kinds knows one link kind from another (what is no link kind has another name)'
    for offset, subject in calls(src.code, 'switch'):
        if re.search(kind, subject):
            yield Offence(src.path, src.line_of(offset), 'S5-kind', f'switch ({subject}): {why}')
    for offset, args in calls(src.code, r'\w*str\w*cmp|\w*str\w*eq\w*|\w*memcmp'):
        sides = [bool(re.search(kind, a)) for a in args.split(',')[:2]]
        if any(sides) and not all(sides):
            yield Offence(src.path, src.line_of(offset), 'S5-kind', f'comparing ({args}): {why}')
    for m in re.finditer(r'[!=]=\s*&\s*nctl_kind_\w+', src.code):
        yield Offence(src.path, src.line_of(m.start()), 'S5-kind', f'{m.group()}: {why}')


def check_statics(src):
    for m in re.finditer(r'^[ \t]+static\s+(?:(?:unsigned|signed)\s+)?(?:char|u?int8_t)\s+\w+\s*\[', src.code, re.M):
        yield Offence(src.path, src.line_of(m.start()), 'S12-static', 'a static buffer in a function')
    for m in re.finditer(r'^static\b[^;{}=()]*\((?!\s*\*)[^;{}=]*\)\s*;', src.code, re.M):
        yield Offence(src.path, src.line_of(m.start()), 'S12-forward', 'forward declaration of a static function')


def check(root):
    """(offences, functions) of the tree at root"""
    paths = sorted(str(p.relative_to(root)) for top in ('lib', 'daemon', 'tests')
                   for p in (root / top).rglob('*.[ch]'))
    sources = {path: Source(root, path) for path in paths}
    product = {path: src for path, src in sources.items() if src.is_product}
    offences, all_functions = [], []
    for src in sources.values():
        functions = list(src.functions())
        offences += check_top(src)
        offences += check_sizes(src, functions)
        if src.is_product:
            all_functions += functions
            offences += check_includes(src, product)
            offences += check_kinds(src)
            offences += check_statics(src)
    offences += check_cycles(product)
    offences += check_share(all_functions)
    return sorted(offences), all_functions


def read_tree(path, folder):
    """Unpacks a .tree file below folder; returns the expected (rule, path, line).

    "expect RULE PATH:LINE" lines come first. "=== PATH" begins a file, to which the SPDX line and, for a .c,
    a DOC comment are added unless it is "=== PATH bare". "@repeat N TEXT" stands for N lines of TEXT. Text before
    the first file that is no "expect" line is comment.
    """
    expected, out = set(), None
    for line in path.read_text().splitlines():
        m = re.fullmatch(r'=== (\S+)( bare)?', line)
        if m:
            out = folder / m.group(1)
            out.parent.mkdir(parents=True, exist_ok=True)
            top = [] if m.group(2) else [SPDX] + ['/* DOC: Made up. */'] * out.name.endswith('.c')
            out.write_text(''.join(t + '\n' for t in top))
            continue
        if not out:
            m = re.fullmatch(r'expect (\S+) (\S+):(\d+)', line)
            if m:
                expected.add((m.group(1), m.group(2), int(m.group(3))))
            continue
        m = re.fullmatch(r'@repeat (\d+) (.*)', line)
        with out.open('a') as f:
            f.write((m.group(2) + '\n') * int(m.group(1)) if m else line + '\n')
    return expected


def selftest(folder):
    failed, fired = False, set()
    trees = sorted(folder.glob('*.tree'))
    for tree in trees:
        with tempfile.TemporaryDirectory() as tmp:
            expected = read_tree(tree, pathlib.Path(tmp))
            got = {(o.rule, o.path, o.line): o.text for o in check(pathlib.Path(tmp))[0]}
        fired.update(rule for rule, _, _ in got)
        for rule, path, line in sorted(expected - got.keys()):
            print(f'{tree.name}: missing: {path}:{line}: {rule}')
            failed = True
        for key in sorted(got.keys() - expected):
            print(f'{tree.name}: unexpected: {key[1]}:{key[2]}: {key[0]}: {got[key]}')
            failed = True
    for rule in sorted(set(RULES) ^ fired):
        print(f'{rule}: {"fired in no tree" if rule in RULES else "is not in RULES"}')
        failed = True
    print(f'{len(trees)} trees, {len(fired)} of {len(RULES)} rules fired')
    return failed or not trees


def main(argv):
    if len(argv) == 3 and argv[1] == '--selftest':
        return selftest(pathlib.Path(argv[2]))
    if len(argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    offences, functions = check(pathlib.Path(argv[1]))
    for o in offences:
        print(f'{o.path}:{o.line}: {o.rule}: {o.text}')
    sizes = sorted(f.lines for f in functions) or [0]
    over = sum(n > LONG_FUNCTION for n in sizes)
    print(f'{len(functions)} functions, median {sizes[len(sizes) // 2]} lines, '
          f'{over} over {LONG_FUNCTION}; {len(offences)} offences')
    return 1 if offences else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv))
