// affirm.apply_indexing: its text, folding and canonicalization.
#include "core/simplify/simplify.h"
#include "emit/ir/dialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

namespace affirm::ir {
namespace {

using mlir::Value;

// A producer is not composed into an expression beyond this size.
constexpr uint64_t kMaxComposedSize = 256;

// Builds a map over values that are being collected. Equal values are one variable.
class FunctionBuilder {
 public:
  explicit FunctionBuilder(Context& context) : context_(context) {}

  // The variable of a value; its bounds are the intersection of the bounds at its uses.
  SymbolicExpr Add(Value value, Interval bounds) {
    auto at = static_cast<size_t>(llvm::find(values_, value) - values_.begin());
    if (at == values_.size()) {
      values_.push_back(value);
      variables_.push_back({bounds, "", std::nullopt});
    } else {
      variables_[at].bounds = variables_[at].bounds.Intersect(bounds);
    }
    return context_.Dim(static_cast<int64_t>(at));
  }
  void Constrain(SymbolicExpr expr, Interval bounds) { constraints_.push_back({expr, bounds}); }
  IndexingMap Build(llvm::ArrayRef<SymbolicExpr> results) {
    return IndexingMap(context_, results, variables_, {}, {}, constraints_);
  }
  llvm::SmallVector<Value>& values() { return values_; }

 private:
  Context& context_;
  llvm::SmallVector<Value> values_;
  std::vector<Variable> variables_;
  std::vector<Constraint> constraints_;
};

bool IsComposable(ApplyIndexingOp producer, unsigned result) {
  return producer && producer.getMap().getMap().results()[result].size() <= kMaxComposedSize;
}

// Replaces operands that are results of apply_indexing by the expressions behind them.
IndexingMap ComposeProducers(ApplyIndexingOp op, FunctionBuilder& builder) {
  IndexingMap map = AsFunction(op.getMap().getMap());
  llvm::SmallVector<SymbolicExpr> replacements;
  for (auto [operand, variable] : llvm::zip(op.getVariables(), map.dims())) {
    auto producer = operand.getDefiningOp<ApplyIndexingOp>();
    unsigned number = producer ? mlir::cast<mlir::OpResult>(operand).getResultNumber() : 0;
    if (!IsComposable(producer, number)) {
      replacements.push_back(builder.Add(operand, variable.bounds));
      continue;
    }
    IndexingMap inner = AsFunction(producer.getMap().getMap());
    llvm::SmallVector<SymbolicExpr> inner_variables;
    for (auto [value, v] : llvm::zip(producer.getVariables(), inner.dims())) {
      inner_variables.push_back(builder.Add(value, v.bounds));
    }
    auto substitute = [&](VarKind, int64_t i) { return inner_variables[i]; };
    for (const Constraint& c : inner.constraints()) {
      builder.Constrain(c.expr.Substitute(substitute), c.bounds);
    }
    SymbolicExpr expr = inner.results()[number].Substitute(substitute);
    builder.Constrain(expr, variable.bounds);
    replacements.push_back(expr);
  }
  auto substitute = [&](VarKind, int64_t i) { return replacements[i]; };
  for (const Constraint& c : map.constraints()) {
    builder.Constrain(c.expr.Substitute(substitute), c.bounds);
  }
  llvm::SmallVector<SymbolicExpr> results;
  for (SymbolicExpr e : map.results()) results.push_back(e.Substitute(substitute));
  return builder.Build(results);
}

// The map without the variables that neither results nor constraints use.
IndexingMap DropUnused(const IndexingMap& map, llvm::SmallVectorImpl<Value>& values) {
  auto used = [&](int64_t i) {
    auto uses = [&](SymbolicExpr e) { return e.Uses(VarKind::kDim, i); };
    return llvm::any_of(map.results(), uses) ||
           llvm::any_of(map.constraints(), [&](const Constraint& c) { return uses(c.expr); });
  };
  llvm::SmallVector<SymbolicExpr> renamed(map.dims().size());
  llvm::SmallVector<Value> kept;
  std::vector<Variable> variables;
  for (size_t i = 0; i < map.dims().size(); ++i) {
    if (!used(static_cast<int64_t>(i))) continue;
    renamed[i] = map.context()->Dim(static_cast<int64_t>(kept.size()));
    kept.push_back(values[i]);
    variables.push_back(map.dims()[i]);
  }
  auto rename = [&](VarKind, int64_t i) { return renamed[i]; };
  std::vector<SymbolicExpr> results;
  for (SymbolicExpr e : map.results()) results.push_back(e.Substitute(rename));
  std::vector<Constraint> constraints;
  for (const Constraint& c : map.constraints()) {
    constraints.push_back({c.expr.Substitute(rename), c.bounds});
  }
  values.assign(kept.begin(), kept.end());
  return IndexingMap(*map.context(), results, std::move(variables), {}, {}, constraints);
}

// Composition, simplification by the rule table, and removal of what is not used, in one.
struct SimplifyIndexing : mlir::OpRewritePattern<ApplyIndexingOp> {
  using OpRewritePattern::OpRewritePattern;
  mlir::LogicalResult matchAndRewrite(ApplyIndexingOp op,
                                      mlir::PatternRewriter& rewriter) const override {
    IndexingMap before = op.getMap().getMap();
    FunctionBuilder builder(*before.context());
    IndexingMap map = Simplify(ComposeProducers(op, builder));
    if (map.state() != IndexingMap::State::kNormal) return mlir::failure();  // never runs
    llvm::SmallVector<Value> values = builder.values();
    map = DropUnused(map, values);
    if (map == before && llvm::equal(values, op.getVariables())) return mlir::failure();
    rewriter.replaceOpWithNewOp<ApplyIndexingOp>(op, op.getResultTypes(),
                                                 MapAttr(op.getContext(), map), values);
    return mlir::success();
  }
};

}  // namespace

IndexingMap AsFunction(const IndexingMap& map) {
  auto dims = static_cast<int64_t>(map.dims().size());
  auto ranges = static_cast<int64_t>(map.ranges().size());
  if (ranges == 0 && map.runtime().empty()) return map;
  Context& context = *map.context();
  auto dim = [&](VarKind kind, int64_t i) {
    if (kind == VarKind::kDim) return context.Dim(i);
    return context.Dim(kind == VarKind::kRange ? dims + i : dims + ranges + i);
  };
  std::vector<Variable> variables;
  for (VarKind kind : {VarKind::kDim, VarKind::kRange, VarKind::kRuntime}) {
    for (const Variable& v : map.vars(kind)) variables.push_back({v.bounds, "", std::nullopt});
  }
  std::vector<SymbolicExpr> results;
  for (SymbolicExpr e : map.results()) results.push_back(e.Substitute(dim));
  std::vector<Constraint> constraints;
  for (const Constraint& c : map.constraints()) {
    constraints.push_back({c.expr.Substitute(dim), c.bounds});
  }
  return IndexingMap(context, results, std::move(variables), {}, {}, constraints);
}

mlir::LogicalResult ApplyIndexingOp::verify() {
  IndexingMap map = getMap().getMap();
  size_t others = map.ranges().size() + map.runtime().size();
  size_t dims = getVariables().size() >= others ? getVariables().size() - others : 0;
  if (getNumResults() != map.results().size()) {
    return emitOpError("has ") << getNumResults() << " results, its map " << map.results().size();
  }
  return VerifyMap(*this, map, dims, map.ranges().size(), map.runtime().size());
}

mlir::LogicalResult ApplyIndexingOp::fold(FoldAdaptor adaptor,
                                          llvm::SmallVectorImpl<mlir::OpFoldResult>& results) {
  IndexingMap map = AsFunction(getMap().getMap());
  llvm::SmallVector<int64_t> constants;
  for (mlir::Attribute attribute : adaptor.getVariables()) {
    auto value = mlir::dyn_cast_or_null<mlir::IntegerAttr>(attribute);
    constants.push_back(value ? value.getInt() : 0);
  }
  auto known = [&](SymbolicExpr e) {
    bool all = true;
    e.Walk([&](SymbolicExpr part) {
      if (part.IsVariable()) all &= adaptor.getVariables()[part.value()] != nullptr;
    });
    return all;
  };
  llvm::SmallVector<mlir::OpFoldResult> folded;
  for (SymbolicExpr e : map.results()) {
    SymbolicExpr::Value value = known(e) ? e.Evaluate(constants) : SymbolicExpr::Value{};
    if (value.value) {
      folded.push_back(mlir::IntegerAttr::get(mlir::IndexType::get(getContext()), *value.value));
    } else if (e.IsVariable()) {
      folded.push_back(getVariables()[e.value()]);
    } else {
      return mlir::failure();
    }
  }
  results.assign(folded.begin(), folded.end());
  return mlir::success();
}

void ApplyIndexingOp::getCanonicalizationPatterns(mlir::RewritePatternSet& patterns,
                                                  mlir::MLIRContext* context) {
  patterns.add<SimplifyIndexing>(context);
}

mlir::ParseResult ApplyIndexingOp::parse(mlir::OpAsmParser& parser, mlir::OperationState& state) {
  using Delimiter = mlir::OpAsmParser::Delimiter;
  IndexingMapAttr map;
  llvm::SmallVector<mlir::OpAsmParser::UnresolvedOperand> operands;
  mlir::Type index = parser.getBuilder().getIndexType();
  if (parser.parseAttribute(map, "map", state.attributes) ||
      parser.parseOperandList(operands, Delimiter::Paren) ||
      parser.parseOperandList(operands, Delimiter::OptionalSquare) ||
      parser.parseOperandList(operands, Delimiter::OptionalBraces) ||
      parser.parseOptionalAttrDict(state.attributes) ||
      parser.resolveOperands(operands, index, state.operands)) {
    return mlir::failure();
  }
  state.types.append(map.getMap().results().size(), index);
  return mlir::success();
}

void ApplyIndexingOp::print(mlir::OpAsmPrinter& printer) {
  IndexingMap map = getMap().getMap();
  mlir::OperandRange variables = getVariables();
  size_t dims = map.dims().size(), ranges = map.ranges().size();
  printer << " " << getMap() << "(" << variables.take_front(dims) << ")";
  if (ranges > 0) printer << "[" << variables.slice(dims, ranges) << "]";
  if (!map.runtime().empty()) printer << "{" << variables.drop_front(dims + ranges) << "}";
  printer.printOptionalAttrDict((*this)->getAttrs(), {"map"});
}

}  // namespace affirm::ir
