// A message as it was seen in a capture, and what every part of the judge asks of one.
#ifndef MODEL_WIRE_SIGHTING_H_
#define MODEL_WIRE_SIGHTING_H_

#include <cstdint>
#include <string>

#include "model/mad/frame.h"
#include "model/mad/messages.h"

namespace cm::wire {

// A message and where it was seen. IPv4 addresses are IPv4-mapped ones.
struct Sighting {
  uint64_t number = 0;      // of the frame, from 1
  int64_t nanoseconds = 0;  // since the first frame of the capture
  mad::Gid from{};
  mad::Gid to{};
  mad::Frame frame;

  const mad::Mad& mad() const { return frame.mad; }
  mad::Attribute attribute() const { return frame.mad.header.attribute_id; }
  template <typename M>
  const M* As() const {
    return std::get_if<M>(&frame.mad.message);
  }
};

// The communication ids in a message: its sender's and its receiver's, as far as it knows them. A
// request for a datagram service has an id like any other; its answer says it back.
struct Cids {
  uint32_t local = 0;
  uint32_t remote = 0;
};
Cids CidsOf(const mad::Message& message);

// A REJ that no id sends, as the REQ has none at its receiver: what stands in place of the id is
// said back, or 0. source: linux 6.1 cm.c cm_issue_rej, cm_format_rej
bool ByNobody(const Sighting& sighting);

mad::Gid SourceOf(const mad::Ip& ip);
mad::Gid DestinationOf(const mad::Ip& ip);

// "10.0.0.1", "fd00::1"
std::string AddressText(const mad::Gid& address);

// What it got wrong, with the claim that it breaks.
struct Violation {
  uint64_t number = 0;
  int64_t nanoseconds = 0;
  std::string rule;    // ids of rows: of model/ib_cm, model/mad or claims.h
  std::string says;    // the claim
  std::string source;  // where that is written
  std::string saw;
  std::string permitted;  // in its place
};

}  // namespace cm::wire

#endif  // MODEL_WIRE_SIGHTING_H_
