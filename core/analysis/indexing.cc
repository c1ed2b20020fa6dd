// Which op has which maps: the table from opcodes to the functions of op_maps.h.
#include "core/analysis/indexing.h"

#include <algorithm>

#include "core/analysis/dynamic_sizes.h"
#include "core/analysis/inverse.h"
#include "core/analysis/ops/op_helpers.h"
#include "core/hlo/dynamic_sizes.h"
#include "core/simplify/simplify.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::analysis {
namespace {

using hlo::Opcode;

struct OpMaps {
  OpFn output_to_input = UnknownOutputToInput;
  OpFn input_to_output = InvertedInputToOutput;
};

// The maps of ops that communicate.
OpMaps MapsOfCollective(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAllGather:
      return {AllGatherOutputToInput, AllGatherInputToOutput};
    case Opcode::kAllGatherStart:
      return {AllGatherStartOutputToInput};
    case Opcode::kAllGatherDone:
    case Opcode::kCollectivePermuteDone:
      return {AllGatherDoneOutputToInput};
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kCollectivePermute:
      return {AllReduceOutputToInput};
    case Opcode::kCollectivePermuteStart:
      return {CollectivePermuteStartOutputToInput};
    case Opcode::kReduceScatter:
      return {ReduceScatterOutputToInput};
    case Opcode::kAllToAll:
      return {AllToAllOutputToInput};
    case Opcode::kCollectiveBroadcast:
      return {CollectiveBroadcastOutputToInput};
    case Opcode::kRaggedAllToAll:
      return {RaggedAllToAllOutputToInput};
    default:
      return {};
  }
}

// The maps of ops that have no operands, pass them through, or call computations.
OpMaps MapsOfForwardOrCall(Opcode opcode) {
  switch (opcode) {
    case Opcode::kConstant:
    case Opcode::kIota:
    case Opcode::kParameter:
    case Opcode::kPartitionId:
    case Opcode::kReplicaId:
    case Opcode::kRngGetAndUpdateState:
      return {NullaryOutputToInput, NullaryInputToOutput};
    case Opcode::kTuple:
      return {TupleOutputToInput, TupleInputToOutput};
    case Opcode::kGetTupleElement:
      return {GetTupleElementOutputToInput, GetTupleElementInputToOutput};
    case Opcode::kAddDependency:
    case Opcode::kAsyncUpdate:
    case Opcode::kDomain:
    case Opcode::kOptimizationBarrier:
      return {PassThroughOutputToInput, PassThroughInputToOutput};
    case Opcode::kCopyStart:
      return {CopyStartOutputToInput};
    case Opcode::kAllReduceDone:
    case Opcode::kCopyDone:
      return {CopyDoneOutputToInput};
    case Opcode::kCall:
    case Opcode::kFusion:
      return {CallOutputToInput, CallInputToOutput};
    case Opcode::kConditional:
      return {ConditionalOutputToInput};
    case Opcode::kWhile:
      return {WhileOutputToInput};
    case Opcode::kAsyncStart:
      return {AsyncStartOutputToInput};
    case Opcode::kAsyncDone:
      return {AsyncDoneOutputToInput};
    default:
      return MapsOfCollective(opcode);
  }
}

// An op that is not named in these tables is unknown in both directions.
OpMaps MapsOf(Opcode opcode) {
  if (hlo::IsElementwise(opcode)) return {ElementwiseOutputToInput};
  switch (opcode) {
    case Opcode::kMap:
      return {ElementwiseOutputToInput};
    case Opcode::kRng:
      return {RngOutputToInput};
    case Opcode::kRngBitGenerator:
      return {RngBitGeneratorOutputToInput};
    case Opcode::kGetDimensionSize:
      return {GetDimensionSizeOutputToInput};
    case Opcode::kSetDimensionSize:
      return {SetDimensionSizeOutputToInput};
    case Opcode::kBroadcast:
      return {BroadcastOutputToInput};
    case Opcode::kTranspose:
      return {TransposeOutputToInput};
    case Opcode::kReverse:
      return {ReverseOutputToInput};
    case Opcode::kSlice:
      return {SliceOutputToInput};
    case Opcode::kPad:
      return {PadOutputToInput, PadInputToOutput};
    case Opcode::kConcatenate:
      return {ConcatenateOutputToInput};
    case Opcode::kReshape:
      return {ReshapeOutputToInput, ReshapeInputToOutput};
    case Opcode::kDynamicReshape:
      return {DynamicReshapeOutputToInput};
    case Opcode::kBitcast:
      return {BitcastOutputToInput, BitcastInputToOutput};
    case Opcode::kBitcastConvert:
      return {BitcastConvertOutputToInput};
    case Opcode::kReduce:
      return {ReduceOutputToInput};
    case Opcode::kScan:
      return {ScanOutputToInput};
    case Opcode::kSort:
      return {SortOutputToInput};
    case Opcode::kTopk:
      return {TopKOutputToInput};
    case Opcode::kReduceWindow:
      return {ReduceWindowOutputToInput, ReduceWindowInputToOutput};
    case Opcode::kSelectAndScatter:
      return {SelectAndScatterOutputToInput};
    case Opcode::kDot:
      return {DotOutputToInput};
    case Opcode::kRaggedDot:
      return {RaggedDotOutputToInput};
    case Opcode::kFft:
      return {FftOutputToInput};
    case Opcode::kCholesky:
      return {CholeskyOutputToInput};
    case Opcode::kTriangularSolve:
      return {TriangularSolveOutputToInput};
    case Opcode::kScaledDot:
      return {ScaledDotOutputToInput};
    case Opcode::kConvolution:
      return {ConvolutionOutputToInput, ConvolutionInputToOutput};
    case Opcode::kDynamicSlice:
      return {DynamicSliceOutputToInput};
    case Opcode::kDynamicUpdateSlice:
      return {DynamicUpdateSliceOutputToInput};
    case Opcode::kGather:
      return {GatherOutputToInput};
    case Opcode::kScatter:
      return {ScatterOutputToInput};
    case Opcode::kBatchNormGrad:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormTraining:
      return {BatchNormOutputToInput};
    default:
      return MapsOfForwardOrCall(opcode);
  }
}

// Whether the op has as many operands as its opcode takes, none of them null. The functions of the
// table rely on it.
bool HasItsOperands(const hlo::Instruction& op) {
  int arity = hlo::Arity(op.opcode);
  if (arity >= 0 && op.operands.size() != static_cast<size_t>(arity)) return false;
  return std::none_of(op.operands.begin(), op.operands.end(),
                      [](const hlo::Instruction* operand) { return operand == nullptr; });
}

// Drops the maps that are known to be empty and those that lead to an array without elements: they
// relate no elements. `to` finds the array by list and leaf.
template <typename To>
void DropEmpty(InstructionIndexing& indexing, To to) {
  for (size_t k = 0; k < indexing.maps.size(); ++k) {
    std::erase_if(indexing.maps[k], [&](const LabeledMap& m) {
      if (m.map.IsUndefined()) return false;
      const hlo::Shape* array = to(k, m.leaf);
      return m.map.IsKnownEmpty() ||
             (array && array->IsArray() && llvm::is_contained(array->dims, 0));
    });
  }
}

}  // namespace

InstructionIndexing UnknownOutputToInput(const hlo::Instruction& op, int64_t, Session&) {
  InstructionIndexing out = NothingRead(op);
  for (size_t k = 0; k < out.maps.size(); ++k) {
    if (!op.operands[k]) continue;
    for (int64_t leaf = 0; leaf < NumLeaves(op.operands[k]->shape); ++leaf) {
      out.maps[k].push_back(Unknown(leaf));
    }
  }
  return out;
}

InstructionIndexing UnknownInputToOutput(const hlo::Instruction& op, int64_t operand, Session&) {
  InstructionIndexing out = NothingWritten(op);
  // An op without operands counts as its own input.
  const hlo::Shape& from = op.operands.empty() ? op.shape : op.operands[operand]->shape;
  for (std::vector<LabeledMap>& maps : out.maps) {
    for (int64_t leaf = 0; leaf < NumLeaves(from); ++leaf) maps.push_back(Unknown(leaf));
  }
  return out;
}

namespace {

// The maps by the table, restricted to the actual sizes of arrays with dynamic sizes.
InstructionIndexing ByTable(const hlo::Instruction& op, int64_t output_id, Session& session) {
  if (!HasItsOperands(op)) return UnknownOutputToInput(op, output_id, session);
  InstructionIndexing out = MapsOf(op.opcode).output_to_input(op, output_id, session);
  if (!hlo::UsesDynamicSizes(op, output_id)) return out;
  return WithDynamicSizes(op, output_id, std::move(out), session);
}

// The same, found once for all operands.
std::shared_ptr<const InstructionIndexing> KeptByTable(const Session::Leaf& of, Session& session) {
  const auto kept = session.by_table.find(of);
  if (kept != session.by_table.end()) return kept->second;
  const int64_t cut_off = session.nesting->cut_off;
  auto maps = std::make_shared<const InstructionIndexing>(ByTable(*of.first, of.second, session));
  if (session.nesting->cut_off == cut_off) session.by_table[of] = maps;
  return maps;
}

}  // namespace

InstructionIndexing InvertedInputToOutput(const hlo::Instruction& op, int64_t operand,
                                          Session& session) {
  InstructionIndexing out = NothingWritten(op);
  for (size_t id = 0; id < out.maps.size(); ++id) {
    const auto output_to_input = KeptByTable({&op, static_cast<int64_t>(id)}, session);
    for (const LabeledMap& m : output_to_input->maps[operand]) {
      const hlo::Shape* from = LeafShape(op.operands[operand]->shape, m.leaf);
      LabeledMap inverse = m;
      inverse.map = from ? Inverse(m.map, from->dims) : IndexingMap::Undefined();
      inverse.replica_id = std::nullopt;
      if (inverse.map.IsUndefined()) {
        inverse = Unknown(m.leaf);
      } else if (m.replica_id) {
        // On which replica the element is read is part of the relation.
        inverse.exactness = Weaker(inverse.exactness, Exactness::kOverApproximate);
      }
      AddDistinct(out.maps[id], std::move(inverse));
    }
  }
  return out;
}

InstructionIndexing OutputToInput(const hlo::Instruction& op, int64_t output_id, Session& session) {
  if (!LeafShape(op.shape, output_id)) return {};
  InstructionIndexing out = ByTable(op, output_id, session);
  DropEmpty(out, [&](size_t k, int64_t leaf) { return LeafShape(op.operands[k]->shape, leaf); });
  return out;
}

InstructionIndexing InputToOutput(const hlo::Instruction& op, int64_t input_id, Session& session) {
  OpMaps maps = MapsOf(op.opcode);
  bool is_nullary = maps.input_to_output == OpFn{NullaryInputToOutput};
  int64_t inputs = is_nullary ? 1 : static_cast<int64_t>(op.operands.size());
  if (input_id < 0 || input_id >= inputs) return {};
  if (!HasItsOperands(op)) return {};
  // The other functions take bounds for sizes.
  const auto [dynamic, is_new] = session.dynamic.try_emplace(&op);
  if (is_new) dynamic->second = hlo::UsesDynamicSizes(op);
  const bool is_unknown = dynamic->second && maps.input_to_output != OpFn{InvertedInputToOutput};
  InstructionIndexing out = is_unknown ? UnknownInputToOutput(op, input_id, session)
                                       : maps.input_to_output(op, input_id, session);
  DropEmpty(out, [&](size_t k, int64_t) { return LeafShape(op.shape, static_cast<int64_t>(k)); });
  return out;
}

}  // namespace affirm::analysis

namespace affirm {
namespace {

using analysis::Session;

// The maps of a single instruction, simplified for output.
InstructionIndexing ShownMaps(InstructionIndexing indexing) {
  for (std::vector<LabeledMap>& maps : indexing.maps) {
    if (maps.empty()) continue;
    std::vector<LabeledMap> distinct;
    for (LabeledMap& m : maps) {
      m.map = analysis::SimplifyExceptPoints(m.map);
      if (m.replica_id) m.replica_id = analysis::SimplifyExceptPoints(*m.replica_id);
      if (!m.map.IsKnownEmpty()) analysis::AddDistinct(distinct, std::move(m));
    }
    maps = std::move(distinct);
  }
  return indexing;
}

// Whether the maps are equal once simplified; the labels may differ.
bool HasSameMaps(llvm::ArrayRef<LabeledMap> a, llvm::ArrayRef<LabeledMap> b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip_equal(a, b), [](const auto& pair) {
           const auto& [x, y] = pair;
           return Simplify(x.map) == Simplify(y.map) && x.leaf == y.leaf &&
                  x.replica_id == y.replica_id;
         });
}

bool IsOverApproximate(const LabeledMap& m) { return m.exactness == Exactness::kOverApproximate; }

// Whether the maps of an instruction are compositions through a computation, which may be large.
// All are already simplified, and have the weakest label on the way.
bool IsComposed(const hlo::Instruction& op) {
  switch (op.opcode) {
    case hlo::Opcode::kFusion:
    case hlo::Opcode::kCall:
    case hlo::Opcode::kConditional:
      return true;
    default:
      return false;
  }
}

// The maps that XLA prints, labeled exact where they equal the exact ones, as for an update that is
// as large as the array.
template <typename Indexing>
InstructionIndexing AnalyzeLabeled(const hlo::Instruction& op, Session& session,
                                   Indexing indexing) {
  // The maps of a loop are made of compositions but are none themselves, and neither is the inverse
  // of a composition, which an operand of async-start has.
  if (op.opcode == hlo::Opcode::kWhile || op.opcode == hlo::Opcode::kAsyncStart)
    return ShownMaps(indexing(session));
  if (IsComposed(op)) return indexing(session);
  InstructionIndexing out = ShownMaps(indexing(session));
  auto is_wider = [](const auto& maps) { return llvm::any_of(maps, IsOverApproximate); };
  if (session.options.exact || llvm::none_of(out.maps, is_wider)) return out;
  InstructionIndexing exact = ShownMaps(indexing(session.OfExactMaps()));
  for (auto [maps, exact_maps] : llvm::zip_equal(out.maps, exact.maps)) {
    if (!HasSameMaps(maps, exact_maps)) continue;
    for (auto [m, e] : llvm::zip_equal(maps, exact_maps)) m.exactness = e.exactness;
  }
  return out;
}

}  // namespace

IndexingMemo::IndexingMemo(Context& context) : context_(context) {}
IndexingMemo::~IndexingMemo() = default;

Session& IndexingMemo::SessionOf(const IndexingOptions& options) {
  std::unique_ptr<Session>& session = sessions_[options.fold_runtime];
  if (!session) {
    session.reset(new Session{.context = context_, .options = options});
    session->options.exact = false;
  }
  return options.exact ? session->OfExactMaps() : *session;
}

InstructionIndexing OutputToInput(const hlo::Instruction& instruction, int64_t output_id,
                                  IndexingMemo& memo, const IndexingOptions& options) {
  return AnalyzeLabeled(instruction, memo.SessionOf(options), [&](Session& session) {
    return analysis::OutputToInput(instruction, output_id, session);
  });
}

InstructionIndexing InputToOutput(const hlo::Instruction& instruction, int64_t input_id,
                                  IndexingMemo& memo, const IndexingOptions& options) {
  return AnalyzeLabeled(instruction, memo.SessionOf(options), [&](Session& session) {
    return analysis::InputToOutput(instruction, input_id, session);
  });
}

InstructionIndexing OutputToInput(const hlo::Instruction& instruction, int64_t output_id,
                                  Context& context, const IndexingOptions& options) {
  IndexingMemo memo(context);
  return OutputToInput(instruction, output_id, memo, options);
}

InstructionIndexing InputToOutput(const hlo::Instruction& instruction, int64_t input_id,
                                  Context& context, const IndexingOptions& options) {
  IndexingMemo memo(context);
  return InputToOutput(instruction, input_id, memo, options);
}

}  // namespace affirm
