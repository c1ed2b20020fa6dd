// The thunks of a dump against the schedule: what is dropped, doubled or exchanged is a fault.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "core/hlo/text.h"
#include "driver/buffers/passed_buffers.h"
#include "driver/dump/scheduled_work.h"
#include "tests/tools/run_affirm.h"

namespace affirm::testing {
namespace {

using driver::BufferAssignment;
using driver::ScheduledWork;

ScheduledWork Match(const std::string& module_text, const std::string& buffers,
                    const std::string& sequence, const std::string& metadata = "") {
  auto module = hlo::ParseModule(module_text, "m");
  auto thunks = driver::ParseThunks(sequence, metadata);
  if (!module || !thunks) {
    ADD_FAILURE() << (module ? "" : llvm::toString(module.takeError()))
                  << (thunks ? "" : llvm::toString(thunks.takeError()));
    return {};
  }
  const BufferAssignment assignment(buffers);
  ScheduledWork work = driver::MatchThunks(**module, &assignment, *thunks);
  for (driver::ScheduledKernel& kernel : work.kernels) kernel.instruction = nullptr;
  work.slices.clear();  // the module goes
  return work;
}

std::string Kernel(const std::string& name, int depth = 0) {
  return std::string(depth, ' ') + "001: kCustomKernel [source | sink] " + name +
         " grid: [1, 1, 1] threads: [8, 1, 1]  shared_memory: 0 bytes\n";
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// A loop with a choice in it, and a kernel before and behind.
const std::string kLoop = R"(HloModule m, is_scheduled=true
f { p = f32[8] parameter(0) ROOT n = f32[8] negate(p) }
less { p = s32[] parameter(0) k = s32[] constant(5) ROOT c = pred[] compare(p, k), direction=LT }
next { p = s32[] parameter(0) k = s32[] constant(1) ROOT c = s32[] add(p, k) }
yes { p = f32[8] parameter(0) ROOT ky = f32[8] fusion(p), kind=kLoop, calls=f }
no { p = f32[8] parameter(0) ROOT kn = f32[8] fusion(p), kind=kLoop, calls=f }
c { s = (s32[], f32[8]) parameter(0)
    i = s32[] get-tuple-element(s), index=0
    ROOT kc = pred[] fusion(i), kind=kLoop, calls=less }
b { s = (s32[], f32[8]) parameter(0)
    i = s32[] get-tuple-element(s), index=0
    v = f32[8] get-tuple-element(s), index=1
    kp = pred[] fusion(i), kind=kLoop, calls=less
    q = f32[8] conditional(kp, v, v), true_computation=yes, false_computation=no
    ki = s32[] fusion(i), kind=kLoop, calls=next
    ROOT u = (s32[], f32[8]) tuple(ki, q) }
ENTRY e {
  x = f32[8] parameter(0)
  z = s32[] parameter(1)
  k1 = f32[8] fusion(x), kind=kLoop, calls=f
  t = (s32[], f32[8]) tuple(z, k1)
  w = (s32[], f32[8]) while(t), condition=c, body=b
  g = f32[8] get-tuple-element(w), index=1
  ROOT k2 = f32[8] fusion(g), kind=kLoop, calls=f
})";
const std::string kLoopThunks =
    Kernel("k1") + "002: kWhile [source | sink]\ncondition:\n" + Kernel("kc", 4) + "  body:\n" +
    Kernel("kp", 4) + "    003: kConditional [source | sink]\n      false_branch:\n" +
    Kernel("ky", 8) + "      true_branch:\n" + Kernel("kn", 8) + Kernel("ki", 4) + Kernel("k2");

TEST(MatchThunks, RunsTheSchedule) {
  const ScheduledWork work = Match(kLoop, "", kLoopThunks);
  EXPECT_TRUE(work.faults.empty()) << work.faults.front();
  EXPECT_TRUE(work.not_covered.empty());
  EXPECT_EQ(work.kernels.size(), 7u);
  EXPECT_EQ(work.instructions, 9);
}

TEST(MatchThunks, ASequenceThatIsNotTheScheduleIsAFault) {
  auto line = [](const std::string& name, int depth = 0) { return Kernel(name, depth); };
  const std::pair<const char*, std::string> wrong[] = {
      {"never runs", ""},
      {"never runs", Replaced(kLoopThunks, line("k1"), "")},
      {"never runs", Replaced(kLoopThunks, line("kc", 4), "")},
      {"never runs", Replaced(kLoopThunks, line("ki", 4), "")},
      {"never runs", Replaced(kLoopThunks, line("ky", 8), "")},
      {"runs 2 times", Replaced(kLoopThunks, line("k2"), line("k2") + line("k2"))},
      {"runs 2 times", Replaced(kLoopThunks, line("ky", 8), line("ky", 8) + line("ky", 8))},
      {"no such instruction",
       Replaced(Replaced(kLoopThunks, line("ky", 8), line("kx", 8)), line("kn", 8), line("ky", 8))},
      {"no such instruction", Replaced(kLoopThunks, "  body:\n", "  body:\n" + line("k1", 4))},
      {"no such instruction", kLoopThunks + "009: kMemzero [source | sink]\n"},
      {"runs before", line("k2") + Replaced(kLoopThunks, line("k2"), "")},
      {"runs before", Replaced(kLoopThunks, line("k1"), "") + line("k1")},
      {"does not run what it calls",
       Replaced(Replaced(kLoopThunks, "condition:", "body:"), "  body:", "  condition:")},
      {"does not run what it calls", Replaced(kLoopThunks, "true_branch", "branch_1")},
      {"does not run what it calls", Replaced(kLoopThunks, "condition:\n" + line("kc", 4), "")},
  };
  for (const auto& [why, thunks] : wrong) {
    const ScheduledWork work = Match(kLoop, "", thunks);
    const bool found = std::any_of(work.faults.begin(), work.faults.end(), [&](const auto& fault) {
      return fault.find(why) != std::string::npos;
    });
    EXPECT_TRUE(found) << why << "\n" << thunks;
  }
  // The branches exchanged, as whole lists.
  std::string exchanged = Replaced(kLoopThunks, line("ky", 8), line("other", 8));
  exchanged = Replaced(exchanged, line("kn", 8), line("ky", 8));
  exchanged = Replaced(exchanged, line("other", 8), line("kn", 8));
  EXPECT_FALSE(Match(kLoop, "", exchanged).faults.empty());
}

// Kernels in a row, each of two values before it, in few buffers. What the thunks compute is found
// by running them on names in the place of numbers.
struct Chain {
  std::vector<std::array<size_t, 2>> reads;  // of kernel k: values; value 0 is the argument
  std::vector<int64_t> places;               // of values
};

std::string TextOf(const Chain& chain) {
  std::string text = R"(HloModule m, is_scheduled=true
f { p = f32[8] parameter(0) q = f32[8] parameter(1) ROOT n = f32[8] add(p, q) }
ENTRY e {
  v0 = f32[8] parameter(0)
)";
  for (size_t k = 0; k < chain.reads.size(); ++k) {
    text += (k + 1 == chain.reads.size() ? "  ROOT v" : "  v") + std::to_string(k + 1) +
            " = f32[8] fusion(v" + std::to_string(chain.reads[k][0]) + ", v" +
            std::to_string(chain.reads[k][1]) + "), kind=kLoop, calls=f\n";
  }
  return text + "}\n";
}

std::string BuffersOf(const Chain& chain) {
  std::string text;
  for (size_t v = 0; v < chain.places.size(); ++v) {
    text += "allocation " + std::to_string(chain.places[v]) + ": size 32:\n value: <" +
            std::to_string(v) + " v" + std::to_string(v) + " @0> (size=32,offset=0): f32[8]{0}\n";
  }
  return text;
}

// The value that each kernel makes of those it finds, and the one in the result's place at the end.
std::vector<std::string> Run(const Chain& chain, const std::vector<size_t>& order) {
  std::map<int64_t, std::string> memory = {{chain.places[0], "x"}};
  std::vector<std::string> made(chain.reads.size() + 1);
  for (size_t k : order) {
    const std::string value = "(" + memory[chain.places[chain.reads[k][0]]] + "," +
                              memory[chain.places[chain.reads[k][1]]] + ")" + std::to_string(k);
    memory[chain.places[k + 1]] = made[k] = value;
  }
  made.back() = memory[chain.places.back()];
  return made;
}

RC_GTEST_PROP(MatchThunks, AnOrderWithoutFaultsComputesTheSame, ()) {
  Chain chain;
  const auto kernels = *rc::gen::inRange<size_t>(2, 7);
  chain.places.push_back(0);
  for (size_t k = 0; k < kernels; ++k) {
    chain.reads.push_back(
        {*rc::gen::inRange<size_t>(0, k + 1), *rc::gen::inRange<size_t>(0, k + 1)});
    chain.places.push_back(*rc::gen::inRange<int64_t>(1, 5));
  }
  std::vector<size_t> order(kernels);
  for (size_t k = 0; k < kernels; ++k) order[k] = k;
  const std::vector<std::string> right = Run(chain, order);
  const auto edits = *rc::gen::inRange<int>(0, 4);
  for (int edit = 0; edit < edits; ++edit) {
    const auto a = *rc::gen::inRange<size_t>(0, order.size());
    const auto b = *rc::gen::inRange<size_t>(0, order.size());
    switch (*rc::gen::inRange<int>(0, 6)) {
      case 0:
        if (order.size() > 1) order.erase(order.begin() + static_cast<ptrdiff_t>(a));
        break;
      case 1:
        order.insert(order.begin() + static_cast<ptrdiff_t>(a), order[b]);
        break;
      default:
        std::swap(order[a], order[b]);
    }
  }
  std::string sequence;
  for (size_t k : order) sequence += Kernel("v" + std::to_string(k + 1));
  const ScheduledWork work = Match(TextOf(chain), BuffersOf(chain), sequence);
  const bool in_order = std::is_sorted(order.begin(), order.end()) && order.size() == kernels &&
                        std::adjacent_find(order.begin(), order.end()) == order.end();
  RC_TAG(work.faults.empty() ? (in_order ? "the schedule" : "another order") : "a fault");
  if (in_order) RC_ASSERT(work.faults.empty());
  if (work.faults.empty()) RC_ASSERT(Run(chain, order) == right);
}

// v3 takes the place of v1, which v2 reads.
TEST(MatchThunks, WhatIsReadIsNotWrittenOverBefore) {
  const Chain chain{{{0, 0}, {1, 1}, {0, 0}, {2, 3}}, {0, 1, 2, 1, 3}};
  auto faults = [&](const std::vector<size_t>& order) {
    std::string sequence;
    for (size_t v : order) sequence += Kernel("v" + std::to_string(v));
    return Match(TextOf(chain), BuffersOf(chain), sequence).faults.size();
  };
  EXPECT_EQ(faults({1, 2, 3, 4}), 0u);
  EXPECT_EQ(faults({1, 3, 2, 4}), 1u);
}

// A copy, and a sort that works in place on a copy.
const std::string kCopies = R"(HloModule m, is_scheduled=true
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT l = pred[] compare(a, b), direction=LT }
f { p = f32[8] parameter(0) ROOT s = f32[8] sort(p), dimensions={0}, to_apply=less }
ENTRY e {
  x = f32[8] parameter(0)
  c = f32[8] copy(x)
  ROOT k = f32[8] fusion(c), kind=kCustom, calls=f
})";
const std::string kCopyBuffers =
    "allocation 0: size 32, parameter 0, shape |f32[8]| at ShapeIndex {}:\n"
    " value: <0 x @0> (size=32,offset=0): f32[8]{0}\n"
    "allocation 1: size 64, maybe-live-out:\n"
    " value: <1 c @0> (size=32,offset=0): f32[8]{0}\n"
    " value: <2 k @0> (size=32,offset=32): f32[8]{0}\n";

std::string Names(const std::vector<std::string>& names) {
  std::string text;
  for (size_t k = 0; k < names.size(); ++k) {
    text += "thunk_metadata {\n thunk_info {\n profile_annotation: \"" + names[k] +
            "\"\n thunk_id: " + std::to_string(k + 1) + "\n }\n}\n";
  }
  return text;
}

TEST(MatchThunks, CopiesRunOnce) {
  auto match = [](std::vector<std::string> names, const std::string& buffers) {
    std::string sequence;
    for (size_t k = 0; k < names.size(); ++k) {
      const bool copy = names[k] == "c" || names[k] == "k copy";
      if (names[k] == "k copy") names[k] = "k";
      sequence += "00" + std::to_string(k + 1) + ": " +
                  (copy ? "kCopy [source | sink] kCopy\n" : Kernel("sort").substr(5));
    }
    return Match(kCopies, buffers, sequence, Names(names));
  };
  const ScheduledWork right = match({"c", "k copy", "k"}, kCopyBuffers);
  EXPECT_TRUE(right.faults.empty());
  EXPECT_TRUE(right.not_covered.empty());
  ASSERT_EQ(right.kernels.size(), 1u);
  EXPECT_EQ(right.kernels[0].copies, 1);
  EXPECT_FALSE(match({"k copy", "k"}, kCopyBuffers).faults.empty());
  EXPECT_FALSE(match({"c", "c", "k copy", "k"}, kCopyBuffers).faults.empty());
  EXPECT_FALSE(match({"c", "k", "k copy"}, kCopyBuffers).faults.empty());
  EXPECT_FALSE(match({"k copy", "k", "c"}, kCopyBuffers).faults.empty());
  EXPECT_EQ(match({"c", "k"}, kCopyBuffers).kernels.at(0).copies, 0);
  // A copy of part of the array.
  EXPECT_FALSE(
      match({"c", "k copy", "k"}, Replaced(kCopyBuffers, "c @0> (size=32", "c @0> (size=16"))
          .not_covered.empty());
  // Without a name it is unknown what is copied.
  EXPECT_FALSE(match({"", "k copy", "k"}, kCopyBuffers).faults.empty());
}

// Thunks below a kernel or a copy would run as a part of it.
TEST(MatchThunks, KernelsAndCopiesRunNothingElse) {
  const std::string copy = "001: kCopy [source | sink] kCopy\n", sort = Kernel("sort").substr(5);
  const std::string rest = "002: kCopy [source | sink] kCopy\n003: " + sort;
  const auto names = Names({"c", "k", "k"});
  EXPECT_TRUE(Match(kCopies, kCopyBuffers, copy + rest, names).faults.empty());
  EXPECT_FALSE(
      Match(kCopies, kCopyBuffers, copy + "  004: kCopy [source | sink] kCopy\n" + rest, names)
          .faults.empty());
  EXPECT_FALSE(
      Match(kCopies, kCopyBuffers, copy + rest + "\n  004: " + sort, names).faults.empty());
}

TEST(MatchThunks, LibrariesAreNotCovered) {
  const std::string module = R"(HloModule m, is_scheduled=true
ENTRY e {
  x = c64[8] parameter(0)
  f = c64[8] fft(x), fft_type=FFT, fft_length={8}
  ROOT g = c64[8] custom-call(f), custom_call_target="__lib$call"
})";
  const std::string sequence =
      "001: kFft [source | sink]\n002: kCustomCall [source | sink] __lib$call\n";
  const ScheduledWork work = Match(module, "", sequence, Names({"f", "g"}));
  EXPECT_TRUE(work.faults.empty());
  ASSERT_EQ(work.not_covered.size(), 2u);
  EXPECT_EQ(work.not_covered[0].name, "fft");
  EXPECT_EQ(work.not_covered[1].name, "__lib$call");
  EXPECT_FALSE(Match(module, "", sequence + sequence, Names({"f", "g"})).faults.empty());
  // Nor is what only one of two sequences leaves to a library.
  ScheduledWork both = Match(module, "", "", {});
  const size_t faults = both.faults.size();
  both.Add(work);
  EXPECT_EQ(both.not_covered.size(), 2u);
  EXPECT_EQ(both.faults.size(), faults);
}

std::vector<std::string> Problems(const std::string& buffers, const std::string& header = "") {
  auto module =
      hlo::ParseModule(Replaced(kLoop, "is_scheduled=true", "is_scheduled=true" + header), "m");
  if (!module) {
    ADD_FAILURE() << llvm::toString(module.takeError());
    return {};
  }
  return driver::CheckPassedBuffers(**module, BufferAssignment(buffers));
}

TEST(PassedBuffers, AreWhereTheyAreLookedFor) {
  const std::string right =
      "allocation 0: size 32, parameter 0, shape |f32[8]| at ShapeIndex {}:\n"
      " value: <0 x @0> (size=32,offset=0): f32[8]{0}\n"
      "allocation 1: size 4, parameter 1, shape |s32[]| at ShapeIndex {}:\n"
      " value: <1 z @0> (size=4,offset=0): s32[]\n"
      " value: <2 ki @0> (size=4,offset=0): s32[]\n"
      " value: <3 w{0} (phi) @0> (size=4,offset=0): s32[]\n"
      " value: <4 s{0} (phi) @0> (size=4,offset=0): s32[]\n"
      "allocation 4: size 2, preallocated-temp:\n"
      " value: <12 kc @0> (size=1,offset=0): pred[]\n"
      " value: <13 kp @0> (size=1,offset=1): pred[]\n"
      "allocation 2: size 64, maybe-live-out:\n"
      " value: <5 k1 @0> (size=32,offset=0): f32[8]{0}\n"
      " value: <6 ky @0> (size=32,offset=0): f32[8]{0}\n"
      " value: <7 kn @0> (size=32,offset=0): f32[8]{0}\n"
      " value: <8 q @0> (size=32,offset=0): f32[8]{0}\n"
      " value: <9 w{1} (phi) @0> (size=32,offset=0): f32[8]{0}\n"
      " value: <10 k2 @0> (size=32,offset=32): f32[8]{0}\n";
  for (const std::string& problem : Problems(right)) ADD_FAILURE() << problem;
  for (const char* name : {"ki", "kn", "ky", "q", "k1"}) {
    const std::string value = std::string(name) + " @0> (size=";
    const std::string elsewhere =
        right + "allocation 3: size 32, preallocated-temp:\n value: <11 " + name +
        " @0> (size=" + (value[1] == 'i' ? "4" : "32") + ",offset=0): f32[8]{0}\n";
    EXPECT_FALSE(Problems(Replaced(elsewhere, value, "gone @0> (size=")).empty()) << name;
    EXPECT_FALSE(Problems(elsewhere).empty()) << name << " in two places";
  }
  // An argument exchanged with what is made, the arguments of the caller exchanged, and a value
  // beyond its allocation.
  EXPECT_FALSE(Problems(Replaced(Replaced(Replaced(right, "<0 x", "<0 k2 "), "<10 k2", "<10 x"),
                                 "<0 k2 ", "<0 k2"))
                   .empty());
  EXPECT_FALSE(Problems(Replaced(right, "parameter 0", "parameter 1")).empty());
  EXPECT_FALSE(Problems(Replaced(right, "size=32,offset=32", "size=32,offset=48")).empty());
  EXPECT_FALSE(Problems(Replaced(right, "maybe-live-out", "preallocated-temp")).empty());
  // Constants lie where nothing else does, and what is scheduled is one for all threads.
  EXPECT_FALSE(Problems(Replaced(right, "maybe-live-out", "constant, maybe-live-out")).empty());
  EXPECT_FALSE(Problems(Replaced(right, "maybe-live-out", "thread-local, maybe-live-out")).empty());
  EXPECT_FALSE(Problems(Replaced(right, ", parameter 0", ", preallocated-temp")).empty());
  // An op that only names a value has no other place.
  EXPECT_TRUE(Problems(right + " value: <11 g @0> (size=32,offset=0): f32[8]{0}\n").empty());
  EXPECT_FALSE(Problems(right + " value: <11 g @0> (size=32,offset=32): f32[8]{0}\n").empty());
  // A result that is to take the place of an argument.
  EXPECT_FALSE(Problems(right, ", input_output_alias={ {}: (0, {}, may-alias) }").empty());
  EXPECT_TRUE(Problems(right, ", buffer_donor={ (0, {}) }").empty());
  EXPECT_FALSE(Problems(right, ", buffer_donor={ (2, {}) }").empty());
}

}  // namespace
}  // namespace affirm::testing
