#include "conformance/adapters/dl/api.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

namespace cm {
namespace {

// The message of dlerror, without the path in front of it and on one line.
std::string WhyNot(const std::string& path) {
  const char* said = dlerror();
  std::string why = said == nullptr ? "no reason given" : said;
  if (why.starts_with(path + ": ")) why.erase(0, path.size() + 2);
  std::ranges::replace(why, '\n', ' ');
  return why;
}

// Finds symbols, and remembers those that are missing.
class Symbols {
 public:
  explicit Symbols(void* object) : object_(object) {}

  template <typename Function>
  void Find(const char* symbol, Function* function) {
    Optional(symbol, function);
    if (*function == nullptr) missing_.push_back(symbol);
  }
  // In the object and its dependencies, else in any loaded object.
  template <typename Function>
  void FindAnywhere(const char* symbol, Function* function) {
    OptionalAnywhere(symbol, function);
    if (*function == nullptr) missing_.push_back(symbol);
  }
  template <typename Function>
  void OptionalAnywhere(const char* symbol, Function* function) {
    Optional(symbol, function);
    if (*function == nullptr)
      *function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, symbol));  // NOLINT: as C requires
  }
  template <typename Function>
  void Optional(const char* symbol, Function* function) {
    *function = reinterpret_cast<Function>(dlsym(object_, symbol));  // NOLINT: as C requires
  }
  const std::vector<std::string>& missing() const { return missing_; }

 private:
  void* object_;
  std::vector<std::string> missing_;
};

std::vector<std::string> Split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == at)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

std::string NameOf(const void* function) {
  Dl_info info{};
  if (dladdr(function, &info) == 0 || info.dli_fname == nullptr) return "librdmacm";
  return LibraryName(info.dli_fname);
}

// The function that a call needs and the object lacks; empty when it has all.
std::string_view MissingFor(const RdmaCmApi& api, CallKind kind) {
#define CM_MISSES_Required(type, symbol)
#define CM_MISSES_Optional(type, symbol) \
  if (kind == CallKind::k##type && api.symbol == nullptr) return #symbol;
#define CM_MISSES_Inline(type, symbol)
#define CM_MISSES_Own(type, symbol)
#define CM_MISSES(number, type, symbol, linkage) CM_MISSES_##linkage(type, symbol)
  CM_CALLS(CM_MISSES)
#undef CM_MISSES
#undef CM_MISSES_Required
#undef CM_MISSES_Optional
#undef CM_MISSES_Inline
#undef CM_MISSES_Own
  return MovesData(kind) && !MovesData(api) ? FunctionName(kind) : std::string_view();
}

}  // namespace

std::string WhyUncallable(const RdmaCmApi& api, const Conversation& conversation,
                          Capabilities capabilities) {
  for (const Line& line : conversation.lines) {
    const auto* calls = std::get_if<line::Calls>(&line);
    if (calls == nullptr) continue;
    const CallKind kind = KindOf(calls->call);
    if (MovesData(kind) && !capabilities.Has(Capability::kData)) return "moves no data";
    const std::string_view missing = MissingFor(api, kind);
    if (!missing.empty()) return fmt::format("has no symbol {}", missing);
  }
  return {};
}

bool HasLaterCalls(const RdmaCmApi& api) {
  return api.rdma_resolve_addrinfo != nullptr && api.rdma_query_addrinfo != nullptr &&
         api.rdma_write_cm_event != nullptr;
}

bool MovesData(const RdmaCmApi& api) {
  return api.ibv_reg_mr != nullptr && api.ibv_dereg_mr != nullptr && api.ibv_create_ah != nullptr &&
         api.ibv_destroy_ah != nullptr && api.ibv_get_cq_event != nullptr &&
         api.ibv_ack_cq_events != nullptr;
}

// Debian's file is librdmacm.so.1.3.44.0: ABI, then the release of rdma-core.
std::string LibraryName(const std::string& file) {
  constexpr size_t kPartsWithRelease = 6;
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(file, error);
  std::string name = (error ? std::filesystem::path(file) : real).filename();
  const std::vector<std::string> parts = Split(name, '.');
  if (parts.size() != kPartsWithRelease || parts[0] != "librdmacm") return name;
  return fmt::format("librdmacm {}.{}", parts[4], parts[5]);
}

std::variant<LoadedObject, std::string> Load(const std::string& path, Binding binding) {
  const int deep = binding == Binding::kDeep ? RTLD_DEEPBIND : 0;
  void* const object = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | deep);
  if (object == nullptr) return fmt::format("cannot load {}: {}", path, WhyNot(path));
  LoadedObject loaded;
  Symbols symbols(object);
#define CM_FIND_Required(symbol) symbols.Find(#symbol, &loaded.api.symbol);
#define CM_FIND_Optional(symbol) symbols.Optional(#symbol, &loaded.api.symbol);
#define CM_FIND_Inline(symbol)
#define CM_FIND_Own(symbol)
#define CM_FIND(number, type, symbol, linkage) CM_FIND_##linkage(symbol)
#define CM_FIND_ANYWHERE(symbol) symbols.FindAnywhere(#symbol, &loaded.api.symbol);
#define CM_FIND_WORK(symbol) symbols.OptionalAnywhere(#symbol, &loaded.api.symbol);
  CM_CALLS(CM_FIND)
  CM_VERBS_ENTRY_POINTS(CM_FIND_ANYWHERE)
  CM_WORK_ENTRY_POINTS(CM_FIND_WORK)
#undef CM_FIND_WORK
#undef CM_FIND
#undef CM_FIND_ANYWHERE
#undef CM_FIND_Required
#undef CM_FIND_Optional
#undef CM_FIND_Inline
#undef CM_FIND_Own
  if (dlsym(object, "cmcheck_start") != nullptr) {
    Hooks& hooks = loaded.hooks.emplace();
#define CM_FIND(symbol) symbols.Find(#symbol, &hooks.symbol);
    CM_HOOKS(CM_FIND)
#undef CM_FIND
  }
  if (!symbols.missing().empty())
    return fmt::format("{} has no symbol {}", path, fmt::join(symbols.missing(), ", "));
  loaded.name = NameOf(reinterpret_cast<const void*>(loaded.api.rdma_create_id));  // NOLINT
  return loaded;
}

}  // namespace cm
