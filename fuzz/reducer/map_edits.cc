// Edits of lists, terms, numbers and bounds of a written map.
#include "fuzz/reducer/map_edits.h"

#include <cmath>
#include <functional>

#include "core/indexing/range.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/bit.h"

namespace affirm::fuzz {
namespace {

constexpr VarKind kKinds[] = {VarKind::kDim, VarKind::kRange, VarKind::kRuntime};

// Numbers to try instead of `c`, nearest to zero first; all of them nearer than it.
std::vector<int64_t> Nearer(int64_t c) {
  std::vector<int64_t> numbers;
  auto add = [&](int64_t n) {
    // -n and n are as near; n is the simpler.
    bool nearer = std::abs(static_cast<double>(n)) < std::abs(static_cast<double>(c)) ||
                  (n > 0 && c < 0 && n == -c);
    // Doubles don't tell large neighbors apart.
    nearer |= (c > 0 && n >= 0 && n < c) || (c < 0 && n <= 0 && n > c);
    if (nearer && !llvm::is_contained(numbers, n)) numbers.push_back(n);
  };
  for (int64_t n : {0, 1, 2, 3, -1}) add(n);
  if (c == kInt64Min) return numbers;
  add(-c);
  add(c / 16);
  // A number that has to stay large ends at a power of two, or less than twice too far from zero.
  const auto power = static_cast<int64_t>(llvm::bit_floor(static_cast<uint64_t>(std::abs(c))));
  add(c > 0 ? power : -power);
  add(c / 2);
  if (std::abs(c) <= 64) add(c > 0 ? c - 1 : c + 1);
  return numbers;
}

bool IsDivision(ExprKind kind) {
  return kind == ExprKind::kFloorDiv || kind == ExprKind::kCeilDiv || kind == ExprKind::kMod;
}

// Everything that one edit can make of a term.
class TermEdits {
 public:
  explicit TermEdits(Context& context) : context_(context) {}

  std::vector<SymbolicExpr> Of(SymbolicExpr root) {
    out_.clear();
    Visit(root, [](SymbolicExpr e) { return e; });
    return std::move(out_);
  }

 private:
  using Rebuild = llvm::function_ref<SymbolicExpr(SymbolicExpr)>;

  void Add(SymbolicExpr e) {
    if (e && !llvm::is_contained(out_, e)) out_.push_back(e);
  }

  // `rebuild` makes the whole term of another one in the place of `e`.
  void Visit(SymbolicExpr e, Rebuild rebuild) {
    if (e.IsVariable()) return;
    if (e.IsConstant()) {
      for (int64_t n : Nearer(e.value())) Add(rebuild(context_.Constant(n)));
      return;
    }
    for (SymbolicExpr op : e.ops()) Add(rebuild(op));
    Add(rebuild(context_.Constant(0)));
    const bool has_value = e.kind() == ExprKind::kAdd || e.kind() == ExprKind::kMul;
    if (has_value) EditValue(e, rebuild);
    const bool keeps_order = !has_value && e.ops().size() == 2;
    for (size_t i = 0; i < e.ops().size(); ++i) {
      if (!keeps_order && e.ops().size() > 1) Add(rebuild(WithoutOperand(e, i)));
      Visit(e.op(i), [&](SymbolicExpr other) -> SymbolicExpr {
        if (!other) return {};
        // A divisor of 1 is simpler, and shows nothing.
        const bool divisor = i == 1 && IsDivision(e.kind());
        if (divisor && (other.IsConstant(1) || other.IsConstant(-1))) return {};
        std::vector<SymbolicExpr> ops = e.ops().vec();
        ops[i] = other;
        return rebuild(context_.Rebuild(e, ops));
      });
    }
  }

  SymbolicExpr WithoutOperand(SymbolicExpr e, size_t i) {
    std::vector<SymbolicExpr> ops = e.ops().vec();
    ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(i));
    return context_.Rebuild(e, ops);
  }

  // The constant of a sum, the coefficient of a product.
  void EditValue(SymbolicExpr e, Rebuild rebuild) {
    const bool sum = e.kind() == ExprKind::kAdd;
    for (int64_t n : Nearer(e.value())) {
      if (!sum && n == 0) continue;
      Add(rebuild(sum ? context_.Add(e.ops(), n) : context_.Scale(context_.Mul(e.ops()), n)));
    }
  }

  Context& context_;
  std::vector<SymbolicExpr> out_;
};

// Intervals to try instead of `b`.
std::vector<Interval> Simpler(Interval b) {
  std::vector<Interval> out;
  auto add = [&](Interval other) {
    // A map that is written as empty is another case than one that turns out to be empty.
    if (other.IsEmpty() && !b.IsEmpty()) return;
    if (!(other == b) && !llvm::is_contained(out, other)) out.push_back(other);
  };
  for (Interval small : {Interval{0, 0}, Interval{0, 1}, Interval{0, 3}, Interval{0, 9}}) {
    if (!b.IsEmpty() && b.upper - small.upper > 0) add(small);
  }
  add(Interval::Point(b.lower));
  add(Interval::Point(b.upper));
  for (int64_t n : Nearer(b.lower)) add({n, b.upper});
  for (int64_t n : Nearer(b.upper)) add({b.lower, n});
  return out;
}

class MapEdits {
 public:
  MapEdits(const WrittenMap& map, Context& context)
      : map_(map), context_(context), before_(ComplexityOf(map)) {}

  std::vector<WrittenMap> Run() {
    if (map_.state != IndexingMap::State::kNormal) return {};
    DropConstraints();
    MakeResults();
    DropResults();
    DropVariables();
    MakeDims();
    MakeVariables();
    EditTerms();
    EditBounds();
    return std::move(out_);
  }

 private:
  void Try(const std::function<bool(WrittenMap&)>& edit) {
    WrittenMap other = map_;
    if (edit(other) && ComplexityOf(other) < before_) out_.push_back(std::move(other));
  }

  void DropConstraints() {
    if (map_.constraints.size() > 1) {
      Try([](WrittenMap& m) { return m.constraints.clear(), true; });
    }
    for (size_t i = 0; i < map_.constraints.size(); ++i) {
      Try([&](WrittenMap& m) {
        return m.constraints.erase(m.constraints.begin() + static_cast<std::ptrdiff_t>(i)), true;
      });
    }
  }

  // Makes the constrained expressions the only results.
  void MakeResults() {
    for (size_t i = 0; i < map_.constraints.size(); ++i) {
      Try([&](WrittenMap& m) {
        m.results = {map_.constraints[i].expr};
        return m.constraints.erase(m.constraints.begin() + static_cast<std::ptrdiff_t>(i)), true;
      });
    }
  }

  void DropResults() {
    if (map_.results.size() > 1) {
      for (SymbolicExpr e : map_.results) {
        Try([&](WrittenMap& m) { return m.results = {e}, true; });
        Try([&](WrittenMap& m) { return m.results = {e}, m.constraints.clear(), true; });
      }
    }
    for (size_t i = 0; i < map_.results.size(); ++i) {
      Try([&](WrittenMap& m) {
        return m.results.erase(m.results.begin() + static_cast<std::ptrdiff_t>(i)), true;
      });
    }
  }

  void DropVariables() {
    for (VarKind kind : kKinds) {
      for (size_t i = 0; i < map_.of(kind).size(); ++i) {
        const Interval b = map_.of(kind)[i].bounds;
        std::vector<int64_t> values = {0};
        for (int64_t v : {b.lower, b.upper, int64_t{1}}) {
          if (!llvm::is_contained(values, v)) values.push_back(v);
        }
        for (int64_t v : values) {
          Try([&](WrittenMap& m) {
            return DropVariable(m, kind, static_cast<int64_t>(i), context_.Constant(v));
          });
        }
      }
    }
  }

  // Without a variable: the value stands wherever it is used; the others move up.
  bool DropVariable(WrittenMap& m, VarKind kind, int64_t index, SymbolicExpr value) {
    m.of(kind).erase(m.of(kind).begin() + index);
    bool legal = true;
    auto replace = [&](SymbolicExpr& e) {
      e = e.Substitute([&](VarKind k, int64_t i) -> SymbolicExpr {
        if (k != kind || i < index) return {};
        return i == index ? value : context_.Variable(kind, i - 1);
      });
      legal &= static_cast<bool>(e);
    };
    for (SymbolicExpr& e : m.results) replace(e);
    for (Constraint& c : m.constraints) replace(c.expr);
    // A constraint without variables says nothing, or that the map is empty.
    if (legal)
      llvm::erase_if(m.constraints, [](const Constraint& c) { return c.expr.IsConstant(); });
    return legal;
  }

  // A range or runtime variable as one more dim.
  void MakeDims() {
    const int64_t num_dims = std::ssize(map_.of(VarKind::kDim));
    for (VarKind kind : {VarKind::kRange, VarKind::kRuntime}) {
      for (size_t i = 0; i < map_.of(kind).size(); ++i) {
        Try([&](WrittenMap& m) {
          m.of(VarKind::kDim).push_back({map_.of(kind)[i].bounds, "", std::nullopt});
          return DropVariable(m, kind, static_cast<int64_t>(i), context_.Dim(num_dims));
        });
      }
    }
  }

  // A part of a term as one of its variables, which takes on what the part could be:
  //   (d0) -> ((d0 * 3 - 1) mod 4), domain: d0 in [0, 1]  becomes  (d0) -> (d0 mod 4), d0 in [-1,
  //   2]
  void MakeVariables() {
    RangeAnalysis ranges;
    ranges.Reset(map_.vars[0], map_.vars[1], map_.vars[2], {});
    llvm::SetVector<SymbolicExpr> parts;
    auto add = [&](SymbolicExpr root) {
      root.Walk([&](SymbolicExpr e) {
        if (!e.IsVariable() && e.HasVariables()) parts.insert(e);
      });
    };
    for (SymbolicExpr e : map_.results) add(e);
    for (const Constraint& c : map_.constraints) add(c.expr);
    for (SymbolicExpr part : llvm::reverse(parts)) {
      const Interval range = ranges.Of(part);
      if (!range.IsBounded() || range.IsEmpty()) continue;
      SymbolicExpr variable;
      part.Walk([&](SymbolicExpr e) {
        if (e.IsVariable() && !variable) variable = e;
      });
      Try([&](WrittenMap& m) {
        m.of(variable.var_kind())[static_cast<size_t>(variable.value())].bounds = range;
        for (SymbolicExpr& e : m.results) e = e.Replace(part, variable);
        for (Constraint& c : m.constraints) c.expr = c.expr.Replace(part, variable);
        return llvm::none_of(m.constraints,
                             [](const Constraint& c) { return c.expr.IsVariable(); });
      });
    }
  }

  void EditTerms() {
    TermEdits edits(context_);
    for (size_t i = 0; i < map_.results.size(); ++i) {
      for (SymbolicExpr e : edits.Of(map_.results[i])) {
        Try([&](WrittenMap& m) { return m.results[i] = e, true; });
      }
    }
    for (size_t i = 0; i < map_.constraints.size(); ++i) {
      for (SymbolicExpr e : edits.Of(map_.constraints[i].expr)) {
        if (e.IsConstant() || e.IsVariable()) continue;
        Try([&](WrittenMap& m) { return m.constraints[i].expr = e, true; });
      }
    }
  }

  void EditBounds() {
    for (VarKind kind : kKinds) {
      for (size_t i = 0; i < map_.of(kind).size(); ++i) {
        for (Interval b : Simpler(map_.of(kind)[i].bounds)) {
          Try([&](WrittenMap& m) { return m.of(kind)[i].bounds = b, true; });
        }
      }
    }
    for (size_t i = 0; i < map_.constraints.size(); ++i) {
      for (Interval b : Simpler(map_.constraints[i].bounds)) {
        Try([&](WrittenMap& m) { return m.constraints[i].bounds = b, true; });
      }
    }
  }

  const WrittenMap& map_;
  Context& context_;
  const MapComplexity before_;
  std::vector<WrittenMap> out_;
};

}  // namespace

std::vector<WrittenMap> SimplerMaps(const WrittenMap& map, Context& context) {
  return MapEdits(map, context).Run();
}

MapComplexity ComplexityOf(const WrittenMap& map) {
  size_t variables = 0, nodes = 0;
  double distance = 0;
  auto term = [&](SymbolicExpr root) {
    nodes += root.size();
    root.Walk([&](SymbolicExpr e) {
      // Coefficients of 1 do not show.
      if (!e.IsVariable()) distance += std::abs(static_cast<double>(e.value()));
    });
  };
  auto bounds = [&](Interval b) {
    distance += std::abs(static_cast<double>(b.lower)) + std::abs(static_cast<double>(b.upper));
  };
  for (VarKind kind : kKinds) {
    variables += map.of(kind).size();
    for (const Variable& v : map.of(kind)) bounds(v.bounds);
  }
  for (SymbolicExpr e : map.results) term(e);
  for (const Constraint& c : map.constraints) {
    term(c.expr);
    bounds(c.bounds);
  }
  const std::string text = ToString(map);
  const size_t digits = static_cast<size_t>(
      llvm::count_if(text, [](char c) { return llvm::isDigit(c) || c == '-'; }));
  const size_t not_dims = variables - map.of(VarKind::kDim).size();
  return {variables, map.constraints.size(), map.results.size(), nodes, not_dims, digits, distance};
}

}  // namespace affirm::fuzz
