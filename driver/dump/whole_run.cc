#include "driver/dump/whole_run.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/hlo/leaves.h"
#include "core/symbolic/error.h"
#include "driver/check/module_size.h"
#include "driver/equivalence/enclosed_pair.h"
#include "driver/equivalence/execute.h"
#include "driver/equivalence/paired_argument_sets.h"
#include "driver/errors.h"
#include "driver/input.h"
#include "driver/json_text.h"
#include "driver/open_sorts.h"
#include "driver/output.h"
#include "driver/shell_command.h"
#include "driver/validate/buffers.h"
#include "driver/validate/instructions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "verify/enclosure/compare.h"
#include "verify/equivalence/product_precision.h"
#include "verify/reference/compare.h"
#include "verify/reference/interpreter.h"
#include "verify/reference/open_elements.h"

namespace affirm::driver {

using hlo::Literal;

namespace {

constexpr double kMostSeconds = 120;
constexpr int64_t kMostSets = 12;
constexpr double kMostWorkOfRun = 1 << 27;  // of the interpreter, on all sets

// A folder that is removed in the end.
class RunFolder {
 public:
  RunFolder() { ok_ = !llvm::sys::fs::createUniqueDirectory("affirm-run", path_); }
  ~RunFolder() {
    if (ok_) std::ignore = llvm::sys::fs::remove_directories(path_);
  }
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  bool ok() const { return ok_; }
  std::string Path(const std::string& name) const { return (path_ + "/" + name).str(); }
  std::string path() const { return path_.str().str(); }

 private:
  llvm::SmallString<128> path_;
  bool ok_ = false;
};

class ProgramRun {
 public:
  ProgramRun(const hlo::Module& before, const hlo::Module& after, uint64_t seed)
      : before_(before),
        entry_(*before.entry),
        sets_(entry_, *after.entry, seed),
        enclosed_(entry_, *after.entry, {}),
        with_products_(entry_, *after.entry, {.rounds_products = true},
                       llvm::any_of(AllInstructions(entry_), [](const hlo::Instruction* op) {
                         return equivalence::MayRoundOperands(*op);
                       })) {}

  WholeRun Run(const std::string& command) {
    const std::string open = WhySortIsOpen(entry_);
    if (!open.empty()) return Undecidable(open);
    if (!FitsMemory(before_)) return Undecidable("the values of the module do not fit 4 GiB");
    if (!folder_.ok() || !WriteArguments()) return Unknown("the arguments cannot be written");
    if (arguments_.empty()) return Undecidable("a parameter is too large to execute");
    const ShellLimits limits{.seconds = kMostSeconds};
    auto run = RunShell(command + " " + ShellQuoted(folder_.path()), "", limits);
    if (!run) return Unknown(MessageOf(run.takeError()));
    for (size_t set = 0; set < arguments_.size() && !result_.difference; ++set) Compare(set);
    if (result_.difference) {
      result_.verdict = Verdict::kRefuted;
    } else if (run->Crashed()) {
      result_.verdict = Verdict::kRefuted;
      result_.reason = "the program ends by " + run->HowItEnded(limits);
    } else if (!run->Succeeded()) {
      const llvm::StringRef said = llvm::StringRef(run->errors).rtrim();
      return Unknown(run->HowItEnded(limits) + ": " + said.substr(said.rfind('\n') + 1).str());
    } else if (!not_written_.empty()) {
      return Unknown(not_written_);
    } else if (std::string why = WhyNotTested(); !why.empty()) {
      return Undecidable(why);
    } else if (result_.sets > 0) {
      result_.verdict = Verdict::kExecuted;
    } else {
      return Undecidable(result_.reason);
    }
    return std::move(result_);
  }

 private:
  WholeRun Unknown(const std::string& why) {
    result_.verdict = Verdict::kUnknown;
    result_.reason = why;
    return std::move(result_);
  }

  // Unknown, and not by what the program does.
  WholeRun Undecidable(const std::string& why) {
    result_.is_undecidable = true;
    return Unknown(why);
  }

  // A loop need not end on special numbers.
  int64_t NumSets() const {
    const bool loops = llvm::any_of(AllInstructions(entry_), [](const hlo::Instruction* op) {
      return op->opcode == hlo::Opcode::kWhile;
    });
    const double work = std::max(WorkOf(before_), 1.0);
    const auto most = static_cast<int64_t>(std::min(kMostWorkOfRun / work, double{kMostSets}));
    return loops ? 1 : std::clamp<int64_t>(most, 1, sets_.size());
  }

  bool WriteArguments() {
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::json::OStream json(os);
    bool written = true;
    json.object([&] {
      json.attributeArray("sets", [&] {
        for (int64_t set = 0; set < NumSets(); ++set) {
          std::vector<Literal> arguments = sets_.Make(set);
          const bool too_large = llvm::any_of(arguments, [](const Literal& argument) {
            return argument.shape().type == hlo::PrimitiveType::kInvalid;
          });
          if (too_large) return;
          json.array([&] { written = written && WriteSet(set, arguments, json); });
          arguments_.push_back(std::move(arguments));
        }
      });
    });
    return written && !WriteTextFile(folder_.Path("arguments.json"), text);
  }

  bool WriteSet(int64_t set, const std::vector<Literal>& arguments, llvm::json::OStream& json) {
    bool written = true;
    int64_t number = 0;
    for (const Literal& argument : arguments) {
      for (const Literal* leaf : LeavesOf(argument)) {
        json.object([&] {
          json.attribute("type", hlo::Name(leaf->shape().type));
          WriteValues(json, "dims", leaf->shape().dims);
        });
        const std::string bytes(reinterpret_cast<const char*>(leaf->data()), leaf->bytes().size());
        written =
            written &&
            !WriteTextFile(
                folder_.Path(std::to_string(set) + "." + std::to_string(number++) + ".bin"), bytes);
      }
    }
    return written;
  }

  // The arrays that the program wrote on a set, like the expected ones; fewer where one is missing
  // or has another size, of which `not_written_` says the first.
  std::vector<Literal> ReadResults(size_t set, llvm::ArrayRef<const Literal*> expected) {
    std::vector<Literal> results;
    for (size_t leaf = 0; leaf < expected.size(); ++leaf) {
      Literal array(expected[leaf]->shape());
      const std::string name = std::to_string(set) + ".result." + std::to_string(leaf) + ".bin";
      auto bytes = llvm::MemoryBuffer::getFile(folder_.Path(name), false, false);
      std::string wrong;
      if (!array.shape().IsArray()) {
        // A token has no elements, and needs no file.
      } else if (!bytes) {
        wrong = "no " + name;
      } else if ((*bytes)->getBufferSize() != array.bytes().size()) {
        wrong = std::to_string((*bytes)->getBufferSize()) + " bytes to " + name + ", expected " +
                std::to_string(array.bytes().size());
      } else {
        llvm::copy((*bytes)->getBuffer(), array.data());
      }
      if (!wrong.empty()) {
        if (not_written_.empty()) not_written_ = "the program ended well and wrote " + wrong;
        return results;
      }
      results.push_back(std::move(array));
    }
    return results;
  }

  void Compare(size_t set) {
    auto expected = hlo::Interpret(entry_, arguments_[set]);
    if (!expected) {
      if (result_.reason.empty()) result_.reason = MessageOf(expected.takeError());
      llvm::consumeError(expected.takeError());
      return;
    }
    const std::vector<const Literal*> of_a = LeavesOf(*expected);
    std::vector<const Literal*> of_b;
    const std::vector<Literal> actual = ReadResults(set, of_a);
    if (actual.size() != of_a.size()) return;
    of_b.reserve(actual.size());
    for (const Literal& array : actual) of_b.push_back(&array);
    ++result_.sets;
    enclosed_.Take(arguments_[set], of_a, of_b);
    with_products_.Take(arguments_[set], of_a, of_b);
    std::optional<hlo::OpenElements> open;  // computed where something differs
    for (size_t leaf = 0; leaf < of_a.size() && !result_.difference; ++leaf) {
      if (!of_a[leaf]->shape().IsArray()) continue;
      result_.elements += of_a[leaf]->NumElements();
      const Literal &x = *of_a[leaf], &y = *of_b[leaf];
      enclosure::TestedElements& tested = tested_[leaf];
      int64_t at = 0;
      std::string why;
      for (; at < x.NumElements(); ++at) {
        if (hlo::UlpDistance(x, y, at) == 0) continue;
        EnclosedPair::Judgment judgment = enclosed_.JudgeRun(leaf, at);
        if (judgment.answer == EnclosedPair::Answer::kApart)
          judgment = with_products_.JudgeRun(leaf, at);
        if (judgment.answer == EnclosedPair::Answer::kWithin) tested.AddNarrow(at);
        if (judgment.answer == EnclosedPair::Answer::kWide) tested.AddWide(at, judgment.why);
        if (judgment.answer == EnclosedPair::Answer::kSpecial)
          tested.AddWide(at, "the module sums, and is no number");
        if (judgment.answer != EnclosedPair::Answer::kApart) continue;
        if (!open) open = OpenOn(set);
        if (open->Has(static_cast<int64_t>(leaf), at)) continue;
        why = judgment.why;
        break;
      }
      if (at == x.NumElements()) {
        TestSame(x, y, leaf);
        continue;
      }
      result_.difference = ExecutedDifference{.leaf = static_cast<int64_t>(leaf),
                                              .index = IndexOf(of_a[leaf]->shape(), at),
                                              .a = of_a[leaf]->ElementToString(at),
                                              .b = of_b[leaf]->ElementToString(at),
                                              .set = static_cast<int64_t>(set),
                                              .kind = sets_.KindOf(static_cast<int64_t>(set)),
                                              .note = why};
    }
  }

  // Equal values tell something of elements that other arguments did not test.
  void TestSame(const Literal& x, const Literal& y, size_t leaf) {
    enclosure::TestedElements& tested = tested_[leaf];
    for (int64_t i : tested.NotTested()) {
      if (hlo::UlpDistance(x, y, i) != 0 || !enclosure::TellsSomething(x, i)) continue;
      if (enclosed_.JudgeRun(leaf, i).answer == EnclosedPair::Answer::kWithin) tested.AddNarrow(i);
    }
  }
  // Why some element was tested on no set of arguments; empty where each was. An element that is
  // too wide on one set may have been tested on an earlier one.
  std::string WhyNotTested() {
    auto all_are_tested = [&] {
      return llvm::all_of(tested_, [](const auto& of) { return of.second.WhyNot().empty(); });
    };
    const int64_t sets = result_.sets, elements = result_.elements;
    for (size_t set = 0; set < arguments_.size() && !all_are_tested(); ++set) Compare(set);
    result_.sets = sets, result_.elements = elements;
    for (const auto& [leaf, tested] : tested_) {
      if (std::string why = tested.WhyNot(); !why.empty())
        return "result " + std::to_string(leaf) + ": " + why;
    }
    return "";
  }

  // The elements that HLO leaves open on a set of arguments. The interpreter has a value there, so
  // that looking for them does not fail.
  hlo::OpenElements OpenOn(size_t set) const {
    auto open = hlo::FindOpenElements(entry_, arguments_[set]);
    if (open) return std::move(*open);
    llvm::consumeError(open.takeError());
    hlo::OpenElements none;
    none.leaves.resize(hlo::NumLeaves(entry_.root->shape));
    return none;
  }

  const hlo::Module& before_;
  const hlo::Computation& entry_;
  PairedArgumentSets sets_;
  EnclosedPair enclosed_;
  EnclosedPair with_products_;  // whose operands are rounded as their precision lets a device do
  RunFolder folder_;
  std::vector<std::vector<Literal>> arguments_;         // by set
  std::map<size_t, enclosure::TestedElements> tested_;  // by leaf
  std::string not_written_;                             // why a result cannot be compared
  WholeRun result_;
};

}  // namespace

WholeRun RunWhole(const ModuleFiles& module, const std::string& command, uint64_t seed,
                  const calls::GivenMeanings& meanings) {
  WholeRun none;
  auto read = [&](const HloFile& file) {
    return ReadOneExpandedModule(file.path, meanings, UnknownOpcodes::kAllow);
  };
  auto before = read(module.hlo.front());
  auto after = before ? read(module.hlo.back())
                      : llvm::Expected<std::unique_ptr<hlo::Module>>(before.takeError());
  if (!after) {
    none.reason = MessageOf(after.takeError());
    return none;
  }
  return ProgramRun(**before, **after, seed).Run(command);
}

}  // namespace affirm::driver
