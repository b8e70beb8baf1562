// Conversion of a simulated message to the bytes that Linux with Soft-RoCE sends for it, and back.
//
// 1. Written fills in the fields that the simulator does not store (path records, packet numbers,
//    GUIDs) as Linux does, from the message alone: equal messages have equal bytes, so that a
//    retransmission is byte-identical. Starting packet numbers, which Linux draws, are derived from
//    the communication id.
// 2. Read(Written(m)) == m for every message that a connection manager of the simulator sends, with
//    private data padded to the length of the message's field; except for the service of a SIDR_REP
//    and what a REJ repeats of the request, which only FrameOf knows.
// 3. InfiniBand's messages are put into RoCEv2 frames as well, between the addresses of the
//    interfaces. source: linux 6.1 cm.c cm_format_req and its like, cma.c cma_format_hdr, rxe_net.c
#ifndef SIM_CODEC_WIRE_H_
#define SIM_CODEC_WIRE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "model/mad/cma_header.h"
#include "model/mad/data_packet.h"
#include "model/mad/frame.h"
#include "model/mad/messages.h"
#include "model/mad/packet.h"
#include "model/vocabulary/address.h"
#include "model/vocabulary/topology.h"
#include "sim/fabric/fabric.h"
#include "sim/fabric/mad.h"

namespace cm::sim {

class Wire {
 public:
  // The topology must outlive this object.
  explicit Wire(const Topology* topology);

  mad::Mad Written(const Mad& mad) const;
  // `from`: the sending device. Empty where a GUID or an address is unknown, or the service is not
  // one that RDMA CM makes.
  std::optional<Mad> Read(const mad::Mad& mad, uint8_t from) const;

  // The whole frame. It numbers the packets of each device, and stores the addresses of each
  // connection: so it must be called for every note, in order.
  mad::Frame FrameOf(const WireNote& note);
  // The same with its CRC, which is wrong where the message is corrupt.
  mad::FrameBytes Captured(const WireNote& note);
  // Of a note with data: its packets, and those of its answer.
  std::vector<std::vector<uint8_t>> FramesOf(const WireNote& note);

 private:
  class Burst;
  // State of a queue pair, by its device and number.
  struct Flow {
    bool v6 = false;
    mad::Gid from{};
    mad::Gid to{};
    uint32_t psn = 0;  // of its first packet
  };
  // Identity of a port.
  struct Station {
    mad::Mac mac{};
    uint64_t guid = 0;  // of its device
    mad::Gid first{};   // link-local
    mad::Gid v4{};      // mapped into IPv6
    mad::Gid v6{};
    uint32_t packets = 0;  // sent so far
  };
  // State of an id: by its device and communication id.
  struct Known {
    bool v6 = false;
    mad::Gid from{};  // source and destination GID
    mad::Gid to{};
    uint64_t service_id = 0;
    uint32_t vendor_id = 0;  // of the request
  };

  mad::Gid GidOf(const Address& address) const;
  mad::Gid GidOn(uint8_t device, const Address& address) const;
  std::optional<Address> AddressOf(const mad::Gid& gid, bool v6, uint16_t port) const;
  std::optional<uint8_t> DeviceOf(uint64_t guid) const;
  uint64_t GuidOf(uint8_t device) const;
  mad::Gid FirstGidOf(uint8_t device) const;
  bool ReadGuid(uint64_t guid, Mad* mad) const;
  Known Remember(const WireNote& note);
  mad::DataPacket Between(uint8_t from, uint8_t to, const Flow& flow) const;
  static void AddRequest(const DataNote& note, Burst* burst);

  mad::Req WrittenReq(const Mad& mad) const;
  mad::Rej WrittenRej(const Mad& mad) const;
  mad::Rep WrittenRep(const Mad& mad) const;
  mad::SidrReq WrittenSidrReq(const Mad& mad) const;
  mad::SidrRep WrittenSidrRep(const Mad& mad) const;
  mad::CmaHeader WrittenCma(const Mad& mad) const;
  // read.cc: false where an address or GUID is unknown.
  bool ReadBody(const mad::Req& req, Mad* mad) const;
  bool ReadBody(const mad::Mra& mra, Mad* mad) const;
  bool ReadBody(const mad::Rej& rej, Mad* mad) const;
  bool ReadBody(const mad::Rep& rep, Mad* mad) const;
  bool ReadBody(const mad::Rtu& rtu, Mad* mad) const;
  bool ReadBody(const mad::Dreq& dreq, Mad* mad) const;
  bool ReadBody(const mad::Drep& drep, Mad* mad) const;
  bool ReadBody(const mad::SidrReq& req, Mad* mad) const;
  bool ReadBody(const mad::SidrRep& rep, Mad* mad) const;
  bool ReadBody(const mad::Lap& lap, Mad* mad) const;
  bool ReadBody(const mad::Apr& apr, Mad* mad) const;
  bool ReadBody(const mad::Opaque& body, Mad* mad) const;
  template <typename Request>
  bool ReadService(const Request& request, Mad* mad) const;

  const Topology* topology_;
  std::vector<Station> stations_;  // by device
  std::map<std::pair<uint8_t, uint32_t>, Known> known_;
  std::map<std::pair<uint8_t, uint32_t>, Flow> flows_;
};

}  // namespace cm::sim

#endif  // SIM_CODEC_WIRE_H_
