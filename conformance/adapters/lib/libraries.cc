#include "conformance/adapters/lib/libraries.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "conformance/adapters/lib/embedded.h"
#include "conformance/process/process.h"
#include "model/base/files.h"
#include "model/base/sanitized.h"

namespace cm {
namespace {

constexpr size_t kSides = 4;  // maximum over all topologies
constexpr const char* kStandIn = "libcmsim_suite.so";

// The loader binds an object to the first one of the name that it needs, whichever that is. So the
// fake libibverbs and the copies have names of their own, each as long as the one that it replaces.
constexpr std::string_view kVerbs = "libibverbs.so.1";
constexpr std::string_view kLibrary = "librdmacm.so.1";
constexpr std::string_view kCopy = "libcmcopy.so.1";
static_assert(kCopy.size() == kLibrary.size());

// No loaded object has it.
std::string FreeName() {
  for (int number = 0;; ++number) {
    std::string name = fmt::format("libcm{:05}.so.1", number);
    if (dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD) == nullptr) return name;
  }
}

std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  size_t at = text.find(from);
  while (at != std::string::npos) {
    text.replace(at, from.size(), to);
    at = text.find(from, at + to.size());
  }
  return text;
}

// The bytes of an object in which it, or one that it needs, has another name. Symbol versions that
// it needs refer to the same string. source: man elf(5)
std::string Renamed(std::string bytes, std::string_view from, std::string_view to) {
  const std::string with_end = std::string(from) + '\0';
  return Replaced(std::move(bytes), with_end, std::string(to) + '\0');
}

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

// The file that the loader finds by a name; empty, with the reason in dlerror, when it finds none.
// It does not stay loaded, or later loads by that name would get this object.
std::string FindFile(const std::string& name) {
  void* const object = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (object == nullptr) return {};
  std::string file;
  Dl_info info = {};
  const void* const function = dlsym(object, "rdma_create_id");
  if (function != nullptr && dladdr(function, &info) != 0) file = info.dli_fname;
  dlclose(object);
  return file;
}

template <typename Function>
bool Find(void* object, const char* symbol, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(object, symbol));  // NOLINT: as C requires
  return *function != nullptr;
}

struct StandIn {
  std::string name;     // that copies need it by
  Libraries libraries;  // its functions
};

// Its own functions come before those of a libibverbs that a program has preloaded.
std::variant<StandIn, std::string> LoadStandIn() {
  StandIn loaded{.name = FreeName(), .libraries = {}};
  const std::string bytes(fake_libibverbs::Embedded(kStandIn));
  const std::optional<std::string> file = FileOf(Renamed(bytes, kVerbs, loaded.name));
  if (!file) return "no memory for the fake libibverbs";
  void* const object = dlopen(file->c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (object == nullptr) return "cannot load the fake libibverbs: " + WhyNot();
  if (!Find(object, "cmsim_attach", &loaded.libraries.attach) ||
      !Find(object, "cmsim_reset", &loaded.libraries.reset) ||
      !Find(object, "cmsim_file", &loaded.libraries.file_of))
    return "the fake libibverbs is not complete";
  return loaded;
}

// A copy for each side. The error, or an empty text.
std::string LoadCopies(const std::string& path, const std::string& bytes, Libraries* libraries) {
  while (libraries->of_sides.size() < kSides) {
    const std::optional<std::string> copy = FileOf(bytes);
    if (!copy) return "no memory for a copy of " + path;
    auto loaded = Load(*copy, Binding::kDeep);
    if (auto* why = std::get_if<std::string>(&loaded))
      return Replaced(std::move(*why), *copy, path);
    libraries->of_sides.push_back(std::get<LoadedObject>(loaded).api);
    libraries->at_start.emplace_back(AnyFunctionOf(libraries->of_sides.back()));
  }
  return {};
}

}  // namespace

std::variant<Libraries, std::string> LoadLibraries(const std::string& path) {
  const bool is_file = path.find('/') != std::string::npos;
  if (is_file && access(path.c_str(), R_OK) != 0)
    return fmt::format("cannot load {}: {}", path, std::strerror(errno));
  // It would end the process.
  if (kAddressSanitized) return "a build with AddressSanitizer cannot load a library for itself";
  const std::string file = is_file ? path : FindFile(path);
  if (file.empty())
    return fmt::format("cannot load {}: {}", path, Replaced(WhyNot(), path + ": ", ""));
  const std::optional<std::string> bytes = ReadFile(file);
  if (!bytes) return fmt::format("cannot load {}: it cannot be read", file);
  // Copies of all libraries in this process use the same one.
  static const std::variant<StandIn, std::string> stand_in = LoadStandIn();
  if (const auto* why = std::get_if<std::string>(&stand_in)) return *why;
  const auto& [name, functions] = std::get<StandIn>(stand_in);
  Libraries libraries = functions;
  libraries.name = LibraryName(file);
  std::string problem =
      LoadCopies(path, Renamed(Renamed(*bytes, kVerbs, name), kLibrary, kCopy), &libraries);
  if (!problem.empty()) return problem;
  return libraries;
}

}  // namespace cm
