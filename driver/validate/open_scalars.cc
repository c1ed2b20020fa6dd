#include "driver/validate/open_scalars.h"

#include <set>

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "verify/kernel/scalar_value.h"

namespace affirm::driver {
namespace {

using kernel::ScalarParam;
using kernel::WideInteger;

constexpr size_t kMostPoints = 16;  // that are all taken
constexpr size_t kMostSampledPoints = 48;
// No further point is run after this many codes of the earlier ones, or elements compared.
constexpr int64_t kMostScalarCodes = int64_t{1} << 31, kMostElements = int64_t{1} << 24;

// Integers of the kernel's code, and sizes of its arrays.
std::set<WideInteger> NumbersOf(const KernelSubject& subject) {
  std::set<WideInteger> numbers;
  for (const kernel::Param& param : subject.launch.params) {
    numbers.insert(param.shape.dims.begin(), param.shape.dims.end());
    numbers.insert(param.shape.NumElements());
  }
  for (const llvm::Argument& argument : subject.ir->kernel->args()) {
    const auto range = argument.getRange();
    if (!range || range->getBitWidth() > 64) continue;
    for (const llvm::APInt& end : {range->getLower(), range->getUpper()})
      numbers.insert({end.getSExtValue(), end.getZExtValue()});
  }
  for (const llvm::Function& function : *subject.ir->module) {
    for (const llvm::Instruction& op : llvm::instructions(function)) {
      for (const llvm::Value* operand : op.operands()) {
        const auto* integer = llvm::dyn_cast<llvm::ConstantInt>(operand);
        if (integer && integer->getBitWidth() <= 64)
          numbers.insert({integer->getSExtValue(), integer->getZExtValue()});
      }
    }
  }
  return numbers;
}

// All integers of a range of at most kMostPoints, or some.
std::vector<uint64_t> IntegersIn(const ScalarParam& scalar, const std::set<WideInteger>& known) {
  const WideInteger lo = kernel::ScalarInteger(scalar.lo, scalar.type);
  const WideInteger hi = kernel::ScalarInteger(scalar.hi, scalar.type);
  std::vector<WideInteger> integers = {lo, hi, lo + (hi - lo) / 2, lo + 1, hi - 1, 0,
                                       1,  -1, lo + (hi - lo) / 3};
  if (hi - lo < static_cast<WideInteger>(kMostPoints)) {
    integers.clear();
    for (WideInteger k = lo; k <= hi; ++k) integers.push_back(k);
  } else {
    for (WideInteger number : known) {
      for (int offset : {0, 1, -1}) integers.push_back(number + offset);
    }
  }
  std::vector<uint64_t> bits;
  const uint64_t mask = ~uint64_t{0} >> (64 - hlo::BitWidth(scalar.type));
  for (WideInteger integer : integers) {
    const uint64_t next = static_cast<uint64_t>(integer) & mask;
    if (integer < lo || integer > hi || llvm::is_contained(bits, next)) continue;
    bits.push_back(next);
  }
  return bits;
}

std::vector<uint64_t> FloatsIn(const ScalarParam& scalar) {
  std::vector<uint64_t> bits = {scalar.lo, scalar.hi};
  for (const char* number : {"0.0", "-0.0", "1", "-1", "0.5", "3"}) {
    auto read = kernel::ReadScalarValue(number, scalar.type);
    if (!read) {
      llvm::consumeError(read.takeError());
      continue;
    }
    if (kernel::IsAtMost(scalar.lo, *read, scalar.type) &&
        kernel::IsAtMost(*read, scalar.hi, scalar.type) && !llvm::is_contained(bits, *read)) {
      bits.push_back(*read);
    }
  }
  return bits;
}

std::vector<uint64_t> ValuesIn(const ScalarParam& scalar, const std::set<WideInteger>& known) {
  if (scalar.IsGiven()) return {scalar.lo};
  return hlo::IsFloat(scalar.type) ? FloatsIn(scalar) : IntegersIn(scalar, known);
}

// The places in lists of values, one for each scalar.
using Choice = std::vector<size_t>;

// All choices where there are few; else both ends of all, each list's values beside the ends of the
// others, and combinations.
std::vector<Choice> ChoicesOf(llvm::ArrayRef<std::vector<uint64_t>> values) {
  size_t count = 1;
  for (const auto& list : values) count = std::min(count * list.size(), kMostSampledPoints + 1);
  const bool few = count <= kMostPoints;
  std::vector<Choice> choices;
  auto add = [&](const Choice& choice) {
    if (choices.size() < kMostSampledPoints && !llvm::is_contained(choices, choice))
      choices.push_back(choice);
  };
  if (few || values.size() == 1) {
    Choice choice(values.size(), 0);
    for (size_t number = 0; number < std::min(count, kMostSampledPoints); ++number) {
      size_t rest = number;
      for (auto [k, list] : llvm::enumerate(values)) {
        choice[k] = rest % list.size();
        rest /= list.size();
      }
      add(choice);
    }
    return choices;
  }
  for (size_t end : {0, 1}) {
    Choice ends(values.size());
    for (auto [k, list] : llvm::enumerate(values)) ends[k] = std::min(end, list.size() - 1);
    add(ends);
    for (auto [k, list] : llvm::enumerate(values)) {
      Choice choice = ends;
      for (size_t at = 0; at < std::min<size_t>(list.size(), 8); ++at) {
        choice[k] = at;
        add(choice);
      }
    }
  }
  for (size_t number = 0; number < kMostSampledPoints; ++number) {
    Choice choice(values.size());
    for (auto [k, list] : llvm::enumerate(values)) choice[k] = (number * (2 * k + 1)) % list.size();
    add(choice);
  }
  return choices;
}

// Integers that the code compares with, and those behind them: conditions on a scalar mostly change
// there.
std::set<WideInteger> CutsOf(const KernelSubject& subject) {
  std::set<WideInteger> cuts;
  auto add = [&](const llvm::Value* value) {
    const auto* integer = llvm::dyn_cast<llvm::ConstantInt>(value);
    if (!integer || integer->getBitWidth() > 64) return;
    for (const WideInteger cut :
         {WideInteger{integer->getSExtValue()}, WideInteger{integer->getZExtValue()}})
      cuts.insert({cut, cut + 1});
  };
  for (const llvm::Function& function : *subject.ir->module) {
    for (const llvm::Instruction& op : llvm::instructions(function)) {
      if (llvm::isa<llvm::ICmpInst, llvm::SwitchInst>(op)) llvm::for_each(op.operand_values(), add);
    }
  }
  return cuts;
}

// The range as ranges that together are it: its values where these are few, else from cut to cut.
std::vector<ScalarParam> PartsOf(const ScalarParam& scalar, const std::set<WideInteger>& cuts) {
  if (scalar.IsGiven() || hlo::IsFloat(scalar.type)) return {scalar};
  const WideInteger lo = kernel::ScalarInteger(scalar.lo, scalar.type);
  const WideInteger hi = kernel::ScalarInteger(scalar.hi, scalar.type);
  std::vector<WideInteger> starts = {lo};
  if (hi - lo < static_cast<WideInteger>(kMostPoints)) {
    for (WideInteger k = lo + 1; k <= hi; ++k) starts.push_back(k);
  } else {
    for (WideInteger cut : cuts) {
      if (lo < cut && cut <= hi) starts.push_back(cut);
    }
  }
  const uint64_t mask = ~uint64_t{0} >> (64 - hlo::BitWidth(scalar.type));
  std::vector<ScalarParam> parts;
  for (auto [k, start] : llvm::enumerate(starts)) {
    const WideInteger end = k + 1 < starts.size() ? starts[k + 1] - 1 : hi;
    parts.push_back(scalar);
    parts.back().lo = static_cast<uint64_t>(start) & mask;
    parts.back().hi = static_cast<uint64_t>(end) & mask;
  }
  return parts;
}

// "n = 7", "parameter 3 in [0, 499]"
void AddText(const ScalarParam& scalar, std::string& text) {
  const std::string lo = kernel::ScalarValueText(scalar.lo, scalar.type);
  const std::string hi = kernel::ScalarValueText(scalar.hi, scalar.type);
  if (!text.empty()) text += ", ";
  text += scalar.name.empty() ? "parameter " + std::to_string(scalar.place) : scalar.name;
  text += scalar.IsGiven() ? " = " + lo : " in [" + lo + ", " + hi + "]";
}

// Launches that together have all values of the scalars; the one that is given where there would be
// more than kMostPoints.
std::vector<ScalarPoint> PartsOf(const KernelSubject& subject) {
  const std::set<WideInteger> cuts = CutsOf(subject);
  std::vector<ScalarPoint> parts = {{subject.launch, ""}};
  for (auto [k, scalar] : llvm::enumerate(subject.launch.scalars)) {
    std::vector<ScalarPoint> finer;
    for (const ScalarPoint& part : parts) {
      for (const ScalarParam& range : PartsOf(scalar, cuts)) {
        finer.push_back(part);
        finer.back().launch.scalars[k] = range;
        if (!scalar.IsGiven()) AddText(range, finer.back().text);
      }
    }
    if (finer.size() > kMostPoints) return {{subject.launch, ""}};
    parts = std::move(finer);
  }
  return parts;
}

// Adds what was executed at another point.
void AddExecuted(ExecutionSummary& to, const ExecutionSummary& from) {
  to.runs += from.runs;
  to.elements += from.elements;
  to.codes += from.codes;
  to.largest_ulp = std::max(to.largest_ulp, from.largest_ulp);
  to.within = std::max(to.within, from.within);
  to.left_open += from.left_open;
  if (to.not_tested.empty()) to.not_tested = from.not_tested;
  if (!to.sample) to.sample = from.sample;
  if (to.limit.empty()) to.limit = from.limit;
}

// Adds the proof of a claim at another point.
void AddProof(ClaimResult& to, const ClaimResult& from, const std::string& point) {
  if (to.verdict != Verdict::kProved) return;
  const double ms = to.ms + from.ms;
  const std::string rests_on = to.rests_on.empty() ? from.rests_on : to.rests_on;
  const std::string oracles = to.oracles.empty() ? from.oracles : to.oracles;
  if (from.verdict != Verdict::kProved) {
    to = from;
    to.reason += "; with " + point;
  }
  to.ms = ms;
  to.rests_on = rests_on;
  to.oracles = oracles;
}

}  // namespace

std::vector<ScalarPoint> PointsOf(const KernelSubject& subject) {
  std::vector<ScalarPoint> points;
  const std::set<WideInteger> known = NumbersOf(subject);
  std::vector<std::vector<uint64_t>> values;
  values.reserve(subject.launch.scalars.size());
  for (const ScalarParam& scalar : subject.launch.scalars)
    values.push_back(ValuesIn(scalar, known));
  for (const Choice& choice : ChoicesOf(values)) {
    ScalarPoint point{subject.launch, ""};
    for (auto [k, scalar] : llvm::enumerate(point.launch.scalars)) {
      const bool is_open = !scalar.IsGiven();
      scalar.lo = scalar.hi = values[k][choice[k]];
      if (is_open) AddText(scalar, point.text);
    }
    points.push_back(std::move(point));
  }
  return points;
}

Validation ExecuteAtPoints(const KernelSubject& subject, const ValidateOptions& options) {
  Validation validation;
  for (const ScalarPoint& point : PointsOf(subject)) {
    KernelSubject at = subject;
    at.launch = point.launch;
    Validation next = ExecuteClaims(at, options);
    if (next.executed.elements == 0 && next.executed.not_tested.empty())
      next.executed.not_tested = "no values were compared with " + point.text;
    ExecutionSummary executed = validation.executed;
    AddExecuted(executed, next.executed);
    if (validation.claims.empty() || next.verdict == Verdict::kRefuted) validation = next;
    validation.executed = std::move(executed);
    if (next.verdict == Verdict::kRefuted) {
      for (ClaimResult& claim : validation.claims) {
        if (claim.verdict == Verdict::kRefuted) claim.reason += "; with " + point.text;
      }
      break;
    }
    const ExecutionSummary& so_far = validation.executed;
    if (so_far.codes > kMostScalarCodes || so_far.elements > kMostElements) break;
  }
  return validation;
}

std::vector<ClaimResult> ProveForAllScalars(const KernelSubject& subject) {
  std::vector<ClaimResult> claims = ProveSymbolically(subject);
  auto is_proved = [](const ClaimResult& claim) { return claim.verdict == Verdict::kProved; };
  const std::vector<ScalarPoint> parts = PartsOf(subject);
  if (llvm::all_of(claims, is_proved) || parts.size() < 2) return claims;
  std::vector<ClaimResult> at_each;
  for (const ScalarPoint& point : parts) {
    KernelSubject at = subject;
    at.launch = point.launch;
    std::vector<ClaimResult> proved = ProveSymbolically(at);
    if (at_each.empty()) {
      at_each = std::move(proved);
      continue;
    }
    for (auto [all, one] : llvm::zip_equal(at_each, proved)) AddProof(all, one, point.text);
  }
  for (auto [all, each] : llvm::zip_equal(claims, at_each)) {
    if (!is_proved(each)) continue;
    each.engine += ", " + std::to_string(parts.size()) + " parts of ranges";
    all = each;
  }
  return claims;
}

}  // namespace affirm::driver
