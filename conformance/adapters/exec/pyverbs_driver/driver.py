"""The distribution's librdmacm, called through pyverbs, as a driver of cmcheck: the half that the suite talks to.

    driver.py CMCHECK

Each conversation has a simulated host of its own, by `CMCHECK app`, and a program on it: side.py.
"""

import ctypes
import os
import signal
import subprocess
import sys
import tempfile
from typing import Optional

import shared_lines

GREETING = """cmcheck-driver 1
name librdmacm by pyverbs
capabilities time races
without datagrams synchronous notify qp-attributes ece options migration
without endpoints multicast lookup devices written-events shared-queues data
topologies one-kernel-two-devices
clock virtual
ready"""
TOPOLOGY = "one-kernel-two-devices"
PYTHON = "/usr/bin/python3"     # the distribution's, which has its pyverbs
FOLDER = os.path.dirname(os.path.abspath(__file__))
UNSAYABLE = ("=null", "=family")   # addresses come from rdma_getaddrinfo here
LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1            # source: <linux/prctl.h>


class World:
    """A simulated host with the program on it."""

    def __init__(self, cmcheck: str) -> None:
        self.folder = tempfile.TemporaryDirectory()
        path = os.path.join(self.folder.name, "lines")
        shared_lines.create(path)
        self.box = shared_lines.SharedLines(path, 0)
        self.log = open(os.path.join(self.folder.name, "log"), "w+b")
        command = [cmcheck, "app", "--topology", TOPOLOGY, "--limit", "90000s", "--", PYTHON,
                   os.path.join(FOLDER, "side.py"), path]
        self.program = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
                                        preexec_fn=lambda: LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL))

    def answer(self) -> str:
        """Empty when the program has ended."""
        return self.box.receive(lambda: self.program.poll() is None)

    def close(self) -> None:
        self.program.wait()
        self.folder.cleanup()


def main() -> None:
    print(GREETING, flush=True)
    world: Optional[World] = None
    refusal = ""
    try:
        for line in sys.stdin:
            if world:
                world.box.send(line.rstrip("\r\n"))
                answer = world.answer()
                if not answer:
                    world.log.seek(0)
                    sys.exit("side.py has ended: " + world.log.read().decode(errors="replace"))
                if line.strip() == "end":
                    world.close()
                    world = None
                print(answer, flush=True)
            elif line.startswith("topology ") and line.split()[1] != TOPOLOGY:
                refusal = f"0s unsupported no topology {line.split()[1]}"
            elif any(word in line for word in UNSAYABLE) and not line.startswith("begin"):
                refusal = refusal or "0s unsupported addresses that are null pointers, or of no family"
            elif line.startswith("begin"):
                if not refusal:
                    world = World(sys.argv[1])
                    refusal = world.answer()
                print(refusal, flush=True)
                refusal = ""
    finally:
        if world:
            world.program.kill()


if __name__ == "__main__":
    main()
