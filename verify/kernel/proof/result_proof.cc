#include "verify/kernel/proof/result_proof.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/hlo/leaves.h"
#include "verify/hlo/values/values.h"
#include "verify/kernel/proof/written_elements.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"

namespace affirm::kernel {

using hlo::Instruction;
using hlo_values::ComputationValues;
using terms::Kind;
using terms::Scope;
using terms::Term;

namespace {

// What the kernel does to one result.
enum class Writing : uint8_t {
  kEachElement,    // every element is written
  kUpdateInPlace,  // the elements of a dynamic-update-slice's window; the operand's others stay
  kScatter,        // atomic updates of the operand's elements
};

// The variables of the threads that run: all of them count, whether a store depends on them or not.
std::vector<Term> VariablesOf(const LiftedKernel& lifted, const Launch& launch, terms::Pool& pool) {
  std::vector<Term> variables;
  static constexpr const char* kBlocks[] = {"bl_x", "bl_y", "bl_z"};
  static constexpr const char* kThreads[] = {"th_x", "th_y", "th_z"};
  for (size_t i = 0; i < 3; ++i)
    variables.push_back(pool.Variable(kBlocks[i], {0, launch.grid[i] - 1}));
  for (size_t i = 0; i < 3 && !lifted.by_block; ++i) {
    variables.push_back(pool.Variable(kThreads[i], {0, launch.threads[i] - 1}));
  }
  return variables;
}

// The computation itself, or the one of the fusion that is all of it, so that its root is seen.
const hlo::Computation& Innermost(const hlo::Computation& computation) {
  const hlo::Computation* inner = &computation;
  while (inner->root->opcode == hlo::Opcode::kFusion && inner->root->called.size() == 1 &&
         llvm::ArrayRef<Instruction*>(inner->root->operands) ==
             llvm::ArrayRef<Instruction*>(inner->parameters)) {
    inner = inner->root->called[0];
  }
  return *inner;
}

// A store into a buffer that is no result's; docs/kernels.md counts it among the bounds.
std::optional<std::string> FindStoreIntoOperand(const LiftedKernel& lifted, const Launch& launch) {
  for (const LiftedCase& c : lifted.cases) {
    for (const Effect& effect : c.effects) {
      if (effect.kind == Effect::Kind::kRead) continue;
      const int64_t memory = launch.params[static_cast<size_t>(effect.buffer)].memory;
      const bool result = llvm::any_of(launch.params, [&](const Param& param) {
        return param.memory == memory && param.role == Param::kOutput;
      });
      if (!result)
        return "line " + std::to_string(effect.line) + ": a store into what is only read";
    }
  }
  return std::nullopt;
}

// Whether no thread reads what another one writes: each read of a buffer that the kernel writes is
// of an element that the same thread writes. Where each element is written once, no other thread
// writes that one.
std::optional<std::string> FindForeignRead(const LiftedKernel& lifted, terms::Pool& pool) {
  for (const LiftedCase& c : lifted.cases) {
    Scope scope(pool);
    bool possible = llvm::all_of(c.facts, [&](Term fact) { return scope.Assume(fact); });
    if (!possible) continue;
    for (const Effect& read : c.effects) {
      if (read.kind != Effect::Kind::kRead) continue;
      size_t saved = scope.Save();
      bool own = !scope.Assume(read.guard) || llvm::any_of(c.effects, [&](const Effect& store) {
        return store.kind == Effect::Kind::kStore && store.buffer == read.buffer &&
               store.thread == read.thread && scope.Decide(store.guard) == true &&
               scope.Decide(
                   pool.Equal(scope.Simplify(store.element), scope.Simplify(read.element))) == true;
      });
      scope.Restore(saved);
      if (!own)
        return "line " + std::to_string(read.line) + ": another thread may write what is read";
    }
  }
  return std::nullopt;
}

// Proves the claims about one leaf of the result.
class ResultProver {
 public:
  ResultProver(const LiftedKernel& lifted, const Launch& launch,
               const hlo::Computation& computation, terms::Pool& pool,
               const ProveKernelOptions& options, KernelProof& proof)
      : lifted_(lifted),
        launch_(launch),
        computation_(computation),
        pool_(pool),
        options_(options),
        proof_(proof) {}

  // Leaf `leaf` of the result, which is parameter `param` of the kernel.
  void Prove(int64_t leaf, size_t param);

 private:
  void ProveCase(const LiftedCase& c);
  void ProveStore(Scope& scope, ComputationValues& values, SameValue& same, const Effect& effect,
                  WrittenElements& written);
  void ProveAtomic(const LiftedCase& c, const Effect& effect);
  std::optional<std::vector<Term>> UpdateIndexOf(Scope& scope, const Effect& effect) const;
  void Unknown(Claim claim, std::string reason);
  void Fail(std::string reason);  // of writes, elements and values
  // The instruction that the leaf is of.
  const Instruction* ProducerOf(const Instruction* root, int64_t& leaf) const;
  // The buffer that an array leaf of the parameters is in, as effects and loads number it.
  int64_t BufferOfInput(int64_t leaf) const;
  int64_t BufferOf(size_t param) const;
  ComputationValues ValuesIn(Scope& scope) const;
  // The clamped starts of the dynamic-update-slice.
  llvm::Expected<std::vector<Term>> StartsOf(Scope& scope, ComputationValues& values) const;
  std::string Place(const Effect& effect) const {
    return "line " + std::to_string(effect.line) + ": ";
  }

  const LiftedKernel& lifted_;
  const Launch& launch_;
  const hlo::Computation& computation_;
  terms::Pool& pool_;
  const ProveKernelOptions& options_;
  KernelProof& proof_;

  Writing writing_ = Writing::kEachElement;
  const Instruction* producer_ = nullptr;
  int64_t leaf_ = 0;
  size_t param_ = 0;
  const hlo::Shape* shape_ = nullptr;
  std::vector<WrittenElements> written_;
};

void ResultProver::Unknown(Claim claim, std::string reason) {
  ClaimProof& c = proof_.Of(claim);
  if (c.verdict != Verdict::kUnknown || c.reason.empty())
    c = {.verdict = Verdict::kUnknown, .reason = std::move(reason)};
}

void ResultProver::Fail(std::string reason) {
  for (Claim claim : {Claim::kWrites, Claim::kElements, Claim::kValues}) Unknown(claim, reason);
}

const Instruction* ResultProver::ProducerOf(const Instruction* root, int64_t& leaf) const {
  while (true) {
    if (root->opcode == hlo::Opcode::kTuple) {
      for (const Instruction* operand : root->operands) {
        int64_t count = hlo::NumLeaves(operand->shape);
        if (leaf < count) {
          root = operand;
          break;
        }
        leaf -= count;
      }
    } else {
      return root;
    }
  }
}

int64_t ResultProver::BufferOf(size_t param) const {
  for (size_t i = 0; i < launch_.params.size(); ++i) {
    if (launch_.params[i].memory == launch_.params[param].memory) return static_cast<int64_t>(i);
  }
  return static_cast<int64_t>(param);
}

int64_t ResultProver::BufferOfInput(int64_t leaf) const {
  int64_t inputs = 0;
  for (size_t i = 0; i < launch_.params.size(); ++i) {
    if (launch_.params[i].role == Param::kInput && inputs++ == leaf) return BufferOf(i);
  }
  return -1;
}

ComputationValues ResultProver::ValuesIn(Scope& scope) const {
  auto first_leaf = [this](int64_t parameter) {
    int64_t leaves = 0;
    for (int64_t p = 0; p < parameter; ++p)
      leaves += hlo::NumLeaves(computation_.parameters[p]->shape);
    return leaves;
  };
  return ComputationValues(
      scope, computation_, [this, &scope, first_leaf](int64_t parameter, int64_t leaf, auto index) {
        const hlo::Shape& shape = *hlo::LeafShape(computation_.parameters[parameter]->shape, leaf);
        return pool_.Load(BufferOfInput(first_leaf(parameter) + leaf),
                          hlo_values::LinearElement(scope, shape, index),
                          terms::TermType(shape.type));
      });
}

void ResultProver::Prove(int64_t leaf, size_t param) {
  param_ = param;
  leaf_ = leaf;
  producer_ = ProducerOf(computation_.root, leaf_);
  shape_ = &launch_.params[param].shape;
  written_.clear();
  // A result in the memory of an operand, or that starts as one, keeps what is not written.
  bool starts_as_operand =
      launch_.params[param].starts_as.has_value() || BufferOf(param) != static_cast<int64_t>(param);
  writing_ = Writing::kEachElement;
  if (starts_as_operand && producer_->opcode == hlo::Opcode::kDynamicUpdateSlice)
    writing_ = Writing::kUpdateInPlace;
  if (starts_as_operand && producer_->opcode == hlo::Opcode::kScatter) writing_ = Writing::kScatter;
  if (writing_ != Writing::kEachElement) {
    const Instruction* operand = producer_->operands[0];
    bool same_array = operand->opcode == hlo::Opcode::kParameter;
    if (!same_array) return Fail("an update of what is not an operand of the kernel");
  }
  for (const LiftedCase& c : lifted_.cases) ProveCase(c);
  auto start = std::chrono::steady_clock::now();
  std::vector<int64_t> shape = shape_->dims;
  if (writing_ == Writing::kEachElement) shape = {shape_->NumElements()};
  if (writing_ == Writing::kUpdateInPlace) shape = producer_->operands[1]->shape.dims;
  if (writing_ == Writing::kScatter) shape = {producer_->operands[2]->shape.NumElements()};
  MapProofResult once = ProveWrittenOnce(pool_, written_, VariablesOf(lifted_, launch_, pool_),
                                         shape, options_.decide);
  ClaimProof& writes = proof_.Of(Claim::kWrites);
  if (once.verdict != Verdict::kProved) {
    Unknown(Claim::kWrites, once.verdict == Verdict::kRefuted && once.counterexample
                                ? once.counterexample->note
                                : once.reason);
  } else if (writes.engine.empty()) {
    writes.engine = affirm::Name(once.engine);
  }
  std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
  writes.ms += spent.count();
}

void ResultProver::ProveCase(const LiftedCase& c) {
  Scope scope(pool_);
  for (Term fact : c.facts) {
    if (!scope.Assume(fact)) return;  // no block is of this case
  }
  ComputationValues values = ValuesIn(scope);
  SameValue same(scope, options_.same_value);
  // Stores of one guard, one after the other, share what is known there.
  for (const Effect& effect : c.effects) {
    if (effect.buffer != BufferOf(param_) || effect.kind == Effect::Kind::kRead) continue;
    if (effect.kind == Effect::Kind::kAtomic) {
      ProveAtomic(c, effect);
      continue;
    }
    size_t saved = scope.Save();
    if (scope.Assume(effect.guard)) {
      if (written_.empty() || written_.back().conditions.back() != effect.guard ||
          written_.back().conditions.size() != c.facts.size() + 1 ||
          !std::equal(c.facts.begin(), c.facts.end(), written_.back().conditions.begin())) {
        written_.emplace_back();
        written_.back().conditions.assign(c.facts.begin(), c.facts.end());
        written_.back().conditions.push_back(effect.guard);
      }
      ProveStore(scope, values, same, effect, written_.back());
    }
    scope.Restore(saved);
  }
}

llvm::Expected<std::vector<Term>> ResultProver::StartsOf(Scope& scope,
                                                         ComputationValues& values) const {
  std::vector<Term> starts;
  const hlo::Shape& operand = producer_->operands[0]->shape;
  const hlo::Shape& update = producer_->operands[1]->shape;
  for (size_t d = 0; d < operand.dims.size(); ++d) {
    const Instruction* start = producer_->operands[2 + d];
    auto value = values.At(*start, 0, {});
    if (!value) return value.takeError();
    Term number = terms::IntegerIn(scope, *value, start->shape.type);
    starts.push_back(scope.Min(scope.Max(number, pool_.Number(0)),
                               pool_.Number(operand.dims[d] - update.dims[d])));
  }
  return starts;
}

void ResultProver::ProveStore(Scope& scope, ComputationValues& values, SameValue& same,
                              const Effect& effect, WrittenElements& written) {
  if (writing_ == Writing::kScatter) return Fail(Place(effect) + "a plain store of a scatter");
  std::vector<Term> index = hlo_values::IndexOfElement(scope, *shape_, effect.element);
  if (writing_ == Writing::kEachElement) {
    written.indices.push_back({effect.element});
  } else {
    if (producer_->operands.size() != 2 + shape_->dims.size())
      return Fail("starts that are no scalars");
    auto starts = StartsOf(scope, values);
    if (!starts) return Fail(llvm::toString(starts.takeError()));
    // The index of the update.
    std::vector<Term> offsets;
    for (size_t d = 0; d < index.size(); ++d) {
      Term offset = pool_.Subtract(index[d], (*starts)[d]);
      terms::Range range = scope.RangeOf(offset);
      if (range.lo < 0 || range.hi >= producer_->operands[1]->shape.dims[d]) {
        return Fail(Place(effect) + "a store that is not seen to be inside of the update");
      }
      offsets.push_back(scope.Simplify(offset));
    }
    written.indices.push_back(std::move(offsets));
  }
  // Inside of the array, or no index says anything.
  if (scope.Decide(pool_.And(
          {pool_.AtLeastZero(effect.element),
           pool_.AtLeast(pool_.Number(shape_->NumElements() - 1), effect.element)})) != true) {
    return Fail(Place(effect) + "a store that is not seen to be inside of the result");
  }
  // A claim that one store leaves open stays open.
  const bool values_open = proof_.Of(Claim::kValues).verdict != Verdict::kProved;
  const bool elements_open = proof_.Of(Claim::kElements).verdict != Verdict::kProved;
  if (values_open && elements_open) return;
  auto wanted = values.At(*producer_, leaf_, index);
  if (!wanted) {
    std::string reason = llvm::toString(wanted.takeError());
    Unknown(Claim::kElements, reason);
    return Unknown(Claim::kValues, reason);
  }
  if (!values_open) {
    if (same.Prove(effect.value, *wanted)) return;
    Unknown(Claim::kValues, Place(effect) + same.reason());
  }
  if (!elements_open && !same.ProveElements(effect.value, *wanted)) {
    Unknown(Claim::kElements, Place(effect) + same.reason());
  }
}

// Where the value of an atomic update is loaded from says which element of the updates it is;
// everything else is proved.
std::optional<std::vector<Term>> ResultProver::UpdateIndexOf(Scope& scope,
                                                             const Effect& effect) const {
  const hlo::Shape& updates = producer_->operands[2]->shape;
  std::vector<Term> stack = {effect.value};
  llvm::DenseSet<Term> seen;
  while (!stack.empty()) {
    Term term = stack.back();
    stack.pop_back();
    if (!seen.insert(term).second) continue;
    if (term->kind == Kind::kLoad) {
      Term element = scope.Simplify(term->args[0]);
      terms::Range range = scope.RangeOf(element);
      llvm::DenseMap<Term, bool> known;
      bool fits =
          range.lo >= 0 && range.hi < updates.NumElements() && !DependsOnData(element, known);
      if (fits) return hlo_values::IndexOfElement(scope, updates, element);
    }
    stack.insert(stack.end(), term->args.begin(), term->args.end());
    for (const terms::Monomial& m : term->sum) stack.push_back(m.atom);
  }
  return std::nullopt;
}

void ResultProver::ProveAtomic(const LiftedCase& c, const Effect& effect) {
  if (writing_ != Writing::kScatter)
    return Fail(Place(effect) + "an atomic update of a result that is no scatter");
  // What the guard says about indices, and what about data: the latter is to be what decides
  // whether an update is inside.
  std::vector<Term> of_indices, of_data;
  llvm::DenseMap<Term, bool> known;
  llvm::ArrayRef<Term> parts =
      effect.guard->kind == Kind::kAnd ? effect.guard->args : llvm::ArrayRef<Term>(effect.guard);
  for (Term part : parts) (DependsOnData(part, known) ? of_data : of_indices).push_back(part);
  Scope scope(pool_);
  std::vector<Term> conditions(c.facts.begin(), c.facts.end());
  conditions.insert(conditions.end(), of_indices.begin(), of_indices.end());
  for (Term condition : conditions) {
    if (!scope.Assume(condition)) return;
  }
  ComputationValues values = ValuesIn(scope);
  SameValue same(scope, options_.same_value);
  auto index = UpdateIndexOf(scope, effect);
  if (!index)
    return Fail(Place(effect) + "an atomic update of which no element of the updates is seen");
  auto scatter = values.Scatter(*producer_, *index);
  if (!scatter) return Fail(llvm::toString(scatter.takeError()));
  const Instruction* root = scatter->combiner->root;
  bool combines = scatter->updates.size() == 1 && root->operands.size() == 2 &&
                  root->operands[0] != root->operands[1] &&
                  root->operands[0]->opcode == hlo::Opcode::kParameter &&
                  root->operands[1]->opcode == hlo::Opcode::kParameter &&
                  terms::OperationName(root->opcode, root->shape.type) == effect.operation;
  if (!combines) return Fail(Place(effect) + "an atomic update by another operation");
  if (!same.Prove(pool_.OfCondition(pool_.And(of_data)), pool_.OfCondition(scatter->inside))) {
    return Fail(Place(effect) +
                "not the condition under which the update is inside: " + same.reason());
  }
  written_.emplace_back();
  written_.back().conditions = std::move(conditions);
  written_.back().indices.push_back(
      {hlo_values::LinearElement(scope, producer_->operands[2]->shape, *index)});
  if (!scope.Assume(scatter->inside)) return;
  Term target = hlo_values::LinearElement(scope, *shape_, scatter->target);
  if (scope.Decide(pool_.Equal(scope.Simplify(target), scope.Simplify(effect.element))) != true) {
    return Fail(Place(effect) + "an atomic update of another element");
  }
  SameValue inside(scope, options_.same_value);
  if (!inside.Prove(effect.value, scatter->updates[0])) {
    Unknown(Claim::kValues, Place(effect) + inside.reason());
    if (!inside.ProveElements(effect.value, scatter->updates[0])) {
      Unknown(Claim::kElements, Place(effect) + inside.reason());
    }
  }
}

}  // namespace

void ProveResults(const LiftedKernel& lifted, const Launch& launch,
                  const hlo::Computation& computation, terms::Pool& pool,
                  const ProveKernelOptions& options, KernelProof& proof) {
  auto start = std::chrono::steady_clock::now();
  for (Claim claim : {Claim::kWrites, Claim::kElements, Claim::kValues}) {
    proof.Of(claim) = {.verdict = Verdict::kProved};
  }
  ResultProver prover(lifted, launch, Innermost(computation), pool, options, proof);
  int64_t leaf = 0;
  for (size_t i = 0; i < launch.params.size(); ++i) {
    if (launch.params[i].role == Param::kOutput) prover.Prove(leaf++, i);
  }
  if (auto store = FindStoreIntoOperand(lifted, launch)) {
    for (Claim claim : {Claim::kBounds, Claim::kWrites}) {
      proof.Of(claim) = {.verdict = Verdict::kUnknown, .reason = *store};
    }
  }
  // What is proved of each store says nothing of elements that no store writes.
  if (proof.Of(Claim::kWrites).verdict != Verdict::kProved) {
    for (Claim claim : {Claim::kElements, Claim::kValues}) {
      if (proof.Of(claim).verdict != Verdict::kProved) continue;
      proof.Of(claim) = {.verdict = Verdict::kUnknown,
                         .reason = "not every element is seen to be written once"};
    }
  }
  ClaimProof& races = proof.Of(Claim::kRaces);
  if (races.verdict == Verdict::kProved) {
    auto foreign = FindForeignRead(lifted, pool);
    if (foreign)
      races = {.verdict = Verdict::kUnknown, .reason = *foreign};
    else if (proof.Of(Claim::kWrites).verdict != Verdict::kProved) {
      races = {.verdict = Verdict::kUnknown, .reason = "two threads may write one element"};
    }
  }
  std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
  for (Claim claim : {Claim::kElements, Claim::kValues}) {
    proof.Of(claim).engine = proof.Of(claim).verdict == Verdict::kProved ? "terms" : "";
    proof.Of(claim).ms = spent.count();
  }
}

}  // namespace affirm::kernel
