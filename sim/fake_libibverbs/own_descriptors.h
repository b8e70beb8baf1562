// Descriptors of the process that are not the program's: it neither sees nor closes them, and its
// children do not have them.
#ifndef SIM_FAKE_LIBIBVERBS_OWN_DESCRIPTORS_H_
#define SIM_FAKE_LIBIBVERBS_OWN_DESCRIPTORS_H_

#include <vector>

namespace cm::sim::fake_libibverbs {

// The same descriptor with a number that programs seldom choose for their own, as shells do with
// those up to 255. Where there is none, the number stays.
int MovedUp(int fd);

// A child closes its copy.
void KeepDescriptor(int fd);
void CloseOwnDescriptor(int fd);
// It stays open: the caller closes it as the program closes its own.
void ReleaseDescriptor(int fd);

std::vector<int> OwnDescriptors();

}  // namespace cm::sim::fake_libibverbs

#endif  // SIM_FAKE_LIBIBVERBS_OWN_DESCRIPTORS_H_
