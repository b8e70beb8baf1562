#include "tools/cmcheck/one_guest.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "model/vocabulary/profile.h"
#include "tools/cmcheck/command.h"

namespace cm {

namespace fs = std::filesystem;

OneGuest::OneGuest(const OwnGuest& own)
    : own_(IsOwn(own) ? (fs::temp_directory_path() / "lab").string() : ""),
      share_((fs::temp_directory_path() / "guest").string()) {}

std::variant<std::unique_ptr<OneGuest>, int> OneGuest::Start(const std::string& name,
                                                             const OwnGuest& own) {
  const Profile* const profile = FindProfile(name);
  if (profile == nullptr || profile->transport != Transport::kRoce)
    return Unusable(fmt::format(
        "--lab {}: guests have the profiles 5.10-rxe, 6.1-rxe, 6.12-rxe and 7.2-rxe", name));
  lab::Outcome<lab::Image> image = EnsureImage(*profile);
  if (!image.ok()) return EndsBy(image.problem());
  std::unique_ptr<OneGuest> one(new OneGuest(own));
  image = OwnImage(own, image.value(), one->own_.path());
  if (!image.ok()) return EndsBy(image.problem());
  std::error_code error;
  if (!one->share().empty()) fs::copy_file("/proc/self/exe", one->share() / "cmcheck", error);
  if (one->share().empty() || error) return Unusable("no folder to share with the guest");
  lab::Outcome<lab::Guest> guest = lab::Guest::Start(
      image.value(), {.topology = lab::Topology::kPair, .share = one->share()}, ShowingProgress());
  if (!guest.ok()) return EndsBy(guest.problem());
  one->guest_ = std::make_unique<lab::Guest>(std::move(guest.value()));
  return one;
}

}  // namespace cm
