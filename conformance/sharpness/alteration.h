// One alteration: of a line of a recording, or of a record of a history.
#ifndef CONFORMANCE_SHARPNESS_ALTERATION_H_
#define CONFORMANCE_SHARPNESS_ALTERATION_H_

#include <functional>
#include <string>

#include "model/conversation/history.h"

namespace cm {

struct RecordingAlteration {
  int line = 0;       // of the file, from 1
  std::string field;  // "reply", "type", "conn.rr", "qp", ...
  std::string was;
  std::string is;
  std::string text;   // the altered line; two, where a wait comes before
  bool ends = false;  // the recording ends with it

  // "12 reply 0 -> -1 EINVAL"
  std::string Name() const;
};

// Is given the altered history, which is valid during the call.
using OnAlteredHistory = std::function<void(const std::string& name, const History& altered)>;

}  // namespace cm

#endif  // CONFORMANCE_SHARPNESS_ALTERATION_H_
