// The interpreter's values with the enclosure of each element beside it.
#include "verify/enclosure/enclose.h"

#include <memory>
#include <utility>

#include "core/hlo/attribute_values.h"
#include "core/hlo/dynamic_sizes.h"
#include "core/hlo/leaves.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/enclosure/evaluation.h"
#include "verify/enclosure/folds.h"
#include "verify/enclosure/kinds.h"
#include "verify/enclosure/preconditions.h"
#include "verify/enclosure/rules.h"
#include "verify/enclosure/sizes.h"
#include "verify/reference/control.h"
#include "verify/reference/ops.h"

namespace affirm::enclosure {

using hlo::Instruction;
using hlo::Literal;
using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::ScalarKind;
using hlo::ScalarKindOf;

namespace {

// Beyond this many elements read, or computed, the work is refused; and beyond so many that are
// kept at a time, each of which takes 64 bytes.
constexpr int64_t kMostReads = int64_t{1} << 26;
constexpr int64_t kMostElements = int64_t{1} << 26;
constexpr int64_t kMostKept = int64_t{1} << 24;
constexpr const char* kTooMuch = "takes too many steps to enclose";

int64_t CountEnclosures(const EnclosedValue& value) {
  int64_t count = 0;
  for (const LeafEnclosures& leaf : value.leaves) count += std::ssize(leaf);
  return count;
}

bool HasFloats(const hlo::Shape& shape) {
  return llvm::any_of(hlo::LeafShapes(shape), [](const hlo::Shape* leaf) {
    return leaf->IsArray() && ScalarKindOf(leaf->type) != ScalarKind::kInt;
  });
}

llvm::SmallVector<const Literal*> LiteralsOf(EnclosedOperands operands) {
  llvm::SmallVector<const Literal*> literals;
  for (const EnclosedValue* operand : operands) literals.push_back(&operand->value);
  return literals;
}

// Comparisons of floats, in which subnormal numbers may be taken for zero.
bool ComparesFloats(const Instruction& op) {
  return op.opcode == Opcode::kCompare &&
         ScalarKindOf(op.operands[0]->shape.type) == ScalarKind::kFloat;
}

// A reduction of integers that has one value whatever its order.
bool IsAnyOrderReduction(const Instruction& op) {
  const int64_t arity = std::ssize(op.operands) / 2;
  if (op.called.size() != 1) return false;
  for (int64_t leaf = 0; leaf < arity; ++leaf) {
    if (FoldStepOf(*op.called[0], arity, leaf).operation == nullptr) return false;
  }
  return true;
}

bool HaveSameDims(const Literal& a, const Literal& b) {
  return llvm::all_of(llvm::zip_equal(LeavesOf(a), LeavesOf(b)), [](const auto& pair) {
    const auto& [x, y] = pair;
    return !x->shape().IsArray() || x->shape().dims == y->shape().dims;
  });
}

class Walk {
 public:
  explicit Walk(Freedom freedom) : freedom_(freedom) {}

  llvm::Expected<EnclosedValue> Run(const hlo::Computation& computation,
                                    EnclosedOperands arguments) {
    llvm::DenseMap<const Instruction*, std::unique_ptr<EnclosedValue>> values;
    llvm::DenseMap<const Instruction*, size_t> users_left;
    auto value_of = [&](const Instruction* op) -> const EnclosedValue* {
      return op->opcode == Opcode::kParameter ? arguments[op->parameter_number] : values[op].get();
    };
    const int64_t kept_before = kept_;
    for (const auto& op : computation.instructions) {
      if (op->opcode == Opcode::kParameter) continue;
      llvm::SmallVector<const EnclosedValue*> operands;
      for (const Instruction* operand : op->operands) operands.push_back(value_of(operand));
      auto value = Evaluate(*op, operands);
      if (!value) return value.takeError();
      NoteWidth(*op, *value);
      kept_ += CountEnclosures(*value);
      values[op.get()] = std::make_unique<EnclosedValue>(std::move(*value));
      users_left[op.get()] = op->users.size();
      llvm::SmallDenseSet<const Instruction*> seen;
      for (const Instruction* operand : op->operands) {
        if (operand == computation.root || !seen.insert(operand).second) continue;
        const auto left = users_left.find(operand);
        if (left == users_left.end() || --left->second > 0) continue;
        kept_ -= CountEnclosures(*values[operand]);
        values.erase(operand);
      }
    }
    kept_ = kept_before;
    return *value_of(computation.root);
  }

  const std::string& widened_by() const { return widened_by_; }
  const std::string& not_known() const { return not_known_; }
  bool has_only_open_orders() const { return has_only_open_orders_; }
  llvm::MapVector<const Instruction*, Enclosure> TakeSizes() {
    sizes_.remove_if([](const auto& each) { return IsPoint(kSizeType, each.second); });
    return std::move(sizes_);
  }
  const Instruction* may_break() const { return may_break_; }

 private:
  llvm::Expected<EnclosedValue> Evaluate(const Instruction& op, EnclosedOperands operands) {
    if (may_break_ == nullptr && MayBreak(op, operands, may_not_run_, FollowsCalls(op)))
      may_break_ = &op;
    switch (op.opcode) {
      case Opcode::kCall:
      case Opcode::kFusion:
        if (FollowsCalls(op)) return Run(*op.called[0], operands);
        break;
      case Opcode::kConditional:
        return OfBranches(op, operands);
      case Opcode::kWhile:
        return OfLoop(op, *operands[0]);
      case Opcode::kAsyncStart:
        if (FollowsCalls(op)) return OfAsyncStart(op, operands);
        break;
      case Opcode::kScan:
        if (!AreExact(operands) || HasFloats(op.shape)) return OfScan(op, operands);
        break;
      default:
        break;
    }
    // Sizes that are known at run time decide what is read.
    const Kind kind = hlo::UsesDynamicSizes(op) ? Kind::kGiven : KindOf(op);
    const bool is_open_fold = kind == Kind::kReduction && !IsAnyOrderReduction(op);
    const bool is_known = AreExact(operands) && !is_open_fold &&
                          (IsExactOfExact(kind) || (!HasFloats(op.shape) && !ComparesFloats(op)));
    const bool follows = !is_known && Follows(kind);
    reads_.clear();
    bool too_many = false;
    const hlo::ReadObserver observer = [&](const Instruction&, int64_t leaf, int64_t linear,
                                           int64_t operand, int64_t from_leaf, int64_t from) {
      too_many = too_many || ++total_reads_ > kMostReads;
      if (!too_many) reads_.push_back({leaf, linear, operand, from_leaf, from});
    };
    auto value = hlo::InterpretInstruction(op, LiteralsOf(operands), follows ? &observer : nullptr);
    if (!value) return value.takeError();
    if (too_many) return hlo::Fail(op, kTooMuch);
    if (llvm::Error error = NoteSizes(op, operands, *value)) return error;
    EnclosedValue result{std::move(*value), {}};
    result.leaves.resize(hlo::NumLeaves(op.shape));
    if (is_known) return result;
    int64_t elements = 0;
    for (const Literal* leaf : LeavesOf(result.value)) elements += CountOf(*leaf);
    total_elements_ += elements;
    if (kept_ + elements > kMostKept || total_elements_ > kMostElements)
      return hlo::Fail(op, kTooMuch);
    Evaluation evaluation{op, operands, reads_, freedom_, result};
    if (llvm::Error error = Fill(kind, evaluation)) return error;
    NoteUnknown(evaluation);
    Simplify(result);
    return result;
  }

  static llvm::Error Fill(Kind kind, Evaluation& of) {
    switch (kind) {
      case Kind::kElementwise:
        return EncloseElements(of);
      case Kind::kMap:
        return EncloseMap(of);
      case Kind::kMovement:
        EncloseMovement(of);
        break;
      case Kind::kReduction:
        return EncloseReduction(of);
      case Kind::kProducts:
        EncloseProducts(of);
        break;
      case Kind::kScatter:
        return EncloseScatter(of);
      case Kind::kSelectAndScatter:
        return EncloseSelectAndScatter(of);
      case Kind::kSort:
        return EncloseSort(of);
      case Kind::kTopK:
        EncloseTopK(of);
        break;
      case Kind::kNormalization:
        OfNormalization(of);
        break;
      case Kind::kFft:
        EncloseFft(of);
        break;
      case Kind::kCholesky:
        EncloseCholesky(of);
        break;
      case Kind::kTriangularSolve:
        EncloseTriangularSolve(of);
        break;
      case Kind::kGiven:
      case Kind::kOther:
        of.MakeWhole();
        break;
    }
    return llvm::Error::success();
  }

  static void OfNormalization(Evaluation& of) {
    if (of.op.opcode == Opcode::kBatchNormGrad) return EncloseBatchNormGrad(of);
    if (of.op.opcode == Opcode::kBatchNormTraining) return EncloseBatchNormTraining(of);
    EncloseBatchNormInference(of);
  }

  // Leaves of points that are the interpreter's values need no enclosures.
  static void Simplify(EnclosedValue& result) {
    for (auto [leaf, enclosures] : llvm::zip(LeavesOf(result.value), result.leaves)) {
      const PrimitiveType type = leaf->shape().type;
      bool is_exact = true;
      for (int64_t i = 0; i < std::ssize(enclosures) && is_exact; ++i) {
        is_exact =
            IsPoint(type, enclosures[i]) && Contains(type, enclosures[i], hlo::Load(*leaf, i));
      }
      if (is_exact) enclosures.clear();
    }
  }

  // An array without elements has no enclosures that could tell of others.
  llvm::Error NoteSize(const Instruction& op, const Enclosure& size, const Literal& value) {
    for (const Literal* leaf : LeavesOf(value)) {
      if (!IsPoint(kSizeType, size) && leaf->shape().IsArray() && leaf->NumElements() == 0)
        return hlo::Fail(op, "may have another size, and elements");
    }
    const auto [known, is_new] = sizes_.try_emplace(&op, size);
    if (!is_new) known->second = Hull(kSizeType, known->second, size);
    return llvm::Error::success();
  }

  llvm::Error NoteSizes(const Instruction& op, EnclosedOperands operands, const Literal& value) {
    if (op.opcode == Opcode::kSetDimensionSize) return NoteSize(op, operands[1]->At(0, 0), value);
    if (op.opcode == Opcode::kDynamicReshape && !AreExact(operands.drop_front()))
      return NoteSize(op, Enclosure::Whole(kSizeType), value);
    return llvm::Error::success();
  }

  void NoteUnknown(const Evaluation& of) {
    if (!of.is_known && !of.is_order_open) has_only_open_orders_ = false;
    if (!of.is_known && not_known_.empty())
      not_known_ = (hlo::Name(of.op.opcode) + llvm::Twine(" ") + of.op.name).str();
  }

  // An operation inside of a callee is noted before its caller.
  void NoteWidth(const Instruction& op, const EnclosedValue& value) {
    if (!widened_by_.empty() || IsExact(value)) return;
    for (auto [leaf, enclosures] : llvm::zip(LeavesOf(value.value), value.leaves)) {
      const PrimitiveType type = leaf->shape().type;
      for (const Enclosure& each : enclosures) {
        if (!(RelativeWidth(type, each) > kWide)) continue;
        widened_by_ = (hlo::Name(op.opcode) + llvm::Twine(" ") + op.name).str();
        return;
      }
    }
  }

  // Control ---------------------------------------------------------------------------------------

  llvm::Expected<EnclosedValue> OfAsyncStart(const Instruction& op, EnclosedOperands operands) {
    auto made = Run(*op.called[0], operands);
    if (!made) return made;
    const auto literals = LiteralsOf(operands);
    auto value = hlo::AsyncStartValue({op, literals, nullptr, nullptr}, std::move(made->value));
    if (!value) return value.takeError();
    EnclosedValue result{std::move(*value), {}};
    for (const EnclosedValue* operand : operands)
      llvm::append_range(result.leaves, operand->leaves);
    llvm::append_range(result.leaves, made->leaves);
    result.leaves.resize(hlo::NumLeaves(op.shape));
    return result;
  }

  llvm::Expected<EnclosedValue> OfBranches(const Instruction& op, EnclosedOperands operands) {
    const auto literals = LiteralsOf(operands);
    auto branch = hlo::ChooseBranch({op, literals, nullptr, nullptr});
    if (!branch) return branch.takeError();
    auto result = Run(*branch->callee, operands[branch->operand]);
    if (!result || IsExact(*operands[0])) return result;
    // Any branch that the selector allows may be taken.
    for (auto [k, callee] : llvm::enumerate(op.called)) {
      if (callee == branch->callee || !MayTake(op, operands[0]->At(0, 0), k)) continue;
      const bool did_not_run = std::exchange(may_not_run_, true);
      auto other = Run(*callee, operands[k + 1]);
      may_not_run_ = did_not_run;
      if (!other) return other;
      if (HaveSameDims(result->value, other->value)) {
        result = Hull(std::move(*result), *other);
        continue;
      }
      // Sizes that are known at run time only: the selector decides them.
      if (llvm::Error error = NoteSize(op, Enclosure::Whole(kSizeType), result->value))
        return error;
      Evaluation evaluation{op, operands, {}, freedom_, *result};
      evaluation.MakeWhole();
      NoteUnknown(evaluation);
      break;
    }
    return result;
  }

  // A selector out of range takes the last branch; a predicate the first one where it holds ("XLA
  // operation semantics", Conditional).
  static bool MayTake(const Instruction& op, const Enclosure& selector, size_t branch) {
    if (op.operands[0]->shape.type == PrimitiveType::kPred)
      return branch == 0 ? selector.hi == 1 : selector.lo == 0;
    const auto number = static_cast<int64_t>(branch), last = std::ssize(op.called) - 1;
    if (number == last && (selector.lo < 0 || selector.hi > last)) return true;
    return selector.lo <= number && number <= selector.hi;
  }

  llvm::Expected<EnclosedValue> OfLoop(const Instruction& op, EnclosedValue state) {
    auto condition = hlo::Callee(op, "condition");
    if (!condition) return condition.takeError();
    auto body = hlo::Callee(op, "body");
    if (!body) return body.takeError();
    for (int64_t trip = 0; trip < hlo::kMaxTrips; ++trip) {
      auto again = Run(**condition, &state);
      if (!again) return again;
      if (!IsExact(*again)) return hlo::Fail(op, "may end after another number of trips");
      if (again->value.GetInt(0) == 0) return state;
      auto next = Run(**body, &state);
      if (!next) return next;
      state = std::move(*next);
    }
    return hlo::Fail(op, "ran for more than " + llvm::Twine(hlo::kMaxTrips) + " trips");
  }

  // Once for each position, in order.
  llvm::Expected<EnclosedValue> OfScan(const Instruction& op, EnclosedOperands operands) {
    auto callee = hlo::Callee(op, "to_apply");
    if (!callee) return callee.takeError();
    // Checks the shapes.
    auto value = hlo::InterpretInstruction(op, LiteralsOf(operands));
    if (!value) return value.takeError();
    EnclosedValue result{std::move(*value), {}};
    result.leaves.resize(hlo::NumLeaves(op.shape));
    if (hlo::BoolAttribute(op.attributes, "is_associative").value_or(false)) {
      // Taken as a tree, of which nothing is known.
      Evaluation evaluation{op, operands, {}, freedom_, result};
      evaluation.MakeWhole();
      NoteUnknown(evaluation);
      return result;
    }
    const std::vector<const Literal*> leaves = LeavesOf(result.value);
    result.leaves.clear();
    for (const Literal* leaf : leaves) result.leaves.emplace_back(CountOf(*leaf));
    const int64_t dimension = op.attributes.dimensions[0], carries = op.attributes.num_carries;
    const int64_t inputs = std::ssize(operands) - carries;
    const int64_t outputs = std::ssize(leaves) - carries;
    const int64_t trips = operands[0]->value.shape().dims[dimension];
    std::vector<EnclosedValue> carried;
    for (const EnclosedValue* operand : operands.drop_front(inputs)) carried.push_back(*operand);
    for (int64_t trip = 0; trip < trips; ++trip) {
      const int64_t position = op.attributes.is_reverse ? trips - 1 - trip : trip;
      std::vector<EnclosedValue> arguments;
      for (const EnclosedValue* operand : operands.take_front(inputs))
        arguments.push_back(SliceOf(*operand, dimension, position));
      llvm::append_range(arguments, carried);
      llvm::SmallVector<const EnclosedValue*> pointers;
      for (const EnclosedValue& argument : arguments) pointers.push_back(&argument);
      auto step = Run(**callee, pointers);
      if (!step) return step;
      for (int64_t k = 0; k < outputs; ++k) {
        const std::vector<int64_t> to = SlicePositions(leaves[k]->shape(), dimension, position);
        for (auto [i, linear] : llvm::enumerate(to)) result.leaves[k][linear] = step->At(k, i);
      }
      for (int64_t k = 0; k < carries; ++k)
        carried[k] = {step->value.tuple()[outputs + k], {step->leaves[outputs + k]}};
    }
    for (int64_t k = 0; k < carries; ++k) {
      for (int64_t i = 0; i < CountOf(*leaves[outputs + k]); ++i)
        result.leaves[outputs + k][i] = carried[k].At(0, i);
    }
    Simplify(result);
    return result;
  }

  std::vector<Read> reads_;  // of the operation under evaluation
  int64_t total_reads_ = 0, total_elements_ = 0, kept_ = 0;
  Freedom freedom_;
  std::string widened_by_, not_known_;
  const Instruction* may_break_ = nullptr;
  bool may_not_run_ = false;  // roundings decide whether the computation runs
  llvm::MapVector<const Instruction*, Enclosure> sizes_;
  bool has_only_open_orders_ = true;
};

}  // namespace

Enclosure EnclosedValue::At(size_t leaf, int64_t linear) const {
  if (!leaves[leaf].empty()) return leaves[leaf][linear];
  const Literal& of = value.shape().IsTuple() ? *LeavesOf(value)[leaf] : value;
  return Enclosure::Of(of.shape().type, hlo::Load(of, linear));
}

llvm::Expected<Enclosures> Enclose(const hlo::Computation& computation,
                                   llvm::ArrayRef<Literal> arguments, Freedom freedom) {
  std::vector<EnclosedValue> given;
  given.reserve(arguments.size());
  for (const Literal& argument : arguments)
    given.push_back({argument, std::vector<LeafEnclosures>(LeavesOf(argument).size())});
  std::vector<const EnclosedValue*> pointers;
  pointers.reserve(given.size());
  for (const EnclosedValue& argument : given) pointers.push_back(&argument);
  Walk walk(freedom);
  auto result = walk.Run(computation, pointers);
  if (!result) return result.takeError();
  return Enclosures{std::move(*result),          walk.widened_by(), walk.not_known(),
                    walk.has_only_open_orders(), walk.TakeSizes(),  walk.may_break()};
}

}  // namespace affirm::enclosure
