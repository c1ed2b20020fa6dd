// Reads shapes: "f32[2,<=3]{1,0:T(8,128)}", "(f32[], s32[4])", "b(f32[4])".
#include "core/hlo/shape_text.h"

#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

namespace affirm::hlo {
namespace {

llvm::Expected<Shape> ParseShapeAtDepth(Scanner& scanner, int depth);

llvm::Error ParseElements(Scanner& scanner, Shape& shape, int depth) {
  if (depth >= kMaxNesting) return scanner.FailHere("expected at most 500 nested tuples");
  if (llvm::Error error = scanner.Expect('(', "before the elements of a tuple shape")) return error;
  if (scanner.Consume(')')) return llvm::Error::success();
  do {
    llvm::Expected<Shape> element = ParseShapeAtDepth(scanner, depth + 1);
    if (!element) return element.takeError();
    shape.tuple.push_back(std::move(*element));
  } while (scanner.Consume(','));
  return scanner.Expect(')', "or ',' behind an element of a tuple shape");
}

llvm::Error ParseSize(Scanner& scanner, Shape& shape) {
  if (scanner.Consume('?')) {
    shape.dims.push_back(kUnboundedSize);
    shape.dynamic.push_back(true);
    return llvm::Error::success();
  }
  const bool bounded = scanner.ConsumeText("<=");
  if (bounded && scanner.Consume('?')) {
    shape.dims.push_back(kUnboundedSize);
    shape.dynamic.push_back(true);
    return llvm::Error::success();
  }
  if (scanner.Peek() == '-') {
    return scanner.FailHere("expected a size of at least 0, found a negative one");
  }
  llvm::Expected<int64_t> size = scanner.Integer("a size");
  if (!size) return size.takeError();
  shape.dims.push_back(*size);
  shape.dynamic.push_back(bounded);
  return llvm::Error::success();
}

llvm::Error ParseSizes(Scanner& scanner, Shape& shape) {
  if (llvm::Error error = scanner.Expect('[', "before the sizes of a shape")) return error;
  if (!scanner.Consume(']')) {
    do {
      if (shape.rank() >= kMaxNesting) return scanner.FailHere("expected at most 500 dimensions");
      if (llvm::Error error = ParseSize(scanner, shape)) return error;
    } while (scanner.Consume(','));
    if (llvm::Error error = scanner.Expect(']', "or ',' behind a size")) return error;
  }
  // Flags stay only where one is set, so that static shapes compare equal however they came to be.
  bool any = false;
  for (bool flag : shape.dynamic) any |= flag;
  if (!any) shape.dynamic.clear();
  return llvm::Error::success();
}

// A brace behind a shape may also open the body of a computation ("-> f32[4] {").
bool LooksAtLayout(Scanner& scanner) {
  const size_t begin = scanner.pos();
  bool layout = false;
  if (scanner.Consume('{')) {
    const char next = scanner.Peek();
    layout = llvm::isDigit(next) || next == ':' || next == '}' || next == '-';
  }
  scanner.set_pos(begin);
  return layout;
}

// The annotations of a layout behind the order of dimensions, each at most once: tiles,
// T(8,128)(2,1); padding at the end, L(512); bits of an element, E(4); memory space, S(5); split
// between cores, SC(1:200). Other letters are refused, since their meaning is unknown.
bool AreKnownAnnotations(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> seen;
  while (!text.empty()) {
    llvm::StringRef key;
    for (llvm::StringRef known : {"T", "L", "E", "SC", "S"}) {
      if (key.empty() && text.starts_with((known + "(").str())) key = known;
    }
    if (key.empty() || llvm::is_contained(seen, key)) return false;
    seen.push_back(key);
    text = text.drop_front(key.size());
    while (text.consume_front("(")) {
      const auto [inside, rest] = text.split(')');
      const bool closed = inside.size() < text.size();
      if (!closed || inside.find_first_not_of("0123456789,:* ") != llvm::StringRef::npos)
        return false;
      text = rest;
    }
    text = text.ltrim();
  }
  return true;
}

llvm::Error ParseLayout(Scanner& scanner, Shape& shape) {
  Layout layout;
  if (llvm::Error error = scanner.Expect('{', "before a layout")) return error;
  const size_t begin = scanner.pos();
  std::vector<bool> seen(shape.dims.size(), false);
  while (scanner.Peek() != '}' && scanner.Peek() != ':') {
    if (!layout.minor_to_major.empty()) {
      if (llvm::Error error = scanner.Expect(',', "between the dimensions of a layout"))
        return error;
    }
    llvm::Expected<int64_t> dim = scanner.Integer("a dimension of the layout");
    if (!dim) return dim.takeError();
    if (*dim < 0 || *dim >= shape.rank() || seen[*dim]) {
      return scanner.Fail(begin, "expected a layout that names each of the " +
                                     llvm::Twine(shape.rank()) + " dimensions once");
    }
    seen[*dim] = true;
    layout.minor_to_major.push_back(*dim);
  }
  // "{:S(5)}" leaves the order to the default.
  const bool names_all = layout.minor_to_major.size() == shape.dims.size();
  if (!names_all && (!layout.minor_to_major.empty() || scanner.Peek() == '}')) {
    return scanner.Fail(begin, "expected a layout that names each of the " +
                                   llvm::Twine(shape.rank()) + " dimensions once");
  }
  if (scanner.Consume(':')) {
    llvm::Expected<llvm::StringRef> annotations = scanner.UntilClosingBrace();
    if (!annotations) return annotations.takeError();
    if (annotations->contains("//")) {
      return scanner.Fail(begin, "expected no comment to the end of the line in a layout");
    }
    if (!AreKnownAnnotations(annotations->trim())) {
      return scanner.Fail(
          begin, "expected a layout with annotations like 'T(8,128)', 'E(4)' or 'S(1)', found '" +
                     annotations->trim() + "'");
    }
    layout.annotations = annotations->trim().str();
  }
  if (llvm::Error error = scanner.Expect('}', "behind a layout")) return error;
  shape.layout = std::move(layout);
  return llvm::Error::success();
}

llvm::Error ParseArray(Scanner& scanner, Shape& shape) {
  const size_t begin = scanner.pos();
  if (llvm::Error error = ParseSizes(scanner, shape)) return error;
  if (!CheckedByteSize(shape)) {
    return scanner.Fail(begin, "expected a shape whose size in bytes fits 64 bits");
  }
  if (LooksAtLayout(scanner)) return ParseLayout(scanner, shape);
  return llvm::Error::success();
}

llvm::Expected<Shape> ParseShapeAtDepth(Scanner& scanner, int depth) {
  Shape shape;
  if (scanner.Peek() == '(') {
    shape.type = PrimitiveType::kTuple;
    if (llvm::Error error = ParseElements(scanner, shape, depth)) return error;
    return shape;
  }
  const std::string found = scanner.Found();
  const size_t begin = scanner.pos();
  const llvm::StringRef name = scanner.Identifier();
  if (name == "b" && scanner.Peek() == '(') {
    shape.type = PrimitiveType::kOpaque;
    if (llvm::Error error = ParseElements(scanner, shape, depth)) return error;
    if (shape.tuple.size() != 1) {
      return scanner.Fail(begin, "expected a buffer shape with one element");
    }
    return shape;
  }
  shape.type = PrimitiveTypeFromName(name);
  if (shape.type == PrimitiveType::kInvalid) {
    return scanner.Fail(begin, "expected a shape like 'f32[2,3]', found " + found);
  }
  if (llvm::Error error = ParseArray(scanner, shape)) return error;
  return shape;
}

}  // namespace

bool LooksAtShape(Scanner& scanner) {
  if (scanner.Peek() == '(') return true;
  const size_t begin = scanner.pos();
  const llvm::StringRef name = scanner.Identifier();
  const char next = scanner.Peek();
  scanner.set_pos(begin);
  return !name.empty() && (next == '[' || (name == "b" && next == '('));
}

llvm::Expected<Shape> ParseShape(Scanner& scanner) { return ParseShapeAtDepth(scanner, 0); }

}  // namespace affirm::hlo
