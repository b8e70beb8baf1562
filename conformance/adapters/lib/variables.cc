#include "conformance/adapters/lib/variables.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>

namespace cm {
namespace {

struct Search {
  uintptr_t base = 0;
  std::span<uint8_t> found;
};

// The writable segment, without the part that the loader has protected again. source: glibc 2.36
// dl-reloc.c _dl_protect_relro
std::span<uint8_t> VariablesOf(const dl_phdr_info& object) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  uintptr_t begin = 0;
  uintptr_t end = 0;
  uintptr_t free_from = 0;
  for (const auto& segment : std::span(object.dlpi_phdr, object.dlpi_phnum)) {
    const uintptr_t first = object.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) != 0) {
      begin = first;
      end = first + segment.p_memsz;
    } else if (segment.p_type == PT_GNU_RELRO) {
      free_from = (first + segment.p_memsz) / page * page;
    }
  }
  begin = std::max(begin, free_from);
  if (begin >= end) return {};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader has it as a number
  return {reinterpret_cast<uint8_t*>(begin), end - begin};
}

int Look(dl_phdr_info* object, size_t /*size*/, void* context) {
  auto* const search = static_cast<Search*>(context);
  if (object->dlpi_addr != search->base) return 0;
  search->found = VariablesOf(*object);
  return 1;
}

}  // namespace

Variables::Variables(const void* function) {
  Dl_info info{};
  if (dladdr(function, &info) == 0) return;
  Search search{.base = reinterpret_cast<uintptr_t>(info.dli_fbase), .found = {}};
  dl_iterate_phdr(Look, &search);
  memory_ = search.found;
  then_.assign(memory_.begin(), memory_.end());
}

void Variables::Restore() const { std::ranges::copy(then_, memory_.begin()); }

}  // namespace cm
