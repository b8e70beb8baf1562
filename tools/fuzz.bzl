"""A fuzz target that is an ordinary test wherever libFuzzer is not."""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_test")

def fuzz_test(name, srcs, deps = [], corpus = []):
    """Declares :name, which replays the corpus, and :name_fuzz.

    Args:
      name: name of the replaying test
      srcs: sources that define LLVMFuzzerTestOneInput
      deps: their dependencies
      corpus: input files
    """
    cc_test(
        name = name,
        size = "small",
        srcs = srcs,
        args = ["$(rootpath %s)" % f for f in corpus],
        data = corpus,
        deps = deps + ["//tools:fuzz_replay"],
    )

    # bazel build --config=fuzz; libFuzzer brings the main function.
    cc_binary(
        name = name + "_fuzz",
        testonly = True,
        srcs = srcs,
        tags = ["manual"],
        deps = deps,
    )
