#include "verify/compare/sorting_network.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <vector>

#include "llvm/ADT/STLExtras.h"

namespace affirm::compare {

namespace {

constexpr int64_t kBits = 64;
// One bit for each 0-1 input.
using Words = std::vector<uint64_t>;

// Wires that exchanges have connected.
struct Component {
  std::vector<int64_t> wires;  // ascending
  // The `count` possible outputs, as one row of bits for each wire. Without rows if they are all
  // sorted: output v then has its ones on the last v wires.
  bool sorted = true;
  int64_t count = 2;
  std::vector<Words> rows;
  // Until the outputs are computed: the two joined components, and the exchanges since.
  std::unique_ptr<Component> parts[2];
  std::vector<CompareExchange> exchanges;

  Words Row(size_t wire) const {
    if (!sorted) return rows[wire];
    Words row(static_cast<size_t>((count + kBits - 1) / kBits), 0);
    for (auto v = static_cast<int64_t>(wires.size() - wire); v < count; ++v)
      row[static_cast<size_t>(v / kBits)] |= uint64_t{1} << (v % kBits);
    return row;
  }
  bool Bit(size_t wire, int64_t input) const {
    if (sorted) return input >= static_cast<int64_t>(wires.size() - wire);
    return (rows[wire][static_cast<size_t>(input / kBits)] >> (input % kBits) & 1) != 0;
  }
};

class Network {
 public:
  Network(int64_t wires, int64_t steps) : component_(wires), place_(wires), steps_(steps) {
    for (int64_t w = 0; w < wires; ++w) {
      component_[w] = w;
      components_.push_back(std::make_unique<Component>());
      components_.back()->wires = {w};
    }
  }

  // False when the fuel is used up.
  bool Add(CompareExchange exchange) {
    const int64_t a = component_[exchange.low], b = component_[exchange.high];
    if (a != b) {
      if (!Settle(*components_[a]) || !Settle(*components_[b])) return false;
      auto joined = std::make_unique<Component>();
      std::merge(components_[a]->wires.begin(), components_[a]->wires.end(),
                 components_[b]->wires.begin(), components_[b]->wires.end(),
                 std::back_inserter(joined->wires));
      for (int64_t w : components_[b]->wires) component_[w] = a;
      joined->parts[0] = std::move(components_[a]);
      joined->parts[1] = std::move(components_[b]);
      components_[a] = std::move(joined);
    }
    components_[a]->exchanges.push_back(exchange);
    return true;
  }

  std::optional<bool> IsSorted() {
    // Components are independent, so two of them are not in order together.
    if (llvm::any_of(component_, [&](int64_t c) { return c != component_[0]; })) return false;
    Component& all = *components_[component_[0]];
    if (!Settle(all)) return std::nullopt;
    return all.sorted;
  }

 private:
  // Computes the component's outputs.
  bool Settle(Component& c) {
    if (!c.parts[0]) return true;
    for (size_t w = 0; w < c.wires.size(); ++w) place_[c.wires[w]] = w;
    if (c.parts[0]->count > c.parts[1]->count) std::swap(c.parts[0], c.parts[1]);
    c.sorted = true;
    std::vector<Words> rows(c.wires.size());
    for (int64_t input = 0; c.sorted && input < c.parts[0]->count; ++input) {
      if (!Run(c, input, rows)) return false;
      c.sorted = AreSorted(rows, c.parts[1]->count);
    }
    if (c.sorted) {
      c.count = std::ssize(c.wires) + 1;
    } else if (!ListInputs(c, rows)) {
      return false;
    }
    c.parts[0].reset();
    c.parts[1].reset();
    c.exchanges.clear();
    return true;
  }

  // Evaluates the exchanges for one output of the first part and all outputs of the second.
  bool Run(const Component& c, int64_t input, std::vector<Words>& rows) {
    const Component &one = *c.parts[0], &all = *c.parts[1];
    const auto words = static_cast<size_t>((all.count + kBits - 1) / kBits);
    steps_ -= static_cast<int64_t>(words * (c.exchanges.size() + c.wires.size()));
    if (steps_ < 0) return false;
    for (size_t w = 0; w < one.wires.size(); ++w)
      rows[place_[one.wires[w]]].assign(words, one.Bit(w, input) ? ~uint64_t{0} : 0);
    for (size_t w = 0; w < all.wires.size(); ++w) rows[place_[all.wires[w]]] = all.Row(w);
    for (CompareExchange e : c.exchanges) {
      Words &low = rows[place_[e.low]], &high = rows[place_[e.high]];
      for (size_t k = 0; k < words; ++k) {
        const uint64_t x = low[k], y = high[k];
        low[k] = x & y;
        high[k] = x | y;
      }
    }
    return true;
  }

  static bool AreSorted(const std::vector<Words>& rows, int64_t count) {
    const uint64_t last = count % kBits == 0 ? ~uint64_t{0} : (uint64_t{1} << (count % kBits)) - 1;
    for (size_t w = 0; w + 1 < rows.size(); ++w) {
      for (size_t k = 0; k < rows[w].size(); ++k) {
        const uint64_t mask = k + 1 == rows[w].size() ? last : ~uint64_t{0};
        if ((rows[w][k] & ~rows[w + 1][k] & mask) != 0) return false;
      }
    }
    return true;
  }

  // Lists the distinct outputs of a component that does not sort.
  bool ListInputs(Component& c, std::vector<Words>& rows) {
    std::vector<Words> inputs;  // one bit for each wire
    for (int64_t input = 0; input < c.parts[0]->count; ++input) {
      steps_ -= c.parts[1]->count * std::ssize(c.wires);
      if (!Run(c, input, rows)) return false;
      for (int64_t other = 0; other < c.parts[1]->count; ++other) {
        Words bits((c.wires.size() + kBits - 1) / kBits, 0);
        for (size_t w = 0; w < rows.size(); ++w) {
          const uint64_t bit = rows[w][static_cast<size_t>(other / kBits)] >> (other % kBits) & 1;
          bits[w / kBits] |= bit << (w % kBits);
        }
        inputs.push_back(std::move(bits));
      }
    }
    llvm::sort(inputs);
    inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
    c.count = std::ssize(inputs);
    c.rows.assign(c.wires.size(), Words(static_cast<size_t>((c.count + kBits - 1) / kBits), 0));
    for (size_t v = 0; v < inputs.size(); ++v) {
      for (size_t w = 0; w < c.wires.size(); ++w)
        c.rows[w][v / kBits] |= (inputs[v][w / kBits] >> (w % kBits) & 1) << (v % kBits);
    }
    return true;
  }

  std::vector<int64_t> component_;  // of each wire
  std::vector<std::unique_ptr<Component>> components_;
  std::vector<size_t> place_;  // of each wire in its component, while that is computed
  int64_t steps_;
};

// The exchanges by their depth in the network, so that parts are complete before they are merged,
// whatever the order of independent exchanges.
std::vector<CompareExchange> ByLevel(int64_t wires, llvm::ArrayRef<CompareExchange> exchanges) {
  std::vector<int64_t> level(wires, 0);
  std::vector<std::pair<int64_t, CompareExchange>> leveled;
  leveled.reserve(exchanges.size());
  for (CompareExchange e : exchanges) {
    level[e.low] = level[e.high] = std::max(level[e.low], level[e.high]) + 1;
    leveled.emplace_back(level[e.low], e);
  }
  llvm::stable_sort(leveled, [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<CompareExchange> ordered;
  ordered.reserve(leveled.size());
  for (const auto& [of, e] : leveled) ordered.push_back(e);
  return ordered;
}

}  // namespace

std::optional<bool> Sorts(int64_t wires, llvm::ArrayRef<CompareExchange> exchanges, int64_t steps) {
  if (wires < 2) return true;
  Network network(wires, steps);
  for (CompareExchange e : ByLevel(wires, exchanges)) {
    if (!network.Add(e)) return std::nullopt;
  }
  return network.IsSorted();
}

}  // namespace affirm::compare
