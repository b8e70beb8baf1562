// PID namespaces for programs: their processes count from a number of their own, and see each other
// and no other process.
#ifndef CONFORMANCE_PROCESS_PID_NAMESPACE_H_
#define CONFORMANCE_PROCESS_PID_NAMESPACE_H_

#include <sys/types.h>

#include <optional>
#include <utility>

#include "conformance/process/descriptor.h"

namespace cm {

// Mounts a /proc of the calling process's PID namespace, for this process and those that it starts.
// System calls only.
bool MountProc();

// A namespace with its init, which adopts and reaps processes whose parents have ended. The init is
// killed when the thread that made it ends, and all processes of the namespace with it.
class PidNamespace {
 public:
  // The next process in it has the id `first`. Empty where the system does not permit a namespace
  // with its own /proc.
  static std::optional<PidNamespace> Make(pid_t first);

  PidNamespace(PidNamespace&& other) noexcept
      : init_(std::exchange(other.init_, 0)), descriptor_(std::move(other.descriptor_)) {}
  PidNamespace& operator=(PidNamespace&& other) = delete;
  // Waits for processes in it that have not been waited for by their parents outside.
  ~PidNamespace();

  // For Launch::process_ids.
  int descriptor() const { return descriptor_.get(); }
  pid_t init() const { return init_; }  // as we see it

 private:
  explicit PidNamespace(pid_t init);

  pid_t init_;
  Descriptor descriptor_;
};

}  // namespace cm

#endif  // CONFORMANCE_PROCESS_PID_NAMESPACE_H_
