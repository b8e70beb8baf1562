"""clang-tidy as cached actions.

Sources that are compiled together (//tools:joined.bzl) are read together, a
seventh of the time.  They are checked again when one of them, a header that
they may include, or .clang-tidy has changed, and not otherwise.  Each package
ends with

    tidy_test(name = "tidy_test")

which covers its libraries and binaries.  Tests are left out: GoogleTest and
rapidcheck make each of them cost several seconds, more than all the rest of it.
"""

load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//tools:joined.bzl", "SourcesInfo", "parts_of", "sources_of")

_TidyInfo = provider(
    doc = "What clang-tidy had to say.",
    fields = {"reports": "list of files, empty ones where it was content"},
)

# Objections go into the report and are the test's to print, so that one of them
# does not stop the rest of the build.  What is objected to among several sources
# is what is objected to in each of them.
# $1 report, $2 checks, $3 number of sources, then they and the compiler's flags.
_CHECK = """
report=$1 checks=$2 count=$3; shift 3
sources=("${@:1:count}"); shift "$count"
if ! command -v clang-tidy >/dev/null; then
  echo "clang-tidy is missing: run tools/setup.sh" >&2
  exit 1
fi
tidy() {
  clang-tidy --quiet --config-file="$checks" "$source" -- "$@" >"$report.all" 2>"$report.noise"
  code=$?
  if [ $code -ge 128 ]; then
    cat "$report.noise" >&2
    exit 1
  fi
}
trap 'rm -f "$report.all" "$report.noise" "$report.cc"' EXIT
: >"$report"
if [ "$count" -gt 1 ]; then
  source=$report.cc
  for each in "${sources[@]}"; do
    printf '#line 1 "%s"\\n' "$each"
    cat "$each"
  done >"$source"
  tidy "$@"
  [ $code -ne 0 ] || exit 0
fi
for source in "${sources[@]}"; do
  tidy "$@"
  [ $code -ne 0 ] || continue
  [ -s "$report.all" ] || mv "$report.noise" "$report.all"
  sed "s|$PWD/||g" "$report.all" >>"$report"
done
"""

# What two sources hear about one header is said once.
_REPORT = """#!/bin/sh
set -- %s
for report in "$@"; do
  [ ! -s "$report" ] || objected=yes
done
[ -n "$objected" ] || exit 0
awk '!said[$0]++' "$@"
exit 1
"""

def _of(files, endings):
    return [f for f in files if f.is_source and f.extension in endings]

def _files(rule, attribute):
    return sources_of(getattr(rule.attr, attribute, []))

def _parts(rule):
    """What is read together."""
    sources = _of(_files(rule, "srcs"), ["cc"])
    if [t for t in getattr(rule.attr, "srcs", []) if SourcesInfo in t]:
        return parts_of(sources)
    return [[s] for s in sources or _of(_files(rule, "hdrs"), ["h"])]

def _contexts(target, rule):
    """The compilation contexts that together hold what `target` may include."""
    if CcInfo in target:
        return [target[CcInfo].compilation_context]
    return [d[CcInfo].compilation_context for d in rule.attr.deps if CcInfo in d]

def _flags(actions, contexts, rule):
    args = actions.args()
    args.add("-xc++")  # a header may stand alone
    args.add("-std=c++20")
    for context in contexts:
        args.add_all(context.includes, before_each = "-I")
        args.add_all(context.quote_includes, before_each = "-iquote")
        args.add_all(context.system_includes, before_each = "-isystem")
        args.add_all(context.defines, format_each = "-D%s")
    args.add_all(getattr(rule.attr, "local_defines", []), format_each = "-D%s")
    args.add_all(getattr(rule.attr, "copts", []))
    return args

def _tidy_aspect_impl(target, ctx):
    headers = _files(ctx.rule, "srcs") + _files(ctx.rule, "hdrs") + _files(ctx.rule, "textual_hdrs")
    contexts = _contexts(target, ctx.rule)
    flags = _flags(ctx.actions, contexts, ctx.rule)
    reports = []
    for part in _parts(ctx.rule):
        report = ctx.actions.declare_file("tidy/%s/%s" % (ctx.label.name, part[0].basename))
        sources = ctx.actions.args()
        sources.add(len(part))
        sources.add_all(part)
        ctx.actions.run_shell(
            outputs = [report],
            inputs = depset(
                part + [ctx.file._checks] + headers,
                transitive = [c.headers for c in contexts],
            ),
            command = _CHECK,
            arguments = [report.path, ctx.file._checks.path, sources, flags],
            mnemonic = "ClangTidy",
            progress_message = "Tidying " + ", ".join([s.short_path for s in part]),
            use_default_shell_env = True,
        )
        reports.append(report)
    return [_TidyInfo(reports = reports)]

_tidy_aspect = aspect(
    implementation = _tidy_aspect_impl,
    attrs = {
        "_checks": attr.label(default = "//:.clang-tidy", allow_single_file = True),
    },
)

def _tidy_test_impl(ctx):
    reports = [r for t in ctx.attr.targets for r in t[_TidyInfo].reports]
    script = _REPORT % " ".join(["'%s'" % r.short_path for r in reports])
    ctx.actions.write(ctx.outputs.executable, script, is_executable = True)
    return [DefaultInfo(runfiles = ctx.runfiles(files = reports))]

_tidy_test = rule(
    implementation = _tidy_test_impl,
    attrs = {"targets": attr.label_list(aspects = [_tidy_aspect])},
    test = True,
)

def tidy_test(name, except_for = []):
    """Checks the C++ libraries and binaries that the package has declared so far.

    Args:
      name: name of the test, "tidy_test"
      except_for: names of targets to leave out; say why beside it
    """
    kinds = ["cc_binary", "cc_library"]
    found = native.existing_rules()
    _tidy_test(
        name = name,
        size = "small",
        tags = ["lint", "tidy"],
        targets = [
            ":" + target
            for target in found
            if found[target]["kind"] in kinds and target not in except_for
        ],
    )
