#include "verify/equivalence/loop_states.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "core/hlo/choices.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/equivalence/effects.h"
#include "verify/equivalence/flatten.h"
#include "verify/equivalence/inline_calls.h"
#include "verify/equivalence/loop_parts.h"
#include "verify/equivalence/merge_layers.h"
#include "verify/equivalence/same_structure.h"
#include "verify/equivalence/trip_claims.h"

namespace affirm::equivalence {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

namespace {

// The most instructions copied for a value outside of a loop.
constexpr size_t kMostCopied = 4096;

// Whether the computation calls a loop that is not known to end.
bool HasOpenLoopIn(const Computation& computation) {
  return llvm::any_of(computation.instructions,
                      [](const auto& op) { return !op->called.empty() && !IsKnownToEnd(*op); });
}
bool HasOpenLoop(const Instruction& loop) {
  return llvm::any_of(loop.called,
                      [](const Computation* called) { return HasOpenLoopIn(*called); });
}

// The relation: element of b = factor * (element of a) + summand.
struct Relation {
  size_t of_a = 0;
  int64_t factor = 1, summand = 0;
  bool IsEquality() const { return factor == 1 && summand == 0; }
};

// The common parameters of the two loop-free computations.
class Inputs {
 public:
  // Values outside of the loops; elements of a, by which related ones of b are expressed; and other
  // elements of b.
  enum class Kind : uint8_t { kBeside, kElementOfA, kElementOfB };
  struct Key {
    Kind kind;
    ValueKey value;
    auto operator<=>(const Key&) const = default;
  };
  int64_t NumberOf(const Key& key, const Shape& shape) {
    const auto [known, is_new] = numbers_.try_emplace(key, std::ssize(shapes_));
    if (is_new) shapes_.push_back(shape);
    return known->second;
  }
  const std::vector<Shape>& shapes() const { return shapes_; }

 private:
  std::map<Key, int64_t> numbers_;
  std::vector<Shape> shapes_;
};

// Whether a value may be recomputed: it must have no reduction, whose copies might have different
// orders.
bool IsCopied(const Instruction& op) {
  if (!op.shape.IsArray() || !op.called.empty() || !IsFunctionOfOperands(op) ||
      IsOpaqueFunction(op))
    return false;
  switch (op.opcode) {
    case Opcode::kConstant:
      return op.literal.has_value();
    case Opcode::kBitcast:
    case Opcode::kBitcastConvert:
    case Opcode::kBroadcast:
    case Opcode::kConcatenate:
    case Opcode::kCopy:
    case Opcode::kDynamicSlice:
    case Opcode::kGather:
    case Opcode::kIota:
    case Opcode::kPad:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kTranspose:
      return true;
    default:
      return hlo::IsElementwise(op.opcode);
  }
}

// One loop's condition and updated elements, as a computation on the elements before the trip.
class Trip {
 public:
  // `relations` is by element of b; `is_b` says which loop this is.
  Trip(const Loop& loop, bool is_b, llvm::ArrayRef<std::optional<Relation>> relations,
       const LoopContext& context, Inputs& inputs)
      : loop_(loop),
        is_b_(is_b),
        relations_(relations),
        context_(context),
        inputs_(inputs),
        made_(std::make_unique<Computation>()),
        add_(*made_) {
    made_->name = loop.loop->name + ".trip";
  }

  // Results: the condition, and for each relation the element after the trip, expressed as b's.
  // Null if the computation would be too large.
  std::unique_ptr<Computation> Build() {
    Arrays results = {Run(*loop_.condition)};
    const llvm::DenseMap<const Instruction*, Instruction*> of_body = RunAll(*loop_.body);
    for (size_t k = 0; k < relations_.size(); ++k) {
      if (!relations_[k]) continue;
      const size_t element = is_b_ ? k : relations_[k]->of_a;
      Instruction* next = of_body.lookup(loop_.next()[element]);
      results.push_back(is_b_ ? next : Related(*relations_[k], next));
    }
    made_->root = add_.Tuple(results);
    return made_->instructions.size() > kMostCopied ? nullptr : std::move(made_);
  }

  // Adds unused parameters that only the other side has.
  static bool Complete(Computation& made, const Inputs& inputs) {
    std::vector<bool> has(inputs.shapes().size(), false);
    for (const auto& op : made.instructions) {
      if (op->opcode == Opcode::kParameter) has[static_cast<size_t>(op->parameter_number)] = true;
    }
    for (auto [number, shape] : llvm::enumerate(inputs.shapes())) {
      if (!has[number]) AddParameter(made, static_cast<int64_t>(number), shape);
    }
    return made.NumberParameters();
  }

 private:
  static Instruction* AddParameter(Computation& to, int64_t number, const Shape& shape) {
    auto made = std::make_unique<Instruction>();
    made->name = "state." + std::to_string(number);
    made->opcode = Opcode::kParameter;
    made->opcode_text = "parameter";
    made->shape = shape;
    made->parameter_number = number;
    return to.Add(std::move(made));
  }

  // The parameter for the input, in the layout of `like`.
  Instruction* Input(const Inputs::Key& key, const Instruction& like) {
    const int64_t number = inputs_.NumberOf(key, like.shape);
    Instruction*& made = parameters_[number];
    if (!made) made = AddParameter(*made_, number, inputs_.shapes()[static_cast<size_t>(number)]);
    return InLayoutOf(like, made, *made_);
  }

  // factor * value + summand, with wrapping integers.
  Instruction* Related(const Relation& relation, Instruction* value) {
    if (relation.IsEquality()) return value;
    Instruction* product =
        add_.Add(Opcode::kMultiply, value->shape, {value, Constant(value->shape, relation.factor)});
    return add_.Add(Opcode::kAdd, value->shape,
                    {product, Constant(value->shape, relation.summand)});
  }
  Instruction* Constant(const Shape& shape, int64_t value) {
    Instruction* made = add_.Add(Opcode::kConstant, shape, {});
    made->literal = hlo::Literal(shape);
    made->literal->SetInt(0, value);
    return made;
  }

  // Element k before the trip, in the layout of `like`.
  Instruction* Element(size_t k, const Instruction& like) {
    if (loop_.IsInvariant(k)) return InLayoutOf(like, Beside(*loop_.init[k]), *made_);
    if (const auto led = loop_.counters.LeaderOf(k)) return FromLeader(k, *led, like);
    const auto number = static_cast<int64_t>(k);
    if (!is_b_) return Input({Inputs::Kind::kElementOfA, {number, 0}}, like);
    if (!relations_[k]) return Input({Inputs::Kind::kElementOfB, {number, 0}}, like);
    const auto of_a = static_cast<int64_t>(relations_[k]->of_a);
    return Related(*relations_[k], Input({Inputs::Kind::kElementOfA, {of_a, 0}}, like));
  }

  // A counter expressed by its leader: start + factor * (leader - start of leader).
  Instruction* FromLeader(size_t k, const Counters::Led& led, const Instruction& like) {
    const Shape& shape = like.shape;
    Instruction* counted = add_.Add(Opcode::kSubtract, shape,
                                    {Element(led.leader, like), Beside(*loop_.init[led.leader])});
    counted = add_.Add(Opcode::kMultiply, shape, {counted, Constant(shape, led.factor)});
    return add_.Add(Opcode::kAdd, shape, {counted, Beside(*loop_.init[k])});
  }

  // A value outside of the loop, recomputed as far as its instructions may be copied.
  Instruction* Beside(const Instruction& op) {
    const auto known = beside_.find(&op);
    if (known != beside_.end()) return known->second;
    Instruction* made = nullptr;
    if (IsCopied(op) && depth_ < kDeepest && made_->instructions.size() < kMostCopied) {
      ++depth_;
      auto copy = hlo::CopyOf(op);
      for (const Instruction* operand : op.operands) copy->operands.push_back(Beside(*operand));
      made = made_->Add(std::move(copy));
      --depth_;
    } else {
      made = Input({Inputs::Kind::kBeside, context_.key(op)}, op);
      if (is_b_) context_.keyed(op);
    }
    return beside_[&op] = made;
  }

  // Copies the body or the condition, applied to the elements before the trip.
  llvm::DenseMap<const Instruction*, Instruction*> RunAll(const Computation& computation) {
    llvm::DenseMap<const Instruction*, Instruction*> copies;
    for (const auto& op : computation.instructions) {
      if (op->opcode == Opcode::kParameter || op.get() == loop_.body->root) continue;
      if (op->opcode == Opcode::kGetTupleElement && op->operands[0]->opcode == Opcode::kParameter) {
        copies[op.get()] = Element(static_cast<size_t>(op->attributes.tuple_index), *op);
        continue;
      }
      auto copy = hlo::CopyOf(*op);
      for (const Instruction* operand : op->operands)
        copy->operands.push_back(copies.lookup(operand));
      copies[op.get()] = made_->Add(std::move(copy));
    }
    return copies;
  }
  Instruction* Run(const Computation& condition) {
    return RunAll(condition).lookup(condition.root);
  }

  static constexpr int kDeepest = 64;

  const Loop& loop_;
  bool is_b_;
  llvm::ArrayRef<std::optional<Relation>> relations_;
  const LoopContext& context_;
  Inputs& inputs_;
  std::unique_ptr<Computation> made_;
  LayerBuilder add_;
  std::map<int64_t, Instruction*> parameters_;
  llvm::DenseMap<const Instruction*, Instruction*> beside_;
  int depth_ = 0;
};

// Guesses the relation, and refines it by proofs.
class Matcher {
 public:
  Matcher(const Loop& a, const Loop& b, const LoopContext& context)
      : a_(a), b_(b), context_(context), relations_(b.size()), candidates_(b.size()) {}

  // The invariant element of a that equals b's invariant element k.
  std::optional<int64_t> InvariantOf(size_t k) const {
    for (size_t of_a = 0; of_a < a_.size(); ++of_a) {
      const Instruction &x = *a_.init[of_a], &y = *b_.init[k];
      if (a_.IsInvariant(of_a) && x.shape.SameIgnoringLayout(y.shape) && context_.are_same(x, y))
        return static_cast<int64_t>(of_a);
    }
    return std::nullopt;
  }

  // A counter of a with the start and step of b's element k, preferably one that is used after the
  // loop. If the loops have the same trips, the two are equal after them.
  std::optional<int64_t> CounterOf(size_t k) const {
    std::optional<int64_t> found;
    if (!b_.counters.StepOf(k)) return found;
    for (size_t of_a = 0; of_a < a_.size(); ++of_a) {
      const Instruction &x = *a_.init[of_a], &y = *b_.init[k];
      if (a_.counters.StepOf(of_a) != b_.counters.StepOf(k) ||
          !x.shape.SameIgnoringLayout(y.shape) || !context_.are_same(x, y))
        continue;
      if (!found || a_.IsSeenBehind(of_a)) found = static_cast<int64_t>(of_a);
    }
    return found;
  }

  // Whether the loops are proved to have the same trips; then the relations hold.
  bool Match() {
    for (size_t k = 0; k < b_.size(); ++k) {
      if (!b_.IsInvariant(k) && !b_.counters.LeaderOf(k)) FindCandidates(k);
    }
    for (size_t k = 0; k < b_.size(); ++k) Choose(k);
    constexpr int kMostRounds = 16;
    for (int round = 0; round < kMostRounds; ++round) {
      Inputs inputs;
      auto of_a = Trip(a_, false, relations_, context_, inputs).Build();
      auto of_b = Trip(b_, true, relations_, context_, inputs).Build();
      if (!of_a || !of_b || !Trip::Complete(*of_a, inputs) || !Trip::Complete(*of_b, inputs))
        return false;
      const EquivalenceProof proof = context_.prove(std::move(of_a), std::move(of_b));
      size_t result = 1;
      bool all = true;
      for (size_t k = 0; k < relations_.size(); ++k) {
        if (!relations_[k] || proof.results[result++].proved) continue;
        all = false;
        Choose(k);
      }
      if (all) return proof.results[0].proved;
    }
    return false;
  }

  const std::vector<std::optional<Relation>>& relations() const { return relations_; }

 private:
  void FindCandidates(size_t k) {
    for (size_t of_a = 0; of_a < a_.size(); ++of_a) {
      const Instruction &x = *a_.init[of_a], &y = *b_.init[k];
      if (a_.IsInvariant(of_a) || a_.counters.LeaderOf(of_a) ||
          !x.shape.SameIgnoringLayout(y.shape))
        continue;
      if (a_.StartOf(of_a) && b_.StartOf(k)) {
        if (const auto counted = Counted(of_a, k)) candidates_[k].push_back(*counted);
      } else if (context_.are_same(x, y)) {
        candidates_[k].push_back({of_a});
      }
    }
    // Candidates are taken from the back.
    std::reverse(candidates_[k].begin(), candidates_[k].end());
  }

  // Both are start + t * step in trip t. With an integer factor the relation also holds modulo 2^n.
  std::optional<Relation> Counted(size_t of_a, size_t k) const {
    const int64_t step_of_a = *a_.counters.StepOf(of_a), step = *b_.counters.StepOf(k);
    if (step_of_a == 0 || step % step_of_a != 0) return std::nullopt;
    const int64_t factor = step / step_of_a;
    const auto start_of_a = static_cast<uint64_t>(*a_.StartOf(of_a));
    const uint64_t summand =
        static_cast<uint64_t>(*b_.StartOf(k)) - static_cast<uint64_t>(factor) * start_of_a;
    return Relation{of_a, factor, static_cast<int64_t>(summand)};
  }

  // Takes the next candidate, preferably one that no other element uses. If a trip of B has an open
  // choice, two elements of B must not map to one of A, for which A chose once.
  void Choose(size_t k) {
    relations_[k] = std::nullopt;
    std::vector<Relation>& left = candidates_[k];
    if (left.empty()) return;
    auto is_taken = [&](const Relation& relation) {
      return llvm::any_of(relations_,
                          [&](const auto& other) { return other && other->of_a == relation.of_a; });
    };
    auto best = std::find_if_not(left.rbegin(), left.rend(), is_taken);
    if (best == left.rend()) {
      if (b_.chooses) return;
      best = left.rbegin();
    }
    relations_[k] = *best;
    left.erase(std::next(best).base());
  }

  const Loop &a_, &b_;
  const LoopContext& context_;
  std::vector<std::optional<Relation>> relations_;  // by element of b
  std::vector<std::vector<Relation>> candidates_;   // untried ones, in reverse order
};

}  // namespace

std::optional<std::vector<std::optional<int64_t>>> MatchLoops(const Instruction& a,
                                                              const Instruction& b,
                                                              const LoopContext& context) {
  const auto of_a = TakeApart(a), of_b = TakeApart(b);
  if (!of_a || !of_b || !SameBesideShapes(a, b)) return std::nullopt;
  // A loop in B's condition runs once more than one in a body, on a state that A may not reach.
  if (HasOpenLoopIn(*of_b->condition)) return std::nullopt;
  Matcher matcher(*of_a, *of_b, context);
  if (!matcher.Match()) return std::nullopt;
  std::vector<std::optional<int64_t>> same(of_b->size());
  // An unrelated element of B may come from a loop that does not end.
  for (size_t k = 0; k < same.size(); ++k) {
    if (!of_b->IsInvariant(k) && !matcher.relations()[k] && HasOpenLoop(*of_b->loop))
      return std::nullopt;
  }
  for (size_t k = 0; k < same.size(); ++k) {
    const auto& relation = matcher.relations()[k];
    if (of_b->IsInvariant(k)) same[k] = matcher.InvariantOf(k);
    if (relation && relation->IsEquality()) same[k] = static_cast<int64_t>(relation->of_a);
    if (const auto counter = matcher.CounterOf(k)) same[k] = counter;
  }
  return same;
}

}  // namespace affirm::equivalence
