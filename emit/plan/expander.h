// Builders for expansions. Internal to emit/plan.
#ifndef AFFIRM_EMIT_PLAN_EXPANDER_H_
#define AFFIRM_EMIT_PLAN_EXPANDER_H_

#include <optional>
#include <string>
#include <vector>

#include "emit/plan/expand.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringSet.h"

namespace affirm::emit {

// Adds instructions to a computation.
class HloBuilder {
 public:
  using Instruction = hlo::Instruction;

  explicit HloBuilder(hlo::Computation& to) : to_(to) {}
  hlo::Computation& computation() { return to_; }
  // Prefix of the names of new instructions.
  void set_prefix(std::string prefix) { prefix_ = std::move(prefix); }

  Instruction* Add(hlo::Opcode opcode, const std::string& name, hlo::Shape shape,
                   std::vector<Instruction*> operands, hlo::Attributes attributes = {});
  Instruction* Parameter(const std::string& name, const hlo::Shape& shape);
  Instruction* Scalar(const std::string& name, hlo::PrimitiveType type, int64_t value);
  // An f64 constant of these elements, in row-major order.
  Instruction* Doubles(std::vector<int64_t> dims, llvm::ArrayRef<double> values);
  Instruction* Compare(const char* direction, Instruction* a, Instruction* b);
  // An elementwise op on operands of one shape and type, which are also the result's.
  Instruction* Op(hlo::Opcode opcode, llvm::ArrayRef<Instruction*> operands);
  Instruction* Select(Instruction* condition, Instruction* a, Instruction* b);
  // Returns the value itself if it has the type.
  Instruction* Convert(Instruction* value, hlo::PrimitiveType type);
  Instruction* Reshape(Instruction* value, std::vector<int64_t> dims);
  Instruction* Iota(hlo::PrimitiveType type, std::vector<int64_t> dims, int64_t dimension);
  Instruction* Element(Instruction* tuple, int64_t k);
  Instruction* Tuple(std::vector<Instruction*> elements);
  Instruction* Broadcast(Instruction* scalar, const std::vector<int64_t>& dims);
  // Dimension k of the value is dimension `places[k]` of the result.
  Instruction* BroadcastInto(Instruction* value, const std::vector<int64_t>& dims,
                             std::vector<int64_t> places);
  Instruction* Transpose(Instruction* value, std::vector<int64_t> dimensions);
  Instruction* Concatenate(const std::vector<Instruction*>& parts, int64_t dimension);
  Instruction* Reverse(Instruction* value, std::vector<int64_t> dimensions);
  // Positions `start` to `limit` - 1 of a dimension.
  Instruction* Part(Instruction* array, int64_t dimension, int64_t start, int64_t limit);
  // Applies a computation on scalars, for which IsOfElements holds, to arrays of one size
  // elementwise; one array for each leaf of its result.
  std::vector<Instruction*> Apply(const hlo::Computation& computation,
                                  llvm::ArrayRef<Instruction*> arrays);
  // Inlines a computation with these arguments; returns the copy of the root.
  Instruction* Inline(const hlo::Computation& computation, llvm::ArrayRef<Instruction*> arguments);

 private:
  std::string NameOf(const std::string& name);

  hlo::Computation& to_;
  std::string prefix_;
  int64_t made_ = 0;
};

// Whether a computation on scalars consists of constants and elementwise ops, with an optional
// tuple as root, so that it can be applied to whole arrays.
bool IsOfElements(const hlo::Computation& computation);

// State shared by the expansions of ops.
class Expander {
 public:
  explicit Expander(const hlo::Computation& from) : from_(from) {}
  Expansion Run();

  HloBuilder& b() { return *builder_; }
  hlo::Computation* NewComputation(const std::string& name);
  // Requires that one kernel computes the values to memory.
  void Materialize(llvm::ArrayRef<hlo::Instruction*> values);

 private:
  // Copies and expands a computation with these arguments; returns the copy of its root. Parameters
  // of the outermost computation are copied.
  hlo::Instruction* CopyOf(const hlo::Computation& computation,
                           llvm::ArrayRef<hlo::Instruction*> arguments,
                           const hlo::Instruction* call);
  hlo::Instruction* CopyOf(const hlo::Instruction& op, std::vector<hlo::Instruction*> operands,
                           const hlo::Instruction* call);
  // The value in the layout that its users expect, which bitcasts depend on.
  hlo::Instruction* InLayoutOf(const hlo::Shape& shape, hlo::Instruction* value);
  // Removes dead instructions.
  void DropUnused();

  const hlo::Computation& from_;
  Expansion result_;
  std::vector<std::unique_ptr<hlo::Computation>> called_;
  std::unique_ptr<HloBuilder> builder_;
  bool inlines_ = false;     // whether calls are inlined
  llvm::StringSet<> names_;  // names that inlined copies must not get
  int64_t calls_ = 0;        // number of names made for inlined copies
  int64_t kernels_ = 0;
};

// Pairs of functions: whether an instruction is expanded, and its expansion, given its operands.
bool ExpandsSort(const hlo::Instruction& sort);
hlo::Instruction* ExpandSort(Expander& expander, const hlo::Instruction& sort,
                             llvm::ArrayRef<hlo::Instruction*> operands);
bool ExpandsCumulative(const hlo::Instruction& window);
hlo::Instruction* ExpandCumulative(Expander& expander, const hlo::Instruction& window,
                                   llvm::ArrayRef<hlo::Instruction*> operands);
bool ExpandsSelectAndScatter(const hlo::Instruction& op);
hlo::Instruction* ExpandSelectAndScatter(Expander& expander, const hlo::Instruction& op,
                                         llvm::ArrayRef<hlo::Instruction*> operands);
bool ExpandsRngBitGenerator(const hlo::Instruction& op);
hlo::Instruction* ExpandRngBitGenerator(Expander& expander, const hlo::Instruction& op,
                                        llvm::ArrayRef<hlo::Instruction*> operands);
bool ExpandsTopK(const hlo::Instruction& topk);
hlo::Instruction* ExpandTopK(Expander& expander, const hlo::Instruction& topk,
                             llvm::ArrayRef<hlo::Instruction*> operands);

// For dimensions of one element, and for masks of few elements.
bool ExpandsReduce(const hlo::Instruction& reduce);
hlo::Instruction* ExpandReduce(Expander& expander, const hlo::Instruction& reduce,
                               llvm::ArrayRef<hlo::Instruction*> operands);

// expand_row_elements.cc
bool ExpandsRowGather(const hlo::Instruction& gather);
hlo::Instruction* ExpandRowGather(Expander& expander, const hlo::Instruction& gather,
                                  llvm::ArrayRef<hlo::Instruction*> operands);
bool ExpandsRowScatter(const hlo::Instruction& scatter);
hlo::Instruction* ExpandRowScatter(Expander& expander, const hlo::Instruction& scatter,
                                   llvm::ArrayRef<hlo::Instruction*> operands);
// The type for arithmetic on indices of this type; nullopt if they may overflow it.
std::optional<hlo::PrimitiveType> PlacesType(hlo::PrimitiveType type);

// expand_contraction.cc, expand_fft.cc, expand_scan.cc
bool ExpandsScaledDot(const hlo::Instruction& dot);
hlo::Instruction* ExpandScaledDot(Expander& expander, const hlo::Instruction& dot,
                                  llvm::ArrayRef<hlo::Instruction*> operands);
bool ExpandsRaggedDot(const hlo::Instruction& dot);
hlo::Instruction* ExpandRaggedDot(Expander& expander, const hlo::Instruction& dot,
                                  llvm::ArrayRef<hlo::Instruction*> operands);
bool ExpandsFft(const hlo::Instruction& fft);
hlo::Instruction* ExpandFft(Expander& expander, const hlo::Instruction& fft,
                            llvm::ArrayRef<hlo::Instruction*> operands);
bool ExpandsScan(const hlo::Instruction& scan);
hlo::Instruction* ExpandScan(Expander& expander, const hlo::Instruction& scan,
                             llvm::ArrayRef<hlo::Instruction*> operands);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_PLAN_EXPANDER_H_
