"""Libraries and tests whose sources are compiled several at a time.

Reading the headers of a source takes twice as long as the source itself, and its neighbours include
the same. So this cc_library writes its sources one after another into files of up to eight, and has
those compiled: less than half the time. The compiler's messages name the sources, and a change of
one compiles its file again. Two sources of a folder cannot both define the same file-local name
(`static`, anonymous namespace).

What interposes functions of the C library or renames them by macros, and what has the same names in
each source on purpose, is a cc_library of rules_cc, or says joined = False.

The tests of a package are compiled likewise and linked into one program, `joined_tests`. Each test
stays a target with its own data and size, and runs that program for the tests of its source only.

    bazel build --//tools:join_sources=false ...

compiles each by itself.
"""

load("@rules_cc//cc:defs.bzl", rules_cc_library = "cc_library", rules_cc_test = "cc_test")

SourcesInfo = provider(
    doc = "What a target of `srcs` stands for, where it is not files of the tree.",
    fields = {"files": "list of the sources and headers"},
)

_SettingInfo = provider(
    doc = "Whether sources are joined.",
    fields = {"value": "bool"},
)

def _setting_impl(ctx):
    return [_SettingInfo(value = ctx.build_setting_value)]

join_setting = rule(
    implementation = _setting_impl,
    build_setting = config.bool(flag = True),
)

# More in one file save little, and make the compiler's answer to a change of one slow.
_MOST = 8

# In tests each anonymous namespace gets the name of its source: what two of them call alike
# (`Run`, `kLine`) is not the same.
_JOIN = """
out=$1 named=$2; shift 2
for source; do
  printf '#line 1 "%s"\\n' "$source"
  if [ "$named" = named ]; then
    name=${source##*/}
    sed "s/^namespace {$/namespace of_${name%.cc} {/" "$source"
  else
    cat "$source"
  fi
done >"$out"
"""

def parts_of(sources):
    """The sources in lists that are compiled together: up to eight, of one folder.

    Args:
      sources: list of files
    Returns:
      list of lists of files
    """
    folders = {}
    for source in sources:
        folders.setdefault(source.dirname, []).append(source)
    parts = []
    for of_one in folders.values():
        count = (len(of_one) + _MOST - 1) // _MOST
        for i in range(count):
            parts.append(of_one[len(of_one) * i // count:len(of_one) * (i + 1) // count])
    return parts

def _joined_impl(ctx):
    sources = [f for f in ctx.files.srcs if f.extension == "cc"]
    others = [f for f in ctx.files.srcs if f.extension != "cc"]
    info = SourcesInfo(files = ctx.files.srcs)
    if len(sources) < 2 or not ctx.attr._join[_SettingInfo].value:
        return [DefaultInfo(files = depset(ctx.files.srcs)), info]

    way = "named" if ctx.attr.of_tests else "plain"
    outputs = []
    for part in parts_of(sources):
        output = ctx.actions.declare_file(
            "%s/%d%s.cc" % (ctx.label.name, len(outputs), "_test" if ctx.attr.of_tests else ""),
        )
        ctx.actions.run_shell(
            outputs = [output],
            inputs = part,
            command = _JOIN,
            arguments = [output.path, way] + [f.path for f in part],
            mnemonic = "JoinSources",
            progress_message = "Joining sources of %s" % ctx.label,
        )
        outputs.append(output)
    return [DefaultInfo(files = depset(outputs + others)), info]

_joined = rule(
    implementation = _joined_impl,
    attrs = {
        "srcs": attr.label_list(allow_files = True),
        "of_tests": attr.bool(),
        "_join": attr.label(default = "//tools:join_sources", providers = [_SettingInfo]),
    },
)

def sources_of(targets):
    """The files of the tree that the targets of an attribute `srcs` stand for.

    Args:
      targets: list of targets
    Returns:
      list of files
    """
    files = []
    for target in targets:
        files += target[SourcesInfo].files if SourcesInfo in target else target.files.to_list()
    return files

def cc_library(name, srcs = [], testonly = False, tags = [], joined = True, **kwargs):
    """A cc_library of rules_cc, whose sources are compiled several at a time.

    Args:
      name: of the library
      srcs: sources and headers
      testonly: as everywhere
      tags: as everywhere
      joined: whether its sources may be compiled together
      **kwargs: further attributes of the library
    """
    sources = [s for s in srcs if not s.endswith(".h")]
    if not joined or not sources or (len(sources) == 1 and sources[0].endswith(".cc")):
        rules_cc_library(name = name, srcs = srcs, testonly = testonly, tags = tags, **kwargs)
        return
    _joined(
        name = name + ".joined",
        srcs = srcs,
        tags = tags,
        testonly = testonly,
        visibility = ["//visibility:private"],
    )
    rules_cc_library(
        name = name,
        srcs = [":%s.joined" % name],
        testonly = testonly,
        tags = tags,
        **kwargs
    )

def _part_test_impl(ctx):
    executable = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(
        output = executable,
        target_file = ctx.executable.program,
        is_executable = True,
    )
    runfiles = ctx.runfiles(files = ctx.files.data + [ctx.executable.program])
    for target in ctx.attr.data + [ctx.attr.program]:
        runfiles = runfiles.merge(target[DefaultInfo].default_runfiles)
    return [
        DefaultInfo(executable = executable, runfiles = runfiles),
        ctx.attr.program[InstrumentedFilesInfo],
    ]

_part_test = rule(
    implementation = _part_test_impl,
    attrs = {
        "srcs": attr.label_list(allow_files = True),
        "deps": attr.label_list(),
        "data": attr.label_list(allow_files = True),
        "program": attr.label(executable = True, cfg = "target"),
        # Bazel looks for these two by name when it measures coverage.
        "_collect_cc_coverage": attr.label(
            default = "@bazel_tools//tools/test:collect_cc_coverage",
            executable = True,
            cfg = "exec",
        ),
        "_lcov_merger": attr.label(
            default = "@bazel_tools//tools/test:lcov_merger",
            executable = True,
            cfg = "exec",
        ),
    },
    test = True,
)

_MAIN = "@googletest//:gtest_main"

# What is built only when it is asked for stays by itself.
_RARE = ["deep", "hw", "lint", "manual"]

def cc_test(name, srcs = [], deps = [], data = [], tags = [], joined = True, **kwargs):
    """A cc_test of rules_cc, or a part of the package's `joined_tests`.

    A part is a test whose main function is GoogleTest's, and that asks for nothing unusual.
    All parts make the cases of each other: a test whose cases are files in its data says
    joined = False.

    Args:
      name: of the test; a part's is that of its source
      srcs: source and headers
      deps: as everywhere
      data: as everywhere
      tags: as everywhere
      joined: whether it may be a part
      **kwargs: further attributes
    """
    unusual = [k for k in kwargs if k not in ["flaky", "shard_count", "size", "timeout"]]
    rare = [t for t in tags if t in _RARE]
    is_part = joined and _MAIN in deps and name + ".cc" in srcs and not unusual and not rare
    if not is_part:
        rules_cc_test(name = name, srcs = srcs, deps = deps, data = data, tags = tags, **kwargs)
        return
    _part_test(
        name = name,
        srcs = srcs,
        deps = deps,
        data = data,
        tags = tags,
        program = ":joined_tests",
        **kwargs
    )

def joined_tests():
    """The program of the tests that the package has declared so far with cc_test."""
    rules = native.existing_rules()
    parts = [rules[r] for r in rules if rules[r]["kind"] == "_part_test"]
    deps = {d: True for part in parts for d in part["deps"] if d != _MAIN}
    _joined(
        name = "joined_tests.joined",
        srcs = {s: True for part in parts for s in part["srcs"]}.keys(),
        of_tests = True,
        tags = ["manual"],
        testonly = True,
        visibility = ["//visibility:private"],
    )
    rules_cc_test(
        name = "joined_tests",
        size = "small",
        srcs = [":joined_tests.joined"],
        tags = ["manual"],
        deps = sorted(deps.keys()) + ["//tools:joined_main"],
    )
