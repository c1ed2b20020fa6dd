// Compares the formulas of an op at given sizes with the map of core/analysis and with the access
// relation there.
#include <utility>

#include "core/analysis/indexing.h"
#include "core/hlo/text.h"
#include "core/simplify/simplify.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/decide/sampling.h"
#include "verify/hlo/semantics/access_relation.h"
#include "verify/hlo/symbolic/op.h"
#include "verify/maps/maps.h"

namespace affirm {
namespace {

class Instance {
 public:
  Instance(const SymbolicOp& op, llvm::ArrayRef<int64_t> values, Context& context)
      : op_(op), values_(values), context_(context) {}

  // Nullopt when there are no arrays of these sizes.
  std::optional<InstanceTest> Run() {
    auto output = Sizes(op_.output_sizes);
    if (!output) return std::nullopt;
    output_ = std::move(*output);
    test_.has_elements = !llvm::is_contained(output_, 0);
    std::string text =
        "HloModule m\n\nsum {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n"
        "  ROOT r = f32[] add(x, y)\n}\n\nENTRY e {\n";
    for (size_t k = 0; k < op_.operands.size(); ++k) {
      auto input = Sizes(op_.operands[k].input_sizes);
      if (!input) return std::nullopt;
      test_.has_elements = test_.has_elements && !llvm::is_contained(*input, 0);
      std::string number = std::to_string(k);
      text += "  p" + number + " = " + ShapeText(*input) + " parameter(" + number + ")\n";
    }
    text += "  z = f32[] parameter(" + std::to_string(op_.operands.size()) + ")\n";
    text += "  ROOT root = " + ShapeText(output_) + " " + op_.instruction(values_) + "\n}\n";
    auto module = hlo::ParseModule(text, "instance");
    if (!module) return InstanceTest{.problem = llvm::toString(module.takeError())};
    Compare(*(*module)->entry->root);
    return test_;
  }

 private:
  std::optional<std::vector<int64_t>> Sizes(llvm::ArrayRef<SymbolicExpr> terms) const {
    std::vector<int64_t> sizes;
    for (SymbolicExpr e : terms) {
      auto size = e.Evaluate(values_).value;
      if (!size || *size < 0) return std::nullopt;
      sizes.push_back(*size);
    }
    return sizes;
  }

  static std::string ShapeText(llvm::ArrayRef<int64_t> sizes) {
    std::string text;
    for (int64_t size : sizes) text += (text.empty() ? "" : ",") + std::to_string(size);
    return "f32[" + text + "]";
  }

  // Replaces the parameters by their values and renumbers the dims behind them from 0 on.
  SymbolicExpr At(SymbolicExpr e) const {
    int64_t n = op_.num_parameters();
    return e.Substitute([&](VarKind kind, int64_t k) -> SymbolicExpr {
      if (kind != VarKind::kDim) return {};
      return k < n ? e.context()->Constant(values_[k]) : e.context()->Dim(k - n);
    });
  }

  IndexingMap Map(const SymbolicRead& read) const {
    std::vector<SymbolicExpr> results;
    results.reserve(read.results.size());
    for (SymbolicExpr e : read.results) results.push_back(At(e));
    std::vector<Constraint> constraints;
    constraints.reserve(read.domain.size());
    for (const SymbolicFact& fact : read.domain) {
      constraints.push_back(
          {At(fact.lhs - fact.rhs), fact.equal ? Interval::Point(0) : Interval{kInt64Min, 0}});
    }
    auto ranges = Sizes(read.range_sizes);
    if (!ranges) return IndexingMap::Undefined();
    return RemoveUnusedVariables(
        Simplify(IndexingMap::FromShapes(context_, results, output_, *ranges, constraints)));
  }

  bool SameMap(const SymbolicRead& read, llvm::ArrayRef<LabeledMap> maps) {
    IndexingMap formula = Map(read);
    if (maps.empty()) return ProveEmpty(formula).verdict == Verdict::kProved;
    if (maps.size() != 1 || maps[0].exactness != Exactness::kExact) return false;
    const IndexingMap& given = maps[0].map;
    if (formula.ToString() == given.ToString()) return true;
    test_.same_text = false;
    return ProveEqual(formula, given).verdict == Verdict::kProved;
  }

  bool SameRelation(const SymbolicRead& read, const AccessRelation& relation) const {
    std::vector<Formula> facts;
    for (const SymbolicFact& fact : read.relation) {
      SymbolicExpr lhs = At(fact.lhs), rhs = At(fact.rhs);
      facts.push_back(fact.equal ? Formula::Eq(lhs, rhs) : Formula::Le(lhs, rhs));
    }
    Formula formula = Formula::And(std::move(facts));
    SolverQuery query{.context = &context_, .variables = relation.output, .names = {}};
    llvm::append_range(query.variables, relation.input);
    query.claim = Formula::And(
        {Formula::Implies(formula, relation.reads), Formula::Implies(relation.reads, formula)});
    bool sizes = relation.output.size() == output_.size() && relation.runtime.empty();
    return sizes && Decide(query).verdict == Verdict::kProved;
  }

  void Compare(const hlo::Instruction& root) {
    test_.same_text = true;
    InstructionIndexing indexing = OutputToInput(root, 0, context_);
    for (size_t k = 0; k < op_.operands.size(); ++k) {
      const SymbolicRead& read = op_.operands[k];
      if (!SameMap(read, indexing.maps[k])) {
        test_.problem = "the formula gives " + Map(read).ToString() + ", the analysis " +
                        (indexing.maps[k].empty() ? "nothing" : indexing.maps[k][0].map.ToString());
        return;
      }
      auto relation = AccessRelationOf(root, 0, static_cast<int64_t>(k), context_);
      if (!relation || !SameRelation(read, *relation)) {
        test_.problem =
            "the access relation of operand " + std::to_string(k) + " is not the formula's";
        return;
      }
    }
    test_.same = true;
  }

  const SymbolicOp& op_;
  llvm::ArrayRef<int64_t> values_;
  Context& context_;
  std::vector<int64_t> output_;
  InstanceTest test_;
};

}  // namespace

std::optional<InstanceTest> TestInstance(const SymbolicOp& op, llvm::ArrayRef<int64_t> parameters,
                                         Context& context) {
  return Instance(op, parameters, context).Run();
}

std::vector<std::vector<int64_t>> InstanceParameters(const SymbolicOp& op, int64_t count) {
  std::vector<Interval> box;
  box.reserve(op.parameters.size());
  for (const SizeParameter& p : op.parameters) {
    box.push_back(p.lower ? Interval{*p.lower, *p.lower + 7} : Interval{-3, 6});
  }
  auto is_positive = [&](SymbolicExpr size, llvm::ArrayRef<int64_t> values) {
    const std::optional<int64_t> n = size.Evaluate(values).value;
    return n && *n > 0;
  };
  auto has_elements = [&](llvm::ArrayRef<int64_t> values) {
    auto positive = [&](SymbolicExpr size) { return is_positive(size, values); };
    return llvm::all_of(op.output_sizes, positive) &&
           llvm::all_of(op.operands, [&](const SymbolicRead& read) {
             return llvm::all_of(read.input_sizes, positive);
           });
  };
  // Without elements a map is empty, whatever its formula is: so at most of the points all arrays
  // have elements.
  std::vector<std::vector<int64_t>> points;
  int64_t empty = 0;
  for (std::vector<int64_t>& values : SamplePoints(box, 32 * count)) {
    if (std::ssize(points) == count) break;
    if (!has_elements(values) && 4 * ++empty > count) continue;
    points.push_back(std::move(values));
  }
  return points;
}

}  // namespace affirm
