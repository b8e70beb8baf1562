// What programs are found to do wrong, a line each.
#ifndef TOOLS_APP_COMPLAINTS_H_
#define TOOLS_APP_COMPLAINTS_H_

#include <string>
#include <vector>

namespace cm::app {

struct Complaints {
  std::vector<std::string> misbehaviour;
  std::vector<std::string> left_open;  // objects, which does no harm
};

}  // namespace cm::app

#endif  // TOOLS_APP_COMPLAINTS_H_
