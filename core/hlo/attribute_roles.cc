#include "core/hlo/attribute_roles.h"

#include "core/hlo/devices.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::hlo {
namespace {

// An attribute of instructions. Its role differs between ops that HLO defines, ops that transfer
// values between devices, whose partners notes may name (_xla_send_recv_source_target_pairs), and
// ops that are whatever is written at them.
struct AttributeRow {
  llvm::StringLiteral key;
  AttributeRole of_defined, of_transfers, of_opaque;
  llvm::StringLiteral why = "";  // it is a note
};
constexpr AttributeRow Meaning(llvm::StringLiteral key) {
  using enum AttributeRole;
  return {key, kMeaning, kMeaning, kMeaning};
}
constexpr AttributeRow Promise(llvm::StringLiteral key) {
  using enum AttributeRole;
  return {key, kPromise, kPromise, kPromise};
}
constexpr AttributeRow Note(llvm::StringLiteral key, llvm::StringLiteral why) {
  using enum AttributeRole;
  return {key, kNote, kNote, kNote, why};
}

constexpr AttributeRole kNote = AttributeRole::kNote, kMeaning = AttributeRole::kMeaning;

// Any instruction may have these.
constexpr AttributeRow kOfEveryOp[] = {
    Note("metadata", "says which line of which program the instruction comes from"),
    Note("origin", "says which value of the program before optimization this was"),
    Note("original_value", "the same, in older text"),
    {"frontend_attributes", kNote, kMeaning, kMeaning,
     "notes that frontends leave for their own passes"},
    Note("statistics", "what a profiler measured"),
    {"sharding", kNote, kMeaning, kMeaning,
     "where the elements of an array are kept, not what they are"},
    Note("control-predecessors",
         "an order of instructions, which only effects see (verify/equivalence/effect_order.h)"),
    {"backend_config", kNote, kNote, kMeaning,
     "how a backend is to compute what the instruction says; of a loop see TripClaim"},
};

// An op of kOfOps has these, or every elementwise op (result_accuracy).
constexpr AttributeRow kOfSomeOps[] = {
    Meaning("algorithm"),
    Meaning("api_version"),
    Note("async_execution_thread", "where a computation runs"),
    Note("async_group_id", "which halves belong together, which their operands say as well"),
    Meaning("batch_group_count"),
    Meaning("branch_computations"),
    Meaning("called_computations"),
    Meaning("calls"),
    Meaning("channel_id"),
    Meaning("collapsed_slice_dims"),
    Meaning("body"),
    Meaning("condition"),
    Note("constrain_layout", "forbids to change layouts"),
    Note("cross_program_prefetch_index", "when a parameter is copied to fast memory"),
    Meaning("custom_call_has_side_effect"),
    Meaning("custom_call_target"),
    Meaning("delta"),
    Meaning("dim_labels"),
    Meaning("dimensions"),
    Meaning("direction"),
    Meaning("distribution"),
    Note("domain", "between which shardings a value passes on"),
    Meaning("dynamic_slice_sizes"),
    Meaning("epsilon"),
    Meaning("exponent_bits"),
    Meaning("false_computation"),
    Meaning("feature_group_count"),
    Meaning("feature_index"),
    Meaning("fft_length"),
    Meaning("fft_type"),
    Meaning("index"),
    Meaning("index_vector_dim"),
    Promise("indices_are_sorted"),
    Meaning("infeed_config"),
    Note("inferred_dimension",
         "which size of the result was not written by hand; all are written here"),
    Meaning("input_batching_dims"),
    Meaning("inserted_window_dims"),
    Meaning("iota_dimension"),
    Meaning("is_associative"),
    Note("is_composite", "the computation that is called stands for one op of another dialect"),
    Meaning("is_host_transfer"),
    Meaning("is_reverse"),
    Promise("is_stable"),
    Meaning("k"),
    Note("kind", "how a backend is to compute the computation that is called"),
    Meaning("largest"),
    Meaning("left_side"),
    Meaning("lhs_batch_dims"),
    Meaning("lhs_contracting_dims"),
    Meaning("lhs_ragged_dims"),
    Meaning("literal"),
    Meaning("lower"),
    Meaning("mantissa_bits"),
    Meaning("num_carries"),
    Meaning("offset_dims"),
    Meaning("operand_batching_dims"),
    Meaning("operand_layout_constraints"),
    Meaning("operand_precision"),
    Meaning("order"),
    Meaning("outfeed_config"),
    Meaning("outfeed_shape"),
    {"output_to_operand_aliasing", kNote, kNote, kMeaning,
     "which buffers are shared; values are never overwritten here"},
    Meaning("padding"),
    Meaning("padding_type"),
    Promise("parameter_replication"),
    Meaning("replica_groups"),
    Meaning("result_accuracy"),
    Meaning("rhs_batch_dims"),
    Meaning("rhs_contracting_dims"),
    Meaning("rhs_group_dims"),
    Meaning("scatter"),
    Meaning("scatter_dims_to_operand_dims"),
    Meaning("scatter_indices_batching_dims"),
    Meaning("schedule"),
    Meaning("select"),
    Meaning("slice"),
    Meaning("slice_sizes"),
    Meaning("source_target_pairs"),
    Meaning("start_index_map"),
    Meaning("start_indices_batching_dims"),
    Meaning("to_apply"),
    Meaning("transpose_a"),
    Meaning("true_computation"),
    Meaning("type"),
    Promise("unique_indices"),
    Meaning("unit_diagonal"),
    Meaning("update_window_dims"),
    Meaning("use_global_device_ids"),
    Meaning("window"),
};

const AttributeRow* FindRow(llvm::ArrayRef<AttributeRow> rows, llvm::StringRef key) {
  const AttributeRow* row =
      llvm::find_if(rows, [&](const AttributeRow& of) { return of.key == key; });
  return row == rows.end() ? nullptr : row;
}

// The row of an attribute of instructions; null where it is in no table.
const AttributeRow* RowOf(llvm::StringRef key) {
  const AttributeRow* row = FindRow(kOfEveryOp, key);
  return row != nullptr ? row : FindRow(kOfSomeOps, key);
}

// The role of an attribute at the op.
AttributeRole RoleAt(const AttributeRow& row, Opcode opcode) {
  if (IsCollective(opcode)) return row.of_transfers;
  switch (opcode) {
    case Opcode::kRecv:
    case Opcode::kRecvDone:
    case Opcode::kSend:
    case Opcode::kSendDone:
      return row.of_transfers;
    case Opcode::kCustomCall:
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
    case Opcode::kUnknown:
      return row.of_opaque;
    default:
      return row.of_defined;
  }
}

}  // namespace

bool EveryOpHasAttribute(llvm::StringRef key) { return FindRow(kOfEveryOp, key) != nullptr; }

bool HasRole(llvm::StringRef key) { return RowOf(key) != nullptr; }

AttributeRole RoleOf(const Instruction& instruction, llvm::StringRef key) {
  const AttributeRow* row = RowOf(key);
  return row == nullptr ? AttributeRole::kMeaning : RoleAt(*row, instruction.opcode);
}

}  // namespace affirm::hlo
