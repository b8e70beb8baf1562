// The guest's only daemon: runs shell commands that the host sends over the virtio-serial port.
//
// 1. It is process 1, so it also collects what other processes leave behind.
// 2. One command runs at a time. It has ended when its shell has: children that stay in the
//    background and still hold its output are not waited for, and what they print later is thrown
//    away, so that it neither blocks them nor kills them.
// 3. It ends, and the guest with it, when what the host sends makes no sense.
#ifndef HW_TESTS_LAB_AGENT_H_
#define HW_TESTS_LAB_AGENT_H_

namespace lab {

// Serves the port, a descriptor that does not block, for ever.
[[noreturn]] void ServeAgent(int port);

}  // namespace lab

#endif  // HW_TESTS_LAB_AGENT_H_
