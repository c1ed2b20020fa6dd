// IndexingMap: a SymbolicMap with a domain, as in XLA's indexing analysis.
//
// It is the function that sends each (dims, runtime variables) to the *set* of results over its
// range variables; a point outside the domain goes to the empty set. For example,
//   (d0)[s0] -> (d0, s0), domain: d0 in [0, 19], s0 in [0, 9], d0 + s0 in [0, 24]
// sends 17 to {(17, 0), (17, 1), .., (17, 7)} and 20 to the empty set. Text and map are converted
// by ParseIndexingMap and ToString.
#ifndef AFFIRM_CORE_INDEXING_INDEXING_MAP_H_
#define AFFIRM_CORE_INDEXING_INDEXING_MAP_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/symbolic/context.h"
#include "core/symbolic/interval.h"
#include "core/symbolic/map.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace affirm {

class IndexingMap;

// Where a runtime variable's value comes from. `producer` identifies the instruction (its unique id
// in the module; core/analysis sets it) and `map` sends the dims of the map that owns the variable
// to the producer index: the element of the producer's result that holds the value. The variable is
// that value clamped to `clamp`, as the op that takes it as an index does; the variable's bounds
// may be narrower than that, and then a value outside of them has no results.
struct RuntimeSource {
  int64_t producer = -1;
  Interval clamp;
  std::string producer_name;
  std::shared_ptr<const IndexingMap> map;  // may be null: a scalar
  friend bool operator==(const RuntimeSource& a, const RuntimeSource& b);
};

struct Variable {
  Interval bounds;
  std::string name;                     // empty: d<i>, s<i>, rt<i>
  std::optional<RuntimeSource> source;  // runtime variables only
  friend bool operator==(const Variable& a, const Variable& b) {
    return a.bounds == b.bounds && a.source == b.source;
  }
};

// One variable for each size, with the bounds [0, size - 1].
std::vector<Variable> VariablesOfSizes(llvm::ArrayRef<int64_t> sizes);

// The runtime variable with its source rebased to a map with these dims, range and runtime
// variables, where `fn` tells what the variables of the map that had it are in terms of the new
// ones. When d0 becomes d0 * 2, a value read at (d0) -> (d0 + 1) is read at (d0) -> (d0 * 2 + 1).
Variable RebaseRuntimeSource(const Variable& v, SymbolicExpr::Substitution fn,
                             const std::vector<Variable>& dims, const std::vector<Variable>& ranges,
                             const std::vector<Variable>& runtime);

// `expr in bounds`.
struct Constraint {
  SymbolicExpr expr;
  Interval bounds;
  friend bool operator==(const Constraint&, const Constraint&) = default;
};

class IndexingMap {
 public:
  enum class State : uint8_t { kNormal, kKnownEmpty, kUndefined };

  // The undefined map: nothing is known.
  IndexingMap() = default;
  // A map with the given variables and constraints. Constraints on the same expression are
  // intersected, constant ones decided; an empty bound makes the map known-empty. The variables'
  // counts must be those of `map`.
  IndexingMap(Context& context, SymbolicMap map, std::vector<Variable> dims,
              std::vector<Variable> ranges, std::vector<Variable> runtime,
              llvm::ArrayRef<Constraint> constraints = {});
  // The same from results over those variables.
  IndexingMap(Context& context, llvm::ArrayRef<SymbolicExpr> results, std::vector<Variable> dims,
              std::vector<Variable> ranges, std::vector<Variable> runtime,
              llvm::ArrayRef<Constraint> constraints = {});

  static IndexingMap Undefined() { return {}; }
  // Sends everything to the empty set. All known-empty maps are equal.
  static IndexingMap KnownEmpty(Context& context);
  static IndexingMap Identity(Context& context, llvm::ArrayRef<int64_t> shape);
  // Dim i in [0, dim_sizes[i] - 1], range variables likewise, no runtime variables.
  static IndexingMap FromShapes(Context& context, llvm::ArrayRef<SymbolicExpr> results,
                                llvm::ArrayRef<int64_t> dim_sizes,
                                llvm::ArrayRef<int64_t> range_sizes,
                                llvm::ArrayRef<Constraint> constraints = {});

  State state() const { return state_; }
  bool IsUndefined() const { return state_ == State::kUndefined; }
  bool IsKnownEmpty() const { return state_ == State::kKnownEmpty; }
  Context* context() const { return context_; }
  const SymbolicMap& map() const { return map_; }
  llvm::ArrayRef<SymbolicExpr> results() const { return map_.results(); }
  const std::vector<Variable>& dims() const { return vars(VarKind::kDim); }
  const std::vector<Variable>& ranges() const { return vars(VarKind::kRange); }
  const std::vector<Variable>& runtime() const { return vars(VarKind::kRuntime); }
  const std::vector<Variable>& vars(VarKind kind) const {
    return domain_->vars[static_cast<int>(kind)];
  }
  const std::vector<Constraint>& constraints() const { return domain_->constraints; }

  // The map with other results over the same variables, domain and constraints. Of
  //   m = (d0, d1)[s0] -> (d0 * 8 + s0, d1),  domain: d0 in [0, 3], ..., d0 + s0 in [0, 9]
  // m.WithResults({d1}) is (d0, d1)[s0] -> (d1) under the same domain. A map that is known-empty or
  // undefined stays what it is.
  IndexingMap WithResults(llvm::ArrayRef<SymbolicExpr> results) const;

  // Changing the domain. Each keeps the invariants of the constructor.
  void AddConstraint(SymbolicExpr expr, Interval bounds);
  void SetConstraints(llvm::ArrayRef<Constraint> constraints);
  // Drops the constraints at the positions and adds others, which must not alias this map's own.
  void ReplaceConstraints(llvm::ArrayRef<size_t> positions, llvm::ArrayRef<Constraint> added);
  void SetBounds(VarKind kind, int64_t index, Interval bounds);
  void SetName(VarKind kind, int64_t index, std::string name);
  void SetResults(llvm::ArrayRef<SymbolicExpr> results);
  void SetResult(unsigned i, SymbolicExpr e) { map_.set_result(i, e); }
  void SetSource(int64_t runtime_index, RuntimeSource source);

  // Whether (dims, ranges, runtime) lies in the domain: all bounds and constraints hold. An
  // argument at which a constraint can't be evaluated lies outside.
  bool InDomain(llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> ranges,
                llvm::ArrayRef<int64_t> runtime = {}) const;
  // The results at a point; an error when a value can't be computed. Does not look at the domain.
  llvm::Expected<std::vector<int64_t>> Evaluate(llvm::ArrayRef<int64_t> dims,
                                                llvm::ArrayRef<int64_t> ranges,
                                                llvm::ArrayRef<int64_t> runtime = {}) const;
  // How many points (dims x ranges x runtime) the variable bounds admit; nullopt past int64 or
  // unbounded.
  std::optional<int64_t> NumPoints() const;
  // Calls fn(dims, ranges, runtime) for each point of the domain in lexicographic order (dims, then
  // runtime, then ranges) until it returns false. False when there are more than `limit`
  // candidates.
  using PointFn = llvm::function_ref<bool(llvm::ArrayRef<int64_t>, llvm::ArrayRef<int64_t>,
                                          llvm::ArrayRef<int64_t>)>;
  bool ForEachPoint(PointFn fn, int64_t limit = int64_t{1} << 24) const;

  // Range of `e` over the domain, from the bounds of the variables and the constraints on `e` and
  // its parts.
  Interval RangeOf(SymbolicExpr e) const;

  // Name printed for a variable.
  std::string VariableName(VarKind kind, int64_t index) const;
  // XLA's text form on one line; `multi_line` breaks after each bound.
  std::string ToString(bool multi_line = false) const;

  // Structural: same results, bounds, constraints and runtime sources; names are ignored.
  friend bool operator==(const IndexingMap& a, const IndexingMap& b);
  uint64_t Hash() const;  // the same on every machine

 private:
  // Shared between copies of a map, so that a copy is cheap; a change makes its own.
  struct Domain {
    std::vector<Variable> vars[3];        // by VarKind
    std::vector<Constraint> constraints;  // ordered by Compare, one per expression
  };
  static const std::shared_ptr<Domain>& NoDomain();
  Domain& MutableDomain();
  // The end of both constructors.
  void SetDomain(std::vector<Variable> dims, std::vector<Variable> ranges,
                 std::vector<Variable> runtime, llvm::ArrayRef<Constraint> constraints);
  std::vector<Variable>& MutableVars(VarKind kind) {
    return MutableDomain().vars[static_cast<int>(kind)];
  }
  void Insert(Constraint c);
  void Normalize();

  State state_ = State::kUndefined;
  Context* context_ = nullptr;
  SymbolicMap map_;
  std::shared_ptr<Domain> domain_ = NoDomain();
};

// Reads one map. `where` and `first_line` are for error messages. Accepts everything that XLA
// prints: `/` for floordiv, `-X`, any variable names, KNOWN EMPTY, UNDEFINED, and
// #xla.indexing_map<"...">.
llvm::Expected<IndexingMap> ParseIndexingMap(llvm::StringRef text, Context& context,
                                             llvm::StringRef where = "<map>",
                                             int64_t first_line = 1);

// `second` after `first`: first's results feed second's dims. The variables are first's dims; the
// range (and runtime) variables of `second` and then those of `first`; constraints of both; and
// first's results restricted to second's dim bounds. Undefined or known-empty operands give the
// same.
IndexingMap Compose(const IndexingMap& first, const IndexingMap& second);

}  // namespace affirm

#endif  // AFFIRM_CORE_INDEXING_INDEXING_MAP_H_
