// The maps of each op: one function per op and direction, one file per op family. The table in
// indexing.cc has the functions of each op. Internal to core/analysis.
//
// A function for output-to-input gets the output leaf that the maps start from and returns one list
// of maps per operand; one for input-to-output gets the operand and returns one list per output
// leaf. For a reduce of f32[20,10] along dimension 1, ReduceOutputToInput(op, 0, session).maps is
//   { {(d0)[s0] -> (d0, s0)}, {(d0) -> ()} }
// where the second list belongs to the initial value.
#ifndef AFFIRM_CORE_ANALYSIS_OPS_OP_MAPS_H_
#define AFFIRM_CORE_ANALYSIS_OPS_OP_MAPS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/analysis/indexing.h"
#include "llvm/ADT/DenseMap.h"

namespace affirm::analysis {

class CarriedAnalysis;

// State shared by queries with the same options, including their recursion into called computations
// and loops. The modules must not change while it lives.
struct Session {
  Context& context;
  IndexingOptions options = {};
  // Maps from output leaf `second` of a computation's root to its parameters, by parameter number.
  std::map<std::pair<const hlo::Computation*, int64_t>, InstructionIndexing> to_parameters = {};
  // Maps from leaf 0.. of parameter `second` to the leaves of the root.
  std::map<std::pair<const hlo::Computation*, int64_t>, InstructionIndexing> from_parameter = {};
  // Maps from an array leaf of an instruction to the leaves of its computation's root.
  using Leaf = std::pair<const hlo::Instruction*, int64_t>;
  std::map<Leaf, std::vector<LabeledMap>> to_root = {};
  // Maps from an output leaf of an instruction to its operands, as the table of ops says.
  std::map<Leaf, std::shared_ptr<const InstructionIndexing>> by_table = {};
  // The analysis so far of each loop's carried values.
  std::map<const hlo::Instruction*, std::shared_ptr<CarriedAnalysis>> loops = {};
  // How many instructions of its module call a computation.
  llvm::DenseMap<const hlo::Computation*, int64_t> call_counts{};
  // Whether an instruction uses dynamic sizes, asked for each operand anew.
  llvm::DenseMap<const hlo::Instruction*, bool> dynamic{};
  int64_t compositions = 0;  // how many were made
  // Shared by both sessions: how many calls are being followed, and how often the depth limit cut
  // one off. No result that was cut off may be cached.
  struct Nesting {
    int depth = 0;
    int64_t cut_off = 0;
  };
  std::shared_ptr<Nesting> nesting = std::make_shared<Nesting>();
  std::unique_ptr<Session> exact = nullptr;

  // The session of exact maps, for steps that need them: this one, or one that it owns.
  Session& OfExactMaps() {
    if (options.exact) return *this;
    if (!exact) {
      exact.reset(new Session{.context = context, .options = options, .nesting = nesting});
      exact->options.exact = true;
    }
    return *exact;
  }
};

using OpFn = InstructionIndexing (*)(const hlo::Instruction&, int64_t id, Session&);

// The maps of a single instruction, from the table. Known-empty maps are dropped.
InstructionIndexing OutputToInput(const hlo::Instruction& op, int64_t output_id, Session& session);
InstructionIndexing InputToOutput(const hlo::Instruction& op, int64_t input_id, Session& session);

// By file of core/analysis/ops.
// collectives.cc
InstructionIndexing AllGatherOutputToInput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing AllGatherInputToOutput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing AllGatherStartOutputToInput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing AllGatherDoneOutputToInput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing AllReduceOutputToInput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing CollectivePermuteStartOutputToInput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing ReduceScatterOutputToInput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing AllToAllOutputToInput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing CollectiveBroadcastOutputToInput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing RaggedAllToAllOutputToInput(const hlo::Instruction&, int64_t, Session&);
// contraction.cc
InstructionIndexing DotOutputToInput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing ScaledDotOutputToInput(const hlo::Instruction&, int64_t, Session&);
// contraction_convolution.cc
InstructionIndexing ConvolutionOutputToInput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing ConvolutionInputToOutput(const hlo::Instruction&, int64_t, Session&);
// contraction_ragged.cc
InstructionIndexing RaggedDotOutputToInput(const hlo::Instruction&, int64_t, Session&);
// control.cc
InstructionIndexing CallOutputToInput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing CallInputToOutput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing ConditionalOutputToInput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing WhileOutputToInput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing AsyncStartOutputToInput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing AsyncDoneOutputToInput(const hlo::Instruction&, int64_t, Session&);
// control_tuple.cc
InstructionIndexing TupleOutputToInput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing TupleInputToOutput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing GetTupleElementOutputToInput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing GetTupleElementInputToOutput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing PassThroughOutputToInput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing PassThroughInputToOutput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing CopyStartOutputToInput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing CopyDoneOutputToInput(const hlo::Instruction&, int64_t, Session&);
// elementwise.cc
InstructionIndexing ElementwiseOutputToInput(const hlo::Instruction&, int64_t, Session&);
// gather_scatter.cc
InstructionIndexing GatherOutputToInput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing ScatterOutputToInput(const hlo::Instruction&, int64_t, Session&);
// linalg.cc
InstructionIndexing FftOutputToInput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing CholeskyOutputToInput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing TriangularSolveOutputToInput(const hlo::Instruction&, int64_t, Session&);
// movement.cc
InstructionIndexing BroadcastOutputToInput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing TransposeOutputToInput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing ReverseOutputToInput(const hlo::Instruction&, int64_t, Session&);
// movement_bitcast.cc
InstructionIndexing BitcastOutputToInput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing BitcastInputToOutput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing BitcastConvertOutputToInput(const hlo::Instruction&, int64_t, Session&);
// movement_reshape.cc
InstructionIndexing ReshapeOutputToInput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing ReshapeInputToOutput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing DynamicReshapeOutputToInput(const hlo::Instruction&, int64_t, Session&);
// normalization.cc
InstructionIndexing BatchNormOutputToInput(const hlo::Instruction&, int64_t, Session&);
// nullary.cc
InstructionIndexing NullaryOutputToInput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing NullaryInputToOutput(const hlo::Instruction&, int64_t, Session&);
// random.cc
InstructionIndexing RngOutputToInput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing RngBitGeneratorOutputToInput(const hlo::Instruction&, int64_t, Session&);
// reduction.cc
InstructionIndexing ReduceOutputToInput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing ScanOutputToInput(const hlo::Instruction&, int64_t, Session&);
// slicing.cc
InstructionIndexing SliceOutputToInput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing PadOutputToInput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing PadInputToOutput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing ConcatenateOutputToInput(const hlo::Instruction&, int64_t, Session&);
// slicing_dynamic.cc
InstructionIndexing DynamicSliceOutputToInput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing DynamicUpdateSliceOutputToInput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing GetDimensionSizeOutputToInput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing SetDimensionSizeOutputToInput(const hlo::Instruction&, int64_t, Session&);
// sorting.cc
InstructionIndexing SortOutputToInput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing TopKOutputToInput(const hlo::Instruction&, int64_t, Session&);
// window.cc
InstructionIndexing ReduceWindowOutputToInput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing ReduceWindowInputToOutput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing SelectAndScatterOutputToInput(const hlo::Instruction&, int64_t, Session&);

// Input-to-output of most ops: the inverse relation of their output-to-input maps (inverse.h).
InstructionIndexing InvertedInputToOutput(const hlo::Instruction&, int64_t input_id, Session&);
// Answers that nothing is known.
InstructionIndexing UnknownOutputToInput(const hlo::Instruction&, int64_t, Session&);
InstructionIndexing UnknownInputToOutput(const hlo::Instruction&, int64_t, Session&);

}  // namespace affirm::analysis

#endif  // AFFIRM_CORE_ANALYSIS_OPS_OP_MAPS_H_
