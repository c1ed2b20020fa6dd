// Modules, computations and instructions: the HLO graph. It does not depend on maps.
//
//   ENTRY e {
//     p = f32[2,3] parameter(0)
//     ROOT t = f32[3,2] transpose(p), dimensions={1,0}
//   }
// is a Module whose entry Computation has two Instructions. Its root t has the opcode kTranspose,
// the shape f32[3,2], the operand p and attributes.dimensions = {1, 0}. text.h reads and prints
// modules.
#ifndef AFFIRM_CORE_HLO_MODULE_H_
#define AFFIRM_CORE_HLO_MODULE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/hlo/literal.h"
#include "core/hlo/opcode.h"
#include "core/hlo/shape.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace affirm::hlo {

class Computation;
class Module;

// A position in the text that was read. Line and column count from 1; they are 0 in a module that a
// program has built.
struct SourceLocation {
  int64_t line = 0;
  int64_t column = 0;
};

// One dimension of `window={size=.. stride=.. pad=lo_hi lhs_dilate=.. rhs_dilate=..}`; also
// rhs_reversal=.. .
struct WindowDimension {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t padding_low = 0;
  int64_t padding_high = 0;
  int64_t base_dilation = 1;    // lhs_dilate
  int64_t window_dilation = 1;  // rhs_dilate
  bool reversal = false;
  friend bool operator==(const WindowDimension&, const WindowDimension&) = default;
};

struct PaddingDimension {
  int64_t low = 0, high = 0, interior = 0;
  friend bool operator==(const PaddingDimension&, const PaddingDimension&) = default;
};

struct SliceDimension {
  int64_t start = 0, limit = 0, stride = 1;
  friend bool operator==(const SliceDimension&, const SliceDimension&) = default;
};

// dim_labels=b01f_01io->b01f
struct ConvDimensionNumbers {
  int64_t input_batch = 0, input_feature = 0;
  int64_t kernel_input_feature = 0, kernel_output_feature = 0;
  int64_t output_batch = 0, output_feature = 0;
  std::vector<int64_t> input_spatial, kernel_spatial, output_spatial;
  friend bool operator==(const ConvDimensionNumbers&, const ConvDimensionNumbers&) = default;
};

// The attributes that decide what an instruction computes. A field is used by the opcodes that have
// it in HLO text and is empty elsewhere. The other attributes (metadata, backend_config, sharding,
// ...) are kept as text in `extra`, in order, so that printing gives them back.
struct Attributes {
  std::vector<int64_t>
      dimensions;  // broadcast, transpose, reduce, reverse, concatenate, iota, sort, ...
  std::vector<SliceDimension> slice;
  std::vector<int64_t> dynamic_slice_sizes;
  std::vector<PaddingDimension> padding;
  std::vector<WindowDimension> window;
  std::optional<ConvDimensionNumbers> dim_labels;
  int64_t feature_group_count = 1, batch_group_count = 1;
  // dot, scaled-dot
  std::vector<int64_t> lhs_contracting, rhs_contracting, lhs_batch, rhs_batch;
  // gather, scatter
  std::vector<int64_t> offset_dims, collapsed_slice_dims, start_index_map, slice_sizes;
  std::vector<int64_t> operand_batching_dims, start_indices_batching_dims;
  std::vector<int64_t> update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims;
  std::vector<int64_t> input_batching_dims, scatter_indices_batching_dims;
  int64_t index_vector_dim = 0;
  bool indices_are_sorted = false, unique_indices = false, is_stable = false, is_reverse = false;
  std::string comparison_direction;  // compare: EQ NE GE GT LE LT
  std::string comparison_type;       // compare: FLOAT TOTALORDER SIGNED UNSIGNED; empty: default
  int64_t exponent_bits = 0, mantissa_bits = 0;  // reduce-precision
  int64_t tuple_index = 0;                       // get-tuple-element
  int64_t num_carries = 0;                       // scan
  std::string fusion_kind;                       // kLoop, kInput, ...
  std::string custom_call_target;
  std::vector<std::vector<int64_t>> replica_groups;  // collectives, when written as lists
  std::vector<std::pair<std::string, std::string>> extra;

  // The text of an attribute of `extra`, or nullptr.
  const std::string* FindExtra(llvm::StringRef key) const;
  friend bool operator==(const Attributes&, const Attributes&) = default;
};

class Instruction {
 public:
  std::string name;  // without '%'
  Opcode opcode = Opcode::kUnknown;
  std::string opcode_text;  // as written; the only name of an unknown opcode
  Shape shape;
  std::vector<Instruction*> operands;
  std::vector<Instruction*> users;  // each user once, in order of appearance
  std::vector<Computation*>
      called;  // in the order of the text: to_apply / calls / body, condition / branches
  std::vector<std::string> called_as;  // the attribute key of each, "to_apply", ...
  Attributes attributes;
  std::optional<Literal> literal;  // constant; absent when the text elided it ({...})
  int64_t parameter_number = -1;
  int64_t id = -1;  // unique within the module, in text order
  Computation* parent = nullptr;
  SourceLocation location;

  bool IsRoot() const;
  int64_t OperandIndex(const Instruction* operand) const;  // first position, or -1
};

// The instruction as it stands in no computation yet: what it computes, its name and its location,
// without operands, users, id and parent. It still calls the computations that `op` calls.
std::unique_ptr<Instruction> CopyOf(const Instruction& op);

class Computation {
 public:
  std::string name;
  Module* module = nullptr;
  std::vector<std::unique_ptr<Instruction>> instructions;  // operands before users
  Instruction* root = nullptr;
  std::vector<Instruction*> parameters;  // by parameter number
  bool is_entry = false;
  SourceLocation location;
  std::vector<std::pair<std::string, std::string>>
      extra_attributes;  // trailing attributes, e.g. execution_thread

  Instruction* Find(llvm::StringRef name) const;
  // Appends; fills parent, id, the operands' users, and `parameters`. Does not choose the root. A
  // parameter whose number is far beyond the number of instructions waits for NumberParameters.
  Instruction* Add(std::unique_ptr<Instruction> instruction);
  // Fills `parameters` anew from the instructions. False unless they are numbered 0 to n-1; then
  // the first that is not is in `offender`.
  bool NumberParameters(const Instruction** offender = nullptr);
};

class Module {
 public:
  std::string name;
  std::vector<std::unique_ptr<Computation>> computations;  // callees before callers
  Computation* entry = nullptr;
  bool entry_is_last = false;  // the text names no ENTRY: XLA's reader takes its last computation
  std::vector<std::pair<std::string, std::string>>
      extra_attributes;  // header attributes as written
  // The tables behind the header that metadata refers to by number ("FileNames"), with their rows.
  std::vector<std::pair<std::string, std::string>> tables;
  // Notes of the reader on text that it took for something else, "line:column: note: ...".
  std::vector<std::string> notes;

  Computation* FindComputation(llvm::StringRef name) const;
  Instruction* FindInstruction(
      llvm::StringRef name) const;  // entry first, then the others in order
  int64_t NumInstructions() const;
  int64_t next_id = 0;
};

// The same computations in the same order, with the same instructions, names, shapes, attributes,
// values and operands; ids and source locations are not compared. This is what reading back a
// printed module preserves.
bool SameModule(const Module& a, const Module& b);

// A module of its own whose entry is a copy of the computation, with copies of those that it calls.
std::unique_ptr<Module> ModuleOf(const Computation& computation);

}  // namespace affirm::hlo

#endif  // AFFIRM_CORE_HLO_MODULE_H_
