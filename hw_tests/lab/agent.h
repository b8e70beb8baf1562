// The guest's only daemon: runs shell commands that the host sends over the virtio-serial port.
//
// 1. It is process 1, so it also reaps orphaned processes.
// 2. One command runs at a time. It has ended when its shell has: the agent does not wait for
//    background children that still hold its output, and discards what they print later, so that it
//    neither blocks them nor kills them.
// 3. It ends, and the guest with it, when the host sends a malformed frame.
#ifndef HW_TESTS_LAB_AGENT_H_
#define HW_TESTS_LAB_AGENT_H_

namespace lab {

// Serves the port, a non-blocking descriptor, for ever.
[[noreturn]] void ServeAgent(int port);

}  // namespace lab

#endif  // HW_TESTS_LAB_AGENT_H_
