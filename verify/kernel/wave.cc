#include "verify/kernel/wave.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/TargetParser/TargetParser.h"

namespace affirm::kernel {
namespace {

constexpr int64_t kLanesOfHalf = 32, kLanesOfRow = 16;

// The number of a constant operand; nullopt where it is none.
std::optional<uint32_t> NumberOf(const llvm::CallBase& call, unsigned operand) {
  const auto* number = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(operand));
  if (number == nullptr || number->getBitWidth() > 32) return std::nullopt;
  return static_cast<uint32_t>(number->getZExtValue());
}

LaneSource FromLane(int64_t lane) { return {LaneSource::From::kLane, lane}; }

// dpp_ctrl: the lane that is read; nullopt where there is none. Lanes of a row are 16.
std::optional<int64_t> LaneOfDpp(uint32_t control, int64_t lane, int64_t lanes) {
  const int64_t in_row = lane % kLanesOfRow, row = lane - in_row, by = control & 0xf;
  auto if_inside = [](int64_t from, int64_t first, int64_t count) -> std::optional<int64_t> {
    if (from < first || from >= first + count) return std::nullopt;
    return from;
  };
  if (control <= 0xff) return lane - lane % 4 + (control >> 2 * (lane % 4) & 3);  // quad_perm
  switch (control & ~0xfU) {
    case 0x100:  // row_shl
      return if_inside(lane + by, row, kLanesOfRow);
    case 0x110:  // row_shr
      return if_inside(lane - by, row, kLanesOfRow);
    case 0x120:  // row_ror
      return row + (in_row + kLanesOfRow - by) % kLanesOfRow;
    case 0x150:  // row_newbcast, row_share
      return row + by;
    case 0x160:  // row_xmask
      return row + (in_row ^ by);
    default:
      break;
  }
  switch (control) {
    case 0x130:  // wave_shl
      return if_inside(lane + 1, 0, lanes);
    case 0x134:  // wave_rol
      return (lane + 1) % lanes;
    case 0x138:  // wave_shr
      return if_inside(lane - 1, 0, lanes);
    case 0x13c:  // wave_ror
      return (lane + lanes - 1) % lanes;
    case 0x140:  // row_mirror
      return row + kLanesOfRow - 1 - in_row;
    case 0x141:  // row_half_mirror
      return lane - lane % 8 + 7 - lane % 8;
    case 0x142:  // row_bcast:15
      return if_inside(row - 1, 0, lanes);
    default:  // row_bcast:31
      return lane < kLanesOfHalf ? std::nullopt : std::optional<int64_t>(kLanesOfHalf - 1);
  }
}

// Among the controls of LaneOfDpp().
bool IsControlOfDpp(uint32_t control) {
  if (control <= 0xff) return true;
  const bool of_row = llvm::is_contained({0x100U, 0x110U, 0x120U}, control & ~0xfU);
  if (of_row) return (control & 0xf) != 0;
  return (control >= 0x150 && control <= 0x16f) ||
         llvm::is_contained({0x130U, 0x134U, 0x138U, 0x13cU, 0x140U, 0x141U, 0x142U, 0x143U},
                            control);
}

// Offset of ds.swizzle: groups of four lanes, or bits of the number in groups of 32. Those beyond
// are rotations, which not all devices have.
constexpr uint32_t kSwizzlesFour = 0x8000, kEndOfSwizzles = 0x8100;

int64_t LaneOfSwizzle(uint32_t control, int64_t lane) {
  if (control >= kSwizzlesFour) return lane - lane % 4 + (control >> 2 * (lane % 4) & 3);
  const int64_t in_half = lane % kLanesOfHalf, bits = kLanesOfHalf - 1;
  const int64_t from =
      ((in_half & (control & bits)) | (control >> 5 & bits)) ^ (control >> 10 & bits);
  return lane - in_half + from;
}

std::optional<WaveExchange> DppOf(const llvm::CallBase& call, unsigned value) {
  WaveExchange exchange = {.kind = WaveExchange::Kind::kDpp, .value = value};
  if (value == 1) exchange.old = 0;
  const auto control = NumberOf(call, value + 1), rows = NumberOf(call, value + 2),
             banks = NumberOf(call, value + 3), zero = NumberOf(call, value + 4);
  if (!control || !rows || !banks || !zero || !IsControlOfDpp(*control)) return std::nullopt;
  exchange.control = *control;
  exchange.row_mask = *rows;
  exchange.bank_mask = *banks;
  exchange.zero_beyond = *zero != 0;
  return exchange;
}

// Whether a fence orders all memory, of a block at least.
bool OrdersBlock(const llvm::FenceInst& fence) {
  if (fence.hasMetadata(llvm::LLVMContext::MD_mmra)) return false;
  if (fence.getSyncScopeID() == llvm::SyncScope::System) return true;
  llvm::SmallVector<llvm::StringRef, 8> names;
  fence.getContext().getSyncScopeNames(names);
  return llvm::is_contained({"workgroup", "cluster", "agent"}, names[fence.getSyncScopeID()]);
}

// Whether lanes wait for each other there, or in a function that is called: of those in `seen`, in
// another place.
bool MayWait(const llvm::Instruction& op, llvm::SmallPtrSetImpl<const llvm::Function*>& seen) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&op);
  if (call == nullptr) return false;
  const llvm::Function* function = call->getCalledFunction();
  if (function == nullptr) return IsAligned(*call);
  if (function->isDeclaration()) return IsExchange(*function) || IsAligned(*call);
  return seen.insert(function).second &&
         llvm::any_of(llvm::instructions(*function),
                      [&](const llvm::Instruction& inner) { return MayWait(inner, seen); });
}

}  // namespace

bool IsOfAmdgpu(const KernelIr& ir) {
  return ir.module->getTargetTriple().isAMDGCN() ||
         ir.kernel->getCallingConv() == llvm::CallingConv::AMDGPU_KERNEL;
}

std::optional<int64_t> LanesOf(const KernelIr& ir) {
  constexpr int64_t kOfWarp = 32, kOfWave = 64;
  if (!IsOfAmdgpu(ir)) return kOfWarp;
  llvm::SmallVector<llvm::StringRef> features;
  ir.kernel->getFnAttribute("target-features").getValueAsString().split(features, ',');
  const bool narrow = llvm::is_contained(features, "+wavefrontsize32"),
             wide = llvm::is_contained(features, "+wavefrontsize64");
  if (narrow && wide) return std::nullopt;
  const llvm::StringRef processor = ir.kernel->getFnAttribute("target-cpu").getValueAsString();
  int64_t usual = kOfWave;
  if (!processor.empty() && !processor.starts_with("generic")) {
    const llvm::AMDGPU::GPUKind kind = llvm::AMDGPU::parseArchAMDGCN(processor);
    if (kind == llvm::AMDGPU::GK_NONE) return std::nullopt;
    const unsigned has = llvm::AMDGPU::getArchAttrAMDGCN(kind);
    usual = (has & llvm::AMDGPU::FEATURE_WAVE32) != 0 ? kOfWarp : kOfWave;
    if ((narrow || wide) && usual != (narrow ? kOfWarp : kOfWave)) return std::nullopt;
  }
  if (narrow || wide) return narrow ? kOfWarp : kOfWave;
  return usual;
}

IdentifierForm FormOfIdentifier(llvm::StringRef function) {
  if (function.starts_with("llvm.amdgcn.workitem.id.") ||
      function.starts_with("llvm.amdgcn.workgroup.id."))
    return IdentifierForm::kOfName;
  return llvm::StringSwitch<IdentifierForm>(function)
      .Cases({"__ockl_get_local_id", "__ockl_get_group_id", "__ockl_get_local_size",
              "__ockl_get_num_groups"},
             IdentifierForm::kOfOperand)
      .Default(IdentifierForm::kNone);
}

std::optional<WaveIdentifier> FindIdentifier(const llvm::CallBase& call) {
  using Of = WaveIdentifier::Of;
  const llvm::Function* function = call.getCalledFunction();
  if (function == nullptr) return std::nullopt;
  const llvm::StringRef name = function->getName();
  const IdentifierForm form = FormOfIdentifier(name);
  if (form == IdentifierForm::kNone) return std::nullopt;
  if (form == IdentifierForm::kOfName) {
    const auto [what, axis] = name.rsplit('.');
    if (axis.size() != 1 || axis[0] < 'x' || axis[0] > 'z') return std::nullopt;
    return WaveIdentifier{what.contains("workitem") ? Of::kThread : Of::kBlock, axis[0] - 'x'};
  }
  if (call.arg_size() != 1 || !call.getType()->isIntegerTy()) return std::nullopt;
  const auto dimension = NumberOf(call, 0);
  if (!dimension || *dimension > 2) return std::nullopt;
  const Of of = llvm::StringSwitch<Of>(name)
                    .Case("__ockl_get_local_id", Of::kThread)
                    .Case("__ockl_get_group_id", Of::kBlock)
                    .Case("__ockl_get_local_size", Of::kThreads)
                    .Default(Of::kBlocks);
  return WaveIdentifier{of, static_cast<int>(*dimension)};
}

bool IsExchange(const llvm::Function& function) {
  switch (function.getIntrinsicID()) {
    case llvm::Intrinsic::amdgcn_ballot:
    case llvm::Intrinsic::amdgcn_readfirstlane:
    case llvm::Intrinsic::amdgcn_readlane:
    case llvm::Intrinsic::amdgcn_ds_bpermute:
    case llvm::Intrinsic::amdgcn_ds_swizzle:
    case llvm::Intrinsic::amdgcn_mov_dpp:
    case llvm::Intrinsic::amdgcn_update_dpp:
      return true;
    default:
      return false;
  }
}

bool IsAligned(const llvm::CallBase& call) {
  if (const auto* text = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand()))
    return llvm::StringRef(text->getAsmString()).contains(".aligned");
  const llvm::Function* function = call.getCalledFunction();
  if (function == nullptr) return false;
  const llvm::StringRef name = function->getName();
  return name.contains(".aligned") || name == "llvm.amdgcn.s.barrier" ||
         name == "llvm.nvvm.barrier0" || name == "llvm.nvvm.barrier" ||
         name == "llvm.nvvm.barrier.n" || name == "llvm.nvvm.bar.sync";
}

std::optional<WaveExchange> FindExchange(const llvm::CallBase& call, int64_t lanes) {
  using Kind = WaveExchange::Kind;
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::amdgcn_ballot:
      if (call.getType()->getIntegerBitWidth() < lanes) return std::nullopt;
      return WaveExchange{.kind = Kind::kBallot};
    case llvm::Intrinsic::amdgcn_readfirstlane:
      return WaveExchange{.kind = Kind::kFromFirst};
    case llvm::Intrinsic::amdgcn_readlane:
      return WaveExchange{.kind = Kind::kFromLane, .index = 1};
    case llvm::Intrinsic::amdgcn_ds_bpermute:
      return WaveExchange{.kind = Kind::kFromByte, .value = 1, .index = 0};
    case llvm::Intrinsic::amdgcn_ds_swizzle: {
      const auto control = NumberOf(call, 1);
      if (!control || (*control & 0xffff) >= kEndOfSwizzles) return std::nullopt;
      return WaveExchange{.kind = Kind::kSwizzle, .control = *control & 0xffff};
    }
    case llvm::Intrinsic::amdgcn_mov_dpp:
      return DppOf(call, 0);
    case llvm::Intrinsic::amdgcn_update_dpp:
      return DppOf(call, 1);
    default:
      return std::nullopt;
  }
}

LaneSource SourceOf(const WaveExchange& exchange, int64_t lane, uint32_t index, int64_t lanes) {
  using Kind = WaveExchange::Kind;
  switch (exchange.kind) {
    case Kind::kFromLane:
      return FromLane(index % lanes);
    case Kind::kFromByte:
      return FromLane(index / 4 % lanes);
    case Kind::kSwizzle:
      return FromLane(LaneOfSwizzle(exchange.control, lane));
    case Kind::kDpp: {
      const bool has_row = (exchange.row_mask >> lane / kLanesOfRow & 1) != 0,
                 has_bank = (exchange.bank_mask >> lane % kLanesOfRow / 4 & 1) != 0;
      if (!has_row || !has_bank) return {LaneSource::From::kOld, 0};
      if (auto from = LaneOfDpp(exchange.control, lane, lanes)) return FromLane(*from);
      return {exchange.zero_beyond ? LaneSource::From::kZero : LaneSource::From::kOld, 0};
    }
    default:
      return FromLane(lane);
  }
}

bool OrdersInstructionsAlone(llvm::StringRef function) {
  if (!function.consume_front("llvm.amdgcn.")) return false;
  return llvm::any_of(llvm::ArrayRef<llvm::StringRef>({"sched.", "wave.barrier", "s.waitcnt",
                                                       "s.setprio", "s.sleep", "iglp.opt"}),
                      [&](llvm::StringRef prefix) { return function.starts_with(prefix); });
}

uint32_t LanesBelow(int64_t lane, bool upper) {
  const uint64_t below = (uint64_t{1} << lane) - 1;
  return static_cast<uint32_t>(upper ? below >> kLanesOfHalf : below);
}

bool IsFenced(const llvm::CallBase& barrier) {
  auto orders = [](const llvm::Instruction* at, bool acquires, bool forward) {
    while ((at = forward ? at->getNextNode() : at->getPrevNode()) != nullptr) {
      if (const auto* fence = llvm::dyn_cast<llvm::FenceInst>(at)) {
        const auto ordering = fence->getOrdering();
        const bool is_right =
            acquires ? llvm::isAcquireOrStronger(ordering) : llvm::isReleaseOrStronger(ordering);
        if (is_right && OrdersBlock(*fence)) return true;
        continue;
      }
      if (at->mayReadOrWriteMemory() || at->isTerminator()) return false;
    }
    return false;
  };
  return orders(&barrier, false, false) && orders(&barrier, true, true);
}

WaveLoops::WaveLoops(const llvm::Function& function) {
  // Neither changes the function.
  llvm::DominatorTree tree(const_cast<llvm::Function&>(function));
  const llvm::LoopInfo loops(tree);
  llvm::DenseMap<const llvm::BasicBlock*, size_t> order;
  llvm::DenseSet<const llvm::Loop*> counts;
  for (const llvm::BasicBlock* block : llvm::ReversePostOrderTraversal(&function)) {
    order.try_emplace(block, order.size());
    const bool waits = llvm::any_of(*block, [](const llvm::Instruction& op) {
      llvm::SmallPtrSet<const llvm::Function*, 4> seen;
      return MayWait(op, seen);
    });
    if (!waits) continue;
    for (const llvm::Loop* loop = loops.getLoopFor(block); loop; loop = loop->getParentLoop())
      counts.insert(loop);
  }
  for (const auto& [block, place] : order) {
    for (const llvm::Loop* loop = loops.getLoopFor(block); loop; loop = loop->getParentLoop()) {
      if (!counts.contains(loop)) continue;
      around_[block].push_back(loop->getHeader());
      headers_.insert(loop->getHeader());
    }
    for (const llvm::BasicBlock* to : llvm::successors(block)) {
      const llvm::Loop* loop = loops.getLoopFor(to);
      const bool repeats = loop && loop->getHeader() == to && loop->contains(block);
      if (order.lookup(to) <= place && !repeats) is_reducible_ = false;
    }
  }
}

llvm::ArrayRef<const llvm::BasicBlock*> WaveLoops::Around(const llvm::BasicBlock* block) const {
  const auto found = around_.find(block);
  return found == around_.end() ? llvm::ArrayRef<const llvm::BasicBlock*>() : found->second;
}

bool WaveLoops::Repeats(const llvm::BasicBlock* from, const llvm::BasicBlock* header) const {
  return IsHeader(header) && llvm::is_contained(Around(from), header);
}

}  // namespace affirm::kernel
