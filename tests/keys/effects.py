#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Configurations whose effect is read back from the kernel: one file NAME.yaml for some keys.

    effects.py [-v] FILE...   run by keys.sh, as root, with namespaces of its own; NETCTLD_BUILD says whose programs

For each file, in a network and mount namespace of its own: what `setup` says is done, the daemon starts with an empty
folder, and then

  - netctl check accepts the file, netctl apply makes it so,
  - all that is expected is found in the kernel (looked for until it is so; DAD and carriers take their time),
  - netctl verify finds the daemon's memory equal to the kernel,
  - a second apply sends no message,
  - netctl reload, which is to read the empty folder, takes away what the file made: links, addresses, routes, rules, next
    hops, permanent neighbours, namespaces are those from before.

Comments of a file, anywhere in it, each on a line of its own, as often as wanted:

    # needs: vlan vrf        what the kernel or the machine must have, else the file is skipped by name: kinds of links
                             (see NEEDS; any other word is one that `ip link add type WORD` takes), commands as
                             cmd:ethtool, files as /proc/sys/net/mpls
    # setup: COMMAND         of sh, before the daemon starts; all of them together are one script
    # expect: COMMAND | FILTER
                             FILTER, from the first " | " on, is one of jq(1) that must give neither false nor null for the
                             command's output. Output that is no JSON is one text without the blanks at its ends.
    # expect: COMMAND        the command succeeds
    # keys: vlans.id mtu     the keys that are shown: SECTION.KEY, or KEY where every device may have it; see coverage
    # apply: OPTION...       more words for netctl apply, such as --allow-recreate

Commands know $FILE, the file as it was applied, and run in its namespaces. Output is TAP; exit status 77 if no file could
be run at all.
"""
import argparse
import ctypes
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

LIMIT = 60  # seconds for each thing that is waited for: only to end a broken test

PAIR = 'ip link add p0 type veth peer name p1 && '
UPPER = PAIR + 'ip link add x0 link p0 type '
NEEDS = {
    'vlan': UPPER + 'vlan id 5',
    'macvlan': UPPER + 'macvlan',
    'macvtap': UPPER + 'macvtap',
    'ipvlan': UPPER + 'ipvlan',
    'ipvtap': UPPER + 'ipvtap',
    'macsec': UPPER + 'macsec',
    'veth': PAIR + 'true',
    'vrf': 'ip link add x0 type vrf table 5',
    'vxlan': 'ip link add x0 type vxlan id 5 dstport 4789',
    'geneve': 'ip link add x0 type geneve id 5 remote 192.0.2.1',
    'gre': 'ip link add x0 type gre local 192.0.2.1',
    'gretap': 'ip link add x0 type gretap local 192.0.2.1',
    'ip6gre': 'ip link add x0 type ip6gre local 2001:db8::1',
    'ip6gretap': 'ip link add x0 type ip6gretap local 2001:db8::1',
    'ip6tnl': 'ip link add x0 type ip6tnl local 2001:db8::1',
    'ipip': 'ip link add x0 type ipip local 192.0.2.1',
    'sit': 'ip link add x0 type sit local 192.0.2.1',
    'vti': 'ip link add x0 type vti local 192.0.2.1 remote 192.0.2.2 key 5',
    'vti6': 'ip link add x0 type vti6 local 2001:db8::1 remote 2001:db8::2 key 5',
    'xfrm': UPPER + 'xfrm if_id 5',
    'bridge-vlans': 'ip link add x0 type bridge vlan_filtering 1',
    'nexthop': 'ip link set lo up && ip nexthop add id 5 blackhole',
}
WORDS = ('needs', 'setup', 'expect', 'keys', 'apply')
libc = ctypes.CDLL(None, use_errno=True)


class Failed(Exception):
    """One line, and perhaps more below."""


def call(result):
    if result != 0:
        raise OSError(ctypes.get_errno(), 'no namespaces')


def own_namespaces():
    """A network of its own, and /run."""
    call(libc.unshare(0x20000 | 0x40000000))  # CLONE_NEWNS, CLONE_NEWNET
    call(libc.mount(b'none', b'/', None, 0x4000 | 0x40000, None))  # MS_REC, MS_PRIVATE
    call(libc.mount(b'run', b'/run', b'tmpfs', 0, b'mode=0755'))
    # DAD takes a second for each file; those that are about it set it again.
    pathlib.Path('/proc/sys/net/ipv6/conf/default/accept_dad').write_text('0')
    subprocess.run(['ip', 'link', 'set', 'dev', 'lo', 'up'], check=True)


def in_child(function, *args):
    """Calls it in a process with own_namespaces. Returns what it raises as text, or None."""
    fd_in, fd_out = os.pipe()
    pid = os.fork()
    if not pid:
        status = 0
        try:
            os.close(fd_in)
            own_namespaces()
            function(*args)
        except BaseException as error:  # pylint: disable=broad-except
            status = 1
            text = str(error) if isinstance(error, (Failed, OSError)) else repr(error)
            os.write(fd_out, text.encode()[:60000])
        os._exit(status)
    os.close(fd_out)
    with os.fdopen(fd_in, 'rb') as pipe:
        text = pipe.read().decode(errors='replace')
    return (text or 'died') if os.waitpid(pid, 0)[1] else None


def run(args, **kwargs):
    if 'input' not in kwargs:
        kwargs['stdin'] = subprocess.DEVNULL
    return subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace',
                          check=False, timeout=300, **kwargs)


def need(args, title, statuses=(0,), **kwargs):
    p = run(args, **kwargs)
    if p.returncode not in statuses:
        raise Failed(f'{title}: exit status {p.returncode}\n{p.stdout}')
    return p.stdout


def probe(command):
    need(['sh', '-c', command], command)


class Needs:
    """What there is, asked once for each word."""

    def __init__(self):
        self.known = {}

    def has(self, word):
        if word not in self.known:
            self.known[word] = self._ask(word)
        return self.known[word]

    @staticmethod
    def _ask(word):
        if word.startswith('cmd:'):
            return shutil.which(word[4:]) is not None
        if word.startswith('/'):
            return os.path.exists(word)
        return in_child(probe, NEEDS.get(word, f'ip link add x0 type {word}')) is None


class Case:
    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.words = {word: [] for word in WORDS}
        for number, line in enumerate(self.path.read_text().splitlines(), 1):
            found = re.match(r'\s*# ?([a-z]+): *(.*\S)', line)
            if found and found.group(1) in self.words:
                self.words[found.group(1)].append(found.group(2))
            elif found and re.match(r'(need|setups|expects?|key|expected)$', found.group(1)):
                sys.exit(f'{path}:{number}: {found.group(1)}: is not one of {" ".join(WORDS)}')

    def split(self, word):
        return ' '.join(self.words[word]).split()


def output_of(command):
    """(what it printed, as JSON; None) or (None, why not)."""
    p = run(['sh', '-c', command])
    if p.returncode:
        return None, f'exit status {p.returncode}: {p.stdout.strip()}'
    try:
        json.loads(p.stdout)
        return p.stdout, None
    except ValueError:
        return json.dumps(p.stdout.strip()), None


def asks(jq, text):
    """None, or what it is instead."""
    p = subprocess.run(['jq', '-e', jq], input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                       check=False)
    return f'is {p.stdout.strip()} for {text.strip()}' if p.returncode else None


def why_not(expectations):
    """None if all hold. Each command runs once, since processes are what takes time in a guest."""
    filters = {}
    for expectation in expectations:
        command, _, jq = expectation.partition(' | ')
        filters.setdefault(command, []).append(jq)
    for command, jqs in filters.items():
        text, why = output_of(command)
        jqs = [jq for jq in jqs if jq]
        if not why and jqs and asks(' and '.join(f'({jq})' for jq in jqs), text):
            why = '\n'.join(f'{jq}: {answer}' for jq in jqs for answer in [asks(jq, text)] if answer)
        if why:
            return f'expect: {command}: {why}'
    return None


def wait_for(question, *args):
    """Asks until it answers None; returns its last answer."""
    end = time.monotonic() + LIMIT
    while True:
        answer = question(*args)
        if answer is None or time.monotonic() > end:
            return answer
        time.sleep(0.03)


def objects(*options, lines):
    """What ip says to each of these lines: lists of objects."""
    text = need(['ip', '-j', '-d', *options, '-batch', '-'], 'ip', input='\n'.join(lines) + '\n')
    decoder, at, answers = json.JSONDecoder(), 0, []
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        answer, at = decoder.raw_decode(text, at)
        answers.append(answer)
    if len(answers) != len(lines):
        raise Failed(f'ip answers {len(answers)} times to {lines}:\n{text}')
    return answers


def snapshot():
    """What there is that a configuration can make."""
    links, routes, rules, nexthops, neighbours, proxies = objects(lines=[
        'address', 'route show table all', 'rule', 'nexthop', 'neigh show nud permanent', 'neigh show proxy'])
    folder = pathlib.Path('/run/netns')
    return {
        'links': {link['ifname'] for link in links},
        'addresses': {f"{link['ifname']} {a['local']}/{a['prefixlen']}" for link in links for a in link['addr_info']
                      if a.get('protocol') != 'kernel_ll' and not a['local'].startswith('fe80:')},
        'routes': {json.dumps({k: v for k, v in r.items() if k not in ('flags', 'expires')}, sort_keys=True)
                   for r in routes if r.get('protocol') not in ('kernel', 'ra')},
        'rules': {json.dumps(r, sort_keys=True) for r in rules + objects('-6', lines=['rule'])[0]
                  if r.get('protocol') != 'kernel'},
        'nexthops': {json.dumps(n, sort_keys=True) for n in nexthops},
        'neighbours': {f"{n['dev']} {n['dst']}" for n in neighbours},
        'proxies': {f"{n['dev']} {n['dst']}" for n in proxies},
        'namespaces': {p.name for p in folder.iterdir()} if folder.exists() else set(),
    }


def differs(before):
    now = snapshot()
    for what, old in before.items():
        if now[what] != old:
            return f'{what}: left behind {sorted(now[what] - old)}, lost {sorted(old - now[what])}'
    return None


def answers(daemon):
    """Is it there? None if so."""
    if daemon.poll() is not None:
        raise Failed('the daemon ended')
    p = run(['netctl', 'link', 'show', 'dev', 'lo'])
    return None if p.returncode == 0 else p.stdout


def netctl_apply(title, path, options=()):
    text = need(['netctl', '-j', 'apply', *options, path], title)
    try:
        return json.loads(text.splitlines()[-1])  # before it, the progress of what takes long
    except (ValueError, IndexError) as error:
        raise Failed(f'{title}: no JSON: {text}') from error


def check_effects(case, path):
    need(['netctl', 'check', path], 'netctl check')
    netctl_apply('netctl apply', path, case.split('apply'))
    why = wait_for(why_not, case.words['expect'])
    if why is not None:
        raise Failed(why)
    need(['netctl', '-a', 'verify'], 'netctl verify')
    again = netctl_apply('the second netctl apply', path, case.split('apply'))
    if again['plan']['changes'] or again['result']['messages']:
        raise Failed(f'the second apply has changes:\n{json.dumps(again, indent=1)}')


def check_case(case, tmp):
    path = shutil.copy(case.path, tmp)
    os.chmod(path, 0o644)
    os.environ.update(FILE=path, NETCTL_RUNTIME=f'{tmp}/run')
    os.mkdir(f'{tmp}/conf')
    os.mkdir(f'{tmp}/run', 0o700)
    if case.words['setup']:
        need(['sh', '-e', '-c', '\n'.join(case.words['setup'])], 'setup')
    before = snapshot()
    with open(f'{tmp}/log', 'w', encoding='utf-8') as log:
        daemon = subprocess.Popen(['netctld', '-r', f'{tmp}/run', '-c', f'{tmp}/conf'], stdin=subprocess.DEVNULL,
                                  stdout=log, stderr=log)
    try:
        why = wait_for(answers, daemon)
        if why is not None:
            raise Failed(f'the daemon does not answer: {why}')
        check_effects(case, path)
        need(['netctl', 'reload'], 'netctl reload')
        why = wait_for(differs, before)
        if why is not None:
            raise Failed(f'after its removal: {why}')
    except Failed as failed:
        log = pathlib.Path(f'{tmp}/log').read_text(errors='replace')
        raise Failed(f'{failed}\nthe daemon said:\n{log[-4000:]}') from failed
    finally:
        daemon.send_signal(signal.SIGTERM)
        daemon.wait()
    if daemon.returncode:
        raise Failed(f'the daemon ended with {daemon.returncode}')


def test(number, case, needs, verbose):
    """One line of TAP; True if it passed, None if skipped."""
    missing = [word for word in case.split('needs') if not needs.has(word)]
    if missing:
        print(f'ok {number} - {case.path.stem} # SKIP no {" ".join(missing)} here', flush=True)
        return None
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as tmp:
        os.chmod(tmp, 0o755)  # the daemon, as another user, goes through it
        why = in_child(check_case, case, tmp)
    took = f' # {time.monotonic() - start:.1f} s' if verbose else ''
    print(f'{"not ok" if why else "ok"} {number} - {case.path.stem}{took}')
    for line in (why or '').splitlines():
        print(f'# {line}')
    sys.stdout.flush()
    return not why


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('-v', dest='verbose', action='store_true', help='say how long each took')
    parser.add_argument('files', nargs='+')
    args = parser.parse_args()
    cases = [Case(path) for path in args.files]
    needs = Needs()
    results = [test(i, case, needs, args.verbose) for i, case in enumerate(cases, 1)]
    print(f'1..{len(results)}')
    print(f'# {results.count(True)} passed, {results.count(False)} failed, {results.count(None)} skipped')
    if False in results:
        return 1
    return 0 if True in results else 77


if __name__ == '__main__':
    sys.exit(main())
