#include "driver/validate/written_layouts.h"

#include <vector>

#include "core/hlo/entry_layout.h"
#include "core/hlo/leaves.h"
#include "core/hlo/tiles.h"
#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::driver {
namespace {

// The order of the dimensions that have an order: of more than one element.
std::vector<int64_t> Order(const hlo::Shape& shape) {
  std::vector<int64_t> order = shape.MinorToMajor();
  llvm::erase_if(order, [&](int64_t d) { return shape.dims[static_cast<size_t>(d)] == 1; });
  return order;
}

bool HasOtherOrder(const hlo::Shape& written, const hlo::Shape& other) {
  const bool has_order = !written.layout->minor_to_major.empty();
  return has_order && written.NumElements() > 1 && Order(written) != Order(other);
}

bool Contradicts(const hlo::Shape& written, const kernel::Param& param) {
  if (!written.layout || !written.IsArray()) return false;
  if (HasOtherOrder(written, param.shape)) return true;
  if (const auto bits = hlo::ElementSizeInBits(written)) {
    const bool packed = *bits < 8 && *bits == hlo::BitWidth(written.type);
    if (packed != kernel::IsPacked(param)) return true;
  }
  const auto tiles = hlo::Tiles(written);
  return !tiles || tiles != hlo::Tiles(param.shape);
}

// A shape of the text, and where it stands.
struct Written {
  const hlo::Shape* shape = nullptr;
  hlo::SourceLocation at;
};

std::vector<Written> ShapesOf(llvm::ArrayRef<hlo::Instruction*> instructions) {
  std::vector<Written> shapes;
  for (const hlo::Instruction* op : instructions) shapes.push_back({&op->shape, op->location});
  return shapes;
}

// The parameters of a launch that are operands, or results, in their order.
class Arrays {
 public:
  explicit Arrays(const kernel::Launch& launch) {
    for (auto [k, param] : llvm::enumerate(launch.params)) {
      const bool is_input = param.role == kernel::Param::kInput;
      (is_input ? inputs_ : outputs_).push_back({launch.PlaceOf(k), &param});
    }
  }

  // The arrays of the shapes against all operands of the launch, or all results.
  llvm::Error Operands(llvm::ArrayRef<Written> shapes, llvm::StringRef what) const {
    return Check(shapes, inputs_, what);
  }
  llvm::Error Results(llvm::ArrayRef<Written> shapes, llvm::StringRef what) const {
    return Check(shapes, outputs_, what);
  }

 private:
  using Param = std::pair<size_t, const kernel::Param*>;

  static llvm::Error Check(llvm::ArrayRef<Written> shapes, llvm::ArrayRef<Param> params,
                           llvm::StringRef what) {
    std::vector<Written> leaves;
    for (const Written& of : shapes) {
      for (const hlo::Shape* leaf : hlo::LeafShapes(*of.shape)) leaves.push_back({leaf, of.at});
    }
    // Text with another number of arrays gives no layouts of these.
    if (leaves.size() != params.size()) return llvm::Error::success();
    for (const auto& [leaf, param] : llvm::zip_equal(leaves, params)) {
      const auto& [number, given] = param;
      if (!leaf.shape->SameIgnoringLayout(given->shape) || !Contradicts(*leaf.shape, *given))
        continue;
      return MakeError(llvm::Twine(leaf.at.line) + ":" + llvm::Twine(leaf.at.column) +
                       ": error: " + what + " is " + leaf.shape->ToString() +
                       ", expected a launch with this layout, found " + given->shape.ToString() +
                       " of " + llvm::Twine(given->bytes) + " bytes as parameter " +
                       llvm::Twine(number) + " of the launch");
    }
    return llvm::Error::success();
  }

  std::vector<Param> inputs_, outputs_;
};

llvm::Error CheckCall(const hlo::Instruction& call, const Arrays& arrays) {
  const std::string of = " of '" + call.name + "'";
  if (llvm::Error error = arrays.Operands(ShapesOf(call.operands), "an operand" + of)) return error;
  return arrays.Results({{&call.shape, call.location}}, "a result" + of);
}

// Some call of the computation has the arrays as the launch does.
llvm::Error CheckCalls(const hlo::Computation& computation, const Arrays& arrays) {
  llvm::Error first = llvm::Error::success();
  for (const auto& caller : computation.module->computations) {
    for (const auto& op : caller->instructions) {
      const bool fuses = op->opcode == hlo::Opcode::kFusion && !op->called.empty() &&
                         op->called.front() == &computation;
      if (!fuses) continue;
      llvm::Error error = CheckCall(*op, arrays);
      if (!error) {
        llvm::consumeError(std::move(first));
        return llvm::Error::success();
      }
      if (first)
        llvm::consumeError(std::move(error));
      else
        first = std::move(error);
    }
  }
  return first;
}

llvm::Error CheckHeader(const hlo::Module& module, const Arrays& arrays) {
  const std::optional<hlo::EntryLayout> layout = hlo::EntryLayoutOf(module);
  if (!layout) return llvm::Error::success();
  const hlo::SourceLocation at{1, 1};
  if (llvm::Error error = arrays.Operands({{&layout->operands, at}}, "an operand by the header"))
    return error;
  return arrays.Results({{&layout->result, at}}, "a result by the header");
}

}  // namespace

bool LayoutsDiffer(const hlo::Shape& a, const hlo::Shape& b) {
  return HasOtherOrder(a, b) || hlo::ElementSizeInBits(a) != hlo::ElementSizeInBits(b) ||
         hlo::Tiles(a) != hlo::Tiles(b);
}

llvm::Error CheckWrittenLayouts(const hlo::Computation& computation, const kernel::Launch& launch,
                                const hlo::Instruction* fusion) {
  const Arrays arrays(launch);
  if (llvm::Error error =
          arrays.Operands(ShapesOf(computation.parameters), "an operand of the computation"))
    return error;
  const hlo::Instruction& root = *computation.root;
  if (llvm::Error error =
          arrays.Results({{&root.shape, root.location}}, "a result of the computation"))
    return error;
  if (root.opcode == hlo::Opcode::kTuple) {
    if (llvm::Error error = arrays.Results(ShapesOf(root.operands), "a result of the computation"))
      return error;
  }
  if (fusion != nullptr) return CheckCall(*fusion, arrays);
  if (computation.module == nullptr) return llvm::Error::success();
  if (computation.is_entry) return CheckHeader(*computation.module, arrays);
  return CheckCalls(computation, arrays);
}

}  // namespace affirm::driver
