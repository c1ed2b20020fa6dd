// Prints indexing maps in XLA's text form.
#include <string>
#include <utility>
#include <vector>

#include "core/indexing/indexing_map.h"
#include "core/indexing/map_text.h"
#include "core/symbolic/text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm {
namespace {

std::string NameOf(const std::vector<Variable>& list, VarKind kind, int64_t index) {
  bool named = index >= 0 && index < static_cast<int64_t>(list.size()) && !list[index].name.empty();
  return named ? list[index].name : DefaultVariableName(kind, index);
}

// Writes the parts of a map, one after the other.
class MapPrinter {
 public:
  MapPrinter(const std::vector<Variable>* vars, bool multi_line)
      : vars_(vars), separator_(multi_line ? "\n" : " "), os_(text_) {}

  void Head(llvm::ArrayRef<SymbolicExpr> results) {
    Names(VarKind::kDim, "(", ")");
    Names(VarKind::kRange, "[", "]");
    Names(VarKind::kRuntime, "{", "}");
    os_ << " -> (";
    llvm::interleave(results, [&](SymbolicExpr e) { Expr(e, os_); }, [&] { os_ << ", "; });
    os_ << ")";
  }

  void Bounds() {
    for (VarKind kind : {VarKind::kDim, VarKind::kRange, VarKind::kRuntime}) {
      for (size_t i = 0; i < List(kind).size(); ++i) {
        Item(NameOf(List(kind), kind, static_cast<int64_t>(i)), List(kind)[i].bounds);
      }
    }
  }

  void Item(llvm::StringRef expression, Interval bounds) {
    os_ << ',' << separator_;
    if (first_) os_ << "domain:" << separator_;
    first_ = false;
    os_ << expression << " in " << bounds.ToString();
  }

  std::string ExprText(SymbolicExpr e) const {
    std::string text;
    llvm::raw_string_ostream os(text);
    Expr(e, os);
    return text;
  }

  std::string Take() { return std::move(text_); }

 private:
  const std::vector<Variable>& List(VarKind kind) const { return vars_[static_cast<int>(kind)]; }

  void Names(VarKind kind, const char* open, const char* close) {
    if (kind != VarKind::kDim && List(kind).empty()) return;
    os_ << open;
    for (size_t i = 0; i < List(kind).size(); ++i) {
      os_ << (i ? ", " : "") << NameOf(List(kind), kind, static_cast<int64_t>(i));
    }
    os_ << close;
  }

  void Expr(SymbolicExpr e, llvm::raw_ostream& os) const {
    Print(e, os, [&](VarKind kind, int64_t i) { return NameOf(List(kind), kind, i); });
  }

  const std::vector<Variable>* vars_;  // three lists, by VarKind
  const char* separator_;
  bool first_ = true;
  std::string text_;
  llvm::raw_string_ostream os_;
};

// The text of a map that has no parts.
const char* StateText(IndexingMap::State state) {
  return state == IndexingMap::State::kUndefined ? "undefined" : "KNOWN EMPTY";
}

}  // namespace

WrittenMap Written(const IndexingMap& map) {
  WrittenMap written;
  written.state = map.state();
  written.results = map.results().vec();
  for (VarKind kind : {VarKind::kDim, VarKind::kRange, VarKind::kRuntime}) {
    written.of(kind) = map.vars(kind);
  }
  written.constraints = map.constraints();
  return written;
}

std::string IndexingMap::VariableName(VarKind kind, int64_t index) const {
  return NameOf(vars(kind), kind, index);
}

std::string IndexingMap::ToString(bool multi_line) const {
  if (state_ != State::kNormal) return StateText(state_);
  MapPrinter printer(domain_->vars, multi_line);
  printer.Head(results());
  printer.Bounds();
  // In the order of their texts, as XLA prints them.
  std::vector<std::pair<std::string, Interval>> by_text;
  for (const Constraint& c : constraints()) {
    by_text.emplace_back(printer.ExprText(c.expr), c.bounds);
  }
  llvm::sort(by_text, llvm::less_first());
  for (const auto& [expression, bounds] : by_text) printer.Item(expression, bounds);
  return printer.Take();
}

std::string ToString(const WrittenMap& map) {
  if (map.state != IndexingMap::State::kNormal) return StateText(map.state);
  MapPrinter printer(map.vars, /*multi_line=*/false);
  printer.Head(map.results);
  printer.Bounds();
  for (const Constraint& c : map.constraints) printer.Item(printer.ExprText(c.expr), c.bounds);
  return printer.Take();
}

}  // namespace affirm
