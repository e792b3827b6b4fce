#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""For tests/live/maddr.sh: compares and explains multicast memberships in ip's JSON, and joins groups."""
import json
import os
import socket
import struct
import sys


def entries(links):
    """{(ifindex, name): set of entries}; a link without any is none."""
    return {(link["ifindex"], link["ifname"]): {json.dumps(e, sort_keys=True) for e in link["maddr"]}
            for link in links if link.get("maddr")}


def same(theirs, ours):
    a, b = entries(json.load(open(theirs))), entries(json.load(open(ours)))
    for link in sorted(a.keys() | b.keys()):
        for entry in sorted(a.get(link, set()) ^ b.get(link, set())):
            print("#", "ip:" if entry in a.get(link, set()) else "netctl:", link, entry)
    print("#", sum(map(len, a.values())), "entries on", len(a), "links")
    return a == b


def explained(path):
    good = True
    for link in json.load(open(path)):
        for e in link["maddr"]:
            if "link" in e and (e.get("missing") or not e["why"] or any(w["by"] == "unknown" for w in e["why"])):
                print("#", link["ifname"], json.dumps(e))
                good = False
    return good


def reasons(path, wanted):
    """Each line of wanted: a device, an address, and by whom it is wanted there."""
    by = {}
    for link in json.load(open(path)):
        for e in link["maddr"]:
            words = [" ".join([w["by"]] + [w[k] for k in ("address", "dev") if k in w]) for w in e.get("why", [])]
            by[link["ifname"], e.get("link")] = ", ".join(words)
    good = True
    for line in open(wanted):
        dev, mac, want = line.rstrip("\n").split(" ", 2)
        if by.get((dev, mac)) != want:
            print("#", dev, mac, "want:", want, "got:", by.get((dev, mac)))
            good = False
    return good


def join(dev, group4, group6):
    s4, s6 = (socket.socket(f, socket.SOCK_DGRAM) for f in (socket.AF_INET, socket.AF_INET6))
    index = socket.if_nametoindex(dev)
    s4.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
                  struct.pack("=4s4si", socket.inet_pton(socket.AF_INET, group4), bytes(4), index))
    s6.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP,
                  socket.inet_pton(socket.AF_INET6, group6) + struct.pack("=i", index))
    print("joined", flush=True)
    os.read(0, 1)
    return True


def main():
    verb, args = sys.argv[1], sys.argv[2:]
    if verb == "all":
        names = {link["ifname"] for link in json.load(open(args[0])) if "netns" in link}
        return set(args[1:]) <= names
    return {"same": same, "explained": explained, "reasons": reasons, "join": join}[verb](*args)


sys.exit(0 if main() else 1)
