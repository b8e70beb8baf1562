// The kinds of alterations. Each alters one observation, in every way of its kind.
#ifndef CONFORMANCE_SHARPNESS_KINDS_H_
#define CONFORMANCE_SHARPNESS_KINDS_H_

#include <span>
#include <string_view>
#include <vector>

#include "model/capture/altered.h"

namespace cm {

class LineAlterer;    // line_alterer.h
class RecordAlterer;  // record_alterer.h

struct AlterationKind {
  std::string_view name;
  std::string_view sentence;
  // Of a line of a recording, a record of a history, a capture; null where they do not show it.
  void (*line)(LineAlterer&) = nullptr;
  void (*record)(RecordAlterer&) = nullptr;
  std::vector<wire::Alteration> (*capture)(const wire::Capture&) = nullptr;
};

std::span<const AlterationKind> AlterationKinds();

// By its name; aborts if there is none.
const AlterationKind& KindNamed(std::string_view name);

}  // namespace cm

#endif  // CONFORMANCE_SHARPNESS_KINDS_H_
