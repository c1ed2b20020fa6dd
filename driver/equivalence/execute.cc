#include "driver/equivalence/execute.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/hlo/devices.h"
#include "core/hlo/leaves.h"
#include "driver/check/module_size.h"
#include "driver/equivalence/all_arguments.h"
#include "driver/equivalence/open_roundings.h"
#include "driver/equivalence/paired_argument_sets.h"
#include "driver/equivalence/witness_arguments.h"
#include "driver/errors.h"
#include "driver/open_sorts.h"
#include "driver/validate/buffers.h"
#include "driver/validate/instructions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "verify/enclosure/compare.h"
#include "verify/reference/arguments.h"
#include "verify/reference/compare.h"
#include "verify/reference/device_count.h"
#include "verify/reference/interpreter.h"
#include "verify/reference/open_elements.h"

namespace affirm::driver {

using hlo::Literal;

namespace {

// Elements that one set may touch; loops count once.
constexpr double kMostWorkOfSet = 1 << 28;
// Element operations of all sets together (verify/reference/work.h), trips of loops as often as
// they run: where something is not proved, and where executions only check a proof.
constexpr int64_t kMostOperations = 1 << 29, kMostOfCrossCheck = 1 << 24;
// Sets that are executed whatever they take, where something is not proved.
constexpr size_t kLeastSets = 2;
// Operations that an enclosure of the results takes for each of an execution, about.
constexpr int64_t kOfEnclosure = 16;
constexpr int64_t kSetsToTestAgain = 16;
// Bound on the elements touched when all arguments are enumerated.
constexpr double kMostWorkOfAll = 1 << 22;
// A module of so little work is tried on every set, also where it was undefined on the first ones.
constexpr double kLittleWork = 1 << 16;

std::string CutValue(std::string text) {
  constexpr size_t kLongest = 120;
  if (text.size() <= kLongest) return text;
  return text.substr(0, kLongest) + "...";
}

class Execution {
 public:
  Execution(const hlo::Module& a, const hlo::Module& b, const ExecuteOptions& options,
            ModuleEquivalence& result)
      : a_(*a.entry),
        b_(*b.entry),
        options_(options),
        sets_(a_, b_, options.equivalence.seed),
        rounded_(a_, b_, options.equivalence.excess_precision),
        result_(result) {
    // On arguments on which A breaks a promise it says nothing, whatever B makes of them.
    of_b_.promises = of_a_.promises = result.held;
    of_a_.promises.no_ties = false;
    of_a_.promises.claimed_trips = of_b_.promises.claimed_trips = true;
    of_a_.meter = of_b_.meter = &meter_;
    // A promise that nothing proves may be broken.
    is_cross_check_ = !options.all_sets && result.promise.empty();
    if (is_cross_check_) meter_.most = kMostOfCrossCheck;
    for (const hlo::Instruction* op : AllInstructions(a_))
      has_loops_ = has_loops_ || op->opcode == hlo::Opcode::kWhile;
  }

  void Run(double work) {
    RunSets(work);
    if (is_cross_check_) return;
    TestAgain();
    for (const auto& [leaf, of] : tested_) {
      if (std::string why = of.WhyNot(); !why.empty())
        result_.not_tested[static_cast<int64_t>(leaf)] = std::move(why);
    }
  }

 private:
  // Elements that were tested on no arguments may have agreed on the first sets, before others
  // showed that they had to be tested.
  void TestAgain() {
    const int64_t count = std::min(sets_.size(), kSetsToTestAgain);
    for (int64_t set = 0; set < count && !result_.difference; ++set) {
      const bool all =
          llvm::all_of(tested_, [](const auto& of) { return of.second.WhyNot().empty(); });
      if (all || meter_.done > kMostOperations) return;
      const std::vector<Literal> arguments = sets_.Make(set);
      auto a = hlo::Interpret(a_, arguments, of_a_);
      auto b = hlo::Interpret(b_, arguments, of_b_);
      if (!a || !b) {
        llvm::consumeError(a.takeError());
        llvm::consumeError(b.takeError());
        continue;
      }
      const auto of_a = LeavesOf(*a), of_b = LeavesOf(*b);
      rounded_.Take(arguments, of_a, of_b);
      for (auto& [leaf, tested] : tested_) TestSame(tested, *of_a[leaf], *of_b[leaf], leaf);
    }
  }

  void RunSets(double work) {
    // If A leaves a result open, no result of B differs from it.
    for (const OpenSort& open : OpenSorts(a_)) {
      if (!open.is_refuted) continue;
      NotExecuted("A: " + open.why);
      return;
    }
    for (const ResultEquivalence& of : result_.results) {
      if (of.witness && !result_.difference) RunWitness(*of.witness);
    }
    if (options_.licensed) return RunPlainSets();
    if (options_.all_sets && !result_.difference && RunAllArguments(work)) return;
    // If not all sets fit, rare values come first. A loop may never end on these: it is not run on
    // them for results that are proved, and is the last that is run for the others.
    const bool fits = work * static_cast<double>(sets_.size()) <= kMostOperations;
    std::vector<int64_t> sets =
        sets_.Order(/*rare_first=*/options_.all_sets && !has_loops_ && !fits);
    if (!options_.all_sets) sets.resize(has_loops_ ? 1 : kNumKinds);
    for (const auto [tried, set] : llvm::enumerate(sets)) {
      if (result_.difference || !IsWithinBudget(tried, sets.size())) return;
      // A module may be undefined on some arguments, such as sizes beyond a bound.
      const bool ran = RunSet(set);
      // A loop that goes round too often takes its time to say so.
      if (!ran && has_loops_) return;
      const bool hopeless = result_.sets == 0 && work > kLittleWork;
      if (tried + 1 == kNumKinds && hopeless) return;
    }
  }

  // Whether another set is run after `tried` of `count`; else the report says so.
  bool IsWithinBudget(size_t tried, size_t count) {
    const int64_t most = is_cross_check_ ? kMostOfCrossCheck : kMostOperations;
    const size_t least = is_cross_check_ ? 1 : kLeastSets;
    if (tried < least || meter_.done <= most) return true;
    return NotExecuted(std::to_string(count - tried) + " of " + std::to_string(count) +
                       " sets of arguments, beyond a budget of " + std::to_string(most) +
                       " element operations");
  }

  // Witnesses of terms are tried before all other sets. Such a witness may be none: arguments on
  // which a module is undefined show no difference.
  void RunWitness(const equivalence::Witness& witness) {
    const std::string reason = result_.not_executed;
    RunArguments(kSolverSet, MakeWitnessArguments(a_, witness, options_.equivalence.seed));
    result_.not_executed = reason;
    if (result_.difference) result_.difference->terms = Describe(a_, witness);
  }

  // Numbers of which sums and products are exact or nearly so, in whichever order and type.
  void RunPlainSets() {
    std::vector<int64_t> sets;
    for (int64_t set = 0; set < sets_.size(); ++set) {
      const std::string kind = sets_.KindOf(set);
      if (kind == hlo::Name(hlo::ArgumentKind::kSmall) ||
          kind == hlo::Name(hlo::ArgumentKind::kEnds))
        sets.push_back(set);
    }
    for (const auto [tried, set] : llvm::enumerate(sets)) {
      if (result_.difference || !IsWithinBudget(tried, sets.size())) return;
      RunSet(set);
    }
  }

  // False, and nothing is run, where there are too many.
  bool RunAllArguments(double work) {
    const auto all = AllArguments::Of(a_);
    if (!all || work * static_cast<double>(all->size()) > kMostWorkOfAll) return false;
    bool ran = true;
    for (int64_t number = 0; number < all->size() && !result_.difference; ++number) {
      const bool ran_this = RunArguments(kEnumeratedSet, all->Make(number));
      if (ran_this) ++result_.sets;
      ran = ran && ran_this;
      // A loop that goes round too often takes its time to say so.
      if (!ran_this && has_loops_) break;
    }
    result_.same_on_all_arguments =
        ran && is_same_ && !result_.difference && IsDefinedToTheBit(a_) && IsDefinedToTheBit(b_);
    return true;
  }

  // A set that ran is counted.
  bool RunSet(int64_t set) {
    const int64_t before = meter_.done;
    const bool ran = RunArguments(set, sets_.Make(set));
    if (ran) ++result_.sets;
    // An element that is not proved is tested on some set alone, often a late one: its enclosures
    // are not counted.
    if (ran && is_cross_check_)
      meter_.Add(rounded_.NumEnclosed() * ((meter_.done - before) / 2) * kOfEnclosure);
    return ran;
  }

  bool RunArguments(int64_t set, const std::vector<Literal>& arguments) {
    for (const Literal& argument : arguments) {
      if (argument.shape().type == hlo::PrimitiveType::kInvalid)
        return NotExecuted("a parameter is too large to execute");
    }
    open_.reset();
    auto a = hlo::Interpret(a_, arguments, of_a_);
    if (!a) return NotExecuted("A: " + MessageOf(a.takeError()));
    auto b = hlo::Interpret(b_, arguments, of_b_);
    if (!b) return NoResultOfB(set, arguments, *a, b.takeError());
    const auto of_a = LeavesOf(*a), of_b = LeavesOf(*b);
    rounded_.Take(arguments, of_a, of_b);
    for (size_t leaf = 0; leaf < of_a.size() && !result_.difference; ++leaf) {
      if (of_a[leaf]->shape().IsArray()) CompareLeaf(set, arguments, of_a, of_b, leaf);
    }
    return true;
  }

  // If B's result is open on arguments on which A's result is defined, the two differ; unless A's
  // result, too, is open with other roundings than those of the execution.
  bool NoResultOfB(int64_t set, const std::vector<Literal>& arguments, const Literal& a,
                   llvm::Error error) {
    const bool is_open = error.isA<hlo::OpenResult>();
    const std::string why = MessageOf(std::move(error));
    // An open result of B does not contradict a proof, except for a promise, which no proof covers.
    const bool promised = !result_.promise.empty();
    const auto leaves = LeavesOf(a);
    for (auto [leaf, of_a] : llvm::enumerate(leaves)) {
      const bool proved = llvm::is_contained(options_.proved, static_cast<int64_t>(leaf));
      if (!is_open || (proved && !promised)) continue;
      if (!of_a->shape().IsArray() || of_a->NumElements() == 0) continue;
      rounded_.Take(arguments, leaves, leaves);
      if (std::string open = rounded_.WhyAMayBreak(options_.equivalence.rounding); !open.empty()) {
        result_.left_open.try_emplace(static_cast<int64_t>(leaf), std::move(open));
        return true;
      }
      if (std::string open = OpenIn(a_, arguments).promise; !open.empty()) {
        result_.left_open.try_emplace(static_cast<int64_t>(leaf), "A: " + open);
        return true;
      }
      Differ(set, arguments, leaf, IndexOf(of_a->shape(), 0), of_a->ElementToString(0),
             "not defined", false);
      result_.difference->note = "B: " + why;
      return true;
    }
    return NotExecuted("B: " + why);
  }

  bool NotExecuted(std::string why) {
    if (result_.not_executed.empty()) result_.not_executed = std::move(why);
    return false;
  }

  void CompareLeaf(int64_t set, const std::vector<Literal>& arguments,
                   const std::vector<const Literal*>& a, const std::vector<const Literal*>& b,
                   size_t leaf) {
    const bool proved = llvm::is_contained(options_.proved, static_cast<int64_t>(leaf));
    const bool rounding = proved || options_.equivalence.rounding;
    const Literal &x = *a[leaf], &y = *b[leaf];
    result_.elements += x.NumElements();
    enclosure::TestedElements& tested = tested_[leaf];
    if (x.bytes() == y.bytes() && x.shape().dims == y.shape().dims)
      return TestSame(tested, x, y, leaf);
    is_same_ = is_same_ && IsSameToTheBit(x, y);
    if (x.shape().dims != y.shape().dims) {  // sizes that are known at run time only
      if (HasOpenSizes(arguments, leaf)) return;
      const EnclosedPair::Judgment judgment = rounded_.JudgeSizes(leaf, rounding);
      if (judgment.answer != EnclosedPair::Answer::kApart) {
        result_.left_open.try_emplace(static_cast<int64_t>(leaf), judgment.why);
        return;
      }
      Differ(set, arguments, leaf, {}, x.shape().ToString(false), y.shape().ToString(false),
             proved);
      if (result_.difference->note.empty()) result_.difference->note = judgment.why;
      return;
    }
    for (int64_t i = 0; i < x.NumElements(); ++i) {
      const int64_t ulp = hlo::UlpDistance(x, y, i);
      if (ulp > options_.equivalence.ulp) {
        bool is_open = false;
        const EnclosedPair::Judgment judgment = rounded_.Judge(leaf, i, rounding, is_open);
        if (judgment.answer == EnclosedPair::Answer::kSpecial) {
          if (result_.special.empty()) {
            result_.special = "element " + std::to_string(i) + " of result " +
                              std::to_string(leaf) + " is " + x.ElementToString(i) + " in A and " +
                              y.ElementToString(i) + " in B";
          }
          tested.AddWide(i, "A sums, and is no number");
          continue;
        }
        if (judgment.answer == EnclosedPair::Answer::kApart) {
          if (IsOpen(arguments, leaf, i)) continue;
          Differ(set, arguments, leaf, IndexOf(x.shape(), i), x.ElementToString(i),
                 y.ElementToString(i), proved);
          if (result_.difference->note.empty()) result_.difference->note = judgment.why;
          return;
        }
        if (is_open)
          result_.left_open.try_emplace(static_cast<int64_t>(leaf), rounded_.OpenRoundingOf(leaf));
        if (judgment.answer == EnclosedPair::Answer::kWide) {
          tested.AddWide(i, judgment.why);
          continue;
        }
        tested.AddNarrow(i);
        result_.widest = std::max(result_.widest, judgment.width);
      }
      if (ulp != hlo::kFarApart) result_.largest_ulp = std::max(result_.largest_ulp, ulp);
    }
  }

  // Values that are the same to the bit tell nothing where roundings move them too far: they may be
  // so by chance.
  void TestSame(enclosure::TestedElements& tested, const Literal& x, const Literal& y,
                size_t leaf) {
    if (is_cross_check_ || x.shape().dims != y.shape().dims) return;
    for (int64_t i : tested.NotTested()) {
      // On other arguments the array may have had more elements.
      if (i >= x.NumElements()) continue;
      if (hlo::UlpDistance(x, y, i) != 0 || !enclosure::TellsSomething(x, i)) continue;
      if (rounded_.enclosed().Judge(leaf, i).answer == EnclosedPair::Answer::kWithin)
        tested.AddNarrow(i);
    }
  }

  // Whether HLO leaves open what the element is, on the arguments that are run: in A, or by a
  // choice of B's. Where B is undefined and A is not, the two differ.
  bool IsOpen(const std::vector<Literal>& arguments, size_t leaf, int64_t element) {
    if (!open_) open_.emplace(OpenIn(a_, arguments), OpenIn(b_, arguments));
    using Kind = hlo::OpenElements::Kind;
    const auto at = static_cast<int64_t>(leaf);
    const bool in_a = open_->first.KindOf(at, element) != Kind::kClosed;
    if (!in_a && open_->second.KindOf(at, element) != Kind::kChoice) return false;
    result_.left_open.try_emplace(at, (in_a ? open_->first : open_->second).why);
    return true;
  }

  // Whether HLO leaves open which sizes the array has.
  bool HasOpenSizes(const std::vector<Literal>& arguments, size_t leaf) {
    if (!open_) open_.emplace(OpenIn(a_, arguments), OpenIn(b_, arguments));
    for (const hlo::OpenElements* of : {&open_->first, &open_->second}) {
      if (!of->open_sizes[leaf]) continue;
      result_.left_open.try_emplace(static_cast<int64_t>(leaf), of->why);
      return true;
    }
    return false;
  }

  static hlo::OpenElements OpenIn(const hlo::Computation& of,
                                  const std::vector<Literal>& arguments) {
    auto elements = hlo::FindOpenElements(of, arguments);
    if (elements) return std::move(*elements);
    llvm::consumeError(elements.takeError());  // one of the value, which is there
    hlo::OpenElements none;
    none.leaves.resize(hlo::NumLeaves(of.root->shape));
    none.open_sizes.resize(none.leaves.size(), false);
    return none;
  }

  void Differ(int64_t set, const std::vector<Literal>& arguments, size_t leaf,
              std::vector<int64_t> index, std::string a, std::string b, bool proved) {
    ExecutedDifference difference{.leaf = static_cast<int64_t>(leaf),
                                  .index = std::move(index),
                                  .a = std::move(a),
                                  .b = std::move(b),
                                  .set = set,
                                  .kind = KindOf(set)};
    for (auto [parameter, argument] : llvm::zip(a_.parameters, arguments))
      difference.arguments.emplace_back(parameter->name, CutValue(argument.ToString()));
    if (proved) {
      difference.note = "terms prove that they are equal" +
                        (result_.laws.empty() ? "" : " by " + llvm::join(result_.laws, ", ")) +
                        ": a fault of affirm";
    }
    result_.difference = std::move(difference);
  }

  std::string KindOf(int64_t set) const {
    if (set == kEnumeratedSet) return "enumeration";
    return set == kSolverSet ? "solver" : sets_.KindOf(set);
  }

  const hlo::Computation &a_, &b_;
  const ExecuteOptions& options_;
  PairedArgumentSets sets_;
  RoundedPair rounded_;
  ModuleEquivalence& result_;
  hlo::InterpretOptions of_a_, of_b_;
  hlo::WorkMeter meter_;         // of both, on all sets
  bool is_cross_check_ = false;  // all is proved
  bool has_loops_ = false;
  std::map<size_t, enclosure::TestedElements> tested_;  // by leaf
  bool is_same_ = true;                                 // to the bit, on all arguments so far
  // Open elements of A and of B, on the arguments that are run.
  std::optional<std::pair<hlo::OpenElements, hlo::OpenElements>> open_;
};

}  // namespace

void ExecuteBoth(const hlo::Module& a, const hlo::Module& b, const ExecuteOptions& options,
                 ModuleEquivalence& result) {
  if (!FitsMemory(a) || !FitsMemory(b)) {
    result.not_executed = "the values of the module do not fit 4 GiB";
    return;
  }
  for (const hlo::Module* module : {&a, &b}) {
    for (const hlo::Instruction* op : AllInstructions(*module->entry)) {
      if (op->opcode != hlo::Opcode::kRaggedDot) continue;
      result.not_executed = "group sizes of " + op->name +
                            " that do not fit the array have no meaning, and arguments may not fit";
      return;
    }
  }
  const bool has_devices = hlo::DependsOnDevices(*a.entry) || hlo::DependsOnDevices(*b.entry);
  if (has_devices && hlo::CountDevices(a).devices.count() > 1) {
    result.not_executed = "values depend on devices, of which there are several";
    return;
  }
  const double work = WorkOf(a) + WorkOf(b);
  if (work > kMostWorkOfSet) {
    result.not_executed = "the module is too large to execute";
    return;
  }
  Execution(a, b, options, result).Run(work);
}

}  // namespace affirm::driver
