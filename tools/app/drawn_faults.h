// Faults for a run, drawn from a seed.
#ifndef TOOLS_APP_DRAWN_FAULTS_H_
#define TOOLS_APP_DRAWN_FAULTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "model/vocabulary/profile.h"
#include "model/vocabulary/topology_ref.h"
#include "tools/app/script.h"

namespace cm::app {

// None to two: messages of the handshake or of the disconnect that are lost or late, a link that
// goes down and up again, a device that is removed. Instants are as likely in each order of
// magnitude from 10 us to 10 s. Only faults that profile and topology have.
std::vector<Happening> DrawFaults(uint64_t seed, const TopologyRef& topology,
                                  const Profile& profile);

// The lines of a script that does this.
std::vector<std::string> LinesOf(const std::vector<Happening>& script);

}  // namespace cm::app

#endif  // TOOLS_APP_DRAWN_FAULTS_H_
