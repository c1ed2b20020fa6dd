#include "verify/enclosure/compare.h"

#include <algorithm>
#include <cmath>

#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/enclosure/evaluation.h"
#include "verify/enclosure/sizes.h"
#include "verify/reference/open_elements.h"

namespace affirm::enclosure {

using hlo::Literal;
using hlo::PrimitiveType;

namespace {

bool IsSame(const Literal& a, const Literal& b, int64_t element) {
  return hlo::UlpDistance(a, b, element) == 0;
}

std::vector<int64_t> IndexOf(const hlo::Shape& shape, int64_t linear) {
  std::vector<int64_t> index(shape.dims.size());
  for (size_t d = index.size(); d-- > 0; linear /= shape.dims[d]) index[d] = linear % shape.dims[d];
  return index;
}

double AbsoluteDifference(const Literal& a, const Literal& b, int64_t element) {
  if (!hlo::IsFloat(a.shape().type)) return 0;
  const double difference = std::fabs(a.GetFloat(element) - b.GetFloat(element));
  return std::isfinite(difference) ? difference : 0;
}

}  // namespace

Answer Judge(PrimitiveType type, const Enclosure& of, const hlo::Scalar& value) {
  if (!Contains(type, of, value)) return Answer::kApart;
  // The bits beside those of a narrow integer are no part of its value.
  if (hlo::ScalarKindOf(type) == hlo::ScalarKind::kInt && IsPoint(type, of)) return Answer::kApart;
  return RelativeWidth(type, of) <= kWide ? Answer::kWithin : Answer::kWide;
}

std::string WhyApart(PrimitiveType type, const Enclosure& of) {
  return IsPoint(type, of) ? "" : "it lies in " + ToString(type, of) + ", whatever is rounded";
}

bool TellsSomething(const Literal& value, int64_t element) {
  if (hlo::ScalarKindOf(value.shape().type) == hlo::ScalarKind::kInt) return true;
  const hlo::Scalar number = hlo::Load(value, element);
  const double size = std::max(std::fabs(number.re), std::fabs(number.im));
  return size > 0 && std::isfinite(number.re) && std::isfinite(number.im);
}

namespace {

void Set(std::vector<bool>& of, int64_t element) {
  const auto index = static_cast<size_t>(element);
  if (index >= of.size()) of.resize(index + 1);
  of[index] = true;
}

}  // namespace

void TestedElements::AddNarrow(int64_t element) { Set(narrow_, element); }

void TestedElements::AddWide(int64_t element, const std::string& why) {
  Set(wide_, element);
  if (why_.empty()) why_ = why;
}

std::vector<int64_t> TestedElements::NotTested() const {
  std::vector<int64_t> elements;
  for (size_t i = 0; i < wide_.size(); ++i) {
    if (wide_[i] && !(i < narrow_.size() && narrow_[i]))
      elements.push_back(static_cast<int64_t>(i));
  }
  return elements;
}

std::string TestedElements::WhyNot() const {
  const std::vector<int64_t> elements = NotTested();
  if (elements.empty()) return "";
  return "element " + std::to_string(elements.front()) + " was not tested: " + why_;
}

namespace {

// The enclosures for one set of arguments, computed when they are first asked for.
class LazyEnclosures {
 public:
  LazyEnclosures(const hlo::Computation& computation, llvm::ArrayRef<Literal> arguments,
                 Freedom freedom)
      : computation_(computation), arguments_(arguments), freedom_(freedom) {}

  // Null where there are none.
  const Enclosures* Get() {
    if (is_asked()) return found_ ? &*found_ : nullptr;
    auto found = Enclose(computation_, arguments_, freedom_);
    if (found) {
      found_ = std::move(*found);
    } else {
      why_none_ = llvm::toString(found.takeError());
    }
    return found_ ? &*found_ : nullptr;
  }
  Enclosure Of(PrimitiveType type, size_t leaf, int64_t element) {
    const Enclosures* all = Get();
    return all == nullptr ? Enclosure::Whole(type) : all->result.At(leaf, element);
  }
  bool is_asked() const { return found_ || !why_none_.empty(); }
  std::string WhyWide() const {
    if (!found_) return why_none_;
    if (!found_->not_known.empty()) return "how " + found_->not_known + " is rounded is not known";
    return "roundings move it by more than a tenth, from " + found_->widened_by + " on";
  }

 private:
  const hlo::Computation& computation_;
  llvm::ArrayRef<Literal> arguments_;
  Freedom freedom_;
  std::optional<Enclosures> found_;
  std::string why_none_;
};

Freedom WithoutProducts(Freedom freedom) {
  freedom.rounds_products = false;
  return freedom;
}

}  // namespace

// The enclosures, and the open elements, for one set of arguments.
struct ResultComparison::OnArguments {
  OnArguments(const hlo::Computation& computation, llvm::ArrayRef<Literal> arguments,
              Freedom freedom, const hlo::EvaluationOrders* orders)
      : computation(computation),
        arguments(arguments),
        orders(orders),
        rounds_products(freedom.rounds_products),
        plain(computation, arguments, WithoutProducts(freedom)),
        with_products(computation, arguments, freedom) {}

  const hlo::Computation& computation;
  llvm::ArrayRef<Literal> arguments;
  const hlo::EvaluationOrders* orders;
  bool rounds_products;
  // Enclosures are wide where operands of products are rounded, and only needed where all other
  // roundings do not explain an element.
  LazyEnclosures plain, with_products;
  std::optional<hlo::OpenElements> open = std::nullopt;

  const hlo::OpenElements& Open() {
    if (!open) {
      auto found = hlo::FindOpenElements(computation, arguments, orders);
      // An error is one of the value, which is there.
      if (!found) llvm::consumeError(found.takeError());
      open = found ? std::move(*found) : hlo::OpenElements();
    }
    return *open;
  }
  bool IsOpen(size_t leaf, int64_t element) {
    return !Open().leaves.empty() && Open().Has(static_cast<int64_t>(leaf), element);
  }
  // Why an array may have the sizes of `got`; empty where it has those of `want`.
  std::string WhySizesAreOpen(size_t leaf, const Literal& got) {
    if (!Open().leaves.empty() && Open().open_sizes[leaf]) return Open().why;
    for (LazyEnclosures* enclosures : {&plain, &with_products}) {
      if (enclosures == &with_products && !rounds_products) break;
      const Enclosures* found = enclosures->Get();
      if (found == nullptr) return enclosures->WhyWide();
      if (MayHaveSizes(computation, *found, leaf, got.shape().dims))
        return "roundings decide how many elements there are";
    }
    return "";
  }
};

ResultComparison::ResultComparison(const hlo::Computation& computation, Freedom freedom,
                                   const hlo::EvaluationOrders* orders)
    : computation_(computation), freedom_(freedom), orders_(orders) {}

hlo::LiteralComparison ResultComparison::Compare(llvm::ArrayRef<Literal> arguments,
                                                 llvm::ArrayRef<const Literal*> expected,
                                                 llvm::ArrayRef<const Literal*> actual) {
  hlo::LiteralComparison result;
  OnArguments on(computation_, arguments, freedom_, orders_);
  auto add = [&](size_t leaf, int64_t element, std::string why) {
    ++result.mismatches;
    if (result.first) return;
    const Literal &want = *expected[leaf], &got = *actual[leaf];
    result.first = {static_cast<int64_t>(leaf),
                    IndexOf(want.shape(), element),
                    want.ElementToString(element),
                    got.ElementToString(element),
                    hlo::UlpDistance(want, got, element),
                    element,
                    std::move(why)};
  };
  for (size_t leaf = 0; leaf < expected.size(); ++leaf) {
    const Literal &want = *expected[leaf], &got = *actual[leaf];
    if (!want.shape().IsArray()) continue;
    if (want.shape().dims != got.shape().dims) {  // sizes that are known at run time only
      std::string why = on.WhySizesAreOpen(leaf, got);
      if (!why.empty()) {
        ++result.left_open;
        if (result.why_open.empty()) result.why_open = std::move(why);
        continue;
      }
      ++result.mismatches;
      if (!result.first) {
        result.first = {static_cast<int64_t>(leaf),
                        {},
                        want.shape().ToString(),
                        got.shape().ToString(),
                        hlo::kFarApart};
      }
      continue;
    }
    const PrimitiveType type = want.shape().type;
    result.elements += want.NumElements();
    TestedElements& tested = tested_[leaf];
    const bool same_bytes = want.bytes() == got.bytes();
    for (int64_t i = 0; !same_bytes && i < want.NumElements(); ++i) {
      if (IsSame(want, got, i)) continue;
      LazyEnclosures* enclosures = &on.plain;
      Enclosure of = enclosures->Of(type, leaf, i);
      Answer answer = Judge(type, of, hlo::Load(got, i));
      if (answer == Answer::kApart && on.rounds_products) {
        enclosures = &on.with_products;
        of = enclosures->Of(type, leaf, i);
        answer = Judge(type, of, hlo::Load(got, i));
      }
      if (answer != Answer::kWithin && on.IsOpen(leaf, i)) {
        ++result.left_open;
        if (result.why_open.empty()) result.why_open = on.open->why;
        continue;
      }
      if (answer == Answer::kApart) {
        add(leaf, i, WhyApart(type, of));
        continue;
      }
      if (const int64_t ulp = hlo::UlpDistance(want, got, i); ulp != hlo::kFarApart)
        result.max_ulp = std::max(result.max_ulp, ulp);
      result.max_absolute = std::max(result.max_absolute, AbsoluteDifference(want, got, i));
      if (answer == Answer::kWide) {
        tested.AddWide(i, enclosures->WhyWide());
        continue;
      }
      tested.AddNarrow(i);
      result.within = std::max(result.within, RelativeWidth(type, of));
    }
    std::vector<int64_t> same = tested.NotTested();
    llvm::erase_if(same, [&](int64_t i) { return !IsSame(want, got, i); });
    TestAgreed(on, leaf, want, same);
  }
  // An element that only rounded operands of products explain does not agree.
  if (!result.first && !on.with_products.is_asked()) Keep(arguments, expected);
  return result;
}

hlo::LiteralComparison ResultComparison::Compare(llvm::ArrayRef<Literal> arguments,
                                                 const Literal& expected, const Literal& actual) {
  return Compare(arguments, LeavesOf(expected), LeavesOf(actual));
}

// Values that are the same to the bit tell nothing where roundings move them too far: they may be
// so by chance.
void ResultComparison::TestAgreed(OnArguments& on, size_t leaf, const Literal& expected,
                                  llvm::ArrayRef<int64_t> elements) {
  const PrimitiveType type = expected.shape().type;
  for (int64_t i : elements) {
    if (!TellsSomething(expected, i)) continue;
    const Enclosures* enclosures = on.plain.Get();
    if (enclosures == nullptr) return;
    if (RelativeWidth(type, enclosures->result.At(leaf, i)) <= kWide) tested_[leaf].AddNarrow(i);
  }
}

void ResultComparison::Keep(llvm::ArrayRef<Literal> arguments,
                            llvm::ArrayRef<const Literal*> expected) {
  constexpr size_t kMostKept = 16;
  constexpr int64_t kMostBytes = int64_t{1} << 24;
  if (agreed_.size() >= kMostKept || bytes_kept_ > kMostBytes) return;
  Agreed kept{arguments.vec(), {}};
  for (const Literal& argument : arguments) {
    for (const Literal* leaf : LeavesOf(argument)) bytes_kept_ += std::ssize(leaf->bytes());
  }
  for (const Literal* leaf : expected) {
    kept.expected.push_back(*leaf);
    bytes_kept_ += std::ssize(leaf->bytes());
  }
  agreed_.push_back(std::move(kept));
}

std::string ResultComparison::WhyNotTested() {
  // Elements that were wide on some arguments may have been tested on others before.
  for (const Agreed& kept : agreed_) {
    const bool all =
        llvm::all_of(tested_, [](const auto& of) { return of.second.NotTested().empty(); });
    if (all) break;
    OnArguments on(computation_, kept.arguments, freedom_, orders_);
    for (const auto& [leaf, tested] : tested_)
      TestAgreed(on, leaf, kept.expected[leaf], tested.NotTested());
  }
  for (const auto& [leaf, tested] : tested_) {
    if (std::string why = tested.WhyNot(); !why.empty()) {
      const std::string of =
          tested_.rbegin()->first > 0 ? " of result " + std::to_string(leaf) : "";
      return why.insert(why.find(" was not"), of);
    }
  }
  return "";
}

}  // namespace affirm::enclosure
