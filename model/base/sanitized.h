// True in a build with a sanitizer, for tests that cannot run in one.
#ifndef MODEL_BASE_SANITIZED_H_
#define MODEL_BASE_SANITIZED_H_

namespace cm {

#if defined(__has_feature)
inline constexpr bool kAddressSanitized = __has_feature(address_sanitizer);
inline constexpr bool kThreadSanitized = __has_feature(thread_sanitizer);
#else
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kAddressSanitized = true;
#else
inline constexpr bool kAddressSanitized = false;
#endif
#if defined(__SANITIZE_THREAD__)
inline constexpr bool kThreadSanitized = true;
#else
inline constexpr bool kThreadSanitized = false;
#endif
#endif

}  // namespace cm

#endif  // MODEL_BASE_SANITIZED_H_
