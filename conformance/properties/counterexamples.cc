#include "conformance/properties/counterexamples.h"

#include <algorithm>
#include <iterator>

#include "conformance/properties/registry.h"

namespace cm {
namespace {

std::string On(std::string_view topology, std::string_view rest,
               std::string_view profile = "6.1-rxe") {
  std::string text = "topology ";
  text += topology;
  text += "\nprofile ";
  text += profile;
  text += "\ncapabilities none\n";
  text += rest;
  return text;
}

std::string Behind(std::string_view first, std::string_view rest) {
  return std::string(first) + std::string(rest);
}

}  // namespace

std::string Alone(std::string_view rest) { return On("one-kernel-two-devices", rest); }

std::string OnLater(std::string_view rest) { return On("one-kernel-two-devices", rest, "7.2-rxe"); }

std::string OnInfiniband(std::string_view rest) {
  return On("one-kernel-two-devices", rest, "6.1-ib");
}

std::string OnBond(std::string_view rest) { return On("bond", rest); }

std::string Listening(std::string_view rest) {
  return Alone(Behind("passive listening L on=S port=7471\n", rest));
}

std::string Asked(std::string_view rest) {
  return Listening(Behind("active connecting A on=C to=passive:7471 private=\"hello\"\n", rest));
}

std::string Connected(std::string_view rest) {
  return Asked(Behind(R"(passive accepting P on=S private="hi"
active taking C
passive taking S
)",
                      rest));
}

std::vector<Counterexample> Counterexamples() {
  std::vector<Counterexample> all = counterexamples::BesideATester();
  for (const auto family : {
#define CM_FAMILY(name, title) counterexamples::name,
           CM_PROPERTY_FAMILIES(CM_FAMILY)
#undef CM_FAMILY
       }) {
    std::ranges::move(family(), std::back_inserter(all));
  }
  return all;
}

}  // namespace cm
