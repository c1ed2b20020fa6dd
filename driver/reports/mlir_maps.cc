// Scans MLIR text for indexing maps and for the headers of pass dumps.
#include "driver/reports/mlir_maps.h"

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace affirm::driver {
namespace {

// A map, or a name that may stand for one.
struct Mention {
  std::string name;                 // empty: the attribute itself
  std::optional<std::string> text;  // of the attribute; with a name: its definition
  int64_t line, column;
};

class Scanner {
 public:
  Scanner(llvm::StringRef text, int64_t line) : text_(text), line_(line) {}

  std::vector<Mention> Run() {
    while (at_ < text_.size()) {
      if (Rest().starts_with("//")) {
        Skip(Rest().take_until([](char c) { return c == '\n'; }).size());
      } else if (text_[at_] == '"') {
        String();
      } else if (text_[at_] == '#') {
        Attribute();
      } else {
        Skip(1);
      }
    }
    return std::move(mentions_);
  }

 private:
  llvm::StringRef Rest() const { return text_.drop_front(at_); }

  void Skip(size_t count) {
    for (; count > 0 && at_ < text_.size(); --count, ++at_) {
      ++column_;
      if (text_[at_] != '\n') continue;
      ++line_;
      column_ = 1;
    }
  }

  void SkipSpace() {
    Skip(Rest().take_while([](char c) { return llvm::isSpace(c); }).size());
  }

  bool Take(llvm::StringRef token) {
    SkipSpace();
    if (!Rest().starts_with(token)) return false;
    Skip(token.size());
    return true;
  }

  // A string literal, unescaped: \n, \t, \", \\ and two hexadecimal digits.
  std::string String() {
    std::string value;
    Skip(1);
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') {
      char c = text_[at_];
      if (c == '\\' && at_ + 1 < text_.size()) {
        Skip(1);
        c = text_[at_];
        bool hex =
            llvm::isHexDigit(c) && at_ + 1 < text_.size() && llvm::isHexDigit(text_[at_ + 1]);
        if (hex) {
          c = static_cast<char>(llvm::hexFromNibbles(c, text_[at_ + 1]));
          Skip(1);
        } else if (c == 'n' || c == 't') {
          c = c == 'n' ? '\n' : '\t';
        }
      }
      value += c;
      Skip(1);
    }
    Skip(1);
    return value;
  }

  std::string Name() {
    Skip(1);  // '#'
    llvm::StringRef name = Rest().take_while(
        [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$' || c == '-'; });
    Skip(name.size());
    return name.str();
  }

  // #dialect.indexing_map<"...">, #name, or #name = #dialect.indexing_map<"...">.
  void Attribute() {
    Mention mention{.name = "", .text = std::nullopt, .line = line_, .column = column_};
    std::string name = Name();
    if (!llvm::StringRef(name).ends_with("indexing_map") || !Rest().starts_with("<")) {
      mention.name = name;
      size_t behind = at_;
      int64_t line = line_, column = column_;
      bool defines = Take("=") && (SkipSpace(), Rest().starts_with("#"));
      if (!defines) {
        at_ = behind;
        line_ = line;
        column_ = column;
        mentions_.push_back(std::move(mention));
        return;
      }
      mention.line = line_;
      mention.column = column_;
      name = Name();
    }
    if (!llvm::StringRef(name).ends_with("indexing_map") || !Take("<")) return;
    SkipSpace();
    if (at_ >= text_.size() || text_[at_] != '"') return;
    mention.text = String();
    mentions_.push_back(std::move(mention));
  }

  llvm::StringRef text_;
  size_t at_ = 0;
  int64_t line_, column_ = 1;
  std::vector<Mention> mentions_;
};

// The part of a dump under one "// -----// IR Dump Before|After PASS //----- //".
struct Section {
  bool before = false;
  std::string pass;
  llvm::StringRef text;
  int64_t first_line = 1;
};

std::vector<Section> Sections(llvm::StringRef text) {
  std::vector<Section> sections;
  int64_t line = 1;
  while (!text.empty()) {
    auto [here, rest] = text.split('\n');
    llvm::StringRef head = here.trim();
    if (head.consume_front("// -----// IR Dump ") && head.consume_back("//----- //")) {
      bool before = head.consume_front("Before ");
      if (!before) head.consume_front("After ");
      head = head.trim();
      head.consume_back(" Failed");
      sections.push_back({before, head.str(), rest.take_front(0), line + 1});
    } else if (!sections.empty()) {
      llvm::StringRef& body = sections.back().text;
      body = llvm::StringRef(body.begin(), here.end() - body.begin());
    }
    text = rest;
    ++line;
  }
  return sections;
}

}  // namespace

std::vector<MlirMap> FindMlirMaps(llvm::StringRef text, int64_t first_line) {
  std::vector<Mention> mentions = Scanner(text, first_line).Run();
  std::map<std::string, std::string> named;
  std::set<std::string> used;
  for (const Mention& m : mentions) {
    if (!m.name.empty() && m.text) named[m.name] = *m.text;
    if (!m.name.empty() && !m.text) used.insert(m.name);
  }
  std::vector<MlirMap> maps;
  for (const Mention& m : mentions) {
    if (m.text) {
      if (m.name.empty() || !used.count(m.name)) maps.push_back({*m.text, m.line, m.column});
    } else if (auto it = named.find(m.name); it != named.end()) {
      maps.push_back({it->second, m.line, m.column});
    }
  }
  return maps;
}

llvm::Expected<IndexingMap> ReadMlirMap(const MlirMap& place, llvm::StringRef file,
                                        Context& context) {
  auto map = ParseIndexingMap(place.text, context, "map");
  if (map) return map;
  std::string message = llvm::toString(map.takeError());
  return MakeError(file + ":" + llvm::Twine(place.line) + ":" + llvm::Twine(place.column) +
                   ": error: in this map: " + message);
}

std::vector<PassMaps> FindPassMaps(llvm::StringRef text) {
  std::vector<Section> sections = Sections(text);
  std::vector<PassMaps> passes;
  for (size_t i = 0; i < sections.size(); ++i) {
    if (sections[i].before) continue;
    // The nearest dump before this pass, else the one above.
    size_t from = i;
    for (size_t j = i; j-- > 0 && from == i;) {
      if (sections[j].before && sections[j].pass == sections[i].pass) from = j;
    }
    if (from == i && i == 0) continue;
    if (from == i) from = i - 1;
    passes.push_back({sections[i].pass,
                      FindMlirMaps(sections[from].text, sections[from].first_line),
                      FindMlirMaps(sections[i].text, sections[i].first_line)});
  }
  return passes;
}

}  // namespace affirm::driver
