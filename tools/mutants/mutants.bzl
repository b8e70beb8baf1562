"""Libraries whose sources are mutated, and programs that are linked to them.

    mutated_sources(name = "sources", libraries = ["//a", "//b"])
    cc_library(name = "mutated", srcs = [":sources"], deps = [":headers"])
    without(name = "headers", deps = ["//a", "//b"], dropped = ["//a", "//b"])
    without(name = "user", deps = ["//user_of_a"], dropped = ["//a", "//b"])

A program that depends on :mutated and :user has the mutated copy of //a and //b
in their place. Their headers, and so whatever is inline in them, are as they were.
"""

load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//tools:joined.bzl", "sources_of")

def _flags(actions, contexts):
    args = actions.args()
    args.add("-std=c++20")
    for context in contexts:
        args.add_all(context.includes, before_each = "-I")
        args.add_all(context.quote_includes, before_each = "-iquote")
        args.add_all(context.system_includes, before_each = "-isystem")
        args.add_all(context.defines, format_each = "-D%s")
    return args

_SourcesInfo = provider(
    doc = "The sources of a library.",
    fields = {
        "sources": "list of .cc files",
        "headers": "list of the headers that only they include",
    },
)

def _sources_aspect_impl(target, ctx):
    files = sources_of(getattr(ctx.rule.attr, "srcs", []))
    return [_SourcesInfo(
        sources = [f for f in files if f.extension == "cc"],
        headers = [f for f in files if f.extension != "cc"],
    )]

_sources_aspect = aspect(implementation = _sources_aspect_impl)

def _mutated_sources_impl(ctx):
    outputs = []
    headers = []
    for library in ctx.attr.libraries:
        context = library[CcInfo].compilation_context
        own = library[_SourcesInfo].headers
        for source in library[_SourcesInfo].sources:
            output = ctx.actions.declare_file("%s/%s" % (ctx.label.name, source.short_path))
            ctx.actions.run(
                executable = ctx.executable._mutate_file,
                arguments = [
                    source.short_path,
                    source.path,
                    output.path,
                    _flags(ctx.actions, [context]),
                ],
                inputs = depset([source] + own, transitive = [context.headers]),
                outputs = [output],
                mnemonic = "Mutate",
                progress_message = "Mutating " + source.short_path,
            )
            outputs.append(output)
        headers += own
    return [DefaultInfo(files = depset(outputs + headers))]

# The mutated copies of the sources of the libraries, for the srcs of a cc_library.
mutated_sources = rule(
    implementation = _mutated_sources_impl,
    attrs = {
        "libraries": attr.label_list(providers = [CcInfo], aspects = [_sources_aspect]),
        "_mutate_file": attr.label(
            default = "//tools/mutants:mutate_file",
            executable = True,
            cfg = "exec",
        ),
    },
)

def _without_impl(ctx):
    dropped = [library.label for library in ctx.attr.dropped]
    merged = cc_common.merge_cc_infos(cc_infos = [d[CcInfo] for d in ctx.attr.deps])
    kept = [
        linked
        for linked in merged.linking_context.linker_inputs.to_list()
        if linked.owner not in dropped
    ]
    return [CcInfo(
        compilation_context = merged.compilation_context,
        linking_context = cc_common.create_linking_context(linker_inputs = depset(kept, order = "topological")),
    )]

# What the libraries need to be compiled and linked, but for the code of those that are dropped.
without = rule(
    implementation = _without_impl,
    attrs = {
        "deps": attr.label_list(providers = [CcInfo]),
        "dropped": attr.label_list(providers = [CcInfo]),
    },
)
