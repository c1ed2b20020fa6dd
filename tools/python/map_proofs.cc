// Proofs about maps: equality, inclusion, emptiness, injectivity, surjectivity, bijections.
#include "tools/python/map_proofs.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>
#include <vector>

#include "driver/json_text.h"
#include "driver/reports/equiv.h"
#include "verify/maps/maps.h"

namespace affirm::python {
namespace {

using Numbers = std::vector<int64_t>;
using Maps = std::vector<IndexingMap>;

// An answer about maps, with the name of its verdict.
struct Answer {
  std::string verdict;
  MapProofResult result;
  std::string counterexample, text;  // JSON; for people
};

// The words for a verdict on the question that was asked.
using Words = const char* (*)(Verdict verdict);

const char* CoveringName(Verdict verdict) {
  return verdict == Verdict::kProved ? "covers" : EqualityName(verdict);
}

// Asks about maps that are taken to a context of their own, so that a long proof blocks no
// other thread.
template <typename Query>
Answer Ask(Words words, const std::vector<const Map*>& maps, bool cross_check, const Query& query) {
  const ContextPtr context = NewContext();
  std::vector<IndexingMap> taken;
  for (const Map* map : maps) {
    const Turn turn(context, map->context);
    taken.push_back(In(context, *map));
  }
  return WithoutPython([&] {
    DecideOptions options;
    options.cross_check = cross_check;
    Answer answer;
    answer.result = query(taken, options);
    answer.verdict = words(answer.result.verdict);
    if (answer.result.counterexample) {
      answer.text = answer.result.counterexample->ToString(taken.front());
      answer.counterexample = Json([&](llvm::json::OStream& json) {
        json.object([&] { driver::WriteCounterexample(json, *answer.result.counterexample); });
      });
    }
    return answer;
  });
}

// As `affirm equiv` refuses them.
void RequireSamePoints(const Map& a, const Map& b) {
  ThrowIf(driver::CheckSamePoints(a.map, b.map, "<other>:1:1"));
}

void RequireShape(const Map& map, const Numbers& shape) {
  RequireKnown(map, "an array");
  if (std::any_of(shape.begin(), shape.end(), [](int64_t size) { return size < 0; })) {
    Throw("a shape with a size below 0");
  }
}

}  // namespace

void AddProofs(nb::module_& module) {
  auto answer = nb::class_<Answer>(
      module, "MapProof",
      R"(The answer to a question about maps. It has no truth value, since a verdict has three.

>>> from affirm import IndexingMap
>>> a = IndexingMap('(d0) -> (d0 mod 4), domain: d0 in [0, 7]')
>>> proof = a.prove_equal(IndexingMap('(d0) -> (d0), domain: d0 in [0, 7]'))
>>> proof
<MapProof different: d0 = 4: lhs {(0)}, rhs {(4)}>
>>> proof.counterexample
{'dims': [4], 'runtime': [], 'lhs': [[0]], 'rhs': [[4]]})");
  answer.def_prop_ro(
      "verdict", [](const Answer& self) { return self.verdict; },
      "'equal', 'covers' or 'proved' by the question; 'different' or 'refuted'; 'unknown'.");
  answer.def_prop_ro(
      "counterexample",
      [](const Answer& self) -> nb::object {
        return self.counterexample.empty() ? nb::none() : ParsedJson(self.counterexample);
      },
      nb::sig("def counterexample(self) -> dict[str, list] | None"),
      "Where the claim fails: the point (`dims`, `runtime`) and the sets of results there (`lhs`, "
      "`rhs`; at most 8 each).");
  answer.def_prop_ro(
      "counterexample_text", [](const Answer& self) { return self.text; },
      "The same for people; empty where there is none.");
  answer.def_prop_ro(
      "note",
      [](const Answer& self) {
        return self.result.counterexample ? self.result.counterexample->note : std::string();
      },
      "Of a claim about one map: which points of it refute the claim, or what is missing.");
  answer.def_prop_ro(
      "reason", [](const Answer& self) { return self.result.reason; }, "Why it is unknown.");
  answer.def_prop_ro(
      "engine", [](const Answer& self) { return Name(self.result.engine); },
      "The decider that settled it.");
  answer.def_prop_ro(
      "ms", [](const Answer& self) { return self.result.ms; }, "Milliseconds that it took.");
  answer.def("__bool__", [](const Answer&) -> bool {
    throw nb::type_error(
        "a proof has no truth value, since a verdict has three: compare `proof.verdict`");
  });
  answer.def("__repr__", [](const Answer& self) {
    const std::string& why = self.text.empty() ? self.result.reason : self.text;
    return "<MapProof " + self.verdict + (why.empty() ? "" : ": " + why) + ">";
  });
  answer.def("_repr_html_", [](nb::handle_t<Answer> self) {
    return nb::cast<std::string>(nb::module_::import_("affirm.html").attr("proof")(self));
  });
}

void AddQuestions(nb::class_<Map>& type) {
  type.def(
      "prove_equal",
      [](const Map& self, const Map& other, bool cross_check) {
        RequireSamePoints(self, other);
        return Ask(EqualityName, {&self, &other}, cross_check,
                   [](const Maps& maps, const DecideOptions& options) {
                     return ProveEqual(maps[0], maps[1], options);
                   });
      },
      "other"_a, nb::kw_only(), "cross_check"_a = false,
      R"(Are the sets the same at every point? `cross_check` asks every decider, and does not settle for the first.

>>> a = IndexingMap('(d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 3], s0 in [0, 3]')
>>> b = IndexingMap('(d0)[s0] -> (d0 * 4 + 3 - s0), domain: d0 in [0, 3], s0 in [0, 3]')
>>> a.prove_equal(b).verdict
'equal')");
  type.def(
      "prove_covers",
      [](const Map& self, const Map& other, bool cross_check) {
        RequireSamePoints(self, other);
        return Ask(CoveringName, {&self, &other}, cross_check,
                   [](const Maps& maps, const DecideOptions& options) {
                     return ProveSuperset(maps[0], maps[1], options);
                   });
      },
      "other"_a, nb::kw_only(), "cross_check"_a = false,
      "Does this map give at least the other one's results, everywhere?");
  type.def(
      "prove_empty",
      [](const Map& self, bool cross_check) {
        return Ask(Name, {&self}, cross_check, [](const Maps& maps, const DecideOptions& options) {
          return ProveEmpty(maps[0], options);
        });
      },
      nb::kw_only(), "cross_check"_a = false, "Is the domain empty?");
  type.def(
      "prove_injective",
      [](const Map& self, bool cross_check) {
        return Ask(Name, {&self}, cross_check, [](const Maps& maps, const DecideOptions& options) {
          return ProveInjective(maps[0], options);
        });
      },
      nb::kw_only(), "cross_check"_a = false,
      "Do no two points (dims, symbols) give the same result?");
  type.def(
      "prove_surjective",
      [](const Map& self, const Numbers& shape, bool cross_check) {
        RequireShape(self, shape);
        return Ask(Name, {&self}, cross_check, [&](const Maps& maps, const DecideOptions& options) {
          return ProveSurjective(maps[0], shape, options);
        });
      },
      "shape"_a, nb::kw_only(), "cross_check"_a = false,
      "Is every index of an array of this shape a result?");
  type.def(
      "prove_bijection",
      [](const Map& self, const Numbers& shape, bool cross_check) {
        RequireShape(self, shape);
        return Ask(Name, {&self}, cross_check, [&](const Maps& maps, const DecideOptions& options) {
          return ProveBijection(maps[0], shape, options);
        });
      },
      "shape"_a, nb::kw_only(), "cross_check"_a = false,
      R"(Is every element of an array of this shape written exactly once?

>>> IndexingMap('(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 1], d1 in [0, 3]').prove_bijection([8]).verdict
'proved')");
}

}  // namespace affirm::python
