// Asynchronous products of matrices in shared memory (PTX ISA, "wgmma.mma_async"): each of four
// warps computes 16 of 64 rows.
//
// A product may read its operands at any time until the warp has waited for it. So they are read
// twice, at the start and at the wait, and must be the same. Results are set at once, but may not
// be accessed before the wait (open_sums.h). Two fences come before a product: one between the
// writes of threads to shared memory and its reads ("fence.proxy.async"), and one between accesses
// of threads to its registers and its own ("wgmma.fence").
#include "llvm/ADT/Sequence.h"
#include "verify/kernel/lift/lifter.h"
#include "verify/kernel/matrix_descriptor.h"
#include "verify/terms/machine.h"

namespace affirm::kernel {

constexpr int64_t kThreadsOfGroup = 128, kBytesOfKib = 1024, kBytesOfUnit = 16;

using Claim = Obligation::Claim;
using hlo::PrimitiveType;

// The number of the only variable in shared memory; nullopt if there are several.
std::optional<uint32_t> Lifter::OnlySharedMemory() const {
  std::optional<uint32_t> only;
  for (size_t k = 0; k < memories_.size(); ++k) {
    if (memories_[k].kind != Memory::Kind::kShared) continue;
    if (only) return std::nullopt;
    only = static_cast<uint32_t>(k);
  }
  return only;
}

// The base of shared memory, which the linker places behind the system's reserved part (PTX ISA,
// "Special Registers", %reserved_smem_offset_begin): an unknown multiple of 1024 bytes.
static Term SharedBase(terms::Pool& pool) {
  constexpr Int128 kMostBases = 227;  // KiB that a block may have (CUDA C++ Programming Guide)
  return pool.Variable("shared_memory_kib", {0, kMostBases});
}

Value Lifter::AddressAsInteger(const Value& pointer) {
  const auto only = OnlySharedMemory();
  const Value::Pointer address = RequirePointer(pointer);
  if (failed() || !only || address.memory != *only) return Fail(*now_, "an address as an integer");
  return Value::Integer(pool_.Add(pool_.Scale(SharedBase(pool_), kBytesOfKib), address.offset));
}

// Reads rows of A or columns of B from shared memory, from number `first` on, as factors.
bool Lifter::ReadLines(LiftThread& thread, const MatrixProduct& of, PrimitiveType type,
                       const Value& descriptor, bool transposed, int64_t first,
                       std::vector<std::vector<Term>>& lines) {
  const auto memory = OnlySharedMemory();
  const Term told = terms::Unsigned(scope_, RequireInteger(descriptor), 64);
  if (failed()) return false;
  // Relative to the base of shared memory; descriptors count units of 16 bytes.
  const terms::Range bits = scope_.RangeOf(
      pool_.Subtract(told, pool_.Scale(SharedBase(pool_), kBytesOfKib / kBytesOfUnit)));
  if (!memory || !bits.single()) {
    Fail(*now_, "a matrix that lies nobody knows where");
    return false;
  }
  const auto where = FindMatrixDescriptor(static_cast<uint64_t>(bits.lo));
  if (!where) {
    Fail(*now_, "a matrix that lies as nothing is known of");
    return false;
  }
  constexpr const char* kFenced = "a fence.proxy.async lies between a write and a product's read";
  llvm::Type* scalar = ScalarTypeOf(type);
  const int64_t bytes = hlo::ByteWidth(type);
  for (int64_t line = 0; line < std::ssize(lines); ++line) {
    for (int64_t k = 0; k < of.k; ++k) {
      const int64_t at = transposed ? where->AddressOf(k, (first + line) * bytes, false)
                                    : where->AddressOf(first + line, k * bytes, true);
      const auto pointer = Value::Pointer(*memory, pool_.Number(at));
      const Value value = Load(thread, pointer, scalar, bytes);
      if (failed()) return false;
      thread.reads.push_back({pointer, scalar, value, thread.product_groups});
      const RaceDetector& written = accesses_of_block_.races.at(*memory);
      const bool is_fenced = llvm::all_of(llvm::seq(at, at + bytes), [&](int64_t byte) {
        const Moment* write = written.LastWrite(byte);
        return !write || accesses_of_block_.fences.Separate(*write, thread.Now());
      });
      is_fenced ? Met(Claim::kRaces, kFenced) : void(Unproved(Claim::kRaces, kFenced, ""));
      ObligeNoPoison(value);
      Term element = MatrixElement(type, value, scalar, 0);
      if (failed()) return false;
      lines[line].push_back(MatrixFactor(of, type, element));
    }
  }
  return true;
}

// A product starts in each lane: a step of its group, which takes its registers.
void Lifter::StartInGroup(llvm::MutableArrayRef<LiftThread> lanes, const InlinePtx& ptx,
                          const std::vector<Value>& told) {
  constexpr const char* kFenced = "a wgmma.fence lies between accesses of registers and a product";
  const PtxInstruction& product = ptx.instructions[0];
  for (LiftThread& lane : lanes) {
    const llvm::CallBase& call = *lane.waits;
    lane.group_steps.push_back({&call, lane.phase, told});
    thread_ = &lane;
    const int64_t fence = lane.register_fence;
    const bool is_fenced =
        (fence != LiftThread::kNoFence &&
         lane.sums.MayAdd(call, ptx.ties, product.matrices, fence)) ||
        (product.a_is_shared && lane.sums.GoesOn(call, ptx.ties, product.matrices));
    is_fenced ? Met(Claim::kRaces, kFenced) : void(Unproved(Claim::kRaces, kFenced, ""));
    JudgeSums(lane.sums.Begin(call, ptx.ties, product.matrices, lane.product_groups, lane.steps));
  }
}

void Lifter::MultiplyShared(llvm::MutableArrayRef<LiftThread> lanes, const InlinePtx& ptx) {
  const PtxInstruction& instruction = ptx.instructions[0];
  const MatrixProduct& of = instruction.matrices;
  LiftThread& reader = lanes[0];
  thread_ = &reader;
  if (!MayCopy()) return;
  if (launch_.NumThreads() % kThreadsOfGroup != 0) {
    Fail(*now_, "a product of a part of a group of warps");
    return;
  }
  llvm::Type* type = nullptr;
  const int64_t of_a = instruction.a_is_shared ? 1 : of.RegistersOfA();
  const PtxInstruction::Source& adds_if = instruction.sources[of_a + 1];
  bool adds = adds_if.immediate != 0;
  if (adds_if.binding) {
    const Value condition = MatrixArgument(reader, ptx, of_a + 1, type);
    if (failed()) return;
    const auto decided = Decide(RequireCondition(condition));
    if (failed()) return;
    if (!decided) {
      Fail(*now_, "a product that may add or not");
      return;
    }
    adds = *decided;
  }
  // Descriptors, and the flag that selects accumulation, must be the same in all lanes.
  std::vector<Value> told;
  for (int64_t source = instruction.a_is_shared ? 0 : of_a; source < of_a + 2; ++source) {
    if (!instruction.sources[source].binding) continue;
    const Value first = MatrixArgument(reader, ptx, source, type);
    told.push_back(first);
    for (LiftThread& lane : lanes) {
      if (failed()) return;
      if (MatrixArgument(lane, ptx, source, type) == first) continue;
      Fail(*now_, "a product that lanes say other things of");
      return;
    }
  }
  StartInGroup(lanes, ptx, told);
  thread_ = &reader;
  const llvm::CallBase& call = *reader.waits;
  std::vector<std::vector<Term>> rows(of.m), columns(of.n);
  if (instruction.a_is_shared) {
    const Value descriptor = MatrixArgument(reader, ptx, 0, type);
    if (failed() || !ReadLines(reader, of, of.a, descriptor, instruction.a_is_transposed,
                               reader.number / kLanes % 4 * of.m, rows)) {
      return;
    }
  } else {
    for (int64_t row = 0; row < of.m; ++row) {
      for (int64_t k = 0; k < of.k; ++k) {
        const MatrixProduct::Place place = of.OfA(row, k);
        const Value value = MatrixArgument(lanes[place.lane], ptx, place.number, type);
        if (failed()) return;
        Term element = MatrixElement(of.a, value, type, place.part);
        if (failed()) return;
        rows[row].push_back(MatrixFactor(of, of.a, element));
      }
    }
  }
  const Value descriptor = MatrixArgument(reader, ptx, of_a, type);
  if (failed() || !ReadLines(reader, of, of.b, descriptor, instruction.b_is_transposed, 0, columns))
    return;
  auto added = [&](int64_t lane, int64_t number) -> Term {
    if (!adds) return of.sum == PrimitiveType::kS32 ? pool_.Number(0) : ZeroOf(of.sum);
    const unsigned target = instruction.targets[number / of.SumsInRegister()];
    for (auto [result, tied] : ptx.ties) {
      if (result != target) continue;
      thread_ = &lanes[lane];
      const Value value = Get(lanes[lane].frames.back(), call.getArgOperand(tied));
      if (failed()) return nullptr;
      ObligeNoPoison(value);
      return MatrixElement(of.sum, value, call.getArgOperand(tied)->getType(),
                           number % of.SumsInRegister());
    }
    Fail(call, "a product that adds to what is in no argument");
    return nullptr;
  };
  StoreSums(lanes, ptx, added, rows, columns);
}

void Lifter::JudgeSums(bool are_right) {
  constexpr const char* kWaited = "sums of a product are waited for before they are used";
  are_right ? Met(Claim::kRaces, kWaited) : void(Unproved(Claim::kRaces, kWaited, ""));
}

void Lifter::FollowOpenSums(LiftThread& thread, const llvm::Instruction& instruction) {
  if (thread.sums.IsEmpty()) return;
  using Kind = PtxInstruction::Kind;
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  const InlinePtx* ptx = call != nullptr && call->isInlineAsm() ? PtxOf(*call) : nullptr;
  const auto all_are = [&](Kind kind) {
    return ptx != nullptr &&
           llvm::all_of(ptx->instructions, [&](const PtxInstruction& i) { return i.kind == kind; });
  };
  if (all_are(Kind::kMultiplyShared)) return;  // StartInGroup does
  if (!all_are(Kind::kWaitForProducts)) return JudgeSums(thread.sums.Moves(instruction));
  int64_t ended = 0;
  for (const PtxInstruction& wait : ptx->instructions)
    ended = std::max(ended, thread.product_groups - wait.groups);
  JudgeSums(thread.sums.Wait(*call, ptx->ties, ended));
}

// Completes all groups but the last `but`.
void Lifter::WaitForProducts(LiftThread& thread, int64_t but) {
  if (!MayCopy()) return;
  thread.group_steps.push_back({now_, thread.phase});
  thread.register_fence = LiftThread::kNoFence;
  std::vector<LiftedRead> open = std::move(thread.reads);
  thread.reads.clear();
  constexpr const char* kSame = "nobody writes to what a product reads before it has ended";
  for (LiftedRead& read : open) {
    if (read.group >= thread.product_groups - but) {
      thread.reads.push_back(read);
      continue;
    }
    const Value now = Load(thread, read.pointer, read.type,
                           static_cast<int64_t>(layout_.getTypeStoreSize(read.type)));
    if (failed()) return;
    if (now == read.value)
      Met(Claim::kRaces, kSame);
    else
      Unproved(Claim::kRaces, kSame, "");
  }
}

// At the end of a block: all products must have been waited for, and all threads of a warpgroup
// must have executed the same steps.
void Lifter::CheckGroups(llvm::MutableArrayRef<LiftThread> threads) {
  constexpr const char* kEnded = "products of matrices are waited for";
  constexpr const char* kTogether = "all threads of a group of warps compute its products";
  for (LiftThread& thread : threads) {
    const LiftThread& first = threads[thread.number / kThreadsOfGroup * kThreadsOfGroup];
    thread_ = &thread;
    if (!thread.reads.empty()) Unproved(Claim::kRaces, kEnded, "");
    if (thread.group_steps != first.group_steps) Unproved(Claim::kBarriers, kTogether, "");
  }
}

}  // namespace affirm::kernel
