// Writes certificates: the map after each step of a trace, and a search for the hints by which the
// checker of verify/certificate accepts that the step changes nothing.
#include "verify/rules/certify.h"

#include <algorithm>
#include <set>

#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/certificate/check.h"

namespace affirm {
namespace {

namespace cert = certificate;
using cert::Hint;
using cert::Int;

// The map after each step of a trace. That each equals the next is for the checker to see.
class Chain {
 public:
  Chain(const IndexingMap& before, const RuleTable& rules) : rules_(rules), map_(before) {
    Push("");
  }

  void Apply(const TraceStep& step) {
    if (map_.state() != IndexingMap::State::kNormal) return;
    if (step.before) {
      Rewrite(step);
    } else {
      place_.clear();
      Facts(step);
    }
    Push(step.rule + " at " + step.place);
  }
  void Finish(const IndexingMap& after) {
    map_ = after;
    Push("the variables and constraints as they are kept");
  }

  struct Link {
    std::string why, text;
  };
  llvm::ArrayRef<Link> links() const { return links_; }

 private:
  void Push(std::string why) {
    std::string text = map_.ToString();
    if (links_.empty() || links_.back().text != text) links_.push_back({std::move(why), text});
  }

  // e with the step carried out; e itself where that would divide by zero.
  static SymbolicExpr Replaced(SymbolicExpr e, const TraceStep& step) {
    SymbolicExpr replaced = e.Replace(step.before, step.after);
    return replaced ? replaced : e;
  }

  // A place that names a constraint names it as it was before the first of its steps.
  void Rewrite(const TraceStep& step) {
    if (step.place == "results") {
      std::vector<SymbolicExpr> results;
      for (SymbolicExpr e : map_.results()) results.push_back(Replaced(e, step));
      map_.SetResults(results);
      return;
    }
    if (step.place != place_) {
      place_ = step.place;
      for (const Constraint& c : map_.constraints()) {
        if (place_ == "constraint " + c.expr.ToString()) target_ = c;
      }
    }
    Constraint changed{target_.expr ? Replaced(target_.expr, step) : step.after, target_.bounds};
    Exchange({target_}, {changed});
    target_ = changed;
  }

  void Facts(const TraceStep& step) {
    const Rule* rule = rules_.Find(step.rule);
    if (rule && rule->concludes_false) {
      map_ = IndexingMap::KnownEmpty(*map_.context());
    } else {
      Exchange(step.facts_before, step.facts_after);
    }
  }

  void Exchange(llvm::ArrayRef<Constraint> removed, llvm::ArrayRef<Constraint> added) {
    std::vector<Constraint> kept;
    for (const Constraint& c : map_.constraints()) {
      if (!llvm::is_contained(removed, c)) kept.push_back(c);
    }
    kept.insert(kept.end(), added.begin(), added.end());
    map_.SetConstraints(kept);
  }

  const RuleTable& rules_;
  IndexingMap map_;
  std::string place_;
  Constraint target_;
  std::vector<Link> links_;
};

// Looks for hints by which the checker accepts a claim.
class HintSearch {
 public:
  HintSearch(cert::Integers& integers, const cert::Claim& claim)
      : integers_(integers), claim_(claim), facts_(*claim.facts) {}

  // The hints that show both ends; empty when none were found.
  std::vector<Hint> Run() {
    CollectNumbers();
    if (Try({}) || Scales() || Residues() || Uses()) return found_;
    return {};
  }

 private:
  static constexpr size_t kMaxNumbers = 24;
  static constexpr int kMaxTries = 4000;

  void CollectNumbers() {
    std::set<Int> numbers = {1};
    auto add = [&](const cert::Form& form) {
      for (const Int& c : integers_.Divisors(form)) numbers.insert(c);
      for (const auto& [monomial, c] : form) {
        if (!monomial.empty()) numbers.insert(c < 0 ? -c : c);
      }
    };
    add(claim_.form);
    std::set<Int> own = numbers;
    for (const cert::Fact& fact : facts_) add(fact.form);
    for (const Int& a : own) {
      for (const Int& b : own) numbers.insert(a * b);
    }
    numbers_.assign(numbers.begin(), numbers.end());
    if (numbers_.size() > kMaxNumbers) numbers_.resize(kMaxNumbers);
  }

  // True when both ends are shown.
  bool Try(const Hint& hint) {
    if (++tries_ > kMaxTries || integers_.broken()) return false;
    cert::Ends ends = cert::Shown(integers_, claim_, hint);
    bool helps = (!lower_ && ends.lower) || (!upper_ && ends.upper);
    lower_ |= ends.lower;
    upper_ |= ends.upper;
    if (helps) found_.push_back(hint);
    return lower_ && upper_;
  }

  bool Scales() {
    return llvm::any_of(numbers_,
                        [&](const Int& k) { return Try({.scale = k, .use = {}, .modulo = {}}); });
  }

  // Residues that follow from one fact, or from two, whose range is a single value.
  bool Residues() {
    std::vector<size_t> points;
    for (size_t j = 0; j < facts_.size(); ++j) {
      if (facts_[j].range.IsPoint()) points.push_back(j);
    }
    for (size_t j : points) {
      for (const Int& times : numbers_) {
        for (int sign : {1, -1}) {
          if (Try({.use = {}, .modulo = {{j, sign * times}}})) return true;
        }
      }
    }
    for (size_t i : points) {
      for (size_t j : points) {
        if (i < j && CombinedResidues(i, j)) return true;
      }
    }
    return false;
  }

  // x = r + m * s and x = r + n * t: with u * (l / m) + v * (l / n) = 1 for l = lcm(m, n) the
  // combination leaves r modulo l.
  bool CombinedResidues(size_t i, size_t j) {
    for (const Int& m : integers_.Divisors(facts_[i].form)) {
      for (const Int& n : integers_.Divisors(facts_[j].form)) {
        Int g = cert::Gcd(m, n), a = cert::FloorOf(n, g), b = cert::FloorOf(m, g);
        for (int u = 0; u < b && u < 1000; ++u) {
          auto [v, left] = cert::Divide(1 - u * a, b);
          if (left != 0) continue;
          if (Try({.use = {}, .modulo = {{i, u * a}, {j, v * b}}})) return true;
        }
      }
    }
    return false;
  }

  bool Uses() {
    for (size_t j = 0; j < facts_.size(); ++j) {
      if (facts_[j].range == cert::Range{}) continue;
      for (const Int& k : numbers_) {
        for (const Int& times : numbers_) {
          for (int sign : {1, -1}) {
            if (Try({.scale = k, .use = {{j, sign * times}}, .modulo = {}})) return true;
          }
        }
      }
    }
    return false;
  }

  cert::Integers& integers_;
  const cert::Claim& claim_;
  const std::vector<cert::Fact>& facts_;
  std::vector<Int> numbers_;
  std::vector<Hint> found_;
  bool lower_ = false, upper_ = false;
  int tries_ = 0;
};

// The hints of a step as lines; an error when the checker would not follow.
llvm::Expected<std::string> StepHints(llvm::StringRef from, llvm::StringRef to,
                                      llvm::StringRef why) {
  cert::Integers integers;
  cert::Map a, b;
  std::string problem, text;
  std::vector<std::vector<cert::Fact>> others;
  std::vector<cert::Claim> claims;
  if (cert::ReadMap(std::string_view(from), integers, a, problem) &&
      cert::ReadMap(std::string_view(to), integers, b, problem)) {
    claims = cert::ClaimsOf(integers, a, b, others, problem);
  }
  if (!problem.empty()) return MakeError("no certificate for " + why + ": " + problem);
  bool any = false;
  for (const cert::Claim& claim : claims) {
    if (any && b.empty) break;
    std::vector<Hint> hints = HintSearch(integers, claim).Run();
    any |= !hints.empty();
    if (hints.empty() && !b.empty) {
      return MakeError("no certificate for " + why + ": " + claim.name + " is beyond the checker");
    }
    for (const Hint& hint : hints) text += "  " + claim.name + ": " + cert::ToString(hint) + "\n";
  }
  if (b.empty && !a.empty && !any) return MakeError("no certificate for " + why);
  return text;
}

}  // namespace

llvm::Expected<std::string> Certify(const IndexingMap& before, const IndexingMap& after,
                                    const Trace& trace, const RuleTable& rules) {
  if (before.IsUndefined()) return MakeError("an undefined map has no certificate");
  Chain chain(before, rules);
  for (const TraceStep& step : trace.steps) chain.Apply(step);
  chain.Finish(after);
  std::string text = "affirm certificate 1\nmap " + chain.links().front().text + "\n";
  std::string from = chain.links().front().text;
  for (const Chain::Link& link : chain.links().drop_front()) {
    auto hints = StepHints(from, link.text, link.why);
    if (!hints) return hints.takeError();
    text += "# " + link.why + "\n" + *hints + "map " + link.text + "\n";
    from = link.text;
  }
  text += "end\n";
  cert::CheckResult verdict = cert::Check(text);
  if (!verdict.accepted)
    return MakeError("the checker rejects the certificate: " + verdict.problem);
  return text;
}

}  // namespace affirm
