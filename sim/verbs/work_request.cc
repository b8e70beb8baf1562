#include "sim/verbs/work_request.h"

#include <algorithm>
#include <utility>

namespace cm::sim {

std::vector<uint8_t> RouteHeader(const std::array<uint8_t, 16>& from,
                                 const std::array<uint8_t, 16>& to, uint32_t length) {
  std::vector<uint8_t> header(kDatagramHeader);
  header[0] = 0x60;  // version 6
  header[4] = static_cast<uint8_t>(length >> 8);
  header[5] = static_cast<uint8_t>(length);
  header[6] = 0x1b;  // a transport header of InfiniBand follows
  header[7] = 64;
  std::ranges::copy(from, header.begin() + 8);
  std::ranges::copy(to, header.begin() + 24);
  return header;
}

Errno Post(Fifo<WorkRequest>* queue, const Room& room, WorkRequest work) {
  if (queue->size() >= room.work) return Errno::kNoMem;
  if (work.pieces.size() + work.empty_pieces > room.pieces) return Errno::kInval;
  queue->push_back(std::move(work));
  return Errno::kNone;
}

}  // namespace cm::sim
