#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Summarises what the script mirror has noted.

mirror-report.py [--no-targets] NOTES

A line of NOTES is a key and a value: a number, text, or JSON. A key that comes several times is of several rounds.
Prints medians [least..most], and whether the targets are met. Exit status 1 if one is missed, unless --no-targets.
"""

import argparse
import collections
import json
import pathlib
import statistics
import sys

MS, US, KIB = 1000, 1, 1


def load(path):
    notes = collections.defaultdict(list)
    for line in path.read_text().splitlines():
        key, _, text = line.partition(' ')
        try:
            value = json.loads(text)
        except ValueError:
            value = text
        if isinstance(value, dict):
            for name, number in value.items():
                notes[f'{key}.{name}'].append(number)
        elif isinstance(value, list):
            for i, command in enumerate(value):
                for name, number in command.items():
                    notes[f'{key}.{i}.{name}'].append(number)
        else:
            notes[key].append(value)
    return notes


class Report:
    def __init__(self, notes):
        self.notes = notes
        self.missed = 0

    def has(self, key):
        return key in self.notes

    def median(self, key):
        return statistics.median(self.notes[key])

    def text(self, key, scale=1, digits=1):
        values = [v / scale for v in self.notes[key]]
        text = f'{statistics.median(values):,.{digits}f}'
        if len(values) > 1:
            text += f' [{min(values):,.{digits}f}..{max(values):,.{digits}f}]'
        return text

    def target(self, what, value, most=None, least=None):
        met = value <= most if most is not None else value >= least
        self.missed += not met
        bound = f'<= {most:g}' if most is not None else f'>= {least:g}'
        print(f'  {what}: {value:.3g}, target {bound}: {"met" if met else "MISSED"}')

    def memory(self):
        routes = self.median('with.routes') - self.median('without.routes')
        base = self.median('without.rss_kib')
        after = self.median('with.rss_kib') - base
        peak = self.median('with.peak_kib') - self.median('without.peak_kib')
        print(f'memory, {routes:,.0f} routes: {after * 1024 / routes:.1f} bytes a route when in step '
              f'({after / 1024:.1f} MiB above a daemon without them, {base / 1024:.1f} MiB), '
              f'at the peak {peak * 1024 / routes:.1f}, by its own account '
              f'{self.median("with.bytes") / routes:.1f}')
        if self.has('late.rss_kib'):
            late = self.median('late.rss_kib') - base
            print(f'  after all of the below {late * 1024 / routes:.1f} (peak '
                  f'{(self.median("late.peak_kib") - base) * 1024 / routes:.1f}, with a verify of all)')
        self.target('bytes a route', after * 1024 / routes, most=100)

    def start(self):
        print(f'synchronisation: {self.text("with.sync_us", MS)} ms, {self.text("with.wall_us", MS)} ms from the start '
              f'of the process to its first answer, processor {self.text("with.cpu_ns", 1000 * MS)} ms; '
              f'without routes {self.text("without.wall_us", MS)} ms; bare dump {self.text("dump.us", MS)} ms')
        self.target('synchronisation / bare dump', self.median('with.sync_us') / self.median('dump.us'), most=2)

    def lpm(self):
        self.target('misses of bench-lpm (its exit status)', self.median('lpm.missed'), most=0)

    def gets(self):
        for family, names in ('4', 'netctl route get, ip route get, netctl -j, ip -j'), ('6', 'IPv6: netctl, ip'):
            keys = sorted(k for k in self.notes if k.startswith(f'get{family}.') and k.endswith('.p50_us'))
            print(f'{names}: ' + ', '.join(
                f'{self.text(k)} (p90 {self.text(k.replace("p50", "p90"))}, processor '
                f'{self.text(k.replace("p50", "cpu"))})' for k in keys) + ' us')
            self.target(f'IPv{family}: netctl route get / ip route get',
                        self.median(keys[0]) / self.median(keys[1]), most=1)

    def lists(self):
        print(f'netctl -j route show table all: {self.text("lists.0.p50_us", MS)} ms, '
              f'ip: {self.text("lists.1.p50_us", MS)} ms')
        self.target('netctl / ip', self.median('lists.0.p50_us') / self.median('lists.1.p50_us'), most=1)

    def resync(self):
        print(f'resynchronisation of the links: {self.text("resync.us", MS)} ms, '
              f'three dumps by ip: {self.text("resync.ip_us", MS)} ms')
        self.target('ip / resynchronisation', self.median('resync.ip_us') / self.median('resync.us'), least=6)

    def storm(self):
        each = [c / m / 1000 for c, m in zip(self.notes['storm.cpu_ns'], self.notes['storm.events.messages'])]
        print(f'events: {self.text("storm.events.messages", digits=0)}, overruns '
              f'{self.text("storm.events.overruns", digits=0)}, resynchronisations '
              f'{self.text("storm.namespaces.resyncs", digits=0)}, {statistics.median(each):.2f} '
              f'[{min(each):.2f}..{max(each):.2f}] us of the processor each')
        self.target('us an event', statistics.median(each), most=3)

    def lose(self, family, name):
        keys = sorted((k for k in self.notes if k.startswith(f'lose.{family}.') and k.endswith('.p50_ns')),
                      key=lambda k: int(k.split('.')[2]))
        print(f'losing a link, {name}, the daemon\'s processor: ' + ', '.join(
            f'one of {k.split(".")[2]} {self.text(k, 1000)} us (mean {self.text(k.replace("p50", "mean"), 1000)})'
            for k in keys))
        self.target(f'{name}: one of many / one of ten', self.median(keys[-1]) / self.median(keys[0]), most=2)

    def readers(self):
        for kind in 'idle', 'stuck', 'reading':
            k = f'reader.{kind}'
            print(f'link dev lo, other reader {kind}: p50 {self.text(k + ".p50_us", MS, 2)} ms, p99 '
                  f'{self.text(k + ".p99_us", MS, 2)} ms, longest {self.text(k + ".max_us", MS, 2)} ms; memory +'
                  f'{self.median(k + ".rss_most_kib") - self.median(k + ".rss_kib"):.0f} KiB')
        self.target('stuck: KiB', self.median('reader.stuck.rss_most_kib') - self.median('reader.stuck.rss_kib'),
                    most=1023)
        self.target('stuck: p99 us', self.median('reader.stuck.p99_us'), most=10000)
        self.target('reading: p99 us', self.median('reader.reading.p99_us'), most=10000)

    def peers(self):
        for peer in 'bird', 'ndb':
            k = f'peer.{peer}'
            if self.has(k + '.verdict'):
                print(f'{peer}: {self.notes[k + ".verdict"][0]} after {self.text(k + ".us", 1000 * MS)} s, peak '
                      f'{self.text(k + ".peak_kib", 1024)} MiB, routes: {self.notes[k + ".count"][0]}')
        if self.has('with.peak_kib'):
            print(f'netctld: peak {self.text("with.peak_kib", 1024)} MiB')

    def turns(self):
        longest = 0
        for part in sorted({k.split('.')[1] for k in self.notes if k.startswith('turns.')}):
            k = f'turns.{part}.longest_'
            print(f'turns of the loop, {part}: longest {self.text(k + "turn_us", MS)} ms, processor '
                  f'{self.text(k + "cpu_us", MS)} ms; by what: ' + ', '.join(
                      f'{by} {self.text(k + by + "_us", MS)}' for by in ('events', 'results', 'chores', 'other'))
                  + f'; below 64, 128, ... us: {self.notes[f"turns.{part}.lengths"][0]}')
            longest = max(longest, self.median(k + 'cpu_us'))
        self.target('the longest turn in us of the processor', longest, most=10000)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--no-targets', action='store_true')
    parser.add_argument('notes', type=pathlib.Path)
    args = parser.parse_args()
    r = Report(load(args.notes))
    for key, show in (('with.rss_kib', r.memory), ('with.rss_kib', r.start), ('lpm.missed', r.lpm),
                      ('get4.0.p50_us', r.gets), ('lists.0.p50_us', r.lists), ('storm.cpu_ns', r.storm),
                      ('reader.stuck.p99_us', r.readers), ('resync.us', r.resync)):
        if r.has(key):
            show()
    for family, name in ('4', 'IPv6 off'), ('46', 'IPv6 on'):
        if r.has(f'lose.{family}.10.p50_ns'):
            r.lose(family, name)
    r.peers()
    r.turns()
    return 1 if r.missed and not args.no_targets else 0


sys.exit(main())
