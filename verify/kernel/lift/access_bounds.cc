#include "verify/kernel/lift/access_bounds.h"

#include "llvm/ADT/STLExtras.h"

namespace affirm::kernel {

using terms::Int128;
using terms::Kind;
using terms::Term;

namespace {

bool IsPlaceVariable(Term term) {
  return term->kind == Kind::kVariable &&
         (term->name.starts_with("th_") || term->name.starts_with("bl_"));
}

// The largest power of two that divides both; the coefficient may be 0.
int64_t CommonAlignment(int64_t alignment, Int128 coefficient) {
  while (alignment > 1 && coefficient % alignment != 0) alignment /= 2;
  return alignment;
}

// The least and the most sectors that lanes with one base touch, over all values of the base.
struct Sectors {
  int64_t least = 0, most = 0;
};

Sectors SectorsOfGroup(std::vector<LaneBytes> lanes, int64_t alignment, const WarpModel& model) {
  if (lanes.empty()) return {};
  llvm::sort(lanes, IsBefore);
  // Only the base modulo the sector size matters.
  const int64_t unit = model.sector_bytes, first = lanes.front().first;
  const int64_t shift = ((first % unit) + unit) % unit - first;
  for (LaneBytes& lane : lanes) lane.first += shift;
  Sectors sectors{INT64_MAX, 0};
  for (int64_t at = 0; at < unit; at += alignment) {
    const int64_t touched = UnitsTouched(lanes, unit);
    sectors.least = std::min(sectors.least, touched);
    sectors.most = std::max(sectors.most, touched);
    for (LaneBytes& lane : lanes) lane.first += alignment;
  }
  return sectors;
}

// Bounds for lanes with several bases. Least: the largest group of lanes that certainly execute,
// with all other groups in its sectors. Most: all groups in disjoint sectors.
Sectors SectorsOf(llvm::ArrayRef<DependentLane> executed, const WarpModel& model) {
  struct Group {
    std::vector<LaneBytes> certain, all;
    int64_t alignment = 1;
  };
  std::map<std::pair<int64_t, int64_t>, Group> groups;  // by memory and base
  for (const DependentLane& lane : executed) {
    Group& group = groups[{lane.bytes.memory, lane.base}];
    group.alignment = lane.base == 0 ? model.sector_bytes : lane.alignment;
    group.all.push_back(lane.bytes);
    if (lane.condition == 0) group.certain.push_back(lane.bytes);
  }
  Sectors sectors;
  for (const auto& [where, group] : groups) {
    sectors.least =
        std::max(sectors.least, SectorsOfGroup(group.certain, group.alignment, model).least);
    sectors.most += SectorsOfGroup(group.all, group.alignment, model).most;
  }
  return sectors;
}

// Whether each thread executes all of its accesses or none, so that its k-th one belongs to the
// warp's k-th.
bool AreNumbered(const std::vector<std::vector<DependentLane>>& threads) {
  return llvm::all_of(threads, [](const std::vector<DependentLane>& executed) {
    return llvm::all_of(executed, [&](const DependentLane& lane) {
      return lane.condition == executed.front().condition;
    });
  });
}

}  // namespace

bool DataParts::IsOfPlace(Term term) {
  auto [known, fresh] = of_place_.try_emplace(term, false);
  if (!fresh) return known->second;
  const bool is = !terms::AnyPart(term, [](Term part) {
    return part->sort() == terms::Sort::kValue || part->kind == Kind::kUnknown ||
           (part->kind == Kind::kVariable && !IsPlaceVariable(part));
  });
  return of_place_[term] = is;
}

bool DataParts::IsOfPlaceAndData(Term term) {
  return !terms::AnyPart(term, [](Term part) {
    return part->kind == Kind::kFold || (part->kind == Kind::kVariable && !IsPlaceVariable(part));
  });
}

const std::vector<Term>& DataParts::PlacesIn(Term term) {
  auto [known, fresh] = places_.try_emplace(term);
  if (!fresh) return known->second;
  std::vector<Term> places;
  terms::ForEachPart(term, [&](Term part) {
    if (part->sort() == terms::Sort::kValue || !IsOfPlace(part)) return terms::Visit::kInto;
    places.push_back(part);
    return terms::Visit::kPast;
  });
  return places_[term] = std::move(places);
}

void DataParts::Describe(Term term, PlaceValue value, std::vector<Int128>& description) {
  description.push_back(term->id);
  for (Term place : PlacesIn(term)) description.push_back(value(place));
  // Unknown values are never assumed equal.
  const bool unknown = terms::AnyPart(term, [](Term part) {
    return part->kind == Kind::kUnknown || part->kind == Kind::kArbitrary;
  });
  if (unknown) description.push_back(--unknowns_);
}

int64_t DataParts::NumberOf(std::vector<Int128> description) {
  const auto next = static_cast<int64_t>(numbers_.size()) + 1;
  return numbers_.try_emplace(std::move(description), next).first->second;
}

std::optional<DependentLane> DataParts::LaneOf(const MemoryAccess& access, PlaceValue value) {
  DependentLane lane;
  std::vector<Int128> condition, base;
  const bool several = access.guard->kind == Kind::kAnd;
  for (Term part : several ? access.guard->args : llvm::ArrayRef<Term>(access.guard)) {
    if (!IsOfPlace(part)) {
      Describe(part, value, condition);
    } else if (value(part) == 0) {
      return std::nullopt;
    }
  }
  if (!condition.empty()) lane.condition = NumberOf(std::move(condition));
  Int128 first = 0;
  const terms::Monomial whole{1, access.offset};
  const bool sum = access.offset->kind == Kind::kSum;
  if (sum) first = access.offset->number;
  lane.alignment = int64_t{1} << 32;
  for (const terms::Monomial& m : sum ? access.offset->sum : llvm::ArrayRef(whole)) {
    if (IsOfPlace(m.atom)) {
      first += m.coefficient * value(m.atom);
    } else {
      base.push_back(m.coefficient);
      Describe(m.atom, value, base);
      lane.alignment = CommonAlignment(lane.alignment, m.coefficient);
    }
  }
  if (!base.empty()) lane.base = NumberOf(std::move(base));
  lane.bytes.first = static_cast<int64_t>(first);
  lane.bytes.bytes = access.bytes;
  return lane;
}

AccessBounds BoundsOfWarp(const std::vector<std::vector<DependentLane>>& threads,
                          int64_t sectors_of_memory, const WarpModel& model) {
  AccessBounds bounds;
  size_t certain = 0, possible = 0;  // executions, of the thread with the most
  for (const std::vector<DependentLane>& executed : threads) {
    const size_t here =
        llvm::count_if(executed, [](const DependentLane& l) { return l.condition == 0; });
    certain = std::max(certain, here);
    possible = std::max(possible, executed.size());
  }
  bounds.least_accesses = static_cast<int64_t>(certain);
  bounds.most_accesses = static_cast<int64_t>(possible);
  std::vector<DependentLane> together;
  if (AreNumbered(threads)) {
    for (size_t k = 0; k < possible; ++k) {
      together.clear();
      for (const std::vector<DependentLane>& executed : threads) {
        if (k < executed.size()) together.push_back(executed[k]);
      }
      const Sectors sectors = SectorsOf(together, model);
      const int64_t most = std::min(sectors.most, sectors_of_memory);
      bounds.least_sectors += std::min(sectors.least, most);
      bounds.most_sectors += most;
      bounds.max_sectors = std::max(bounds.max_sectors, most);
    }
    return bounds;
  }
  // Data decides which executions form one warp access. Lower bounds: the sectors of all executions
  // together, and one sector for each access.
  for (const std::vector<DependentLane>& executed : threads) {
    int64_t most_of_thread = 0;
    for (const DependentLane& lane : executed) {
      const int64_t most = SectorsOf(lane, model).most;
      most_of_thread = std::max(most_of_thread, most);
      bounds.most_sectors += most;
    }
    bounds.max_sectors += most_of_thread;
    llvm::append_range(together, executed);
  }
  bounds.max_sectors = std::min(bounds.max_sectors, sectors_of_memory);
  bounds.least_sectors = std::max(bounds.least_accesses, SectorsOf(together, model).least);
  return bounds;
}

}  // namespace affirm::kernel
