// The objects that a program holds on its machine, derived from its requests and their answers.
#ifndef SIM_HARNESS_OPEN_RESOURCES_H_
#define SIM_HARNESS_OPEN_RESOURCES_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "sim/uapi/layout.h"
#include "sim/uapi/request.h"

namespace cm::sim {

class OpenResources {
 public:
  // Updates the objects after an answered request; refused requests change nothing.
  void Note(const uapi::Request& request, const uapi::Answer& answer);
  // "rdma_cm id 3 (of a CONNECT_REQUEST), queue pair 2"; empty when it holds none.
  std::string Text() const;

 private:
  enum class Kind : uint8_t { kFile, kId, kQp, kCq, kSrq, kRegion, kWindow, kXrcDomain };
  struct KindRow;
  static const KindRow kKinds[8];
  struct Origin {
    uint32_t file = 0;  // the file of an id
    bool of_request = false;
  };

  void NoteCommand(uint32_t file, const uapi::Command& command, const uapi::Answer& answer);

  std::map<std::pair<Kind, uint32_t>, Origin> held_;
};

}  // namespace cm::sim

#endif  // SIM_HARNESS_OPEN_RESOURCES_H_
