#include "driver/buffers/buffer_lives.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "core/hlo/input_output_alias.h"
#include "core/hlo/leaves.h"
#include "driver/buffers/assign_buffers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::driver {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

namespace {

constexpr int64_t kAtTheEnd = std::numeric_limits<int64_t>::max();

struct Life {
  std::string name;
  ArrayOf made;
  BufferSlice slice;
  int64_t begin = 0, end = 0;  // end: the last time it is read
  const Instruction* reader = nullptr;
};

bool RunsWhatItCalls(Opcode opcode) {
  return opcode == Opcode::kWhile || opcode == Opcode::kConditional || opcode == Opcode::kCall;
}

class Lives {
 public:
  Lives(const hlo::Module& module, const BufferAssignment& buffers)
      : entry_(*module.entry), buffers_(buffers) {
    Schedule(entry_);
    FindDonated(module);
  }

  std::vector<Life> All() {
    std::vector<Life> lives;
    for (const Computation* computation : order_) {
      for (const auto& op : computation->instructions) AddLives(*computation, *op, lives);
    }
    return lives;
  }

 private:
  // The caller gives these away. If the text of the donors cannot be read, it may be all of them;
  // CheckPassedBuffers says so.
  void FindDonated(const hlo::Module& module) {
    if (auto donors = hlo::BufferDonors(module)) {
      for (const hlo::BufferDonor& donor : *donors)
        donated_.insert({entry_.parameters[donor.parameter], donor.parameter_leaf});
    } else {
      llvm::consumeError(donors.takeError());
      all_are_donated_ = true;
    }
    auto aliases = hlo::InputOutputAliases(module);
    if (!aliases) return llvm::consumeError(aliases.takeError());
    for (const hlo::InputOutputAlias& alias : *aliases)
      donated_.insert({entry_.parameters[alias.parameter], alias.parameter_leaf});
  }

  // Times of the instructions that run, each with those of what it calls inside of it.
  void Schedule(const Computation& computation) {
    if (!scheduled_.insert(&computation).second) return;
    order_.push_back(&computation);
    started_[&computation] = clock_++;
    for (const auto& op : computation.instructions) {
      begin_[op.get()] = clock_++;
      if (RunsWhatItCalls(op->opcode)) {
        for (const auto& [called, role] : llvm::zip_equal(op->called, op->called_as)) {
          if (op->opcode == Opcode::kWhile && role == "condition") conditions_.insert(called);
          callers_[called].push_back(op.get());
          Schedule(*called);
        }
      }
      end_[op.get()] = clock_++;
    }
    finished_[&computation] = clock_++;
  }

  void AddLives(const Computation& computation, const Instruction& op, std::vector<Life>& lives) {
    const bool is_parameter = op.opcode == Opcode::kParameter;
    for (const hlo::LeafRef& leaf : hlo::Leaves(op.shape)) {
      if (!leaf.shape->IsArray()) continue;
      auto slice = buffers_.FindOwn(op, leaf.index);
      if (!slice) continue;
      Life life{.name = op.name, .made = MadeBy({&op, leaf.index}), .slice = *slice};
      if (op.shape.IsTuple()) life.name += "{" + std::to_string(leaf.index) + "}";
      life.begin = life.end = BeginOf(computation, op);
      if (op.opcode == Opcode::kConstant) {
        life.end = kAtTheEnd;
      } else if (is_parameter && &computation == &entry_) {
        if (!all_are_donated_ && !donated_.contains(life.made)) life.end = kAtTheEnd;
      } else if (is_parameter && conditions_.contains(&computation)) {
        // The body takes it from there.
        ReadAt(life, finished_[&computation], &op);
      }
      seen_.clear();
      FollowUses(computation, op, leaf.index, life);
      lives.push_back(std::move(life));
    }
  }

  // When the values of an instruction begin. Constants are there before the program runs. What a
  // loop hands from one trip to the next, and what loops and branches give, are values of their
  // own, which lie where those lie that they are of.
  int64_t BeginOf(const Computation& computation, const Instruction& op) {
    if (op.opcode == Opcode::kConstant) return -1;
    if (op.opcode == Opcode::kParameter)
      return &computation == &entry_ ? -1 : started_[&computation];
    return RunsWhatItCalls(op.opcode) ? end_[&op] : begin_[&op];
  }

  void ReadAt(Life& life, int64_t time, const Instruction* reader) {
    if (time <= life.end) return;
    life.end = time;
    life.reader = reader;
  }

  // `op` has the value in array leaf `leaf`: who reads it, and when.
  void FollowUses(const Computation& computation, const Instruction& op, int64_t leaf, Life& life) {
    if (!seen_.insert({&op, leaf}).second) return;
    if (op.parent->root == &op) {
      ReadAt(life, &computation == &entry_ ? kAtTheEnd : finished_[op.parent], &op);
      // A call gives the value itself, unless the call has a place of its own.
      for (const Instruction* caller : callers_[op.parent]) {
        if (caller->opcode != Opcode::kWhile && !buffers_.FindOwn(*caller, leaf))
          FollowUses(*caller->parent, *caller, leaf, life);
      }
    }
    for (const Instruction* user : op.users) {
      for (size_t k = 0; k < user->operands.size(); ++k) {
        if (user->operands[k] == &op) FollowUse(computation, *user, k, leaf, life);
      }
    }
  }

  void FollowUse(const Computation& computation, const Instruction& user, size_t operand,
                 int64_t leaf, Life& life) {
    switch (user.opcode) {
      case Opcode::kBitcast:
      case Opcode::kAddDependency:
      case Opcode::kDomain:
        if (operand == 0) FollowUses(computation, user, leaf, life);
        return;
      case Opcode::kOptimizationBarrier:
        return FollowUses(computation, user, leaf, life);
      case Opcode::kTuple:
        return FollowUses(computation, user, hlo::FirstLeafOfElement(user.shape, operand) + leaf,
                          life);
      case Opcode::kGetTupleElement: {
        const int64_t first =
            hlo::FirstLeafOfElement(user.operands[0]->shape, user.attributes.tuple_index);
        if (leaf >= first && leaf < first + hlo::NumLeaves(user.shape))
          FollowUses(computation, user, leaf - first, life);
        return;
      }
      case Opcode::kWhile: {
        // A value that the loop changes is a value of its own there, from the begin of the loop.
        if (buffers_.FindOwn(user, leaf)) return ReadAt(life, begin_[&user], &user);
        ReadAt(life, end_[&user], &user);
        return FollowUses(computation, user, leaf, life);
      }
      case Opcode::kConditional:
      case Opcode::kCall:
        for (size_t k = 0; k < user.called.size(); ++k) {
          const Computation& called = *user.called[k];
          const bool conditional = user.opcode == Opcode::kConditional;
          if (conditional && operand != k + 1) continue;
          const Instruction* parameter = called.parameters[conditional ? 0 : operand];
          FollowUses(called, *parameter, leaf, life);
        }
        return ReadAt(life, begin_[&user], &user);
      default:
        return ReadAt(life, begin_[&user], &user);
    }
  }

  const Computation& entry_;
  const BufferAssignment& buffers_;
  std::vector<const Computation*> order_;
  std::set<const Computation*> scheduled_;
  llvm::DenseMap<const Instruction*, int64_t> begin_, end_;
  llvm::DenseMap<const Computation*, int64_t> started_, finished_;
  std::set<const Computation*> conditions_;  // of loops
  llvm::DenseMap<const Computation*, std::vector<const Instruction*>> callers_;
  std::set<std::pair<const Instruction*, int64_t>> seen_;
  std::set<ArrayOf> donated_;
  bool all_are_donated_ = false;
  int64_t clock_ = 0;
};

bool AreAlikeConstants(const Life& a, const Life& b) {
  const Instruction &x = *a.made.first, &y = *b.made.first;
  return x.opcode == Opcode::kConstant && y.opcode == Opcode::kConstant && x.literal && y.literal &&
         *x.literal == *y.literal;
}

// Whether the later of two values that share bytes is written while an instruction after it is
// still to read the other, or both at once where one is read. A value that is returned twice is
// written once, and constants that are alike may be one.
bool Conflict(const Life& earlier, const Life& later) {
  if (earlier.begin < later.begin) return later.begin < earlier.end;
  const bool same = earlier.slice == later.slice &&
                    (earlier.made == later.made || AreAlikeConstants(earlier, later));
  return !same && std::max(earlier.end, later.end) > earlier.begin;
}

}  // namespace

BufferLives CheckBufferLives(const hlo::Module& scheduled, const BufferAssignment& buffers) {
  std::vector<Life> lives = Lives(scheduled, buffers).All();
  std::stable_sort(lives.begin(), lives.end(),
                   [](const Life& a, const Life& b) { return a.begin < b.begin; });
  BufferLives result;
  result.values = static_cast<int64_t>(lives.size());
  std::map<int64_t, std::vector<const Life*>> by_allocation;
  for (const Life& life : lives) by_allocation[life.slice.allocation].push_back(&life);
  for (const auto& [allocation, of] : by_allocation) {
    for (size_t later = 0; later < of.size(); ++later) {
      for (size_t earlier = 0; earlier < later; ++earlier) {
        const Life &a = *of[earlier], &b = *of[later];
        if (!Overlap(a.slice, b.slice)) continue;
        ++result.pairs;
        if (!Conflict(a, b)) continue;
        const Life& read = a.begin < b.begin || a.end >= b.end ? a : b;
        result.conflicts.push_back({read.name, &read == &a ? b.name : a.name,
                                    read.end == kAtTheEnd ? "the caller" : read.reader->name,
                                    read.slice, &read == &a ? b.slice : a.slice});
      }
    }
  }
  return result;
}

}  // namespace affirm::driver
