"""Clang's own libraries, for the few programs that work on syntax trees.

They come from Debian's libclang-19-dev and llvm-19-dev, which `tools/setup.sh --mutate`
installs. Where they are missing, what depends on @clang does not build, and everything
else does: such targets are tagged "manual".
"""

_INCLUDE = "/usr/lib/llvm-19/include"

_BUILD = """
load("@rules_cc//cc:defs.bzl", "cc_library")

package(default_visibility = ["//visibility:public"])

cc_library(
    name = "tooling",
    hdrs = glob(["include/**"]),
    includes = ["include"],
    linkopts = ["-l:libclang-cpp.so.19.1", "-l:libLLVM.so.19.1"],
)
"""

def _clang_repository_impl(rctx):
    if not rctx.path(_INCLUDE + "/clang/Tooling/Tooling.h").exists:
        fail("clang's libraries are missing: run tools/setup.sh --mutate")
    rctx.symlink(_INCLUDE, "include")
    rctx.file("BUILD", _BUILD, executable = False)

clang_repository = repository_rule(
    implementation = _clang_repository_impl,
    local = True,
)
