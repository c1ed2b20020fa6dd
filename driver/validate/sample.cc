#include "driver/validate/sample.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "core/hlo/leaves.h"
#include "driver/errors.h"
#include "driver/open_sorts.h"
#include "driver/validate/buffers.h"
#include "driver/validate/element_values.h"
#include "driver/validate/executed_claims.h"
#include "driver/validate/instructions.h"
#include "driver/validate/lazy_operands.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "verify/enclosure/compare.h"
#include "verify/equivalence/open_results.h"
#include "verify/kernel/emulator/emulator.h"
#include "verify/kernel/emulator/memory.h"
#include "verify/reference/arguments.h"

namespace affirm::driver {
namespace {

using hlo::Literal;
using kernel::Param;
using kernel::RaceShadow;

constexpr int64_t kMaxBytes = int64_t{4} << 30;
constexpr int64_t kMaxThreads = int64_t{1} << 27;

// The first of `count`, the last, the one at the largest power of two, where an index that has lost
// its upper bit begins again, and others as the seed says; all where there are so few.
std::vector<int64_t> Choose(int64_t count, int64_t most, uint64_t seed) {
  std::set<int64_t> chosen;
  std::mt19937_64 random(seed);
  if (count <= most) {
    for (int64_t k = 0; k < count; ++k) chosen.insert(k);
  } else if (most > 0) {
    chosen = {0};
    if (most > 1) chosen.insert(count - 1);
    if (most > 2) chosen.insert(static_cast<int64_t>(llvm::bit_floor<uint64_t>(count - 1)));
    while (std::ssize(chosen) < most) {
      chosen.insert(static_cast<int64_t>(random() % static_cast<uint64_t>(count)));
    }
  }
  return {chosen.begin(), chosen.end()};
}

// In an order that the seed gives, but for the first and the last, which come first.
void EndsFirst(std::vector<int64_t>& list, uint64_t seed) {
  if (list.size() > 1) std::swap(list[1], list.back());
  std::mt19937_64 random(seed);
  for (size_t k = list.size(); k > 3; --k) {
    std::swap(list[k - 1], list[2 + random() % (k - 2)]);
  }
}

// An element of a result that a block wrote.
struct WrittenElement {
  int64_t output = 0;    // among those of the launch
  int64_t position = 0;  // in the order of the layout
  int64_t linear = 0;    // row-major
  terms::Term term = nullptr;
};

// Blocks alone do not show which elements are open (verify/reference/open_elements.h).
std::string WhyOpen(const hlo::Computation& computation) {
  const std::string sort = WhySortIsOpen(computation);
  return sort.empty() ? equivalence::WhyReductionIsOpen(computation) : sort;
}

class Sample {
 public:
  Sample(const KernelSubject& subject, const ValidateOptions& options)
      : subject_(subject),
        options_(options),
        sets_(*subject.computation, options.seed),
        values_(*subject.computation, InputShapes(subject.launch)),
        why_open_(WhyOpen(*subject.computation)) {
    const std::vector<std::string> bits_open = equivalence::WhyBitsAreOpen(*subject.computation);
    for (const Param& param : subject.launch.params) {
      if (param.role != Param::kOutput) continue;
      const size_t leaf = outputs_.size();
      if (leaf < bits_open.size() && !bits_open[leaf].empty()) {
        summary_.not_compared = bits_open[leaf];
        left_out_.insert(std::ssize(outputs_));
      }
      outputs_.push_back(&param);
      summary_.of_elements += param.shape.NumElements();
    }
    summary_.of_blocks = subject.launch.NumBlocks();
  }

  Validation Run() {
    std::string why_not = Execute();
    if (summary_.not_compared.empty() && summary_.elements == 0) {
      summary_.not_compared = why_not.empty() ? "these blocks write nothing" : why_not;
    }
    claims_.summary().sample = summary_;
    if (why_not.empty()) {
      why_not = "executed in part (" + SampleText(summary_) + ") on " +
                std::to_string(claims_.summary().runs) + " sets of arguments, not proved";
    }
    return claims_.Finish(why_not);
  }

 private:
  static std::vector<hlo::Shape> InputShapes(const kernel::Launch& launch) {
    std::vector<hlo::Shape> shapes;
    for (const Param& param : launch.params) {
      if (param.role == Param::kInput) shapes.push_back(param.shape);
    }
    return shapes;
  }

  // Why nothing could be run; empty where something was.
  std::string Execute() {
    if (hlo::ArgumentElements::NeedUniqueIndices(*subject_.computation)) {
      return "not executed: unique indices are a property of whole arrays, which are too large";
    }
    auto emulator = kernel::Emulator::Create(*subject_.ir, subject_.launch);
    if (!emulator) return MessageOf(emulator.takeError());
    blocks_ = Choose(summary_.of_blocks, options_.sample.blocks, options_.seed + 1);
    EndsFirst(blocks_, options_.seed + 1);
    for (int64_t number = 0;
         number < sets_.size() && !claims_.refuted() && claims_.summary().limit.empty(); ++number) {
      // Half of what is left for the first set, equal parts for the others.
      const int64_t parts = number == 0 ? 2 : sets_.size() - number;
      const int64_t codes = (options_.sample.most_codes - codes_) / parts;
      // A set with which no block would come to its end shows nothing.
      if (codes < codes_of_block_) break;
      RunSet(*emulator, number, codes, (options_.sample.most_steps - steps_) / parts);
      // The parts of the others are smaller.
      if (blocks_run_.empty()) break;
    }
    summary_.blocks = std::ssize(blocks_run_);
    summary_.elements = std::ssize(compared_);
    if (summary_.blocks == 0 && !claims_.refuted()) {
      return "not executed: a block takes more than " +
             std::to_string(options_.sample.most_codes / 2) + " steps";
    }
    return "";
  }

  void RunSet(const kernel::Emulator& emulator, int64_t number, int64_t codes, int64_t steps) {
    LazyOperands operands(subject_, sets_, number);
    const std::vector<kernel::SparseMemory*> memories = operands.MakeMemories();
    kernel::EmulatorOptions options;
    options.seed = number == 0 ? 0 : number + options_.seed * 7;
    options.blocks = blocks_;
    options.most_codes = codes;
    options.most_codes_is_a_budget = true;
    options.most_jumps_back = MostJumps(subject_.launch);
    kernel::EmulatorRun run = emulator.Run(memories, options);
    kernel::ConfirmUnspecified(run, [&](kernel::EmulatorOptions::Unspecified unspecified) {
      LazyOperands again(subject_, sets_, number);
      options.unspecified = unspecified;
      return emulator.Run(again.MakeMemories(), options);
    });
    codes_ += run.codes;
    claims_.summary().codes += run.codes;
    for (const kernel::Finding& finding : run.findings) claims_.Judge(finding);
    if (run.blocks == 0) return;
    codes_of_block_ = run.codes / run.blocks;
    ++claims_.summary().runs;
    const auto done = llvm::ArrayRef(blocks_).take_front(run.blocks);
    blocks_run_.insert(done.begin(), done.end());
    if (!why_open_.empty()) summary_.not_compared = why_open_;
    if (run.findings.empty() && why_open_.empty())
      CompareValues(operands, memories, run, done, steps);
  }

  // The elements that a block wrote, by itself: not those that atomic operations combine, to which
  // other blocks may add.
  std::map<int64_t, std::vector<int64_t>> PositionsByBlock(const RaceShadow& shadow,
                                                           const Param& param, int64_t bits,
                                                           llvm::ArrayRef<int64_t> done) {
    std::map<int64_t, std::vector<int64_t>> positions;
    const int64_t count = param.shape.NumElements();
    for (const RaceShadow::Written& written : shadow.AllWritten()) {
      if (!llvm::is_contained(done, written.by.block)) continue;
      if (written.atomic) {
        summary_.not_compared = "elements that atomic operations combine";
        continue;
      }
      const int64_t first = written.offset * 8 / bits;
      const int64_t last = ((written.offset + written.bytes) * 8 - 1) / bits;
      for (int64_t k = first; k <= last && k < count; ++k) {
        std::vector<int64_t>& list = positions[written.by.block];
        if (list.empty() || list.back() != k) list.push_back(k);
      }
    }
    return positions;
  }

  // The elements to compare, in turn from each block: the first and the last that it wrote, then
  // others.
  std::vector<WrittenElement> ChooseElements(const kernel::EmulatorRun& run,
                                             llvm::ArrayRef<kernel::SparseMemory*> memories,
                                             llvm::ArrayRef<int64_t> done) {
    std::vector<std::vector<WrittenElement>> lists;
    for (auto [k, param] : llvm::enumerate(outputs_)) {
      const auto& shadow = run.shadows[param->memory];
      if (shadow == nullptr) continue;
      const int64_t bits = ElementCodec(*param).bits();
      for (auto& [block, written] : PositionsByBlock(*shadow, *param, bits, done)) {
        std::vector<int64_t> chosen = Choose(std::ssize(written), options_.sample.elements_of_block,
                                             options_.seed + static_cast<uint64_t>(block));
        EndsFirst(chosen, options_.seed + static_cast<uint64_t>(block));
        lists.emplace_back();
        for (int64_t number : chosen) {
          const int64_t position = written[number];
          if (!IsSpecified(*memories[param->memory], position, bits)) continue;
          lists.back().push_back(
              {static_cast<int64_t>(k), position, LinearAtPosition(param->shape, position)});
        }
      }
    }
    std::vector<WrittenElement> elements;
    size_t turns = 0;
    for (const auto& list : lists) turns = std::max(turns, list.size());
    for (size_t turn = 0; turn < turns; ++turn) {
      for (const auto& list : lists) {
        if (turn < list.size()) elements.push_back(list[turn]);
      }
    }
    return elements;
  }

  static bool IsSpecified(kernel::SparseMemory& memory, int64_t position, int64_t bits) {
    for (int64_t byte = position * bits / 8; byte <= ((position + 1) * bits - 1) / 8; ++byte) {
      if (memory.has_marks() && memory.MarkAt(byte) != kernel::kByteSpecified) return false;
    }
    return true;
  }

  void CompareValues(LazyOperands& operands, llvm::ArrayRef<kernel::SparseMemory*> memories,
                     const kernel::EmulatorRun& run, llvm::ArrayRef<int64_t> done, int64_t steps) {
    auto load = [&](int64_t operand, int64_t position) {
      return EnclosedScalar::Point(operands.Load(operand, position));
    };
    values_.Begin(load, KernelFreedom(subject_), steps);
    ExecutionSummary& summary = claims_.summary();
    for (WrittenElement& element : ChooseElements(run, memories, done)) {
      if (left_out_.contains(element.output)) continue;
      auto value = ValueOf(element);
      if (value) {
        ++summary.elements;
        CompareValue(element, *value, memories, run);
        continue;
      }
      summary_.not_compared = "some elements: " + MessageOf(value.takeError());
      if (values_.steps() >= steps) break;
    }
    steps_ += values_.steps();
  }

  void CompareValue(const WrittenElement& element, const EnclosedScalar& value,
                    llvm::ArrayRef<kernel::SparseMemory*> memories,
                    const kernel::EmulatorRun& run) {
    const Param& param = *outputs_[element.output];
    const hlo::PrimitiveType type = param.shape.type;
    ExecutionSummary& summary = claims_.summary();
    Literal want(hlo::Shape::Array(type, {})), got(want.shape());
    hlo::Store(want, 0, compare::AsType(value.scalar, type));
    ElementCodec codec(param);
    codec.PutInto(got, 0, codec.Read(*memories[param.memory], element.position));
    const int64_t ulp = hlo::UlpDistance(want, got, 0);
    const auto answer = enclosure::Judge(value.scalar.type, value.enclosure,
                                         compare::OfScalar(type, hlo::Load(got, 0)).value);
    if (ulp != 0 && answer == enclosure::Answer::kWide) {
      summary_.not_compared = "elements that roundings move by more than a tenth";
      return;
    }
    compared_.insert({element.output, element.linear});
    if (ulp == 0) return;
    if (answer == enclosure::Answer::kApart) {
      const int64_t byte = element.position * codec.bits() / 8;
      claims_.RefuteValue(param,
                          {.leaf = element.output,
                           .index = IndexOf(param.shape, element.linear),
                           .expected = want.ElementToString(0),
                           .actual = got.ElementToString(0),
                           .ulp = ulp,
                           .element = element.linear,
                           .why = WhyApart(value.scalar.type, value.enclosure)},
                          run.shadows[param.memory]->LastWriter(byte));
      return;
    }
    if (ulp != hlo::kFarApart) summary.largest_ulp = std::max(summary.largest_ulp, ulp);
    summary.within = std::max(summary.within, RelativeWidth(value.scalar.type, value.enclosure));
  }

  llvm::Expected<EnclosedScalar> ValueOf(WrittenElement& element) {
    terms::Term& term = terms_[{element.output, element.linear}];
    if (term == nullptr) {
      const hlo::Shape& shape = outputs_[element.output]->shape;
      auto made = values_.TermOf(element.output, IndexOf(shape, element.linear));
      if (!made) {
        left_out_.insert(element.output);
        return made.takeError();
      }
      term = *made;
    }
    element.term = term;
    return values_.Evaluate(term);
  }

  const KernelSubject& subject_;
  const ValidateOptions& options_;
  ArgumentSets sets_;
  ElementValues values_;
  const std::string why_open_;  // a sort or a reduction, so that the results are not compared
  ExecutedClaims claims_;
  SampleSummary summary_;
  std::vector<const Param*> outputs_;
  std::vector<int64_t> blocks_;  // to run, in order
  std::set<int64_t> blocks_run_;
  std::set<int64_t> left_out_;                      // outputs without terms, or that are open
  std::set<std::pair<int64_t, int64_t>> compared_;  // output, element
  std::map<std::pair<int64_t, int64_t>, terms::Term> terms_;
  int64_t codes_ = 0, steps_ = 0;
  int64_t codes_of_block_ = 0;  // of the last set, on average
};

}  // namespace

bool IsTooLargeToRun(const KernelSubject& subject) {
  if (subject.launch.NumBlocks() > kMaxThreads / std::max<int64_t>(subject.launch.NumThreads(), 1))
    return true;
  int64_t bytes = 0;
  for (const hlo::Instruction* op : AllInstructions(*subject.computation)) {
    for (const hlo::Shape* leaf : hlo::LeafShapes(op->shape)) {
      auto of_leaf = hlo::CheckedByteSize(*leaf);
      if (!of_leaf || *of_leaf > kMaxBytes - bytes) return true;
      bytes += *of_leaf;
    }
  }
  return false;
}

Validation ExecuteSample(const KernelSubject& subject, const ValidateOptions& options) {
  return Sample(subject, options).Run();
}

}  // namespace affirm::driver
