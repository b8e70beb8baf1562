// Begins programs on their hosts: the files of a host, the environment of a program, and its start.
#ifndef TOOLS_APP_LAUNCHER_H_
#define TOOLS_APP_LAUNCHER_H_

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tools/app/folder.h"
#include "tools/app/kernels.h"
#include "tools/app/network.h"
#include "tools/app/one_processor.h"
#include "tools/app/process_ids.h"
#include "tools/app/process_table.h"
#include "tools/app/program.h"
#include "tools/app/sleep_detector.h"

namespace cm::app {

class Launcher {
 public:
  // All must outlive this object.
  Launcher(Kernels* kernels, ProcessTable* processes, const Folder* folder, const ProcessIds* ids,
           const Network* network, const OneProcessor* processor, SleepDetector* detector,
           uint64_t seed)
      : kernels_(kernels),
        processes_(processes),
        folder_(folder),
        ids_(ids),
        network_(network),
        processor_(processor),
        detector_(detector),
        seed_(seed) {}

  // Empty, or the reason why the folder of a host cannot be written. All hosts come first.
  std::string LayOut(uint8_t kernel);
  // Empty, or the reason why it cannot be started. `name` is its name in all messages.
  std::string Start(const ProgramToRun& program, const std::string& name);
  // The same for the host of a side that has no program: others reach it by ssh.
  std::string Open(uint8_t side);

 private:
  // What a program on a host begins with.
  struct Place {
    uint32_t number;
    int listening;
    std::vector<std::string> environment;
    std::vector<std::pair<std::string, std::string>> places;  // see Launch
  };
  std::variant<Place, std::string> Prepare(uint8_t side);
  std::vector<std::pair<std::string, std::string>> NetworkPlaces() const;

  Kernels* kernels_;
  ProcessTable* processes_;
  const Folder* folder_;
  const ProcessIds* ids_;
  const Network* network_;
  const OneProcessor* processor_;
  SleepDetector* detector_;
  uint64_t seed_;
};

}  // namespace cm::app

#endif  // TOOLS_APP_LAUNCHER_H_
