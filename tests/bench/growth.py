#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shows how the cost of one pair grows with their number.

growth.py DIR

Reads DIR/N/results for each N that is there. Prints, for each variant, the median of a run divided by N, and how that of
the largest N compares with that of the smallest. What waiting for the kernel costs by itself (variant idle) is in it,
and counts for more the smaller N is.
"""
import collections
import json
import pathlib
import statistics
import sys

folder = pathlib.Path(sys.argv[1])
sizes = sorted(int(p.name) for p in folder.iterdir() if p.name.isdigit() and (p / 'results').exists())
runs = collections.defaultdict(lambda: collections.defaultdict(list))
for size in sizes:
    for line in (folder / str(size) / 'results').read_text().splitlines():
        record = json.loads(line)
        total = sum(s['wall_us'] for s in record['steps'] if 'phase' in s)
        runs[record['variant']][size].append(total)
print('microseconds a pair, by the number of pairs')
print(f'{"":<12}' + ''.join(f'{size:>9}' for size in sizes) + '   largest / smallest')
for name, by_size in runs.items():
    each = [statistics.median(by_size[size]) / size for size in sizes]
    print(f'{name:<12}' + ''.join(f'{us:>9.0f}' for us in each) + f'{each[-1] / each[0]:>12.2f}')
