// The generated part of docs/language.md: what follows from the tables of calls and of faults.
#ifndef TOOLS_RULES_LANGUAGE_H_
#define TOOLS_RULES_LANGUAGE_H_

#include <string>
#include <string_view>

namespace cm::ruledoc {

// Every call with its arguments, their defaults and its manual page.
std::string CallsMarkdown();

// Every kind of fault with its arguments and the capability that it needs, and every argument.
std::string FaultsMarkdown();

// The page with what stands between "<!-- generated: NAME -->" and "<!-- end: NAME -->" written
// anew; as it is where it lacks one of the two lines.
std::string WithRegion(std::string page, std::string_view name, std::string_view text);

// The page with all its generated regions written anew.
std::string LanguageMarkdown(std::string page);

}  // namespace cm::ruledoc

#endif  // TOOLS_RULES_LANGUAGE_H_
