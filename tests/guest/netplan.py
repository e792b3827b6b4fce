#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Are netplan's examples accepted and applied, or refused at the right line?

    netplan.py [NAME...]   NETPLAN_EXAMPLES is their folder; those of tests/netplan come on top

netplan.txt says for each what is expected. Where an example says "renderer: networkd", that is changed to netctld first, as
somebody would who comes over; as it is, its devices are left alone, which is checked, too. An example that is to be applied
goes through all that tests/keys/effects.py does with a configuration: applied, verified, applied again without a message,
removed without a trace. Its network cards are dummies.

Lines of netplan.txt, and what they say:

    NAME applies [needs:KIND] DEVICE[=MAC]...
                                      these devices are there before, and links of this kind have been
    NAME accepted REASON              netctl check accepts it; no kernel here has what it takes
    NAME refused LINE WORD...         with an error in this line that has this word, as often as needed, and no others
    NAME alone                        all of it is for another program, whatever the renderer
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ['NETCTLD_SOURCE'])


def check(path, *options):
    p = subprocess.run(['netctld', '--check', *options, str(path)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                       check=False)
    return p.returncode, p.stdout


def write(folder, name, text):
    path = pathlib.Path(folder) / f'{name}.yaml'
    path.write_text(text)
    path.chmod(0o644)
    return path


def devices(words):
    """Comments for effects.py that make them."""
    lines = []
    for word in words:
        if word.startswith('needs:'):
            lines.append(f'# needs: {word[6:]}')
            continue
        name, _, mac = word.partition('=')
        lines.append(f'# setup: ip link add {name} {"address " + mac if mac else ""} type dummy')
    return '\n'.join(['# needs: dummy'] + lines) + '\n'


def effects(path):
    p = subprocess.run([sys.executable, SOURCE / 'tests/keys/effects.py', path], stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, text=True, check=False)
    if p.returncode == 0:
        return True, 'applied, verified, applied again without a message, removed'
    if p.returncode == 77:
        return None, re.findall(r'# SKIP (.*)', p.stdout)[0]
    return False, p.stdout


def is_refused(path, words):
    """Errors in these lines, and in no others."""
    wanted = dict(zip(words[::2], words[1::2]))
    status, out = check(path)
    errors = re.findall(r'^\S*?:(\d+):\d+: error: (.*)$', out, re.M)
    fine = status == 2 and {line for line, _ in errors} == set(wanted) and all(wanted[n] in text for n, text in errors)
    if fine:
        return True, 'refused: ' + '; '.join(f'line {line}, {text}' for line, text in errors)
    return False, f'should be refused in lines {" ".join(words)}, but exit status {status}:\n{out}'


def is_accepted(path):
    status, out = check(path)
    return status == 0, out


def verdict(example, name, words, tmp):
    """(True, False or None for not run; in words)."""
    text = example.read_text()
    ours = re.sub(r'^(\s*renderer: *)networkd *$', r'\1netctld', text, flags=re.M)
    if ours != text and not is_accepted(write(tmp, name, text))[0]:
        return False, 'is not left to networkd, as it says'
    path = write(tmp, name, ours)
    what, words = words[0], words[1:]
    if what == 'refused':
        return is_refused(path, words)
    fine, out = is_accepted(path)
    if not fine:
        return False, f'is not accepted:\n{out}'
    status, out = check(write(tmp, name, text), '--netplan')
    if status != 0:
        return False, f'is not netplan\'s, says --netplan, with exit status {status}:\n{out}'
    if what == 'alone':
        return 'left alone' in out or 'renderer' in text, 'left alone'
    if what == 'accepted':
        return True, f'accepted; not applied: {" ".join(words)}'
    return effects(write(tmp, name, devices(words) + ours))


def rows(names):
    folders = [pathlib.Path(os.environ['NETPLAN_EXAMPLES']), SOURCE / 'tests/netplan']
    known = set()
    for line in (SOURCE / 'tests/guest/netplan.txt').read_text().splitlines():
        words = line.split('#')[0].split()
        if words:
            known.add(words[0])
            paths = [folder / f'{words[0]}.yaml' for folder in folders]
            if not names or words[0] in names:
                yield [path for path in paths if path.exists()], words[0], words[1:]
    for folder in folders:
        for path in sorted(folder.glob('*.yaml')):
            if path.stem not in known and not names:
                yield [path], path.stem, None


def main(names):
    bad = total = 0
    for paths, name, words in rows(names):
        with tempfile.TemporaryDirectory() as tmp:
            os.chmod(tmp, 0o755)
            if not words or not paths:
                fine, text = False, 'stands in no line of netplan.txt' if paths else 'is not there'
            else:
                fine, text = verdict(paths[0], name, words, tmp)
        total += 1
        bad += fine is False
        first, *more = text.splitlines() or ['']
        print(f'{"FAILED" if fine is False else "skipped" if fine is None else "ok":8}{name:40}{first}', flush=True)
        for line in more:
            print(f'#   {line}')
    print(f'{total} examples, {bad} failed')
    return 1 if bad or not total else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
