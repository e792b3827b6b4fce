#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""jobs.py tty COLUMNS FILE COMMAND...   runs COMMAND on a terminal that wide; what it writes to it goes to FILE, a line
                                       each time that it goes back to the first column. Its exit status.
jobs.py times N COMMAND...             runs COMMAND N times; prints the median, the 99th percentile and the longest time
                                       that it took, in milliseconds"""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
import time


def tty(columns, path, command):
    pid, fd = pty.fork()
    if pid == 0:
        fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack("HHHH", 25, columns, 0, 0))
        os.environ["TERM"] = "xterm"
        os.execvp(command[0], command)
    out = b""
    while True:
        try:
            data = os.read(fd, 65536)
        except OSError:
            break
        if not data:
            break
        out += data
    with open(path, "wb") as f:
        f.write(out.replace(b"\r\n", b"\n").replace(b"\r", b"\n"))
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def times(n, command):
    took = []
    for _ in range(n):
        began = time.monotonic()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        took.append((time.monotonic() - began) * 1000)
    took.sort()
    print(f"{took[n // 2]:.1f} {took[min(n - 1, n * 99 // 100)]:.1f} {took[-1]:.1f}")
    return 0


if __name__ == "__main__":
    if sys.argv[1] == "tty":
        sys.exit(tty(int(sys.argv[2]), sys.argv[3], sys.argv[4:]))
    sys.exit(times(int(sys.argv[2]), sys.argv[3:]))
