// Who looks again and again at what is not there.
#ifndef SIM_STANDIN_LOOKS_H_
#define SIM_STANDIN_LOOKS_H_

namespace cm::sim::standin {

// The calling thread has looked at descriptors without waiting. Whoever does so often in turn and
// finds nothing lets the others have their turn. Leaves errno as it is.
void HasLooked(bool found);

}  // namespace cm::sim::standin

#endif  // SIM_STANDIN_LOOKS_H_
