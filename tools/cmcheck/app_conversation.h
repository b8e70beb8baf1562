// The conversation of a run of programs, in a file: for `app`.
#ifndef TOOLS_CMCHECK_APP_CONVERSATION_H_
#define TOOLS_CMCHECK_APP_CONVERSATION_H_

#include <string>

#include "tools/app/broker.h"
#include "tools/app/recorder.h"

namespace cm {

class AppConversation {
 public:
  // `command` does the run again; `profile` is empty where no name stands for it.
  AppConversation(std::string path, std::string command, std::string profile)
      : path_(std::move(path)), command_(std::move(command)), profile_(std::move(profile)) {}

  // For the setting of the run.
  app::Recorder* recorder() { return &recorder_; }
  // Writes the file, and says so. Returns the reason why it cannot be written, or is not readable.
  std::string Write(const app::Setting& setting, const app::Report& report) const;

 private:
  std::string path_;
  std::string command_;
  std::string profile_;
  app::Recorder recorder_;
};

}  // namespace cm

#endif  // TOOLS_CMCHECK_APP_CONVERSATION_H_
