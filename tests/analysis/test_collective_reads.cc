// The maps of random small instances of every collective are what simulated devices were seen to
// read from each other: which elements, in both directions, and from which member of the group.
//
// AFFIRM_OP_INSTANCES: how many instances of each op (200).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "core/hlo/leaves.h"
#include "core/hlo/text.h"
#include "fuzz/generators/op_instances.h"
#include "fuzz/properties/observed_reads.h"
#include "verify/reference/devices.h"

namespace affirm {
namespace {

using hlo::DeviceRead;
using hlo::Opcode;

int64_t NumInstances() {
  const char* set = std::getenv("AFFIRM_OP_INSTANCES");
  return set ? std::atoll(set) : 200;
}

using Operands = std::vector<std::vector<const hlo::Literal*>>;

// Makes offsets and sizes that fit together: every device gets rows of every member of its group,
// which follow one another.
void MakeRagged(const hlo::Instruction& op, const hlo::Devices& devices, uint64_t seed,
                std::vector<std::vector<hlo::Literal>>& arguments) {
  auto groups = llvm::cantFail(hlo::DeviceGroups(op, devices));
  const int64_t rows_in = op.operands[0]->shape.dims[0], rows_out = op.shape.dims[0];
  for (const std::vector<int64_t>& group : groups) {
    for (size_t receiver = 0; receiver < group.size(); ++receiver) {
      int64_t next = 0;
      for (size_t sender = 0; sender < group.size(); ++sender) {
        auto& given = arguments[group[sender]];
        const int64_t most = std::min(rows_in, rows_out - next);
        seed = seed * 6364136223846793005 + 1442695040888963407;
        const auto size = static_cast<int64_t>((seed >> 33) % (most + 1));
        const auto from = static_cast<int64_t>((seed >> 40) % (rows_in - size + 1));
        given[2].SetInt(receiver, from);
        given[3].SetInt(receiver, size);
        given[4].SetInt(receiver, next);
        arguments[group[receiver]][5].SetInt(sender, size);
        next += size;
      }
    }
  }
}

struct DeviceRun {
  hlo::Devices devices;
  fuzz::Observed all;  // the elements that were read, of all devices
  std::vector<DeviceRead> reads;
};

DeviceRun RunOnDevices(const hlo::Module& module, uint64_t seed) {
  const hlo::Computation& entry = *module.entry;
  DeviceRun run{hlo::DevicesOf(module), {}, {}};
  run.all.root = entry.root;
  std::vector<std::vector<hlo::Literal>> arguments;
  for (int64_t d = 0; d < run.devices.count(); ++d) {
    arguments.push_back(hlo::MakeArguments(entry, seed * 64 + d));
  }
  if (entry.root->opcode == Opcode::kRaggedAllToAll) {
    MakeRagged(*entry.root, run.devices, seed, arguments);
  }
  std::map<const hlo::Instruction*, std::vector<hlo::Literal>> values;
  const hlo::DeviceReadObserver observer = [&](const DeviceRead& read) {
    run.reads.push_back(read);
    run.all.reads[{read.result_leaf, read.operand, read.leaf}].insert(
        {read.result_linear, read.linear});
  };
  for (const auto& op : entry.instructions) {
    Operands operands(run.devices.count());
    for (int64_t d = 0; d < run.devices.count(); ++d) {
      for (const hlo::Instruction* operand : op->operands) {
        operands[d].push_back(operand->opcode == Opcode::kParameter
                                  ? &arguments[d][operand->parameter_number]
                                  : &values[operand][d]);
      }
    }
    if (op->opcode == Opcode::kParameter) continue;
    auto made = hlo::InterpretInstructionOnDevices(*op, operands, run.devices,
                                                   op.get() == entry.root ? &observer : nullptr);
    if (!made) {
      ADD_FAILURE() << llvm::toString(made.takeError()) << "\n" << hlo::ToString(module);
      return run;
    }
    values[op.get()] = std::move(*made);
  }
  return run;
}

// (result element, position of the member read, operand element)
using Meetings = std::set<std::array<int64_t, 3>>;

Meetings Said(const LabeledMap& m, const hlo::Shape& out, const hlo::Shape& in) {
  Meetings said;
  const fuzz::Observed no_values;
  // Both maps have the same variables, so that the results can be put next to each other.
  std::vector<SymbolicExpr> both(m.map.results().begin(), m.map.results().end());
  both.push_back(m.replica_id->results()[0]);
  SymbolicMap symbolic(m.map.map().num_dims(), m.map.map().num_ranges(), 0, both);
  LabeledMap joined = m;
  std::vector<Constraint> constraints(m.map.constraints().begin(), m.map.constraints().end());
  joined.map = IndexingMap(*m.map.context(), std::move(symbolic), m.map.dims(), m.map.ranges(), {},
                           constraints);
  hlo::Shape with_member = in;
  with_member.dims.push_back(64);
  for (auto [at, from] :
       llvm::cantFail(fuzz::PairsOf(joined, out, with_member, no_values, false))) {
    said.insert({at, from % 64, from / 64});
  }
  return said;
}

// The reads of one group's members from each other, for one leaf of the result and of an operand.
Meetings Seen(const DeviceRun& run, llvm::ArrayRef<int64_t> group, int64_t device, int64_t leaf,
              int64_t operand, int64_t from_leaf) {
  Meetings seen;
  for (const DeviceRead& read : run.reads) {
    if (read.device != device || read.result_leaf != leaf || read.operand != operand ||
        read.leaf != from_leaf) {
      continue;
    }
    const int64_t position = llvm::find(group, read.source) - group.begin();
    seen.insert({read.result_linear, position, read.linear});
  }
  return seen;
}

// A map that names a member leads to what every device was seen to read of that member. Empty, or
// what is wrong.
std::string WrongMembers(const DeviceRun& run, int64_t& claims) {
  const hlo::Instruction& op = *run.all.root;
  const auto results = LeafShapes(op.shape);
  Context context;
  for (size_t leaf = 0; leaf < results.size(); ++leaf) {
    const InstructionIndexing indexing = OutputToInput(op, static_cast<int64_t>(leaf), context);
    for (size_t k = 0; k < indexing.maps.size(); ++k) {
      for (const LabeledMap& m : indexing.maps[k]) {
        if (!m.replica_id || m.map.state() != IndexingMap::State::kNormal) continue;
        ++claims;
        const Meetings said = Said(m, *results[leaf], *LeafShape(op.operands[k]->shape, m.leaf));
        for (const auto& group : llvm::cantFail(hlo::DeviceGroups(op, run.devices))) {
          for (int64_t device : group) {
            const Meetings seen = Seen(run, group, device, leaf, k, m.leaf);
            const bool covers = std::includes(said.begin(), said.end(), seen.begin(), seen.end());
            if (!covers || (m.exactness == Exactness::kExact && said != seen)) {
              return "device " + std::to_string(device) + ", operand " + std::to_string(k) + ": " +
                     m.map.ToString() + " on " + m.replica_id->ToString();
            }
          }
        }
      }
    }
  }
  return "";
}

class Collectives : public ::testing::TestWithParam<Opcode> {};

TEST_P(Collectives, MapsAreWhatDevicesReadFromEachOther) {
  int64_t claims = 0, members = 0;
  fuzz::OpLimits limits;
  limits.max_elements = 12;
  for (int64_t seed = 0; seed < NumInstances(); ++seed) {
    const std::vector<uint8_t> bytes = fuzz::SeededBytes(
        static_cast<uint64_t>(seed) * 256 + static_cast<uint64_t>(GetParam()), 128);
    fuzz::Choices choices(bytes);
    const auto module = fuzz::GenerateOpInstance(choices, GetParam(), limits);
    const DeviceRun run = RunOnDevices(*module, static_cast<uint64_t>(seed));
    if (HasFatalFailure() || HasNonfatalFailure()) return;
    for (Direction direction : {Direction::kOutputToInput, Direction::kInputToOutput}) {
      ASSERT_EQ(fuzz::Disagreement(run.all, direction, {}, claims), "") << hlo::ToString(*module);
    }
    ASSERT_EQ(fuzz::NoInverse(run.all), "") << hlo::ToString(*module);
    ASSERT_EQ(WrongMembers(run, members), "") << hlo::ToString(*module);
  }
  EXPECT_GT(claims, 0);
  const bool names_members =
      GetParam() == Opcode::kAllGather || GetParam() == Opcode::kAllGatherStart ||
      GetParam() == Opcode::kAllToAll || GetParam() == Opcode::kCollectiveBroadcast;
  EXPECT_EQ(members > 0, names_members);
}

std::vector<Opcode> AllCollectives() {
  std::vector<Opcode> opcodes = fuzz::GeneratedOpcodes();
  llvm::erase_if(opcodes, [](Opcode opcode) {
    return !hlo::IsCollective(opcode) && opcode != Opcode::kAllGatherDone &&
           opcode != Opcode::kAllReduceDone && opcode != Opcode::kCollectivePermuteDone;
  });
  return opcodes;
}

INSTANTIATE_TEST_SUITE_P(Reads, Collectives, ::testing::ValuesIn(AllCollectives()),
                         [](const auto& info) {
                           std::string name = hlo::Name(info.param).str();
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace affirm
