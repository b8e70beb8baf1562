// The option --pcap of `app`: what a run sends between hosts as one capture, or one for each host.
#ifndef TOOLS_CMCHECK_APP_CAPTURE_H_
#define TOOLS_CMCHECK_APP_CAPTURE_H_

#include <cstdint>
#include <string>

#include "model/vocabulary/topology_ref.h"
#include "sim/codec/capture.h"
#include "tools/app/broker.h"

namespace cm {

class AppCapture {
 public:
  // `path`: of a file, or a folder: an existing one, or with a '/' at its end.
  AppCapture(std::string path, const app::Setting& setting);
  AppCapture(const AppCapture&) = delete;
  AppCapture& operator=(const AppCapture&) = delete;

  // Empty, or why the path cannot be written. A folder is made.
  std::string Prepare();
  // The setting must not outlive this object.
  void Watch(app::Setting* setting);
  // After the run. Prints what is written; empty, or why it cannot be.
  std::string Write();

 private:
  std::string FileOf(uint8_t kernel) const;

  std::string path_;
  bool folder_;
  bool sockets_only_;
  TopologyRef topology_;
  sim::Capture capture_{&*topology_};
};

}  // namespace cm

#endif  // TOOLS_CMCHECK_APP_CAPTURE_H_
