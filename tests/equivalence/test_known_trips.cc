// Proofs about trips of loops are used again for trips that are written alike, and for no others.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "tests/parse_module.h"
#include "verify/equivalence/flatten.h"
#include "verify/equivalence/known_trips.h"

namespace affirm::equivalence {
namespace {

constexpr char kTrip[] = R"(
HloModule m
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[4,3]{1,0} parameter(0)
  y = f32[4,3]{1,0} parameter(1)
  zero = f32[] constant(0)
  total = f32[4]{0} reduce(x, zero), dimensions={1}, to_apply=sum
  all = f32[4,3]{1,0} broadcast(total), dimensions={0}
  less = f32[4,3]{1,0} subtract(all, y)
  ROOT t = (f32[4,3]{1,0}, f32[4]{0}) tuple(less, total)
})";

std::string With(const std::string& part, const std::string& other) {
  std::string text = kTrip;
  const size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.replace(at, part.size(), other);
}

std::unique_ptr<hlo::Computation> CopyOf(const hlo::Computation& computation) {
  return UpTo(computation, *computation.root);
}

TEST(KnownTrips, AreTheSameInEveryPart) {
  const auto module = testing::ParseOrFail(kTrip);
  ASSERT_TRUE(module);
  EXPECT_TRUE(IsCopyOf(*module->entry, *CopyOf(*module->entry)));
  const std::pair<const char*, const char*> changes[] = {
      {"less = ", "fewer = "},
      {"tuple(less,", "tuple(y,"},
      {"constant(0)", "constant(1)"},
      {"subtract(all, y)", "subtract(y, all)"},
      {"subtract(all, y)", "add(all, y)"},
      {"y = f32[4,3]{1,0}", "y = f32[4,3]{0,1}"},
      {"dimensions={1}", "dimensions={1}, backend_config=\"rows\""}};
  for (const auto& [part, other] : changes) {
    std::string text = With(part, other);
    if (std::string(part) == "less = ") text.replace(text.find("tuple(less"), 10, "tuple(fewer");
    const auto changed = testing::ParseOrFail(text);
    ASSERT_TRUE(changed) << text;
    // Both must call the same computation, so that they differ in the change alone.
    for (const auto& op : changed->entry->instructions) {
      for (hlo::Computation*& called : op->called) called = module->FindComputation("sum");
    }
    EXPECT_FALSE(IsCopyOf(*module->entry, *changed->entry)) << text;
  }
  const auto twin = testing::ParseOrFail(kTrip);
  ASSERT_TRUE(twin);
  EXPECT_FALSE(IsCopyOf(*module->entry, *twin->entry)) << "another computation is called";
}

TEST(KnownTrips, HaveOneProofAtOnePlace) {
  const auto module = testing::ParseOrFail(kTrip);
  const auto other = testing::ParseOrFail(With("constant(0)", "constant(1)"));
  ASSERT_TRUE(module && other);
  const hlo::Computation &a = *module->entry, &b = *other->entry;
  KnownTrips trips;
  EXPECT_EQ(trips.Find(a, b, {}), nullptr);
  EquivalenceProof proof;
  proof.results = {{.leaf = 0, .proved = true}, {.leaf = 1, .reason = "other values"}};
  trips.Add(CopyOf(a), CopyOf(b), {.nested = 1, .nan_bits = false}, proof);
  const EquivalenceProof* known = trips.Find(a, b, {.nested = 1, .nan_bits = false});
  ASSERT_NE(known, nullptr);
  EXPECT_EQ(known->WhyNot(), "result 1: other values");
  EXPECT_EQ(trips.Find(b, a, {.nested = 1, .nan_bits = false}), nullptr);
  EXPECT_EQ(trips.Find(a, b, {.nested = 1, .nan_bits = true}), nullptr);
  EXPECT_EQ(trips.Find(a, b, {.nested = 2, .nan_bits = false}), nullptr);
}

}  // namespace
}  // namespace affirm::equivalence
