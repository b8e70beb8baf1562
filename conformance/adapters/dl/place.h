// Where a real implementation stands: a machine whose links, devices and addresses can be meddled
// with, or one at which nothing can be done.
#ifndef CONFORMANCE_ADAPTERS_DL_PLACE_H_
#define CONFORMANCE_ADAPTERS_DL_PLACE_H_

#include <string>

#include "model/conversation/conversation.h"
#include "model/conversation/history.h"
#include "model/vocabulary/fault.h"

namespace cm {

class Place {
 public:
  virtual ~Place() = default;
  // What is under the library, as the results call it: "Linux 6.1.0-42-amd64".
  virtual std::string name() const = 0;
  // What can be done here, apart from kExit, kLanes and kRaces, which the driver provides itself.
  virtual Capabilities capabilities() const = 0;
  // Waiting for minutes costs nothing here: time is virtual.
  virtual bool patient() const = 0;
  // Before the first line, before any process of the conversation exists. Empty when this place can
  // serve the conversation's topology as it stands; otherwise the reason why it cannot.
  virtual std::string Prepare(const Conversation& conversation) = 0;
  // Faults other than kExit.
  virtual seen::Done Inject(const Fault& fault) = 0;
  virtual seen::Done Heal() = 0;
  // After the conversation's processes were reaped: everything as it was before. Empty when it is
  // so, otherwise what differs.
  virtual std::string PutRight() = 0;
};

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_DL_PLACE_H_
