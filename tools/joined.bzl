"""Libraries whose sources are compiled several at a time.

Reading the headers of a source takes twice as long as the source itself, and its neighbours include
the same. So this cc_library writes its sources one after another into files of up to eight, and has
those compiled: less than half the time. The compiler's messages name the sources, and a change of
one compiles its file again. Two sources of a folder cannot have the same name each for itself
(`static`, anonymous namespace).

What interposes functions of the C library or renames them by macros, and what has the same names in
each source on purpose, is a cc_library of rules_cc.

    bazel build --//tools:join_sources=false ...

compiles each by itself.
"""

load("@rules_cc//cc:defs.bzl", rules_cc_library = "cc_library")

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

_JOIN = """
out=$1; shift
for source; do
  printf '#line 1 "%s"\\n' "$source"
  cat "$source"
done >"$out"
"""

def _parts(sources):
    """Lists of sources of one folder each."""
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

    outputs = []
    for part in _parts(sources):
        output = ctx.actions.declare_file("%s/%d.cc" % (ctx.label.name, len(outputs)))
        ctx.actions.run_shell(
            outputs = [output],
            inputs = part,
            command = _JOIN,
            arguments = [output.path] + [f.path for f in part],
            mnemonic = "JoinSources",
            progress_message = "Joining sources of %s" % ctx.label,
        )
        outputs.append(output)
    return [DefaultInfo(files = depset(outputs + others)), info]

_joined = rule(
    implementation = _joined_impl,
    attrs = {
        "srcs": attr.label_list(allow_files = True),
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

def cc_library(name, srcs = [], testonly = False, tags = [], **kwargs):
    """A cc_library of rules_cc, whose sources are compiled several at a time.

    Args:
      name: of the library
      srcs: sources and headers
      testonly: as everywhere
      tags: as everywhere
      **kwargs: further attributes of the library
    """
    sources = [s for s in srcs if not s.endswith(".h")]
    if not sources or (len(sources) == 1 and sources[0].endswith(".cc")):
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
