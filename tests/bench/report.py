#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Summarises what bench-run has written.

report.py [--title TEXT] [--target A/B:R]... [--latency-target MS] [--no-targets]
          [--calls VARIANT=PHASE,PHASE...]... [--scale X] [--pairs N] [--seed-pair US] [--p50-target US] DIR

Reads DIR/*results. Prints, for each variant, the medians [least..most] of its phases and of their sum, and what it
sent and received. A target A/B:R says that the median of A is at least R times that of B; with a negative R, at most
-R times; a tool that measures itself counts without the start of its process. --latency-target: no variant's p99 of Status is above MS. --calls: DIR/calls-PHASE is what strace has shown
of a run with 1/X of the links. --pairs: a run has made and deleted so many of something; what one takes is shown, and
with --seed-pair there is a variant "seed" that takes US microseconds a pair. --p50-target: the median of the latencies
that a command has printed (p50_us) is at most US. Exit status 1 if a target is missed, unless --no-targets.
"""

import argparse
import collections
import json
import pathlib
import re
import statistics
import sys


def load(folder):
    records = []
    for path in sorted(folder.glob('*results')):
        with path.open() as f:
            records += [json.loads(line) for line in f]
    return records


def ms(values):
    """Median, least and most of microseconds, as text in milliseconds."""
    m = statistics.median(values) / 1000
    digits = 2 if m < 10 else 1 if m < 1000 else 0
    text = f'{m:.{digits}f}'
    if len(values) > 1:
        text += f' [{min(values) / 1000:.{digits}f}..{max(values) / 1000:.{digits}f}]'
    return text


def median_of(dicts, key):
    return round(statistics.median(d.get(key, 0) for d in dicts))


class Variant:
    """All rounds of one variant."""

    def __init__(self, name):
        self.name = name
        self.rounds = 0
        self.totals = []
        self.phases = collections.defaultdict(list)
        self.applies = []
        self.outputs = []
        self.background = []
        self.samples = collections.defaultdict(list)
        self.calls = collections.Counter()

    def add(self, record):
        total = 0
        for step in record['steps']:
            output = step.get('output', {})
            if 'samples' in output:
                self.samples[step['background']] += output['samples']
                self.calls[step['background']] += output['calls']
            if 'background' in step:
                self.background.append(step)
                continue
            total += step['wall_us']
            self.phases[step['phase']].append(step['wall_us'])
            if 'answer' in step:
                self.applies.append(step)
            elif output:
                self.outputs.append(output)
        if self.phases:
            self.totals.append(total)
        self.rounds += 1

    @property
    def median(self):
        """Of the totals; of a tool that measures itself, without the start of its process."""
        own = [o['us'] for o in self.outputs if 'us' in o]
        return statistics.median(own or self.totals)

    def print_pairs(self, pairs):
        print(f'{"":12} {self.median / pairs:>28.0f} us a pair')

    def print_percentiles(self):
        p = [o for o in self.outputs if 'p50_us' in o]
        if not p:
            return
        print(f'{"":12} {median_of(p, "calls")} single creations, from the call to the answer: '
              f'p50 {median_of(p, "p50_us")}, p99 {median_of(p, "p99_us")}, '
              f'longest {max(o["longest_us"] for o in p)} us'
              + (f'; a call that does nothing: {median_of(p, "status_us")} us' if median_of(p, 'status_us') else ''))

    def print_times(self):
        line = f'{self.name:<12} {ms(self.totals):>28} ms'
        if len(self.phases) > 1:
            line += '   ' + ', '.join(f'{p} {ms(v)}' for p, v in self.phases.items())
        print(line)
        parts = [k for k in ('new_us', 'up_us', 'addr_us') if self.outputs and k in self.outputs[0]]
        if parts:
            print(f'{"":12} {ms([o["us"] for o in self.outputs]):>28} ms without the start of the process:',
                  ', '.join(f'{k[:-3]} {ms([o[k] for o in self.outputs])}' for k in parts))
        if self.applies:
            last = self.applies[-1]['phase']
            inner = [a['answer']['result']['duration_us'] for a in self.applies if a['phase'] == last]
            print(f'{"":12} {ms(inner):>28} ms by the daemon\'s own clock (duration_us: sending and confirming)')

    def print_counts(self):
        if self.outputs and 'sends' in self.outputs[0]:
            o = self.outputs
            print(f'{self.name:<12} {median_of(o, "messages")} messages in {median_of(o, "sends")} sends, '
                  f'{median_of(o, "receives")} receives, {median_of(o, "events")} events read')
        if not self.applies:
            return

        last = self.applies[-1]['phase']

        def grown(group, key):
            return round(statistics.median(
                a['after'][group][key] - a['before'][group][key] for a in self.applies if a['phase'] == last))

        print(f'{self.name:<12} {grown("kernel", "messages")} messages in {grown("kernel", "sends")} sends, '
              f'{grown("kernel", "receives")} + {grown("events", "receives")} receives (answers, events), '
              f'{grown("events", "messages")} events read in {grown("events", "wakeups")} wakeups, '
              f'{grown("loop", "turns")} turns of the loop, '
              f'longest {max(a["after"]["loop"]["longest_turn_us"] for a in self.applies) / 1000:.1f} ms; '
              f'overruns: {grown("events", "overruns")}')
        users = [b['user_us'] for b in self.background if b['background'].startswith('/')]
        systems = [b['sys_us'] for b in self.background if b['background'].startswith('/')]
        if users:
            print(f'{"":12} processor time of the daemon from start to end: user {ms(users)}, system {ms(systems)} ms')

    def p(self, client, share):
        values = sorted(self.samples[client])
        return values[min(len(values) - 1, int(len(values) * share))] / 1000

    def print_latency(self):
        for client, values in sorted(self.samples.items(), reverse=True):
            print(f'{self.name:<12} {client}: {self.calls[client]} calls, p50 {self.p(client, 0.5):.2f} ms, '
                  f'p99 {self.p(client, 0.99):.2f} ms, longest {max(values) / 1000:.2f} ms')


def print_calls(args):
    for text in args.calls:
        name, phases = text.split('=')
        counts = collections.Counter()
        for phase in phases.split(','):
            path = args.folder / f'calls-{phase}'
            if not path.exists():
                return
            counts.update(re.findall(r'^(\w+)\(', path.read_text(), re.M))
        sends = (counts['sendmsg'] + counts['sendto']) * args.scale
        receives = (counts['recvmsg'] + counts['recvfrom']) * args.scale
        print(f'{name:<12} about {sends} messages in as many sends, {receives} receives, '
              f'{counts["socket"] * args.scale} sockets (strace of 1/{args.scale} of the links)')


def check(variants, args):
    missed = 0
    for text in args.target:
        pair, bound = text.rsplit(':', 1)
        a, b = pair.split('/')
        if a not in variants or b not in variants:
            continue
        ratio, bound = variants[a].median / variants[b].median, float(bound)
        met = ratio >= bound if bound > 0 else ratio <= -bound
        missed += not met
        print(f'{pair}: {ratio:.2f}, target {">=" if bound > 0 else "<="} {abs(bound):g}: {"met" if met else "MISSED"}')
    for v in variants.values():
        if args.p50_target and any('p50_us' in o for o in v.outputs):
            p50 = median_of([o for o in v.outputs if 'p50_us' in o], 'p50_us')
            met = p50 <= args.p50_target
            missed += not met
            print(f'{v.name}: p50 {p50} us, target <= {args.p50_target:g} us: {"met" if met else "MISSED"}')
        if args.latency_target and 'status' in v.samples:
            p99 = v.p('status', 0.99)
            met = p99 <= args.latency_target
            missed += not met
            print(f'{v.name}: p99 {p99:.2f} ms, target <= {args.latency_target:g} ms: '
                  f'{"met" if met else "MISSED"}')
    return missed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--title', default='')
    parser.add_argument('--target', action='append', default=[])
    parser.add_argument('--latency-target', type=float)
    parser.add_argument('--p50-target', type=float)
    parser.add_argument('--pairs', type=int)
    parser.add_argument('--seed-pair', type=float)
    parser.add_argument('--no-targets', action='store_true')
    parser.add_argument('--calls', action='append', default=[])
    parser.add_argument('--scale', type=int, default=1)
    parser.add_argument('folder', type=pathlib.Path)
    args = parser.parse_args()

    variants = {}
    for record in load(args.folder):
        if record['variant'] != 'count':
            variants.setdefault(record['variant'], Variant(record['variant'])).add(record)
    rounds = max(v.rounds for v in variants.values())
    if args.pairs and args.seed_pair:
        variants['seed'] = Variant('seed')
        variants['seed'].totals.append(args.pairs * args.seed_pair)
    print(f'{args.title}: medians of {rounds} rounds [least..most]')
    for v in variants.values():
        if v.totals:
            v.print_times()
            if args.pairs:
                v.print_pairs(args.pairs)
            v.print_percentiles()
    print()
    for v in variants.values():
        v.print_counts()
        v.print_latency()
    print_calls(args)
    print()
    missed = check(variants, args)
    return 1 if missed and not args.no_targets else 0


sys.exit(main())
