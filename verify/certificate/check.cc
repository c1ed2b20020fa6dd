// Reads a certificate line by line and checks that each of its maps equals the one before.
#include "verify/certificate/check.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

namespace affirm::certificate {
namespace {

constexpr std::string_view kHeader = "affirm certificate 1";

bool Within(const Range& inner, const Range& outer) {
  return (!outer.lower || (inner.lower && *inner.lower >= *outer.lower)) &&
         (!outer.upper || (inner.upper && *inner.upper <= *outer.upper));
}

// Whether some fact says just this.
bool IsPlain(const Fact& fact, const std::vector<Fact>& facts) {
  if (fact.range == Range{}) return true;
  return std::any_of(facts.begin(), facts.end(), [&](const Fact& known) {
    return known.form == fact.form && Within(known.range, fact.range);
  });
}

class HintReader {
 public:
  explicit HintReader(const std::string& text) : in_(text) {}

  // "scale 4, use fact 2 * -1, modulo fact 3 * 5"; all parts may be absent.
  bool Read(Hint& hint) {
    std::string part;
    while (std::getline(in_, part, ',')) {
      std::istringstream words(part);
      std::string kind, rest;
      if (!(words >> kind)) continue;  // "fact 2: " is the plain reason
      bool read = kind == "scale"    ? ReadScale(words, hint.scale)
                  : kind == "use"    ? ReadUse(words, hint.use)
                  : kind == "modulo" ? ReadUse(words, hint.modulo)
                                     : false;
      if (!read || words >> rest) return false;
    }
    return true;
  }

 private:
  static bool ReadScale(std::istream& words, Int& scale) {
    std::string text;
    words >> text;
    std::optional<Int> value = Int::Read(text);
    if (!value || *value < 1) return false;
    scale = *value;
    return true;
  }

  // "fact 2 * -1"
  static bool ReadUse(std::istream& words, std::vector<Hint::Use>& uses) {
    std::string fact, number, star, times;
    words >> fact >> number >> star >> times;
    std::optional<Int> index = Int::Read(number), value = Int::Read(times);
    if (fact != "fact" || star != "*" || !index || !value || !index->AsIndex()) return false;
    uses.push_back({*index->AsIndex(), *value});
    return true;
  }

  std::istringstream in_;
};

// The hints of one step, by claim.
using Hints = std::map<std::string, std::vector<Hint>>;

bool ReadHint(const std::string& line, Hints& hints) {
  size_t colon = line.find(':'), from = line.find_first_not_of(' ');
  if (colon == std::string::npos || from >= colon) return false;
  return HintReader(line.substr(colon + 1))
      .Read(hints[line.substr(from, colon - from)].emplace_back());
}

// Why the step does not hold; empty when it does.
std::string CheckStep(Integers& integers, const Map& from, const Map& to, const Hints& hints) {
  std::vector<std::vector<Fact>> others;
  std::string problem;
  std::vector<Claim> claims = ClaimsOf(integers, from, to, others, problem);
  if (!problem.empty()) return problem;
  std::set<std::string> used;
  bool any = false;
  for (const Claim& claim : claims) {
    auto given = hints.find(claim.name);
    if (given != hints.end()) used.insert(claim.name);
    bool follows =
        Follows(integers, claim, given == hints.end() ? std::vector<Hint>{{}} : given->second);
    any |= follows;
    if (!follows && !to.empty) return claim.name + " does not follow";
  }
  if (to.empty && !from.empty && !any) return "no fact contradicts the others";
  return used.size() == hints.size() ? "" : "a hint speaks of something that is not claimed";
}

}  // namespace

Range RangeByHint(Integers& integers, const Form& form, const std::vector<Fact>& facts,
                  const Hint& hint) {
  Form rest = integers.Add({}, form, hint.scale), residue = form;
  Range used{0, 0};
  for (const Hint::Use& use : hint.use) {
    if (use.fact >= facts.size()) return {};
    rest = integers.Add(std::move(rest), facts[use.fact].form, -use.times);
    used = Sum(used, Scaled(facts[use.fact].range, use.times));
  }
  for (const Hint::Use& use : hint.modulo) {
    if (use.fact >= facts.size() || !facts[use.fact].range.IsPoint()) return {};
    residue = integers.Add(std::move(residue), facts[use.fact].form, -use.times);
    residue = integers.Add(std::move(residue), integers.Constant(*facts[use.fact].range.lower),
                           use.times);
  }
  Range range = Sum(integers.Bounds(rest, facts), used);
  if (hint.scale < 1 || integers.broken()) return {};
  Int g = CommonFactor(residue), c = ConstantOf(residue);
  if (g == 0) return {c, c};
  // The integers between the ends that are c modulo g.
  if (range.lower) {
    Int least = -FloorOf(-*range.lower, hint.scale);
    range.lower = c - g * FloorOf(c - least, g);
  }
  if (range.upper) {
    Int most = FloorOf(*range.upper, hint.scale);
    range.upper = c + g * FloorOf(most - c, g);
  }
  return range;
}

Ends Shown(Integers& integers, const Claim& claim, const Hint& hint) {
  Range found = RangeByHint(integers, claim.form, *claim.facts, hint);
  if (integers.broken()) return {};
  if (found.IsEmpty()) return {claim.by_contradiction, claim.by_contradiction};
  return {.lower = !claim.range.lower || (found.lower && *found.lower >= *claim.range.lower),
          .upper = !claim.range.upper || (found.upper && *found.upper <= *claim.range.upper)};
}

bool Follows(Integers& integers, const Claim& claim, const std::vector<Hint>& hints) {
  Ends shown;
  for (const Hint& hint : hints) {
    Ends next = Shown(integers, claim, hint);
    shown.lower |= next.lower;
    shown.upper |= next.upper;
  }
  return shown.lower && shown.upper;
}

std::vector<Claim> ClaimsOf(Integers& integers, const Map& from, const Map& to,
                            std::vector<std::vector<Fact>>& others, std::string& problem) {
  std::vector<Claim> claims;
  if (from.empty) {
    if (!to.empty) problem = "nothing is equal to an empty map but an empty map";
    return claims;
  }
  if (to.empty) {
    others.reserve(2 * from.facts.size());
    for (size_t j = 0; j < from.facts.size(); ++j) {
      const Fact& fact = from.facts[j];
      others.push_back(from.facts);
      others.back().erase(others.back().begin() + static_cast<std::ptrdiff_t>(j));
      std::string name = "empty " + std::to_string(j);
      if (fact.range.upper) {
        claims.push_back({name, fact.form, {*fact.range.upper + 1, {}}, &others.back(), true});
      }
      if (fact.range.lower) {
        claims.push_back({name, fact.form, {{}, *fact.range.lower - 1}, &others.back(), true});
      }
    }
    return claims;
  }
  if (from.dims != to.dims || from.ranges != to.ranges || from.runtime != to.runtime ||
      from.results.size() != to.results.size()) {
    problem = "the maps have different variables or numbers of results";
    return claims;
  }
  for (size_t k = 0; k < from.results.size(); ++k) {
    Form difference = integers.Add(from.results[k], to.results[k], -1);
    if (difference.empty()) continue;
    claims.push_back({"result " + std::to_string(k), difference, {0, 0}, &from.facts});
  }
  auto entails = [&](const Map& a, const Map& b, const char* name) {
    for (size_t j = 0; j < b.facts.size(); ++j) {
      if (IsPlain(b.facts[j], a.facts)) continue;
      claims.push_back({name + std::to_string(j), b.facts[j].form, b.facts[j].range, &a.facts});
    }
  };
  entails(from, to, "fact ");
  entails(to, from, "back ");
  return claims;
}

std::string ToString(const Hint& hint) {
  std::string text;
  auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (hint.scale != 1) add("scale " + hint.scale.Text());
  auto uses = [&](const char* kind, const std::vector<Hint::Use>& list) {
    for (const Hint::Use& u : list) {
      add(std::string(kind) + " fact " + std::to_string(u.fact) + " * " + u.times.Text());
    }
  };
  uses("use", hint.use);
  uses("modulo", hint.modulo);
  return text;
}

CheckResult Check(std::string_view text) {
  CheckResult verdict;
  std::istringstream in{std::string(text)};
  std::string line;
  size_t number = 0;
  auto reject = [&](const std::string& why) {
    verdict.problem = "line " + std::to_string(number) + ": " + why;
    return verdict;
  };
  Map current, next;
  bool started = false, ended = false;
  Hints hints;
  Integers integers;
  while (std::getline(in, line)) {
    if (++number == 1) {
      if (line != kHeader) return reject("expected '" + std::string(kHeader) + "'");
    } else if (line.empty() || line[0] == '#') {
      continue;
    } else if (ended) {
      return reject("nothing may follow 'end'");
    } else if (line == "end") {
      ended = true;
    } else if (line[0] == ' ') {
      if (!started || !ReadHint(line, hints)) return reject("expected a hint");
    } else if (line.starts_with("map ")) {
      next = Map();
      std::string problem;
      if (!ReadMap(line.substr(4), integers, next, problem)) return reject(problem);
      if (started) {
        problem = CheckStep(integers, current, next, hints);
        if (integers.broken()) problem = "terms that the checker does not compute with";
        if (!problem.empty()) return reject(problem);
        ++verdict.steps;
      }
      (started ? verdict.last : verdict.first) = line.substr(4);
      if (!started) verdict.last = verdict.first;
      started = true;
      current = next;
      hints.clear();
    } else {
      return reject("expected 'map', a hint, a comment or 'end'");
    }
  }
  if (!started || !ended || !hints.empty()) return reject("the certificate is cut short");
  verdict.accepted = true;
  return verdict;
}

}  // namespace affirm::certificate
