// What may be done to a host of a site, as `--allow` and the site's file say it.
#ifndef CONFORMANCE_ADAPTERS_EXEC_ALLOW_H_
#define CONFORMANCE_ADAPTERS_EXEC_ALLOW_H_

#include <array>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/vocabulary/capability.h"

namespace cm {

struct AllowRow {
  std::string_view name;
  std::string_view sentence;  // what is done, with `ip`, `rdma` and `nft`
  Capabilities gives;
};

inline constexpr auto kAllowRows = std::to_array<AllowRow>({
    {"link", "the interface under the RDMA device goes down and up", {Capability::kLink}},
    {"neighbour",
     "hardware addresses of the other host are forgotten, or replaced by a wrong one",
     {Capability::kNeighbour}},
    {"address",
     "another host seems to answer for the other host's addresses",
     {Capability::kDuplicateAddress}},
    {"device", "the RDMA device is removed and made again", {Capability::kRemoveDevice}},
    {"loss", "CM messages that arrive are dropped", {Capability::kDrop, Capability::kDropNth}},
    {"time", "conversations wait for minutes", {Capability::kTime}},
});

// One word of a list: "link", "device=/opt/site/device", "link-flap=/opt/site/flap".
struct Allowed {
  std::string name;  // of a row, or of a capability for which a program is given
  Capabilities gives;
  std::string program;  // of the site, that does and undoes it; empty: ip, rdma, nft
  friend bool operator==(const Allowed&, const Allowed&) = default;
};
using AllowList = std::vector<Allowed>;

// Reads words that commas separate, each once, or says in one line what is wrong. No word has to be
// quoted for a shell.
std::variant<AllowList, std::string> ParseAllow(std::string_view text);
// The inverse.
std::string ToText(const AllowList& list);

Capabilities Given(const AllowList& list);
// The entry that gives what a fault needs; null: it is not allowed.
const Allowed* EntryFor(const AllowList& list, Capability needed);

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_EXEC_ALLOW_H_
