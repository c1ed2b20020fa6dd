// The thunks of XLA:GPU against the schedule that they run.
#include <map>
#include <set>

#include "core/hlo/leaves.h"
#include "driver/dump/scheduled_work.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace affirm::driver {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

namespace {

constexpr llvm::StringLiteral kCopy = "kCopy", kWhile = "kWhile", kConditional = "kConditional",
                              kSliceFusion = "kDynamicSliceFusion";

std::string Quoted(const Instruction& op) { return "'" + op.name + "'"; }

// Thunks in order, with those that only stand together in their place.
void Flatten(const std::vector<Thunk>& thunks, std::vector<const Thunk*>& flat) {
  for (const Thunk& thunk : thunks) {
    const bool is_group =
        (thunk.kind == "kSequential" || thunk.kind == "kCommandBuffer") &&
        llvm::all_of(thunk.nested, [](const auto& of) { return of.label.empty(); });
    if (!is_group) {
      flat.push_back(&thunk);
      continue;
    }
    for (const ThunkSequence& sequence : thunk.nested) Flatten(sequence.thunks, flat);
  }
}

// The instructions that compute, in order, with those of calls in their place.
void Flatten(const Computation& computation, std::vector<const Instruction*>& flat) {
  for (const auto& op : computation.instructions) {
    if (op->opcode == Opcode::kCall) {
      for (const Computation* called : op->called) Flatten(*called, flat);
    } else if (!ComputesNothing(*op)) {
      flat.push_back(op.get());
    }
  }
}

// The bytes that an instruction reads and writes; nullopt where the assignment does not say it.
struct Access {
  std::vector<BufferSlice> reads, writes;
};

bool AddSlices(const Instruction& op, const BufferAssignment& buffers,
               std::vector<BufferSlice>& slices) {
  for (const hlo::LeafRef& leaf : hlo::Leaves(op.shape)) {
    if (!leaf.shape->IsArray()) continue;
    auto slice = buffers.Find(op, leaf.index);
    if (!slice) return false;
    slices.push_back(*slice);
  }
  return true;
}

bool AddAccess(const Instruction& op, const BufferAssignment& buffers, Access& access) {
  bool known = AddSlices(op, buffers, access.writes);
  for (const Instruction* operand : op.operands)
    known = known && AddSlices(*operand, buffers, access.reads);
  if (op.opcode != Opcode::kWhile && op.opcode != Opcode::kConditional) return known;
  for (const Computation* called : op.called) {
    std::vector<const Instruction*> inner;
    Flatten(*called, inner);
    for (const Instruction* each : inner) known = known && AddAccess(*each, buffers, access);
  }
  return known;
}

bool AnyOverlap(const std::vector<BufferSlice>& a, const std::vector<BufferSlice>& b) {
  return llvm::any_of(a, [&](const BufferSlice& of_a) {
    return llvm::any_of(b, [&](const BufferSlice& of_b) { return Overlap(of_a, of_b); });
  });
}

// The thunks that run one instruction, with their places in the sequence.
struct Runs {
  std::vector<const Thunk*> thunks;
  std::vector<size_t> places;
};

class Matcher {
 public:
  explicit Matcher(const BufferAssignment* buffers) : buffers_(buffers) {}

  // The thunks of a computation against its instructions.
  void Match(const Computation& computation, const std::vector<Thunk>& sequence) {
    std::vector<const Instruction*> ops;
    std::vector<const Thunk*> thunks;
    Flatten(computation, ops);
    Flatten(sequence, thunks);
    work_.instructions += std::ssize(ops);
    std::map<const Instruction*, Runs> runs;
    for (const auto& [place, thunk] : llvm::enumerate(thunks)) {
      const Instruction* op = InstructionOf(*thunk, thunks, ops);
      if (op == nullptr) {
        Fault(thunk->kind + Named(*thunk) + " runs in '" + computation.name +
              "', which has no such instruction");
        continue;
      }
      runs[op].thunks.push_back(thunk);
      runs[op].places.push_back(place);
    }
    std::set<const Instruction*> seen;
    for (const Instruction* op : ops) {
      if (!seen.insert(op).second) {
        Fault(Quoted(*op) + " is in a computation that is called twice");
        continue;
      }
      CheckRuns(*op, runs[op]);
    }
    CheckOrder(ops, runs);
  }

  ScheduledWork Take() { return std::move(work_); }

 private:
  static std::string Named(const Thunk& thunk) {
    if (!thunk.instruction.empty()) return " of '" + thunk.instruction + "'";
    return thunk.launch ? " of the kernel " + thunk.launch->kernel : std::string();
  }

  void Fault(const std::string& text) {
    if (!llvm::is_contained(work_.faults, text)) work_.faults.push_back(text);
  }

  void AddUncovered(const std::string& name, const std::string& text) {
    work_.not_covered.push_back({name, text});
  }

  // The instruction that a thunk runs; null where none of these, or several, may be it. The
  // metadata names it. Without that, a kernel has its name, and the loops and branches come in
  // order.
  static const Instruction* InstructionOf(const Thunk& thunk, llvm::ArrayRef<const Thunk*> thunks,
                                          llvm::ArrayRef<const Instruction*> ops) {
    auto only = [&](auto is_it) -> const Instruction* {
      const Instruction* found = nullptr;
      for (const Instruction* op : ops) {
        if (!is_it(*op)) continue;
        if (found != nullptr) return nullptr;
        found = op;
      }
      return found;
    };
    if (!thunk.instruction.empty())
      return only([&](const Instruction& op) { return op.name == thunk.instruction; });
    if (thunk.launch)
      return only(
          [&](const Instruction& op) { return SanitizedName(op.name) == thunk.launch->kernel; });
    for (auto [kind, opcode] :
         {std::pair(kWhile, Opcode::kWhile), std::pair(kConditional, Opcode::kConditional)}) {
      if (thunk.kind != kind) continue;
      llvm::SmallVector<const Thunk*> alike;
      llvm::SmallVector<const Instruction*> such;
      llvm::copy_if(thunks, std::back_inserter(alike), [&](const Thunk* of) {
        return of->kind == thunk.kind && of->instruction.empty();
      });
      llvm::copy_if(ops, std::back_inserter(such),
                    [&](const Instruction* of) { return of->opcode == opcode; });
      const size_t number = llvm::find(alike, &thunk) - alike.begin();
      return alike.size() == such.size() ? such[number] : nullptr;
    }
    return nullptr;
  }

  void CheckRuns(const Instruction& op, const Runs& runs) {
    if (runs.thunks.empty()) {
      if (!IsInPlace(op)) Fault(Quoted(op) + " never runs");
      return;
    }
    const Thunk& first = *runs.thunks.front();
    for (const Thunk* thunk : runs.thunks) {
      if ((thunk->kind == kCopy || thunk->launch) && !thunk->nested.empty())
        Fault(Quoted(op) + " is run by a thunk that runs others");
    }
    if (op.opcode == Opcode::kWhile || op.opcode == Opcode::kConditional) {
      if (IsOnce(op, runs, op.opcode == Opcode::kWhile ? kWhile : kConditional))
        CheckControl(op, first);
    } else if (first.kind == kSliceFusion) {
      CheckSlices(op, runs);
    } else if (KeepsBytes(op) && !first.launch) {
      if (IsOnce(op, runs, kCopy)) CheckCopy(op);
    } else {
      CheckWork(op, runs);
    }
  }

  // A copy from where it goes.
  bool IsInPlace(const Instruction& op) const {
    if (!KeepsBytes(op) || buffers_ == nullptr) return false;
    auto from = buffers_->Find(*op.operands[0], 0), to = buffers_->Find(op, 0);
    return from && to && *from == *to;
  }

  bool IsOnce(const Instruction& op, const Runs& runs, llvm::StringRef kind) {
    if (runs.thunks.size() != 1) {
      Fault(Quoted(op) + " runs " + std::to_string(runs.thunks.size()) + " times");
    } else if (runs.thunks.front()->kind != kind) {
      Fault(Quoted(op) + " is run by " + runs.thunks.front()->kind + ", expected " + kind.str());
    } else {
      return true;
    }
    return false;
  }

  void CheckCopy(const Instruction& op) {
    if (buffers_ == nullptr) return;
    auto from = buffers_->Find(*op.operands[0], 0), to = buffers_->Find(op, 0);
    const auto bytes = hlo::CheckedByteSize(op.shape);
    if (!from || !to || from->size != to->size || !bytes || to->size > *bytes) {
      AddUncovered(NameOfWork(op),
                   "the copy " + Quoted(op) + ", whose buffers have no known or another size");
    }
  }

  // One copy of bytes for slices of each other; what else stands in the fusion is a library call.
  void CheckSlices(const Instruction& op, const Runs& runs) {
    if (!IsOnce(op, runs, kSliceFusion)) return;
    const std::vector<ThunkSequence>& nested = runs.thunks.front()->nested;
    if (nested.size() != 1 || nested.front().thunks.size() != 1) {
      Fault(Quoted(op) + ", slices, is not run by one thunk");
      return;
    }
    if (const Thunk& inner = nested.front().thunks.front(); inner.kind != kCopy)
      AddUncovered(NameOfLibrary(op), inner.kind + " of " + Quoted(op));
    work_.slices.push_back(&op);
  }

  // The name of the library call in a fusion.
  static std::string NameOfLibrary(const Instruction& op) {
    for (const Computation* fused : op.called) {
      for (const auto& inner : fused->instructions) {
        if (inner->opcode == Opcode::kCustomCall) return NameOfWork(*inner);
      }
    }
    return NameOfWork(op);
  }

  // Copies of operands to where they are worked on, and then one kernel or one library call.
  void CheckWork(const Instruction& op, const Runs& runs) {
    std::vector<const Thunk*> copies, works;
    for (const Thunk* thunk : runs.thunks) {
      const bool is_copy = thunk->kind == kCopy;
      if (is_copy && !works.empty()) Fault(Quoted(op) + " runs before a copy for it");
      (is_copy ? copies : works).push_back(thunk);
    }
    const bool kernels =
        llvm::all_of(works, [](const Thunk* of) { return of->launch.has_value(); });
    if (works.size() == 1 && kernels) {
      work_.kernels.push_back({&op, *works.front()->launch, std::ssize(copies)});
    } else if (works.size() > 1 && kernels && IsSort(op)) {
      AddUncovered(op.name, Quoted(op) + ", which " + std::to_string(works.size()) +
                                " kernels sort together");
    } else if (works.size() > 1) {
      Fault(Quoted(op) + " runs " + std::to_string(works.size()) + " times");
    } else {
      const std::string by = works.empty() ? kCopy.str() : works.front()->kind;
      AddUncovered(NameOfLibrary(op), by + " of " + Quoted(op) + ", which is no kernel");
    }
  }

  static bool IsSort(const Instruction& op) {
    const bool fused = op.opcode == Opcode::kFusion && op.called.size() == 1;
    return (fused ? op.called.front()->root->opcode : op.opcode) == Opcode::kSort;
  }

  void CheckControl(const Instruction& op, const Thunk& thunk) {
    const std::vector<const Computation*> computations = ComputationsInOrder(op, thunk);
    if (computations.size() != thunk.nested.size() || computations.size() != op.called.size()) {
      Fault(Quoted(op) + " does not run what it calls: " + std::to_string(thunk.nested.size()) +
            " sequences");
      return;
    }
    for (size_t k = 0; k < computations.size(); ++k)
      Match(*computations[k], thunk.nested[k].thunks);
  }

  // The computations that the sequences of a loop or a conditional run, in order; empty where a
  // label is not known.
  static std::vector<const Computation*> ComputationsInOrder(const Instruction& op,
                                                             const Thunk& thunk) {
    std::vector<const Computation*> computations;
    if (op.opcode == Opcode::kWhile) {
      for (llvm::StringRef label : {"condition", "body"}) {
        for (size_t k = 0; k < op.called.size(); ++k) {
          const size_t number = computations.size();
          const bool is_it = op.called_as[k] == label && number < thunk.nested.size() &&
                             thunk.nested[number].label == label;
          if (is_it) computations.push_back(op.called[k]);
        }
      }
      return computations;
    }
    // The branch of true comes first, and XLA writes "false_branch" before it: the place counts.
    std::vector<std::string> labels = {"false_branch", "true_branch"};
    if (op.operands[0]->shape.type != hlo::PrimitiveType::kPred) {
      labels.clear();
      for (size_t k = 0; k < op.called.size(); ++k) labels.push_back("branch_" + std::to_string(k));
    }
    const bool labeled = llvm::equal(
        thunk.nested, labels,
        [](const ThunkSequence& of, const std::string& label) { return of.label == label; });
    if (labeled) computations.assign(op.called.begin(), op.called.end());
    return computations;
  }

  // Two that share bytes keep the order of the schedule.
  void CheckOrder(llvm::ArrayRef<const Instruction*> ops,
                  std::map<const Instruction*, Runs>& runs) {
    for (size_t later = 0; later < ops.size(); ++later) {
      for (size_t earlier = 0; earlier < later; ++earlier) {
        const std::vector<size_t>&a = runs[ops[earlier]].places, &b = runs[ops[later]].places;
        if (!a.empty() && !b.empty() && b.front() < a.back())
          CheckExchanged(*ops[earlier], *ops[later]);
      }
    }
  }

  void CheckExchanged(const Instruction& earlier, const Instruction& later) {
    Access a, b;
    const std::string text = Quoted(later) + " runs before " + Quoted(earlier);
    if (buffers_ == nullptr || !AddAccess(earlier, *buffers_, a) ||
        !AddAccess(later, *buffers_, b)) {
      Fault(text + ", and their buffers are not known");
    } else if (AnyOverlap(a.writes, b.reads)) {
      Fault(text + ", whose result it reads");
    } else if (AnyOverlap(a.reads, b.writes) || AnyOverlap(a.writes, b.writes)) {
      Fault(text + ", whose buffers it writes over");
    }
  }

  const BufferAssignment* buffers_;
  ScheduledWork work_;
};

}  // namespace

ScheduledWork MatchThunks(const hlo::Module& scheduled, const BufferAssignment* buffers,
                          const ThunkSequence& thunks) {
  Matcher matcher(buffers);
  matcher.Match(*scheduled.entry, thunks.thunks);
  return matcher.Take();
}

}  // namespace affirm::driver
