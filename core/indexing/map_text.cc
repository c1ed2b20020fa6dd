// Reads indexing maps in XLA's text form.
#include "core/indexing/map_text.h"

#include "core/indexing/indexing_map.h"
#include "core/indexing/range.h"
#include "core/symbolic/lexer.h"
#include "core/symbolic/text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

namespace affirm {
namespace {

constexpr llvm::StringRef kAttribute = "#xla.indexing_map<\"";

constexpr llvm::StringRef kSecondMap =
    "another map begins here; expected a blank line between two maps";

// Whether a map begins here: `(d0, d1)[s0] -> (`.
bool StartsMap(Lexer lexer) {
  if (!lexer.Take('(')) return false;
  do {
    lexer.Take(Lexer::kWord);
  } while (lexer.Take(','));
  return lexer.Take(')') && (lexer.Is(Lexer::kArrow) || lexer.Is('[') || lexer.Is('{'));
}

using DefaultName = std::pair<VarKind, uint64_t>;

// The variable that has a name by default: d3, s0, rt12.
std::optional<DefaultName> ReadDefaultName(llvm::StringRef name) {
  VarKind kind = VarKind::kDim;
  if (name.consume_front("rt")) {
    kind = VarKind::kRuntime;
  } else if (name.consume_front("s")) {
    kind = VarKind::kRange;
  } else if (!name.consume_front("d")) {
    return std::nullopt;
  }
  constexpr size_t kMostDigits = 9;
  if (name.empty() || name.size() > kMostDigits || (name.size() > 1 && name.front() == '0'))
    return std::nullopt;
  uint64_t index = 0;
  for (char c : name) {
    if (c < '0' || c > '9') return std::nullopt;
    index = index * 10 + static_cast<uint64_t>(c - '0');
  }
  return DefaultName(kind, index);
}

class MapParser {
 public:
  MapParser(TextCursor& cursor, Context& context)
      : cursor_(cursor), lexer_(cursor), context_(context) {}

  // Reads a map; its parts are `written` then.
  llvm::Error Run() {
    const bool is_attribute = lexer_.Is('#') && cursor_.Consume(kAttribute);
    if (is_attribute) lexer_ = Lexer(cursor_);
    if (auto err = Body()) return err;
    if (!is_attribute) return llvm::Error::success();
    if (auto err = Expect('"', "to close the attribute")) return err;
    return Expect('>', "to close the attribute");
  }

  // A map that has no domain: variables and results.
  llvm::Error RunWithoutDomain() { return Head(); }

  // An error about text behind the map.
  llvm::Error AtEnd() const {
    if (lexer_.Is(Lexer::kEnd)) return llvm::Error::success();
    return Fail(StartsMap(lexer_) ? kSecondMap : "unexpected text after the map");
  }

  WrittenMap& written() { return map_; }
  // The divisors that were read and are no constants.
  const std::vector<ReadDivisor>& divisors() const { return divisors_; }

  // The map of what Run has read, whose parts it takes; or an error about a divisor.
  llvm::Expected<IndexingMap> Build() {
    switch (map_.state) {
      case IndexingMap::State::kKnownEmpty:
        return IndexingMap::KnownEmpty(context_);
      case IndexingMap::State::kUndefined:
        return IndexingMap::Undefined();
      case IndexingMap::State::kNormal:
        break;
    }
    if (auto err = JudgeDivisors()) return err;
    return IndexingMap(context_, map_.results, std::move(map_.vars[0]), std::move(map_.vars[1]),
                       std::move(map_.vars[2]), map_.constraints);
  }

 private:
  // Divisors are judged over the domain that was written, before anything is decided about it, and
  // as they were written: an expression may have lost some.
  llvm::Error JudgeDivisors() const {
    if (divisors_.empty()) return llvm::Error::success();
    RangeAnalysis ranges;
    ranges.Reset(map_.vars[0], map_.vars[1], map_.vars[2], map_.constraints);
    for (const ReadDivisor& divisor : divisors_) {
      const std::string problem = DivisorProblem(divisor.expr, divisor.is_modulus, ranges);
      if (!problem.empty()) return cursor_.ErrorAt(start_, problem);
    }
    return llvm::Error::success();
  }

  llvm::Error Fail(const llvm::Twine& message) const {
    return cursor_.ErrorAt(lexer_.at(), message);
  }
  llvm::Error Expect(char kind, const char* what_for) {
    if (lexer_.Take(kind)) return llvm::Error::success();
    const std::string text = kind == Lexer::kArrow ? "->" : std::string(1, kind);
    return Fail("expected '" + text + "' " + what_for);
  }
  llvm::Error Expect(llvm::StringRef word, const char* what_for) {
    if (lexer_.Take(word)) return llvm::Error::success();
    return Fail("expected '" + word + "' " + what_for);
  }

  llvm::Error Body() {
    if (lexer_.Take("KNOWN")) {
      map_.state = IndexingMap::State::kKnownEmpty;
      return Expect("EMPTY", "after KNOWN");
    }
    if (lexer_.Take("UNDEFINED") || lexer_.Take("undefined")) {
      map_.state = IndexingMap::State::kUndefined;
      return llvm::Error::success();
    }
    if (auto err = Head()) return err;
    if (auto err = Domain()) return err;
    return CheckBounds();
  }

  // The variables and the results.
  llvm::Error Head() {
    start_ = lexer_.at();
    if (auto err = Names(VarKind::kDim, '(', ')')) return err;
    if (lexer_.Is('[')) {
      if (auto err = Names(VarKind::kRange, '[', ']')) return err;
    }
    if (lexer_.Is('{')) {
      if (auto err = Names(VarKind::kRuntime, '{', '}')) return err;
    }
    if (auto err = Expect(Lexer::kArrow, "between the variables and the results")) return err;
    return Results();
  }

  llvm::Error Names(VarKind kind, char open, char close) {
    if (auto err = Expect(open, "to open a list of variables")) return err;
    if (lexer_.Take(close)) return llvm::Error::success();
    std::vector<Variable>& list = map_.of(kind);
    do {
      const llvm::StringRef name = lexer_.token();
      if (!lexer_.Is(Lexer::kWord)) return Fail("expected a variable name");
      const std::optional<DefaultName> of_name = ReadDefaultName(name);
      if (Find(name, of_name)) return Fail("variable '" + name + "' is declared twice");
      const DefaultName self(kind, list.size());
      list.emplace_back();
      if (of_name != self) {
        list.back().name = name.str();
        names_[name] = context_.Variable(kind, static_cast<int64_t>(self.second));
      }
      lexer_.Next();
    } while (lexer_.Take(','));
    seen_[static_cast<int>(kind)].resize(list.size());
    return Expect(close, "after the variables");
  }

  // The variable of a name; null where there is none.
  SymbolicExpr Find(llvm::StringRef name, std::optional<DefaultName> of) const {
    if (of) {
      const std::vector<Variable>& list = map_.of(of->first);
      if (of->second < list.size() && list[of->second].name.empty())
        return context_.Variable(of->first, static_cast<int64_t>(of->second));
    }
    return names_.empty() ? SymbolicExpr() : names_.lookup(name);
  }

  llvm::Error Expr(SymbolicExpr& e) {
    ReadProblem problem;
    auto find = [this](llvm::StringRef name) { return Find(name, ReadDefaultName(name)); };
    e = ParseExpr(lexer_, context_, find, &divisors_, problem);
    if (e) return llvm::Error::success();
    return cursor_.ErrorAt(problem.at, problem.message);
  }

  llvm::Error Results() {
    if (auto err = Expect('(', "to open the results")) return err;
    if (lexer_.Take(')')) return llvm::Error::success();
    do {
      SymbolicExpr e;
      if (auto err = Expr(e)) return err;
      map_.results.push_back(e);
    } while (lexer_.Take(','));
    return Expect(')', "after the results");
  }

  // `domain:` and its items; the commas between them may be missing, and one may trail.
  llvm::Error Domain() {
    const Lexer before = lexer_;
    lexer_.Take(',');
    if (!lexer_.Take("domain")) {
      lexer_ = before;
      return llvm::Error::success();
    }
    if (auto err = Expect(':', "after 'domain'")) return err;
    while (!lexer_.Is(Lexer::kEnd) && !lexer_.Is('"')) {
      if (lexer_.Take("is_simplified")) {  // an attribute that old printers add
        if (auto err = Expect(':', "after is_simplified")) return err;
        if (!lexer_.Take("true")) lexer_.Take("false");
      } else if (auto err = DomainItem()) {
        return err;
      }
      lexer_.Take(',');
    }
    return llvm::Error::success();
  }

  llvm::Error DomainItem() {
    if (StartsMap(lexer_)) return Fail(kSecondMap);
    SymbolicExpr e;
    if (auto err = Expr(e)) return err;
    if (auto err = Expect("in", "after the constrained expression")) return err;
    if (auto err = Expect('[', "to open the bounds")) return err;
    Interval bounds;
    if (auto err = Integer(bounds.lower)) return err;
    if (auto err = Expect(',', "between the bounds")) return err;
    if (auto err = Integer(bounds.upper)) return err;
    if (auto err = Expect(']', "to close the bounds")) return err;
    if (!e.IsVariable()) {
      map_.constraints.push_back({e, bounds});
      return llvm::Error::success();
    }
    Interval& b = map_.of(e.var_kind())[e.value()].bounds;
    b = b.Intersect(bounds);
    seen_[static_cast<int>(e.var_kind())][e.value()] = true;
    return llvm::Error::success();
  }

  llvm::Error Integer(int64_t& value) {
    if (!lexer_.Is(Lexer::kNumber) && !lexer_.IsSign()) return Fail("expected an integer");
    const std::optional<int64_t> read = lexer_.TakeInteger();
    if (!read) return Fail("the integer leaves 64 bits");
    value = *read;
    return llvm::Error::success();
  }

  // An error names the variable without bounds whose name comes first.
  llvm::Error CheckBounds() const {
    std::optional<std::string> missing;
    for (VarKind kind : {VarKind::kDim, VarKind::kRange, VarKind::kRuntime}) {
      for (auto [i, seen] : llvm::enumerate(seen_[static_cast<int>(kind)])) {
        if (seen) continue;
        std::string name = map_.of(kind)[i].name;
        if (name.empty()) name = DefaultVariableName(kind, static_cast<int64_t>(i));
        if (!missing || name < *missing) missing = std::move(name);
      }
    }
    if (!missing) return llvm::Error::success();
    return cursor_.ErrorAt(start_, "variable '" + *missing + "' has no bounds in the domain");
  }

  TextCursor& cursor_;
  Lexer lexer_;
  Context& context_;
  llvm::StringMap<SymbolicExpr> names_;  // of variables that have another than the default one
  WrittenMap map_;
  llvm::SmallVector<bool, 16> seen_[3];  // whether the domain bounds a variable
  std::vector<ReadDivisor> divisors_;
  size_t start_ = 0;  // where the lists of variables start
};

}  // namespace

llvm::Expected<IndexingMap> ParseIndexingMap(llvm::StringRef text, Context& context,
                                             llvm::StringRef where, int64_t first_line) {
  TextCursor cursor(text, where, first_line);
  MapParser parser(cursor, context);
  if (auto err = parser.Run()) return err;
  auto map = parser.Build();
  if (!map) return map;
  if (auto err = parser.AtEnd()) return err;
  return map;
}

llvm::Expected<WrittenMap> ParseWrittenMap(llvm::StringRef text, Context& context,
                                           llvm::StringRef where, int64_t first_line) {
  TextCursor cursor(text, where, first_line);
  MapParser parser(cursor, context);
  if (auto err = parser.Run()) return err;
  if (auto err = parser.AtEnd()) return err;
  return std::move(parser.written());
}

llvm::Expected<SymbolicMap> ParseSymbolicMap(llvm::StringRef text, Context& context,
                                             llvm::StringRef where, int64_t first_line,
                                             std::vector<ReadDivisor>* divisors) {
  TextCursor cursor(text, where, first_line);
  MapParser parser(cursor, context);
  auto err = parser.RunWithoutDomain();
  if (divisors) *divisors = parser.divisors();
  if (err) return err;
  if (auto trailing = parser.AtEnd()) return trailing;
  const WrittenMap& map = parser.written();
  return SymbolicMap(std::ssize(map.vars[0]), std::ssize(map.vars[1]), std::ssize(map.vars[2]),
                     map.results);
}

}  // namespace affirm
