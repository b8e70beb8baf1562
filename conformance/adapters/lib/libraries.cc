#include "conformance/adapters/lib/libraries.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "conformance/adapters/lib/embedded.h"
#include "conformance/process/process.h"
#include "model/base/sanitized.h"

namespace cm {
namespace {

constexpr size_t kSides = 4;  // maximum over all topologies
constexpr const char* kStandIn = "libcmsim_suite.so";

// The path of a file in memory, which is unique while the file is open: for ever.
std::optional<std::string> FileOf(std::string_view bytes) {
  auto* const file = new Descriptor(MemoryFile(bytes));
  if (file->get() < 0) return std::nullopt;
  return InheritedPath(*file);
}

std::string WhyNot() {
  const char* const said = dlerror();
  return said == nullptr ? "no reason given" : said;
}

const void* AnyFunctionOf(const RdmaCmApi& api) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): dladdr takes any address
  return reinterpret_cast<const void*>(api.rdma_create_id);
}

// The file that an object was loaded from, by a function of it.
std::string PathOf(const void* function) {
  Dl_info info{};
  if (dladdr(function, &info) == 0 || info.dli_fname == nullptr) return {};
  return info.dli_fname;
}

template <typename Function>
bool Find(void* object, const char* symbol, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(object, symbol));  // NOLINT: as C requires
  return *function != nullptr;
}

// Resolves only the object's own functions.
std::variant<Libraries, std::string> LoadStandIn() {
  const std::optional<std::string> file = FileOf(fake_libibverbs::Embedded(kStandIn));
  if (!file) return "no memory for the fake libibverbs";
  void* const object = dlopen(file->c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) return "cannot load the fake libibverbs: " + WhyNot();
  Libraries libraries;
  if (!Find(object, "cmsim_attach", &libraries.attach) ||
      !Find(object, "cmsim_reset", &libraries.reset) ||
      !Find(object, "cmsim_file", &libraries.file_of))
    return "the fake libibverbs is not complete";
  return libraries;
}

}  // namespace

std::variant<Libraries, std::string> LoadLibraries(const std::string& path) {
  if (path.find('/') != std::string::npos && access(path.c_str(), R_OK) != 0)
    return fmt::format("cannot load {}: {}", path, std::strerror(errno));
  // It would end the process.
  if (kAddressSanitized) return "a build with AddressSanitizer cannot load a library for itself";
  // Every library in this process resolves it by name to the one that was loaded first.
  static const std::variant<Libraries, std::string> stand_in = LoadStandIn();
  if (const auto* why = std::get_if<std::string>(&stand_in)) return *why;
  Libraries libraries = std::get<Libraries>(stand_in);
  // The first one is not used: another implementation may use it as well.
  auto first = Load(path, Binding::kDeep);
  if (auto* why = std::get_if<std::string>(&first)) return std::move(*why);
  libraries.name = std::get<LoadedObject>(first).name;
  const std::string read_from = PathOf(AnyFunctionOf(std::get<LoadedObject>(first).api));
  std::ifstream file(read_from, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  if (!file || bytes.empty()) return fmt::format("cannot read {} again", read_from);
  while (libraries.of_sides.size() < kSides) {
    const std::optional<std::string> copy = FileOf(bytes);
    if (!copy) return "no memory for a copy of " + path;
    auto loaded = Load(*copy, Binding::kDeep);
    if (auto* why = std::get_if<std::string>(&loaded)) return std::move(*why);
    libraries.of_sides.push_back(std::get<LoadedObject>(loaded).api);
    libraries.at_start.emplace_back(AnyFunctionOf(libraries.of_sides.back()));
  }
  return libraries;
}

}  // namespace cm
