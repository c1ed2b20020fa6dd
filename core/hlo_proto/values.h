// Shapes and literals of XLA's protos. Internal to core/hlo_proto.
#ifndef AFFIRM_CORE_HLO_PROTO_VALUES_H_
#define AFFIRM_CORE_HLO_PROTO_VALUES_H_

#include <string>

#include "core/hlo/literal.h"
#include "core/hlo_proto/hlo.pb.h"
#include "llvm/Support/Error.h"

namespace affirm::hlo_proto {

// "f32[2,<=3]{1,0:T(8,128)}", the text of the shape. An error for a type or a layout that HLO text
// has no form for, and for a shape that contradicts itself.
llvm::Expected<std::string> ShapeText(const Shape& shape);

// Whether types and sizes are the same; layouts and dynamic flags are not compared.
bool SameSizes(const Shape& a, const Shape& b);

// The value of a literal that must be of this shape. Elements stand in the proto in the order of
// its layout; here they stand row-major. NaN payloads are kept.
llvm::Expected<hlo::Literal> LiteralOf(const Literal& proto, const hlo::Shape& shape);

}  // namespace affirm::hlo_proto

#endif  // AFFIRM_CORE_HLO_PROTO_VALUES_H_
