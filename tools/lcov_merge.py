#!/usr/bin/env python3
"""Turns gcov JSON and lcov files into one lcov file.

Bazel downloads a Java program for this; the stand-in lets `bazel coverage`
work where there is nothing to download from.  Bazel calls it twice: per test
with --coverage_dir, and at the end with --reports_file.
"""
import argparse
import collections
import gzip
import json
import os
import re

parser = argparse.ArgumentParser()
parser.add_argument("--coverage_dir")
parser.add_argument("--reports_file")
parser.add_argument("--output_file", required=True)
parser.add_argument("--filter_sources", action="append", default=[])
args, _ = parser.parse_known_args()

lines = collections.defaultdict(collections.Counter)
functions = collections.defaultdict(collections.Counter)
starts = collections.defaultdict(dict)


def wanted(path):
    return not any(re.fullmatch(f, path) for f in args.filter_sources)


def read_gcov(path):
    with gzip.open(path, "rt") as stream:
        for source in json.load(stream)["files"]:
            name = re.sub(r"^/proc/self/cwd/", "", source["file"])
            if not wanted(name):
                continue
            for line in source["lines"]:
                lines[name][line["line_number"]] += line["count"]
            for fn in source["functions"]:
                starts[name][fn["name"]] = fn["start_line"]
                functions[name][fn["name"]] += fn["execution_count"]


def read_lcov(path):
    name = None
    with open(path) as stream:
        for record in stream:
            key, _, value = record.strip().partition(":")
            if key == "SF":
                name = value if wanted(value) else None
            elif name is None:
                continue
            elif key == "DA":
                number, count = value.split(",")[:2]
                lines[name][int(number)] += int(count)
            elif key == "FN":
                number, fn = value.split(",", 1)
                starts[name][fn] = int(number)
            elif key == "FNDA":
                count, fn = value.split(",", 1)
                functions[name][fn] += int(count)


if args.reports_file:
    with open(args.reports_file) as stream:
        inputs = [p for p in stream.read().split() if os.path.exists(p)]
else:
    inputs = [os.path.join(d, f)
              for d, _, files in os.walk(args.coverage_dir) for f in files]
for path in sorted(inputs):
    if path.endswith(".gcov.json.gz"):
        read_gcov(path)
    elif path.endswith(".dat") and not path.endswith("baseline_coverage.dat"):
        read_lcov(path)

with open(args.output_file, "w") as out:
    for name in sorted(lines):
        print("SF:" + name, file=out)
        for fn, start in sorted(starts[name].items(), key=lambda i: i[1]):
            print("FN:%d,%s" % (start, fn), file=out)
            print("FNDA:%d,%s" % (functions[name][fn], fn), file=out)
        for number, count in sorted(lines[name].items()):
            print("DA:%d,%d" % (number, count), file=out)
        print("LF:%d" % len(lines[name]), file=out)
        print("LH:%d" % sum(1 for c in lines[name].values() if c), file=out)
        print("end_of_record", file=out)
