// One fault at each step of a run.
#ifndef TOOLS_APP_EACH_FAULT_H_
#define TOOLS_APP_EACH_FAULT_H_

#include <set>
#include <string>
#include <vector>

#include "model/base/duration.h"
#include "tools/app/broker.h"
#include "tools/app/script.h"

namespace cm::app {

// What a run without faults does: where faults can hit it.
class Steps {
 public:
  // Sets what hears of the run, in place of what the setting has.
  void Watch(Setting* setting);

  // A script each: a message that is lost; at an instant of a line of the conversation, a device
  // that is removed, or a link that goes down and, a second later, up again. Only what the profile
  // has.
  std::vector<std::vector<Happening>> Faults(const Setting& setting) const;

 private:
  std::set<Instant> instants_;
  std::vector<std::string> messages_;  // "REQ from=active nth=1", in the order of sending
};

}  // namespace cm::app

#endif  // TOOLS_APP_EACH_FAULT_H_
