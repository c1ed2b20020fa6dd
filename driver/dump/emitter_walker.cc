// Calls, loops and conditions of an emitter's functions.
#include "driver/dump/emitter_walker.h"

#include <utility>

#include "driver/dump/emitter_launch.h"
#include "llvm/ADT/StringExtras.h"

namespace affirm::driver {

EmitterAccesses EmitterWalker::Run() {
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

EmitterAccesses EmitterWalker::Fail(const std::string& reason) {
  EmitterAccesses none;
  none.reason = reason;
  return none;
}

void EmitterWalker::GiveUp(const std::string& reason) {
  if (found_.reason.empty()) found_.reason = reason;
}

EmitterValue EmitterWalker::ValueOf(const std::string& name, const Frame& frame) const {
  auto it = frame.values.find(name);
  if (it != frame.values.end()) return it->second;
  // All results of an operation at once, "%0" of "%0:2 = ...", has no meaning here.
  return {};
}

std::vector<EmitterValue> EmitterWalker::ValuesOf(llvm::StringRef text, const Frame& frame) const {
  std::vector<EmitterValue> values;
  for (const std::string& name : ValueNames(text)) values.push_back(ValueOf(name, frame));
  return values;
}

void EmitterWalker::Set(const EmitterOp& op, std::vector<EmitterValue> values, Frame& frame) {
  for (size_t k = 0; k < op.results.size(); ++k)
    frame.values[op.results[k]] = k < values.size() ? values[k] : EmitterValue();
}

void EmitterWalker::WalkBody(const std::vector<EmitterOp>& body, Frame& frame) {
  if (++depth_ > kDeepest) GiveUp("calls and regions nest too deep");
  for (const EmitterOp& op : body) {
    if (++ops_ > kMostOps) GiveUp("more operations than are followed");
    if (!found_.reason.empty()) break;
    Walk(op, frame);
  }
  --depth_;
}

void EmitterWalker::Walk(const EmitterOp& op, Frame& frame) {
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

void EmitterWalker::NoteTensors(const EmitterOp& op, const Frame& frame) {
  for (const EmitterValue& value : ValuesOf(op.text, frame)) {
    if (!value.tensor.empty()) found_.not_followed.emplace(value.tensor, op.name);
  }
  for (const auto& region : op.regions) {
    for (const EmitterOp& inner : region) NoteTensors(inner, frame);
  }
}

std::optional<IndexingMap> EmitterWalker::TakeMap(llvm::StringRef& text) {
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

void EmitterWalker::Apply(const EmitterOp& op, Frame& frame) {
  llvm::StringRef text = op.text;
  auto map = TakeMap(text);
  if (!map) return GiveUp("line " + std::to_string(op.line) + ": a map that cannot be read");
  std::vector<EmitterValue> arguments = ValuesOf(TakeGroup(text, '('), frame);
  const size_t dims = arguments.size();
  for (EmitterValue& value : ValuesOf(TakeGroup(text, '['), frame)) arguments.push_back(value);
  Set(op, scope_.Applied(*map, arguments, dims), frame);
}

bool EmitterWalker::WalkControl(const EmitterOp& op, Frame& frame) {
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

void EmitterWalker::Call(const EmitterOp& op, Frame& frame) {
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

void EmitterWalker::If(const EmitterOp& op, Frame& frame) {
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

void EmitterWalker::BindIterations(llvm::StringRef text, llvm::StringRef keyword, Frame& frame,
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

void EmitterWalker::CheckYield(const EmitterOp& op, const Frame& frame,
                               std::vector<EmitterValue>& results) {
  for (size_t k = 0; k < results.size(); ++k) {
    const std::string given = k < frame.yielded.size() ? frame.yielded[k].tensor : "";
    if (given == results[k].tensor) continue;
    for (const std::string& tensor : {given, results[k].tensor}) {
      if (!tensor.empty()) found_.not_followed.emplace(tensor, op.name);
    }
    results[k] = EmitterValue();
  }
}

void EmitterWalker::For(const EmitterOp& op, Frame& frame) {
  std::vector<std::string> names = ValueNames(llvm::StringRef(op.text).split("iter_args").first);
  std::vector<EmitterValue> results;
  BindIterations(op.text, "iter_args", frame, results);
  std::vector<std::optional<int64_t>> bounds;
  for (size_t k = 1; k < 4 && k < names.size(); ++k)
    bounds.push_back(ValueOf(names[k], frame).Constant());
  const bool known = bounds.size() == 3 && bounds[0] && bounds[1] && bounds[2] && *bounds[2] > 0 &&
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

void EmitterWalker::Loop(const EmitterOp& op, Frame& frame) {
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

void EmitterWalker::Forall(const EmitterOp& op, Frame& frame) {
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

EmitterAccesses FindAccesses(const EmitterSnapshot& snapshot, const LaunchBounds& launch,
                             Context& context) {
  return EmitterWalker(snapshot, launch, context).Run();
}

}  // namespace affirm::driver
