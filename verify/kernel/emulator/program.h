// A kernel translated for the emulator: compact code over numbered registers.
#ifndef AFFIRM_VERIFY_KERNEL_EMULATOR_PROGRAM_H_
#define AFFIRM_VERIFY_KERNEL_EMULATOR_PROGRAM_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "verify/kernel/emulator/value.h"
#include "verify/kernel/matrix_product.h"
#include "verify/kernel/wave.h"

namespace affirm::kernel {

// Each operation reads operands a, b, c and writes registers from dst on. `width` is a number of
// bits (of integers), a FloatKind (of floats), or of bytes (of memory).
enum class Op : uint8_t {
  // Integers. The flags are promises that make poison when they do not hold.
  kAdd,
  kSub,
  kMul,
  kAnd,
  kOr,
  kXor,
  kShl,
  kLShr,
  kAShr,
  kUDiv,
  kSDiv,
  kURem,
  kSRem,
  kICmp,         // aux: llvm::CmpInst::Predicate
  kWideBinary,   // of 65 to 128 bits; aux: the Op above
  kWideCompare,  // aux: predicate
  kTrunc,        // from aux to width bits
  kZExt,
  kSExt,
  kWideTrunc,          // from two registers
  kWideExt,            // to two registers; flag kSigned: sign-extends
  kIntrinsicUnary,     // aux: IntegerFunction
  kIntrinsicBinary,    // the same
  kFunnelShift,        // (a:b) shifted by c; flag kSigned: right
  kOverflowIntrinsic,  // result and i1; aux: kAdd, kSub, kMul; flag kSigned
  // Floats.
  kFloatBinary,  // aux: FloatFunction
  kFAdd32,
  kFSub32,
  kFMul32,
  kFDiv32,
  kFNeg,
  kFCmp,        // aux: predicate
  kFpConvert,   // from kind aux to kind width
  kFpToInt,     // from kind aux to width bits; flag kSigned, kSaturating
  kIntToFp,     // from aux bits to kind width; flag kSigned
  kToSmall,     // from kind aux to eight bits; width: PrimitiveType (small_float_pairs.h)
  kFromSmall,   // from eight bits to kind width; aux: PrimitiveType
  kToTf32,      // a float of 32 bits with those of a tf32 alone, to nearest, ties away from zero
  kFpClass,     // aux: kind; imm: the mask of llvm.is.fpclass
  kMathUnary,   // imm: the function on double or float, by width
  kMathBinary,  //
  kMathTernary,
  // Any type.
  kMove,
  kSelect,
  kFreeze,
  kRepack,         // bitcast between other numbers of elements; imm: index of a list
  kExtractAt,      // element b of the c registers from a on
  kInsertAt,       // element b of the c registers from dst on becomes a
  kCheckRange,     // poison unless a lies in the range at imm; flag kSigned
  kCheckNotUndef,  // reports an argument that must be defined
  // Addresses and memory.
  kGep,            // a + signed b of aux bits, times imm
  kOffset,         // a + imm
  kCheckInBounds,  // poison unless a points into the buffer that it names, or to its end
  kAlloca,         // imm: bytes of each; a: how many; aux: log2 of the alignment
  kLoad,           // c values of width bytes, from a + imm on
  kStore,          // value b
  kMemFill,        // memset(a, b, c)
  kMemCopy,        // memcpy(a, b, c)
  kAtomicRmw,      // aux: llvm::AtomicRMWInst::BinOp; flag kIsFloat
  kCompareExchange,
  kStartCopy,  // width bytes from b to shared memory at a, beside what comes next; c: how many are
               // read, before zeros
  kCommitCopies,     // those since the last one are a group
  kWaitCopies,       // until all groups but the last imm are done; -1: all copies
  kCommitProducts,   // those of the warp group since the last one are a group
  kWaitForProducts,  // until all groups but the last imm have ended
  kObserve,          // what comes next accesses imm bytes from a + c on; see Emulator::Watch
  // The order of memory (PTX ISA 8.5, 8.8 "Release and acquire patterns").
  kRelease,  // before an atomic write at a; without kOrdered, of what the last fence has ordered
  kAcquire,  // after an atomic read at a
  kFence,
  // Control.
  kJump,      // to imm
  kJumpBack,  // the same, to a loop's head: counted
  kBranch,    // a: to b, else to c
  kSwitch,    // imm: index of a table
  kCall,      // imm: function; b: first and c: number of the arguments in `lists`
  kReturn,    // b, c: registers in `lists`
  kExit,      // of the thread
  kUnreachable,
  kAssume,
  kTrap,
  // Threads together.
  kSpecial,           // aux: SpecialRegister
  kBarrier,           // a: id; aux: 1 where b says how many threads; flags kAligned, kArrives
  kWarpSync,          // a: the mask
  kShuffle,           // a: mask, b: value; imm: the list {distance, clamp}; aux: ShuffleMode; flag
                      // kWithPredicate
  kVote,              // a: mask, b: predicate; aux: VoteMode
  kReduceLanes,       // a: mask, b: 32 bits; aux: LaneReduction::Kind; width: 1 of magnitudes
  kLoadMatrix,        // a: address; c: registers; flag kTransposed
  kStoreMatrix,       // a: address; imm: list of c registers
  kExchange,          // of a wave: a: value; b, c: operands of WaveExchange::index and old; imm:
                      // index of the exchange
  kMultiplyMatrices,  // c: index of the product; imm: list of registers of A, B and C; dst: those
                      // of D
  kMultiplyShared,    // c: index of the shared product; imm: list of A, where B lies, whether it
                      // adds, and the registers of C; dst: those of D
};

// A product of matrices that lie in shared memory, or of one in registers with one that does.
struct SharedProduct {
  MatrixProduct product;
  bool a_is_shared = false, a_is_transposed = false, b_is_transposed = false;
  uint64_t memory = 0;  // the address of all of shared memory
};

enum Flag : uint8_t {
  kNoUnsignedWrap = 1,
  kNoSignedWrap = 2,
  kOrdered = 1,
  kAligned = 1,     // a barrier: the lanes of a warp come to it together
  kArrives = 2,     // a barrier: the thread is counted, and does not wait
  kAtomicLoad = 8,  // or a volatile one, which the PTX ISA takes for a relaxed one
  kExact = 4,       // also of disjoint `or`, nneg `zext`, samesign `icmp`
  kSigned = 8,
  kSaturating = 16,
  kTransposed = 16,
  kWithPredicate = 16,
  kIsFloat = 16,
  kInOrder = 16,         // a load or a store that no compiler moves past another such
  kStartsExchange = 32,  // a load that begins a compare-and-swap loop, or says if an
                         // atomic maximum is needed
  kPoisonAtZero = 64,    // ctlz, cttz, abs
  kOfBlock = 64,         // an atomic operation, or a fence, of a narrower scope than the device
  kAtomicStore = 128,    // a store (or a volatile one): of two of one element one stays, and they
                         // are no race
  kInvariant = 128,      // a load from memory that no thread writes
};

enum FloatKind : uint8_t { kHalf, kBFloat, kFloat, kDouble };

enum class IntegerFunction : uint8_t {
  kAbs,
  kPopulation,
  kLeadingZeros,
  kTrailingZeros,
  kBitReverse,
  kByteSwap,
  kSMin,
  kSMax,
  kUMin,
  kUMax,
  kSAddSat,
  kUAddSat,
  kSSubSat,
  kUSubSat,
  kMulHighSigned,
  kMulHighUnsigned,
};

enum class FloatFunction : uint8_t {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kRem,
  kMinNum,  // a number wins over NaN
  kMaxNum,
  kMinimumNum,  // a number wins over NaN, -0 < +0
  kMaximumNum,
  kMinimum,  // NaN wins, -0 < +0
  kMaximum,
  kCopySign,
};

enum class SpecialRegister : uint8_t {
  kThreadX,
  kThreadY,
  kThreadZ,
  kBlockX,
  kBlockY,
  kBlockZ,
  kThreadsX,
  kThreadsY,
  kThreadsZ,
  kBlocksX,
  kBlocksY,
  kBlocksZ,
  kLane,
  kWarpSize,
  kActiveMask,
  kDynamicShared,
  kLanesBelowLower,  // the bits of the lanes before this one, of either half of a wave
  kLanesBelowUpper,
};

enum class ShuffleMode : uint8_t { kUp, kDown, kButterfly, kIndex };
enum class VoteMode : uint8_t { kAll, kAny, kUniform, kBallot };

// An operand: register k of the function as 2 k, constant k of the program as 2 k + 1.
using Operand = uint32_t;

struct Code {
  Op op;
  uint8_t width = 0;
  uint8_t aux = 0;
  uint8_t flags = 0;
  uint32_t dst = 0;
  Operand a = 0, b = 0, c = 0;
  uint32_t source = 0;  // the instruction, in Program::sources
  int64_t imm = 0;
};
static_assert(sizeof(Code) == 32);

struct Function {
  std::string name;
  uint32_t entry = 0;  // in Program::code
  uint32_t registers = 0;
  std::vector<uint32_t> parameters;  // registers, in order
};

// An instruction as reports name it.
struct Source {
  int line = 0;
  std::string text;
};

struct SwitchTable {
  std::vector<std::pair<uint64_t, uint32_t>> cases;  // sorted by value
  uint32_t otherwise = 0;
};

// How a value's pieces are laid out anew: `from` and `to` are widths in bits, in order.
struct Repack {
  std::vector<Operand> operands;
  std::vector<uint8_t> from, to;
};

// A variable of the module: an array that is constant, or shared by a block.
struct Variable {
  std::string name;
  bool shared = false, writable = false, dynamic = false;
  std::vector<uint8_t> initial;      // its size is the variable's, unless dynamic
  std::vector<uint8_t> unspecified;  // a byte for each: not 0 where the initial value is undef
  uint64_t address = 0;              // where the memory puts it (memory.h)
  int64_t element_bytes = 1, alignment = 1;
};

struct Program {
  std::vector<Code> code;
  std::vector<Slot> constants;
  std::vector<Function> functions;  // the kernel first
  std::vector<bool> noalias;        // by argument of the kernel
  std::vector<int64_t> alignments;  // the same: of its buffer, in bytes, as the launch has it
  std::map<size_t, Slot> scalars;   // by argument of the kernel, of those passed by value
  bool has_invariant_loads = false;
  // A thread may wait in a loop for what another one stores: the code has atomic (or volatile)
  // loads, or updates whose result is used.
  bool may_spin = false;
  // Integers become pointers, which the emulator may not be able to follow.
  bool makes_pointers = false;
  std::vector<Source> sources;
  std::vector<SwitchTable> switches;
  std::vector<Repack> repacks;
  std::vector<Operand> lists;
  std::vector<MatrixProduct> products;
  std::vector<SharedProduct> shared_products;
  int64_t lanes = 0;  // of a wave of AMDGPU; 0: warps of NVPTX
  std::vector<WaveExchange> exchanges;
  // Registers that count the iterations of the loops around a code, by its number; where exchanges
  // or aligned barriers are (wave.h, WaveLoops).
  std::map<uint32_t, std::vector<uint32_t>> rounds;
  std::vector<std::pair<uint64_t, uint64_t>> ranges;  // [first, second) modulo the width
  std::vector<Variable> variables;
  int64_t narrowest_access = 8;  // bytes of the narrowest access that the code has, at most 8
};

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_EMULATOR_PROGRAM_H_
