// A lexer of MLIR that keeps the brackets that are open and the names of the program.
#include "driver/reports/mlir_scanner.h"

#include <optional>
#include <utility>

#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

namespace affirm::driver {
namespace {

using Maps = std::vector<MlirMap>;

// Names may stand for lists of names, so that a short text can have any number of uses.
constexpr size_t kMostUses = 1'000'000;

bool IsNameChar(char c) { return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.'; }
bool IsSuffixChar(char c) { return IsNameChar(c) || c == '-'; }

// Lines that end a program: those between the parts of a test file, and the headers of dumps.
bool EndsProgram(llvm::StringRef comment) {
  comment = comment.trim();
  return comment == "// -----" || comment.starts_with("// -----// IR Dump ");
}

char Closing(char open) { return open == '(' ? ')' : open == '[' ? ']' : open == '{' ? '}' : '>'; }

class Scanner {
 public:
  Scanner(llvm::StringRef text, llvm::StringRef file, int64_t line)
      : text_(text), file_(file.str()), line_(line) {}

  llvm::Expected<Maps> Run() {
    while (!error_ && at_ < text_.size()) Token();
    EndProgram();
    if (error_) return MakeError(*error_);
    return std::move(all_);
  }

 private:
  struct Place {
    int64_t line, column;
  };
  struct Open {
    char bracket;
    Place place;
  };
  // The maps that a name stands for, those within its value.
  struct Definition {
    Maps maps;
    bool is_used = false;
  };
  // A use of maps, or the definition of a name, which is a use if nothing else is.
  struct Event {
    Maps maps;
    std::string defined;
  };
  // A definition whose value is being read: the value has ended when its brackets are closed and
  // what follows is no part of it.
  struct Defining {
    std::string name;
    Maps maps;
  };

  llvm::StringRef Rest() const { return text_.drop_front(at_); }
  char Next(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  Place Here() const { return {line_, column_}; }

  void Fail(Place place, const llvm::Twine& message) {
    if (error_) return;
    error_ = (llvm::Twine(file_) + ":" + llvm::Twine(place.line) + ":" + llvm::Twine(place.column) +
              ": error: " + message)
                 .str();
  }

  void Skip(size_t count) {
    for (; count > 0 && at_ < text_.size(); --count, ++at_) {
      ++column_;
      if (text_[at_] != '\n') continue;
      ++line_;
      column_ = 1;
    }
  }

  llvm::StringRef TakeWhile(bool (*is_part)(char)) {
    const llvm::StringRef part = Rest().take_while(is_part);
    Skip(part.size());
    return part;
  }

  // Space and comments; the end of a program only between tokens of none.
  void SkipSpace() {
    while (at_ < text_.size()) {
      if (llvm::isSpace(Next())) {
        Skip(1);
      } else if (Rest().starts_with("//") && !EndsProgram(Line())) {
        Skip(Line().size());
      } else {
        return;
      }
    }
  }
  llvm::StringRef Line() const {
    return Rest().take_until([](char c) { return c == '\n'; });
  }

  void Token() {
    SkipSpace();
    if (at_ >= text_.size()) return;
    if (Rest().starts_with("//")) {
      Skip(Line().size());
      EndProgram();
      return;
    }
    const char c = Next();
    if (c == '"') {
      String();
    } else if (Rest().starts_with("{-#")) {
      Resources();
    } else if (c == '#') {
      Attribute();
    } else if (c == '%') {
      Skip(1);
      TakeWhile(IsSuffixChar);
      if (Next() == '#' && llvm::isDigit(Next(1))) Skip(1);  // %0#1 is a result of %0
      TakeWhile(llvm::isDigit);
    } else if (c == '@' || c == '^' || c == '!') {
      Skip(1);
      TakeWhile(IsSuffixChar);
    } else if (llvm::isAlpha(c) || c == '_') {
      Word();
    } else if (llvm::isDigit(c)) {
      TakeWhile(IsNameChar);
    } else if (Rest().starts_with("->") || Rest().starts_with(">=") || Rest().starts_with("<=") ||
               Rest().starts_with("==")) {
      Skip(2);
    } else if (llvm::StringRef("([{<").contains(c)) {
      open_.push_back({c, Here()});
      Skip(1);
    } else if (llvm::StringRef(")]}>").contains(c)) {
      Close();
    } else if (llvm::StringRef(":,.=*+-?/|&'").contains(c)) {
      Skip(1);
    } else {
      Fail(Here(), "this character begins nothing in MLIR");
    }
  }

  void Close() {
    const char c = Next();
    if (open_.empty() || Closing(open_.back().bracket) != c) {
      Fail(Here(), llvm::Twine("'") + llvm::Twine(c) + "' closes nothing that is open");
      return;
    }
    open_.pop_back();
    Skip(1);
  }

  // A string literal without its escapes: \n, \t, \", \\ and two hexadecimal digits.
  std::string String() {
    const Place start = Here();
    std::string value;
    Skip(1);
    while (Next() != '"') {
      if (at_ >= text_.size() || Next() == '\n') {
        Fail(start, "this string does not end on its line");
        return value;
      }
      char c = Next();
      if (c == '\\') {
        Skip(1);
        c = Next();
        if (c == 'n' || c == 't') {
          c = c == 'n' ? '\n' : '\t';
        } else if (llvm::isHexDigit(c) && llvm::isHexDigit(Next(1))) {
          c = static_cast<char>(llvm::hexFromNibbles(c, Next(1)));
          Skip(1);
        } else if (c != '"' && c != '\\') {
          Fail(Here(), "unknown escape in a string");
          return value;
        }
      }
      value += c;
      Skip(1);
    }
    Skip(1);
    return value;
  }

  // {-# ... #-}: data of resources, in strings.
  void Resources() {
    const Place start = Here();
    Skip(3);
    while (!error_ && !Rest().starts_with("#-}")) {
      if (at_ >= text_.size()) {
        Fail(start, "expected '#-}' at the end of the resources");
      } else if (Next() == '"') {
        String();
      } else {
        Skip(1);
      }
    }
    Skip(3);
  }

  // A keyword or the name of an operation.
  void Word() {
    const Place place = Here();
    const llvm::StringRef word = TakeWhile(IsNameChar);
    if (word == "affine_map" && Next() == '<') {
      AffineMap(place);
    } else if (word == "indexing_map" && Next() == '<') {
      IndexingMap(place);  // within #xla<indexing_map<"...">>
    } else if (word == "loc" && Next() == '(') {
      Location();
    }
  }

  // loc(...): where an operation comes from. Its names may be defined later.
  void Location() {
    const size_t outside = open_.size();
    do {
      SkipSpace();
      if (Next() == '#') {
        Skip(1);
        TakeWhile(IsSuffixChar);
      } else {
        Token();
      }
    } while (!error_ && at_ < text_.size() && open_.size() > outside);
  }

  void AffineMap(Place place) {
    const size_t begin = at_ + 1, outside = open_.size();
    do {
      Token();
    } while (!error_ && at_ < text_.size() && open_.size() > outside);
    if (error_ || open_.size() > outside) return;
    Add({MlirMap::Kind::kAffineMap, text_.slice(begin, at_ - 1).str(), place.line, place.column});
  }

  // <"..." "...">: the strings stand for one text.
  void IndexingMap(Place place) {
    Skip(1);
    std::string text;
    bool is_there = false;
    for (SkipSpace(); !error_ && Next() == '"'; SkipSpace(), is_there = true) text += String();
    if (error_) return;
    if (!is_there || Next() != '>') {
      Fail(Here(), "expected the text of a map in quotes, and '>' behind it");
      return;
    }
    Skip(1);
    Add({MlirMap::Kind::kIndexingMap, std::move(text), place.line, place.column});
  }

  // #dialect.attribute<...>, #dialect<...>, #name, or #name = VALUE.
  void Attribute() {
    const Place place = Here();
    Skip(1);
    const llvm::StringRef name = TakeWhile(llvm::isDigit(Next()) ? llvm::isDigit : IsSuffixChar);
    if (name.empty()) {
      Fail(place, "expected a name behind '#'");
    } else if (name.contains('.')) {
      SkipSpace();
      if (Next() == '=')
        Fail(place, "a name with '.' is a dialect's, and is not defined in a file");
      if (name.rsplit('.').second != "indexing_map") return;
      if (Next() != '<') {
        Fail(Here(), "expected '<' and the text of a map");
        return;
      }
      IndexingMap(place);
    } else if (Next() != '<') {
      Alias(name.str(), place);
    }
  }

  void Alias(const std::string& name, Place place) {
    SkipSpace();
    if (Next() == '=' && Next(1) != '=') {
      Define(name, place);
      return;
    }
    const auto found = names_.find(name);
    if (found == names_.end()) {
      Fail(place, "nothing in front of this defines '#" + name + "'");
      return;
    }
    found->second.is_used = true;
    for (MlirMap map : found->second.maps) {
      map.line = place.line;
      map.column = place.column;
      Add(std::move(map));
    }
  }

  void Define(const std::string& name, Place place) {
    if (!open_.empty()) {
      Fail(place, "'#" + name + "' is defined inside of something else");
    } else if (names_.contains(name)) {
      Fail(place, "'#" + name + "' is defined again; programs of one file are separated by lines " +
                      "'// -----'");
    }
    if (error_) return;
    Skip(1);
    defining_ = Defining{name, {}};
    Value();
    SkipSpace();
    while (!error_ && Next() == ':') {
      Skip(1);
      Value();
      SkipSpace();
    }
    if (error_) return;
    events_.push_back({{}, name});
    names_[name].maps = std::move(defining_->maps);
    defining_.reset();
  }

  // One value: a token, with what is in brackets directly behind it.
  void Value() {
    const size_t outside = open_.size();
    SkipSpace();
    if (at_ >= text_.size() || Rest().starts_with("//"))
      Fail(Here(), "expected the value of a name");
    do {
      Token();
    } while (!error_ && at_ < text_.size() &&
             (open_.size() > outside || Next() == '<' || Next() == '('));
  }

  void Add(MlirMap map) {
    if (++uses_ > kMostUses) {
      Fail({map.line, map.column}, "names stand for more than a million maps");
    } else if (defining_) {
      defining_->maps.push_back(std::move(map));
    } else {
      events_.push_back({{std::move(map)}, ""});
    }
  }

  void EndProgram() {
    if (!open_.empty())
      Fail(open_.back().place,
           llvm::Twine("'") + llvm::Twine(open_.back().bracket) + "' is not closed");
    for (Event& event : events_) {
      if (event.defined.empty()) {
        llvm::append_range(all_, event.maps);
      } else if (const Definition& of = names_[event.defined]; !of.is_used) {
        llvm::append_range(all_, of.maps);
      }
    }
    events_.clear();
    names_.clear();
  }

  llvm::StringRef text_;
  std::string file_;
  size_t at_ = 0;
  int64_t line_, column_ = 1;
  std::optional<std::string> error_;
  // State of the program.
  std::vector<Open> open_;
  llvm::StringMap<Definition> names_;
  std::vector<Event> events_;
  std::optional<Defining> defining_;
  // State of the file.
  size_t uses_ = 0;
  Maps all_;
};

}  // namespace

llvm::Expected<std::vector<MlirMap>> ScanMlirMaps(llvm::StringRef text, llvm::StringRef file,
                                                  int64_t first_line) {
  return Scanner(text, file, first_line).Run();
}

}  // namespace affirm::driver
