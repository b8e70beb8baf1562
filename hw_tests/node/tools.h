// Programs of the node: ip, rdma, nft, and those of the site.
#ifndef HW_TESTS_NODE_TOOLS_H_
#define HW_TESTS_NODE_TOOLS_H_

#include <list>
#include <string>
#include <vector>

#include "conformance/process/descriptor.h"
#include "conformance/process/process.h"
#include "model/base/duration.h"

namespace node {

using Words = std::vector<std::string>;

struct Ran {
  int status = 0;  // like the shell's $?; 127: there is no such program
  std::string printed;
};

// Runs one at a time, as this process, without a shell. What runs is killed when this process ends.
class Tools {
 public:
  ~Tools();
  // A program that has not ended within a minute is killed.
  Ran Run(const Words& words);
  // One that waits for other processes: when it has not ended soon it goes on behind, with status
  // 0.
  Ran Begin(const Words& words);
  // Empty when all that went on has ended within the time; otherwise one that has not.
  std::string AwaitAll(cm::Duration within);

 private:
  struct Behind {
    Words words;
    cm::Process process;
  };
  std::list<Behind> behind_;
};

}  // namespace node

#endif  // HW_TESTS_NODE_TOOLS_H_
