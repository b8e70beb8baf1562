// The C functions of a librdmacm-shaped shared object. Their types come from the installed
// <rdma/rdma_cma.h>, so a drifting prototype does not compile, and loading an object reports a
// missing symbol by name.
#ifndef CONFORMANCE_ADAPTERS_DL_API_H_
#define CONFORMANCE_ADAPTERS_DL_API_H_

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "conformance/adapters/dl/hooks.h"
#include "model/conversation/conversation.h"
#include "model/vocabulary/call.h"

// Functions of the library's map 1.4, which the installed header may lack. source: rdma-core 65
// rdma_cma.h
extern "C" {
int rdma_resolve_addrinfo(rdma_cm_id* id, const char* node, const char* service,
                          const rdma_addrinfo* hints);
int rdma_query_addrinfo(rdma_cm_id* id, rdma_addrinfo** info);
int rdma_write_cm_event(rdma_cm_id* id, rdma_cm_event_type event, int status, uint64_t arg);
}

namespace cm {

// Functions of libibverbs: the object's own, or those of its dependencies.
#define CM_VERBS_ENTRY_POINTS(X) \
  X(ibv_query_qp)                \
  X(ibv_get_device_name)

// Of libibverbs as well, for posting work; without them no work can be posted.
#define CM_WORK_ENTRY_POINTS(X) \
  X(ibv_reg_mr)                 \
  X(ibv_dereg_mr)               \
  X(ibv_create_ah)              \
  X(ibv_destroy_ah)             \
  X(ibv_get_cq_event)           \
  X(ibv_ack_cq_events)

#define CM_HOOKS(X)       \
  X(cmcheck_capabilities) \
  X(cmcheck_start)        \
  X(cmcheck_enter)        \
  X(cmcheck_now)          \
  X(cmcheck_next)         \
  X(cmcheck_step)         \
  X(cmcheck_advance)      \
  X(cmcheck_blocked)      \
  X(cmcheck_continue)     \
  X(cmcheck_readable)     \
  X(cmcheck_fault)        \
  X(cmcheck_heal)         \
  X(cmcheck_leaks)

#define CM_FIELD(name) decltype(&::name) name = nullptr;  // NOLINT(bugprone-macro-parentheses)
// The symbols of the table of calls, by linkage. An Optional one is null where the object has none:
// conversations that call it are unsupported then.
#define CM_FIELD_Required(name) CM_FIELD(name)
#define CM_FIELD_Optional(name) CM_FIELD(name)
#define CM_FIELD_Inline(name)
#define CM_FIELD_Own(name)
#define CM_CALL_FIELD(number, type, function, linkage) CM_FIELD_##linkage(function)
struct RdmaCmApi {
  CM_CALLS(CM_CALL_FIELD)
  CM_VERBS_ENTRY_POINTS(CM_FIELD)
  CM_WORK_ENTRY_POINTS(CM_FIELD)
};
#undef CM_CALL_FIELD
#undef CM_FIELD_Required
#undef CM_FIELD_Optional
#undef CM_FIELD_Inline
#undef CM_FIELD_Own
struct Hooks {
  CM_HOOKS(CM_FIELD)
};
#undef CM_FIELD

struct LoadedObject {
  RdmaCmApi api;
  std::optional<Hooks> hooks;
  std::string name;  // "librdmacm 44.0", by the name of the file; else the file's name
};

// Symbol resolution for functions that several objects define: the first loaded object, as for
// programs, or the object's own dependencies.
enum class Binding : uint8_t { kUsual, kDeep };

// "librdmacm 44.0" of a library's file; else the file's name, without its folder.
std::string LibraryName(const std::string& file);

// The functions of the object at `path`, or the error in one line. The object is never unloaded:
// processes that are forked later inherit it.
std::variant<LoadedObject, std::string> Load(const std::string& path,
                                             Binding binding = Binding::kUsual);

// The reason why the conversation cannot be carried out: "has no symbol rdma_write_cm_event", or
// "moves no data". Empty when it can.
std::string WhyUncallable(const RdmaCmApi& api, const Conversation& conversation,
                          Capabilities capabilities);
// True when the object has all functions of map 1.4.
bool HasLaterCalls(const RdmaCmApi& api);
// True when the object has the functions that the inline functions of <rdma/rdma_verbs.h> call.
bool MovesData(const RdmaCmApi& api);

}  // namespace cm

#endif  // CONFORMANCE_ADAPTERS_DL_API_H_
