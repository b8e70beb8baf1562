// What `cmcheck site discover` writes and says.
#ifndef TOOLS_SITE_SITE_TEXT_H_
#define TOOLS_SITE_SITE_TEXT_H_

#include <optional>
#include <string>
#include <vector>

#include "conformance/adapters/exec/site.h"
#include "tools/site/choose.h"

namespace cm::site {

// One host in lines: versions, ports, interfaces.
std::vector<std::string> LinesOf(const std::string& side, const std::string& host,
                                 const HostFacts& facts);

// The two hosts: what was chosen and why, what was not, and what the operator has to do; the last
// is empty when the file is complete.
struct Said {
  std::vector<std::string> chosen;
  std::vector<std::string> to_do;
};
Said Explain(const BothFacts& facts, const Site& site, const Placements& placements);

// The site with the best placement's addresses, for ParseSite; an address that was not found is a
// comment, and so is what was said. Without a placement all are.
std::string SiteText(const Site& site, const std::optional<Placement>& placement,
                     const std::vector<std::string>& comments);

}  // namespace cm::site

#endif  // TOOLS_SITE_SITE_TEXT_H_
