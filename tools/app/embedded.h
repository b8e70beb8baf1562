// The preloaded object for programs, embedded in our own binary.
#ifndef TOOLS_APP_EMBEDDED_H_
#define TOOLS_APP_EMBEDDED_H_

#include <string_view>

namespace cm::app {

// A file by its name without folders; empty when there is none. Known: libcmsim_app.so.
std::string_view Embedded(std::string_view name);

}  // namespace cm::app

#endif  // TOOLS_APP_EMBEDDED_H_
