// The value term of each op, from those of its operands, by op family; and what these functions
// share. Internal to verify/hlo/values: use values.h.
#ifndef AFFIRM_VERIFY_HLO_VALUES_OP_VALUES_H_
#define AFFIRM_VERIFY_HLO_VALUES_OP_VALUES_H_

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"
#include "verify/hlo/values/values.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"

namespace affirm::hlo_values {

using terms::Pool;
using terms::Scope;
using terms::Term;
using Value = llvm::Expected<Term>;
using Index = std::vector<Term>;

// The error "LINE:COLUMN: error: OPCODE NAME what".
llvm::Error Fail(const hlo::Instruction& instruction, const llvm::Twine& what);
llvm::Error NoValueTerm(const hlo::Instruction& instruction);

// A computation that an instruction calls under a key; null where there is none.
const hlo::Computation* CalledAs(const hlo::Instruction& caller, llvm::StringRef key);

// A computation in which the parameters have values: the one that was asked about, or one that is
// called by an instruction of another frame.
struct Frame {
  uint32_t id = 0;
  std::function<Value(int64_t parameter, int64_t leaf, llvm::ArrayRef<Term> index)> parameter;
  // One more than those of the folds that the value of an instruction may hold: variables of a fold
  // are named by the height, so that no fold holds another over the same ones, and folds that are
  // the same are one term.
  llvm::DenseMap<const hlo::Instruction*, int> heights;
};

class Builder;

// A question: element `index` of leaf `leaf` of the value of `op`.
struct Query {
  Builder& builder;
  Frame& frame;
  const hlo::Instruction& op;
  int64_t leaf;
  llvm::ArrayRef<Term> index;

  Scope& scope() const;
  Pool& pool() const;
  const hlo::Shape& shape() const;  // of the leaf
  const hlo::Shape& operand(int64_t k) const { return op.operands[k]->shape; }
  // The element of an operand.
  Value Operand(int64_t k, llvm::ArrayRef<Term> index, int64_t leaf = 0) const;
  // The value of `yes` where the condition holds, and of `no` elsewhere; only one of them is built
  // if the scope decides.
  Value Choose(Term condition, llvm::function_ref<Value()> yes,
               llvm::function_ref<Value()> no) const;
  // Variable k of the folds of this instruction, in [0, size - 1].
  Term Variable(int64_t k, int64_t size) const;
  // A fold of this instruction.
  // Remembers that the term is what this instruction computes, as Fold does of folds.
  void IsOf(Term term) const;
  Term Fold(terms::Operation operation, Term condition, Term value,
            llvm::ArrayRef<Term> variables) const;
};

class Builder {
 public:
  Builder(Scope& scope, const hlo::Computation& computation, ElementFunction element,
          std::string prefix);

  ComputationValues::OpaqueFunction opaque;         // of instructions of the top frame
  ComputationValues::CombinerNames combiner_names;  // where combiners are named by content
  std::optional<ComputationValues::OpenReductions> hides;
  const hlo::Instruction* first_hidden = nullptr;
  ComputationValues::FoldOrigins fold_origins;

  Scope& scope() { return scope_; }
  Frame& top() { return top_; }
  const std::string& prefix() const { return prefix_; }

  // Starts an answer: what is known by now of terms holds for the facts of the scope as they are.
  void Begin();
  Value At(Frame& frame, const hlo::Instruction& instruction, int64_t leaf,
           llvm::ArrayRef<Term> index);
  // The value of `build` where the condition holds; null if it never does.
  Value Under(Term condition, llvm::function_ref<Value()> build);
  // The frame of the computation that `caller` calls. Parameters are the operands, of map (at an
  // index) their elements.
  Frame& Called(Frame& frame, const hlo::Instruction& caller);
  Frame& CalledAt(Frame& frame, const hlo::Instruction& caller, llvm::ArrayRef<Term> index);
  // The same of branch `number` of a conditional, on its operand.
  Frame& Branch(Frame& frame, const hlo::Instruction& conditional, int64_t number);
  // The same on scalars that are known as terms: of a combiner.
  Frame& CalledOn(Frame& frame, const hlo::Instruction& caller, llvm::ArrayRef<Term> values);
  // A computation of a loop, its body or its condition, in trip `trip`, counted from 0: its
  // parameter is what the body gave in the trip before. At most kMostTrips.
  static constexpr int64_t kMostTrips = 64;
  Frame& Trip(Frame& frame, const hlo::Instruction& loop, const hlo::Computation& of, int64_t trip);
  // The height of an instruction of the frame's computation.
  int HeightOf(const Frame& frame, const hlo::Instruction& op);
  // The name of the elements of a constant, in the order of its layout.
  terms::Operation OperationOf(const hlo::Instruction& constant);

 private:
  struct Key {
    uint32_t facts, frame;
    const hlo::Instruction* instruction;
    int64_t leaf;
    Index index;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const;
  };
  using FrameKey = std::pair<std::pair<uint32_t, const hlo::Instruction*>, Index>;

  Value Compute(const Query& query);
  uint32_t FactsNow();
  Frame* NewFrame(const hlo::Computation& callee, const std::vector<int>& heights);
  std::vector<int> OperandHeights(const Frame& frame, const hlo::Instruction& caller);
  // Fills the heights of a computation whose parameters have the given ones; returns the root's.
  int Heights(const hlo::Computation& computation, const std::vector<int>& parameters,
              llvm::DenseMap<const hlo::Instruction*, int>* heights);

  Scope& scope_;
  const hlo::Computation& computation_;
  std::string prefix_;
  Frame top_;
  std::vector<std::unique_ptr<Frame>> frames_;
  std::map<FrameKey, Frame*> frame_of_;
  std::map<std::pair<const hlo::Computation*, std::vector<int>>, int> root_heights_;
  // Numbers of lists of facts. A term is right wherever the facts hold with which it was built.
  std::map<std::vector<Term>, uint32_t> facts_;
  uint32_t facts_now_ = 0;
  std::unordered_map<Key, Term, KeyHash> known_;
  llvm::DenseSet<const hlo::Instruction*> checked_;
  llvm::DenseMap<const hlo::Instruction*, terms::Operation> constants_;
  int64_t depth_ = 0, steps_ = 0;
};

// The position that an index has among those of `from` sizes, as an index of `to` sizes, both from
// the major to the minor dimension. The products of the sizes are the same.
Index Regroup(Scope& scope, llvm::ArrayRef<int64_t> from, llvm::ArrayRef<Term> index,
              llvm::ArrayRef<int64_t> to);

// The condition that lo <= x <= hi.
Term Within(Pool& pool, Term x, Term lo, Term hi);
// The start of a slice: x, but at least 0 and at most `limit`.
Term ClampedStart(Scope& scope, Term x, int64_t limit);
// The element of the array below a position of a window, and the condition that there is one: there
// is none in the padding, nor between elements of a dilated array.
struct BelowWindow {
  Term condition, element;
};
BelowWindow UnderWindow(Scope& scope, const hlo::WindowDimension& window, Term window_index,
                        Term offset, int64_t size);

// An elementwise op of two operands of an HLO type, on one element of each. Null where the op has
// no meaning on the type.
Term Binary(Scope& scope, hlo::Opcode opcode, hlo::PrimitiveType type, Term a, Term b);
// elementwise_integer.cc: on integer types and pred; without a form: null.
Term IntegerUnary(Scope& scope, hlo::Opcode opcode, hlo::PrimitiveType type, Term a);
Term IntegerBinary(Scope& scope, hlo::Opcode opcode, hlo::PrimitiveType type, Term a, Term b);
Term CompareIntegers(Scope& scope, llvm::StringRef direction, hlo::PrimitiveType type, Term a,
                     Term b);

// The op that leaf `leaf` of a combiner's result is of the running value and the value of the same
// leaf, if it is commutative and nothing else; kUnknown for others.
hlo::Opcode SimpleCombiner(const hlo::Computation& combiner, int64_t leaf);
// Whether the initial values of a reduction are identities of what it combines by, of each array
// whose combiner is known; nullopt where one of them is no number.
std::optional<bool> StartFromIdentities(const hlo::Instruction& reduction,
                                        llvm::ArrayRef<Term> inits);
// The result of a reduction at one element.
Value Folded(const Query& q, const ReduceParts& parts);

// reduction.cc, window.cc, gather_scatter.cc
llvm::Expected<ReduceParts> PartsOfReduce(const Query& q);
llvm::Expected<ReduceParts> PartsOfReduceWindow(const Query& q);
llvm::Expected<ScatterParts> PartsOfScatter(const Query& q, llvm::ArrayRef<Term> update_index);

// Elements of each op. elementwise.cc
Value Elementwise(const Query& q);
Value Map(const Query& q);
// nullary.cc
Value Constant(const Query& q);
Value Iota(const Query& q);
Value Parameter(const Query& q);
// movement.cc, movement_bitcast.cc
Value Bitcast(const Query& q);
Value BitcastConvert(const Query& q);
Value Broadcast(const Query& q);
Value Copy(const Query& q);
Value Reshape(const Query& q);
Value Reverse(const Query& q);
Value Transpose(const Query& q);
// slicing.cc, slicing_dynamic.cc
Value Concatenate(const Query& q);
Value DynamicSlice(const Query& q);
Value DynamicUpdateSlice(const Query& q);
Value GetDimensionSize(const Query& q);
Value Pad(const Query& q);
Value Slice(const Query& q);
// reduction.cc, window.cc
Value Reduce(const Query& q);
Value ReduceWindow(const Query& q);
// contraction.cc
Value Convolution(const Query& q);
Value Dot(const Query& q);
// gather_scatter.cc
Value Gather(const Query& q);
Value Scatter(const Query& q);
// control.cc
Value Call(const Query& q);
Value Conditional(const Query& q);
Value Forward(const Query& q);
Value GetTupleElement(const Query& q);
Value Tuple(const Query& q);
Value While(const Query& q);

}  // namespace affirm::hlo_values

#endif  // AFFIRM_VERIFY_HLO_VALUES_OP_VALUES_H_
