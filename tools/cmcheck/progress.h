// Progress of long work: a bar on a terminal, an occasional line elsewhere.
#ifndef TOOLS_CMCHECK_PROGRESS_H_
#define TOOLS_CMCHECK_PROGRESS_H_

#include <cstdint>
#include <string>

namespace cm {

// Whether it is a terminal that takes escape sequences: not one with TERM=dumb.
bool TakesSequences(int descriptor);

class Progress {
 public:
  // On stderr. `what` is the unit: "sequences". `total` 0: it is not known; a count without a bar,
  // on terminals alone.
  Progress(std::string what, uint64_t total);
  ~Progress() { Clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Whether stderr is such a terminal.
  bool terminal() const { return terminal_; }
  void At(uint64_t done, const std::string& note = {});
  // Clears the bar, so that other text can be printed.
  void Clear();

 private:
  std::string what_;
  uint64_t total_;
  bool terminal_;
  uint64_t shown_ = 0;  // in thousandths on a terminal, in tenths elsewhere
  bool visible_ = false;
};

}  // namespace cm

#endif  // TOOLS_CMCHECK_PROGRESS_H_
