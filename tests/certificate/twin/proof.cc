#include "tests/certificate/twin/proof.h"

#include <algorithm>
#include <string>

#include "tests/certificate/twin/rejection.h"

namespace twin {

void Table::Add(Entry entry) {
  const size_t before = variables_ + entries_.size();
  Expect(entry.left.LastAtom() <= before && entry.right.LastAtom() <= before,
         "an atom is made of later ones");
  atoms_.try_emplace({entry.operation, {entry.left, entry.right}}, before + 1);
  entries_.push_back(std::move(entry));
}

const Entry& Table::At(Atom atom) const {
  Expect(variables_ < atom && atom <= variables_ + entries_.size(), "an atom has no entry");
  return entries_[atom - variables_ - 1];
}

Polynomial Table::Find(Operation operation, const Polynomial& left, const Polynomial& right) const {
  const auto at = atoms_.find({operation, {left, right}});
  Expect(at != atoms_.end(), "a quotient, minimum or maximum has no atom");
  return Polynomial::OfAtom(at->second);
}

Table ReadTable(Lines& lines, size_t variables) {
  static const std::map<std::string_view, Operation> operations = {
      {"/", Operation::kQuotient}, {"min", Operation::kMinimum}, {"max", Operation::kMaximum}};
  Table table(variables);
  while (true) {
    const Words words = WordsOf(lines.Peek());
    if (words.size() < 2 || words[0] != "atom") return table;
    lines.Next();
    const auto operation = operations.find(words[1]);
    Expect(operation != operations.end(), "an atom is a quotient, minimum or maximum");
    const auto between = std::find(words.begin() + 2, words.end(), ";");
    const auto right = between == words.end() ? between : between + 1;
    table.Add({operation->second, ReadForm(Words(words.begin() + 2, between)),
               ReadForm(Words(right, words.end()))});
  }
}

namespace {

constexpr int kMostSplits = 2000;

class Proof {
 public:
  Proof(const Table& table, std::vector<Fact> facts) : table_(table), facts_(std::move(facts)) {}

  // The facts that a line adds; false where it adds none because it is no step.
  bool Step(const Words& words);
  void Assume(Polynomial at_least_0) { facts_.push_back({false, std::move(at_least_0)}); }
  size_t facts() const { return facts_.size(); }
  void Forget(size_t left) { facts_.resize(left); }

  void ExpectAbsurd(Atom number) const;
  void ExpectGoals(const std::vector<Goal>& goals, const std::vector<Atom>& hints) const;

 private:
  const Fact& At(Atom number) const {
    Expect(number <= facts_.size(), "there is no such fact");
    return facts_[number - 1];
  }
  void Learn(bool is_equation, Polynomial form) {
    form.ExpectSmall();
    facts_.push_back({is_equation, std::move(form)});
  }
  // Does `form >= 0` follow from a fact, or from nothing?
  bool Shows(Atom number, const Polynomial& form) const;
  bool Meets(const Goal& goal, Atom hint) const;

  void Combine(const Words& words);
  void Antisymmetry(const Fact& f, const Fact& g);
  void MultiplyEquation(const Fact& f, const Polynomial& factor);
  void QuotientBounds(Atom quotient, Atom sign);
  void ExtremumBounds(Atom extremum);
  void ExtremumIs(Atom extremum, Atom order);

  const Table& table_;
  std::vector<Fact> facts_;
};

bool Proof::Shows(Atom number, const Polynomial& form) const {
  if (const auto value = form.AsConstant()) return *value >= 0;
  if (number > facts_.size()) return false;
  const auto more = (form - At(number).form).AsConstant();
  return more && *more >= 0;
}

bool Proof::Meets(const Goal& goal, Atom hint) const {
  switch (goal.kind) {
    case Goal::kAtLeast0:
      return Shows(hint, goal.form);
    case Goal::kIsNot0:
      return Shows(hint, goal.form + -1) || Shows(hint, -goal.form + -1);
    case Goal::kIs0:
      if (goal.form.IsZero()) return true;
      const Fact& fact = At(hint);
      return fact.is_equation && (fact.form == goal.form || fact.form == -goal.form);
  }
  return false;
}

void Proof::ExpectGoals(const std::vector<Goal>& goals, const std::vector<Atom>& hints) const {
  Expect(goals.size() <= hints.size(), "each goal needs a fact");
  for (size_t k = 0; k < goals.size(); ++k)
    Expect(Meets(goals[k], hints[k]), "a goal does not follow from its fact");
}

void Proof::ExpectAbsurd(Atom number) const {
  const Fact& fact = At(number);
  const auto value = fact.form.AsConstant();
  Expect(value && (fact.is_equation ? *value != 0 : *value < 0), "a fact is not absurd");
}

void Proof::Combine(const Words& words) {
  const Integer divisor = ReadInteger(words[1]);
  Expect(divisor > 0, "expected a positive divisor");
  Fact sum = {true, {}};
  for (size_t k = 2; k < words.size(); ++k) {
    ExpectTime();
    const Words parts = Split(words[k], '@');
    Expect(parts.size() == 2, "expected MULTIPLE@FACT");
    const Integer multiple = ReadInteger(parts[0]);
    const Fact& fact = At(ReadIndex(parts[1]));
    Expect(fact.is_equation || multiple >= 0, "an inequality has a negative multiple");
    sum.is_equation = sum.is_equation && fact.is_equation;
    sum.form.AddMultiple(fact.form, multiple);
  }
  if (divisor == 1) return Learn(sum.is_equation, sum.form);
  Learn(false, sum.form.DividedBy(divisor));
}

void Proof::Antisymmetry(const Fact& f, const Fact& g) {
  Expect((f.form + g.form).IsZero(), "two inequalities are not opposite");
  Learn(true, f.form);
}

void Proof::MultiplyEquation(const Fact& f, const Polynomial& factor) {
  Expect(f.is_equation, "expected an equation");
  Learn(true, f.form.Times(factor));
}

// x - y * q lies in [0, y - 1] or in [y + 1, 0].
void Proof::QuotientBounds(Atom quotient, Atom sign) {
  const Entry& entry = table_.At(quotient);
  Expect(entry.operation == Operation::kQuotient, "expected a quotient");
  const Polynomial& y = entry.right;
  const Polynomial rest = entry.left - y.Times(Polynomial::OfAtom(quotient));
  if (Shows(sign, y + -1)) {
    Learn(false, rest);
    Learn(false, y - rest + -1);
  } else {
    Expect(Shows(sign, -y + -1), "a fact does not show the sign of a divisor");
    Learn(false, -rest);
    Learn(false, rest - y + -1);
  }
}

void Proof::ExtremumBounds(Atom extremum) {
  const Entry& entry = table_.At(extremum);
  Expect(entry.operation != Operation::kQuotient, "expected a minimum or maximum");
  const Polynomial self = Polynomial::OfAtom(extremum);
  for (const Polynomial* operand : {&entry.left, &entry.right})
    Learn(false, entry.operation == Operation::kMinimum ? *operand - self : self - *operand);
}

void Proof::ExtremumIs(Atom extremum, Atom order) {
  const Entry& entry = table_.At(extremum);
  Expect(entry.operation != Operation::kQuotient, "expected a minimum or maximum");
  const bool is_minimum = entry.operation == Operation::kMinimum;
  const Polynomial& smaller = is_minimum ? entry.left : entry.right;
  const Polynomial& larger = is_minimum ? entry.right : entry.left;
  const Polynomial self = Polynomial::OfAtom(extremum);
  if (Shows(order, larger - smaller)) return Learn(true, self - entry.left);
  Expect(Shows(order, smaller - larger), "a fact does not show which operand it is");
  Learn(true, self - entry.right);
}

bool Proof::Step(const Words& words) {
  if (words.empty()) return false;
  const std::string_view step = words[0];
  const size_t size = words.size();
  const auto index = [&](size_t k) { return ReadIndex(words[k]); };
  if (step == "c" && size >= 2) {
    Combine(words);
  } else if (step == "=" && size == 3) {
    Antisymmetry(At(index(1)), At(index(2)));
  } else if (step == "e" && size >= 2) {
    MultiplyEquation(At(index(1)), ReadForm(Words(words.begin() + 2, words.end())));
  } else if (step == "p" && size == 3) {
    Learn(false, At(index(1)).form.Times(At(index(2)).form));
  } else if (step == "q" && size == 3) {
    QuotientBounds(index(1), index(2));
  } else if (step == "m" && size == 2) {
    ExtremumBounds(index(1));
  } else if (step == "k" && size == 3) {
    ExtremumIs(index(1), index(2));
  } else {
    return false;
  }
  return true;
}

// `done K I ... with TERM, ...`
void FollowEnd(const Words& words, const Proof& proof, const GoalsOf& goals, const Names& names) {
  Expect(words.size() >= 2 && words[1].size() <= 6 && IsNumber(words[1]) && words[1][0] != '-',
         "expected the position of a map");
  const auto with = std::find(words.begin() + 2, words.end(), "with");
  std::vector<Atom> hints;
  for (auto word = words.begin() + 2; word != with; ++word) hints.push_back(ReadIndex(*word));
  std::string terms;
  if (with != words.end())
    for (auto word = with + 1; word != words.end(); ++word) (terms += *word) += ' ';
  proof.ExpectGoals(goals(ReadInteger(words[1]).get_ui(), ReadTerms(terms, names)), hints);
}

}  // namespace

void FollowProof(Lines& lines, const Table& table, std::vector<Fact> facts, const GoalsOf& goals,
                 const Names& names) {
  // The second case of a split: how many facts there were before, and what holds in it.
  struct Case {
    size_t facts;
    Polynomial at_least_0;
  };
  std::vector<Case> open;
  Proof proof(table, std::move(facts));
  int splits = 0;
  while (true) {
    ExpectTime();
    const Words words = WordsOf(lines.Next());
    if (proof.Step(words)) continue;
    Expect(!words.empty(), "expected a step of a proof");
    if (words[0] == "split") {
      Expect(++splits <= kMostSplits, "there are too many splits");
      const Polynomial form = ReadForm(Words(words.begin() + 1, words.end()));
      form.ExpectSmall();
      open.push_back({proof.facts(), -form + -1});
      proof.Assume(form);
      continue;
    }
    if (words[0] == "absurd" && words.size() == 2) {
      proof.ExpectAbsurd(ReadIndex(words[1]));
    } else {
      Expect(words[0] == "done", "expected a step of a proof");
      FollowEnd(words, proof, goals, names);
    }
    if (open.empty()) return;
    proof.Forget(open.back().facts);
    proof.Assume(std::move(open.back().at_least_0));
    open.pop_back();
  }
}

}  // namespace twin
