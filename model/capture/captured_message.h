// A captured message, and queries about it that all parts of the judge use.
#ifndef MODEL_CAPTURE_CAPTURED_MESSAGE_H_
#define MODEL_CAPTURE_CAPTURED_MESSAGE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "model/mad/frame.h"
#include "model/mad/messages.h"
#include "model/vocabulary/mad_kind.h"

namespace cm::wire {

// A message with its time and place. IPv4 addresses are IPv4-mapped ones.
struct CapturedMessage {
  uint64_t number = 0;      // frame number, from 1
  int64_t nanoseconds = 0;  // since the first frame of the capture
  mad::Gid from{};
  mad::Gid to{};
  mad::Frame frame;

  const mad::Mad& mad() const { return frame.mad; }
  MadKind kind() const { return frame.mad.header.kind(); }
  template <typename M>
  const M* As() const {
    return std::get_if<M>(&frame.mad.message);
  }
};

// The communication ids in a message: its sender's and its receiver's, where present. A SIDR_REQ
// has an id like any other; its reply echoes it.
struct Cids {
  uint32_t local = 0;
  uint32_t remote = 0;
};
Cids CidsOf(const mad::Message& message);

// A REJ that is sent without an id, because the receiver of the REQ has none: the local id is
// copied from the request, or 0. source: linux 6.1 cm.c cm_issue_rej, cm_format_rej
bool ByNobody(const CapturedMessage& sighting);

// An MRA or a REJ that is about such a message.
bool IsAbout(const CapturedMessage& sighting, mad::About what);

mad::Gid SourceOf(const mad::Ip& ip);
mad::Gid DestinationOf(const mad::Ip& ip);

// "10.0.0.1", "fd00::1"
std::string AddressText(const mad::Gid& address);

// A violation, with the rule that it breaks.
struct Violation {
  uint64_t number = 0;
  int64_t nanoseconds = 0;
  std::string rule;    // ids of rows: of model/ib_cm, model/mad or claims.h
  std::string says;    // the rule as a sentence
  std::string source;  // its source
  std::string saw;
  std::string permitted;  // the permitted value
};
// Of a Claim or of a mad::Constraint.
template <typename Rule>
Violation Broken(const CapturedMessage& sighting, const Rule& rule, std::string saw,
                 std::string permitted) {
  return {sighting.number,        sighting.nanoseconds,     std::string(rule.id),
          std::string(rule.says), std::string(rule.source), std::move(saw),
          std::move(permitted)};
}
// In hexadecimal, as the texts of violations have numbers.
std::string Number(uint64_t value);

}  // namespace cm::wire

#endif  // MODEL_CAPTURE_CAPTURED_MESSAGE_H_
