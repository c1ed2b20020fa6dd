// Reads launch files, and makes launches from computations.
#include "verify/kernel/launch.h"

#include <algorithm>

#include "core/hlo/leaves.h"
#include "core/hlo/shape_text.h"
#include "core/hlo/tiles.h"
#include "core/symbolic/bounded_json.h"
#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace affirm::kernel {
namespace {

namespace json = llvm::json;

// More threads a block, or more blocks, than any device takes.
constexpr int64_t kMostThreads = 1024;
constexpr int64_t kMostBlocks = (int64_t{1} << 31) - 1;
constexpr int64_t kMostBytes = int64_t{1} << 38;  // of a buffer: addresses have 39 bits for it
constexpr int64_t kMostSharedBytes = 1 << 20;
constexpr size_t kMostParams = 4096;

// Line and column of a place in a text, as "where:line:column: error: ".
std::string At(llvm::StringRef text, llvm::StringRef where, size_t pos) {
  llvm::StringRef before = text.take_front(pos);
  const size_t line = before.count('\n') + 1;
  const size_t column = pos - (before.rfind('\n') + 1) + 1;
  return (where + ":" + llvm::Twine(line) + ":" + llvm::Twine(column) + ": error: ").str();
}

bool IsNarrow(hlo::PrimitiveType type) {
  return hlo::BitWidth(type) < 8 && type != hlo::PrimitiveType::kPred;
}

// Whether the layout says that elements stand in parts of bytes.
bool IsWrittenAsPacked(const hlo::Shape& shape) {
  return IsNarrow(shape.type) && hlo::ElementSizeInBits(shape) == hlo::BitWidth(shape.type);
}

// Bytes of an array whose elements stand on whole bytes, unless its layout says otherwise; nullopt
// when that leaves int64.
std::optional<int64_t> DenseBytes(const hlo::Shape& shape) {
  if (!hlo::CheckedByteSize(shape)) return std::nullopt;
  if (IsWrittenAsPacked(shape))
    return llvm::divideCeil(shape.NumElements() * hlo::BitWidth(shape.type), 8);
  return shape.NumElements() * hlo::ByteWidth(shape.type);
}

class Reader {
 public:
  Reader(llvm::StringRef text, llvm::StringRef where) : text_(text), where_(where) {}

  llvm::Expected<Launch> Read() {
    llvm::Expected<json::Value> value = ParseJson(text_);
    if (!value) return SyntaxError(value.takeError());
    const json::Object* object = value->getAsObject();
    if (object == nullptr) return Fail("", "a launch must be an object {\"kernel\": ...}");
    Launch launch;
    if (auto name = object->getString("kernel")) launch.kernel = name->str();
    if (llvm::Error error = ReadSizes(*object, "grid", launch.grid)) return error;
    if (llvm::Error error = ReadSizes(*object, "threads", launch.threads)) return error;
    if (const json::Value* shared = object->get("shared")) {
      auto bytes = shared->getAsInteger();
      if (!bytes) return Fail("shared", "\"shared\" must be a number of bytes");
      launch.shared_bytes = *bytes;
    }
    const json::Array* params = object->getArray("params");
    if (params == nullptr) return Fail("params", "expected \"params\", a list of parameters");
    for (const json::Value& entry : *params) {
      llvm::Expected<Param> param = ReadParam(entry, launch.params.size());
      if (!param) return param.takeError();
      launch.params.push_back(std::move(*param));
    }
    if (llvm::Error error = CheckLaunch(launch, where_)) return error;
    return launch;
  }

 private:
  // JSON's errors begin "[line:column, byte=n]: ".
  llvm::Error SyntaxError(llvm::Error error) {
    std::string message = llvm::toString(std::move(error));
    llvm::StringRef rest = message;
    size_t byte = 0;
    size_t at = rest.find("byte=");
    if (at != llvm::StringRef::npos) rest.drop_front(at + 5).consumeInteger(10, byte);
    auto [place, what] = rest.split("]: ");
    if (what.empty()) what = rest;
    return MakeError(At(text_, where_, std::min(byte, text_.size())) + what +
                     ", expected a launch as JSON");
  }

  // An error at the first mention of a key, or where the text begins.
  llvm::Error Fail(llvm::StringRef key, const llvm::Twine& message) {
    size_t pos = key.empty() ? 0 : text_.find(("\"" + key + "\"").str());
    return MakeError(At(text_, where_, pos == llvm::StringRef::npos ? 0 : pos) + message);
  }

  llvm::Error ReadSizes(const json::Object& object, llvm::StringRef key,
                        std::array<int64_t, 3>& sizes) {
    const json::Value* value = object.get(key);
    if (value == nullptr) return llvm::Error::success();
    const json::Array* list = value->getAsArray();
    if (list == nullptr || list->empty() || list->size() > 3) {
      return Fail(key, "\"" + key + "\" must be a list [x, y, z]");
    }
    sizes = {1, 1, 1};
    for (auto [k, entry] : llvm::enumerate(*list)) {
      auto size = entry.getAsInteger();
      if (!size) return Fail(key, "\"" + key + "\" must be a list of integers");
      sizes[k] = *size;
    }
    return llvm::Error::success();
  }

  llvm::Expected<Param> ReadParam(const json::Value& value, size_t number) {
    const std::string which = "parameter " + std::to_string(number);
    const json::Object* object = value.getAsObject();
    if (object == nullptr) return Fail("params", which + " must be an object");
    Param param;
    if (auto name = object->getString("name")) param.name = name->str();
    auto shape_text = object->getString("shape");
    if (!shape_text) return Fail("params", which + " has no \"shape\", expected \"f32[4,8]{1,0}\"");
    hlo::Scanner scanner(*shape_text, "shape of " + which, 0, shape_text->size());
    llvm::Expected<hlo::Shape> shape = hlo::ParseShape(scanner);
    if (!shape) return Fail("params", llvm::toString(shape.takeError()));
    if (!scanner.AtEnd() || !shape->IsArray()) {
      return Fail("params", which + " must have the shape of an array, not '" + *shape_text + "'");
    }
    param.shape = std::move(*shape);
    auto role = object->getString("role");
    if (!role || (*role != "input" && *role != "output")) {
      return Fail("params", which + " needs the \"role\" \"input\" or \"output\"");
    }
    param.role = *role == "input" ? Param::kInput : Param::kOutput;
    param.bytes = object->getInteger("bytes").value_or(DenseBytes(param.shape).value_or(-1));
    param.memory = object->getInteger("memory").value_or(static_cast<int64_t>(number));
    param.argument = object->getInteger("argument").value_or(-1);
    param.starts_as = object->getInteger("starts_as");
    param.alignment = object->getInteger("alignment");
    return param;
  }

  llvm::StringRef text_, where_;
};

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

}  // namespace

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
  return params[param].argument < 0 ? static_cast<int64_t>(param) : params[param].argument;
}

int64_t Launch::NumArguments() const {
  int64_t count = 0;
  for (size_t k = 0; k < params.size(); ++k) count = std::max(count, ArgumentOf(k) + 1);
  return count;
}

llvm::Expected<Launch> ParseLaunch(llvm::StringRef json, llvm::StringRef where) {
  return Reader(json, where).Read();
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
    if (param.starts_as) json.attribute("starts_as", *param.starts_as);
    if (param.alignment) json.attribute("alignment", *param.alignment);
  };
  json.object([&] {
    if (!launch.kernel.empty()) json.attribute("kernel", json::fixUTF8(launch.kernel));
    write_sizes("grid", launch.grid);
    write_sizes("threads", launch.threads);
    if (launch.shared_bytes != 0) json.attribute("shared", launch.shared_bytes);
    json.attributeArray("params", [&] {
      for (const Param& param : launch.params) json.object([&] { write_param(param); });
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
  if (launch.params.size() > kMostParams) return fail("there are too many parameters");
  const auto count = static_cast<int64_t>(launch.params.size());
  for (auto [k, param] : llvm::enumerate(launch.params)) {
    const std::string which = "parameter " + std::to_string(k);
    if (param.memory < 0 || param.memory >= static_cast<int64_t>(kMostParams)) {
      return fail(which + " has the memory " + llvm::Twine(param.memory) + ", expected 0 to " +
                  llvm::Twine(kMostParams - 1));
    }
    if (param.alignment && (*param.alignment < kAllocationAlignment ||
                            !llvm::isPowerOf2_64(static_cast<uint64_t>(*param.alignment)))) {
      return fail(which + " has the alignment " + llvm::Twine(*param.alignment) +
                  ", expected a power of two, 16 or more");
    }
    if (param.argument < -1 || param.argument >= count) {
      return fail(which + " is argument " + llvm::Twine(param.argument) +
                  " of the kernel, expected fewer than " + llvm::Twine(count));
    }
    std::optional<int64_t> least = LeastBytes(param.shape);
    if (!least || param.bytes > kMostBytes || param.bytes < *least) {
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
        return fail(which + " and parameter " + llvm::Twine(other) +
                    " are one argument, and must be one memory");
      }
      if (earlier.memory == param.memory && earlier.bytes != param.bytes) {
        return fail(which + " and parameter " + llvm::Twine(other) +
                    " are one memory, and must have one size");
      }
    }
  }
  return llvm::Error::success();
}

}  // namespace affirm::kernel
