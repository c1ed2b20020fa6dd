#include "driver/dump/entry_layouts.h"

#include <set>
#include <string>
#include <utility>

#include "core/hlo/entry_layout.h"
#include "core/hlo/input_output_alias.h"
#include "core/hlo/leaves.h"
#include "driver/validate/written_layouts.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::driver {

namespace {

using Shapes = std::vector<const hlo::Shape*>;

Shapes LeavesOf(llvm::ArrayRef<const hlo::Shape*> shapes) {
  Shapes leaves;
  for (const hlo::Shape* shape : shapes) llvm::append_range(leaves, hlo::LeafShapes(*shape));
  return leaves;
}

// The first array whose layout is another one; "" where none is.
std::string FirstOther(const Shapes& before, const Shapes& after, const std::string& what) {
  if (before.size() != after.size()) return "";  // another signature, which `passes` compares
  for (size_t k = 0; k < before.size(); ++k) {
    const hlo::Shape &a = *before[k], &b = *after[k];
    if (!a.layout || !b.layout || !a.SameIgnoringLayout(b) || !LayoutsDiffer(a, b)) continue;
    return what + " " + std::to_string(k) + " is " + a.ToString() + ", and " + b.ToString();
  }
  return "";
}

struct Entry {
  Shapes operands, results;
};

std::vector<Uncovered> Compare(const Entry& before, const Entry& after, const std::string& where) {
  std::vector<Uncovered> found;
  for (const std::string& text : {FirstOther(before.operands, after.operands, "operand"),
                                  FirstOther(before.results, after.results, "result")}) {
    if (!text.empty()) found.push_back({"entry layouts", "entry layouts: " + text + " " + where});
  }
  return found;
}

Entry Written(const hlo::EntryLayout& layout) {
  return {LeavesOf({&layout.operands}), LeavesOf({&layout.result})};
}

// A parameter, and an array leaf of it.
using Operand = std::pair<int64_t, int64_t>;

llvm::Expected<std::set<Operand>> GivenAway(const hlo::Module& module) {
  auto aliases = hlo::InputOutputAliases(module);
  if (!aliases) return aliases.takeError();
  auto donors = hlo::BufferDonors(module);
  if (!donors) return donors.takeError();
  std::set<Operand> given;
  for (const hlo::InputOutputAlias& alias : *aliases)
    given.insert({alias.parameter, alias.parameter_leaf});
  for (const hlo::BufferDonor& donor : *donors)
    given.insert({donor.parameter, donor.parameter_leaf});
  return given;
}

}  // namespace

std::vector<Uncovered> OperandsNotKept(const hlo::Module& first, const hlo::Module& optimized) {
  auto by_caller = GivenAway(first), taken = GivenAway(optimized);
  for (auto* operands : {&by_caller, &taken}) {
    if (!*operands)
      return {{"entry aliases", "entry aliases: " + llvm::toString(operands->takeError())}};
  }
  std::vector<Uncovered> found;
  for (const Operand& operand : *taken) {
    if (by_caller->contains(operand)) continue;
    found.push_back({"entry aliases", "entry aliases: array " + std::to_string(operand.second) +
                                          " of operand " + std::to_string(operand.first) +
                                          " may be written over, and no caller gave it away"});
  }
  return found;
}

std::vector<Uncovered> EntryLayoutsNotKept(const hlo::Module& first, const hlo::Module& optimized) {
  const auto of_first = hlo::EntryLayoutOf(first), of_optimized = hlo::EntryLayoutOf(optimized);
  if (!of_optimized) return {};
  const Entry header = Written(*of_optimized);
  std::vector<Uncovered> found;
  if (of_first) found = Compare(Written(*of_first), header, "after the passes");
  Entry own;
  for (const hlo::Instruction* parameter : optimized.entry->parameters)
    llvm::append_range(own.operands, LeavesOf({&parameter->shape}));
  own.results = LeavesOf({&optimized.entry->root->shape});
  llvm::append_range(found, Compare(header, own, "in the entry of the optimized HLO"));
  return found;
}

}  // namespace affirm::driver
