// Invariants, evaluation and enumeration of indexing maps.
#include "core/indexing/indexing_map.h"

#include <algorithm>

#include "core/indexing/range.h"
#include "core/symbolic/any_size.h"
#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace affirm {
namespace {

bool AllInside(const std::vector<Variable>& vars, llvm::ArrayRef<int64_t> values) {
  if (vars.size() != values.size()) return false;
  for (size_t i = 0; i < vars.size(); ++i) {
    if (!vars[i].bounds.Contains(values[i])) return false;
  }
  return true;
}

// Steps `values` to the next point of the box; false after the last one.
bool Advance(const std::vector<Variable>& vars, std::vector<int64_t>& values) {
  for (size_t i = vars.size(); i-- > 0;) {
    if (values[i] < vars[i].bounds.upper) {
      ++values[i];
      return true;
    }
    values[i] = vars[i].bounds.lower;
  }
  return false;
}

std::vector<int64_t> FirstPoint(const std::vector<Variable>& vars) {
  std::vector<int64_t> values;
  values.reserve(vars.size());
  for (const Variable& v : vars) values.push_back(v.bounds.lower);
  return values;
}

uint64_t MixHash(uint64_t h, uint64_t v) {
  h ^= v + 0x9e3779b97f4a7c15ULL + (h << 6) + (h >> 2);
  return h * 0xff51afd7ed558ccdULL;
}

}  // namespace

std::vector<Variable> VariablesOfSizes(llvm::ArrayRef<int64_t> sizes) {
  std::vector<Variable> vars;
  for (int64_t n : sizes) vars.push_back({Interval{0, n - 1}, "", std::nullopt});
  return vars;
}

bool operator==(const RuntimeSource& a, const RuntimeSource& b) {
  if (a.producer != b.producer || a.clamp != b.clamp || !a.map != !b.map) return false;
  return !a.map || a.map == b.map || *a.map == *b.map;
}

const std::shared_ptr<IndexingMap::Domain>& IndexingMap::NoDomain() {
  static const auto none = std::make_shared<Domain>();
  return none;
}

IndexingMap::Domain& IndexingMap::MutableDomain() {
  if (domain_.use_count() != 1) domain_ = std::make_shared<Domain>(*domain_);
  return *domain_;
}

IndexingMap::IndexingMap(Context& context, SymbolicMap map, std::vector<Variable> dims,
                         std::vector<Variable> ranges, std::vector<Variable> runtime,
                         llvm::ArrayRef<Constraint> constraints)
    : state_(State::kNormal),
      context_(&context),
      map_(std::move(map)),
      domain_(std::make_shared<Domain>()) {
  SetDomain(std::move(dims), std::move(ranges), std::move(runtime), constraints);
}

IndexingMap::IndexingMap(Context& context, llvm::ArrayRef<SymbolicExpr> results,
                         std::vector<Variable> dims, std::vector<Variable> ranges,
                         std::vector<Variable> runtime, llvm::ArrayRef<Constraint> constraints)
    : state_(State::kNormal),
      context_(&context),
      map_(std::ssize(dims), std::ssize(ranges), std::ssize(runtime), results),
      domain_(std::make_shared<Domain>()) {
  SetDomain(std::move(dims), std::move(ranges), std::move(runtime), constraints);
}

void IndexingMap::SetDomain(std::vector<Variable> dims, std::vector<Variable> ranges,
                            std::vector<Variable> runtime, llvm::ArrayRef<Constraint> constraints) {
  domain_->vars[0] = std::move(dims);
  domain_->vars[1] = std::move(ranges);
  domain_->vars[2] = std::move(runtime);
  for (const Constraint& c : constraints) Insert(c);
  Normalize();
}

IndexingMap IndexingMap::KnownEmpty(Context& context) {
  IndexingMap m;
  m.state_ = State::kKnownEmpty;
  m.context_ = &context;
  return m;
}

IndexingMap IndexingMap::Identity(Context& context, llvm::ArrayRef<int64_t> shape) {
  int64_t rank = static_cast<int64_t>(shape.size());
  return IndexingMap(context, SymbolicMap::Identity(context, rank), VariablesOfSizes(shape), {},
                     {});
}

IndexingMap IndexingMap::FromShapes(Context& context, llvm::ArrayRef<SymbolicExpr> results,
                                    llvm::ArrayRef<int64_t> dim_sizes,
                                    llvm::ArrayRef<int64_t> range_sizes,
                                    llvm::ArrayRef<Constraint> constraints) {
  return IndexingMap(context, results, VariablesOfSizes(dim_sizes), VariablesOfSizes(range_sizes),
                     {}, constraints);
}

IndexingMap IndexingMap::WithResults(llvm::ArrayRef<SymbolicExpr> results) const {
  IndexingMap out = *this;
  out.SetResults(results);
  return out;
}

// Keeps the list ordered with one entry an expression. A constant expression or a bare variable
// never stays: it is decided, or becomes a bound.
void IndexingMap::Insert(Constraint c) {
  if (state_ != State::kNormal) return;
  if (c.expr.IsConstant()) {
    if (!c.bounds.Contains(c.expr.value())) *this = KnownEmpty(*context_);
    return;
  }
  if (c.expr.IsVariable()) {
    Interval& b = MutableVars(c.expr.var_kind())[c.expr.value()].bounds;
    b = b.Intersect(c.bounds);
    return;
  }
  std::vector<Constraint>& list = MutableDomain().constraints;
  auto less = [](const Constraint& a, const Constraint& b) { return Less(a.expr, b.expr); };
  if (list.empty() || less(list.back(), c)) return list.push_back(c);  // they often come in order
  auto it = std::lower_bound(list.begin(), list.end(), c, less);
  if (it != list.end() && it->expr == c.expr) {
    it->bounds = it->bounds.Intersect(c.bounds);
  } else {
    list.insert(it, c);
  }
}

void IndexingMap::Normalize() {
  if (state_ != State::kNormal) return;
  auto empty = [](const auto& v) { return v.bounds.IsEmpty(); };
  if (llvm::any_of(dims(), empty) || llvm::any_of(ranges(), empty) ||
      llvm::any_of(runtime(), empty) || llvm::any_of(constraints(), empty)) {
    *this = KnownEmpty(*context_);
  }
}

void IndexingMap::AddConstraint(SymbolicExpr expr, Interval bounds) {
  if (state_ != State::kNormal) return;
  Insert({expr, bounds});
  Normalize();
}

void IndexingMap::SetConstraints(llvm::ArrayRef<Constraint> constraints) {
  if (state_ != State::kNormal) return;
  llvm::SmallVector<Constraint, 8> copy(constraints.begin(), constraints.end());
  MutableDomain().constraints.clear();
  for (const Constraint& c : copy) Insert(c);
  Normalize();
}

void IndexingMap::ReplaceConstraints(llvm::ArrayRef<size_t> positions,
                                     llvm::ArrayRef<Constraint> added) {
  if (state_ != State::kNormal) return;
  std::vector<Constraint>& list = MutableDomain().constraints;
  size_t kept = 0;
  for (size_t i = 0; i < list.size(); ++i) {
    if (!llvm::is_contained(positions, i)) list[kept++] = list[i];
  }
  list.resize(kept);
  for (const Constraint& c : added) Insert(c);
  Normalize();
}

void IndexingMap::SetBounds(VarKind kind, int64_t index, Interval bounds) {
  if (state_ != State::kNormal) return;
  MutableVars(kind)[index].bounds = bounds;
  Normalize();
}

void IndexingMap::SetName(VarKind kind, int64_t index, std::string name) {
  if (state_ != State::kNormal) return;
  MutableVars(kind)[index].name = std::move(name);
}

void IndexingMap::SetResults(llvm::ArrayRef<SymbolicExpr> results) {
  if (state_ != State::kNormal) return;
  map_ = SymbolicMap(map_.num_dims(), map_.num_ranges(), map_.num_runtime(), results);
}

void IndexingMap::SetSource(int64_t runtime_index, RuntimeSource source) {
  if (state_ != State::kNormal) return;
  MutableVars(VarKind::kRuntime)[runtime_index].source = std::move(source);
}

bool IndexingMap::InDomain(llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> ranges,
                           llvm::ArrayRef<int64_t> runtime) const {
  if (state_ != State::kNormal) return false;
  if (!AllInside(vars(VarKind::kDim), dims) || !AllInside(vars(VarKind::kRange), ranges) ||
      !AllInside(vars(VarKind::kRuntime), runtime)) {
    return false;
  }
  return llvm::all_of(constraints(), [&](const Constraint& c) {
    if (auto v = c.expr.EvaluateWide(dims, ranges, runtime)) return c.bounds.ContainsWide(*v);
    // It has no value, or one of more than 128 bits.
    auto v = EvaluateAnySize(c.expr, dims, ranges, runtime);
    return v && (!c.bounds.HasLower() || *v >= c.bounds.lower) &&
           (!c.bounds.HasUpper() || *v <= c.bounds.upper);
  });
}

llvm::Expected<std::vector<int64_t>> IndexingMap::Evaluate(llvm::ArrayRef<int64_t> dims,
                                                           llvm::ArrayRef<int64_t> ranges,
                                                           llvm::ArrayRef<int64_t> runtime) const {
  if (state_ != State::kNormal) return MakeError("a map that is empty or undefined has no value");
  std::vector<int64_t> out;
  for (SymbolicExpr e : results()) {
    auto v = e.Evaluate(dims, ranges, runtime);
    if (!v.value) return MakeError(llvm::Twine(v.error) + " in " + e.ToString());
    out.push_back(*v.value);
  }
  return out;
}

std::optional<int64_t> IndexingMap::NumPoints() const {
  if (state_ == State::kKnownEmpty) return 0;
  if (state_ == State::kUndefined) return std::nullopt;
  int64_t n = 1;
  for (VarKind kind : {VarKind::kDim, VarKind::kRange, VarKind::kRuntime}) {
    for (const Variable& v : vars(kind)) {
      auto count = v.bounds.Count();
      auto product = count ? CheckedMul(n, *count) : std::nullopt;
      if (!product) return std::nullopt;
      n = *product;
    }
  }
  return n;
}

bool IndexingMap::ForEachPoint(PointFn fn, int64_t limit) const {
  auto n = NumPoints();
  if (!n || *n > limit) return false;
  if (*n == 0) return true;
  std::vector<int64_t> d = FirstPoint(this->dims());
  do {
    std::vector<int64_t> rt = FirstPoint(this->runtime());
    do {
      std::vector<int64_t> s = FirstPoint(this->ranges());
      do {
        if (InDomain(d, s, rt) && !fn(d, s, rt)) return true;
      } while (Advance(this->ranges(), s));
    } while (Advance(this->runtime(), rt));
  } while (Advance(this->dims(), d));
  return true;
}

Interval IndexingMap::RangeOf(SymbolicExpr e) const {
  if (state_ == State::kKnownEmpty) return Interval::Empty();
  if (state_ == State::kUndefined) return Interval::All();
  return RangeAnalysis(*this).Of(e);
}

bool operator==(const IndexingMap& a, const IndexingMap& b) {
  if (a.state_ != b.state_) return false;
  if (a.state_ != IndexingMap::State::kNormal) return true;
  if (!(a.map_ == b.map_)) return false;
  if (a.domain_ == b.domain_) return true;
  return a.dims() == b.dims() && a.ranges() == b.ranges() && a.runtime() == b.runtime() &&
         a.constraints() == b.constraints();
}

uint64_t IndexingMap::Hash() const {
  uint64_t h = static_cast<uint64_t>(state_);
  if (state_ != State::kNormal) return h;
  auto interval = [&](Interval b) {
    h = MixHash(MixHash(h, static_cast<uint64_t>(b.lower)), static_cast<uint64_t>(b.upper));
  };
  for (VarKind kind : {VarKind::kDim, VarKind::kRange, VarKind::kRuntime}) {
    h = MixHash(h, vars(kind).size());
    for (const Variable& v : vars(kind)) interval(v.bounds);
  }
  for (SymbolicExpr e : results()) h = MixHash(h, e.node()->hash);
  for (const Constraint& c : constraints()) {
    h = MixHash(h, c.expr.node()->hash);
    interval(c.bounds);
  }
  return h;
}

}  // namespace affirm
