"""Runs rdma-core's own Python tests of rdma_cm, and compares what becomes of them with a list.

usage: cmcheck app -- /usr/bin/python3 run_pyverbs.py FOLDER LIST [NAME...]

FOLDER is what unpack_pyverbs.sh has laid out. A NAME is a module of it, MODULE.CLASS or
MODULE.CLASS.TEST; without one, those of rdma_cm are run. A line of LIST is "passed TEST",
"failed TEST: REASON" or "skipped TEST: REASON"; lines that begin with # say why.
Exit code: 0 all is as listed, 1 it is not.
"""

import sys
import types
import unittest

MODULES = ["test_rdmacm", "test_mlx5_rdmacm"]


class Outcomes(unittest.TestResult):
    """Prints what becomes of each test, and keeps it."""

    def __init__(self):
        super().__init__()
        self.lines = []

    def _note(self, outcome, test, reason=None):
        line = f"{outcome} {test.id().removeprefix('tests.')}"
        if reason is not None:
            line += ": " + " ".join(str(reason).split())
        self.lines.append(line)
        print(line, flush=True)

    def addSuccess(self, test):
        self._note("passed", test)

    def addSkip(self, test, reason):
        self._note("skipped", test, reason)

    def addFailure(self, test, err):
        self._note("failed", test, err[1])

    addError = addFailure

    def count(self, outcome):
        return sum(line.startswith(outcome + " ") for line in self.lines)


def load(folder, names):
    # The package of the tests loads all of them, of all kinds of devices, when it is imported.
    package = types.ModuleType("tests")
    package.__path__ = [folder]
    sys.modules["tests"] = package
    sys.path.insert(0, folder)
    # Options of the tests are read from the arguments of the program.
    sys.argv[1:] = []
    from args_parser import parser  # of the folder
    parser.parse_args()
    return unittest.defaultTestLoader.loadTestsFromNames(["tests." + name for name in names])


def read_list(path):
    with open(path, encoding="utf-8") as lines:
        return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def main():
    folder, list_path, *names = sys.argv[1:]
    listed = read_list(list_path)
    outcomes = Outcomes()
    load(folder, names or MODULES).run(outcomes)
    print(f"{outcomes.count('passed')} passed, {outcomes.count('failed')} failed, "
          f"{outcomes.count('skipped')} skipped")
    unlisted = sorted(set(outcomes.lines) - set(listed))
    missing = sorted(set(listed) - set(outcomes.lines))
    for line in unlisted:
        print(f"not listed: {line}")
    for line in missing:
        print(f"listed, and not so: {line}")
    return 1 if unlisted or missing else 0


if __name__ == "__main__":
    sys.exit(main())
