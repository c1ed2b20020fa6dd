// Substitution and composition of symbolic maps.
#include "core/symbolic/map.h"

#include "core/symbolic/error.h"
#include "core/symbolic/text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm {
namespace {

// Position of a variable among the symbols: ranges, then runtime variables.
int64_t SymbolPosition(const SymbolicMap& map, VarKind kind, int64_t index) {
  return kind == VarKind::kRange ? index : map.num_ranges() + index;
}

llvm::SmallVector<SymbolicExpr, 4> SubstituteAll(llvm::ArrayRef<SymbolicExpr> exprs,
                                                 SymbolicExpr::Substitution fn) {
  llvm::SmallVector<SymbolicExpr, 4> out;
  for (SymbolicExpr e : exprs) out.push_back(e.Substitute(fn));
  return out;
}

void PrintNames(llvm::raw_ostream& os, VarKind kind, int64_t n, const char* open,
                const char* close) {
  os << open;
  for (int64_t i = 0; i < n; ++i) os << (i ? ", " : "") << DefaultVariableName(kind, i);
  os << close;
}

}  // namespace

SymbolicMap SymbolicMap::Identity(Context& context, int64_t rank) {
  llvm::SmallVector<SymbolicExpr, 4> results;
  for (int64_t i = 0; i < rank; ++i) results.push_back(context.Dim(i));
  return SymbolicMap(rank, 0, 0, results);
}

llvm::Expected<SymbolicMap> SymbolicMap::Get(Context& context, int64_t num_dims,
                                             int64_t num_symbols,
                                             llvm::ArrayRef<SymbolicExpr> results) {
  if (num_dims < 0 || num_symbols < 0) {
    return MakeError("a map has " + llvm::Twine(num_dims) + " dims and " +
                     llvm::Twine(num_symbols) + " symbols, expected numbers that are not negative");
  }
  llvm::SmallVector<SymbolicExpr, 4> exprs;
  for (auto [k, result] : llvm::enumerate(results)) {
    if (!result) return MakeError("result " + llvm::Twine(k) + " is no expression");
    if (result.context() != &context) {
      return MakeError("result " + llvm::Twine(k) + " is of another context");
    }
    std::string missing;
    exprs.push_back(result.Substitute([&](VarKind kind, int64_t i) -> SymbolicExpr {
      const bool is_dim = kind == VarKind::kDim && i < num_dims;
      const int64_t symbol = kind == VarKind::kDim ? i - num_dims : i;
      const bool is_symbol = kind != VarKind::kRuntime && symbol < num_symbols;
      if (i < 0 || (!is_dim && !is_symbol)) missing = DefaultVariableName(kind, i);
      return is_dim || !is_symbol ? SymbolicExpr() : context.Range(symbol);
    }));
    if (missing.empty()) continue;
    return MakeError("result " + llvm::Twine(k) + ", " + result.ToString() + ", uses " + missing +
                     ", which a map of " + llvm::Twine(num_dims) + " dims and " +
                     llvm::Twine(num_symbols) + " symbols does not have");
  }
  return SymbolicMap(num_dims, num_symbols, 0, exprs);
}

SymbolicMap SymbolicMap::ReplaceDimsAndSymbols(llvm::ArrayRef<SymbolicExpr> new_dims,
                                               llvm::ArrayRef<SymbolicExpr> new_symbols,
                                               int64_t num_dims, int64_t num_ranges,
                                               int64_t num_runtime) const {
  auto fn = [&](VarKind kind, int64_t i) -> SymbolicExpr {
    llvm::ArrayRef<SymbolicExpr> to = kind == VarKind::kDim ? new_dims : new_symbols;
    size_t at = kind == VarKind::kDim ? i : SymbolPosition(*this, kind, i);
    return at < to.size() ? to[at] : SymbolicExpr();
  };
  return SymbolicMap(num_dims, num_ranges, num_runtime, SubstituteAll(results_, fn));
}

SymbolicMap SymbolicMap::Compose(const SymbolicMap& inner) const {
  int64_t ranges = num_ranges_ + inner.num_ranges_, runtime = num_runtime_ + inner.num_runtime_;
  if (inner.num_results() != num_dims_) return SymbolicMap(inner.num_dims_, ranges, runtime, {});
  // Inner's symbols are renumbered to stand behind this map's.
  auto shift = [&](SymbolicExpr e) {
    return e.Substitute([&](VarKind kind, int64_t i) -> SymbolicExpr {
      if (kind == VarKind::kDim) return {};
      int64_t offset = kind == VarKind::kRange ? num_ranges_ : num_runtime_;
      return e.context()->Variable(kind, i + offset);
    });
  };
  llvm::SmallVector<SymbolicExpr, 4> args;
  for (SymbolicExpr e : inner.results_) args.push_back(shift(e));
  auto fn = [&](VarKind kind, int64_t i) {
    return kind == VarKind::kDim ? args[i] : SymbolicExpr();
  };
  return SymbolicMap(inner.num_dims_, ranges, runtime, SubstituteAll(results_, fn));
}

llvm::BitVector SymbolicMap::UsedDims() const {
  llvm::BitVector used(num_dims_);
  for (SymbolicExpr result : results_) {
    if (!result.HasVariables(VarKind::kDim)) continue;
    result.Walk([&](SymbolicExpr e) {
      if (e.IsVariable() && e.var_kind() == VarKind::kDim) used.set(e.value());
    });
  }
  return used;
}

llvm::BitVector SymbolicMap::UsedSymbols() const {
  llvm::BitVector used(num_symbols());
  for (SymbolicExpr result : results_) {
    result.Walk([&](SymbolicExpr e) {
      if (!e.IsVariable() || e.var_kind() == VarKind::kDim) return;
      used.set(SymbolPosition(*this, e.var_kind(), e.value()));
    });
  }
  return used;
}

SymbolicMap SymbolicMap::CompressDims() const {
  llvm::BitVector used = UsedDims();
  llvm::SmallVector<SymbolicExpr, 8> dims(num_dims_);
  int64_t next = 0;
  for (unsigned i : used.set_bits()) dims[i] = results_[0].context()->Dim(next++);
  return ReplaceDimsAndSymbols(dims, {}, next, num_ranges_, num_runtime_);
}

SymbolicMap SymbolicMap::CompressSymbols() const {
  llvm::BitVector used = UsedSymbols();
  llvm::SmallVector<SymbolicExpr, 8> symbols(num_symbols());
  int64_t ranges = 0, runtime = 0;
  for (unsigned i : used.set_bits()) {
    Context* context = results_[0].context();
    symbols[i] = i < num_ranges_ ? context->Range(ranges++) : context->Runtime(runtime++);
  }
  return ReplaceDimsAndSymbols({}, symbols, num_dims_, ranges, runtime);
}

bool SymbolicMap::IsIdentity() const {
  if (num_results() != num_dims_) return false;
  for (int64_t i = 0; i < num_dims_; ++i) {
    SymbolicExpr e = results_[i];
    if (!e.IsVariable() || e.var_kind() != VarKind::kDim || e.value() != i) return false;
  }
  return true;
}

std::string SymbolicMap::ToString() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  PrintNames(os, VarKind::kDim, num_dims_, "(", ")");
  if (num_ranges_) PrintNames(os, VarKind::kRange, num_ranges_, "[", "]");
  if (num_runtime_) PrintNames(os, VarKind::kRuntime, num_runtime_, "{", "}");
  os << " -> (";
  for (int64_t i = 0; i < num_results(); ++i) {
    if (i) os << ", ";
    Print(results_[i], os);
  }
  os << ")";
  return text;
}

}  // namespace affirm
