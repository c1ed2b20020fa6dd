// Estimates of the work and the memory that running a module takes.
#include "driver/check/module_size.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/hlo/attribute_values.h"
#include "core/hlo/leaves.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/equivalence/cumulative_steps.h"

namespace affirm::driver {
namespace {

// About what the emulator does in a second.
constexpr double kWorkOfASecond = 1 << 18;

// A module with more elements (WorkOf) takes minutes on the emulator.
constexpr double kMostWork = 1 << 24;

double ElementsOf(const hlo::Shape& shape) {
  double elements = 0;
  for (const hlo::Shape* leaf : hlo::LeafShapes(shape)) {
    if (leaf->IsArray()) elements += static_cast<double>(leaf->NumElements());
  }
  return elements;
}

// A network of compare-exchanges, in each of which an element of a row takes part.
double ExchangesOf(int64_t size) {
  const double merges = std::ceil(std::log2(std::max(static_cast<double>(size), 2.0)));
  return merges * (merges + 1) / 2;
}

// How many elements are combined for one of the result.
double TermsOf(const hlo::Instruction& op) {
  double terms = 1;
  for (const hlo::WindowDimension& d : op.attributes.window) terms *= static_cast<double>(d.size);
  // Steps of doubled lengths.
  if (equivalence::IsCumulative(op)) terms = std::ceil(std::log2(std::max(terms, 2.0)));
  if (op.opcode == hlo::Opcode::kSort && !op.attributes.dimensions.empty())
    terms *= ExchangesOf(op.operands[0]->shape.dims[op.attributes.dimensions[0]]);
  // Trips of a loop over all of them.
  if ((op.opcode == hlo::Opcode::kCholesky || op.opcode == hlo::Opcode::kTriangularSolve) &&
      !op.operands.empty() && op.operands[0]->shape.rank() > 0) {
    terms = static_cast<double>(op.operands[0]->shape.dims.back());
  }
  if (op.opcode == hlo::Opcode::kFft) {
    const auto lengths = hlo::IntsAttribute(op.attributes, "fft_length");
    if (lengths)
      terms = static_cast<double>(std::accumulate(lengths->begin(), lengths->end(), int64_t{0}));
  }
  if (op.opcode == hlo::Opcode::kDot) {
    for (int64_t d : op.attributes.lhs_contracting) {
      terms *= static_cast<double>(op.operands[0]->shape.dims[d]);
    }
  }
  return terms;
}

}  // namespace

double WorkOf(const hlo::Computation& computation) {
  double work = 0;
  for (const auto& op : computation.instructions) {
    double operands = 0;
    for (const hlo::Instruction* operand : op->operands) {
      operands = std::max(operands, ElementsOf(operand->shape));
    }
    double of_op = std::max(ElementsOf(op->shape) * TermsOf(*op), operands);
    // All elements and their places are sorted, however few are kept.
    if (op->opcode == hlo::Opcode::kTopk && op->operands[0]->shape.rank() > 0)
      of_op = 2 * operands * ExchangesOf(op->operands[0]->shape.dims.back());
    work += of_op;
  }
  return work;
}

double WorkOf(const hlo::Module& module) {
  double work = 0;
  for (const auto& computation : module.computations) work += WorkOf(*computation);
  return work;
}

double MostWork(double time_limit) {
  return time_limit > 0 ? time_limit * kWorkOfASecond : kMostWork;
}

double MostWorkAtAll(double time_limit) {
  return time_limit > 0 ? 8 * MostWork(time_limit) : std::numeric_limits<double>::infinity();
}

namespace {

constexpr int64_t kMaxBytes = int64_t{4} << 30;

// Adds the values of the computation's instructions; false where they are too many.
bool AddBytes(const hlo::Computation& computation, int64_t& total) {
  for (const auto& instruction : computation.instructions) {
    for (const hlo::Shape* leaf : hlo::LeafShapes(instruction->shape)) {
      auto bytes = hlo::CheckedByteSize(*leaf);
      if (!bytes || *bytes > kMaxBytes - total) return false;
      total += *bytes;
    }
  }
  return true;
}

}  // namespace

bool FitsMemory(const hlo::Module& module, int64_t devices) {
  int64_t total = kMaxBytes - kMaxBytes / std::max<int64_t>(devices, 1);
  return llvm::all_of(module.computations,
                      [&](const auto& computation) { return AddBytes(*computation, total); });
}

bool FitsMemory(const hlo::Computation& computation) {
  int64_t total = 0;
  return AddBytes(computation, total);
}

}  // namespace affirm::driver
