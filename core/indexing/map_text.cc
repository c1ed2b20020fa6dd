// Reading and printing of indexing maps in XLA's text form.
#include <map>

#include "core/indexing/indexing_map.h"
#include "core/indexing/range.h"
#include "core/symbolic/text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm {
namespace {

class MapParser {
 public:
  MapParser(TextCursor& cursor, Context& context) : cursor_(cursor), context_(context) {}

  llvm::Expected<IndexingMap> Run() {
    if (cursor_.Consume("#xla.indexing_map<\"")) {
      auto map = Body();
      if (!map) return map;
      if (auto err = cursor_.Expect("\"", "to close the attribute")) return err;
      if (auto err = cursor_.Expect(">", "to close the attribute")) return err;
      return map;
    }
    return Body();
  }

 private:
  llvm::Expected<IndexingMap> Body() {
    if (cursor_.Consume("KNOWN")) {
      if (auto err = cursor_.Expect("EMPTY", "after KNOWN")) return err;
      return IndexingMap::KnownEmpty(context_);
    }
    if (cursor_.Consume("UNDEFINED") || cursor_.Consume("undefined")) {
      return IndexingMap::Undefined();
    }
    size_t start = (cursor_.SkipSpace(), cursor_.offset());
    if (auto err = Names(VarKind::kDim, "(", ")")) return err;
    if (cursor_.LooksAt("[")) {
      if (auto err = Names(VarKind::kRange, "[", "]")) return err;
    }
    if (cursor_.LooksAt("{")) {
      if (auto err = Names(VarKind::kRuntime, "{", "}")) return err;
    }
    if (auto err = cursor_.Expect("->", "between the variables and the results")) return err;
    if (auto err = Results()) return err;
    if (auto err = Domain()) return err;
    return Build(start);
  }

  llvm::Error Names(VarKind kind, llvm::StringRef open, llvm::StringRef close) {
    if (auto err = cursor_.Expect(open, "to open a list of variables")) return err;
    if (cursor_.Consume(close)) return llvm::Error::success();
    do {
      cursor_.SkipSpace();
      size_t at = cursor_.offset();
      llvm::StringRef name = cursor_.Identifier();
      if (name.empty()) return cursor_.Error("expected a variable name");
      auto& list = vars_[static_cast<int>(kind)];
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
    return ParseExpr(cursor_, context_, [&](llvm::StringRef name) -> SymbolicExpr {
      auto it = names_.find(name);
      return it == names_.end() ? SymbolicExpr() : it->second;
    });
  }

  llvm::Error Results() {
    if (auto err = cursor_.Expect("(", "to open the results")) return err;
    if (cursor_.Consume(")")) return llvm::Error::success();
    do {
      auto e = Expr();
      if (!e) return e.takeError();
      results_.push_back(*e);
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
      constraints_.push_back({*e, bounds});
      return llvm::Error::success();
    }
    int kind = static_cast<int>(e->var_kind());
    Interval& b = vars_[kind][e->value()].bounds;
    b = b.Intersect(bounds);
    seen_[kind][e->value()] = true;
    return llvm::Error::success();
  }

  llvm::Expected<IndexingMap> Build(size_t start) {
    for (auto& [name, e] : std::map<llvm::StringRef, SymbolicExpr>(NameList())) {
      if (!seen_[static_cast<int>(e.var_kind())][e.value()]) {
        return cursor_.ErrorAt(start, "variable '" + name + "' has no bounds in the domain");
      }
    }
    // Divisors are judged over the domain that was written, before anything is decided about it.
    RangeAnalysis ranges;
    ranges.Reset(vars_[0], vars_[1], vars_[2], constraints_);
    for (SymbolicExpr e : results_) {
      if (auto err = CheckDivisors(e, ranges, start)) return err;
    }
    for (const Constraint& c : constraints_) {
      if (auto err = CheckDivisors(c.expr, ranges, start)) return err;
    }
    return IndexingMap(context_, results_, vars_[0], vars_[1], vars_[2], constraints_);
  }

  std::map<llvm::StringRef, SymbolicExpr> NameList() const {
    std::map<llvm::StringRef, SymbolicExpr> out;
    for (const auto& entry : names_) out[entry.getKey()] = entry.getValue();
    return out;
  }

  llvm::Error CheckDivisors(SymbolicExpr root, RangeAnalysis& ranges, size_t start) {
    std::string bad;
    root.Walk([&](SymbolicExpr e) {
      bool mod = e.kind() == ExprKind::kMod;
      if (!mod && e.kind() != ExprKind::kFloorDiv && e.kind() != ExprKind::kCeilDiv) return;
      Interval d = ranges.Of(e.op(1));
      bool ok = d.IsEmpty() || d.lower > 0 || (!mod && d.upper < 0);
      if (!ok && bad.empty()) {
        bad = (mod ? "the modulus '" : "the divisor '") + e.op(1).ToString() +
              (mod ? "' may be zero or negative" : "' may be zero") +
              " in the domain: it lies in " + d.ToString();
      }
    });
    return bad.empty() ? llvm::Error::success() : cursor_.ErrorAt(start, bad);
  }

  TextCursor& cursor_;
  Context& context_;
  llvm::StringMap<SymbolicExpr> names_;
  std::vector<Variable> vars_[3];
  std::vector<bool> seen_[3];
  std::vector<SymbolicExpr> results_;
  std::vector<Constraint> constraints_;
};

}  // namespace

llvm::Expected<IndexingMap> ParseIndexingMap(llvm::StringRef text, Context& context,
                                             llvm::StringRef where, int64_t first_line) {
  TextCursor cursor(text, where, first_line);
  auto map = MapParser(cursor, context).Run();
  if (map && !cursor.AtEnd()) return cursor.Error("unexpected text after the map");
  return map;
}

std::string IndexingMap::VariableName(VarKind kind, int64_t index) const {
  const std::vector<Variable>& list = vars(kind);
  if (index >= 0 && index < static_cast<int64_t>(list.size()) && !list[index].name.empty()) {
    return list[index].name;
  }
  return DefaultVariableName(kind, index);
}

std::string IndexingMap::ToString(bool multi_line) const {
  if (state_ == State::kUndefined) return "undefined";
  if (state_ == State::kKnownEmpty) return "KNOWN EMPTY";
  std::string text;
  llvm::raw_string_ostream os(text);
  auto namer = [&](VarKind kind, int64_t i) { return VariableName(kind, i); };
  auto names = [&](VarKind kind, const char* open, const char* close) {
    if (kind != VarKind::kDim && vars(kind).empty()) return;
    os << open;
    for (size_t i = 0; i < vars(kind).size(); ++i) os << (i ? ", " : "") << namer(kind, i);
    os << close;
  };
  names(VarKind::kDim, "(", ")");
  names(VarKind::kRange, "[", "]");
  names(VarKind::kRuntime, "{", "}");
  os << " -> (";
  for (size_t i = 0; i < results().size(); ++i) {
    if (i) os << ", ";
    Print(results()[i], os, namer);
  }
  os << ")";
  bool first = true;
  const char* separator = multi_line ? "\n" : " ";
  auto item = [&](SymbolicExpr e, Interval bounds) {
    os << ',' << separator;
    if (first) os << "domain:" << separator;
    first = false;
    Print(e, os, namer);
    os << " in " << bounds.ToString();
  };
  for (VarKind kind : {VarKind::kDim, VarKind::kRange, VarKind::kRuntime}) {
    for (size_t i = 0; i < vars(kind).size(); ++i) {
      item(context_->Variable(kind, i), vars(kind)[i].bounds);
    }
  }
  // In the order of their texts, as XLA prints them.
  std::vector<std::pair<std::string, Constraint>> by_text;
  for (const Constraint& c : constraints()) {
    std::string& printed = by_text.emplace_back("", c).first;
    llvm::raw_string_ostream expression(printed);
    Print(c.expr, expression, namer);
  }
  llvm::sort(by_text, llvm::less_first());
  for (const auto& [printed, c] : by_text) item(c.expr, c.bounds);
  return text;
}

}  // namespace affirm
