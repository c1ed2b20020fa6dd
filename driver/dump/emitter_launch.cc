#include "driver/dump/emitter_launch.h"

#include "driver/dump/emitter_accesses.h"

namespace affirm::driver {

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

namespace {

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

}  // namespace

LaunchBounds LaunchOf(const EmitterSnapshot& snapshot) {
  LaunchBounds launch;
  launch.fill({0, 0});
  if (const EmitterFunction* entry = snapshot.entry()) AddLaunch(entry->body, launch);
  return launch;
}

}  // namespace affirm::driver
