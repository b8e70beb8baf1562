"""A second copy of the simulator, made of its sources by a program.

The sources are those of the libraries `of` and of what they depend on, if they are
below //sim or have the tag "sim-copy"; a new one is in the copy without being
named anywhere.

    sim_copy(
        name = "woven",
        of = ["//conformance/adapters/sim:session"],
        tool = ":weaver",
    )

is a library with a header for each of theirs: `sim/world/world.h` is
`PACKAGE/woven/sim/world/world.h`, and cm::sim is cm::woven.  One action makes all
of them, and the compiler runs again for those whose text has changed.

`tool` is called as

    TOOL --out DIR --prefix PREFIX --namespace NAME [--root ROOT] [--list FILE] INPUT...

and writes, for each source ROOT/PATH of the inputs, DIR/PATH, whose includes of other
sources begin with PREFIX/ and whose namespace is cm::NAME; //conformance/defects:relocate
does that.  There is a ROOT where another repository builds this one.  The other inputs
are `data`.
"""

load("//tools:joined.bzl", "cc_library", "sources_of")

_SourcesInfo = provider(
    doc = "The sources that a copy is made of.",
    fields = {"files": "depset of files"},
)

def _sources_impl(target, ctx):
    attributes = ctx.rule.attr
    files = []
    for attribute in ["srcs", "hdrs"]:
        files += [f for f in sources_of(getattr(attributes, attribute, [])) if f.is_source]
    below = [d[_SourcesInfo].files for d in attributes.deps if _SourcesInfo in d]
    copied = target.label.package.startswith("sim/") or "sim-copy" in attributes.tags
    return [_SourcesInfo(files = depset(files if copied else [], transitive = below))]

_sources = aspect(
    implementation = _sources_impl,
    attr_aspects = ["deps"],
)

def _inside(file, root):
    """The path of a source in its repository, which is in the folder `root`."""
    return file.path[len(root) + 1:] if root else file.path

def _sim_sources_impl(ctx):
    sources = depset(transitive = [t[_SourcesInfo].files for t in ctx.attr.of]).to_list()
    folder = ctx.attr.folder
    root = ctx.label.workspace_root
    made = [ctx.actions.declare_file("%s/%s" % (folder, _inside(f, root))) for f in sources]
    outputs = list(made)
    args = ctx.actions.args()
    below = [ctx.bin_dir.path] + ([root] if root else []) + [ctx.label.package, folder]
    args.add("--out", "/".join(below))
    if root:
        args.add("--root", root)
    args.add("--prefix", "%s/%s" % (ctx.label.package, folder))
    args.add("--namespace", folder)
    if ctx.attr.list:
        listed = ctx.actions.declare_file(ctx.attr.list)
        outputs.append(listed)
        args.add("--list", listed)
    args.add_all(sources)
    args.add_all(ctx.files.data)
    ctx.actions.run(
        outputs = outputs,
        inputs = sources + ctx.files.data,
        executable = ctx.executable.tool,
        arguments = [args],
        mnemonic = "SimCopy",
        progress_message = "Copying the simulator to " + folder,
    )
    return [
        DefaultInfo(files = depset(outputs)),
        OutputGroupInfo(
            headers = depset([f for f in made if f.extension == "h"]),
            list = depset([f for f in outputs if f not in made]),
            sources = depset([f for f in made if f.extension == "cc"]),
        ),
    ]

_sim_sources = rule(
    implementation = _sim_sources_impl,
    attrs = {
        "data": attr.label_list(allow_files = True),
        "folder": attr.string(mandatory = True),
        "list": attr.string(),
        "of": attr.label_list(aspects = [_sources], mandatory = True),
        "tool": attr.label(executable = True, cfg = "host", mandatory = True),
    },
)

def sim_copy(name, of, tool, deps, data = [], list = "", **kwargs):
    """Declares the library `name`, a copy of `of` and of the simulator below them.

    Args:
      name: of the library, the folder of its headers and the namespace within cm
      of: the libraries to copy
      tool: the program that makes the sources
      deps: of the copy: what the libraries depend on outside //sim, and what `tool` adds
      data: further inputs of `tool`
      list: a further output of `tool`, which is then the target NAME_list
      **kwargs: further attributes of the library
    """
    _sim_sources(
        name = name + "_sources",
        data = data,
        folder = name,
        list = list,
        of = of,
        tool = tool,
        visibility = ["//visibility:private"],
    )
    groups = ["headers", "list", "sources"] if list else ["headers", "sources"]
    for group in groups:
        native.filegroup(
            name = "%s_%s" % (name, group) if group != "sources" else name + "_code",
            srcs = [":%s_sources" % name],
            output_group = group,
            visibility = ["//visibility:private"],
        )
    cc_library(
        name = name,
        srcs = [":%s_code" % name],
        hdrs = [":%s_headers" % name],
        deps = deps,
        **kwargs
    )
