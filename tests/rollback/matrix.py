#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The way back, from each step of an apply.

    matrix.py [--every N] FILE...   run by matrix.sh; NETCTLD_BUILD says whose programs, with the faults of tests in

A file holds two configurations, with a line "---" between them, and comments as in tests/keys/effects.py:

    # needs: vlan vrf     what the kernel must have, else the file is skipped by name
    # setup: COMMAND      of sh, before the daemon starts
    # foreign: COMMAND    of sh, when the first configuration is in force
    # netns: t1 t2        namespaces to be compared, too
    # watch: COMMAND      of sh: what it prints is compared, too
    # apply: OPTION...    more words for netctl apply

The first one is applied, then the second one on top of it: with --confirm, and taken back; made to fail at its first step,
at its second one, and so on until there is none left; and with the daemon killed with SIGKILL before each of its steps,
and started again; and killed before every other step of the way back. Each time all links, addresses, routes, rules, next
hops, permanent neighbours and bridge VLANs must be what they were.
--every N: only each N-th step is killed (all are refused).
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "keys"), str(HERE.parent / "live")]

import effects  # noqa: E402
import state  # noqa: E402

LIMIT = 60  # seconds for each thing that is waited for: only to end a broken test
STEPS_MAX = 400
COMMANDS = ["link show", "addr show", "route show table all", "rule show", "-6 rule show", "nexthop show",
            "neigh show nud permanent", "neigh show proxy"]
WORDS = ("needs", "setup", "foreign", "netns", "watch", "apply")


def arrays_of(text):
    """One value for each command of a batch: they stand one behind the other."""
    decoder, at = json.JSONDecoder(), 0
    while True:
        while at < len(text) and text[at].isspace():
            at += 1
        if at == len(text):
            return
        value, at = decoder.raw_decode(text, at)
        yield value


def ask(netns, commands):
    """Objects of a namespace, by one process. "-6 rule" is no line of a batch: its family is said by the option."""
    objects = set()
    for family in ("", "-6"):
        lines = [c.removeprefix("-6 ") for c in commands if c.startswith("-6") == bool(family)]
        words = ["ip", *(["-n", netns] if netns else []), *([family] if family else []), "-j", "-d", "-batch", "-"]
        p = subprocess.run(words, input="\n".join(lines), text=True, capture_output=True, check=False)
        values = list(arrays_of(p.stdout))
        if p.returncode or len(values) != len(lines):
            raise effects.Failed(f"{' '.join(words)}: {p.stderr}")
        for line, value in zip(lines, values):
            objects |= state.objects_of(f"netns {netns}" if netns else "", f"ip {family} {line}", value)
    return objects


def snapshot(case):
    objects = ask("", case.commands)
    for netns in case.split("netns"):
        if os.path.exists(f"/run/netns/{netns}"):
            objects |= ask(netns, case.commands)
        else:
            objects.add(f"no netns {netns}")
    for command in case.words["watch"]:
        objects |= state.objects_of("", command, [{"output": effects.run(["sh", "-c", command]).stdout}])
    p = subprocess.run(["bridge", "-j", "vlan", "show"], text=True, capture_output=True, check=False)
    return objects | state.objects_of("", "bridge vlan", json.loads(p.stdout or "[]"))


class Case:
    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.words = {word: [] for word in WORDS}
        text = self.path.read_text(encoding="utf-8")
        for line in text.splitlines():
            found = re.match(r"\s*# ?([a-z]+): *(.*\S)", line)
            if found and found.group(1) in self.words:
                self.words[found.group(1)].append(found.group(2))
        self.before, self.after = re.split(r"^---\n", text, flags=re.M)
        self.commands = list(COMMANDS)

    def split(self, word):
        return " ".join(self.words[word]).split()


class Daemon:
    """The daemon, its files, and netctl."""

    def __init__(self, folder):
        self.folder, self.process = folder, None
        self.fault = folder / "fault"
        (folder / "conf").mkdir()
        (folder / "run").mkdir(mode=0o700)
        folder.chmod(0o711)
        os.environ["NETCTL_RUNTIME"] = str(folder / "run")
        os.environ["NETCTLD_TEST_FAULT"] = str(self.fault)

    def start(self):
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                ["netctld", "-r", self.folder / "run", "-c", self.folder / "conf"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.until("the daemon answers", lambda: self.state() in ("settled", "idle", "to-be-confirmed", "failed"))

    def state(self):
        if self.process.poll() is not None:
            raise effects.Failed(f"the daemon died\n{self.log()}")
        p = effects.run(["netctl", "-j", "status"])
        return json.loads(p.stdout)["state"] if p.returncode == 0 else None

    def until(self, what, condition):
        end = time.monotonic() + LIMIT
        while not condition():
            if time.monotonic() > end:
                raise effects.Failed(f"not within {LIMIT} s: {what}\n{self.log()}")
            time.sleep(0.01)

    def log(self):
        return (self.folder / "log").read_text(errors="replace")[-3000:]

    def apply(self, path, *options):
        return effects.run(["netctl", "apply", *options, path])

    def set_fault(self, text):
        self.fault.write_text(text)

    def stop(self):
        if self.process:
            self.process.terminate()
            self.process.wait()


def settle(case):
    """The state, when it does not change any more: carriers and DAD take their time."""
    last = snapshot(case)
    for _ in range(100):
        time.sleep(0.1)
        now = snapshot(case)
        if now == last:
            return now
        last = now
    return last


def compare(case, before, what, daemon):
    end = time.monotonic() + 10
    while True:
        now = snapshot(case)
        if now == before:
            return
        if time.monotonic() > end:
            lines = "\n".join(state.differences(before, now))
            raise effects.Failed(f"{what}: not as before\n{lines}\n{daemon.log()}")
        time.sleep(0.05)


class Matrix:
    def __init__(self, case, folder, every):
        self.case, self.every, self.daemon = case, every, Daemon(folder)
        self.before, self.after = folder / "before.yaml", folder / "after.yaml"
        self.before.write_text(case.before)
        self.after.write_text(case.after)
        self.options = case.split("apply")
        self.refused = self.killed = self.killed_back = 0

    def first(self):
        p = self.daemon.apply(self.before, "--allow-recreate", *self.options)
        if p.returncode:
            raise effects.Failed(f"the first configuration: exit status {p.returncode}\n{p.stdout}")

    def confirms(self):
        p = self.daemon.apply(self.after, "--confirm", "3600", *self.options)
        if p.returncode:
            raise effects.Failed(f"--confirm: exit status {p.returncode}\n{p.stdout}\n{self.daemon.log()}")
        effects.need(["netctl", "rollback"], "netctl rollback")
        compare(self.case, self.state, "taken back", self.daemon)
        p = self.daemon.apply(self.after, "--confirm", "1", *self.options)
        if p.returncode:
            raise effects.Failed(f"--confirm 1: exit status {p.returncode}\n{p.stdout}")
        self.daemon.until("the time is over", lambda: self.daemon.state() == "settled")
        compare(self.case, self.state, "not confirmed", self.daemon)

    def refusals(self):
        for n in range(1, STEPS_MAX):
            self.daemon.set_fault(f"refuse {n}")
            p = self.daemon.apply(self.after, *self.options)
            self.daemon.set_fault("")
            if p.returncode == 0:
                return
            if p.returncode != 4 or "refused for a test" not in p.stdout:
                raise effects.Failed(f"refused at step {n}: exit status {p.returncode}\n{p.stdout}\n{self.daemon.log()}")
            compare(self.case, self.state, f"refused at step {n}:\n{p.stdout}", self.daemon)
            self.refused += 1
        raise effects.Failed("too many steps")

    def kills(self):
        for n in range(1, STEPS_MAX, self.every):
            self.daemon.set_fault(f"kill {n}")
            p = self.daemon.apply(self.after, *self.options)
            self.daemon.set_fault("")
            if p.returncode == 0:
                return
            self.daemon.until("the daemon is dead", lambda: self.daemon.process.poll() is not None)
            self.daemon.start()
            self.daemon.until("settled", lambda: self.daemon.state() == "settled")
            compare(self.case, self.state, f"killed at step {n}:\n{p.stdout}", self.daemon)
            self.killed += 1

    def kills_back(self):
        """On the way back from a refusal near the end of the apply."""
        for n in range(1, STEPS_MAX, 2 * self.every):
            self.daemon.set_fault(f"refuse {self.refused * 3 // 4 or 1}\nkill-back {n}\n")
            p = self.daemon.apply(self.after, *self.options)
            self.daemon.set_fault("")
            if p.returncode == 4:
                compare(self.case, self.state, "refused once more", self.daemon)
                return
            self.daemon.until("the daemon is dead", lambda: self.daemon.process.poll() is not None)
            self.daemon.start()
            self.daemon.until("settled", lambda: self.daemon.state() == "settled")
            compare(self.case, self.state, f"killed at step {n} of the way back:\n{p.stdout}", self.daemon)
            self.killed_back += 1

    def run(self):
        for command in self.case.words["setup"]:
            effects.need(["sh", "-c", command], command)
        self.daemon.start()
        try:
            self.first()
            for command in self.case.words["foreign"]:
                effects.need(["sh", "-c", command], command)
            self.state = settle(self.case)
            self.confirms()
            self.refusals()
            self.first()
            for command in self.case.words["foreign"]:
                effects.run(["sh", "-c", command])
            self.state = settle(self.case)
            self.kills_back()
            self.kills()
        finally:
            self.daemon.stop()


def run_case(case, every, report):
    folder = pathlib.Path(tempfile.mkdtemp())
    try:
        m = Matrix(case, folder, every)
        m.run()
        report.write_text(f"{m.refused} steps refused, {m.killed} killed, {m.killed_back} on the way back")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    needs, failed, ran = effects.Needs(), 0, 0
    report = pathlib.Path(tempfile.mkstemp()[1])
    for i, path in enumerate(args.files, 1):
        case = Case(path)
        missing = [w for w in case.split("needs") if not needs.has(w)]
        if not needs.has("nexthop"):
            case.commands.remove("nexthop show")
        if missing:
            print(f"ok {i} - {case.path.stem} # SKIP without {' '.join(missing)}", flush=True)
            continue
        began = time.monotonic()
        error = effects.in_child(run_case, case, args.every, report)
        seconds = time.monotonic() - began
        ran += 1
        if error:
            failed += 1
            print(f"not ok {i} - {case.path.stem}", flush=True)
            print("\n".join(f"# {line}" for line in error.splitlines()), flush=True)
        else:
            print(f"ok {i} - {case.path.stem}: {report.read_text()}, each is as before; {seconds:.0f} s", flush=True)
    report.unlink()
    print(f"1..{len(args.files)}")
    sys.exit(1 if failed else 0 if ran else 77)


main()
