// Walks the entry of a snapshot with ids and loop variables as symbols.
#include "driver/dump/emitter_accesses.h"

#include <algorithm>
#include <set>
#include <utility>

#include "driver/dump/emitter_values.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace affirm::driver {

const char* const kLaunchNames[6] = {"th_x", "th_y", "th_z", "bl_x", "bl_y", "bl_z"};

const char* Name(EmitterAccess::Kind kind) {
  return kind == EmitterAccess::kRead    ? "read"
         : kind == EmitterAccess::kWrite ? "write"
                                         : "atomic update";
}

namespace {

// Which id an operation gives: "gpu.thread_id x".
std::optional<int64_t> IdOf(const EmitterOp& op) {
  int64_t base = 0;
  if (op.name == "gpu.block_id" || op.name == "xla.workgroup_id") {
    base = 3;
  } else if (op.name != "gpu.thread_id") {
    return std::nullopt;
  }
  const char axis = op.text.empty() ? ' ' : op.text.front();
  if (axis < 'x' || axis > 'z') return std::nullopt;
  return base + (axis - 'x');
}

// "xla.range = [0 : index, 127 : index]"
std::optional<Interval> RangeAttribute(llvm::StringRef text) {
  const size_t at = text.find("xla.range = [");
  if (at == llvm::StringRef::npos) return std::nullopt;
  text = text.drop_front(at + 13);
  Interval range;
  if (text.consumeInteger(10, range.lower)) return std::nullopt;
  text = text.split(',').second.ltrim();
  if (text.consumeInteger(10, range.upper)) return std::nullopt;
  return range;
}

// The sizes of "(%a, %b) in (4, 1) shared_outs(...)".
std::vector<int64_t> ForallSizes(llvm::StringRef text) {
  TakeGroup(text, '(');
  text = text.ltrim();
  text.consume_front("in");
  text = text.ltrim();
  std::vector<int64_t> sizes;
  for (llvm::StringRef part : SplitList(TakeGroup(text, '('))) {
    int64_t size = 0;
    if (part.trim().getAsInteger(10, size)) return {};
    sizes.push_back(size);
  }
  return sizes;
}

void AddLaunch(const std::vector<EmitterOp>& body, LaunchBounds& launch) {
  for (const EmitterOp& op : body) {
    if (auto id = IdOf(op)) {
      if (auto range = RangeAttribute(op.text)) launch[*id] = *range;
    } else if (op.name == "scf.forall") {
      std::vector<int64_t> sizes = ForallSizes(op.text);
      for (size_t k = 0; k < sizes.size() && k < 3; ++k) launch[k] = {0, sizes[k] - 1};
    }
    for (const auto& region : op.regions) AddLaunch(region, launch);
  }
}

class Walker {
 public:
  Walker(const EmitterSnapshot& snapshot, const LaunchBounds& launch, Context& context)
      : snapshot_(snapshot), launch_(launch), context_(context), scope_(context, launch) {}

  EmitterAccesses Run() {
    const EmitterFunction* entry = snapshot_.entry();
    if (entry == nullptr) return Fail("no function is the entry");
    if (entry->has_blocks) return Fail("the entry has branches between blocks");
    Frame frame;
    for (size_t k = 0; k < entry->arguments.size(); ++k) {
      auto [name, type] = llvm::StringRef(entry->arguments[k]).split(": ");
      EmitterValue value;
      value.kind = EmitterValue::kTensor;
      value.tensor = "arg" + std::to_string(k);
      value.type = TensorType(type);
      if (type.starts_with("!llvm.ptr")) {
        value.kind = EmitterValue::kPointer;
        value.expr = context_.Constant(0);
      }
      frame.values[name.str()] = value;
      const size_t slice = type.find("xla.slice_index = ");
      int64_t number = 0;
      if (slice != llvm::StringRef::npos) {
        llvm::StringRef rest = type.drop_front(slice + 18);
        if (!rest.consumeInteger(10, number)) found_.slices[value.tensor] = number;
      }
    }
    found_.arguments = static_cast<int64_t>(entry->arguments.size());
    WalkBody(entry->body, frame);
    for (const EmitterValue& value : frame.yielded) found_.results.push_back(value.tensor);
    return std::move(found_);
  }

 private:
  static constexpr int64_t kMostOps = 200'000;
  static constexpr int kDeepest = 100;

  // The values of one call of a function. Names of closed regions are used again, and then the
  // last definition is the one that is seen.
  struct Frame {
    std::map<std::string, EmitterValue> values;
    std::vector<EmitterValue> yielded;  // by the last yield or return
  };

  EmitterAccesses Fail(const std::string& reason) {
    EmitterAccesses none;
    none.reason = reason;
    return none;
  }

  void GiveUp(const std::string& reason) {
    if (found_.reason.empty()) found_.reason = reason;
  }

  EmitterValue ValueOf(const std::string& name, const Frame& frame) const {
    auto it = frame.values.find(name);
    if (it != frame.values.end()) return it->second;
    // All results of an operation at once, "%0" of "%0:2 = ...", has no meaning here.
    return {};
  }

  std::vector<EmitterValue> ValuesOf(llvm::StringRef text, const Frame& frame) const {
    std::vector<EmitterValue> values;
    for (const std::string& name : ValueNames(text)) values.push_back(ValueOf(name, frame));
    return values;
  }

  void Set(const EmitterOp& op, std::vector<EmitterValue> values, Frame& frame) {
    for (size_t k = 0; k < op.results.size(); ++k)
      frame.values[op.results[k]] = k < values.size() ? values[k] : EmitterValue();
  }

  void WalkBody(const std::vector<EmitterOp>& body, Frame& frame) {
    if (++depth_ > kDeepest) GiveUp("calls and regions nest too deep");
    for (const EmitterOp& op : body) {
      if (++ops_ > kMostOps) GiveUp("more operations than are followed");
      if (!found_.reason.empty()) break;
      Walk(op, frame);
    }
    --depth_;
  }

  void Walk(const EmitterOp& op, Frame& frame) {
    if (WalkControl(op, frame) || WalkAccess(op, frame) || WalkTensor(op, frame)) return;
    if (auto id = IdOf(op)) {
      auto range = RangeAttribute(op.text);
      if (range && *range != launch_[*id])
        return GiveUp("the launch is another one, " + op.name + " " + op.text);
      EmitterValue value = EmitterValue::Index(context_.Dim(*id));
      return Set(op, {value}, frame);
    }
    if (op.name == "xla.apply_indexing") return Apply(op, frame);
    found_.exchanges |= llvm::StringRef(op.name).contains("shuffle");
    Set(op, {scope_.Integer(op, ValuesOf(op.text, frame), snapshot_.index_bits)}, frame);
    NoteTensors(op, frame);
  }

  // What an operation that is not known does with a tensor is not known.
  void NoteTensors(const EmitterOp& op, const Frame& frame) {
    for (const EmitterValue& value : ValuesOf(op.text, frame)) {
      if (!value.tensor.empty()) found_.not_followed.emplace(value.tensor, op.name);
    }
    for (const auto& region : op.regions) {
      for (const EmitterOp& inner : region) NoteTensors(inner, frame);
    }
  }

  // The map of "#indexing_map1" or of "#xla.indexing_map<"...">" in front of `text`.
  std::optional<IndexingMap> TakeMap(llvm::StringRef& text) {
    std::string map;
    if (text.consume_front("#xla.indexing_map<\"")) {
      map = text.split('"').first.str();
      text = text.split('"').second;
      text.consume_front(">");
    } else {
      llvm::StringRef name =
          text.take_while([](char c) { return llvm::isAlnum(c) || c == '#' || c == '_'; });
      text = text.drop_front(name.size());
      auto it = snapshot_.maps.find(name.str());
      if (it == snapshot_.maps.end()) return std::nullopt;
      map = it->second;
    }
    auto parsed = ParseIndexingMap(map, context_);
    if (parsed) return *parsed;
    llvm::consumeError(parsed.takeError());
    return std::nullopt;
  }

  // "#map(%a, %b)[%c]": the value of a map's only result.
  void Apply(const EmitterOp& op, Frame& frame) {
    llvm::StringRef text = op.text;
    auto map = TakeMap(text);
    if (!map) return GiveUp("line " + std::to_string(op.line) + ": a map that cannot be read");
    std::vector<EmitterValue> arguments = ValuesOf(TakeGroup(text, '('), frame);
    const size_t dims = arguments.size();
    for (EmitterValue& value : ValuesOf(TakeGroup(text, '['), frame)) arguments.push_back(value);
    Set(op, scope_.Applied(*map, arguments, dims), frame);
  }

  // Regions: loops, conditions, calls.
  bool WalkControl(const EmitterOp& op, Frame& frame) {
    llvm::StringRef name = op.name;
    if (name == "scf.yield" || name == "xla.yield" || name == "return" || name == "func.return") {
      frame.yielded = ValuesOf(llvm::StringRef(op.text).split(" : ").first, frame);
      return true;
    }
    if (name == "xla.pure_call" || name == "func.call" || name == "call")
      return Call(op, frame), true;
    const bool region =
        name == "scf.if" || name == "scf.for" || name == "xla.loop" || name == "scf.forall";
    if (!region || op.regions.empty()) return false;
    if (op.has_blocks) return GiveUp(op.name + " has branches between blocks"), true;
    if (name == "scf.if") return If(op, frame), true;
    if (name == "scf.for") return For(op, frame), true;
    if (name == "xla.loop") return Loop(op, frame), true;
    return Forall(op, frame), true;
  }

  void Call(const EmitterOp& op, Frame& frame) {
    llvm::StringRef text = llvm::StringRef(op.text).split('@').second;
    auto [name, rest] = text.split('(');
    const EmitterFunction* function = snapshot_.Find(name);
    if (function == nullptr || function->has_blocks || depth_ > kDeepest)
      return GiveUp("the function @" + name.str() + " cannot be followed");
    text = text.drop_front(name.size());
    std::vector<EmitterValue> arguments = ValuesOf(TakeGroup(text, '('), frame);
    if (arguments.size() != function->arguments.size())
      return GiveUp("line " + std::to_string(op.line) + ": @" + name.str() + " is called with " +
                    std::to_string(arguments.size()) + " arguments");
    Frame inner;
    for (size_t k = 0; k < arguments.size(); ++k)
      inner.values[llvm::StringRef(function->arguments[k]).split(": ").first.str()] = arguments[k];
    WalkBody(function->body, inner);
    Set(op, inner.yielded, frame);
  }

  void If(const EmitterOp& op, Frame& frame) {
    std::vector<std::string> names = ValueNames(op.text);
    EmitterCondition condition;
    if (!names.empty()) condition = ValueOf(names.front(), frame).condition;
    std::vector<std::vector<EmitterValue>> yielded;
    for (size_t branch = 0; branch < op.regions.size() && branch < 2; ++branch) {
      EmitterCondition holds = branch == 0 ? condition : scope_.Not(condition);
      if (holds.never) continue;
      scope_.Enter(holds);
      frame.yielded.clear();
      WalkBody(op.regions[branch], frame);
      scope_.Leave();
      yielded.push_back(frame.yielded);
    }
    if (op.regions.size() == 1 || yielded.empty()) yielded = {{}};
    std::vector<EmitterValue> results = yielded.front();
    for (size_t k = 0; k < results.size() && yielded.size() == 2; ++k) {
      const EmitterValue other = k < yielded[1].size() ? yielded[1][k] : EmitterValue();
      if (!results[k].SameAs(other)) {
        // Another tensor comes out of each branch.
        for (const EmitterValue& value : {results[k], other}) {
          if (!value.tensor.empty() && results[k].tensor != other.tensor)
            found_.not_followed.emplace(value.tensor, "scf.if");
        }
        results[k] = EmitterValue();
      }
    }
    Set(op, results, frame);
  }

  // The names and first values of "iter_args(%a = %b, %c = %d)"; the values of a later iteration
  // are known for tensors only, which an iteration gives back.
  void BindIterations(llvm::StringRef text, llvm::StringRef keyword, Frame& frame,
                      std::vector<EmitterValue>& results) {
    const size_t at = text.find(keyword);
    if (at == llvm::StringRef::npos) return;
    text = text.drop_front(at + keyword.size());
    for (llvm::StringRef part : SplitList(TakeGroup(text, '('))) {
      auto [name, from] = part.trim().split(" = ");
      EmitterValue value = ValueOf(from.trim().str(), frame);
      if (value.kind != EmitterValue::kTensor) value = EmitterValue();
      frame.values[name.str()] = value;
      results.push_back(value);
    }
  }

  // An iteration must give back the tensors that it was given.
  void CheckYield(const EmitterOp& op, const Frame& frame, std::vector<EmitterValue>& results) {
    for (size_t k = 0; k < results.size(); ++k) {
      const std::string given = k < frame.yielded.size() ? frame.yielded[k].tensor : "";
      if (given == results[k].tensor) continue;
      for (const std::string& tensor : {given, results[k].tensor}) {
        if (!tensor.empty()) found_.not_followed.emplace(tensor, op.name);
      }
      results[k] = EmitterValue();
    }
  }

  void For(const EmitterOp& op, Frame& frame) {
    std::vector<std::string> names = ValueNames(llvm::StringRef(op.text).split("iter_args").first);
    std::vector<EmitterValue> results;
    BindIterations(op.text, "iter_args", frame, results);
    std::vector<std::optional<int64_t>> bounds;
    for (size_t k = 1; k < 4 && k < names.size(); ++k)
      bounds.push_back(ValueOf(names[k], frame).Constant());
    const bool known = bounds.size() == 3 && bounds[0] && bounds[1] && bounds[2] &&
                       *bounds[2] > 0 &&
                       AreSmall({*bounds[0], *bounds[1]}, Interval::Point(*bounds[2]));
    if (!known) {
      scope_.Enter(EmitterCondition{.opaque = true});
      if (!names.empty()) frame.values[names[0]] = EmitterValue();
      WalkBody(op.regions[0], frame);
      scope_.Leave();
    } else {
      const int64_t trips = (*bounds[1] - *bounds[0] + *bounds[2] - 1) / *bounds[2];
      SymbolicExpr loop = scope_.OpenLoop({0, trips - 1});
      frame.values[names[0]] = EmitterValue::Index(loop * *bounds[2] + *bounds[0]);
      if (trips > 0) WalkBody(op.regions[0], frame);
      scope_.CloseLoop();
      if (trips <= 0) return Set(op, results, frame);
    }
    CheckYield(op, frame, results);
    Set(op, results, frame);
  }

  // (%a, %b)[%i, %j] -> (%ra, %rb) in #map iter_args(%t = %u) -> (...)
  void Loop(const EmitterOp& op, Frame& frame) {
    llvm::StringRef text = op.text;
    std::vector<EmitterValue> arguments = ValuesOf(TakeGroup(text, '('), frame);
    const size_t dims = arguments.size();
    std::vector<std::string> symbols = ValueNames(TakeGroup(text, '['));
    text = text.ltrim();
    text.consume_front("->");
    text = text.ltrim();
    std::vector<std::string> outputs = ValueNames(TakeGroup(text, '('));
    text = text.ltrim();
    text.consume_front("in");
    text = text.ltrim();
    auto map = TakeMap(text);
    if (!map || (!map->IsKnownEmpty() &&
                 (map->dims().size() != dims || map->ranges().size() != symbols.size())))
      return GiveUp("line " + std::to_string(op.line) + ": the map of a loop cannot be read");
    std::vector<EmitterValue> results;
    BindIterations(text, "iter_args", frame, results);
    if (map->IsKnownEmpty()) return Set(op, results, frame);
    for (size_t k = 0; k < symbols.size(); ++k) {
      arguments.push_back(EmitterValue::Index(scope_.OpenLoop(map->ranges()[k].bounds)));
      frame.values[symbols[k]] = arguments.back();
    }
    scope_.Enter(scope_.DomainOf(*map, arguments, dims));
    std::vector<EmitterValue> values = scope_.Applied(*map, arguments, dims);
    for (size_t k = 0; k < outputs.size() && k < values.size(); ++k)
      frame.values[outputs[k]] = values[k];
    WalkBody(op.regions[0], frame);
    scope_.Leave();
    for (size_t k = 0; k < symbols.size(); ++k) scope_.CloseLoop();
    CheckYield(op, frame, results);
    Set(op, results, frame);
  }

  // Threads as a loop nest, before they are ids. Dims of size 1 may have gone.
  void Forall(const EmitterOp& op, Frame& frame) {
    llvm::StringRef text = op.text;
    std::vector<std::string> names = ValueNames(TakeGroup(text, '('));
    const std::vector<int64_t> sizes = ForallSizes(op.text);
    std::vector<int64_t> axes;
    for (int64_t k = 0; k < 3; ++k) {
      if (sizes.size() == 3 || launch_[k] != Interval{0, 0}) axes.push_back(k);
    }
    bool fits = axes.size() == sizes.size() && names.size() == sizes.size();
    for (size_t k = 0; fits && k < axes.size(); ++k)
      fits = launch_[axes[k]] == Interval{0, sizes[k] - 1};
    if (!fits) return GiveUp("the threads of scf.forall are not those of the launch");
    for (size_t k = 0; k < axes.size(); ++k)
      frame.values[names[k]] = EmitterValue::Index(context_.Dim(axes[k]));
    std::vector<EmitterValue> results;
    BindIterations(op.text, "shared_outs", frame, results);
    WalkBody(op.regions[0], frame);
    Set(op, results, frame);
  }

  // Operations that give a tensor or a pointer on.
  bool WalkTensor(const EmitterOp& op, Frame& frame) {
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

  // inbounds %p[0, %i] : (...) -> !llvm.ptr, !llvm.array<9 x f32>
  EmitterValue Element(llvm::StringRef text, EmitterValue base, const Frame& frame) {
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
    const bool plain = indices.size() == (array ? 2u : 1u) && at_start &&
                       (!array || indices.front().trim() == "0");
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

  bool WalkAccess(const EmitterOp& op, Frame& frame) {
    llvm::StringRef name = op.name, text = op.text;
    using Kind = EmitterAccess::Kind;
    if (name == "llvm.load" || name == "llvm.store" || name == "llvm.atomicrmw")
      return PointerAccess(op, frame);
    std::optional<Kind> kind;
    if (name == "tensor.extract" || name == "xla.predicated_extract" ||
        name == "vector.transfer_read")
      kind = EmitterAccess::kRead;
    if (name == "tensor.insert" || name == "xla.predicated_insert" ||
        name == "vector.transfer_write")
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

  bool PointerAccess(const EmitterOp& op, Frame& frame) {
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

  // 4 of "vector<4xf32>" in a text, 0 of one with more dims, else 1.
  static int64_t VectorWidth(llvm::StringRef text) {
    const size_t at = text.find("vector<");
    if (at == llvm::StringRef::npos) return 1;
    text = text.drop_front(at + 7);
    int64_t width = 0;
    if (text.consumeInteger(10, width) || !text.consume_front("x")) return 0;
    return text.empty() || llvm::isDigit(text.front()) ? 0 : width;
  }

  void Add(const EmitterOp& op, EmitterAccess::Kind kind, const EmitterValue& tensor,
           llvm::ArrayRef<EmitterValue> indices, const EmitterCondition& condition, int64_t width) {
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
      if (index.kind != EmitterValue::kIndex)
        access.reason = "its index is not one of ids and loops";
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

  const EmitterSnapshot& snapshot_;
  const LaunchBounds& launch_;
  Context& context_;
  EmitterScope scope_;
  EmitterAccesses found_;
  int64_t ops_ = 0, shared_ = 0;
  int depth_ = 0;
};

}  // namespace

LaunchBounds LaunchOf(const EmitterSnapshot& snapshot) {
  LaunchBounds launch;
  launch.fill({0, 0});
  if (const EmitterFunction* entry = snapshot.entry()) AddLaunch(entry->body, launch);
  return launch;
}

EmitterAccesses FindAccesses(const EmitterSnapshot& snapshot, const LaunchBounds& launch,
                             Context& context) {
  return Walker(snapshot, launch, context).Run();
}

IndexingMap Linearized(const EmitterAccess& access) {
  const IndexingMap& map = *access.map;
  const bool flat_already = access.shape.empty() && map.results().size() == 1;
  if (flat_already || map.IsKnownEmpty()) return map;
  std::vector<int64_t> order = access.order;
  if (order.empty()) {
    for (size_t k = access.shape.size(); k-- > 0;) order.push_back(static_cast<int64_t>(k));
  }
  SymbolicExpr flat = map.context()->Constant(0);
  int64_t stride = 1;
  for (int64_t dim : order) {
    flat = flat + map.results()[dim] * stride;
    stride *= access.shape[dim];
  }
  return map.WithResults({flat});
}

IndexingMap AtEachIteration(const IndexingMap& map) {
  if (map.IsKnownEmpty() || map.IsUndefined()) return map;
  Context& context = *map.context();
  std::vector<Variable> dims = map.dims();
  std::vector<SymbolicExpr> loops;
  for (const Variable& loop : map.ranges()) {
    if (loop.bounds.IsPoint()) {
      loops.push_back(context.Constant(loop.bounds.lower));
      continue;
    }
    loops.push_back(context.Dim(static_cast<int64_t>(dims.size())));
    dims.push_back(loop);
  }
  auto substitute = [&](SymbolicExpr e) {
    return e.Substitute([&](VarKind kind, int64_t index) {
      return kind == VarKind::kRange ? loops[index] : SymbolicExpr();
    });
  };
  std::vector<SymbolicExpr> results;
  for (SymbolicExpr result : map.results()) results.push_back(substitute(result));
  std::vector<Constraint> constraints;
  for (const Constraint& c : map.constraints())
    constraints.push_back({substitute(c.expr), c.bounds});
  return IndexingMap(context, results, dims, {}, map.runtime(), constraints);
}

}  // namespace affirm::driver
