// The interpreter's values with a mark on each element, which goes along with what is computed.
#include "verify/reference/open_elements.h"

#include <algorithm>
#include <cmath>

#include "core/hlo/leaves.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/reference/control.h"
#include "verify/reference/index.h"
#include "verify/reference/open_ops.h"
#include "verify/reference/ops.h"
#include "verify/reference/trace.h"
#include "verify/scalar/nan_bits.h"
#include "verify/scalar/scalar.h"

namespace affirm::hlo {
namespace {

// Ordered: an element that is computed from several has the largest mark.
enum class Mark : uint8_t {
  kClosed,
  kComputedNaN,  // its sign and payload are open
  kOpen,
  kUndefined
};
using LeafMarks = std::vector<Mark>;  // empty: all closed
using Marks = std::vector<LeafMarks>;

struct Marked {
  Literal value;
  Marks marks;      // of each leaf
  LeafMarks sizes;  // for each leaf, whether its sizes at run time are open; empty: all closed
};

Mark MarkOf(const LeafMarks& leaf, int64_t linear) {
  return leaf.empty() ? Mark::kClosed : leaf[static_cast<size_t>(linear)];
}

bool HasMarks(const Marks& marks) {
  return llvm::any_of(marks, [](const LeafMarks& leaf) { return !leaf.empty(); });
}

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

// The largest mark of the leaves.
Mark LargestOf(const Marks& marks) {
  Mark largest = Mark::kClosed;
  for (const LeafMarks& leaf : marks) {
    for (Mark mark : leaf) largest = std::max(largest, mark);
  }
  return largest;
}

// The marks of a value decided by an open condition, selector or index: all elements are open, and
// all sizes that the declared shape leaves to the run.
void MarkAll(Marked& marked, Mark mark, const Shape& declared) {
  if (mark < Mark::kOpen) return;
  marked.sizes.resize(marked.marks.size(), Mark::kClosed);
  for (auto [leaf, of] : llvm::zip(LeafShapes(declared), marked.sizes)) {
    if (llvm::is_contained(leaf->dynamic, true)) of = std::max(of, mark);
  }
  for (auto [leaf, marks] : llvm::zip(LeavesOf(marked.value), marked.marks)) {
    marks.resize(static_cast<size_t>(CountOf(*leaf)), Mark::kClosed);
    for (Mark& of : marks) of = std::max(of, mark);
  }
}

bool IsNaN(const Literal& leaf, int64_t linear) {
  const ScalarKind kind = ScalarKindOf(leaf.shape().type);
  if (kind != ScalarKind::kFloat && kind != ScalarKind::kComplex) return false;
  const Scalar value = Load(leaf, linear);
  return std::isnan(value.re) || std::isnan(value.im);
}

class OpenWalk {
 public:
  OpenWalk(const Computation& computation, const EvaluationOrders* orders) {
    sees_bits_ = llvm::any_of(computation.instructions, [](const auto& op) {
      return SeesBitsOfNaN(*op) || CallsWhatSees(*op);
    });
    plain_.orders = noting_.orders = orders;
    noting_.note_open = [this](int64_t leaf, int64_t linear, OpInvocation::Openness openness,
                               llvm::StringRef why) {
      const bool is_undefined = openness == OpInvocation::Openness::kUndefined;
      Raise(static_cast<size_t>(leaf), linear, is_undefined ? Mark::kUndefined : Mark::kOpen);
      Tell(*op_, why);
    };
  }

  llvm::Expected<Marked> Run(const Computation& computation,
                             llvm::ArrayRef<const Marked*> arguments) {
    llvm::SmallVector<const Literal*> literals;
    for (const Marked* argument : arguments) literals.push_back(&argument->value);
    if (llvm::Error error = CheckArguments(computation, literals)) return error;
    llvm::DenseMap<const Instruction*, std::unique_ptr<Marked>> values;
    llvm::DenseMap<const Instruction*, size_t> users_left;
    auto value_of = [&](const Instruction* op) {
      return op->opcode == Opcode::kParameter ? arguments[op->parameter_number] : values[op].get();
    };
    for (const auto& op : computation.instructions) {
      if (op->opcode == Opcode::kParameter) continue;
      llvm::SmallVector<const Marked*> operands;
      for (const Instruction* operand : op->operands) operands.push_back(value_of(operand));
      auto value = Evaluate(*op, operands);
      if (!value) return value.takeError();
      values[op.get()] = std::make_unique<Marked>(std::move(*value));
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

  const std::string& why() const { return why_; }
  const std::string& promise() const { return promise_; }

 private:
  using Operands = llvm::ArrayRef<const Marked*>;

  static llvm::SmallVector<const Literal*> LiteralsOf(Operands operands) {
    llvm::SmallVector<const Literal*> literals;
    for (const Marked* operand : operands) literals.push_back(&operand->value);
    return literals;
  }

  void Tell(const Instruction& op, llvm::StringRef why) {
    if (why_.empty()) why_ = (Name(op.opcode) + llvm::Twine(" ") + op.name + " " + why).str();
  }

  void NotePromise(const Instruction& op, llvm::StringRef what) {
    if (promise_.empty())
      promise_ = (Name(op.opcode) + llvm::Twine(" ") + op.name + " " + what).str();
  }

  // State of the operation under evaluation, whose value need not be known yet.
  void Raise(size_t leaf, int64_t linear, Mark mark) {
    const auto position = static_cast<size_t>(linear);
    if (leaf >= marks_.size()) return;
    if (position >= marks_[leaf].size()) marks_[leaf].resize(position + 1, Mark::kClosed);
    marks_[leaf][position] = std::max(marks_[leaf][position], mark);
  }

  llvm::Expected<Marked> Evaluate(const Instruction& op, Operands operands) {
    switch (op.opcode) {
      case Opcode::kCall:
      case Opcode::kFusion:
        if (op.called.size() == 1) return Run(*op.called[0], operands);
        break;
      case Opcode::kConditional:
        return OfBranch(op, operands);
      case Opcode::kWhile:
        return OfLoop(op, *operands[0]);
      case Opcode::kAsyncStart:
        if (op.called.size() == 1) return OfAsyncStart(op, operands);
        break;
      default:
        break;
    }
    return OfOperation(op, operands);
  }

  llvm::Expected<Marked> OfAsyncStart(const Instruction& op, Operands operands) {
    auto made = Run(*op.called[0], operands);
    if (!made) return made;
    const auto literals = LiteralsOf(operands);
    Result value = AsyncStartValue({op, literals, nullptr, &plain_}, std::move(made->value));
    if (!value) return value.takeError();
    Marked result{std::move(*value), {}, {}};
    auto append = [&](const Marked& part) {
      result.sizes.resize(result.marks.size(), Mark::kClosed);
      llvm::append_range(result.marks, part.marks);
      llvm::append_range(result.sizes, part.sizes);
    };
    for (const Marked* operand : operands) append(*operand);
    append(*made);
    result.marks.resize(NumLeaves(op.shape));
    result.sizes.resize(result.marks.size(), Mark::kClosed);
    return result;
  }

  llvm::Expected<Marked> OfBranch(const Instruction& op, Operands operands) {
    const auto literals = LiteralsOf(operands);
    auto branch = ChooseBranch({op, literals, nullptr, &plain_});
    if (!branch) return branch.takeError();
    auto result = Run(*branch->callee, operands[branch->operand]);
    if (result) MarkAll(*result, MarkOf(operands[0]->marks[0], 0), op.shape);
    return result;
  }

  llvm::Expected<Marked> OfLoop(const Instruction& op, Marked state) {
    auto condition = Callee(op, "condition");
    if (!condition) return condition.takeError();
    auto body = Callee(op, "body");
    if (!body) return body.takeError();
    Mark deciding = Mark::kClosed;
    for (int64_t trip = 0; trip < kMaxTrips; ++trip) {
      auto again = Run(**condition, &state);
      if (!again) return again;
      deciding = std::max(deciding, MarkOf(again->marks[0], 0));
      if (again->value.GetInt(0) == 0) {
        if (deciding >= Mark::kOpen) NotePromise(op, "may make another number of trips");
        MarkAll(state, deciding, op.shape);
        return state;
      }
      auto next = Run(**body, &state);
      if (!next) return next;
      state = std::move(*next);
    }
    return Fail(op, "ran for more than " + llvm::Twine(kMaxTrips) + " trips");
  }

  llvm::Expected<Marked> OfOperation(const Instruction& op, Operands operands) {
    const bool has_marks =
        llvm::any_of(operands, [](const Marked* operand) { return HasMarks(operand->marks); });
    const auto literals = LiteralsOf(operands);
    const bool follows = has_marks && op.opcode != Opcode::kSort && op.opcode != Opcode::kSelect &&
                         !ReadsTooMuch(op, literals);
    const ReadObserver observer = [&](const Instruction&, int64_t result_leaf, int64_t linear,
                                      int64_t operand, int64_t leaf, int64_t from) {
      const Mark mark = MarkOf(operands[operand]->marks[leaf], from);
      if (mark != Mark::kClosed) Raise(static_cast<size_t>(result_leaf), linear, mark);
    };
    op_ = &op;
    marks_.assign(NumLeaves(op.shape), {});
    Result value = InterpretInstruction(op, literals, follows ? &observer : nullptr,
                                        MayNoteOpen(op) ? &noting_ : &plain_);
    if (!value) return value.takeError();
    Marked result{std::move(*value), std::move(marks_), {}};
    for (auto [leaf, marks] : llvm::zip(LeavesOf(result.value), result.marks))
      if (!marks.empty()) marks.resize(static_cast<size_t>(CountOf(*leaf)), Mark::kClosed);
    if (has_marks) TakeMarks(op, operands, follows, result);
    TakeSizes(op, operands, result);
    if (sees_bits_) MarkNaNs(op, result);
    return result;
  }

  // Marks that the reads of the operation miss or overstate.
  void TakeMarks(const Instruction& op, Operands operands, bool follows, Marked& result) {
    if (op.opcode == Opcode::kSelect) return MarkChosen(operands, result);
    if (op.opcode == Opcode::kSort) return MarkRows(op, operands, result);
    const int64_t indices = op.opcode == Opcode::kScatter ? std::ssize(operands) / 2 : -1;
    const int64_t deciding = FirstDecidingOperand(op);
    Mark deciding_mark = Mark::kClosed;
    for (int64_t k = 0; k < std::ssize(operands); ++k) {
      if (!follows || k == indices || (deciding >= 0 && k >= deciding))
        deciding_mark = std::max(deciding_mark, LargestOf(operands[k]->marks));
    }
    MarkAll(result, deciding_mark, op.shape);
    const int64_t promised = indices >= 0 ? indices : (op.opcode == Opcode::kGather ? 1 : -1);
    if (promised >= 0 && (op.attributes.unique_indices || op.attributes.indices_are_sorted) &&
        LargestOf(operands[promised]->marks) >= Mark::kOpen)
      NotePromise(op, "promises something of indices that are open");
  }

  // An array whose sizes are open opens what reads it, its sizes included.
  static void TakeSizes(const Instruction& op, Operands operands, Marked& result) {
    if (llvm::all_of(operands, [](const Marked* operand) { return operand->sizes.empty(); }))
      return;
    if (op.opcode == Opcode::kTuple) {
      for (const Marked* operand : operands) {
        llvm::append_range(result.sizes, operand->sizes);
        result.sizes.resize(
            result.sizes.size() + (operand->sizes.empty() ? operand->marks.size() : 0),
            Mark::kClosed);
      }
      return;
    }
    const LeafMarks& of_first = operands[0]->sizes;
    if (op.opcode == Opcode::kGetTupleElement && !of_first.empty()) {
      const int64_t first = FirstLeafOfElement(op.operands[0]->shape, op.attributes.tuple_index);
      result.sizes.assign(of_first.begin() + first,
                          of_first.begin() + first + std::ssize(result.marks));
      return;
    }
    if (op.opcode == Opcode::kOptimizationBarrier) {
      result.sizes = of_first;
      return;
    }
    Mark largest = Mark::kClosed;
    for (const Marked* operand : operands) largest = std::max(largest, LargestOf({operand->sizes}));
    MarkAll(result, largest, op.shape);
  }

  static void MarkChosen(Operands operands, Marked& result) {
    const Literal& predicate = operands[0]->value;
    const bool is_scalar = predicate.shape().IsScalar();
    LeafMarks& marks = result.marks[0];
    marks.assign(static_cast<size_t>(CountOf(result.value)), Mark::kClosed);
    for (int64_t i = 0; i < std::ssize(marks); ++i) {
      const int64_t at = is_scalar ? 0 : i;
      const Marked& taken = *operands[predicate.GetInt(at) != 0 ? 1 : 2];
      marks[i] = std::max(MarkOf(operands[0]->marks[0], at), MarkOf(taken.marks[0], i));
    }
  }

  // A row with an open element is open; which elements of a row are NaN does not depend on their
  // bits, unless the comparator looks at these.
  static void MarkRows(const Instruction& op, Operands operands, Marked& result) {
    const Shape& shape = operands[0]->value.shape();
    const int64_t dimension = op.attributes.dimensions[0], size = shape.dims[dimension];
    int64_t stride = 1;
    for (int64_t d = dimension + 1; d < shape.rank(); ++d) stride *= shape.dims[d];
    const bool sees = CallsWhatSees(op);
    const std::vector<const Literal*> leaves = LeavesOf(result.value);
    for (const Marked* operand : operands) {
      const LeafMarks& from = operand->marks[0];
      for (int64_t i = 0; i < std::ssize(from); ++i) {
        if (from[i] == Mark::kClosed) continue;
        const Mark of_row = from[i] >= Mark::kOpen ? from[i] : (sees ? Mark::kOpen : Mark::kClosed);
        const int64_t first = i / (stride * size) * stride * size + i % stride;
        for (auto [leaf, marks] : llvm::zip(leaves, result.marks)) {
          marks.resize(static_cast<size_t>(CountOf(*leaf)), Mark::kClosed);
          for (int64_t at = first, n = 0; n < size; at += stride, ++n) {
            const Mark of_nan = IsNaN(*leaf, at) ? Mark::kComputedNaN : Mark::kClosed;
            marks[at] = std::max({marks[at], of_row, of_nan});
          }
        }
      }
    }
  }

  // NaNs that the operation computes; and what those of its operands make of the result.
  void MarkNaNs(const Instruction& op, Marked& result) {
    const bool sees = SeesBitsOfNaN(op) || CallsWhatSees(op);
    const bool computes = !MovesElements(op.opcode) && HasFloats(op.shape);
    for (auto [leaf, marks] : llvm::zip(LeavesOf(result.value), result.marks)) {
      const int64_t count = CountOf(*leaf);
      for (int64_t i = 0; i < count; ++i) {
        const Mark mark = MarkOf(marks, i);
        if (mark >= Mark::kOpen || (mark == Mark::kClosed && !computes)) continue;
        if (mark == Mark::kComputedNaN && sees) {
          Tell(op, "sees the sign and the payload of a NaN that is computed");
          marks[i] = Mark::kOpen;
        } else if (IsNaN(*leaf, i)) {
          if (marks.empty()) marks.assign(static_cast<size_t>(count), Mark::kClosed);
          marks[i] = Mark::kComputedNaN;
        } else if (mark == Mark::kComputedNaN) {
          marks[i] = Mark::kClosed;
        }
      }
    }
  }

  bool sees_bits_ = false;
  InterpretOptions plain_, noting_;
  const Instruction* op_ = nullptr;  // being evaluated, and the marks of its result
  Marks marks_;
  std::string why_, promise_;
};

}  // namespace

void OpInvocation::NoteAllOpen(llvm::ArrayRef<Literal> leaves, Openness openness,
                               llvm::StringRef why) const {
  for (auto [leaf, literal] : llvm::enumerate(leaves)) {
    for (int64_t i = 0; i < CountOf(literal); ++i)
      NoteOpen(static_cast<int64_t>(leaf), i, openness, why);
  }
}

bool MayLeaveOpen(const Computation& computation) {
  return llvm::any_of(computation.instructions, [](const auto& op) {
    return MayNoteOpen(*op) || SeesBitsOfNaN(*op) ||
           llvm::any_of(op->called, [](const auto* of) { return MayLeaveOpen(*of); });
  });
}

static bool HasPromises(const Computation& computation) {
  return llvm::any_of(computation.instructions, [](const auto& op) {
    return op->attributes.unique_indices || op->attributes.indices_are_sorted ||
           llvm::any_of(op->called, [](const auto* of) { return HasPromises(*of); });
  });
}

std::string WhyPromiseIsBroken(const Computation& computation, llvm::ArrayRef<Literal> arguments) {
  if (!HasPromises(computation)) return "";
  InterpretOptions held;
  held.promises.unique_indices = held.promises.indices_are_sorted = true;
  auto value = Interpret(computation, arguments, held);
  if (value) return "";
  std::string why;
  llvm::handleAllErrors(
      value.takeError(), [&](const OpenResult& open) { why = open.message(); },
      [](const llvm::ErrorInfoBase&) {});  // no value, whatever is promised
  return why;
}

llvm::Expected<OpenElements> FindOpenElements(const Computation& computation,
                                              llvm::ArrayRef<Literal> arguments,
                                              const EvaluationOrders* orders) {
  OpenElements open;
  open.leaves.resize(NumLeaves(computation.root->shape));
  open.open_sizes.resize(open.leaves.size(), false);
  if (!MayLeaveOpen(computation)) return open;
  std::vector<Marked> marked;
  marked.reserve(arguments.size());
  for (const Literal& argument : arguments)
    marked.push_back({argument, Marks(LeavesOf(argument).size()), {}});
  std::vector<const Marked*> pointers;
  pointers.reserve(marked.size());
  for (const Marked& argument : marked) pointers.push_back(&argument);
  OpenWalk walk(computation, orders);
  auto result = walk.Run(computation, pointers);
  if (!result) return result.takeError();
  for (auto [leaf, marks] : llvm::zip(open.leaves, result->marks)) {
    for (Mark mark : marks) {
      leaf.push_back(mark == Mark::kUndefined ? OpenElements::Kind::kUndefined
                     : mark == Mark::kOpen    ? OpenElements::Kind::kChoice
                                              : OpenElements::Kind::kClosed);
    }
    if (llvm::all_of(leaf, [](auto kind) { return kind == OpenElements::Kind::kClosed; }))
      leaf.clear();
  }
  for (auto [leaf, mark] : llvm::enumerate(result->sizes))
    open.open_sizes[leaf] = mark >= Mark::kOpen;
  open.why = walk.why();
  open.promise = walk.promise();
  return open;
}

}  // namespace affirm::hlo
