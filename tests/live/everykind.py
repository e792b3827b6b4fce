#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""For tests/live/everykind.sh: is what netctl prints what iproute2 prints?

usage: everykind.py same NETNS OBJECT...     NETNS "" is the daemon's own
       everykind.py verified FILE LIST       FILE is what `netctl -a -j verify` printed

same: each OBJECT as JSON, as a set by identity, without the keys of tests/volatile.txt; prints how many there are.
verified: every type has objects; the fields that libnl's reading was compared with and what is skipped are exactly
those of LIST, and at least its attributes were compared byte by byte, but for those marked as newer.
"""
import collections
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import json_compare  # noqa: E402
import json_sets  # noqa: E402

here = os.path.dirname(os.path.abspath(__file__))
volatile = json_compare.read_volatile(os.path.join(here, "..", "volatile.txt"))

# The words of netctl, and those of iproute2, the answers to which are one after the other.
OBJECTS = {
    "link": (["link"], ["ip -j -d link"]),
    "addr": (["address"], ["ip -j addr"]),
    "route": (["-4 route show table all", "-6 route show table all"],
              ["ip -4 -j -d route show table all", "ip -6 -j -d route show table all"]),
    "rule": (["-4 rule", "-6 rule"], ["ip -4 -j -d rule", "ip -6 -j -d rule"]),
    "nexthop": (["nexthop"], ["ip -j -d nexthop"]),
    "neigh": (["neigh show nud all"], ["ip -j -d neigh show nud all"]),
    "proxy": (["neigh show proxy"], ["ip -j -d neigh show proxy"]),
    "fdb": (["fdb"], ["bridge -j -d fdb"]),
    "maddr": (["maddr"], ["ip -j maddr"]),
    "netns": (["netns list"], ["ip -j netns list"]),
}


def run(command, hook):
    text = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
    return json.loads(text, object_pairs_hook=hook) if text.strip() else []


def ours(netns, words):
    space = ["-n", netns] if netns and words != "netns list" else []
    return run(["netctl", *space, "-j", *words.split()], json_sets.without_repeats)


def theirs(netns, words):
    tool, *rest = words.split()
    return run([tool, *(["-n", netns] if netns else []), *rest], json_sets.name_apart)


def as_maddr(links):
    """One object an entry; a link without any is none."""
    return [{"ifindex": link["ifindex"], "ifname": link["ifname"], **e} for link in links for e in link.get("maddr", [])]


def as_netns(names):
    """netctl has more to tell of each, and further names of one."""
    return [{k: e[k] for k in ("name", "id") if k in e} for e in names]


def same(netns, what):
    mine, other = ([o for words in side for o in ask(netns, words) if o] for side, ask in
                   zip(OBJECTS[what], (ours, theirs)))
    compare = json_compare.compare
    if what == "link":
        errors = compare(what, json_compare.links(other), json_compare.links(mine), volatile)
        return len(other), errors
    if what == "addr":
        errors = compare("address's link", json_compare.links(other), json_compare.links(mine), volatile)
        a, b = json_compare.addresses(other), json_compare.addresses(mine)
        return len(a), errors + compare("address", a, b, volatile)
    shape = {"maddr": as_maddr, "netns": as_netns}.get(what, list)
    a, b = (json_sets.bag(shape(side), volatile) for side in (other, mine))
    return a.total(), ([f"{what}: only iproute2 has {o}" for o in sorted((a - b).elements())] +
                       [f"{what}: only netctl has   {o}" for o in sorted((b - a).elements())])


def all_same(netns, *objects):
    counts, failed = [], False
    for what in objects:
        n, errors = same(netns, what)
        counts.append(f"{n} {what}")
        failed |= bool(errors)
        for e in errors[:20]:
            print("#", e[:1000])
        if errors[20:]:
            print(f"# and {len(errors) - 20} more")
    print(f"# {netns or 'home'}: {', '.join(counts)}")
    return not failed


def read_list(path):
    """{(type, "libnl" | "skipped" | "attributes"): {name: marked as newer}}"""
    out = collections.defaultdict(dict)
    with open(path) as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                of, what, name, mark = re.fullmatch(r"(\w+) (\w+) (.+?)( \(newer\))?\n", line).groups()
                out[of, what][name] = bool(mark)
    return out


def verified(path, wanted):
    wanted = read_list(wanted)
    found = collections.defaultdict(set)
    errors = []
    with open(path) as f:
        for space in json.load(f):
            if not space["report"]["equal"]:
                errors.append(f"{space['netns']}: {json.dumps(space)[:2000]}")
            for of, report in space["report"]["types"].items():
                if report["objects"]:
                    found[of, "objects"].add("any")
                for what in ("attributes", "libnl", "skipped"):
                    found[of, what] |= {name for name, n in report.get(what, {}).items() if n}
    for of in sorted({of for of, _ in wanted}):
        if not found[of, "objects"]:
            errors.append(f"there is no {of}")
        for what in ("attributes", "libnl", "skipped"):
            want, got = wanted[of, what], found[of, what]
            errors += [f"{of}: {what}: {name} is missing" for name in sorted(set(want) - got) if not want[name]]
            if what != "attributes":
                errors += [f"{of}: {what}: {name} is one too many" for name in sorted(got - set(want))]
    for e in errors:
        print("#", e)
    return not errors


verb, *args = sys.argv[1:]
sys.exit(0 if {"same": all_same, "verified": verified}[verb](*args) else 1)
