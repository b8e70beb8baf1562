// Functions that a program which is linked here would take from a newer C library than nodes have,
// by their versions of before glibc 2.28, or by what stood in their place. The program's own
// references find these, and no library's: they are hidden.
//
// source: glibc's ABI lists (sysdeps/unix/sysv/linux/*/libc.abilist); System V gABI, ELF symbol
// versions
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#if defined(__x86_64__)
#define CM_FIRST_GLIBC "GLIBC_2.2.5"
#define CM_STAT_VERSION 1
#elif defined(__aarch64__)
#define CM_FIRST_GLIBC "GLIBC_2.17"
#define CM_STAT_VERSION 0
#else
#error "which version of glibc was the first of this machine?"
#endif

#define CM_HIDDEN extern "C" __attribute__((visibility("hidden")))
// `old_NAME` is NAME of the first version.
#define CM_OLD(name) __asm__(".symver old_" #name "," #name "@" CM_FIRST_GLIBC)

CM_OLD(__libc_start_main);
CM_OLD(dlopen);
CM_OLD(dlsym);
CM_OLD(dladdr);
CM_OLD(dlclose);
CM_OLD(dlerror);
CM_OLD(pthread_create);
CM_OLD(pthread_detach);
CM_OLD(pthread_join);
CM_OLD(pthread_once);
CM_OLD(pthread_key_create);
CM_OLD(pthread_key_delete);
CM_OLD(pthread_getspecific);
CM_OLD(pthread_setspecific);
CM_OLD(__xstat);
CM_OLD(__lxstat);
CM_OLD(__fxstat);

extern "C" {
using Main = int (*)(int, char**, char**);
using Ending = void (*)();
int old___libc_start_main(Main main, int argc, char** argv, Main init, Ending fini, Ending rtld,
                          void* stack_end);
void* old_dlopen(const char* file, int mode) noexcept;
void* old_dlsym(void* handle, const char* name) noexcept;
int old_dladdr(const void* address, Dl_info* info) noexcept;
int old_dlclose(void* handle) noexcept;
char* old_dlerror() noexcept;
int old_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                       void* argument);
int old_pthread_detach(pthread_t thread);
int old_pthread_join(pthread_t thread, void** result);
int old_pthread_once(pthread_once_t* once, void (*body)());
int old_pthread_key_create(pthread_key_t* key, void (*destructor)(void*));
int old_pthread_key_delete(pthread_key_t key);
void* old_pthread_getspecific(pthread_key_t key);
int old_pthread_setspecific(pthread_key_t key, uintptr_t value) noexcept;  // never reads there
int old___xstat(int version, const char* path, struct stat* result);
int old___lxstat(int version, const char* path, struct stat* result);
int old___fxstat(int version, int file, struct stat* result);

// Of the linker.
extern Main __preinit_array_start[] __attribute__((visibility("hidden")));
extern Main __preinit_array_end[] __attribute__((visibility("hidden")));
extern Main __init_array_start[] __attribute__((visibility("hidden")));
extern Main __init_array_end[] __attribute__((visibility("hidden")));
void _init();
}

namespace {

// What was linked into a program before 2.34, and is the C library's since: constructors.
int Initialise(int argc, char** argv, char** environment) {
  for (Main* body = __preinit_array_start; body != __preinit_array_end; ++body)
    (*body)(argc, argv, environment);
  _init();
  for (Main* body = __init_array_start; body != __init_array_end; ++body)
    (*body)(argc, argv, environment);
  return 0;
}

struct Sought {
  uintptr_t address;
  dl_find_object* result;
};

// Whether an object has the address; then it is the result.
int LooksInto(dl_phdr_info* info, size_t, void* argument) {
  const auto& sought = *static_cast<Sought*>(argument);
  const ElfW(Phdr)* holds = nullptr;
  const ElfW(Phdr)* frames = nullptr;
  for (size_t i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && sought.address >= begin &&
        sought.address < begin + segment.p_memsz)
      holds = &segment;
    if (segment.p_type == PT_GNU_EH_FRAME) frames = &segment;
  }
  if (holds == nullptr || frames == nullptr) return 0;
  const uintptr_t begin = info->dlpi_addr + holds->p_vaddr;
  sought.result->dlfo_map_start = std::bit_cast<void*>(begin);
  sought.result->dlfo_map_end = std::bit_cast<void*>(begin + holds->p_memsz);
  sought.result->dlfo_eh_frame = std::bit_cast<void*>(info->dlpi_addr + frames->p_vaddr);
  return 1;
}

}  // namespace

CM_HIDDEN int __libc_start_main(Main main, int argc, char** argv, Main, Ending fini, Ending rtld,
                                void* stack_end) {
  return old___libc_start_main(main, argc, argv, Initialise, fini, rtld, stack_end);
}

// 2.32; false: there may be threads.
CM_HIDDEN char __libc_single_threaded;
char __libc_single_threaded = 0;

// 2.35, for the unwinder.
CM_HIDDEN int _dl_find_object(void* address, dl_find_object* result) noexcept {
  *result = {};
  Sought sought = {reinterpret_cast<uintptr_t>(address), result};
  return dl_iterate_phdr(LooksInto, &sought) == 1 ? 0 : -1;
}

// 2.36
CM_HIDDEN uint32_t arc4random() noexcept {
  uint32_t number = 0;
  if (syscall(SYS_getrandom, &number, sizeof(number), 0) != sizeof(number)) abort();
  return number;
}

// 2.34
CM_HIDDEN int close_range(unsigned first, unsigned last, int flags) noexcept {
  return static_cast<int>(syscall(SYS_close_range, first, last, flags));
}

// 2.33
CM_HIDDEN int stat(const char* path, struct stat* result) noexcept {
  return old___xstat(CM_STAT_VERSION, path, result);
}
CM_HIDDEN int lstat(const char* path, struct stat* result) noexcept {
  return old___lxstat(CM_STAT_VERSION, path, result);
}
CM_HIDDEN int fstat(int file, struct stat* result) noexcept {
  return old___fxstat(CM_STAT_VERSION, file, result);
}
CM_HIDDEN int fstat64(int file, struct stat64* result) noexcept {
  static_assert(sizeof(struct stat) == sizeof(struct stat64));
  return old___fxstat(CM_STAT_VERSION, file, reinterpret_cast<struct stat*>(result));
}

// 2.34, when libdl and libpthread became parts of libc. dlopen and dlsym ask who calls them: the
// compiler makes jumps of these.
CM_HIDDEN void* dlopen(const char* file, int mode) noexcept { return old_dlopen(file, mode); }
CM_HIDDEN void* dlsym(void* handle, const char* name) noexcept { return old_dlsym(handle, name); }
CM_HIDDEN int dladdr(const void* address, Dl_info* info) noexcept {
  return old_dladdr(address, info);
}
CM_HIDDEN int dlclose(void* handle) noexcept { return old_dlclose(handle); }
CM_HIDDEN char* dlerror() noexcept { return old_dlerror(); }
CM_HIDDEN int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                             void* (*body)(void*), void* argument) noexcept {
  return old_pthread_create(thread, attributes, body, argument);
}
CM_HIDDEN int pthread_detach(pthread_t thread) noexcept { return old_pthread_detach(thread); }
CM_HIDDEN int pthread_join(pthread_t thread, void** result) {
  return old_pthread_join(thread, result);
}
CM_HIDDEN int pthread_once(pthread_once_t* once, void (*body)()) {
  return old_pthread_once(once, body);
}
CM_HIDDEN int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) noexcept {
  return old_pthread_key_create(key, destructor);
}
CM_HIDDEN int __pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) noexcept {
  return old_pthread_key_create(key, destructor);
}
CM_HIDDEN int pthread_key_delete(pthread_key_t key) noexcept { return old_pthread_key_delete(key); }
CM_HIDDEN void* pthread_getspecific(pthread_key_t key) noexcept {
  return old_pthread_getspecific(key);
}
CM_HIDDEN int pthread_setspecific(pthread_key_t key, const void* value) noexcept {
  return old_pthread_setspecific(key, reinterpret_cast<uintptr_t>(value));
}
