// What a search may do: the lines before it, and the lines that it tries everywhere.
#ifndef CONFORMANCE_EXPLORE_REPERTOIRE_H_
#define CONFORMANCE_EXPLORE_REPERTOIRE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "model/conversation/conversation.h"
#include "model/vocabulary/fault.h"
#include "model/vocabulary/names.h"

namespace cm::explore {

// One or two lines of the alphabet that are tried together.
struct Action {
  enum class Kind : uint8_t {
    kCall,   // one call
    kTake,   // fetches an event that is there, and acknowledges it
    kFault,  // a fault, or its end; one of the budget
    kTime,   // time passes up to the next instant at which something happens
  };
  Kind kind = Kind::kCall;
  uint32_t line = 0;  // of the alphabet; that of the acknowledgement follows
};

struct Repertoire {
  // Its lines are no run but an alphabet: `before`, then those of the actions, then `settle` and a
  // quiet wait on each channel.
  Conversation alphabet;
  uint32_t before = 0;  // lines that are carried out first
  std::vector<Action> actions;
  IdRef listener;
  std::vector<IdRef> callers;         // ids that connect: they are alike
  std::vector<IdRef> requests;        // names for what the listener gets
  uint32_t settles = 0;               // the line `settle`
  std::vector<uint32_t> quiet_waits;  // the line of each channel
};

struct Size {
  int connections = 1;
  bool from_nothing = false;  // the ids are created and resolved within the search
  std::string profile = "6.1-rxe";
  std::vector<std::string> faults;  // lines behind "fault"; "heal" stands for itself
};

// Two hosts, a listener on the passive one, and so many ids of the active one that connect to it.
// Or the error in one line.
std::variant<Repertoire, std::string> MakeRepertoire(const Size& size);

// The fault lines of a kind for both sides, with what ends it; empty for one that two hosts with an
// interface each cannot have.
std::vector<std::string> FaultLines(FaultKind kind);

}  // namespace cm::explore

#endif  // CONFORMANCE_EXPLORE_REPERTOIRE_H_
