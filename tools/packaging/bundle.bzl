"""Libraries for those who build without Bazel: one archive and a folder of headers."""

load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")

# $1 archive, the others those whose members it gets.
_JOIN = """
archive=$1; shift
{
  echo "create $archive"
  for one in "$@"; do echo "addlib $one"; done
  echo save
  echo end
} | ar -M
"""

# $1 tarball, then pairs: a header, and its name in the tarball.
_COPY = """
tarball=$1; shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
while [ $# -gt 0 ]; do
  mkdir -p "$work/$(dirname "$2")"
  cp "$1" "$work/$2"
  shift 2
done
chmod -R u=rwX,go=rX "$work"
tar -C "$work" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf "$tarball" .
"""

def _archives_of(dep):
    return [
        library.pic_static_library or library.static_library
        for linked in dep[CcInfo].linking_context.linker_inputs.to_list()
        for library in linked.libraries
        if library.pic_static_library or library.static_library
    ]

def _bundle_impl(ctx):
    archives = depset([archive for dep in ctx.attr.deps for archive in _archives_of(dep)]).to_list()
    ctx.actions.run_shell(
        inputs = archives,
        outputs = [ctx.outputs.archive],
        command = _JOIN,
        arguments = [ctx.outputs.archive.path] + [archive.path for archive in archives],
        mnemonic = "Bundle",
    )
    headers = depset(transitive = [dep[CcInfo].compilation_context.headers for dep in ctx.attr.deps])
    ours = [h for h in headers.to_list() if h.owner.workspace_name == ctx.label.workspace_name]
    arguments = ctx.actions.args()
    arguments.add(ctx.outputs.headers)
    for header in ours:
        arguments.add(header)
        arguments.add(header.short_path)
    ctx.actions.run_shell(
        inputs = ours,
        outputs = [ctx.outputs.headers],
        command = _COPY,
        arguments = [arguments],
        mnemonic = "Headers",
    )

bundle = rule(
    doc = "Joins libraries and all that they depend on, except those of the machine.",
    implementation = _bundle_impl,
    attrs = {
        "deps": attr.label_list(providers = [CcInfo], mandatory = True),
        "archive": attr.output(mandatory = True),
        "headers": attr.output(mandatory = True),
    },
)
