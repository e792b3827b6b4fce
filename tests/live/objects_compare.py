#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares two lists of JSON objects as sets: every object of one must be in the other, with the same members.

usage: objects_compare.py THEIRS OURS [KEY...]

Members named KEY are left out wherever they are.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from json_sets import bag, load  # noqa: E402


def main():
    theirs, ours = (bag(load(path, dict), sys.argv[3:]) for path in sys.argv[1:3])
    for text, n in sorted((theirs - ours).items()):
        print(f'they: {n} x {text}')
    for text, n in sorted((ours - theirs).items()):
        print(f'we:   {n} x {text}')
    print(f'{sum(ours.values())} objects')
    return theirs != ours or not ours


if __name__ == '__main__':
    sys.exit(main())
