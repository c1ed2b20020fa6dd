// Which ops stand in random graphs, and how often.
#include <algorithm>

#include "fuzz/hlo_body.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::fuzz {

using hlo::Opcode;

namespace {

struct GraphOp {
  Opcode opcode;
  bool affirmed = true;  // `check` has maps, meanings and kernels for it
};

constexpr GraphOp kMovement[] = {
    {Opcode::kBroadcast}, {Opcode::kTranspose}, {Opcode::kReverse},
    {Opcode::kSlice},     {Opcode::kPad},       {Opcode::kConcatenate},
    {Opcode::kReshape},   {Opcode::kBitcast},   {Opcode::kBitcastConvert},
    {Opcode::kIota},
};
constexpr GraphOp kElementwise[] = {
    {Opcode::kAdd},
    {Opcode::kSubtract},
    {Opcode::kMultiply},
    {Opcode::kMaximum},
    {Opcode::kMinimum},
    {Opcode::kDivide},
    {Opcode::kRemainder},
    {Opcode::kPower},
    {Opcode::kAtan2},
    {Opcode::kAnd},
    {Opcode::kOr},
    {Opcode::kXor},
    {Opcode::kShiftLeft},
    {Opcode::kShiftRightArithmetic},
    {Opcode::kShiftRightLogical},
    {Opcode::kNegate},
    {Opcode::kAbs},
    {Opcode::kSign},
    {Opcode::kNot},
    {Opcode::kPopcnt},
    {Opcode::kCountLeadingZeros},
    {Opcode::kExponential},
    {Opcode::kExponentialMinusOne},
    {Opcode::kLog},
    {Opcode::kLogPlusOne},
    {Opcode::kLogistic},
    {Opcode::kSqrt},
    {Opcode::kRsqrt},
    {Opcode::kCbrt},
    {Opcode::kSine},
    {Opcode::kCosine},
    {Opcode::kTan},
    {Opcode::kTanh},
    {Opcode::kErf},
    {Opcode::kSinh},
    {Opcode::kCosh},
    {Opcode::kAsin},
    {Opcode::kAcos},
    {Opcode::kAsinh},
    {Opcode::kAcosh},
    {Opcode::kAtanh},
    {Opcode::kCeil},
    {Opcode::kFloor},
    {Opcode::kRoundNearestAfz},
    {Opcode::kRoundNearestEven},
    {Opcode::kIsFinite},
    {Opcode::kReducePrecision},
    {Opcode::kCopy},
    {Opcode::kReal, false},
    {Opcode::kImag, false},
    {Opcode::kComplex, false},
    {Opcode::kCompare},
    {Opcode::kConvert},
    {Opcode::kClamp},
    {Opcode::kSelect},
};
constexpr GraphOp kReductions[] = {
    {Opcode::kReduce},
    {Opcode::kReduceWindow},
    {Opcode::kSort, false},
};
constexpr GraphOp kContractions[] = {
    {Opcode::kDot},
    {Opcode::kConvolution},
};
constexpr GraphOp kIndexed[] = {
    {Opcode::kDynamicSlice},
    {Opcode::kDynamicUpdateSlice},
    {Opcode::kGather},
    {Opcode::kScatter, false},
};
constexpr GraphOp kControl[] = {
    {Opcode::kCall, false},
    {Opcode::kMap},
    {Opcode::kConditional, false},
};
// The rarer ones.
constexpr GraphOp kOthers[] = {
    {Opcode::kAllGather, false},
    {Opcode::kAllReduce, false},
    {Opcode::kAllToAll, false},
    {Opcode::kBatchNormGrad, false},
    {Opcode::kBatchNormInference, false},
    {Opcode::kBatchNormTraining, false},
    {Opcode::kCholesky, false},
    {Opcode::kCollectiveBroadcast, false},
    {Opcode::kCollectivePermute, false},
    {Opcode::kDomain, false},
    {Opcode::kDynamicReshape, false},
    {Opcode::kFft, false},
    {Opcode::kGetDimensionSize, false},
    {Opcode::kOptimizationBarrier, false},
    {Opcode::kRaggedDot, false},
    {Opcode::kReduceScatter, false},
    {Opcode::kScan, false},
    {Opcode::kSelectAndScatter, false},
    {Opcode::kTopk, false},
    {Opcode::kTriangularSolve, false},
    {Opcode::kWhile, false},
};

// Elementwise ops are many and mean the same to a map: an op is chosen by its room first, and
// movement is the richest one.
using Room = llvm::ArrayRef<GraphOp>;
constexpr Room kRooms[] = {kMovement, kElementwise, kReductions,  kMovement, kContractions,
                           kIndexed,  kMovement,    kElementwise, kControl};

std::vector<Opcode> OpsWhere(llvm::function_ref<bool(const GraphOp&)> wanted) {
  std::vector<Opcode> ops;
  for (Room room : {Room(kElementwise), Room(kMovement), Room(kReductions), Room(kContractions),
                    Room(kIndexed), Room(kControl), Room(kOthers)}) {
    for (const GraphOp& op : room) {
      if (wanted(op)) ops.push_back(op.opcode);
    }
  }
  return ops;
}

}  // namespace

std::vector<Opcode> GeneratedOps() {
  return OpsWhere([](const GraphOp&) { return true; });
}

std::vector<Opcode> AffirmedOps() {
  return OpsWhere([](const GraphOp& op) { return op.affirmed; });
}

Opcode ChooseGraphOp(Choices& choices, llvm::ArrayRef<Opcode> allowed) {
  auto is_allowed = [&](const GraphOp& op) { return llvm::is_contained(allowed, op.opcode); };
  std::vector<Room> rooms(std::begin(kRooms), std::end(kRooms));
  if (llvm::any_of(kOthers, is_allowed)) rooms.push_back(kOthers);
  const size_t start = choices.Below(rooms.size());
  std::vector<Opcode> ops;
  for (size_t i = 0; i < rooms.size() && ops.empty(); ++i) {
    for (const GraphOp& op : rooms[(start + i) % rooms.size()]) {
      if (is_allowed(op)) ops.push_back(op.opcode);
    }
  }
  return ops.empty() ? Opcode::kUnknown : ops[choices.Below(ops.size())];
}

}  // namespace affirm::fuzz
