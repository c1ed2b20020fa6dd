// The work of a module on XLA:CPU, from the HLO, since a dump does not state how kernels are
// launched. The instruction
//
//   %wrapped_add = f32[2000,1000] fusion(...), backend_config={"outer_dimension_partitions":["2"]}
//
// is the kernel `wrapped_add` on 2 workgroups. Without partitions there is one. A fusion without a
// function of its name runs the kernel of a fusion that is the same but for names.
#include <map>
#include <set>

#include "core/symbolic/bounded_json.h"
#include "driver/dump/scheduled_work.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "verify/equivalence/same_structure.h"

namespace affirm::driver {

using hlo::Instruction;
using hlo::Opcode;

namespace {

// One workgroup for each part into which the outer dimensions are divided; 0 if a part is no
// positive number.
int64_t NumWorkgroups(const Instruction& op) {
  const std::string* text = op.attributes.FindExtra("backend_config");
  if (text == nullptr) return 1;
  auto parsed = ParseJson(*text);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return 0;
  }
  const llvm::json::Object* config = parsed->getAsObject();
  const llvm::json::Array* parts =
      config ? config->getArray("outer_dimension_partitions") : nullptr;
  int64_t count = 1;
  for (size_t k = 0; parts != nullptr && k < parts->size(); ++k) {
    int64_t part = 0;
    auto number = (*parts)[k].getAsString();
    if (!number || number->getAsInteger(10, part) || part < 1 || part > INT32_MAX) return 0;
    count *= part;
    if (count > INT32_MAX) return 0;
  }
  return count;
}

// Whether two fusions compute the same of operands of the same shapes, in the same parts.
bool AreAlike(const Instruction& a, const Instruction& b) {
  if (a.opcode != Opcode::kFusion || b.opcode != Opcode::kFusion || a.called.size() != 1 ||
      b.called.size() != 1 || !(a.shape == b.shape) || NumWorkgroups(a) != NumWorkgroups(b))
    return false;
  const bool same_operands =
      llvm::equal(a.operands, b.operands,
                  [](const Instruction* x, const Instruction* y) { return x->shape == y->shape; });
  return same_operands && equivalence::SameStructure(*a.called[0], *b.called[0]);
}

bool RunsWhatItCalls(Opcode opcode) {
  return opcode == Opcode::kWhile || opcode == Opcode::kConditional || opcode == Opcode::kCall;
}

class CpuWork {
 public:
  explicit CpuWork(llvm::ArrayRef<std::string> kernels) {
    // A function has the name of its instruction, or that and "_kernel".
    for (const std::string& kernel : kernels) {
      AddFunction(kernel, kernel);
      llvm::StringRef name = kernel;
      if (name.consume_back("_kernel")) AddFunction(name.str(), kernel);
    }
  }

  void Add(const hlo::Computation& computation) {
    if (!seen_.insert(&computation).second) return;
    for (const auto& op : computation.instructions) Add(*op);
  }

  ScheduledWork Take() { return std::move(work_); }

 private:
  void Add(const Instruction& op) {
    if (ambiguous_.contains(op.name)) {
      ++work_.instructions;
      work_.not_covered.push_back(
          {NameOfWork(op), "'" + op.name + "', which has the name of two functions"});
    } else if (const std::string function = FunctionOf(op); !function.empty()) {
      ++work_.instructions;
      work_.kernels.push_back({&op, {function, {NumWorkgroups(op), 1, 1}, {1, 1, 1}, 0}});
    } else if (RunsWhatItCalls(op.opcode)) {
      for (const hlo::Computation* called : op.called) Add(*called);
    } else if (!ComputesNothing(op)) {
      ++work_.instructions;
      if (!KeepsBytes(op))
        work_.not_covered.push_back({NameOfWork(op), "'" + op.name + "', which has no kernel"});
    }
  }

  void AddFunction(const std::string& instruction, const std::string& kernel) {
    if (!functions_.emplace(instruction, kernel).second) ambiguous_.insert(instruction);
  }

  // The kernel of an instruction; empty where it has none.
  std::string FunctionOf(const Instruction& op) const {
    if (ComputesNothing(op)) return "";
    auto function = functions_.find(op.name);
    if (function != functions_.end()) return function->second;
    const auto alike = llvm::find_if(work_.kernels, [&](const ScheduledKernel& kernel) {
      return AreAlike(*kernel.instruction, op);
    });
    return alike == work_.kernels.end() ? "" : alike->launch.kernel;
  }

  std::map<std::string, std::string> functions_;  // by instruction
  std::set<std::string> ambiguous_;               // instructions of two functions
  std::set<const hlo::Computation*> seen_;
  ScheduledWork work_;
};

}  // namespace

ScheduledWork WorkOnCpu(const hlo::Module& scheduled, llvm::ArrayRef<std::string> kernels) {
  CpuWork work(kernels);
  work.Add(*scheduled.entry);
  return work.Take();
}

}  // namespace affirm::driver
