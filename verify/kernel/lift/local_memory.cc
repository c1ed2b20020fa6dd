// Shared memory of a block, and allocas of a thread: memory with constant addresses.
#include "verify/kernel/lift/lifter.h"
#include "verify/terms/operations.h"

namespace affirm::kernel {

namespace {

using Claim = Obligation::Claim;
// The load number of names for choices.
constexpr int64_t kOfNames = INT64_MIN / 2;
constexpr const char* kNoRace = "no two threads race for shared memory";

// The condition that an integer in [0, 1] is 1. It must not rest on facts, which memory outlives.
Term IsOne(terms::Pool& pool, Term bit) {
  if (bit->kind == terms::Kind::kPick)
    return terms::ConditionOfPick(pool, bit, [&](Term leaf) { return IsOne(pool, leaf); });
  const bool is_predicate =
      bit->kind == terms::Kind::kInteger && bit->args[0]->type == hlo::PrimitiveType::kPred;
  return is_predicate ? pool.Holds(bit->args[0]) : pool.AtLeast(bit, pool.Number(1));
}

// The term of an integer or a float.
std::optional<Term> ScalarTerm(const Value& value) {
  if (auto integer = value.As<Value::Integer>()) return integer->term;
  if (auto data = value.As<Value::Data>()) return data->term;
  return std::nullopt;
}

}  // namespace

const ByteMemory* Lifter::OwnOf(const Value::Pointer& pointer) const {
  if (pointer.memory < kOfThread || pointer.memory >= kNowhere) return nullptr;
  return thread_->own.Find(pointer.memory - kOfThread);
}

// The memory of an access, and its constant offset.
ByteMemory* Lifter::BytesAt(LiftThread& thread, uint32_t place, Term offset, int64_t& at) {
  terms::Range range = scope_.RangeOf(offset);
  if (!range.single()) {
    Fail(*now_, "an address in memory of the block or thread that is no number");
    return nullptr;
  }
  at = static_cast<int64_t>(range.lo);
  if (place >= kOfThread && place < kNowhere) {
    ByteMemory* own = thread.own.FindToChange(place - kOfThread);
    if (!own) Fail(*now_, "memory of a function that has returned");
    return own;
  }
  if (place >= memories_.size() || !by_block_) {
    Fail(*now_, "an access to this memory");
    return nullptr;
  }
  return &shared_.try_emplace(place, memories_[place].bytes).first->second;
}

Value Lifter::LoadBytes(LiftThread& thread, uint32_t place, Term offset,
                        llvm::ArrayRef<Scalar> scalars, llvm::Type* type) {
  int64_t at = 0;
  ByteMemory* bytes = BytesAt(thread, place, offset, at);
  if (!bytes) return {};
  llvm::SmallVector<Value, 4> values;
  for (Scalar scalar : scalars) {
    scalar.offset += at;
    if (place < kOfThread) {
      const Moment now = thread.Now();
      auto& races =
          accesses_of_block_.races.try_emplace(place, memories_[place].bytes).first->second;
      auto other = races.Read(scalar.offset, scalar.size, now);
      if (other) {
        Unproved(Claim::kRaces, kNoRace, "thread " + llvm::Twine(*other) + " writes what is read");
      } else {
        Met(Claim::kRaces, kNoRace);
      }
    }
    values.push_back(FromCells(bytes->At(scalar.offset, scalar.size), scalar));
    if (failed()) return {};
  }
  llvm::ArrayRef<Value> rest = values;
  return Assemble(type, rest);
}

void Lifter::StoreBytes(LiftThread& thread, uint32_t place, Term offset,
                        llvm::ArrayRef<Scalar> scalars, llvm::ArrayRef<Value> values) {
  int64_t at = 0;
  ByteMemory* bytes = BytesAt(thread, place, offset, at);
  if (!bytes) return;
  for (size_t k = 0; k < scalars.size(); ++k) {
    Cell cell = {scalars[k].offset + at, scalars[k].size, scalars[k].type, values[k]};
    auto before = bytes->At(cell.offset, cell.size);
    if (place < kOfThread) {
      // Later iterations and other threads would read the value of one symbolic iteration.
      if (!loops_.empty()) {
        Fail(*now_, "a store to shared memory in a loop that is executed once");
        return;
      }
      // Under a data-dependent guard, shared memory becomes a select of the stored and old values.
      // Allocas are merged at the join of the branch instead.
      if (!guards_.empty()) {
        Value old = FromCells(before, {cell.type, cell.offset, cell.size});
        if (failed()) return;
        cell.value = StoredIf(Guard(), cell, old);
        if (failed()) return;
      }
      const Moment now = thread.Now();
      auto& races =
          accesses_of_block_.races.try_emplace(place, memories_[place].bytes).first->second;
      bool same = guards_.empty() && before.size() == 1 && before[0] == cell;
      auto other = races.Write(cell.offset, cell.size, now, same);
      if (other) {
        Unproved(Claim::kRaces, kNoRace,
                 "thread " + llvm::Twine(*other) + " accesses what is written");
      } else {
        Met(Claim::kRaces, kNoRace);
      }
    }
    bytes->Store(cell);
  }
}

// The contents of the cell after a store under the condition.
Value Lifter::StoredIf(Term condition, const Cell& cell, const Value& old) {
  const hlo::PrimitiveType type = TypeOf(cell.type);
  const auto stored = ScalarTerm(cell.value), kept = ScalarTerm(old);
  const bool named = options_.name_choices && type != hlo::PrimitiveType::kInvalid && stored &&
                     kept && cell.value.IsSameKind(old) && !cell.value.sound() && !old.sound() &&
                     MarksOf(cell.value) == 0 && MarksOf(old) == 0;  // a name would hide the marks
  if (!named) {
    // Uses a scope without facts: the current one has the condition, which memory outlives.
    terms::Scope outside(pool_);
    return ChooseIn(outside, condition, cell.value, old);
  }
  // Names a byte that is 0 or 1 in both cases as a predicate, to keep its range.
  const bool is_integer = cell.value.Is<Value::Integer>();
  auto is_bit = [](Term term) { return term->range.lo >= 0 && term->range.hi <= 1; };
  const bool is_predicate = is_integer && is_bit(*stored) && is_bit(*kept);
  auto element = [&](Term term) {
    if (is_predicate) return pool_.OfCondition(IsOne(pool_, term));
    return is_integer ? pool_.OfInteger(term, type) : term;
  };
  Term name =
      pool_.Load(kOfNames, pool_.Number(names_++), is_predicate ? hlo::PrimitiveType::kPred : type);
  choices_.push_back({name, condition, element(*stored), element(*kept)});
  if (!is_integer) return Value::Data(name);
  return Value::Integer(pool_.IntegerOf(name));
}

}  // namespace affirm::kernel
