// rng-bit-generator as integer arithmetic: ThreeFry2x32-20 and Philox4x32-10 (Salmon et al.,
// "Parallel random numbers: as easy as 1, 2, 3", 2011), of a counter for each element.
//
//   word of element i = generator(key, counter + block of i)[which word of it]
//   state after = {key, counter + blocks}
//
// Which element takes which word of which block is XLA's order (verify/reference/random.cc).
#include <array>

#include "emit/plan/expander.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::emit {

using hlo::Instruction;
using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;

namespace {

enum class Algorithm : uint8_t { kThreeFry, kPhilox, kUnknown };

Algorithm AlgorithmOf(const Instruction& op) {
  const std::string* name = op.attributes.FindExtra("algorithm");
  if (name == nullptr) return Algorithm::kUnknown;
  if (*name == "rng_three_fry") return Algorithm::kThreeFry;
  return *name == "rng_philox" || *name == "rng_default" ? Algorithm::kPhilox : Algorithm::kUnknown;
}

// Unsigned arithmetic on arrays of one size.
class Words {
 public:
  Words(HloBuilder& b, std::vector<int64_t> dims) : b_(b), dims_(std::move(dims)) {}

  Instruction* Number(PrimitiveType type, uint64_t value) {
    return b_.Broadcast(b_.Scalar("number", type, static_cast<int64_t>(value)), dims_);
  }
  Instruction* Op(Opcode opcode, Instruction* x, Instruction* y) {
    return b_.Add(opcode, "word", x->shape, {x, y});
  }
  Instruction* Op(Opcode opcode, Instruction* x, uint64_t y) {
    return Op(opcode, x, Number(x->shape.type, y));
  }
  Instruction* Convert(PrimitiveType type, Instruction* x) {
    if (x->shape.type == type) return x;
    return b_.Add(Opcode::kConvert, "word", Shape::Array(type, dims_), {x});
  }
  Instruction* Low(Instruction* x) { return Convert(PrimitiveType::kU32, x); }
  Instruction* High(Instruction* x) { return Low(Op(Opcode::kShiftRightLogical, x, 32)); }
  Instruction* Choose(Instruction* condition, Instruction* x, Instruction* y) {
    return b_.Add(Opcode::kSelect, "word", x->shape, {condition, x, y});
  }
  // Number k of the state, for each element.
  Instruction* OfState(Instruction* state, int64_t k) {
    Instruction* number = b_.Reshape(b_.Part(state, 0, k, k + 1), {});
    return b_.Broadcast(number, dims_);
  }
  Instruction* RotatedLeft(Instruction* x, uint64_t by) {
    return Op(Opcode::kOr, Op(Opcode::kShiftLeft, x, by),
              Op(Opcode::kShiftRightLogical, x, 32 - by));
  }
  HloBuilder& b() { return b_; }
  const std::vector<int64_t>& dims() const { return dims_; }

 private:
  HloBuilder& b_;
  std::vector<int64_t> dims_;
};

struct Counter {
  Instruction *low = nullptr, *high = nullptr;  // u64; no upper half: of ThreeFry
};

Counter Plus(Words& w, const Counter& counter, Instruction* n) {
  Counter sum{w.Op(Opcode::kAdd, counter.low, n)};
  if (counter.high != nullptr) {
    Instruction* carry = w.Convert(PrimitiveType::kU64, w.b().Compare("LT", sum.low, counter.low));
    sum.high = w.Op(Opcode::kAdd, counter.high, carry);
  }
  return sum;
}

std::vector<Instruction*> ThreeFry(Words& w, Instruction* key, const Counter& counter) {
  constexpr uint64_t kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  constexpr uint64_t kParity = 0x1BD11BDA, kRounds = 20;
  Instruction *low = w.Low(key), *high = w.High(key);
  std::array<Instruction*, 3> keys = {low, high,
                                      w.Op(Opcode::kXor, w.Op(Opcode::kXor, low, kParity), high)};
  Instruction* x = w.Op(Opcode::kAdd, w.Low(counter.low), keys[0]);
  Instruction* y = w.Op(Opcode::kAdd, w.High(counter.low), keys[1]);
  for (uint64_t round = 0; round < kRounds; ++round) {
    x = w.Op(Opcode::kAdd, x, y);
    y = w.Op(Opcode::kXor, w.RotatedLeft(y, kRotations[round / 4 % 2][round % 4]), x);
    if (round % 4 != 3) continue;
    const uint64_t turn = round / 4 + 1;
    x = w.Op(Opcode::kAdd, x, keys[turn % 3]);
    y = w.Op(Opcode::kAdd, y, w.Op(Opcode::kAdd, keys[(turn + 1) % 3], turn));
  }
  return {x, y};
}

std::vector<Instruction*> Philox(Words& w, Instruction* key, const Counter& counter) {
  constexpr int kRounds = 10;
  Instruction *key0 = w.Low(key), *key1 = w.High(key);
  std::vector<Instruction*> x = {w.Low(counter.low), w.High(counter.low), w.Low(counter.high),
                                 w.High(counter.high)};
  auto product = [&](Instruction* word, uint64_t factor) {
    return w.Op(Opcode::kMultiply, w.Convert(PrimitiveType::kU64, word), factor);
  };
  for (int round = 0; round < kRounds; ++round) {
    Instruction *p = product(x[0], 0xD2511F53), *q = product(x[2], 0xCD9E8D57);
    x = {w.Op(Opcode::kXor, w.Op(Opcode::kXor, w.High(q), x[1]), key0), w.Low(q),
         w.Op(Opcode::kXor, w.Op(Opcode::kXor, w.High(p), x[3]), key1), w.Low(p)};
    key0 = w.Op(Opcode::kAdd, key0, 0x9E3779B9);
    key1 = w.Op(Opcode::kAdd, key1, 0xBB67AE85);
  }
  return x;
}

// Which block an element takes, and which word of it (of wide ones: which pair); u64 both.
struct Taken {
  Instruction *block = nullptr, *word = nullptr;
  int64_t blocks = 0;  // that are taken in all
};

Instruction* Positions(Words& w, int64_t count) {
  return w.b().Reshape(w.b().Iota(PrimitiveType::kU64, {count}, 0), w.dims());
}

Taken InOrder(Words& w, int64_t count, int64_t in_block) {
  Instruction* position = Positions(w, count);
  const auto divisor = static_cast<uint64_t>(in_block);
  return {w.Op(Opcode::kDivide, position, divisor), w.Op(Opcode::kRemainder, position, divisor),
          (count + in_block - 1) / in_block};
}

// The two words of a block of ThreeFry are neighbors in one dimension: the first of even size, else
// the first of the largest ones.
Taken InPairs(Words& w, int64_t count) {
  const std::vector<int64_t>& dims = w.dims();
  if (dims.empty()) return InOrder(w, count, 2);
  auto even = llvm::find_if(dims, [](int64_t size) { return size % 2 == 0; });
  const auto split = (even != dims.end() ? even : llvm::max_element(dims)) - dims.begin();
  Taken taken{w.Number(PrimitiveType::kU64, 0), nullptr, 1};
  for (int64_t d = 0; d < std::ssize(dims); ++d) {
    Instruction* at = w.b().Iota(PrimitiveType::kU64, dims, d);
    int64_t size = dims[d];
    if (d == split) {
      taken.word = w.Op(Opcode::kRemainder, at, 2);
      at = w.Op(Opcode::kDivide, at, 2);
      size = (size + 1) / 2;
    }
    taken.block =
        w.Op(Opcode::kAdd, w.Op(Opcode::kMultiply, taken.block, static_cast<uint64_t>(size)), at);
    taken.blocks *= size;
  }
  return taken;
}

}  // namespace

bool ExpandsRngBitGenerator(const Instruction& op) {
  const Algorithm algorithm = AlgorithmOf(op);
  if (algorithm == Algorithm::kUnknown || op.operands.size() != 1) return false;
  const Shape& state = op.operands[0]->shape;
  if (!state.IsArray() || state.type != PrimitiveType::kU64 || state.rank() != 1) return false;
  const int64_t numbers = state.dims[0];
  if (numbers != 2 && !(algorithm == Algorithm::kPhilox && numbers == 3)) return false;
  if (!op.shape.IsTuple() || op.shape.tuple.size() != 2) return false;
  const Shape &next = op.shape.tuple[0], &bits = op.shape.tuple[1];
  return next.IsArray() && next.type == PrimitiveType::kU64 && next.dims == state.dims &&
         bits.IsArray() && hlo::IsInt(bits.type) && hlo::BitWidth(bits.type) >= 8 &&
         bits.NumElements() > 0 && !llvm::is_contained(bits.dynamic, true) &&
         !llvm::is_contained(state.dynamic, true);
}

Instruction* ExpandRngBitGenerator(Expander& expander, const Instruction& op,
                                   llvm::ArrayRef<Instruction*> operands) {
  HloBuilder& b = expander.b();
  const Shape& shape = op.shape.tuple[1];
  const bool philox = AlgorithmOf(op) == Algorithm::kPhilox, wide = hlo::BitWidth(shape.type) > 32;
  const int64_t numbers = operands[0]->shape.dims[0], count = shape.NumElements();
  Words w(b, shape.dims);
  Instruction* key = w.OfState(operands[0], 0);
  Counter counter{w.OfState(operands[0], 1)};
  if (philox) counter.high = w.OfState(operands[0], numbers == 3 ? 2 : 0);
  const Taken taken =
      philox ? InOrder(w, count, wide ? 2 : 4) : (wide ? InOrder(w, count, 1) : InPairs(w, count));
  counter = Plus(w, counter, taken.block);
  std::vector<Instruction*> words = (philox ? Philox : ThreeFry)(w, key, counter);
  if (wide) {
    std::vector<Instruction*> pairs;
    for (size_t k = 0; k + 1 < words.size(); k += 2) {
      Instruction* low = w.Convert(PrimitiveType::kU64, words[k]);
      Instruction* high = w.Convert(PrimitiveType::kU64, words[k + 1]);
      pairs.push_back(w.Op(Opcode::kOr, low, w.Op(Opcode::kShiftLeft, high, 32)));
    }
    words = pairs;
  }
  Instruction* bits = words[0];
  for (size_t k = 1; k < words.size(); ++k) {
    Instruction* is_this =
        b.Compare("EQ", taken.word, w.Number(PrimitiveType::kU64, static_cast<uint64_t>(k)));
    bits = w.Choose(is_this, words[k], bits);
  }
  bits = w.Convert(shape.type, bits);

  // The key stays as it is, and the lower half of the counter carries into the upper one.
  Words s(b, {1});
  auto of_state = [&](int64_t k) { return b.Part(operands[0], 0, k, k + 1); };
  Counter after{of_state(1)};
  if (philox) after.high = of_state(numbers == 3 ? 2 : 0);
  after = Plus(s, after, s.Number(PrimitiveType::kU64, static_cast<uint64_t>(taken.blocks)));
  std::vector<Instruction*> next = {of_state(0), after.low};
  if (numbers == 3) next.push_back(after.high);
  hlo::Attributes attributes;
  attributes.dimensions = {0};
  Instruction* state = b.Add(Opcode::kConcatenate, "state", operands[0]->shape, next, attributes);
  return b.Tuple({state, bits});
}

}  // namespace affirm::emit
