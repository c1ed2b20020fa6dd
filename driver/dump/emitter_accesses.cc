// An emitter's accesses to tensors and pointers: reads, writes, and where these come from.
#include "driver/dump/emitter_accesses.h"

#include <utility>

#include "driver/dump/emitter_walker.h"
#include "llvm/ADT/StringExtras.h"

namespace affirm::driver {

bool EmitterWalker::WalkTensor(const EmitterOp& op, Frame& frame) {
  llvm::StringRef name = op.name, text = op.text;
  if (name == "scf.forall.in_parallel") return true;  // gives the loop's tensors back
  if (name == "xla_gpu.allocate_shared" || name == "llvm.mlir.addressof") {
    EmitterValue value;
    const bool tensor = name == "xla_gpu.allocate_shared";
    found_.exchanges = true;
    value.kind = tensor ? EmitterValue::kTensor : EmitterValue::kPointer;
    if (!tensor && !text.starts_with("@shared_")) return false;
    value.tensor = tensor ? "shared" + std::to_string(shared_++)
                          : "shared" + text.drop_front(8).take_while(llvm::isDigit).str();
    if (tensor) value.type = TensorType(text.split(": ").second);
    value.expr = context_.Constant(0);
    Set(op, {value}, frame);
    return true;
  }
  if (name == "xla_gpu.sync_threads" || name == "llvm.addrspacecast") {
    Set(op, ValuesOf(text.split(" : ").first, frame), frame);
    return true;
  }
  if (name != "llvm.getelementptr") return false;
  EmitterValue base;
  std::vector<std::string> names = ValueNames(text);
  if (!names.empty()) base = ValueOf(names.front(), frame);
  if (base.kind != EmitterValue::kPointer) return false;
  Set(op, {Element(text, base, frame)}, frame);
  return true;
}

EmitterValue EmitterWalker::Element(llvm::StringRef text, EmitterValue base, const Frame& frame) {
  const size_t bracket = text.find('[');
  llvm::StringRef rest = bracket == llvm::StringRef::npos ? "" : text.drop_front(bracket);
  std::vector<llvm::StringRef> indices = SplitList(TakeGroup(rest, '['));
  llvm::StringRef type = SplitList(rest.split(" -> ").second).empty()
                             ? ""
                             : SplitList(rest.split(" -> ").second).back().trim();
  type = type.split(" {").first;
  const bool array = type.consume_front("!llvm.array<");
  if (array && type.consume_back(">")) type = type.split(" x ").second;
  const bool at_start = base.expr && base.expr.IsConstant(0) && base.type.element.empty();
  const bool plain =
      indices.size() == (array ? 2u : 1u) && at_start && (!array || indices.front().trim() == "0");
  base.type.element = type.str();
  base.expr = SymbolicExpr();
  if (!plain) return base;
  llvm::StringRef last = indices.back().trim();
  int64_t constant = 0;
  if (!last.getAsInteger(10, constant)) {
    base.expr = context_.Constant(constant);
  } else {
    EmitterValue index = ValueOf(last.str(), frame);
    base.expr = index.expr;
    base.assumes = index.assumes;
  }
  return base;
}

bool EmitterWalker::WalkAccess(const EmitterOp& op, Frame& frame) {
  llvm::StringRef name = op.name, text = op.text;
  using Kind = EmitterAccess::Kind;
  if (name == "llvm.load" || name == "llvm.store" || name == "llvm.atomicrmw")
    return PointerAccess(op, frame);
  std::optional<Kind> kind;
  if (name == "tensor.extract" || name == "xla.predicated_extract" ||
      name == "vector.transfer_read")
    kind = EmitterAccess::kRead;
  if (name == "tensor.insert" || name == "xla.predicated_insert" || name == "vector.transfer_write")
    kind = EmitterAccess::kWrite;
  if (name == "xla.atomic_rmw") kind = EmitterAccess::kAtomic;
  if (!kind) return false;
  // The tensor is the value in front of the bracket.
  auto [front, rest] = text.split('[');
  std::vector<std::string> names = ValueNames(front);
  EmitterValue tensor;
  if (!names.empty()) tensor = ValueOf(names.back(), frame);
  if (tensor.kind != EmitterValue::kTensor) {
    if (*kind != EmitterAccess::kRead) GiveUp(op.name + " of a tensor that is not followed");
    return *kind == EmitterAccess::kRead ? (Set(op, {}, frame), true) : true;
  }
  llvm::StringRef group = text.drop_front(front.size());
  std::vector<EmitterValue> indices;
  for (llvm::StringRef index : SplitList(TakeGroup(group, '['))) {
    EmitterValue value = ValueOf(index.trim().str(), frame);
    indices.push_back(value);
  }
  EmitterCondition condition;
  const size_t predicate = group.find("if %");
  if (name.contains("predicated") && predicate != llvm::StringRef::npos)
    condition = ValueOf(ValueNames(group.drop_front(predicate)).front(), frame).condition;
  int64_t width = 1;
  if (name.starts_with("vector.")) width = VectorWidth(group);
  if (!condition.never) Add(op, *kind, tensor, indices, condition, width);
  Set(op, {*kind == EmitterAccess::kRead ? EmitterValue() : tensor}, frame);
  return true;
}

bool EmitterWalker::PointerAccess(const EmitterOp& op, Frame& frame) {
  llvm::StringRef name = op.name;
  std::vector<std::string> names = ValueNames(op.text);
  const size_t at = name == "llvm.store" ? 1 : 0;
  EmitterValue pointer;
  if (at < names.size()) pointer = ValueOf(names[at], frame);
  if (pointer.kind != EmitterValue::kPointer)
    return GiveUp(op.name + " at an address that is not followed"), true;
  llvm::StringRef type = name == "llvm.load" ? llvm::StringRef(op.text).rsplit(" -> ").second
                                             : llvm::StringRef(op.text).rsplit(" : ").second;
  EmitterValue index = EmitterValue::Index(pointer.expr);
  index.assumes = pointer.assumes;
  if (!pointer.expr) index = EmitterValue();
  int64_t width = VectorWidth(type);
  if (pointer.type.element.empty()) {  // the first element, without an index
    type.consume_front("vector<");
    const size_t x = width > 1 || op.text.find("vector<") != std::string::npos
                         ? type.find('x')
                         : llvm::StringRef::npos;
    if (x != llvm::StringRef::npos) type = type.drop_front(x + 1);
    pointer.type.element =
        type.take_while([](char c) { return llvm::isAlnum(c) || c == '!' || c == '.'; }).str();
  }
  auto kind = name == "llvm.load"    ? EmitterAccess::kRead
              : name == "llvm.store" ? EmitterAccess::kWrite
                                     : EmitterAccess::kAtomic;
  Add(op, kind, pointer, {index}, {}, width);
  Set(op, {}, frame);
  return true;
}

int64_t EmitterWalker::VectorWidth(llvm::StringRef text) {
  const size_t at = text.find("vector<");
  if (at == llvm::StringRef::npos) return 1;
  text = text.drop_front(at + 7);
  int64_t width = 0;
  if (text.consumeInteger(10, width) || !text.consume_front("x")) return 0;
  return text.empty() || llvm::isDigit(text.front()) ? 0 : width;
}

void EmitterWalker::Add(const EmitterOp& op, EmitterAccess::Kind kind, const EmitterValue& tensor,
                        llvm::ArrayRef<EmitterValue> indices, const EmitterCondition& condition,
                        int64_t width) {
  EmitterAccess access{.kind = kind,
                       .tensor = tensor.tensor,
                       .shape = tensor.type.shape,
                       .order = tensor.type.order,
                       .element = tensor.type.element,
                       .loops = {},
                       .map = std::nullopt,
                       .reason = "",
                       .line = op.line};
  scope_.Enter(condition);
  SymbolicExpr lane;
  if (width > 1) lane = scope_.OpenLoop({0, width - 1});
  access.loops = scope_.loops();
  std::vector<SymbolicExpr> exprs;
  for (const EmitterValue& index : indices) {
    if (index.kind != EmitterValue::kIndex) access.reason = "its index is not one of ids and loops";
    access.assumes = access.assumes || index.assumes;
    exprs.push_back(index.expr);
  }
  if (scope_.opaque()) access.reason = "its condition is not one of ids and loops";
  if (width == 0) access.reason = "it is of a vector of several dimensions";
  const bool pointer = tensor.kind == EmitterValue::kPointer;
  if (access.reason.empty() && !pointer && exprs.size() != access.shape.size())
    access.reason = "its tensor's type cannot be read";
  if (access.reason.empty()) {
    if (lane) exprs.back() = exprs.back() + lane;
    access.assumes = access.assumes || scope_.assumes();
    access.map = scope_.MapOf(exprs);
  }
  if (width > 1) scope_.CloseLoop();
  scope_.Leave();
  found_.accesses.push_back(std::move(access));
}

}  // namespace affirm::driver
