#include "hw_tests/node/adapter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <vector>

namespace node {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUnbind = R"(echo "$1" >"$2/unbind")";
constexpr std::string_view kBind = R"([ -e "$2/$1" ] || echo "$1" >"$2/bind")";
constexpr std::string_view kEnable =
    "devlink dev param set \"$1\" name enable_rdma value \"$2\" cmode driverinit && "
    "devlink dev reload \"$1\"";
// In the names of auxiliary devices for RDMA: mlx5_core.rdma.0, bnxt_en.rdma.1, ice.roce.0,
// i40e.iwarp.2. source: linux 6.1 drivers/infiniband/hw/*/ *_id_table
constexpr auto kRdmaParts = std::to_array<std::string_view>({".rdma.", ".roce.", ".iwarp."});

std::vector<fs::path> EntriesOf(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) entries.push_back(entry.path());
  std::ranges::sort(entries);
  return entries;
}

// By the driver of a device; nothing when it has none, or one that cannot be told.
std::optional<Removal> ByDriverOf(const fs::path& device) {
  std::error_code error;
  const fs::path driver = fs::canonical(device / "driver", error);
  if (error || !fs::exists(driver / "unbind", error)) return std::nullopt;
  const std::string name = device.filename();
  return Removal{.away = {"sh", "-c", std::string(kUnbind), "sh", name, driver},
                 .back = {"sh", "-c", std::string(kBind), "sh", name, driver}};
}

// Nothing else goes with the adapter.
bool HasOnly(const fs::path& adapter, const std::string& interface) {
  const std::vector<fs::path> interfaces = EntriesOf(adapter / "net");
  if (interfaces.size() != 1 || interfaces.front().filename() != interface) return false;
  return std::ranges::none_of(EntriesOf(interfaces.front()), [](const fs::path& entry) {
    return entry.filename().string().starts_with("upper_");
  });
}

}  // namespace

std::optional<Removal> RemovalOf(const std::string& device, const Interface& interface,
                                 Tools& tools) {
  std::error_code error;
  const fs::path adapter = fs::canonical(fs::path(interface.devices) / device / "device", error);
  if (error) return std::nullopt;
  for (const fs::path& part : EntriesOf(adapter)) {
    const std::string name = part.filename();
    const bool rdma = std::ranges::any_of(
        kRdmaParts, [&](std::string_view infix) { return name.find(infix) != std::string::npos; });
    if (!rdma) continue;
    if (auto removal = ByDriverOf(part)) return removal;
  }
  if (HasOnly(adapter, interface.name))
    if (auto removal = ByDriverOf(adapter)) return removal;
  const std::string handle = fmt::format("pci/{}", adapter.filename().string());
  const Words asks = {"devlink", "dev", "param", "show", handle, "name", "enable_rdma"};
  if (tools.Run(asks).status != 0) return std::nullopt;
  const Words enable = {"sh", "-c", std::string(kEnable), "sh", handle};
  Removal removal{.away = enable, .back = enable};
  removal.away.emplace_back("false");
  removal.back.emplace_back("true");
  return removal;
}

}  // namespace node
