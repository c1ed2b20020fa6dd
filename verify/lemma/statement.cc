#include "verify/lemma/statement.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::lemma {

namespace {

using hlo::PrimitiveType;
using terms::Kind;
using terms::Term;

// The operations of terms on values. Each gives one right result on every device: functions
// with unspecified rounding are not among them. An unsigned one stands behind the signed one.
struct Row {
  terms::Op of_terms;
  Op op;
};
constexpr Row kRows[] = {
    {terms::Op::kAbs, Op::kAbs},
    {terms::Op::kAdd, Op::kAdd},
    {terms::Op::kAnd, Op::kAnd},
    {terms::Op::kBitcast, Op::kBitcast},
    {terms::Op::kCeil, Op::kCeil},
    {terms::Op::kCompareEq, Op::kCompareEqual},
    {terms::Op::kCompareEqTotal, Op::kCompareEqualTotal},
    {terms::Op::kCompareLt, Op::kCompareLess},
    {terms::Op::kCompareLtTotal, Op::kCompareLessTotal},
    {terms::Op::kCompareLe, Op::kCompareLessOrEqual},
    {terms::Op::kCompareLeTotal, Op::kCompareLessOrEqualTotal},
    {terms::Op::kConvert, Op::kConvert},
    {terms::Op::kConvertUnsigned, Op::kConvert},
    {terms::Op::kConvertInRange, Op::kConvertInRange},
    {terms::Op::kConvertInRangeUnsigned, Op::kConvertInRange},
    {terms::Op::kCopysign, Op::kCopySign},
    {terms::Op::kCountLeadingZeros, Op::kCountLeadingZeros},
    {terms::Op::kDivide, Op::kDivide},
    {terms::Op::kDivideUnsigned, Op::kDivide},
    {terms::Op::kFloor, Op::kFloor},
    {terms::Op::kIsFinite, Op::kIsFinite},
    {terms::Op::kMaximum, Op::kMaximum},
    {terms::Op::kMaximumUnsigned, Op::kMaximum},
    {terms::Op::kMaximumNumber, Op::kMaximumNumber},
    {terms::Op::kMinimum, Op::kMinimum},
    {terms::Op::kMinimumUnsigned, Op::kMinimum},
    {terms::Op::kMinimumNumber, Op::kMinimumNumber},
    {terms::Op::kMultiply, Op::kMultiply},
    {terms::Op::kNegate, Op::kNegate},
    {terms::Op::kNot, Op::kNot},
    {terms::Op::kOr, Op::kOr},
    {terms::Op::kPopcnt, Op::kPopulationCount},
    {terms::Op::kRemainder, Op::kRemainder},
    {terms::Op::kRemainderUnsigned, Op::kRemainder},
    {terms::Op::kRoundNearestAfz, Op::kRoundAwayFromZero},
    {terms::Op::kRoundNearestEven, Op::kRoundToEven},
    {terms::Op::kShiftLeft, Op::kShiftLeft},
    {terms::Op::kShiftRightArithmetic, Op::kShiftRightArithmetic},
    {terms::Op::kShiftRightLogical, Op::kShiftRightLogical},
    {terms::Op::kSign, Op::kSign},
    {terms::Op::kSqrt, Op::kSqrt},
    {terms::Op::kSubtract, Op::kSubtract},
    {terms::Op::kTruncate, Op::kTruncate},
    {terms::Op::kXor, Op::kXor},
};

// The node of an operation: op, sign and number. nullopt for operations without an op.
std::optional<Node> NodeOfOperation(Term term) {
  Node node{.op = Op::kReducePrecision, .type = term->type};
  node.is_unsigned = terms::IsUnsigned(term->op());
  if (term->op() == terms::Op::kReducePrecision) {
    const int exponent_bits = term->operation.exponent_bits(),
              mantissa_bits = term->operation.mantissa_bits();
    if (exponent_bits < 1 || exponent_bits > 255 || mantissa_bits < 0 || mantissa_bits > 255)
      return std::nullopt;
    node.number = Int128{256} * exponent_bits + mantissa_bits;
    return node;
  }
  const auto* found =
      llvm::find_if(kRows, [&](const Row& row) { return row.of_terms == term->op(); });
  if (found == std::end(kRows)) return std::nullopt;
  node.op = found->op;
  return node;
}

// The node of a term, without operands. nullopt where there is no op.
std::optional<Node> NodeOf(Term term) {
  Node node{.op = Op::kSum, .number = term->number};
  if (term->sort() == terms::Sort::kValue) node.type = term->type;
  auto with = [&](Op op) {
    node.op = op;
    return node;
  };
  switch (term->kind) {
    case Kind::kSum:
      for (const terms::Monomial& m : term->sum) node.coefficients.push_back(m.coefficient);
      return node;
    case Kind::kQuotient:
      return with(Op::kQuotient);
    case Kind::kMax:
      return with(Op::kMax);
    case Kind::kProduct:
      return with(Op::kProduct);
    case Kind::kPick:
      return with(Op::kPick);
    case Kind::kInteger:
      return with(Op::kInteger);
    case Kind::kTrue:
      node.number = 1;
      return with(Op::kConstant);
    case Kind::kFalse:
      node.number = 0;
      return with(Op::kConstant);
    case Kind::kAtLeastZero:
      return with(Op::kAtLeastZero);
    case Kind::kIsZero:
      return with(Op::kIsZero);
    case Kind::kNot:
      return with(Op::kNotCondition);
    case Kind::kAnd:
      return with(Op::kAll);
    case Kind::kHolds:
      return with(Op::kHolds);
    case Kind::kLiteral:
      return with(Op::kLiteral);
    case Kind::kOfInteger:
      return with(Op::kOfInteger);
    case Kind::kOfCondition:
      return with(Op::kOfCondition);
    case Kind::kSelect:
      return with(Op::kSelect);
    case Kind::kApply:
      return NodeOfOperation(term);
    default:
      return std::nullopt;
  }
}

std::vector<Term> OperandsOf(Term term) {
  std::vector<Term> operands(term->args.begin(), term->args.end());
  for (const terms::Monomial& m : term->sum) operands.push_back(m.atom);
  return operands;
}

class Builder {
 public:
  Builder(Generality generality, llvm::function_ref<bool(Term, Term)> same_element)
      : generality_(generality), same_element_(same_element) {}

  std::optional<Statement> Build(Term left, Term right) {
    if (!FindCommon(left, right)) return std::nullopt;
    roots_ = {left, right};
    if (!Add(left) || !Add(right)) return std::nullopt;
    statement_.left = place_.lookup(left);
    statement_.right = place_.lookup(right);
    if (statement_.left == statement_.right || statement_.leaves.empty()) return std::nullopt;
    return std::move(statement_);
  }

 private:
  // Fills common_ with the values that are parts of both. False where one of the terms is too large
  // or has parts of which nothing is known: no two of these are equal, not even to themselves.
  bool FindCommon(Term left, Term right) {
    constexpr size_t kMostParts = 4000;
    llvm::DenseSet<Term> of_left;
    size_t parts = 0;
    bool refused = false;
    auto walk = [&](Term root, llvm::function_ref<void(Term)> see) {
      terms::ForEachPart(root, [&](Term term) {
        refused |=
            term->kind == Kind::kArbitrary || term->kind == Kind::kUnknown || ++parts > kMostParts;
        if (refused) return terms::Visit::kStop;
        see(term);
        // The position of an element does not determine its value.
        return term->kind == Kind::kLoad ? terms::Visit::kPast : terms::Visit::kInto;
      });
    };
    walk(left, [&](Term term) { of_left.insert(term); });
    walk(right, [&](Term term) {
      if (term->sort() == terms::Sort::kValue && of_left.contains(term)) common_.insert(term);
    });
    return !refused;
  }

  bool IsLeaf(Term term) const {
    if (term->sort() != terms::Sort::kValue || hlo::IsComplex(term->type)) return false;
    if (term->kind == Kind::kLoad) return true;
    if (!common_.contains(term) || term->kind == Kind::kLiteral ||
        llvm::is_contained(roots_, term)) {
      return false;
    }
    return generality_ == Generality::kOfCommonValues ? term->leaves != 0 : !NodeOf(term);
  }

  bool AddLeaf(Term term) {
    std::vector<Leaf>& leaves = statement_.leaves;
    for (size_t k = 0; k < leaves.size(); ++k) {
      const Term other = statement_.leaf_terms[k];
      const bool loads = other->kind == Kind::kLoad && term->kind == Kind::kLoad;
      if (!loads || other->type != term->type || !same_element_(other, term)) continue;
      place_[term] = place_.lookup(other);
      return true;
    }
    const auto integer_width = static_cast<int>(terms::IntegerWidth(term->type));
    const int width = integer_width > 0 ? integer_width : hlo::BitWidth(term->type);
    if (width == 0 || statement_.bits + width > kMostBits) return false;
    place_[term] = static_cast<uint32_t>(statement_.nodes.size());
    statement_.nodes.push_back(
        {.op = Op::kLeaf, .type = term->type, .number = Int128(leaves.size())});
    leaves.push_back({term->type, statement_.bits, width});
    statement_.leaf_terms.push_back(term);
    statement_.bits += width;
    return true;
  }

  bool AddNode(Term term) {
    std::optional<Node> node = NodeOf(term);
    if (!node || hlo::IsComplex(node->type)) return false;
    for (Term operand : OperandsOf(term)) node->args.push_back(place_.lookup(operand));
    place_[term] = static_cast<uint32_t>(statement_.nodes.size());
    statement_.nodes.push_back(std::move(*node));
    return true;
  }

  bool Add(Term root) {
    struct Visit {
      Term term;
      bool operands_done;
    };
    std::vector<Visit> stack = {{root, false}};
    while (!stack.empty()) {
      const auto [term, done] = stack.back();
      stack.pop_back();
      if (place_.contains(term)) continue;
      if (statement_.nodes.size() > kMostNodes) return false;
      if (IsLeaf(term)) {
        if (!AddLeaf(term)) return false;
      } else if (done) {
        if (!AddNode(term)) return false;
      } else {
        if (!NodeOf(term)) return false;
        stack.push_back({term, true});
        const std::vector<Term> operands = OperandsOf(term);
        for (Term operand : llvm::reverse(operands)) stack.push_back({operand, false});
      }
    }
    return true;
  }

  Generality generality_;
  llvm::function_ref<bool(Term, Term)> same_element_;
  Statement statement_;
  std::vector<Term> roots_;
  llvm::DenseSet<Term> common_;
  llvm::DenseMap<Term, uint32_t> place_;
};

llvm::StringRef NameOfForm(Op op) {
  switch (op) {
    case Op::kLeaf:
      return "leaf";
    case Op::kLiteral:
      return "literal";
    case Op::kConstant:
      return "constant";
    case Op::kSum:
      return "sum";
    case Op::kQuotient:
      return "quotient";
    case Op::kMax:
      return "max";
    case Op::kProduct:
      return "product";
    case Op::kPick:
      return "pick";
    case Op::kInteger:
      return "integer";
    case Op::kAtLeastZero:
      return "at-least-zero";
    case Op::kIsZero:
      return "is-zero";
    case Op::kNotCondition:
      return "not-condition";
    case Op::kAll:
      return "all";
    case Op::kHolds:
      return "holds";
    case Op::kOfInteger:
      return "of-integer";
    case Op::kOfCondition:
      return "of-condition";
    case Op::kSelect:
      return "select";
    case Op::kReducePrecision:
      return "reduce-precision";
    default:
      return "";
  }
}

}  // namespace

llvm::StringRef Name(Op op) {
  for (const Row& row : kRows) {
    if (row.op == op) return terms::Name(row.of_terms);
  }
  return NameOfForm(op);
}

std::string Statement::Text() const {
  std::string text;
  for (const auto& [k, leaf] : llvm::enumerate(leaves))
    text += "x" + std::to_string(k) + " " + hlo::Name(leaf.type).str() + "\n";
  for (const auto& [k, node] : llvm::enumerate(nodes)) {
    text += std::to_string(k) + " " + Name(node.op).str();
    if (node.is_unsigned) text += "-unsigned";
    if (node.type != PrimitiveType::kInvalid) text += " " + hlo::Name(node.type).str();
    if (node.op == Op::kLeaf) {
      text += " x" + terms::ToString(node.number) + "\n";
      continue;
    }
    if (node.number != 0) text += " #" + terms::ToString(node.number);
    for (size_t i = 0; i < node.args.size(); ++i) {
      text += " ";
      if (!node.coefficients.empty()) text += terms::ToString(node.coefficients[i]) + "*";
      text += std::to_string(node.args[i]);
    }
    text += "\n";
  }
  return text + std::to_string(left) + " = " + std::to_string(right) + "\n";
}

std::optional<Statement> MakeStatement(Term left, Term right, Generality generality,
                                       llvm::function_ref<bool(Term, Term)> same_element) {
  if (left->sort() != terms::Sort::kValue || right->sort() != terms::Sort::kValue ||
      left->type != right->type || hlo::IsComplex(left->type)) {
    return std::nullopt;
  }
  return Builder(generality, same_element).Build(left, right);
}

}  // namespace affirm::lemma
