#include "tools/mutants/sites.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace cm::mutant {
namespace {

constexpr std::string_view kHere = "::mutants_here";

// Text that is put before the byte `at` of the source, `replaced` bytes of which are left out.
struct Piece {
  size_t at = 0;
  // At one place: what ends there, then what stands between, then what begins there.
  enum class Phase : uint8_t { kEnds, kBetween, kBegins } phase = Phase::kBetween;
  // Within the phase: inner texts end first, outer texts begin first.
  size_t rank = 0;
  size_t replaced = 0;
  std::string text;
};

class Pieces {
 public:
  explicit Pieces(size_t length) : length_(length) {}

  void Wrap(const Site& site, size_t order, std::string before, std::string after) {
    // An outer site has the lower order, as the sites are sorted.
    pieces_.push_back({site.begin, Piece::Phase::kBegins, order, 0, std::move(before)});
    pieces_.push_back({site.end, Piece::Phase::kEnds, length_ - order, 0, std::move(after)});
  }
  void Insert(size_t at, size_t order, std::string text) {
    pieces_.push_back({at, Piece::Phase::kBetween, order, 0, std::move(text)});
  }
  // Nothing but the text itself begins or ends at what is replaced.
  void Replace(size_t begin, size_t end, std::string text) {
    pieces_.push_back({begin, Piece::Phase::kBegins, length_, end - begin, std::move(text)});
  }

  std::string Applied(std::string_view source) {
    std::ranges::stable_sort(pieces_, {}, [](const Piece& piece) {
      return std::tuple(piece.at, piece.phase, piece.rank);
    });
    std::string text;
    size_t done = 0;
    for (const Piece& piece : pieces_) {
      text += source.substr(done, piece.at - done);
      text += piece.text;
      done = piece.at + piece.replaced;
    }
    text += source.substr(done);
    return text;
  }

 private:
  size_t length_;
  std::vector<Piece> pieces_;
};

void AddPieces(const Site& site, size_t order, Pieces* pieces) {
  const size_t number = order + 1;
  switch (site.form) {
    case Form::kNegate:
      pieces->Wrap(site, order, fmt::format("({}.Is({}) != static_cast<bool>(", kHere, number),
                   "))");
      return;
    case Form::kDelete:
      pieces->Wrap(site, order, fmt::format("{{ if (!{}.Is({})) ", kHere, number), " }");
      return;
    case Form::kSwap:
      pieces->Wrap(site, order, fmt::format("{}.Swap({}, ", kHere, number),
                   fmt::format(", {})", site.other));
      return;
    case Form::kCompare:
      pieces->Wrap(site, order, fmt::format("{}.{}({}, ", kHere, site.other, number), ")");
      pieces->Replace(site.operator_begin, site.operator_end, ",");
      return;
    case Form::kInsert:
      pieces->Insert(site.begin, order,
                     fmt::format(" if ({}.Is({})) {} ", kHere, number, site.other));
      return;
  }
}

std::string_view EnumeratorOf(Kind kind) {
  switch (kind) {
    case Kind::kCondition:
      return "kCondition";
    case Kind::kStatement:
      return "kStatement";
    case Kind::kConstant:
      return "kConstant";
    case Kind::kOffByOne:
      return "kOffByOne";
    case Kind::kReturn:
      return "kReturn";
  }
  return "?";
}

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

size_t LineOf(std::string_view source, size_t at) {
  return 1 + static_cast<size_t>(std::ranges::count(source.substr(0, at), '\n'));
}

// The table of the file's mutants, and the object that switches them.
std::string Preamble(std::string_view name, std::string_view source,
                     const std::vector<Site>& sites) {
  std::string text = "#include \"tools/mutants/switch.h\"\nnamespace {\n";
  if (!sites.empty()) {
    text += "constexpr ::cm::mutant::Row kMutantsHere[] = {\n";
    for (const Site& site : sites)
      text += fmt::format("    {{{}, {}, ::cm::mutant::Kind::{}, {}, {}}},\n",
                          LineOf(source, site.begin), Quoted(site.function),
                          EnumeratorOf(site.kind), Quoted(site.before), Quoted(site.after));
    text += fmt::format("}};\n::cm::mutant::File mutants_here({}, kMutantsHere);\n", Quoted(name));
  }
  return text + fmt::format("}}  // namespace\n#line 1 {}\n", Quoted(name));
}

}  // namespace

void SortSites(std::vector<Site>* sites) {
  const auto place = [](const Site& site) {
    // What begins at the same place: insertions, then the outer text.
    return std::tuple(site.begin, site.form != Form::kInsert, ~site.end, site.kind);
  };
  std::ranges::stable_sort(*sites, {}, place);
  const auto same = [](const Site& a, const Site& b) {
    return std::tie(a.begin, a.end, a.kind, a.form, a.other) ==
           std::tie(b.begin, b.end, b.kind, b.form, b.other);
  };
  sites->erase(std::unique(sites->begin(), sites->end(), same), sites->end());
}

std::string MutatedText(std::string_view name, std::string_view source,
                        const std::vector<Site>& sites) {
  Pieces pieces(source.size() + sites.size());
  for (size_t i = 0; i < sites.size(); ++i) AddPieces(sites[i], i, &pieces);
  return Preamble(name, source, sites) + pieces.Applied(source);
}

std::string OnOneLine(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n' || c == '\t';
    if (!space)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  if (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace cm::mutant
