// Whether programs load the object with the simulated devices.
#ifndef TOOLS_APP_OBJECTS_H_
#define TOOLS_APP_OBJECTS_H_

#include <sys/types.h>

#include <set>
#include <string>
#include <utility>

namespace cm::app {

// Finds processes that run a program without the object.
class Strangers {
 public:
  explicit Strangers(std::string object) : object_(std::move(object)) {}

  // The program of a process that sleeps, when it has not loaded the object. Empty otherwise, and
  // when the same program of the process was seen before.
  std::string Sees(pid_t process);

 private:
  std::string object_;
  std::set<std::pair<pid_t, std::string>> seen_;
};

}  // namespace cm::app

#endif  // TOOLS_APP_OBJECTS_H_
