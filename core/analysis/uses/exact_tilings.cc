// Counts the candidates first, so that nothing large is listed.
#include "core/analysis/uses/exact_tilings.h"

#include <algorithm>

#include "core/indexing/indexing_map.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace affirm {
namespace {

constexpr int64_t kMostForDivisors = int64_t{1} << 40;
constexpr int64_t kMostForAll = int64_t{1} << 20;

int64_t CountOf(llvm::ArrayRef<std::vector<int64_t>> sizes) {
  int64_t count = 1;
  for (const std::vector<int64_t>& of_dim : sizes) {
    if (llvm::MulOverflow(count, static_cast<int64_t>(of_dim.size()), count)) return kInt64Max;
  }
  return count;
}

// Advances to the next choice in lexicographic order; false behind the last.
bool Advance(llvm::MutableArrayRef<size_t> choice, llvm::ArrayRef<std::vector<int64_t>> sizes) {
  for (size_t k = choice.size(); k-- > 0;) {
    if (++choice[k] < sizes[k].size()) return true;
    choice[k] = 0;
  }
  return false;
}

}  // namespace

std::vector<int64_t> SizesToTry(int64_t extent, TileSizes which) {
  extent = std::max<int64_t>(extent, 1);
  std::vector<int64_t> sizes;
  if (which == TileSizes::kAll) {
    for (int64_t size = 1; size <= extent; ++size) sizes.push_back(size);
    return sizes;
  }
  sizes.push_back(1);
  while (sizes.back() <= (extent - 1) / 2) sizes.push_back(sizes.back() * 2);
  sizes.push_back(extent);
  if (which == TileSizes::kDivisorsAndPowersOfTwo && extent <= kMostForDivisors) {
    for (int64_t divisor = 2; divisor * divisor <= extent; ++divisor) {
      if (extent % divisor != 0) continue;
      sizes.push_back(divisor);
      sizes.push_back(extent / divisor);
    }
  }
  llvm::sort(sizes);
  sizes.erase(llvm::unique(sizes), sizes.end());
  return sizes;
}

TilingList ExactTilings(llvm::ArrayRef<int64_t> extents, int64_t most,
                        llvm::function_ref<bool(llvm::ArrayRef<int64_t>)> is_exact) {
  TilingList list;
  std::vector<std::vector<int64_t>> sizes;
  for (TileSizes which :
       {TileSizes::kAll, TileSizes::kDivisorsAndPowersOfTwo, TileSizes::kPowersOfTwo}) {
    const bool is_large = llvm::any_of(extents, [](int64_t n) { return n > kMostForAll; });
    if (which == TileSizes::kAll && is_large) continue;
    sizes.clear();
    for (int64_t extent : extents) sizes.push_back(SizesToTry(extent, which));
    list.which = which;
    list.candidates = CountOf(sizes);
    if (list.candidates <= most) break;
  }
  std::vector<size_t> choice(extents.size());
  bool more = true;
  for (; more && list.tried < most; ++list.tried) {
    std::vector<int64_t> tiling;
    for (auto [k, of_dim] : llvm::enumerate(sizes)) tiling.push_back(of_dim[choice[k]]);
    if (is_exact(tiling)) list.exact.push_back(std::move(tiling));
    more = Advance(choice, sizes);
  }
  return list;
}

bool AreExact(const GroupedTiles& tiles) {
  return llvm::all_of(tiles, [](const auto& of_one) {
    return llvm::all_of(of_one.second, [](const LeafTile& leaf) {
      return leaf.tile.exactness == Exactness::kExact;
    });
  });
}

}  // namespace affirm
