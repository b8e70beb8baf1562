#!/usr/bin/env python3
"""Writes compile_commands.json at the workspace root (clangd, clang-tidy)."""
import json
import os
import subprocess
import sys

bazel = os.environ.get("BAZEL", "bazel")
here = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
root = subprocess.check_output([bazel, "info", "workspace"], cwd=here, text=True,
                               stderr=subprocess.DEVNULL).strip()
actions = json.loads(subprocess.check_output(
    [bazel, "aquery", 'mnemonic("CppCompile", //...)', "--output=jsonproto",
     "--//tools:join_sources=false"]
    + sys.argv[1:], cwd=here, text=True, stderr=subprocess.DEVNULL))
database, seen = [], set()
for action in actions.get("actions", []):
    arguments = [a for a in action["arguments"]
                 if a not in ("-fno-canonical-system-headers",
                              "-Wno-free-nonheap-object")]
    source = arguments[arguments.index("-c") + 1]
    if source.startswith("external/") or source in seen:
        continue
    seen.add(source)
    arguments[0] = "clang++"
    database.append({"directory": root, "file": source,
                     "arguments": arguments})
database.sort(key=lambda entry: entry["file"])
with open(os.path.join(root, "compile_commands.json"), "w") as out:
    json.dump(database, out, indent=1)
print("%d files" % len(database))
