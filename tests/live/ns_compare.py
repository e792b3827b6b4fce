#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares what netctl says of the links of all namespaces with the kernel's own word.

usage: ns_compare.py WALK NETCTL

WALK is the output of nswalk; labels "home" and "pid:..." are the daemon's own namespace and those without a name. NETCTL
is that of `netctl -a -j link`. Name, ifindex, kind, master and whether it is up must be the same for each link of each
namespace. Namespaces without a name are known by their cookies.
"""
import collections
import json
import sys


def read_walk(path):
    """Gives {label: {ifindex: (name, up, kind, master's ifindex)}} and {label: cookie}."""
    links, cookies = collections.defaultdict(dict), {}
    with open(path) as f:
        for line in f:
            label, what, *words = line.split()
            if what == "netns":
                cookies[label] = int(words[0])
                links[label] = {}
            elif what == "broken":
                sys.exit(f"{label}: {' '.join(words)}")
            elif what == "link":
                index, name, up, kind, _, master = words[:6]
                links[label][int(index)] = (name, up == "up", kind, int(master))
    return links, cookies


def read_netctl(path):
    """Gives the same by (name, cookie) of the namespace: the name of the daemon's own is "", and only those without a
    name (None) have a cookie."""
    with open(path) as f:
        text = f.read()
    objects, at, decoder = [], 0, json.JSONDecoder()
    while text[at:].strip():
        value, end = decoder.raw_decode(text[at:].lstrip())
        at = len(text) - len(text[at:].lstrip()) + end
        objects += value if isinstance(value, list) else [value]
    spaces = collections.defaultdict(dict)
    for o in objects:
        key = tuple(o.get(k) for k in ("netns", "netns_cookie"))
        if o["ifindex"] in spaces[key]:
            sys.exit(f"{key}: {o['ifindex']} twice")
        spaces[key][o["ifindex"]] = o
    out = {}
    for key, links in spaces.items():
        index = {o["ifname"]: i for i, o in links.items()}
        out[key] = {
            i: (o["ifname"], "UP" in o["flags"], o.get("linkinfo", {}).get("info_kind", "-"),
                index.get(o["master"], -1) if "master" in o else 0)
            for i, o in links.items()}
    return out


def differences(label, kernel, ours):
    for i in sorted(set(kernel) | set(ours)):
        if kernel.get(i) != ours.get(i):
            yield f"{label}: link {i}: the kernel says {kernel.get(i)}, netctl {ours.get(i)}"


def main():
    kernel, cookies = read_walk(sys.argv[1])
    ours = read_netctl(sys.argv[2])
    errors = []
    for key, links in ours.items():
        name, cookie = key
        label = name or "home"
        if cookie:
            label = next((k for k, v in cookies.items() if v == cookie), None)
        if label in kernel:
            errors += differences(label, kernel.pop(label), links)
        elif not cookie: # others without a name may be there: whatever runs on this machine
            errors.append(f"{label}: is not there")
    errors += [f"{label}: netctl does not tell of it" for label in kernel]
    for e in errors[:30]:
        print(e)
    print(f"{len(ours)} namespaces, {sum(len(v) for v in ours.values())} links, {len(errors)} differences")
    sys.exit(1 if errors else 0)


main()
