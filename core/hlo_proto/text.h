// Reading XLA's serialized modules: the binary HloProto, HloModuleProto and HloSnapshot.
//
// XLA writes them with --xla_dump_hlo_as_proto (`module_0001.jit_f.hlo.pb`), JAX by
// as_serialized_hlo_module_proto(). A module is put into the text that XLA prints for it, which
// core/hlo reads and verifies: every check of text is one of protos, too.
//
//   instructions { name: "t" opcode: "transpose" dimensions: 1 dimensions: 0 operand_ids: 1 .. }
//   %t = f32[3,2] transpose(%p), dimensions={1,0}
#ifndef AFFIRM_CORE_HLO_PROTO_TEXT_H_
#define AFFIRM_CORE_HLO_PROTO_TEXT_H_

#include <memory>

#include "core/hlo/module.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace affirm::hlo_proto {

// Whether bytes are a binary proto and no text: they begin with the tag of one of the first fields
// of an HloProto or an HloModuleProto, and have a control character that no text has.
bool IsHloProto(llvm::StringRef bytes);

// Whether a text is a proto of these in protobuf's text format, which is not read: its first field
// is `hlo_module { name: "f"`, `name: "f"` and the like, as no HLO text begins.
bool IsTextFormat(llvm::StringRef text);

// The module, verified. Its instructions have no places in the file; errors read
// "where:1:1: error: HLO proto: instruction 'a' of computation 'c': what, and what was expected".
// A field that affirm does not know is an error where it is set.
llvm::Expected<std::unique_ptr<hlo::Module>> ReadModule(llvm::StringRef bytes,
                                                        llvm::StringRef where);

}  // namespace affirm::hlo_proto

#endif  // AFFIRM_CORE_HLO_PROTO_TEXT_H_
