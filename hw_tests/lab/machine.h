// The virtual machine as QEMU's command line describes it.
//
// 1. A saved machine can only be restored into the same machine, so everything that the guest can
//    see is in MachineShape and nowhere else, and is part of a snapshot's key.
// 2. Full emulation with instruction-counted time: the guest's clock follows the instructions it
//    has executed, eight nanoseconds each, and jumps to the next timer when it has nothing to do.
//    A wait costs next to nothing, and no load of the host shows in the guest's times. KVM is not
//    used and not needed.
// 3. There is no network device, but in a node: one of two guests that share a wire. Their clocks
//    follow the host's, which is the only time that two of them can agree on. A second device leads
//    to this machine, for those that are reached by ssh.
#ifndef HW_TESTS_LAB_MACHINE_H_
#define HW_TESTS_LAB_MACHINE_H_

#include <string>
#include <vector>

namespace lab {

enum class MachineKind {
  kAlone,
  kNode,
};

// What a node has besides.
struct NodePlaces {
  int driver = -1;        // descriptor of what its second port leads to; -1: to nothing
  std::string wire_here;  // sockets of the wire's two ends; empty: it leads nowhere
  std::string wire_there;
  // Port of the loopback address that leads to the guest's sshd, over an interface of its own; 0:
  // that interface leads nowhere.
  int control_port = 0;
};

// Paths and descriptors that differ between machines.
struct MachinePlaces {
  std::string kernel;
  std::string root;   // the cpio archive
  std::string share;  // a folder of the host, mounted in the guest with the tag "share"
  bool share_writable = false;
  int agent = -1;  // descriptors that QEMU inherits
  int monitor = -1;
  std::string console;  // a file for the kernel's output
  int incoming = -1;    // a saved machine to restore; -1: boot
  MachineKind kind = MachineKind::kAlone;
  NodePlaces node;
};

// The hardware that the guest sees.
std::vector<std::string> MachineShape(MachineKind kind);

// All arguments of QEMU except its own name.
std::vector<std::string> MachineOptions(const MachinePlaces& places);

// The folder's name as part of an option, where a comma separates fields.
std::string EscapedForOption(const std::string& path);

}  // namespace lab

#endif  // HW_TESTS_LAB_MACHINE_H_
