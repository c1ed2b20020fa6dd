// The interpreter's values with the enclosure of each element beside it.
#include "verify/enclosure/enclose.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include "core/hlo/dynamic_sizes.h"
#include "core/hlo/leaves.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/enclosure/elementwise.h"
#include "verify/enclosure/folds.h"
#include "verify/reference/control.h"
#include "verify/reference/ops.h"
#include "verify/reference/scalar_function.h"

namespace affirm::enclosure {

using hlo::Instruction;
using hlo::Literal;
using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::ScalarKind;
using hlo::ScalarKindOf;

namespace {

using LeafEnclosures = std::vector<Enclosure>;
using Operands = llvm::ArrayRef<const EnclosedValue*>;

// Beyond this many elements read the work is refused.
constexpr int64_t kMostReads = int64_t{1} << 26;

void AddLeaves(const Literal& value, std::vector<const Literal*>& leaves) {
  if (!value.shape().IsTuple()) return leaves.push_back(&value);
  for (const Literal& element : value.tuple()) AddLeaves(element, leaves);
}
std::vector<const Literal*> LeavesOf(const Literal& value) {
  std::vector<const Literal*> leaves;
  AddLeaves(value, leaves);
  return leaves;
}
int64_t CountOf(const Literal& leaf) { return leaf.shape().IsArray() ? leaf.NumElements() : 0; }

bool IsExact(const EnclosedValue& value) {
  return llvm::all_of(value.leaves, [](const LeafEnclosures& leaf) { return leaf.empty(); });
}
bool AreExact(Operands operands) {
  return llvm::all_of(operands, [](const EnclosedValue* operand) { return IsExact(*operand); });
}
bool HasFloats(const hlo::Shape& shape) {
  return llvm::any_of(hlo::LeafShapes(shape), [](const hlo::Shape* leaf) {
    return leaf->IsArray() && ScalarKindOf(leaf->type) != ScalarKind::kInt;
  });
}

llvm::SmallVector<const Literal*> LiteralsOf(Operands operands) {
  llvm::SmallVector<const Literal*> literals;
  for (const EnclosedValue* operand : operands) literals.push_back(&operand->value);
  return literals;
}

// What a library does by an algorithm of its own: a loop says what it gives, not how it rounds.
bool IsLibraryAlgorithm(const Instruction& call) {
  const std::string* notes = call.attributes.FindExtra("frontend_attributes");
  return notes != nullptr && llvm::StringRef(*notes).contains("custom_call_target=") &&
         llvm::any_of(call.called[0]->instructions,
                      [](const auto& op) { return op->opcode == Opcode::kWhile; });
}

// Where subnormal numbers may be taken for zero.
bool ComparesFloats(const Instruction& op) {
  return op.opcode == Opcode::kCompare &&
         ScalarKindOf(op.operands[0]->shape.type) == ScalarKind::kFloat;
}

// How an operation has its elements from its operands.
enum class Kind : uint8_t {
  kOther,        // by rules that are not known here
  kGiven,        // no float is computed: exact of exact operands
  kElementwise,  //
  kMovement,     // each is an element of an operand
  kReduction,
  kProducts,  // dot, convolution
  kScatter,
  kSort,
};

Kind KindOf(const Instruction& op) {
  switch (op.opcode) {
    case Opcode::kAddDependency:
    case Opcode::kAfterAll:
    case Opcode::kAllGather:
    case Opcode::kAllToAll:
    case Opcode::kAsyncDone:
    case Opcode::kAsyncUpdate:
    case Opcode::kBitcast:
    case Opcode::kBroadcast:
    case Opcode::kCollectiveBroadcast:
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteDone:
    case Opcode::kConcatenate:
    case Opcode::kCopyDone:
    case Opcode::kCopyStart:
    case Opcode::kDomain:
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kGather:
    case Opcode::kGetTupleElement:
    case Opcode::kOptimizationBarrier:
    case Opcode::kPad:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kTranspose:
    case Opcode::kTuple:
      return Kind::kMovement;
    case Opcode::kBitcastConvert:
    case Opcode::kConstant:
    case Opcode::kGetDimensionSize:
    case Opcode::kIota:
    case Opcode::kPartitionId:
    case Opcode::kReplicaId:
    case Opcode::kRngBitGenerator:
    case Opcode::kSetDimensionSize:
    case Opcode::kTopk:
      return Kind::kGiven;
    case Opcode::kConvolution:
    case Opcode::kDot:
      return Kind::kProducts;
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
      return Kind::kReduction;
    case Opcode::kScatter:
      return Kind::kScatter;
    case Opcode::kSort:
      return Kind::kSort;
    case Opcode::kCopy:
      return op.shape.IsArray() ? Kind::kElementwise : Kind::kMovement;
    default:
      return hlo::IsElementwise(op.opcode) ? Kind::kElementwise : Kind::kOther;
  }
}

// The operands of a movement whose elements are moved; the others say where.
bool IsMoved(const Instruction& op, int64_t operand) {
  switch (op.opcode) {
    case Opcode::kDynamicSlice:
    case Opcode::kGather:
      return operand == 0;
    case Opcode::kDynamicUpdateSlice:
      return operand <= 1;
    default:
      return true;
  }
}

// A read that the interpreter reports.
struct Read {
  int64_t leaf, linear, operand, from_leaf, from;
};

class Walk {
 public:
  explicit Walk(Freedom freedom) : freedom_(freedom) {}

  llvm::Expected<EnclosedValue> Run(const hlo::Computation& computation, Operands arguments) {
    llvm::DenseMap<const Instruction*, std::unique_ptr<EnclosedValue>> values;
    llvm::DenseMap<const Instruction*, size_t> users_left;
    auto value_of = [&](const Instruction* op) -> const EnclosedValue* {
      return op->opcode == Opcode::kParameter ? arguments[op->parameter_number] : values[op].get();
    };
    for (const auto& op : computation.instructions) {
      if (op->opcode == Opcode::kParameter) continue;
      llvm::SmallVector<const EnclosedValue*> operands;
      for (const Instruction* operand : op->operands) operands.push_back(value_of(operand));
      auto value = Evaluate(*op, operands);
      if (!value) return value.takeError();
      NoteWidth(*op, *value);
      values[op.get()] = std::make_unique<EnclosedValue>(std::move(*value));
      users_left[op.get()] = op->users.size();
      llvm::SmallDenseSet<const Instruction*> seen;
      for (const Instruction* operand : op->operands) {
        if (operand == computation.root || !seen.insert(operand).second) continue;
        const auto left = users_left.find(operand);
        if (left != users_left.end() && --left->second == 0) values.erase(operand);
      }
    }
    return *value_of(computation.root);
  }

  const std::string& widened_by() const { return widened_by_; }
  const std::string& not_known() const { return not_known_; }

 private:
  llvm::Expected<EnclosedValue> Evaluate(const Instruction& op, Operands operands) {
    switch (op.opcode) {
      case Opcode::kCall:
      case Opcode::kFusion:
        if (op.called.size() == 1 && !IsLibraryAlgorithm(op)) return Run(*op.called[0], operands);
        break;
      case Opcode::kConditional:
        return OfBranches(op, operands);
      case Opcode::kWhile:
        return OfLoop(op, *operands[0]);
      case Opcode::kAsyncStart:
        if (op.called.size() == 1) return OfAsyncStart(op, operands);
        break;
      default:
        break;
    }
    // Sizes that are known at run time decide what is read.
    const Kind kind = hlo::UsesDynamicSizes(op) ? Kind::kGiven : KindOf(op);
    const bool is_known = AreExact(operands) &&
                          (kind == Kind::kGiven || kind == Kind::kMovement || kind == Kind::kSort ||
                           (!HasFloats(op.shape) && !ComparesFloats(op)));
    const bool follows = !is_known && kind != Kind::kGiven && kind != Kind::kOther &&
                         kind != Kind::kElementwise && kind != Kind::kSort;
    reads_.clear();
    bool too_many = false;
    const hlo::ReadObserver observer = [&](const Instruction&, int64_t leaf, int64_t linear,
                                           int64_t operand, int64_t from_leaf, int64_t from) {
      too_many = too_many || ++total_reads_ > kMostReads;
      if (!too_many) reads_.push_back({leaf, linear, operand, from_leaf, from});
    };
    auto value = hlo::InterpretInstruction(op, LiteralsOf(operands), follows ? &observer : nullptr);
    if (!value) return value.takeError();
    if (too_many) return hlo::Fail(op, "takes too many steps to enclose");
    EnclosedValue result{std::move(*value), {}};
    result.leaves.resize(hlo::NumLeaves(op.shape));
    if (is_known) return result;
    if (llvm::Error error = Fill(op, kind, operands, result)) return error;
    Simplify(result);
    return result;
  }

  llvm::Error Fill(const Instruction& op, Kind kind, Operands operands, EnclosedValue& result) {
    switch (kind) {
      case Kind::kElementwise:
        return OfElements(op, operands, result);
      case Kind::kMovement:
        OfMovement(op, operands, result);
        break;
      case Kind::kReduction:
        return OfReduction(op, operands, result);
      case Kind::kProducts:
        OfProducts(op, operands, result);
        break;
      case Kind::kScatter:
        return OfScatter(op, operands, result);
      case Kind::kSort:
        return OfSort(op, operands, result);
      case Kind::kGiven:
      case Kind::kOther:
        MakeWhole(op, result);
        break;
    }
    return llvm::Error::success();
  }

  // Of an operation of which nothing is known, or of one leaf of its value.
  void MakeWhole(const Instruction& op, EnclosedValue& result,
                 std::optional<size_t> only = std::nullopt) {
    if (not_known_.empty()) not_known_ = (hlo::Name(op.opcode) + llvm::Twine(" ") + op.name).str();
    for (auto [k, leaf] : llvm::enumerate(LeavesOf(result.value))) {
      if (only && *only != k) continue;
      result.leaves[k].assign(CountOf(*leaf), Enclosure::Whole(leaf->shape().type));
    }
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

  // Of what an operation calls, the operation inside comes first.
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

  llvm::Expected<EnclosedValue> OfAsyncStart(const Instruction& op, Operands operands) {
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

  llvm::Expected<EnclosedValue> OfBranches(const Instruction& op, Operands operands) {
    const auto literals = LiteralsOf(operands);
    auto branch = hlo::ChooseBranch({op, literals, nullptr, nullptr});
    if (!branch) return branch.takeError();
    auto result = Run(*branch->callee, operands[branch->operand]);
    if (!result || IsExact(*operands[0])) return result;
    // Any branch may be taken.
    MakeWhole(op, *result);
    return result;
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

  // Elements --------------------------------------------------------------------------------------

  llvm::Error OfElements(const Instruction& op, Operands operands, EnclosedValue& result) {
    auto exact = hlo::ResolveElementwise(op);
    if (!exact) return exact.takeError();
    LeafEnclosures& leaf = result.leaves[0];
    const int64_t count = CountOf(result.value);
    leaf.reserve(count);
    llvm::SmallVector<Enclosure, 3> elements(operands.size());
    for (int64_t i = 0; i < count; ++i) {
      for (auto [k, operand] : llvm::enumerate(operands))
        elements[k] = operand->At(0, operand->value.shape().IsScalar() ? 0 : i);
      leaf.push_back(Elementwise(op, elements, *exact, freedom_));
    }
    return llvm::Error::success();
  }

  void OfMovement(const Instruction& op, Operands operands, EnclosedValue& result) {
    for (auto [k, operand] : llvm::enumerate(operands)) {
      if (!IsMoved(op, static_cast<int64_t>(k)) && !IsExact(*operand)) return MakeWhole(op, result);
    }
    // The type of a moved element is that of the result, but for bits.
    const std::vector<const Literal*> leaves = LeavesOf(result.value);
    std::vector<std::vector<bool>> seen(leaves.size());
    std::vector<std::vector<const Literal*>> leaves_of_operands;
    for (const EnclosedValue* operand : operands)
      leaves_of_operands.push_back(LeavesOf(operand->value));
    for (auto [leaf, enclosures, of] : llvm::zip(leaves, result.leaves, seen)) {
      enclosures.reserve(CountOf(*leaf));
      for (int64_t i = 0; i < CountOf(*leaf); ++i)
        enclosures.push_back(Enclosure::Of(leaf->shape().type, hlo::Load(*leaf, i)));
      of.resize(CountOf(*leaf));
    }
    for (const Read& read : reads_) {
      if (!IsMoved(op, read.operand)) continue;
      const PrimitiveType type = leaves[read.leaf]->shape().type;
      const EnclosedValue& operand = *operands[read.operand];
      const PrimitiveType from = leaves_of_operands[read.operand][read.from_leaf]->shape().type;
      Enclosure& to = result.leaves[read.leaf][read.linear];
      const Enclosure element = operand.At(read.from_leaf, read.from);
      const bool is_first = !seen[read.leaf][read.linear];
      seen[read.leaf][read.linear] = true;
      if (from != type) {
        if (!IsPoint(from, element)) to = Enclosure::Whole(type);
      } else {
        to = is_first ? element : Hull(type, to, element);
      }
    }
  }

  // Folds -----------------------------------------------------------------------------------------

  llvm::Error OfReduction(const Instruction& op, Operands operands, EnclosedValue& result) {
    const int64_t arity = std::ssize(operands) / 2;
    auto callee = hlo::Callee(op, "to_apply");
    if (!callee) return callee.takeError();
    const std::vector<const Literal*> leaves = LeavesOf(result.value);
    for (int64_t leaf = 0; leaf < arity; ++leaf) {
      const Instruction* operation = FoldOperationOf(**callee, arity, leaf);
      if (operation == nullptr) {
        // A value that is one of those that are compared is as exact as they are.
        if (!AreExact(operands) || !Selects(**callee)) MakeWhole(op, result, leaf);
        continue;
      }
      auto fold = Folds(*operation, *leaves[leaf]);
      if (!fold) return fold.takeError();
      for (const Read& read : reads_) {
        const bool is_own = read.operand == leaf || read.operand == arity + leaf;
        if (read.leaf == leaf && is_own)
          fold->all[read.linear].Add(operands[read.operand]->At(0, read.from));
      }
      for (const AnyOrderFold& each : fold->all) result.leaves[leaf].push_back(each.Result());
    }
    return llvm::Error::success();
  }

  struct FoldsOfLeaf {
    std::unique_ptr<hlo::ScalarOp> exact;
    std::vector<AnyOrderFold> all;
  };
  llvm::Expected<FoldsOfLeaf> Folds(const Instruction& operation, const Literal& leaf) const {
    auto exact = hlo::ResolveElementwise(operation);
    if (!exact) return exact.takeError();
    FoldsOfLeaf folds{std::make_unique<hlo::ScalarOp>(std::move(*exact)), {}};
    folds.all.assign(CountOf(leaf),
                     AnyOrderFold(operation, leaf.shape().type, *folds.exact, freedom_));
    return folds;
  }

  void OfProducts(const Instruction& op, Operands operands, EnclosedValue& result) {
    const PrimitiveType type = op.shape.type;
    // Algorithms round the operands in ways of their own.
    const bool has_algorithm = op.attributes.FindExtra("algorithm") != nullptr;
    auto type_of = [&](size_t k) { return operands[k]->value.shape().type; };
    if (!hlo::IsFloat(type) || operands.size() != 2 || has_algorithm || !hlo::IsFloat(type_of(0)) ||
        !hlo::IsFloat(type_of(1)))
      return MakeWhole(op, result);
    const bool is_double = type == PrimitiveType::kF64 || type_of(0) == PrimitiveType::kF64 ||
                           type_of(1) == PrimitiveType::kF64;
    std::vector<AnyOrderSum> sums(
        CountOf(result.value), AnyOrderSum(is_double ? PrimitiveType::kF64 : PrimitiveType::kF32));
    // The left factor comes right before its right one.
    Interval left;
    for (const Read& read : reads_) {
      const Interval element = Flushed(operands[read.operand]->At(0, read.from).real,
                                       type_of(static_cast<size_t>(read.operand)));
      if (read.operand == 0) {
        left = element;
      } else {
        sums[read.linear].Add(Product(left, element), /*roundings=*/1);
      }
    }
    const bool multiplies_padding = MultipliesPadding(op, operands);
    for (const AnyOrderSum& sum : sums) {
      Interval of = Rounded(sum.Result(), type);
      of.nan = of.nan || multiplies_padding;
      result.leaves[0].push_back(Enclosure::Real(of));
    }
  }

  // Padding of a convolution may be written out, and 0 times what is not finite is NaN.
  static bool MultipliesPadding(const Instruction& op, Operands operands) {
    const bool is_padded = llvm::any_of(op.attributes.window, [](const auto& dimension) {
      return dimension.padding_low > 0 || dimension.padding_high > 0 ||
             dimension.base_dilation > 1 || dimension.window_dilation > 1;
    });
    if (!is_padded) return false;
    return llvm::any_of(operands, [](const EnclosedValue* operand) {
      for (int64_t i = 0; i < CountOf(operand->value); ++i) {
        const Interval element = operand->At(0, i).real;
        if (element.nan || element.lo == -kInfinity || element.hi == kInfinity) return true;
      }
      return false;
    });
  }

  llvm::Error OfScatter(const Instruction& op, Operands operands, EnclosedValue& result) {
    const int64_t arity = std::ssize(operands) / 2;
    auto callee = hlo::Callee(op, "to_apply");
    if (!callee) return callee.takeError();
    if (!IsExact(*operands[arity])) {
      MakeWhole(op, result);
      return llvm::Error::success();
    }
    const std::vector<const Literal*> leaves = LeavesOf(result.value);
    for (int64_t leaf = 0; leaf < arity; ++leaf) {
      const Instruction* root = (*callee)->root;
      if (root->opcode == Opcode::kTuple) root = root->operands[leaf];
      const int64_t update = arity + 1 + leaf;
      if (root == (*callee)->parameters[arity + leaf]) {
        TakeUpdates(leaf, update, operands, leaves[leaf]->shape().type, result);
        continue;
      }
      const Instruction* operation = FoldOperationOf(**callee, arity, leaf);
      if (operation == nullptr) {
        MakeWhole(op, result, leaf);
        continue;
      }
      auto folds = Folds(*operation, *leaves[leaf]);
      if (!folds) return folds.takeError();
      for (const Read& read : reads_) {
        if (read.leaf == leaf && (read.operand == leaf || read.operand == update))
          folds->all[read.linear].Add(operands[read.operand]->At(0, read.from));
      }
      for (const AnyOrderFold& each : folds->all) result.leaves[leaf].push_back(each.Result());
    }
    return llvm::Error::success();
  }

  // The update of an element, or any of several.
  void TakeUpdates(int64_t leaf, int64_t update, Operands operands, PrimitiveType type,
                   EnclosedValue& result) {
    LeafEnclosures& enclosures = result.leaves[leaf];
    enclosures.resize(CountOf(*LeavesOf(result.value)[leaf]));
    std::vector<bool> is_updated(enclosures.size());
    for (const Read& read : reads_) {
      if (read.leaf != leaf || (read.operand != leaf && read.operand != update)) continue;
      const Enclosure element = operands[read.operand]->At(0, read.from);
      Enclosure& to = enclosures[read.linear];
      if (read.operand == leaf) {
        if (!is_updated[read.linear]) to = element;
        continue;
      }
      to = is_updated[read.linear] ? Hull(type, to, element) : element;
      is_updated[read.linear] = true;
    }
  }

  // Sort ------------------------------------------------------------------------------------------

  // Which operands the comparator looks at.
  static std::vector<bool> KeysOf(const hlo::Computation& comparator) {
    std::vector<bool> keys(comparator.parameters.size() / 2);
    for (const Instruction* parameter : comparator.parameters) {
      if (!parameter->users.empty() || parameter == comparator.root)
        keys[parameter->parameter_number / 2] = true;
    }
    return keys;
  }

  // A comparator that compares both elements of the one operand: its values are sorted, whichever
  // of them a rounding brings first.
  static bool SortsByValue(const Instruction& op, const hlo::Computation& comparator) {
    const Instruction& root = *comparator.root;
    return op.operands.size() == 1 && root.opcode == Opcode::kCompare &&
           root.attributes.comparison_type != "TOTALORDER" &&
           root.operands[0]->opcode == Opcode::kParameter &&
           root.operands[1]->opcode == Opcode::kParameter &&
           root.operands[0]->parameter_number != root.operands[1]->parameter_number;
  }

  llvm::Error OfSort(const Instruction& op, Operands operands, EnclosedValue& result) {
    auto callee = hlo::Callee(op, "to_apply");
    if (!callee) return callee.takeError();
    const std::vector<bool> keys = KeysOf(**callee);
    bool keys_are_exact = true;
    for (auto [operand, is_key] : llvm::zip(operands, keys))
      keys_are_exact = keys_are_exact && (!is_key || IsExact(*operand));
    const bool by_value = SortsByValue(op, **callee);
    if (!keys_are_exact && !by_value) {
      MakeWhole(op, result);
      return llvm::Error::success();
    }
    llvm::SmallVector<PrimitiveType> types;
    for (const EnclosedValue* operand : operands) types.append(2, operand->value.shape().type);
    auto less = hlo::ScalarFunction::Create(op, **callee, types, {PrimitiveType::kPred});
    if (!less) return less.takeError();
    for (auto [operand, leaf] : llvm::zip(operands, result.leaves))
      leaf.resize(CountOf(operand->value));
    const hlo::Shape& shape = operands[0]->value.shape();
    const int64_t dimension = op.attributes.dimensions[0], size = shape.dims[dimension];
    int64_t stride = 1;
    for (int64_t d = dimension + 1; d < shape.rank(); ++d) stride *= shape.dims[d];
    for (int64_t first = 0; size > 0 && first < shape.NumElements(); ++first) {
      if (first / stride % size != 0) continue;
      std::vector<int64_t> positions(size);
      for (int64_t k = 0; k < size; ++k) positions[k] = first + k * stride;
      const bool sorted = by_value && !keys_are_exact
                              ? SortBounds(*less, positions, *operands[0], result.leaves[0])
                              : SortRow(*less, positions, operands, result.leaves);
      if (!sorted) {
        MakeWhole(op, result);
        break;
      }
    }
    return llvm::Error::success();
  }

  static bool IsLess(hlo::ScalarFunction& less, llvm::ArrayRef<hlo::Scalar> both) {
    hlo::Scalar result;
    // The interpreter has compared them before.
    llvm::consumeError(less.Apply(both, result));
    return result.i != 0;
  }

  // By keys that are exact, everything is where the interpreter has it.
  static bool SortRow(hlo::ScalarFunction& less, llvm::ArrayRef<int64_t> positions,
                      Operands operands, std::vector<LeafEnclosures>& leaves) {
    std::vector<int64_t> sorted = positions.vec();
    llvm::stable_sort(sorted, [&](int64_t a, int64_t b) {
      llvm::SmallVector<hlo::Scalar> both;
      for (const EnclosedValue* operand : operands) {
        both.push_back(hlo::Load(operand->value, a));
        both.push_back(hlo::Load(operand->value, b));
      }
      return IsLess(less, both);
    });
    for (auto [operand, leaf] : llvm::zip(operands, leaves)) {
      for (auto [to, from] : llvm::zip(positions, sorted)) leaf[to] = operand->At(0, from);
    }
    return true;
  }

  // The k-th value lies between the k-th of the lower bounds and the k-th of the upper ones.
  static bool SortBounds(hlo::ScalarFunction& less, llvm::ArrayRef<int64_t> positions,
                         const EnclosedValue& operand, LeafEnclosures& leaf) {
    const PrimitiveType type = operand.value.shape().type;
    if (!hlo::IsFloat(type)) return false;
    std::vector<double> lower, upper;
    for (int64_t from : positions) {
      const Interval element = operand.At(0, from).real;
      if (element.nan) return false;
      lower.push_back(element.lo);
      upper.push_back(element.hi);
    }
    for (std::vector<double>* bounds : {&lower, &upper}) {
      llvm::stable_sort(*bounds, [&](double a, double b) {
        return IsLess(less, {hlo::Scalar{.re = a}, hlo::Scalar{.re = b}});
      });
    }
    for (auto [k, to] : llvm::enumerate(positions))
      leaf[to] = Enclosure::Real({.lo = lower[k], .hi = upper[k]});
    return true;
  }

  std::vector<Read> reads_;  // of the operation under evaluation
  int64_t total_reads_ = 0;
  Freedom freedom_;
  std::string widened_by_, not_known_;
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
  return Enclosures{std::move(*result), walk.widened_by(), walk.not_known()};
}

}  // namespace affirm::enclosure
