// cmcheck: asks a connection manager, and says whether it conforms.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>
#include <system_error>

#include "tools/cmcheck/command.h"

namespace cm {
namespace {

constexpr const char* kFooter = R"(
Examples:
  cmcheck                                            the main job: judge the simulator
  cmcheck run --impl sim --seed 7 --sequences 2000   the same, with another seed
  cmcheck run --impl sim --defect forgets-timewait   see a defect found
  cmcheck run --impl dl:./libmine.so                 judge your own library
  cmcheck run --impl lib                             judge the real library, simulated kernel
  cmcheck lab run -- --sequences 100                 judge the real library on a real kernel
  cmcheck app -- rping -s -a {passive} : rping -c -a {passive} -C 3
                                                     programs on the simulated kernel
  cmcheck explain scenario.conv                      the rule behind each line
  cmcheck pcap scenario.conv                         its messages, for Wireshark
  cmcheck check-pcap roce.pcap                       judge a capture
Exit codes: 0 nothing found, 1 findings, 2 unusable arguments or environment, 3 too much
inconclusive, 130 interrupted.)";

// CLI11 speaks of unexpected arguments; a verb that does not exist deserves better.
bool KnownVerb(const CLI::App& app, const std::string& verb) {
  const auto verbs = app.get_subcommands([](const CLI::App*) { return true; });
  return std::any_of(verbs.begin(), verbs.end(),
                     [&](const CLI::App* known) { return known->get_name() == verb; });
}

std::string Verbs(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(verb->get_name());
  return fmt::format("{}", fmt::join(names, ", "));
}

int Main(int argc, char** argv) {
  CLI::App app("Asks a connection manager, and says whether it conforms.", "cmcheck");
  app.footer(kFooter);
  app.require_subcommand(0, 1);
  int exit_code = kExitClean;
  AddRun(&app, &exit_code);
  AddList(&app, &exit_code);
  AddCompare(&app, &exit_code);
  AddReplay(&app, &exit_code);
  AddShrink(&app, &exit_code);
  AddExplain(&app, &exit_code);
  AddRewrite(&app, &exit_code);
  AddCheckPcap(&app, &exit_code);
  AddLab(&app, &exit_code);
  AddPcap(&app, &exit_code);
  AddApp(&app, &exit_code);
  CatchInterrupts();
  if (argc < 2) return RunMainJob();
  const std::string first = argv[1];
  if (!first.starts_with("-") && !KnownVerb(app, first))
    return Unusable(fmt::format("there is no verb '{}'; verbs are {}", first, Verbs(app)));
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {  // --help; the library's own way to end
    return app.exit(help);
  } catch (const CLI::ParseError& problem) {
    return Unusable(fmt::format("{} (`cmcheck {}--help` says what is accepted)", problem.what(),
                                first.starts_with("-") ? "" : first + " "));
  }
  return exit_code;
}

int Unprinted() { return Unusable("standard output cannot be written: it is full or closed"); }

// What was to be printed, and could not be, is no success.
int Finished(int exit_code) {
  return std::fflush(stdout) == 0 && std::ferror(stdout) == 0 ? exit_code : Unprinted();
}

}  // namespace
}  // namespace cm

int main(int argc, char** argv) {
  try {
    return cm::Finished(cm::Main(argc, argv));
  } catch (const std::system_error& problem) {
    return std::ferror(stdout) != 0 ? cm::Unprinted() : cm::Unusable(problem.what());
  }
}
