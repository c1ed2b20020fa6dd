// Modules of tests in protobuf's text format, whose fields have XLA's names; enums are numbers.
//
//   Read(EntryOf(Op(1, "p", "parameter", kF4) + Op(2, "n", "negate", kF4, "operand_ids: 1")))
//   = "HloModule m .. ENTRY %e {\n  %p = f32[4] parameter(0)\n  ROOT %n = f32[4] negate(%p)\n}\n"
#ifndef AFFIRM_TESTS_HLO_PROTO_PROTOS_H_
#define AFFIRM_TESTS_HLO_PROTO_PROTOS_H_

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <string>

#include "core/hlo/text.h"
#include "core/hlo_proto/hlo.pb.h"
#include "core/hlo_proto/text.h"

namespace affirm::hlo_proto {

inline const std::string kF4 = "element_type: 11 dimensions: 4 ";
inline const std::string kS4 = "element_type: 4 dimensions: 4 ";
inline const std::string kF23 = "element_type: 11 dimensions: 2 dimensions: 3 ";
inline const std::string kScalar = "element_type: 11 ";

inline std::string Op(int64_t id, const std::string& name, const std::string& opcode,
                      const std::string& shape, const std::string& fields = "") {
  return "instructions { id: " + std::to_string(id) + " name: \"" + name + "\" opcode: \"" +
         opcode + "\" shape { " + shape + "} " + fields + " }\n";
}

inline std::string ComputationOf(int64_t id, const std::string& name, int64_t root,
                                 const std::string& instructions) {
  return "computations { id: " + std::to_string(id) + " name: \"" + name +
         "\" root_id: " + std::to_string(root) + "\n" + instructions + "}\n";
}

// With the shapes that its entry has, where `module` does not say them.
inline HloModuleProto Parse(const std::string& module) {
  HloModuleProto proto;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(module, &proto)) << module;
  if (proto.has_host_program_shape()) return proto;
  ProgramShape& shape = *proto.mutable_host_program_shape();
  for (const Computation& computation : proto.computations()) {
    if (computation.id() != proto.entry_computation_id()) continue;
    for (const Instruction& op : computation.instructions()) {
      if (op.id() == computation.root_id()) *shape.mutable_result() = op.shape();
      if (op.opcode() == "parameter") *shape.add_parameters() = op.shape();
    }
  }
  return proto;
}

// A module with the entry `e`, whose id is 9, after other computations.
inline HloModuleProto EntryOf(const std::string& instructions, int64_t root,
                              const std::string& others = "", const std::string& fields = "") {
  return Parse("name: \"m\" entry_computation_id: 9 " + fields + others +
               ComputationOf(9, "e", root, instructions));
}

// The text of the module, or the error.
inline std::string ReadBytes(const std::string& bytes) {
  auto module = ReadModule(bytes, "t.pb");
  if (!module) return llvm::toString(module.takeError());
  const std::string text = hlo::ToString(**module);
  auto again = hlo::ParseModule(text, "printed");
  EXPECT_TRUE(static_cast<bool>(again)) << text;
  if (again) {
    EXPECT_TRUE(hlo::SameModule(**module, **again)) << text;
  } else {
    llvm::consumeError(again.takeError());
  }
  return text;
}
inline std::string Read(const google::protobuf::Message& proto) {
  return ReadBytes(proto.SerializeAsString());
}

// p = f32[4] parameter(0), and an op of it, the root.
inline HloModuleProto Unary(const std::string& opcode, const std::string& fields,
                            const std::string& shape = kF4, const std::string& of = kF4) {
  return EntryOf(
      Op(1, "p", "parameter", of) + Op(2, "r", opcode, shape, "operand_ids: 1 " + fields), 2);
}

}  // namespace affirm::hlo_proto

#endif  // AFFIRM_TESTS_HLO_PROTO_PROTOS_H_
