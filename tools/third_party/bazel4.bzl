"""Stand-ins for repositories that Bazel 4 would otherwise download.

Bazel 4's own tool packages load rules_cc and rules_java and point at
remote_coverage_tools.  All the rules are built into Bazel 4, so re-exporting
the built-in ones is enough, and no network is needed.
"""

load(":clang.bzl", "clang_repository")

def _text_repository_impl(rctx):
    for path, text in rctx.attr.files.items():
        rctx.file(path, text, executable = False)
    for label, path in rctx.attr.links.items():
        rctx.symlink(label, path)

_text_repository = repository_rule(
    implementation = _text_repository_impl,
    attrs = {
        "files": attr.string_dict(mandatory = True),
        "links": attr.label_keyed_string_dict(),
    },
)

def _native(names):
    return "".join(["{0} = native.{0}\n".format(n) for n in names])

_CC = [
    "cc_binary",
    "cc_import",
    "cc_library",
    "cc_test",
    "cc_toolchain",
    "cc_toolchain_suite",
]

_JAVA = [
    "java_binary",
    "java_import",
    "java_library",
    "java_package_configuration",
    "java_plugin",
    "java_runtime",
    "java_test",
    "java_toolchain",
]

# A file cannot give a built-in its own name, hence the detour.
_BUILTIN_CC_INFO = "BuiltinCcInfo = CcInfo\n"
_CC_INFO = """
load(":builtin_cc_info.bzl", "BuiltinCcInfo")
CcInfo = BuiltinCcInfo
"""

_COVERAGE_BUILD = """
package(default_visibility = ["//visibility:public"])
filegroup(name = "coverage_report_generator", srcs = ["lcov_merge.py"])
filegroup(name = "lcov_merger", srcs = ["lcov_merge.py"])
"""

def bazel4_repositories():
    """Declares what Bazel 4 expects to find for its own use."""
    _text_repository(name = "rules_cc", files = {
        "BUILD": "",
        "cc/BUILD": "",
        "cc/common/BUILD": "",
        "cc/common/builtin_cc_info.bzl": _BUILTIN_CC_INFO,
        "cc/common/cc_info.bzl": _CC_INFO,
        "cc/defs.bzl": _native(_CC),
    })
    _text_repository(name = "rules_java", files = {
        "BUILD": "",
        "java/BUILD": "",
        "java/defs.bzl": _native(_JAVA),
    })
    _text_repository(
        name = "remote_coverage_tools",
        files = {"BUILD": _COVERAGE_BUILD},
        links = {Label("//tools:lcov_merge.py"): "lcov_merge.py"},
    )

# Each has an overlay of its name beside this file.
_OVERLAYS = [
    "cli11",
    "fmt",
    "google_benchmark",
    "googletest",
    "nlohmann_json",
    "rapidcheck",
    "rdma_core",
    "xxhash",
]

def system_libraries(root = "."):
    """Declares every overlay as a repository.

    Args:
      root: where this repository is, for a WORKSPACE that is elsewhere
    """
    for name in _OVERLAYS:
        native.local_repository(name = name, path = root + "/tools/third_party/" + name)
    clang_repository(name = "clang")
