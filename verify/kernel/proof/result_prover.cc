// Proves that a kernel writes each element of a result once, with the value of the computation.
#include "verify/kernel/proof/result_prover.h"

#include <string>
#include <vector>

#include "core/hlo/leaves.h"
#include "verify/kernel/proof/sort_proof.h"
#include "verify/kernel/proof/stopwatch.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"

namespace affirm::kernel {

using hlo::Instruction;
using hlo_values::ComputationValues;
using terms::Kind;
using terms::Scope;
using terms::Term;

namespace {

// The variables of threads and blocks. All of them matter, since a store that does not depend on
// one is repeated for each of its values.
std::vector<Term> VariablesOf(const LiftedKernel& lifted, const Launch& launch, terms::Pool& pool) {
  std::vector<Term> variables;
  static constexpr const char* kBlocks[] = {"bl_x", "bl_y", "bl_z"};
  static constexpr const char* kThreads[] = {"th_x", "th_y", "th_z"};
  variables.reserve(std::size(kBlocks) + std::size(kThreads));
  for (size_t i = 0; i < 3; ++i)
    variables.push_back(pool.Variable(kBlocks[i], {0, launch.grid[i] - 1}));
  for (size_t i = 0; i < 3 && !lifted.by_block; ++i) {
    variables.push_back(pool.Variable(kThreads[i], {0, launch.threads[i] - 1}));
  }
  return variables;
}

bool HasNoOtherQuotients(llvm::ArrayRef<Term> index, Term element) {
  llvm::DenseSet<Term> known;
  terms::ForEachPart(element, [&](Term part) {
    known.insert(part);
    return terms::Visit::kInto;
  });
  return llvm::none_of(index, [&](Term integer) {
    return terms::AnyPart(
        integer, [&](Term part) { return part->kind == Kind::kQuotient && !known.contains(part); });
  });
}

// A computation of this name that the given one calls, transitively; or null.
const hlo::Computation* FindCalled(const hlo::Computation& computation, llvm::StringRef name) {
  for (const auto& instruction : computation.instructions) {
    for (const hlo::Computation* called : instruction->called) {
      if (called->name == name) return called;
      if (const hlo::Computation* inner = FindCalled(*called, name)) return inner;
    }
  }
  return nullptr;
}

// Whether the integer or condition depends on a by-value argument without a given value.
bool DependsOnOpenScalar(Term term) {
  return terms::AnyPart(term, [](Term part) {
    return part->kind == Kind::kVariable && part->name.starts_with(kVariableByValue);
  });
}

bool DependsOnOpenScalar(const WrittenElements& written) {
  return llvm::any_of(written.conditions, [](Term part) { return DependsOnOpenScalar(part); }) ||
         llvm::any_of(written.indices, [](llvm::ArrayRef<Term> index) {
           return llvm::any_of(index, [](Term part) { return DependsOnOpenScalar(part); });
         });
}

}  // namespace

void ResultProver::Unknown(Claim claim, std::string reason) {
  ClaimProof& c = proof_.Of(claim);
  if (c.verdict != Verdict::kUnknown || c.reason.empty())
    c = {.verdict = Verdict::kUnknown, .reason = std::move(reason)};
}

void ResultProver::Fail(const std::string& reason) {
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

ComputationValues ResultProver::ValuesIn(Scope& scope) const {
  return ComputationValues(
      scope, computation_, [this, &scope](int64_t parameter, int64_t leaf, auto index) {
        size_t param = buffers_.InputOf(parameter, leaf);
        const hlo::Shape& shape = launch_.params[param].shape;
        return pool_.Load(buffers_.NumberOf(param), hlo_values::LinearElement(scope, shape, index),
                          terms::TermType(shape.type));
      });
}

CombineFunction ResultProver::CombineIn(Scope& scope) const {
  return [this, &scope](llvm::StringRef name, llvm::ArrayRef<Term> running,
                        llvm::ArrayRef<Term> element) -> std::vector<Term> {
    const hlo::Computation* combiner = FindCalled(computation_, name);
    if (!combiner) return {};
    return Combine(scope, *combiner, running, element);
  };
}

// Whether a value is the initial contents of the result's memory: a parameter, or a bitcast of one,
// with elements in the order of the result's.
bool ResultProver::IsWhatBegins(const Instruction* value, size_t output) const {
  const bool renamed = value->opcode == hlo::Opcode::kBitcast;
  if (renamed && !(value->shape == launch_.params[output].shape)) return false;
  // A bitcast to another width would change the elements' positions in memory.
  const int width = hlo::BitWidth(value->shape.type);
  while (value->opcode == hlo::Opcode::kBitcast) value = value->operands[0];
  if (hlo::BitWidth(value->shape.type) != width) return false;
  if (value->opcode != hlo::Opcode::kParameter || !value->shape.IsArray()) return false;
  const size_t input = buffers_.InputOf(value->parameter_number, 0);
  if (!renamed) return buffers_.BeginsAs(output, input);
  // The bitcast follows the layout of the parameter in the text, which must be the launch's.
  return buffers_.BeginsWithBytesOf(output, input) &&
         value->shape.MinorToMajor() == launch_.params[input].shape.MinorToMajor();
}

bool ResultProver::UpdatesOperand() const {
  const bool scatter = producer_->opcode == hlo::Opcode::kScatter;
  if (!scatter && producer_->opcode != hlo::Opcode::kDynamicUpdateSlice) return false;
  // A scatter may have several operands, which must all match.
  const size_t count = scatter ? producer_->operands.size() / 2 : 1;
  for (size_t k = 0; k < count; ++k) {
    if (!IsWhatBegins(producer_->operands[k], buffers_.outputs()[first_output_ + k])) return false;
  }
  return true;
}

const MapProofResult& ResultProver::ProveOnce(llvm::ArrayRef<WrittenElements> written,
                                              llvm::ArrayRef<int64_t> shape) {
  if (!written_once_)
    written_once_.emplace(pool_, VariablesOf(lifted_, launch_, pool_), options_.decide);
  if (launch_.FindOpenScalar() == nullptr) return written_once_->Prove(written, shape);
  std::vector<WrittenElements> for_all(written.begin(), written.end());
  for (WrittenElements& list : for_all) DropImpliedByOthers(list);
  // An open scalar is the same for all stores, but the prover would enumerate it like a thread.
  if (llvm::any_of(for_all, [](const auto& list) { return DependsOnOpenScalar(list); }))
    return by_open_scalar_;
  return written_once_->Prove(for_all, shape);
}

// Drops conditions on open scalars that the other conditions imply for all their values.
void ResultProver::DropImpliedByOthers(WrittenElements& written) {
  std::vector<Term> parts;
  for (Term condition : written.conditions) {
    if (condition->kind == Kind::kAnd)
      llvm::append_range(parts, condition->args);
    else
      parts.push_back(condition);
  }
  for (size_t k = 0; k < parts.size();) {
    const Term part = parts[k];
    bool is_implied = false;
    if (DependsOnOpenScalar(part)) {
      Scope scope(pool_);
      bool possible = true;
      for (size_t other = 0; other < parts.size() && possible; ++other)
        possible = other == k || scope.Assume(parts[other]);
      is_implied = possible && (scope.Decide(part) == true || decider_.Proves(scope, part));
    }
    if (is_implied)
      parts.erase(parts.begin() + static_cast<int64_t>(k));
    else
      ++k;
  }
  written.conditions = std::move(parts);
}

void ResultProver::Prove(int64_t leaf, size_t param) {
  param_ = param;
  leaf_ = leaf;
  producer_ = ProducerOf(computation_.root, leaf_);
  first_output_ = static_cast<size_t>(leaf - leaf_);
  shape_ = &launch_.params[param].shape;
  written_.clear();
  indices_.clear();
  writing_ = Writing::kEachElement;
  if (UpdatesOperand() && producer_->opcode == hlo::Opcode::kDynamicUpdateSlice)
    writing_ = Writing::kUpdateInPlace;
  if (UpdatesOperand() && producer_->opcode == hlo::Opcode::kScatter) writing_ = Writing::kScatter;
  in_order_ = in_order_ && writing_ == Writing::kScatter;
  elements_may_repeat_ |= writing_ == Writing::kScatter && !IndicesAreUnique();
  for (const LiftedCase& c : lifted_.cases) ProveCase(c);
  if (writing_ == Writing::kScatter) with_orders_.insert(producer_);
  const bool is_last = leaf_ + 1 == hlo::NumLeaves(producer_->shape);
  if (producer_->opcode == hlo::Opcode::kSort && is_last) ProveSort();
  const Stopwatch watch;
  std::vector<int64_t> shape = shape_->dims;
  if (writing_ == Writing::kEachElement && AreWrittenByIndex()) {
    writes_ms_ += watch.Ms();
    return;
  }
  if (writing_ == Writing::kEachElement) shape = {shape_->NumElements()};
  if (writing_ == Writing::kUpdateInPlace) shape = producer_->operands[1]->shape.dims;
  if (writing_ == Writing::kScatter) {
    const size_t arity = producer_->operands.size() / 2;
    shape = {producer_->operands[arity + 1]->shape.NumElements()};
    if (written_.empty()) AddUpdatesOutside();
  }
  const MapProofResult& once = ProveOnce(written_, shape);
  ClaimProof& writes = proof_.Of(Claim::kWrites);
  if (once.verdict != Verdict::kProved) {
    Unknown(Claim::kWrites, once.verdict == Verdict::kRefuted && once.counterexample
                                ? once.counterexample->note
                                : once.reason);
  } else if (writes.engine.empty()) {
    writes.engine = affirm::Name(once.engine);
  }
  writes_ms_ += watch.Ms();
}

// Proves that each element is written once by multidimensional indices, where tiles are boxes.
// Adjacent dimensions that are separated by quotients alone are merged: threads that transpose into
// [300,20,5000] have an index over 300 * 20 rows. False if all dimensions merge into one; then the
// caller asks about linear indices.
bool ResultProver::AreWrittenByIndex() {
  std::vector<WrittenElements> written = written_;
  std::vector<std::vector<Term>*> places;  // the linear indices, to be replaced
  for (WrittenElements& list : written) {
    for (std::vector<Term>& index : list.indices) places.push_back(&index);
  }
  if (places.size() != indices_.size()) return false;
  std::vector<Term> elements;
  for (std::vector<Term>* index : places) {
    elements.push_back(index->front());
    index->clear();
  }
  std::vector<int64_t> dims;               // minor ones first
  std::vector<Term> parts(places.size());  // indices in the dimension being merged
  int64_t size = 1;
  for (int64_t d : shape_->MinorToMajor()) {
    if (shape_->dims[d] == 1) continue;
    bool simple = true;
    for (size_t k = 0; k < places.size(); ++k) {
      const Term next = indices_[k][d];
      parts[k] = size == 1 ? next : pool_.Add(pool_.Scale(next, size), parts[k]);
      simple = simple && HasNoOtherQuotients(parts[k], elements[k]);
    }
    size *= shape_->dims[d];
    if (!simple) continue;
    for (size_t k = 0; k < places.size(); ++k) places[k]->push_back(parts[k]);
    dims.push_back(size);
    size = 1;
  }
  if (dims.size() < 2 || size != 1) return false;
  const MapProofResult& once = ProveOnce(written, dims);
  ClaimProof& writes = proof_.Of(Claim::kWrites);
  if (once.verdict == Verdict::kProved && writes.engine.empty())
    writes.engine = affirm::Name(once.engine);
  return once.verdict == Verdict::kProved;
}

void ResultProver::ProveCase(const LiftedCase& c) {
  Scope scope(pool_);
  for (Term fact : c.facts) {
    if (!scope.Assume(fact)) return;  // no block is of this case
  }
  ComputationValues values = ValuesIn(scope);
  SameValue same(scope, options_.same_value, &decider_);
  same.set_combine(CombineIn(scope));
  // Consecutive stores with one guard share the facts and memos.
  const size_t saved = scope.Save();
  Term guard = nullptr;
  bool possible = false;
  const int64_t buffer = buffers_.NumberOf(param_);
  for (const Effect& effect : c.effects) {
    if (effect.buffer != buffer || effect.kind == Effect::Kind::kRead) continue;
    if (effect.kind == Effect::Kind::kAtomic || writing_ == Writing::kScatter) {
      ProveUpdate(c, effect);
      continue;
    }
    const bool with_last =
        effect.guard == guard && (!possible || written_.back().loops == effect.loops);
    if (!with_last) {
      scope.Restore(saved);
      guard = effect.guard;
      possible = scope.Assume(guard);
      if (possible) {
        written_.emplace_back();
        written_.back().conditions.assign(c.facts.begin(), c.facts.end());
        written_.back().conditions.push_back(guard);
        written_.back().loops = effect.loops;
      }
    }
    if (possible) ProveStore(scope, values, same, effect, written_.back());
  }
}

void ResultProver::ProveSort() {
  SortProver prover(launch_, buffers_, *producer_, first_output_, pool_, options_.same_value,
                    &decider_);
  for (const LiftedCase& c : lifted_.cases) {
    Scope scope(pool_);
    const bool possible = llvm::all_of(c.facts, [&](Term fact) { return scope.Assume(fact); });
    if (!possible) continue;
    ComputationValues values = ValuesIn(scope);
    prover.Prove(c, scope, values);
  }
  if (prover.elements_open()) Unknown(Claim::kElements, *prover.elements_open());
  if (prover.values_open()) Unknown(Claim::kValues, *prover.values_open());
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
  // Memoized across results of one shape.
  const auto [known, fresh] =
      indices_of_[shape_->ToString()].try_emplace(std::pair(written.conditions, effect.element));
  if (fresh) known->second = hlo_values::IndexOfElement(scope, *shape_, effect.element);
  const std::vector<Term>& index = known->second;
  if (writing_ == Writing::kEachElement) {
    written.indices.push_back({effect.element});
    indices_.push_back(index);
  } else {
    if (producer_->operands.size() != 2 + shape_->dims.size())
      return Fail("starts that are no scalars");
    auto starts = StartsOf(scope, values);
    if (!starts) return Fail(llvm::toString(starts.takeError()));
    // The index in the update operand.
    std::vector<Term> offsets;
    for (size_t d = 0; d < index.size(); ++d) {
      Term offset = pool_.Subtract(index[d], (*starts)[d]);
      terms::Range range = scope.RangeOf(offset);
      const int64_t size = producer_->operands[1]->shape.dims[d];
      Term inside =
          pool_.And({pool_.AtLeastZero(offset), pool_.AtLeast(pool_.Number(size - 1), offset)});
      const bool in_range = range.lo >= 0 && range.hi < size;
      if (!in_range && !decider_.Proves(scope, inside)) {
        return Fail(Place(effect) + "a store that is not seen to be inside of the update");
      }
      offsets.push_back(scope.Simplify(offset));
    }
    written.indices.push_back(std::move(offsets));
  }
  // The element must be inside of the array, or its indices are meaningless.
  Term inside = pool_.And({pool_.AtLeastZero(effect.element),
                           pool_.AtLeast(pool_.Number(shape_->NumElements() - 1), effect.element)});
  if (scope.Decide(inside) != true && !decider_.Proves(scope, inside)) {
    return Fail(Place(effect) + "a store that is not seen to be inside of the result");
  }
  // ProveSort proves the elements of a row together.
  if (producer_->opcode == hlo::Opcode::kSort) return;
  // Skips the store if both claims are open already.
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
    if (compare::Settles(same.Prove(effect.value, *wanted), scope, effect.value, *wanted,
                         logic::Equality::kZerosAreOne))
      return;
    Unknown(Claim::kValues, Place(effect) + same.reason());
  }
  if (elements_open) return;
  const Stopwatch watch;
  const bool proved = same.ProveElements(effect.value, *wanted);
  elements_ms_ += watch.Ms();
  if (!proved) Unknown(Claim::kElements, Place(effect) + same.reason());
}

}  // namespace affirm::kernel
