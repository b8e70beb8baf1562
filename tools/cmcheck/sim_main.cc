// cmcheck_sim: those verbs of cmcheck that need the simulator only, which build in half the time.
// Its --help is the one of cmcheck.
#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>

#include "tools/cmcheck/command.h"
#include "tools/cmcheck/command_line.h"
#include "tools/cmcheck/front.h"
#include "tools/cmcheck/verbs.h"

namespace cm {
namespace {

// A verb that only cmcheck has.
struct OtherVerb {
  std::string_view name;
  std::string_view sentence;
};
constexpr auto kOtherVerbs = std::to_array<OtherVerb>({
    {"list", "List names, one a line: id, then a sentence"},
    {"compare", "Compare two implementations, or the reports of two runs"},
    {"explain", "For each line: the rows that permit it, or what would have been permitted"},
    {"explore", "Try everything that can happen between two hosts, up to a bound, and judge it"},
    {"check-pcap", "Judge a capture: do the messages conform to the protocol?"},
    {"sharpness", "Alter what was observed in every way, and count what is refused"},
    {"lab", "A throw-away guest with Soft-RoCE or Soft-iWARP"},
    {"pcap", "Write the messages of a conversation as a capture for Wireshark"},
    {"app", "Run unmodified programs on simulated hosts, in virtual time"},
    {"agent", "Carry out conversations for a suite that runs elsewhere"},
    {"driver-check", "Try whether a driver keeps the driver protocol"},
    {"matrix", "Judge several implementations under several profiles"},
    {"site", "The two hosts of --impl nodes"},
    {"wire", "Try a connection manager by messages made by hand, as raw frames"},
    {"profile", "What is known of an implementation, as a file"},
});

template <int index>
void AddOther(Verb cmcheck) {
  const OtherVerb& verb = kOtherVerbs[index];
  (void)cmcheck.Add(std::string(verb.name), std::string(verb.sentence), "");
}

int Main(int argc, char** argv) {
  for (const OtherVerb& verb : kOtherVerbs)
    if (argc > 1 && verb.name == argv[1])
      return Unusable(
          fmt::format("the verb '{}' needs cmcheck, which tools/run builds", verb.name));
  // In the order of cmcheck.
  constexpr auto kVerbs = std::to_array<AddVerb>(
      {AddRun, AddOther<0>, AddOther<1>, AddReplay, AddShrink, AddOther<2>, AddOther<3>, AddRewrite,
       AddOther<4>, AddOther<5>, AddOther<6>, AddOther<7>, AddOther<8>, AddOther<9>, AddOther<10>,
       AddOther<11>, AddOther<12>, AddOther<13>, AddOther<14>});
  return RunCommand(argc, argv, kVerbs);
}

}  // namespace
}  // namespace cm

int main(int argc, char** argv) { return cm::Main(argc, argv); }
