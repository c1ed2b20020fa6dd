// Replaces lower(e) and upper(e) by constants of their own, and records what is known of these.
#include "verify/rules/range_ends.h"

#include <vector>

namespace affirm::rules {
namespace {

class Namer {
 public:
  Namer(const Rule& rule, bool in_lets) : rule_(rule), in_lets_(in_lets) {}

  Rule Run() {
    Name(rule_.lhs);
    Name(rule_.rhs);
    for (BoundPattern& f : rule_.premises) Name(f);
    for (BoundPattern& f : rule_.conclusions) Name(f);
    for (Condition& c : rule_.when) {
      if (c.kind == ConditionKind::kLet) {
        if (!in_lets_) continue;
        c.defines = true;
      }
      for (Term* t : {&c.lhs, &c.rhs, &c.lower, &c.upper}) Name(*t);
    }
    rule_.when.insert(rule_.when.end(), known_.begin(), known_.end());
    return std::move(rule_);
  }

 private:
  void Name(BoundPattern& f) {
    for (Term* t : {&f.expr, &f.lower, &f.upper}) Name(*t);
  }

  void Name(Term& t) {
    for (Term& op : t.ops) Name(op);
    bool lower = t.kind == TermKind::kLower;
    if (!lower && t.kind != TermKind::kUpper) return;
    Term end;
    end.kind = TermKind::kMetavariable;
    std::string name = ToString(t, rule_);
    end.metavariable = rule_.FindMetavariable(name);
    if (end.metavariable < 0) {
      end.metavariable = static_cast<int>(rule_.metavariables.size());
      rule_.metavariables.push_back({name, false});
      Condition c;
      c.kind = ConditionKind::kWithin;
      c.lhs = t.ops[0];
      (lower ? c.lower : c.upper) = end;
      (lower ? c.upper_infinite : c.lower_infinite) = true;
      known_.push_back(c);
    }
    t = end;
  }

  Rule rule_;
  bool in_lets_;
  std::vector<Condition> known_;
};

}  // namespace

Rule NameRangeEnds(const Rule& rule) { return Namer(rule, /*in_lets=*/false).Run(); }
Rule NameRangeEndsInLets(const Rule& rule) { return Namer(rule, /*in_lets=*/true).Run(); }

}  // namespace affirm::rules
