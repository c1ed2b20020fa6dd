// Makes launches from computations, checks them and writes them.
#include "verify/kernel/launch.h"

#include <algorithm>

#include "core/hlo/leaves.h"
#include "core/hlo/tiles.h"
#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "verify/kernel/scalar_value.h"

namespace affirm::kernel {
namespace {

namespace json = llvm::json;

// More threads a block, or more blocks, than any device takes.
constexpr int64_t kMostThreads = 1024;
constexpr int64_t kMostBlocks = (int64_t{1} << 31) - 1;
constexpr int64_t kMostBytes = int64_t{1} << 38;  // of a buffer: addresses have 39 bits for it
constexpr int64_t kMostSharedBytes = 1 << 20;
constexpr size_t kMostParams = 4096;

bool IsNarrow(hlo::PrimitiveType type) {
  return hlo::BitWidth(type) < 8 && type != hlo::PrimitiveType::kPred;
}

// Whether the layout says that elements stand in parts of bytes.
bool IsWrittenAsPacked(const hlo::Shape& shape) {
  return IsNarrow(shape.type) && hlo::ElementSizeInBits(shape) == hlo::BitWidth(shape.type);
}

llvm::Error CheckSizes(const std::array<int64_t, 3>& sizes, int64_t most, const char* what,
                       llvm::StringRef where) {
  if (sizes == std::array<int64_t, 3>{0, 0, 0}) return llvm::Error::success();
  int64_t product = 1;
  for (int64_t size : sizes) {
    if (size < 1 || size > most || llvm::MulOverflow(product, size, product) || product > most) {
      return MakeError(where + ":1:1: error: " + what + " must be between 1 and " +
                       llvm::Twine(most) + " in all");
    }
  }
  return llvm::Error::success();
}

// Bytes that the elements take when each stands on whole bytes, or packed when it is narrower.
std::optional<int64_t> LeastBytes(const hlo::Shape& shape) {
  std::optional<int64_t> bytes = DenseBytes(shape);
  if (!bytes || !IsNarrow(shape.type)) return bytes;
  return llvm::divideCeil(shape.NumElements() * hlo::BitWidth(shape.type), 8);
}

// Each scalar is an argument of its own.
llvm::Error CheckScalars(const Launch& launch, int64_t most_arguments) {
  for (auto [k, scalar] : llvm::enumerate(launch.scalars)) {
    const std::string which =
        scalar.where + ": error: parameter " + std::to_string(scalar.place) + " is ";
    if (scalar.argument < 0 || scalar.argument >= most_arguments) {
      return MakeError(which + "argument " + llvm::Twine(scalar.argument) +
                       " of the kernel, expected fewer than " + llvm::Twine(most_arguments));
    }
    std::optional<size_t> other;
    for (const ScalarParam& earlier : llvm::ArrayRef(launch.scalars).take_front(k)) {
      if (earlier.argument == scalar.argument) other = earlier.place;
    }
    for (size_t param = 0; param < launch.params.size(); ++param) {
      if (launch.ArgumentOf(param) == scalar.argument) other = launch.PlaceOf(param);
    }
    if (other) {
      return MakeError(which + "the argument of the kernel that parameter " + llvm::Twine(*other) +
                       " is, expected another one");
    }
  }
  return llvm::Error::success();
}

}  // namespace

std::optional<int64_t> DenseBytes(const hlo::Shape& shape) {
  if (!hlo::CheckedByteSize(shape)) return std::nullopt;
  if (IsWrittenAsPacked(shape))
    return llvm::divideCeil(shape.NumElements() * hlo::BitWidth(shape.type), 8);
  return shape.NumElements() * hlo::ByteWidth(shape.type);
}

bool IsPacked(const Param& param) {
  return IsWrittenAsPacked(param.shape) ||
         (IsNarrow(param.shape.type) && param.bytes < param.shape.NumElements());
}

int64_t BytesOfElements(const Param& param) {
  const int64_t bits =
      IsPacked(param) ? hlo::BitWidth(param.shape.type) : 8 * hlo::ByteWidth(param.shape.type);
  return llvm::divideCeil(param.shape.NumElements() * bits, 8);
}

int64_t Launch::NumMemories() const {
  int64_t count = 0;
  for (const Param& param : params) count = std::max(count, param.memory + 1);
  return count;
}

int64_t Launch::ArgumentOf(size_t param) const {
  return params[param].argument < 0 ? static_cast<int64_t>(PlaceOf(param)) : params[param].argument;
}

int64_t Launch::NumArguments() const {
  int64_t count = 0;
  for (size_t k = 0; k < params.size(); ++k) count = std::max(count, ArgumentOf(k) + 1);
  for (const ScalarParam& scalar : scalars) count = std::max(count, scalar.argument + 1);
  return count;
}

const ScalarParam* Launch::ScalarOf(int64_t argument) const {
  auto found = llvm::find_if(
      scalars, [&](const ScalarParam& scalar) { return scalar.argument == argument; });
  return found == scalars.end() ? nullptr : &*found;
}

size_t Launch::PlaceOf(size_t param) const {
  size_t place = param;
  for (const ScalarParam& scalar : scalars) {
    if (scalar.place <= place) ++place;
  }
  return place;
}

const ScalarParam* Launch::FindOpenScalar() const {
  auto found = llvm::find_if(scalars, [](const ScalarParam& scalar) { return !scalar.IsGiven(); });
  return found == scalars.end() ? nullptr : &*found;
}

void WriteJson(json::OStream& json, const Launch& launch) {
  auto write_sizes = [&](llvm::StringRef key, const std::array<int64_t, 3>& sizes) {
    if (sizes[0] == 0) return;
    json.attributeArray(key, [&] {
      for (int64_t size : sizes) json.value(size);
    });
  };
  auto write_param = [&](const Param& param) {
    if (!param.name.empty()) json.attribute("name", json::fixUTF8(param.name));
    json.attribute("shape", param.shape.ToString());
    json.attribute("bytes", param.bytes);
    json.attribute("role", param.role == Param::kInput ? "input" : "output");
    json.attribute("memory", param.memory);
    if (param.argument >= 0) json.attribute("argument", param.argument);
    if (param.starts_as)
      json.attribute("starts_as",
                     static_cast<int64_t>(launch.PlaceOf(static_cast<size_t>(*param.starts_as))));
    if (param.alignment) json.attribute("alignment", *param.alignment);
  };
  auto write_scalar = [&](const ScalarParam& scalar) {
    if (!scalar.name.empty()) json.attribute("name", json::fixUTF8(scalar.name));
    json.attribute("shape", hlo::Shape::Array(scalar.type, {}).ToString());
    json.attribute("role", "scalar");
    if (scalar.argument != static_cast<int64_t>(scalar.place))
      json.attribute("argument", scalar.argument);
    json.attributeBegin(scalar.IsGiven() ? "value" : "range");
    const std::string lo = ScalarValueText(scalar.lo, scalar.type);
    json.rawValue(
        scalar.IsGiven() ? lo : "[" + lo + "," + ScalarValueText(scalar.hi, scalar.type) + "]");
    json.attributeEnd();
  };
  json.object([&] {
    if (!launch.kernel.empty()) json.attribute("kernel", json::fixUTF8(launch.kernel));
    write_sizes("grid", launch.grid);
    write_sizes("threads", launch.threads);
    if (launch.shared_bytes != 0) json.attribute("shared", launch.shared_bytes);
    json.attributeArray("params", [&] {
      const ScalarParam* scalar = launch.scalars.data();
      const ScalarParam* const end = scalar + launch.scalars.size();
      for (auto [k, param] : llvm::enumerate(launch.params)) {
        for (; scalar != end && scalar->place < launch.PlaceOf(k); ++scalar)
          json.object([&] { write_scalar(*scalar); });
        json.object([&] { write_param(param); });
      }
      for (; scalar != end; ++scalar) json.object([&] { write_scalar(*scalar); });
    });
  });
}

llvm::Expected<Launch> DefaultLaunch(const hlo::Computation& computation) {
  Launch launch;
  auto add = [&](const hlo::Shape& shape, llvm::StringRef name, Param::Role role) -> llvm::Error {
    for (const hlo::Shape* leaf : hlo::LeafShapes(shape)) {
      if (!leaf->IsArray()) {
        return MakeError("a kernel has no parameter of shape " + leaf->ToString());
      }
      auto bytes = DenseBytes(*leaf);
      if (!bytes) return MakeError(leaf->ToString() + " is too large for a buffer");
      launch.params.push_back({name.str(), *leaf, *bytes, role,
                               static_cast<int64_t>(launch.params.size()), -1, std::nullopt,
                               std::nullopt});
    }
    return llvm::Error::success();
  };
  for (const hlo::Instruction* parameter : computation.parameters) {
    if (parameter == nullptr) continue;
    if (llvm::Error error = add(parameter->shape, parameter->name, Param::kInput)) return error;
  }
  const hlo::Instruction& root = *computation.root;
  if (llvm::Error error = add(root.shape, root.name, Param::kOutput)) return error;
  return launch;
}

llvm::Error CheckLaunch(const Launch& launch, llvm::StringRef where) {
  auto fail = [&](const llvm::Twine& message) {
    return MakeError(where + ":1:1: error: " + message);
  };
  if (llvm::Error error = CheckSizes(launch.grid, kMostBlocks, "blocks", where)) return error;
  if (llvm::Error error = CheckSizes(launch.threads, kMostThreads, "threads", where)) return error;
  if (launch.shared_bytes < 0 || launch.shared_bytes > kMostSharedBytes) {
    return fail("\"shared\" must be between 0 and " + llvm::Twine(kMostSharedBytes) + " bytes");
  }
  if (launch.params.size() + launch.scalars.size() > kMostParams)
    return fail("there are too many parameters");
  const auto count = static_cast<int64_t>(launch.params.size());
  const int64_t most_arguments = count + static_cast<int64_t>(launch.scalars.size());
  for (auto [k, param] : llvm::enumerate(launch.params)) {
    const std::string which = "parameter " + std::to_string(launch.PlaceOf(k));
    if (param.memory < 0 || param.memory >= static_cast<int64_t>(kMostParams)) {
      return fail(which + " has the memory " + llvm::Twine(param.memory) + ", expected 0 to " +
                  llvm::Twine(kMostParams - 1));
    }
    if (param.alignment && (*param.alignment < kAllocationAlignment ||
                            !llvm::isPowerOf2_64(static_cast<uint64_t>(*param.alignment)))) {
      return fail(which + " has the alignment " + llvm::Twine(*param.alignment) +
                  ", expected a power of two, 16 or more");
    }
    if (param.argument < -1 || param.argument >= most_arguments) {
      return fail(which + " is argument " + llvm::Twine(param.argument) +
                  " of the kernel, expected fewer than " + llvm::Twine(most_arguments));
    }
    std::optional<int64_t> least = LeastBytes(param.shape);
    if (param.bytes > kMostBytes || !least) {
      return fail(which + " has more than " + llvm::Twine(kMostBytes) +
                  " bytes, for which addresses here have no room");
    }
    if (param.bytes < *least) {
      return fail(which + " has " + llvm::Twine(param.bytes) + " bytes, expected those of " +
                  param.shape.ToString());
    }
    if (param.starts_as && (*param.starts_as < 0 || *param.starts_as >= count ||
                            launch.params[*param.starts_as].bytes != param.bytes)) {
      return fail(which + " starts as parameter " + llvm::Twine(*param.starts_as) +
                  ", expected one of the same size");
    }
    for (size_t other = 0; other < k; ++other) {
      const Param& earlier = launch.params[other];
      if (launch.ArgumentOf(other) == launch.ArgumentOf(k) && earlier.memory != param.memory) {
        return fail(which + " and parameter " + llvm::Twine(launch.PlaceOf(other)) +
                    " are one argument, and must be one memory");
      }
      if (earlier.memory == param.memory && earlier.bytes != param.bytes) {
        return fail(which + " and parameter " + llvm::Twine(launch.PlaceOf(other)) +
                    " are one memory, and must have one size");
      }
    }
  }
  return CheckScalars(launch, most_arguments);
}

}  // namespace affirm::kernel
