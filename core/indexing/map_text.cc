// Reads indexing maps in XLA's text form.
#include "core/indexing/map_text.h"

#include <map>

#include "core/indexing/indexing_map.h"
#include "core/indexing/range.h"
#include "core/symbolic/text.h"
#include "llvm/ADT/StringMap.h"

namespace affirm {
namespace {

constexpr char kSecondMap[] = "another map begins here; expected a blank line between two maps";

// Whether a map begins here: `(d0, d1)[s0] -> (`. The cursor stays.
bool StartsMap(TextCursor& cursor) {
  const size_t start = cursor.offset();
  bool found = cursor.Consume("(");
  do {
    cursor.Identifier();
  } while (found && cursor.Consume(","));
  found = found && cursor.Consume(")") &&
          (cursor.LooksAt("->") || cursor.LooksAt("[") || cursor.LooksAt("{"));
  cursor.set_offset(start);
  return found;
}

llvm::Error TextAfterMap(TextCursor& cursor) {
  return cursor.Error(StartsMap(cursor) ? kSecondMap : "unexpected text after the map");
}

class MapParser {
 public:
  MapParser(TextCursor& cursor, Context& context) : cursor_(cursor), context_(context) {}

  llvm::Expected<WrittenMap> Run() {
    if (cursor_.Consume("#xla.indexing_map<\"")) {
      if (auto err = Body()) return err;
      if (auto err = cursor_.Expect("\"", "to close the attribute")) return err;
      if (auto err = cursor_.Expect(">", "to close the attribute")) return err;
    } else if (auto err = Body()) {
      return err;
    }
    return std::move(map_);
  }

  // A map that has no domain: variables and results.
  llvm::Expected<SymbolicMap> RunWithoutDomain() {
    if (auto err = Head()) return err;
    return SymbolicMap(static_cast<int64_t>(map_.vars[0].size()),
                       static_cast<int64_t>(map_.vars[1].size()),
                       static_cast<int64_t>(map_.vars[2].size()), map_.results);
  }

  // The divisors that were read and are no constants.
  const std::vector<ReadDivisor>& divisors() const { return divisors_; }

  // The map of what Run has read, or an error about a divisor.
  llvm::Expected<IndexingMap> Build(const WrittenMap& map) const {
    switch (map.state) {
      case IndexingMap::State::kKnownEmpty:
        return IndexingMap::KnownEmpty(context_);
      case IndexingMap::State::kUndefined:
        return IndexingMap::Undefined();
      case IndexingMap::State::kNormal:
        break;
    }
    // Divisors are judged over the domain that was written, before anything is decided about it,
    // and as they were written: an expression may have lost some.
    RangeAnalysis ranges;
    ranges.Reset(map.vars[0], map.vars[1], map.vars[2], map.constraints);
    for (const ReadDivisor& divisor : divisors_) {
      const std::string problem = DivisorProblem(divisor.expr, divisor.is_modulus, ranges);
      if (!problem.empty()) return cursor_.ErrorAt(start_, problem);
    }
    return IndexingMap(context_, map.results, map.vars[0], map.vars[1], map.vars[2],
                       map.constraints);
  }

 private:
  llvm::Error Body() {
    if (cursor_.Consume("KNOWN")) {
      map_.state = IndexingMap::State::kKnownEmpty;
      return cursor_.Expect("EMPTY", "after KNOWN");
    }
    if (cursor_.Consume("UNDEFINED") || cursor_.Consume("undefined")) {
      map_.state = IndexingMap::State::kUndefined;
      return llvm::Error::success();
    }
    if (auto err = Head()) return err;
    if (auto err = Domain()) return err;
    return CheckBounds();
  }

  // The variables and the results.
  llvm::Error Head() {
    start_ = (cursor_.SkipSpace(), cursor_.offset());
    if (auto err = Names(VarKind::kDim, "(", ")")) return err;
    if (cursor_.LooksAt("[")) {
      if (auto err = Names(VarKind::kRange, "[", "]")) return err;
    }
    if (cursor_.LooksAt("{")) {
      if (auto err = Names(VarKind::kRuntime, "{", "}")) return err;
    }
    if (auto err = cursor_.Expect("->", "between the variables and the results")) return err;
    return Results();
  }

  llvm::Error Names(VarKind kind, llvm::StringRef open, llvm::StringRef close) {
    if (auto err = cursor_.Expect(open, "to open a list of variables")) return err;
    if (cursor_.Consume(close)) return llvm::Error::success();
    do {
      cursor_.SkipSpace();
      size_t at = cursor_.offset();
      llvm::StringRef name = cursor_.Identifier();
      if (name.empty()) return cursor_.Error("expected a variable name");
      auto& list = map_.vars[static_cast<int>(kind)];
      SymbolicExpr e = context_.Variable(kind, static_cast<int64_t>(list.size()));
      if (!names_.try_emplace(name, e).second) {
        return cursor_.ErrorAt(at, "variable '" + name + "' is declared twice");
      }
      std::string shown = name == DefaultVariableName(kind, e.value()) ? "" : name.str();
      list.push_back({Interval::All(), shown, std::nullopt});
      seen_[static_cast<int>(kind)].push_back(false);
    } while (cursor_.Consume(","));
    return cursor_.Expect(close, "after the variables");
  }

  llvm::Expected<SymbolicExpr> Expr() {
    auto lookup = [&](llvm::StringRef name) -> SymbolicExpr {
      auto it = names_.find(name);
      return it == names_.end() ? SymbolicExpr() : it->second;
    };
    return ParseExpr(cursor_, context_, lookup, &divisors_);
  }

  llvm::Error Results() {
    if (auto err = cursor_.Expect("(", "to open the results")) return err;
    if (cursor_.Consume(")")) return llvm::Error::success();
    do {
      auto e = Expr();
      if (!e) return e.takeError();
      map_.results.push_back(*e);
    } while (cursor_.Consume(","));
    return cursor_.Expect(")", "after the results");
  }

  // `domain:` and its items; the commas between them may be missing, and one may trail.
  llvm::Error Domain() {
    size_t before = cursor_.offset();
    cursor_.Consume(",");
    if (!cursor_.Consume("domain")) {
      cursor_.set_offset(before);
      return llvm::Error::success();
    }
    if (auto err = cursor_.Expect(":", "after 'domain'")) return err;
    while (!cursor_.AtEnd() && !cursor_.LooksAt("\"")) {
      if (cursor_.Consume("is_simplified")) {  // an attribute that old printers add
        if (auto err = cursor_.Expect(":", "after is_simplified")) return err;
        if (!cursor_.Consume("true")) cursor_.Consume("false");
      } else if (auto err = DomainItem()) {
        return err;
      }
      cursor_.Consume(",");
    }
    return llvm::Error::success();
  }

  llvm::Error DomainItem() {
    if (StartsMap(cursor_)) return cursor_.Error(kSecondMap);
    auto e = Expr();
    if (!e) return e.takeError();
    if (auto err = cursor_.Expect("in", "after the constrained expression")) return err;
    if (auto err = cursor_.Expect("[", "to open the bounds")) return err;
    auto lower = cursor_.Integer();
    if (!lower) return lower.takeError();
    if (auto err = cursor_.Expect(",", "between the bounds")) return err;
    auto upper = cursor_.Integer();
    if (!upper) return upper.takeError();
    if (auto err = cursor_.Expect("]", "to close the bounds")) return err;
    Interval bounds{*lower, *upper};
    if (!e->IsVariable()) {
      map_.constraints.push_back({*e, bounds});
      return llvm::Error::success();
    }
    int kind = static_cast<int>(e->var_kind());
    Interval& b = map_.vars[kind][e->value()].bounds;
    b = b.Intersect(bounds);
    seen_[kind][e->value()] = true;
    return llvm::Error::success();
  }

  llvm::Error CheckBounds() const {
    for (auto& [name, e] : std::map<llvm::StringRef, SymbolicExpr>(NameList())) {
      if (!seen_[static_cast<int>(e.var_kind())][e.value()]) {
        return cursor_.ErrorAt(start_, "variable '" + name + "' has no bounds in the domain");
      }
    }
    return llvm::Error::success();
  }

  std::map<llvm::StringRef, SymbolicExpr> NameList() const {
    std::map<llvm::StringRef, SymbolicExpr> out;
    for (const auto& entry : names_) out[entry.getKey()] = entry.getValue();
    return out;
  }

  TextCursor& cursor_;
  Context& context_;
  llvm::StringMap<SymbolicExpr> names_;
  WrittenMap map_;
  std::vector<bool> seen_[3];
  std::vector<ReadDivisor> divisors_;
  size_t start_ = 0;  // where the lists of variables start
};

}  // namespace

llvm::Expected<IndexingMap> ParseIndexingMap(llvm::StringRef text, Context& context,
                                             llvm::StringRef where, int64_t first_line) {
  TextCursor cursor(text, where, first_line);
  MapParser parser(cursor, context);
  auto written = parser.Run();
  if (!written) return written.takeError();
  auto map = parser.Build(*written);
  if (map && !cursor.AtEnd()) return TextAfterMap(cursor);
  return map;
}

llvm::Expected<WrittenMap> ParseWrittenMap(llvm::StringRef text, Context& context,
                                           llvm::StringRef where, int64_t first_line) {
  TextCursor cursor(text, where, first_line);
  auto map = MapParser(cursor, context).Run();
  if (map && !cursor.AtEnd()) return TextAfterMap(cursor);
  return map;
}

llvm::Expected<SymbolicMap> ParseSymbolicMap(llvm::StringRef text, Context& context,
                                             llvm::StringRef where, int64_t first_line,
                                             std::vector<ReadDivisor>* divisors) {
  TextCursor cursor(text, where, first_line);
  MapParser parser(cursor, context);
  auto map = parser.RunWithoutDomain();
  if (divisors) *divisors = parser.divisors();
  if (map && !cursor.AtEnd()) return TextAfterMap(cursor);
  return map;
}

}  // namespace affirm
