#include "driver/explore/line_diff.h"

#include <algorithm>
#include <string>

#include "driver/json_text.h"
#include "llvm/ADT/StringMap.h"

namespace affirm::driver {

using llvm::json::Array;
using llvm::json::Object;

namespace {

constexpr int64_t kMostCells = int64_t{1} << 16;  // of the table of a common subsequence
constexpr int kMostDepth = 24;                    // of anchors within parts between anchors
constexpr int64_t kContext = 3;                   // equal lines around a change
constexpr int64_t kMostRows = 400;                // of one diff
constexpr size_t kMostRowText = 240;              // bytes of a line

std::vector<llvm::StringRef> LinesOf(llvm::StringRef text) {
  std::vector<llvm::StringRef> lines;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    line.consume_back("\r");
    lines.push_back(line);
    text = rest;
  }
  return lines;
}

// The lines [a, a_end) of one text against [b, b_end) of the other.
struct Part {
  int64_t a, a_end, b, b_end;
  int depth;
};

using Match = std::pair<int64_t, int64_t>;
using Matches = std::vector<Match>;

class Aligner {
 public:
  Aligner(llvm::ArrayRef<llvm::StringRef> before, llvm::ArrayRef<llvm::StringRef> after) {
    llvm::StringMap<int64_t> numbers;
    auto number = [&](llvm::StringRef line) {
      return numbers.try_emplace(line, static_cast<int64_t>(numbers.size())).first->second;
    };
    for (llvm::StringRef line : before) a_.push_back(number(line));
    for (llvm::StringRef line : after) b_.push_back(number(line));
    seen_.resize(numbers.size());
  }

  Matches Run() {
    std::vector<Part> parts{{0, std::ssize(a_), 0, std::ssize(b_), 0}};
    while (!parts.empty()) {
      Part part = parts.back();
      parts.pop_back();
      StripEqualEnds(part);
      if (part.a == part.a_end || part.b == part.b_end) continue;
      const std::vector<Match> anchors = part.depth < kMostDepth ? Anchors(part) : Matches{};
      if (anchors.empty()) {
        AlignByTable(part);
        continue;
      }
      Part between{part.a, part.a_end, part.b, part.b_end, part.depth + 1};
      for (const Match& anchor : anchors) {
        matches_.push_back(anchor);
        between.a_end = anchor.first;
        between.b_end = anchor.second;
        parts.push_back(between);
        between.a = anchor.first + 1;
        between.b = anchor.second + 1;
      }
      between.a_end = part.a_end;
      between.b_end = part.b_end;
      parts.push_back(between);
    }
    std::sort(matches_.begin(), matches_.end());
    return std::move(matches_);
  }

 private:
  // How often a line occurs in the current part, and where.
  struct Seen {
    int64_t in_a = 0, in_b = 0, at_b = 0;
  };

  void StripEqualEnds(Part& part) {
    while (part.a < part.a_end && part.b < part.b_end && a_[part.a] == b_[part.b])
      matches_.emplace_back(part.a++, part.b++);
    while (part.a < part.a_end && part.b < part.b_end && a_[part.a_end - 1] == b_[part.b_end - 1])
      matches_.emplace_back(--part.a_end, --part.b_end);
  }

  // The longest list of lines that occur once in both sides, in the same order.
  Matches Anchors(const Part& part) {
    for (int64_t k = part.a; k < part.a_end; ++k) seen_[a_[k]] = {};
    for (int64_t k = part.b; k < part.b_end; ++k) seen_[b_[k]] = {};
    for (int64_t k = part.a; k < part.a_end; ++k) ++seen_[a_[k]].in_a;
    for (int64_t k = part.b; k < part.b_end; ++k) {
      ++seen_[b_[k]].in_b;
      seen_[b_[k]].at_b = k;
    }
    Matches unique;
    for (int64_t k = part.a; k < part.a_end; ++k) {
      const Seen& seen = seen_[a_[k]];
      if (seen.in_a == 1 && seen.in_b == 1) unique.emplace_back(k, seen.at_b);
    }
    return LongestIncreasing(unique);
  }

  static Matches LongestIncreasing(const Matches& all) {
    std::vector<size_t> ends, previous(all.size());  // ends[n]: the last of the best list of n + 1
    for (size_t k = 0; k < all.size(); ++k) {
      auto place = std::lower_bound(ends.begin(), ends.end(), all[k].second,
                                    [&](size_t e, int64_t b) { return all[e].second < b; });
      previous[k] = place == ends.begin() ? k : *(place - 1);
      if (place == ends.end()) {
        ends.push_back(k);
      } else {
        *place = k;
      }
    }
    Matches longest(ends.size());
    size_t at = ends.empty() ? 0 : ends.back();
    for (size_t n = ends.size(); n-- > 0; at = previous[at]) longest[n] = all[at];
    return longest;
  }

  void AlignByTable(const Part& part) {
    const int64_t rows = part.a_end - part.a, columns = part.b_end - part.b;
    if (rows > kMostCells / columns) return;
    // length[r][c]: the length of the longest common subsequence of the lines from r and c on.
    std::vector<uint16_t> length((rows + 1) * (columns + 1));
    auto at = [&](int64_t r, int64_t c) -> uint16_t& { return length[(r * (columns + 1)) + c]; };
    for (int64_t r = rows; r-- > 0;) {
      for (int64_t c = columns; c-- > 0;) {
        at(r, c) = a_[part.a + r] == b_[part.b + c] ? at(r + 1, c + 1) + 1
                                                    : std::max(at(r + 1, c), at(r, c + 1));
      }
    }
    for (int64_t r = 0, c = 0; r < rows && c < columns;) {
      if (a_[part.a + r] == b_[part.b + c]) {
        matches_.emplace_back(part.a + r++, part.b + c++);
      } else if (at(r + 1, c) >= at(r, c + 1)) {
        ++r;
      } else {
        ++c;
      }
    }
  }

  Matches matches_;
  std::vector<int64_t> a_, b_;  // numbers of lines: equal lines have one number
  std::vector<Seen> seen_;      // by number
};

// The first place at or before `at` where a character of UTF-8 starts.
size_t CharacterAt(llvm::StringRef line, size_t at) {
  while (at > 0 && at < line.size() && (static_cast<uint8_t>(line[at]) & 0xC0) == 0x80) --at;
  return at;
}

std::string Cut(llvm::StringRef line, size_t from) {
  from = CharacterAt(line, from);
  const size_t end = CharacterAt(line, from + kMostRowText);
  std::string text = from > 0 ? "… " : "";
  text += line.slice(from, end);
  if (end < line.size()) text += " …";
  return JsonText(text);
}

class RowWriter {
 public:
  RowWriter(const LineDiff& diff, DiffBudget& budget) : diff_(diff), budget_(budget) {}

  Object Write() {
    int64_t a = 0, b = 0, equal = 0;  // equal: the number of equal lines that end at a and b
    bool is_first = true;
    auto change = [&](int64_t a_end, int64_t b_end) {
      if (a == a_end && b == b_end) return;
      Equal(a - equal, b - equal, equal, !is_first, true);
      Changed(a, a_end, b, b_end);
      a = a_end;
      b = b_end;
      equal = 0;
      is_first = false;
    };
    for (const auto& [in_a, in_b] : diff_.matches) {
      change(in_a, in_b);
      ++a;
      ++b;
      ++equal;
    }
    change(std::ssize(diff_.before), std::ssize(diff_.after));
    Equal(a - equal, b - equal, equal, !is_first, false);
    return Object{{"lines", Array{std::ssize(diff_.before), std::ssize(diff_.after)}},
                  {"removed", removed_},
                  {"added", added_},
                  {"rows", std::move(rows_)},
                  {"left_out", left_out_}};
  }

 private:
  // Adds equal lines from a and b on: the lines next to changes, and the number of the others.
  void Equal(int64_t a, int64_t b, int64_t count, bool behind_change, bool before_change) {
    const int64_t head = behind_change ? std::min(count, kContext) : 0;
    const int64_t tail = before_change ? std::min(count - head, kContext) : 0;
    auto lines = [&](int64_t from, int64_t end) {
      for (int64_t k = from; k < end; ++k)
        Add(Array{a + k + 1, b + k + 1, Cut(diff_.before[a + k], 0)}, diff_.before[a + k].size());
    };
    lines(0, head);
    if (count > head + tail && !is_full_) rows_.push_back(Array{count - head - tail});
    lines(count - tail, count);
  }

  // Removed lines beside added ones: first those of one name.
  void Changed(int64_t a, int64_t a_end, int64_t b, int64_t b_end) {
    removed_ += a_end - a;
    added_ += b_end - b;
    Matches named = NamedAlike(a, a_end, b, b_end);
    named.emplace_back(a_end, b_end);
    for (const auto& [in_a, in_b] : named) {
      while (a < in_a || b < in_b) ChangedRow(a < in_a ? a++ : -1, b < in_b ? b++ : -1);
      if (in_a < a_end && in_b < b_end) ChangedRow(a++, b++);
    }
  }

  Matches NamedAlike(int64_t a, int64_t a_end, int64_t b, int64_t b_end) const {
    std::vector<llvm::StringRef> names[2];
    std::vector<int64_t> places[2];
    auto add = [&](int side, llvm::StringRef line, int64_t place) {
      llvm::StringRef name = line.split(" = ").first.trim();
      if (name.size() == line.trim().size()) return;
      name.consume_front("ROOT ");
      names[side].push_back(name);
      places[side].push_back(place);
    };
    for (int64_t k = a; k < a_end; ++k) add(0, diff_.before[k], k);
    for (int64_t k = b; k < b_end; ++k) add(1, diff_.after[k], k);
    Matches matches = Aligner(names[0], names[1]).Run();
    for (auto& [in_a, in_b] : matches) {
      in_a = places[0][in_a];
      in_b = places[1][in_b];
    }
    return matches;
  }

  // A row of line a, or -1, beside line b, or -1.
  void ChangedRow(int64_t a, int64_t b) {
    const llvm::StringRef was = a < 0 ? "" : diff_.before[a], is = b < 0 ? "" : diff_.after[b];
    size_t same = 0;
    while (same < std::min(was.size(), is.size()) && was[same] == is[same]) ++same;
    const size_t from = same > kMostRowText / 2 ? same - (kMostRowText / 4) : 0;
    Array row{a + 1, b + 1, nullptr, nullptr};
    if (a >= 0) row[2] = Cut(was, from);
    if (b >= 0) row[3] = Cut(is, from);
    if (!Add(std::move(row), was.size() + is.size())) ++left_out_;
  }

  bool Add(Array row, size_t bytes) {
    bytes = std::min(bytes, 2 * kMostRowText) + 20;
    is_full_ =
        is_full_ || std::ssize(rows_) >= kMostRows || budget_.bytes < static_cast<int64_t>(bytes);
    if (is_full_) return false;
    budget_.bytes -= static_cast<int64_t>(bytes);
    rows_.push_back(std::move(row));
    return true;
  }

  const LineDiff& diff_;
  DiffBudget& budget_;
  Array rows_;
  bool is_full_ = false;  // nothing is added behind the first row that does not fit
  int64_t removed_ = 0, added_ = 0, left_out_ = 0;
};

}  // namespace

LineDiff AlignLines(llvm::StringRef before, llvm::StringRef after) {
  LineDiff diff{.before = LinesOf(before), .after = LinesOf(after), .matches = {}};
  diff.matches = Aligner(diff.before, diff.after).Run();
  return diff;
}

Object DiffJson(const LineDiff& diff, DiffBudget& budget) {
  return RowWriter(diff, budget).Write();
}

}  // namespace affirm::driver
