"""One driver with virtual time as two, for the tests: each side of its conversations asks through a process of its own.

    python3 shared_world.py FOLDER COMMAND               the process that comes first starts the driver
    python3 shared_world.py --lie N FOLDER COMMAND       gives another answer than it got to its Nth call of each conversation
    python3 shared_world.py --die N FOLDER COMMAND       ends at that call, in every conversation
"""
import argparse
import os
import re
import socket
import subprocess
import sys
import threading
from typing import Callable, Optional, TextIO


class World:
    """The driver, and the state of its conversation."""

    def __init__(self, command: str) -> None:
        self.driver = subprocess.Popen(command, shell=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.greeting = self.until(lambda line: line == "ready\n")
        self.lock = threading.Lock()
        self.open = False
        self.begun = self.ended = ""    # the driver's answers

    def until(self, last: Callable[[str], bool]) -> str:
        """What the driver sends, up to a line."""
        text = ""
        for line in self.driver.stdout:
            text += line
            if last(line):
                break
        return text

    def ask(self, request: str, answers: int = 1) -> str:
        """The driver's outcomes, with the messages before them."""
        self.driver.stdin.write(request)
        self.driver.stdin.flush()
        return "".join(self.until(lambda line: line.split()[1] not in ("mad", "tcp")) for _ in range(answers))

    def begin(self, request: str) -> str:
        """The driver hears of it from the first side only."""
        if not self.open:
            self.begun = self.ask(request)
            self.ended = ""
            self.open = self.begun.endswith(" begun\n")
        return self.begun

    def end(self) -> str:
        """The same; what has leaked is said once."""
        if self.open:
            self.ended = self.ask("end\n")
            self.open = False
            return self.ended
        return self.ended.split()[0] + " ended\n"

    def serve(self, asked: TextIO, answered: TextIO) -> None:
        """One side, until it asks no more."""
        header = ""
        speaking = False
        print(self.greeting, end="", file=answered, flush=True)
        for line in asked:
            more = [asked.readline() for _ in range(int(line.split()[1]))] if line.startswith("together ") else []
            with self.lock:
                if not speaking and not line.startswith("begin "):
                    header += line
                    continue
                if not speaking:
                    answer, header = self.begin(header + line), ""
                    speaking = answer.endswith(" begun\n")
                elif line == "end\n":
                    answer, speaking = self.end(), False
                else:
                    answer = self.ask(line + "".join(more), max(len(more), 1))
            print(answer, end="", file=answered, flush=True)


class Manners:
    """What a side makes of its answers: of the nth call."""

    def __init__(self, lie: Optional[int], die: Optional[int]) -> None:
        self.lie, self.die, self.calls, self.speaking = lie, die, 0, False

    def asked(self, line: str) -> None:
        """Count the calls of the conversation."""
        if line.startswith("begin ") or line == "end\n":
            self.calls, self.speaking = 0, line != "end\n"
        elif self.speaking:
            self.calls += " rdma_" in line
            if self.calls == self.die:
                os._exit(3)

    def answered(self, line: str) -> str:
        """A call that was answered 0 was refused, and a refused one for another reason."""
        if self.calls != self.lie:
            return line
        return re.sub(r" -1 E\w+$| 0\b.*$", " -1 EBUSY", line)


def pass_on(source: TextIO, sink: TextIO, change: Callable[[str], Optional[str]]) -> None:
    """Line by line, until there are no more."""
    for line in source:
        print(change(line) or line, end="", file=sink, flush=True)


def main() -> None:
    """Join the world of that folder, or make it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--lie", type=int)
    parser.add_argument("--die", type=int)
    parser.add_argument("folder")
    parser.add_argument("command")
    options = parser.parse_args()
    path = options.folder + "/world"
    stream = socket.socket(socket.AF_UNIX)
    try:
        stream.connect(path)
    except OSError:
        if os.path.exists(path):
            os.unlink(path)
        make_world(path, options.command)
        stream.connect(path)
    lines = stream.makefile("rw")
    manners = Manners(options.lie, options.die)

    def answer() -> None:
        try:
            pass_on(lines, sys.stdout, manners.answered)
        except ConnectionResetError:
            pass    # it had not read everything
        os._exit(4)    # the process that has made the world is gone

    threading.Thread(target=answer, daemon=True).start()
    pass_on(sys.stdin, lines, manners.asked)


def make_world(path: str, command: str) -> None:
    """It ends with this process."""
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(path)
    listening.listen()
    world = World(command)

    def serve_all() -> None:
        while True:
            stream = listening.accept()[0].makefile("rw")
            threading.Thread(target=world.serve, args=(stream, stream), daemon=True).start()

    threading.Thread(target=serve_all, daemon=True).start()


if __name__ == "__main__":
    main()
