#include "driver/check/collectives.h"

#include <algorithm>
#include <utility>

#include "core/hlo/leaves.h"
#include "driver/check/comparisons.h"
#include "driver/errors.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/reference/index.h"
#include "verify/scalar/scalar.h"

namespace affirm::driver {
namespace {

using hlo::Literal;

// Elements that are exchanged in one run, of the results of a collective on all devices: all, or
// the first and every n-th, n odd, so that no part of an array whose sizes are powers of two is
// left out.
constexpr int64_t kMostElements = int64_t{1} << 20;

// The array leaves of a value, in order; null for tokens.
void AddLeaves(Literal& value, std::vector<Literal*>& leaves) {
  if (!value.shape().IsTuple()) {
    leaves.push_back(value.shape().IsArray() ? &value : nullptr);
    return;
  }
  for (Literal& element : value.tuple()) AddLeaves(element, leaves);
}

int64_t StepFor(llvm::ArrayRef<Literal> results) {
  int64_t elements = 0;
  for (const Literal& result : results) {
    for (const hlo::Shape* leaf : hlo::LeafShapes(result.shape())) {
      if (leaf->IsArray()) elements += leaf->NumElements();
    }
  }
  const int64_t step = (elements + kMostElements - 1) / kMostElements;
  return step <= 1 ? 1 : step | 1;
}

// Replaces elements of a device's result by what the maps say, every `step`-th of each array whose
// contents are defined.
llvm::Expected<int64_t> ExchangeElements(Exchange& exchange, hlo::OperandsOfDevices operands,
                                         int64_t device, int64_t step, int64_t defined_leaves,
                                         Literal& result) {
  std::vector<Literal*> leaves;
  AddLeaves(result, leaves);
  int64_t elements = 0;
  for (int64_t leaf = 0; leaf < std::min<int64_t>(defined_leaves, std::ssize(leaves)); ++leaf) {
    Literal* array = leaves[leaf];
    if (array == nullptr) continue;
    for (hlo::IndexIterator at(array->shape().dims); !at.Done(); at.Next()) {
      if (at.linear() % step != 0) continue;
      auto value = exchange.Element(operands, device, leaf, at.index());
      if (!value) return value.takeError();
      hlo::Store(*array, at.linear(), value->value_or(hlo::Scalar()));
      ++elements;
    }
  }
  return elements;
}

// A start of a permute has contexts behind its results, which are not read.
int64_t DefinedLeaves(const hlo::Instruction& collective) {
  return collective.opcode == hlo::Opcode::kCollectivePermuteStart
             ? 2 * std::ssize(collective.operands)
             : hlo::NumLeaves(collective.shape);
}

}  // namespace

CollectiveChecker::CollectiveChecker(State& state) : state_(state) {
  for (const hlo::Computation* computation : state.program.host_computations()) {
    for (const auto& op : computation->instructions) {
      if (state.program.RoleOf(*op) != HostRole::kCollective) continue;
      entries_[op.get()].number = state.report.whole.collectives.size();
      state.report.whole.collectives.push_back({computation->name, op->name, op->opcode_text});
    }
  }
}

llvm::Error CollectiveChecker::Prepare(const hlo::Instruction& original, Entry& entry) {
  const int64_t leaves = hlo::NumLeaves(original.shape);
  std::vector<InstructionIndexing> maps;
  maps.reserve(leaves);
  for (int64_t leaf = 0; leaf < leaves; ++leaf) {
    maps.push_back(MapsOf(state_, original, leaf));
  }
  auto made = Exchange::Create(original, state_.report.devices.devices, std::move(maps));
  if (!made) return made.takeError();
  entry.exchange = std::make_unique<Exchange>(std::move(*made));
  return llvm::Error::success();
}

llvm::Expected<std::vector<Literal>> CollectiveChecker::Run(const hlo::Instruction& collective,
                                                            hlo::OperandsOfDevices operands,
                                                            const std::string& kind) {
  const hlo::Devices& devices = state_.report.devices.devices;
  auto expected = hlo::EvaluateCollective(collective, operands, devices, nullptr);
  if (!expected) return expected;
  const hlo::Instruction& original = *state_.program.Original(collective);
  Entry& entry = entries_[&original];
  CollectiveCheck& check = state_.report.whole.collectives[entry.number];
  auto fail = [&](llvm::Error error) {
    const std::string why = MessageOf(std::move(error));
    if (check.why_not.empty()) {
      check.why_not =
          state_.SourceLocationOf(original) + ": cannot be exchanged by its maps: " + why;
    }
    return std::move(*expected);
  };
  if (!check.why_not.empty()) return expected;
  if (!entry.exchange) {
    if (auto error = Prepare(original, entry)) return fail(std::move(error));
  }
  const int64_t step = StepFor(*expected), leaves = DefinedLeaves(collective);
  check.step = std::max(check.step, step);
  ++check.runs;
  for (int64_t d = 0; d < devices.count(); ++d) {
    if (operands[d].empty()) continue;
    Literal actual = (*expected)[d];
    auto elements = ExchangeElements(*entry.exchange, operands, d, step, leaves, actual);
    if (!elements) return fail(elements.takeError());
    LiteralComparison comparison = hlo::Compare((*expected)[d], actual, 0);
    comparison.elements = *elements;
    if (comparison.first && check.comparison.mismatches == 0) {
      const Mismatch& first = *comparison.first;
      state_.AddFinding(
          Finding::Kind::kMismatch, "exchange",
          state_.SourceLocationOf(original) + ": " + original.opcode_text + " '" + original.name +
              "' on device " + std::to_string(d) + ", output " + std::to_string(first.leaf) +
              " at " + IndexText(first.index) + ": the interpreter says " + first.expected +
              ", an exchange by its maps " + first.actual + " (" + kind + " arguments)");
    }
    AddTo(check.comparison, comparison);
  }
  return expected;
}

}  // namespace affirm::driver
