// Collectives on simulated devices: what the interpreter says, and what an exchange by the indexing
// maps gives, are what a direct enumeration of groups and blocks gives.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "core/hlo/leaves.h"
#include "core/hlo/text.h"
#include "driver/check/exchange.h"
#include "verify/reference/device_arguments.h"
#include "verify/reference/index.h"
#include "verify/scalar/scalar.h"

namespace affirm::driver {
namespace {

using hlo::Devices;
using hlo::Literal;

using Array = std::vector<int64_t>;
using OnDevices = std::vector<Array>;

enum class Mode : uint8_t { kReplicas, kPartitions, kReplicasAllPartitions, kDevices };

// Which devices one device meets, in order, itself among them; none where it is in no group.
// Written from what the modes mean.
struct Meeting {
  Mode mode;
  Devices devices;
  std::vector<std::vector<int64_t>> groups;  // of what the mode counts; empty: all

  int64_t counted() const {
    switch (mode) {
      case Mode::kPartitions:
        return devices.partitions;
      case Mode::kDevices:
        return devices.count();
      default:
        return devices.replicas;
    }
  }
  std::vector<int64_t> MembersWith(int64_t device) const {
    const int64_t replica = device / devices.partitions, partition = device % devices.partitions;
    std::vector<std::vector<int64_t>> all = groups;
    if (all.empty()) {
      all.emplace_back();
      for (int64_t v = 0; v < counted(); ++v) all[0].push_back(v);
    }
    for (const std::vector<int64_t>& group : all) {
      std::vector<int64_t> members;
      for (int64_t v : group) {
        if (mode == Mode::kReplicas) members.push_back(v * devices.partitions + partition);
        if (mode == Mode::kPartitions) members.push_back(replica * devices.partitions + v);
        if (mode == Mode::kDevices) members.push_back(v);
        for (int64_t p = 0; mode == Mode::kReplicasAllPartitions && p < devices.partitions; ++p) {
          members.push_back(v * devices.partitions + p);
        }
      }
      if (llvm::is_contained(members, device)) return members;
    }
    return {};
  }
  std::string Text(bool all_to_all) const {
    std::string text = "replica_groups={";
    for (const std::vector<int64_t>& group : groups) {
      text += text.back() == '{' ? "{" : ",{";
      for (size_t k = 0; k < group.size(); ++k) text += (k ? "," : "") + std::to_string(group[k]);
      text += "}";
    }
    text += "}";
    if (mode != Mode::kReplicas) text += ", channel_id=1";
    if (mode == Mode::kDevices && !all_to_all) text += ", use_global_device_ids=true";
    return text;
  }
};

// Numbers that are different on all devices.
Array Given(int64_t device, int64_t size) {
  Array array(size);
  for (int64_t i = 0; i < size; ++i) array[i] = 1 + i + 1000 * device;
  return array;
}

// The result of the entry's root, which takes the parameters, on each device: by the interpreter
// and by an exchange, which must agree.
std::vector<std::vector<Array>> Run(const std::string& text, const Devices& devices,
                                    const std::vector<int64_t>& sizes) {
  auto module = hlo::ParseModule(text, "test");
  RC_ASSERT(static_cast<bool>(module));
  const hlo::Instruction& op = *(*module)->entry->root;
  std::vector<std::vector<Literal>> arguments(devices.count());
  std::vector<std::vector<const Literal*>> operands(devices.count());
  for (int64_t d = 0; d < devices.count(); ++d) {
    for (size_t k = 0; k < sizes.size(); ++k) {
      Literal literal(op.operands[k]->shape);
      const Array given = Given(d, sizes[k]);
      for (int64_t i = 0; i < sizes[k]; ++i)
        literal.SetInt(i, given[i] + 100 * static_cast<int64_t>(k));
      arguments[d].push_back(std::move(literal));
    }
    for (const Literal& literal : arguments[d]) operands[d].push_back(&literal);
  }
  auto results = hlo::EvaluateCollective(op, operands, devices, nullptr);
  if (!results) RC_FAIL(llvm::toString(results.takeError()) + "\n" + text);
  Context context;
  std::vector<InstructionIndexing> maps;
  for (int64_t leaf = 0; leaf < NumLeaves(op.shape); ++leaf)
    maps.push_back(OutputToInput(op, leaf, context));
  auto exchange = Exchange::Create(op, devices, std::move(maps));
  if (!exchange) RC_FAIL(llvm::toString(exchange.takeError()));
  std::vector<std::vector<Array>> values(devices.count());
  for (int64_t d = 0; d < devices.count(); ++d) {
    std::vector<const Literal*> leaves;
    if (op.shape.IsTuple()) {
      for (const Literal& element : (*results)[d].tuple()) leaves.push_back(&element);
    } else {
      leaves.push_back(&(*results)[d]);
    }
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      Array& array = values[d].emplace_back();
      for (hlo::IndexIterator at(leaves[leaf]->shape().dims); !at.Done(); at.Next()) {
        array.push_back(leaves[leaf]->GetInt(at.linear()));
        auto element = exchange->Element(operands, d, static_cast<int64_t>(leaf), at.index());
        if (!element) RC_FAIL(llvm::toString(element.takeError()) + "\n" + text);
        RC_ASSERT(element->value_or(hlo::Scalar()).i == array.back());
      }
    }
  }
  return values;
}

const char* const kSum =
    "HloModule m\nsum { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) "
    "}\n";

std::string Entry(int64_t size, const std::string& root) {
  return std::string(kSum) + "ENTRY e { x = s32[" + std::to_string(size) +
         "] parameter(0) ROOT r = " + root + " }";
}
std::string Type(int64_t size) { return "s32[" + std::to_string(size) + "] "; }

// Groups of one size, or of any sizes; of some of the numbers, or no groups.
Meeting DrawMeeting(std::vector<Mode> modes, bool uneven) {
  Meeting meeting{*rc::gen::elementOf(std::move(modes)),
                  {*rc::gen::inRange<int64_t>(1, 4), *rc::gen::inRange<int64_t>(1, 4)},
                  {}};
  if (meeting.mode != Mode::kDevices && *rc::gen::inRange(0, 4) == 0) return meeting;
  std::vector<int64_t> numbers;
  for (int64_t v = 0; v < meeting.counted(); ++v) numbers.push_back(v);
  for (size_t k = numbers.size(); k > 1; --k)
    std::swap(numbers[k - 1], numbers[*rc::gen::inRange<size_t>(0, k)]);
  const int64_t size = *rc::gen::inRange<int64_t>(1, meeting.counted() + 1);
  while (!numbers.empty()) {
    const int64_t members = uneven ? *rc::gen::inRange<int64_t>(1, std::ssize(numbers) + 1) : size;
    if (members > std::ssize(numbers)) break;
    meeting.groups.emplace_back(numbers.end() - members, numbers.end());
    numbers.resize(numbers.size() - members);
    if (*rc::gen::inRange(0, 4) == 0) break;  // the others are in no group
  }
  return meeting;
}

const std::vector<Mode> kAll = {Mode::kReplicas, Mode::kPartitions, Mode::kReplicasAllPartitions,
                                Mode::kDevices};
const std::vector<Mode> kOfReductions = {Mode::kReplicas, Mode::kReplicasAllPartitions,
                                         Mode::kDevices};
const std::vector<Mode> kOfOthers = {Mode::kReplicas, Mode::kPartitions};

// The size of the groups that there are.
int64_t MembersOf(const Meeting& meeting) {
  for (int64_t d = 0; d < meeting.devices.count(); ++d) {
    if (const int64_t members = std::ssize(meeting.MembersWith(d))) return members;
  }
  return 1;
}

RC_GTEST_PROP(Exchange, AllReduceSumsItsGroup, ()) {
  const Meeting meeting = DrawMeeting(kOfReductions, true);
  const int64_t n = 3;
  const bool is_start = *rc::gen::arbitrary<bool>();
  const auto values = Run(Entry(n, Type(n) + (is_start ? "all-reduce-start" : "all-reduce") +
                                       "(x), to_apply=sum, " + meeting.Text(false)),
                          meeting.devices, {n});
  for (int64_t d = 0; d < meeting.devices.count(); ++d) {
    Array sum(n);
    for (int64_t member : meeting.MembersWith(d)) {
      for (int64_t i = 0; i < n; ++i) sum[i] += Given(member, n)[i];
    }
    RC_ASSERT(values[d][0] == sum);
  }
}

RC_GTEST_PROP(Exchange, AllGatherConcatenates, ()) {
  const Meeting meeting = DrawMeeting(kOfReductions, false);
  const int64_t n = 2, members = MembersOf(meeting);
  const bool is_start = *rc::gen::arbitrary<bool>();
  const std::string type =
      is_start ? "(" + Type(n) + "," + Type(n * members) + ") " : Type(n * members);
  const auto values = Run(Entry(n, type + (is_start ? "all-gather-start" : "all-gather") +
                                       "(x), dimensions={0}, " + meeting.Text(false)),
                          meeting.devices, {n});
  for (int64_t d = 0; d < meeting.devices.count(); ++d) {
    Array whole;
    for (int64_t member : meeting.MembersWith(d)) llvm::append_range(whole, Given(member, n));
    whole.resize(n * members);
    RC_ASSERT(values[d].back() == whole);
    if (is_start) RC_ASSERT(values[d].front() == Given(d, n));
  }
}

RC_GTEST_PROP(Exchange, ReduceScatterGivesEachItsBlock, ()) {
  const Meeting meeting = DrawMeeting(kOfReductions, false);
  const int64_t members = MembersOf(meeting), n = 2;
  const auto values = Run(Entry(n * members, Type(n) + "reduce-scatter(x), dimensions={0}, " +
                                                 "to_apply=sum, " + meeting.Text(false)),
                          meeting.devices, {n * members});
  for (int64_t d = 0; d < meeting.devices.count(); ++d) {
    const std::vector<int64_t> group = meeting.MembersWith(d);
    const int64_t position = llvm::find(group, d) - group.begin();
    Array sum(n);
    for (int64_t member : group) {
      for (int64_t i = 0; i < n; ++i) sum[i] += Given(member, n * members)[position * n + i];
    }
    RC_ASSERT(values[d][0] == sum);
  }
}

RC_GTEST_PROP(Exchange, AllToAllTransposesBlocks, ()) {
  Meeting meeting = DrawMeeting(kOfOthers, false);
  const int64_t members = MembersOf(meeting), n = 2;
  if (meeting.groups.empty()) return;  // no header says how many replicas there are
  const auto values = Run(Entry(n * members, Type(n * members) + "all-to-all(x), dimensions={0}, " +
                                                 meeting.Text(true)),
                          meeting.devices, {n * members});
  for (int64_t d = 0; d < meeting.devices.count(); ++d) {
    const std::vector<int64_t> group = meeting.MembersWith(d);
    const int64_t position = llvm::find(group, d) - group.begin();
    Array whole;
    for (int64_t member : group) {
      const Array given = Given(member, n * members);
      whole.insert(whole.end(), given.begin() + position * n, given.begin() + (position + 1) * n);
    }
    whole.resize(n * members);
    RC_ASSERT(values[d][0] == whole);
  }
}

RC_GTEST_PROP(Exchange, AllToAllOfTuplesTransposesElements, ()) {
  const Meeting meeting = DrawMeeting(kOfOthers, false);
  const int64_t members = MembersOf(meeting), n = 2;
  std::string parameters, operands, types;
  for (int64_t k = 0; k < members; ++k) {
    const std::string name = "x" + std::to_string(k);
    parameters += name + " = " + Type(n) + "parameter(" + std::to_string(k) + ") ";
    operands += (k ? ", " : "") + name;
    types += (k ? ", " : "") + Type(n);
  }
  const auto values = Run(std::string(kSum) + "ENTRY e { " + parameters + "ROOT r = (" + types +
                              ") all-to-all(" + operands + "), " + meeting.Text(true) + " }",
                          meeting.devices, std::vector<int64_t>(members, n));
  for (int64_t d = 0; d < meeting.devices.count(); ++d) {
    const std::vector<int64_t> group = meeting.MembersWith(d);
    const int64_t position = llvm::find(group, d) - group.begin();
    for (int64_t k = 0; k < members; ++k) {
      Array part(n);
      if (!group.empty()) {
        part = Given(group[k], n);
        for (int64_t& x : part) x += 100 * position;
      }
      RC_ASSERT(values[d][k] == part);
    }
  }
}

RC_GTEST_PROP(Exchange, BroadcastIsOfTheFirst, ()) {
  const Meeting meeting = DrawMeeting(kOfOthers, true);
  const int64_t n = 3;
  const auto values = Run(Entry(n, Type(n) + "collective-broadcast(x), " + meeting.Text(true)),
                          meeting.devices, {n});
  for (int64_t d = 0; d < meeting.devices.count(); ++d) {
    const std::vector<int64_t> group = meeting.MembersWith(d);
    RC_ASSERT(values[d][0] == (group.empty() ? Array(n) : Given(group[0], n)));
  }
}

// A device that receives nothing has zeros.
RC_GTEST_PROP(Exchange, PermuteSendsPairs, ()) {
  const Mode mode = *rc::gen::elementOf(kOfOthers);
  const Devices devices{*rc::gen::inRange<int64_t>(1, 4), *rc::gen::inRange<int64_t>(1, 4)};
  const Meeting meeting{mode, devices, {}};
  const int64_t count = meeting.counted(), n = 3;
  std::vector<int64_t> source_of(count, -1);
  std::string pairs;
  for (int64_t target = 0; target < count; ++target) {
    const int64_t source = *rc::gen::inRange<int64_t>(-1, count);
    if (source < 0 || llvm::is_contained(source_of, source)) continue;  // a source has one target
    source_of[target] = source;
    pairs += std::string(pairs.empty() ? "" : ",") + "{" + std::to_string(source_of[target]) + "," +
             std::to_string(target) + "}";
  }
  const bool is_start = *rc::gen::arbitrary<bool>();
  const std::string type = is_start ? "(" + Type(n) + "," + Type(n) + ") " : Type(n);
  const auto values =
      Run(Entry(n, type + (is_start ? "collective-permute-start" : "collective-permute") + "(x), " +
                       "source_target_pairs={" + pairs + "}" +
                       (mode == Mode::kPartitions ? ", channel_id=1" : "")),
          devices, {n});
  for (int64_t d = 0; d < devices.count(); ++d) {
    const int64_t replica = d / devices.partitions, partition = d % devices.partitions;
    const bool partitions = mode == Mode::kPartitions;
    const int64_t source = source_of[partitions ? partition : replica];
    const int64_t device = partitions ? replica * devices.partitions + source
                                      : source * devices.partitions + partition;
    RC_ASSERT(values[d].back() == (source < 0 ? Array(n) : Given(device, n)));
    if (is_start) RC_ASSERT(values[d].front() == Given(d, n));
  }
}

}  // namespace
}  // namespace affirm::driver
