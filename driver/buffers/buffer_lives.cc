#include "driver/buffers/buffer_lives.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "core/hlo/leaves.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::driver {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

namespace {

constexpr int64_t kForEver = std::numeric_limits<int64_t>::max();

struct Life {
  std::string name;
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
  }

  std::vector<Life> All() {
    std::vector<Life> lives;
    for (const Computation* computation : order_) {
      for (const auto& op : computation->instructions) AddLives(*computation, *op, lives);
    }
    return lives;
  }

 private:
  // Times of the instructions that run, each with those of what it calls inside of it.
  void Schedule(const Computation& computation) {
    if (!scheduled_.insert(&computation).second) return;
    order_.push_back(&computation);
    for (const auto& op : computation.instructions) {
      begin_[op.get()] = clock_++;
      if (RunsWhatItCalls(op->opcode)) {
        for (const Computation* called : op->called) Schedule(*called);
      }
      end_[op.get()] = clock_++;
    }
    finished_[&computation] = clock_++;
  }

  void AddLives(const Computation& computation, const Instruction& op, std::vector<Life>& lives) {
    // Loops and branches give values that others have made; parameters are what callers hand in.
    const bool made_here =
        !RunsWhatItCalls(op.opcode) && (op.opcode != Opcode::kParameter || &computation == &entry_);
    if (!made_here) return;
    for (const hlo::LeafRef& leaf : hlo::Leaves(op.shape)) {
      if (!leaf.shape->IsArray()) continue;
      auto slice = buffers_.FindOwn(op, leaf.index);
      if (!slice) continue;
      Life life{.name = op.name, .slice = *slice};
      if (op.shape.IsTuple()) life.name += "{" + std::to_string(leaf.index) + "}";
      life.begin = life.end = op.opcode == Opcode::kParameter ? -1 : begin_[&op];
      seen_.clear();
      FollowUses(computation, op, leaf.index, life);
      lives.push_back(std::move(life));
    }
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
      ReadAt(life, &computation == &entry_ ? kForEver : finished_[op.parent], &op);
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
        // What the loop changes is there a value of its own, from where the loop begins.
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
  llvm::DenseMap<const Computation*, int64_t> finished_;
  std::set<std::pair<const Instruction*, int64_t>> seen_;
  int64_t clock_ = 0;
};

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
        // Written while the other is still to be read by a later instruction.
        if (a.begin < b.begin && b.begin < a.end) {
          result.conflicts.push_back({a.name, b.name,
                                      a.end == kForEver ? "the caller" : a.reader->name, a.slice,
                                      b.slice});
        }
      }
    }
  }
  return result;
}

}  // namespace affirm::driver
