// The tables of attributes by opcode, and the grammar of those that are kept as text.
#include "core/hlo/attribute_rules.h"

#include "core/hlo/async_opcode.h"
#include "core/hlo/attribute_roles.h"
#include "core/hlo/attribute_values.h"
#include "core/hlo/entry_layout.h"
#include "core/hlo/replica_groups.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace affirm::hlo {
namespace {

// The attributes of each op besides those of every op, as XLA's reader has them.
struct OpAttributes {
  Opcode opcode;
  llvm::StringLiteral keys;
};

constexpr llvm::StringLiteral kOfDots =
    "lhs_batch_dims lhs_contracting_dims rhs_batch_dims rhs_contracting_dims operand_precision "
    "algorithm";
constexpr llvm::StringLiteral kOfConvolutions =
    "window dim_labels feature_group_count batch_group_count operand_precision";
constexpr llvm::StringLiteral kOfReductionsOverDevices =
    "to_apply replica_groups channel_id constrain_layout use_global_device_ids";
constexpr llvm::StringLiteral kOfGathersOverDevices =
    "dimensions replica_groups channel_id constrain_layout use_global_device_ids";
constexpr llvm::StringLiteral kOfAsync =
    "calls async_execution_thread async_group_id output_to_operand_aliasing";

constexpr OpAttributes kOfOps[] = {
    {Opcode::kAllGather, kOfGathersOverDevices},
    {Opcode::kAllGatherStart, kOfGathersOverDevices},
    {Opcode::kAllReduce, kOfReductionsOverDevices},
    {Opcode::kAllReduceStart, kOfReductionsOverDevices},
    {Opcode::kAllToAll, "dimensions replica_groups channel_id constrain_layout"},
    {Opcode::kAsyncDone, kOfAsync},
    {Opcode::kAsyncStart, kOfAsync},
    {Opcode::kAsyncUpdate, kOfAsync},
    {Opcode::kBatchNormGrad, "epsilon feature_index"},
    {Opcode::kBatchNormInference, "epsilon feature_index"},
    {Opcode::kBatchNormTraining, "epsilon feature_index"},
    {Opcode::kBroadcast, "dimensions"},
    {Opcode::kCall, "to_apply is_composite output_to_operand_aliasing"},
    {Opcode::kCholesky, "lower"},
    {Opcode::kCollectiveBroadcast, "replica_groups channel_id"},
    {Opcode::kCollectivePermute, "source_target_pairs channel_id"},
    {Opcode::kCollectivePermuteStart, "source_target_pairs channel_id"},
    {Opcode::kCompare, "direction type order"},
    {Opcode::kConcatenate, "dimensions"},
    {Opcode::kConditional, "branch_computations true_computation false_computation"},
    {Opcode::kConvolution, kOfConvolutions},
    {Opcode::kCopyStart, "cross_program_prefetch_index"},
    {Opcode::kCustomCall,
     "custom_call_target to_apply called_computations operand_layout_constraints "
     "custom_call_has_side_effect output_to_operand_aliasing api_version padding_type slice "
     "literal "
     "schedule"},
    {Opcode::kCustomCall, kOfConvolutions},
    {Opcode::kDomain, "domain"},
    {Opcode::kDot, kOfDots},
    {Opcode::kDynamicSlice, "dynamic_slice_sizes"},
    {Opcode::kFft, "fft_type fft_length"},
    {Opcode::kFusion, "kind calls output_to_operand_aliasing"},
    {Opcode::kGather,
     "offset_dims collapsed_slice_dims start_index_map operand_batching_dims "
     "start_indices_batching_dims index_vector_dim slice_sizes indices_are_sorted"},
    {Opcode::kGetDimensionSize, "dimensions"},
    {Opcode::kGetTupleElement, "index"},
    {Opcode::kInfeed, "infeed_config"},
    {Opcode::kIota, "iota_dimension"},
    {Opcode::kMap, "to_apply dimensions"},
    {Opcode::kOutfeed, "outfeed_config outfeed_shape"},
    {Opcode::kPad, "padding"},
    {Opcode::kParameter, "parameter_replication"},
    {Opcode::kRaggedAllToAll, "replica_groups channel_id"},
    {Opcode::kRaggedDot, kOfDots},
    {Opcode::kRaggedDot, "lhs_ragged_dims rhs_group_dims"},
    {Opcode::kRecv, "channel_id is_host_transfer"},
    {Opcode::kRecvDone, "channel_id is_host_transfer"},
    {Opcode::kReduce, "to_apply dimensions"},
    {Opcode::kReducePrecision, "exponent_bits mantissa_bits"},
    {Opcode::kReduceScatter, kOfReductionsOverDevices},
    {Opcode::kReduceScatter, "dimensions"},
    {Opcode::kReduceWindow, "to_apply window"},
    {Opcode::kReshape, "inferred_dimension"},
    {Opcode::kReverse, "dimensions"},
    {Opcode::kRng, "distribution"},
    {Opcode::kRngBitGenerator, "algorithm"},
    {Opcode::kRngGetAndUpdateState, "delta"},
    {Opcode::kScaledDot, kOfDots},
    {Opcode::kScan, "to_apply dimensions num_carries is_reverse is_associative"},
    {Opcode::kScatter,
     "to_apply update_window_dims inserted_window_dims scatter_dims_to_operand_dims "
     "input_batching_dims scatter_indices_batching_dims index_vector_dim indices_are_sorted "
     "unique_indices"},
    {Opcode::kSelectAndScatter, "window select scatter"},
    {Opcode::kSend, "channel_id is_host_transfer"},
    {Opcode::kSendDone, "channel_id is_host_transfer"},
    {Opcode::kSetDimensionSize, "dimensions"},
    {Opcode::kSlice, "slice"},
    {Opcode::kSort, "to_apply dimensions is_stable"},
    {Opcode::kTopk, "k largest is_stable"},
    {Opcode::kTranspose, "dimensions"},
    {Opcode::kTriangularSolve, "left_side lower unit_diagonal transpose_a"},
    {Opcode::kWhile, "condition body"},
};

// Attributes without which XLA's reader refuses the op ("attribute X is expected but not seen").
constexpr OpAttributes kNeeded[] = {
    {Opcode::kAllGather, "dimensions"},
    {Opcode::kAllGatherStart, "dimensions"},
    {Opcode::kAllReduce, "to_apply"},
    {Opcode::kAllReduceStart, "to_apply"},
    {Opcode::kAsyncStart, "calls"},
    {Opcode::kBatchNormGrad, "epsilon feature_index"},
    {Opcode::kBatchNormInference, "epsilon feature_index"},
    {Opcode::kBatchNormTraining, "epsilon feature_index"},
    {Opcode::kBroadcast, "dimensions"},
    {Opcode::kCall, "to_apply"},
    {Opcode::kCollectivePermute, "source_target_pairs"},
    {Opcode::kCollectivePermuteStart, "source_target_pairs"},
    {Opcode::kCompare, "direction"},
    {Opcode::kConcatenate, "dimensions"},
    {Opcode::kConvolution, "dim_labels"},
    {Opcode::kCustomCall, "custom_call_target"},
    {Opcode::kDynamicSlice, "dynamic_slice_sizes"},
    {Opcode::kFft, "fft_type fft_length"},
    {Opcode::kFusion, "kind calls"},
    {Opcode::kGather,
     "offset_dims collapsed_slice_dims start_index_map index_vector_dim slice_sizes"},
    {Opcode::kGetDimensionSize, "dimensions"},
    {Opcode::kGetTupleElement, "index"},
    {Opcode::kIota, "iota_dimension"},
    {Opcode::kMap, "to_apply"},
    {Opcode::kPad, "padding"},
    {Opcode::kReduce, "to_apply dimensions"},
    {Opcode::kReducePrecision, "exponent_bits mantissa_bits"},
    {Opcode::kReduceScatter, "to_apply dimensions"},
    {Opcode::kReduceWindow, "to_apply"},
    {Opcode::kReverse, "dimensions"},
    {Opcode::kRng, "distribution"},
    {Opcode::kRngBitGenerator, "algorithm"},
    {Opcode::kRngGetAndUpdateState, "delta"},
    {Opcode::kScan, "to_apply dimensions num_carries"},
    {Opcode::kScatter,
     "to_apply update_window_dims inserted_window_dims scatter_dims_to_operand_dims "
     "index_vector_dim"},
    {Opcode::kSelectAndScatter, "select scatter"},
    {Opcode::kSetDimensionSize, "dimensions"},
    {Opcode::kSlice, "slice"},
    {Opcode::kSort, "to_apply dimensions"},
    {Opcode::kTopk, "k"},
    {Opcode::kTranspose, "dimensions"},
    {Opcode::kWhile, "condition body"},
};

// An attribute of a computation or of a module that changes no value.
struct Harmless {
  llvm::StringLiteral key;
  llvm::StringLiteral why;
};

constexpr Harmless kOfComputations[] = {
    {"execution_thread", "where the computation runs"},
};

// replica_count and num_partitions are read (TextRule).
constexpr Harmless kOfModules[] = {
    {"alias_passthrough_params", "buffers"},
    {"allow_spmd_sharding_propagation_to_output", "what the partitioner may choose"},
    {"allow_spmd_sharding_propagation_to_parameters", "what the partitioner may choose"},
    {"buffer_donor", "buffers"},
    {"entry_computation_layout",
     "layouts in which a caller passes and gets arrays (entry_layout.h)"},
    {"frontend_attributes", "notes that frontends leave for their own passes"},
    {"input_output_alias", "buffers (input_output_alias.h)"},
    {"is_scheduled", "whether the order of instructions is the one in which they run"},
    {"origin_recovery_table", "where values of the program before optimization are found"},
    {"use_auto_spmd_partitioning", "what the partitioner may choose"},
};

// A dimension that the convolution does not use is written '?'; the whole is then kept as text.
bool IsOpenLabels(llvm::StringRef text) { return text.contains('?'); }
bool IsAccuracy(llvm::StringRef text) {
  return text.starts_with("{mode=") || text.starts_with("{tolerance=");
}
// "{" followed by a list of words and "}", each of which is accepted.
bool IsWordList(llvm::StringRef text, llvm::ArrayRef<llvm::StringRef> accepted) {
  if (!text.consume_front("{") || !text.consume_back("}")) return false;
  llvm::SmallVector<llvm::StringRef> words;
  text.split(words, ',');
  return llvm::all_of(
      words, [&](llvm::StringRef word) { return llvm::is_contained(accepted, word.trim()); });
}

bool IsEntryLayout(llvm::StringRef text) { return ParseEntryLayout(text).has_value(); }

bool IsInteger(llvm::StringRef text) {
  int64_t value = 0;
  return !text.getAsInteger(10, value);
}
bool IsPositive(llvm::StringRef text) {
  int64_t value = 0;
  return !text.getAsInteger(10, value) && value > 0;
}
bool IsNumber(llvm::StringRef text) {
  double value = 0;
  return llvm::to_float(text, value);
}
bool IsBool(llvm::StringRef text) { return text == "true" || text == "false"; }
// "true", "{true,false}"
bool IsBools(llvm::StringRef text) {
  return IsBool(text) || text == "{}" || IsWordList(text, {"true", "false"});
}
bool IsBraced(llvm::StringRef text) { return text.starts_with("{") && text.ends_with("}"); }
// "{}", "{name="value", ...}": names and values between commas outside of quotes and braces.
bool IsDictionary(llvm::StringRef text) {
  if (!IsBraced(text)) return false;
  text = text.drop_front().drop_back().trim();
  bool in_quotes = false;
  int depth = 0;
  size_t begin = 0;
  for (size_t at = 0; at <= text.size() && !text.empty(); ++at) {
    const char c = at < text.size() ? text[at] : ',';
    if (c == '\\' && in_quotes) {
      ++at;
    } else if (c == '"') {
      in_quotes = !in_quotes;
    } else if (!in_quotes && (c == '{' || c == '}')) {
      depth += c == '{' ? 1 : -1;
    } else if (!in_quotes && depth == 0 && c == ',') {
      const auto [name, value] = text.slice(begin, at).split('=');
      if (name.trim().empty() || value.trim().empty()) return false;
      begin = at + 1;
    }
  }
  return !in_quotes && depth == 0;
}
bool IsInts(llvm::StringRef text) { return ParseInts(text).has_value(); }
bool IsPairs(llvm::StringRef text) {
  const std::optional<std::vector<Ints>> lists = ParseLists(text);
  return lists && llvm::all_of(*lists, [](const Ints& list) { return list.size() == 2; });
}
bool IsPrecisions(llvm::StringRef text) {
  return IsWordList(text, {"default", "high", "highest", "packed_nibble"});
}
bool IsFft(llvm::StringRef text) {
  return llvm::is_contained({"FFT", "IFFT", "RFFT", "IRFFT"}, text);
}
bool IsTranspose(llvm::StringRef text) {
  return llvm::is_contained({"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}, text);
}
bool IsDistribution(llvm::StringRef text) {
  return llvm::is_contained({"rng_uniform", "rng_normal"}, text);
}
bool IsAlgorithm(llvm::StringRef text) {
  return llvm::is_contained({"rng_default", "rng_three_fry", "rng_philox"}, text) ||
         text.starts_with("dot_");
}

// An attribute that matters for semantics and is kept as text. It must be well-formed, as those who
// read the text take malformed text for an absent attribute.
struct TextRule {
  llvm::StringLiteral key;
  bool (*accepts)(llvm::StringRef);
  llvm::StringLiteral expected;
};

constexpr TextRule kTextRules[] = {
    {"alias_passthrough_params", IsBool, "true or false"},
    {"allow_spmd_sharding_propagation_to_output", IsBools, "true or false, or a list of them"},
    {"allow_spmd_sharding_propagation_to_parameters", IsBools, "true or false, or a list of them"},
    {"algorithm", IsAlgorithm, "the name of an algorithm"},
    {"buffer_donor", IsBraced, "parameters like '{ (0, {}) }'"},
    {"channel_id", IsInteger, "a number"},
    {"delta", IsInteger, "a number"},
    {"dim_labels", IsOpenLabels, "labels like 'b01f_01io->b01f'"},
    {"distribution", IsDistribution, "rng_uniform or rng_normal"},
    {"entry_computation_layout", IsEntryLayout, "shapes like '{(f32[2]{0})->f32[2]{0}}'"},
    {"epsilon", IsNumber, "a number"},
    {"feature_index", IsInteger, "a number"},
    {"fft_length", IsInts, "numbers like '{8,4}'"},
    {"fft_type", IsFft, "FFT, IFFT, RFFT or IRFFT"},
    {"frontend_attributes", IsDictionary, "names and values like '{name=\"value\"}'"},
    {"is_associative", IsBool, "true or false"},
    {"is_scheduled", IsBool, "true or false"},
    {"k", IsInteger, "a number"},
    {"largest", IsBool, "true or false"},
    {"left_side", IsBool, "true or false"},
    {"lhs_ragged_dims", IsInts, "numbers like '{8,4}'"},
    {"lower", IsBool, "true or false"},
    {"num_partitions", IsPositive, "a number of at least 1"},
    {"operand_precision", IsPrecisions, "default, high, highest or packed_nibble for each operand"},
    {"replica_count", IsPositive, "a number of at least 1"},
    {"replica_groups", IsReplicaGroups, "groups like '{{0,1},{2,3}}' or '[2,2]<=[4]'"},
    {"result_accuracy", IsAccuracy, "'{mode=default}' or a tolerance"},
    {"rhs_group_dims", IsInts, "numbers like '{8,4}'"},
    {"source_target_pairs", IsPairs, "pairs like '{{0,1},{1,0}}'"},
    {"transpose_a", IsTranspose, "NO_TRANSPOSE, TRANSPOSE or ADJOINT"},
    {"unit_diagonal", IsBool, "true or false"},
    {"use_auto_spmd_partitioning", IsBool, "true or false"},
    {"use_global_device_ids", IsBool, "true or false"},
};

bool Lists(llvm::ArrayRef<Harmless> list, llvm::StringRef key) {
  return llvm::any_of(list, [&](const Harmless& attribute) { return attribute.key == key; });
}

// The name by which `algorithm` calls a type.
llvm::StringRef TypeInAlgorithm(PrimitiveType type) {
  const llvm::StringRef name = Name(type);
  return name.starts_with("f8") ? "any_f8" : name;
}

// An algorithm that says what a dot without one does: operands as they are, sums in the type of the
// result.
bool IsPlainAlgorithm(const Instruction& dot, llvm::StringRef algorithm) {
  if (algorithm == "dot_unset") return true;
  if (dot.operands.size() < 2 || !dot.shape.IsArray()) return false;
  const PrimitiveType sums = dot.shape.type;
  if (sums != PrimitiveType::kF32 && sums != PrimitiveType::kF64) return false;
  return algorithm == ("dot_" + TypeInAlgorithm(dot.operands[0]->shape.type) + "_" +
                       TypeInAlgorithm(dot.operands[1]->shape.type) + "_" + Name(sums))
                          .str();
}

}  // namespace

bool OpHasAttribute(Opcode opcode, llvm::StringRef key) {
  for (const OpAttributes& op : kOfOps) {
    if (op.opcode != opcode) continue;
    llvm::SmallVector<llvm::StringRef> keys;
    op.keys.split(keys, ' ');
    if (llvm::is_contained(keys, key)) return true;
  }
  return false;
}

llvm::StringRef MissingAttribute(const Instruction& instruction,
                                 llvm::function_ref<bool(llvm::StringRef)> is_given) {
  for (const OpAttributes& op : kNeeded) {
    if (op.opcode != instruction.opcode) continue;
    const bool iota = op.opcode == Opcode::kIota;
    const bool broadcast = op.opcode == Opcode::kBroadcast && !instruction.operands.empty();
    if (iota && instruction.shape.rank() == 0) return {};
    if (broadcast && instruction.operands[0]->shape.rank() == 0) return {};
    llvm::SmallVector<llvm::StringRef> keys;
    op.keys.split(keys, ' ');
    for (llvm::StringRef key : keys) {
      if (!is_given(key)) return key;
    }
  }
  return {};
}

bool NeedsAttribute(Opcode opcode, llvm::StringRef key) {
  for (const OpAttributes& op : kNeeded) {
    if (op.opcode != opcode) continue;
    llvm::SmallVector<llvm::StringRef> keys;
    op.keys.split(keys, ' ');
    return llvm::is_contained(keys, key);
  }
  return false;
}

bool HasAttribute(const Instruction& instruction, llvm::StringRef key) {
  if (instruction.opcode == Opcode::kUnknown || EveryOpHasAttribute(key)) return true;
  if (key == "result_accuracy") return IsElementwise(instruction.opcode);
  const AsyncForm form = AsyncFormOf(instruction.opcode_text);
  return OpHasAttribute(instruction.opcode, key) || OpHasAttribute(form.opcode, key) ||
         OpHasAttribute(form.wrapped, key);
}

std::vector<llvm::StringRef> AttributesOfOps() {
  std::vector<llvm::StringRef> all;
  for (const OpAttributes& op : kOfOps) {
    llvm::SmallVector<llvm::StringRef> keys;
    op.keys.split(keys, ' ');
    all.insert(all.end(), keys.begin(), keys.end());
  }
  return all;
}

bool ComputationHasAttribute(llvm::StringRef key) { return Lists(kOfComputations, key); }

bool ModuleHasAttribute(llvm::StringRef key) {
  return key == "replica_count" || key == "num_partitions" || Lists(kOfModules, key);
}

llvm::StringRef ExpectedText(llvm::StringRef key, llvm::StringRef text) {
  for (const TextRule& rule : kTextRules) {
    if (rule.key != key) continue;
    if (rule.accepts(text.trim())) return {};
    return rule.expected;
  }
  const bool is_known = HasRole(key) || Lists(kOfComputations, key) || Lists(kOfModules, key);
  if (is_known) return {};
  return "nothing whose effect is unknown";
}

std::string UnmodeledAttribute(const Instruction& instruction) {
  for (const auto& [key, text] : instruction.attributes.extra) {
    const llvm::StringRef value = llvm::StringRef(text).trim();
    const bool modeled = key == "algorithm" ? instruction.opcode == Opcode::kRngBitGenerator ||
                                                  IsPlainAlgorithm(instruction, value)
                         // Two numbers of four bits in each element of eight.
                         : key == "operand_precision" ? !value.contains("packed_nibble")
                         // How close the values must be.
                         : key == "result_accuracy" ? value == "{mode=default}"
                                                    : true;
    if (!modeled) return key + "=" + value.str();
  }
  return "";
}

}  // namespace affirm::hlo
