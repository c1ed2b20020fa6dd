// Ops with windows or indices: pooling, convolutions, dynamic slices, gathers and scatters.
#include <algorithm>
#include <set>
#include <utility>

#include "tests/certificate/twin/op_reader.h"

namespace twin {
namespace {

bool AreInOrder(const Dims& dims) {
  return AreOnce(dims) && std::is_sorted(dims.begin(), dims.end());
}
bool AreAtMost(const Sizes& small, const Sizes& large) {
  return small.size() == large.size() &&
         std::equal(small.begin(), small.end(), large.begin(),
                    [](const Integer& a, const Integer& b) { return a <= b; });
}

// Do the dimensions of a gather fit its operand, its indices and its result?  A scatter has its
// updates for the result.
bool Fits(const Indexing& i, const Sizes& operand, const Sizes& indices, const Sizes& result) {
  const Dims missing = Joined(i.missing, i.batching);
  const Dims& paired = i.indices_batching;
  const size_t rank = indices.size();
  if (!AreBelow(Joined(missing, i.indexed), operand.size()) || !AreOnce(missing)) return false;
  if (!AreOnce(i.indexed) || !AreBelow(i.windows, result.size()) || !AreInOrder(i.windows))
    return false;
  if (!AreBelow(paired, rank) || !AreOnce(paired) || i.vector > rank) return false;
  if (Contains(paired, i.vector)) return false;
  const Integer components = i.vector < rank ? indices[i.vector] : Integer(1);
  return components == i.indexed.size() && i.windows.size() + missing.size() == operand.size() &&
         Without(result, i.windows) == Without(indices, {i.vector}) &&
         AtAll(operand, i.batching) == AtAll(indices, paired);
}

}  // namespace

// `{size=2x2 stride=2x2 pad=0_1x0_1}`.
std::vector<Window> OpReader::ReadWindows(const Words& value, size_t rank) const {
  Expect(value.size() % 3 == 2 && value.front() == "{" && value.back() == "}", "expected a window");
  std::vector<Window> windows(rank, Window{1, 1, 1, 0, 1, 0, false});
  std::set<std::string_view> fields;
  for (size_t at = 1; at + 1 < value.size(); at += 3) {
    const std::string_view field = value[at];
    Expect(value[at + 1] == "=" && fields.insert(field).second, "expected a field of a window");
    const Words entries = Split(value[at + 2], 'x');
    Expect(entries.size() == rank, "a window needs an entry for each dimension");
    for (size_t d = 0; d < rank; ++d) {
      if (field == "pad") {
        const Words ends = Split(entries[d], '_');
        Expect(ends.size() == 2, "expected a padding as 0_0");
        windows[d].low = ReadPlainInteger(ends[0]);
        windows[d].high = ReadSmallInteger(ends[1]);
        continue;
      }
      const Integer entry = ReadPlainInteger(entries[d]);
      if (field == "size") {
        windows[d].taps = entry;
      } else if (field == "stride") {
        windows[d].stride = entry;
      } else if (field == "lhs_dilate") {
        windows[d].base = entry;
      } else if (field == "rhs_dilate") {
        windows[d].dilation = entry;
      } else {
        Expect(field == "rhs_reversal" && (entry == 0 || entry == 1),
               "expected a field of a window");
        windows[d].reversed = entry == 1;
      }
    }
  }
  return windows;
}

void OpReader::ExpectWindows(const Sizes& input, const Sizes& out) const {
  for (size_t d = 0; d < op_.windows.size(); ++d) {
    const Window& w = op_.windows[d];
    Expect(w.taps >= 1 && w.stride >= 1 && w.base >= 1 && w.dilation >= 1,
           "sizes, strides and dilations are positive");
    const Integer& in = At(input, d);
    const Integer dilated = in == 0 ? Integer(0) : Integer((in - 1) * w.base + 1);
    const Integer left = w.low + dilated + w.high - ((w.taps - 1) * w.dilation + 1);
    ExpectFits(At(out, d) == (left < 0 ? Integer(0) : Integer(left / w.stride + 1)));
  }
}

void OpReader::ReadWindowed() {
  op_.windows = ReadWindows(Needed("window"), Rank());
  ExpectFits(Of(0).size() == Rank());
  if (name_ == "reduce-window") {
    op_.kind = Kind::kReduceWindow;
    ExpectWindows(Of(0), Out());
    return ExpectFits(AreArraysAndScalars());
  }
  ExpectCount(3);
  op_.kind = Kind::kSelectAndScatter;
  for (const Window& w : op_.windows)
    Expect(w.base == 1 && !w.reversed, "the window of a select-and-scatter is dilated");
  ExpectFits(Of(1).size() == Rank() && Of(0) == Out() && Of(2).empty());
  ExpectWindows(Of(0), Of(1));
}

void OpReader::ReadDot() {
  ExpectCount(2);
  op_.kind = Kind::kDot;
  const Dims lb = op_.left_batch = DimsAt("lhs_batch_dims");
  const Dims rb = op_.right_batch = DimsAt("rhs_batch_dims");
  const Dims lc = op_.left_contracted = DimsAt("lhs_contracting_dims");
  const Dims rc = op_.right_contracted = DimsAt("rhs_contracting_dims");
  const Sizes &left = Of(0), &right = Of(1);
  ExpectFits(AreOnce(Joined(lb, lc)) && AreOnce(Joined(rb, rc)));
  ExpectFits(AtAll(left, lb) == AtAll(right, rb) && AtAll(left, lc) == AtAll(right, rc));
  Sizes out = AtAll(left, lb);
  for (const Sizes& free : {Without(left, Joined(lb, lc)), Without(right, Joined(rb, rc))})
    out.insert(out.end(), free.begin(), free.end());
  ExpectFits(out == Out());
}

// `b01f`: where each of the characters stands.
Labels OpReader::ReadLabels(std::string_view text, char major, char minor) {
  const auto find = [&](char c) {
    const size_t at = text.find(c);
    Expect(at != text.npos && text.find(c, at + 1) == text.npos, "expected each label once");
    return at;
  };
  Expect(2 <= text.size() && text.size() <= 12, "expected labels as b01f");
  Labels labels = {find(major), find(minor), {}};
  for (size_t k = 0; k + 2 < text.size(); ++k)
    labels.spatial.push_back(find(static_cast<char>('0' + k)));
  return labels;
}

void OpReader::ReadConvolution() {
  ExpectCount(2);
  op_.kind = Kind::kConvolution;
  const Words parts = Split(Word("dim_labels"), '_');
  Expect(parts.size() == 2, "expected labels as b01f_01io->b01f");
  const size_t arrow = parts[1].find('-');
  Expect(arrow != parts[1].npos && parts[1].substr(arrow).starts_with("->"),
         "expected labels as b01f_01io->b01f");
  op_.input = ReadLabels(parts[0], 'b', 'f');
  op_.kernel = ReadLabels(parts[1].substr(0, arrow), 'i', 'o');
  op_.output = ReadLabels(parts[1].substr(arrow + 2), 'b', 'f');
  const size_t spatial = op_.input.spatial.size();
  ExpectFits(op_.kernel.spatial.size() == spatial && op_.output.spatial.size() == spatial &&
             Rank() == spatial + 2 && Of(0).size() == Rank() && Of(1).size() == Rank());
  // There is a window where there is something to say of it.
  Expect((Find("window") != nullptr) == (spatial > 0), "a convolution has a window");
  if (spatial > 0) op_.windows = ReadWindows(attributes_.at("window"), spatial);
  const Integer& fg = op_.feature_groups = Groups("feature_group_count");
  const Integer& bg = op_.batch_groups = Groups("batch_group_count");
  for (size_t d = 0; d < spatial; ++d)
    ExpectFits(op_.windows[d].taps == Of(1)[op_.kernel.spatial[d]]);
  ExpectWindows(AtAll(Of(0), op_.input.spatial), AtAll(Out(), op_.output.spatial));
  const Integer& features = Out()[op_.output.minor];
  ExpectFits(features % fg == 0 && features % bg == 0 && Of(1)[op_.kernel.minor] == features);
  ExpectFits(Of(0)[op_.input.minor] == Of(1)[op_.kernel.major] * fg &&
             Of(0)[op_.input.major] == Out()[op_.output.major] * bg);
}

void OpReader::ReadDynamic() {
  if (name_ == "dynamic-slice") {
    op_.kind = Kind::kDynamicSlice;
    ExpectFits(NeededSizes("dynamic_slice_sizes") == Out() && AreAtMost(Out(), Of(0)) &&
               AreStarts(1));
  } else {
    op_.kind = Kind::kDynamicUpdateSlice;
    ExpectFits(Of(0) == Out() && AreAtMost(Of(1), Out()) && AreStarts(2));
  }
}

void OpReader::ReadGather() {
  ExpectCount(2);
  op_.kind = Kind::kGather;
  Indexing& i = op_.indexing;
  i = {DimsAt("offset_dims"),
       DimsAt("collapsed_slice_dims"),
       DimsAt("start_index_map"),
       DimsAt("operand_batching_dims"),
       DimsAt("start_indices_batching_dims"),
       ReadDimension(Word("index_vector_dim"))};
  const Sizes slice = op_.slice_sizes = NeededSizes("slice_sizes");
  ExpectFits(AreAtMost(slice, Of(0)) && Fits(i, Of(0), Of(1), Out()));
  for (const Integer& size : slice) ExpectFits(size >= 0);
  const Dims missing = Joined(i.missing, i.batching);
  for (const Integer& size : AtAll(slice, missing)) ExpectFits(size <= 1);
  ExpectFits(Without(slice, missing) == AtAll(Out(), i.windows));
}

void OpReader::ReadScatter() {
  op_.kind = Kind::kScatter;
  Indexing& i = op_.indexing;
  i = {DimsAt("update_window_dims"),
       DimsAt("inserted_window_dims"),
       DimsAt("scatter_dims_to_operand_dims"),
       DimsAt("input_batching_dims"),
       DimsAt("scatter_indices_batching_dims"),
       ReadDimension(Word("index_vector_dim"))};
  const size_t arrays = operands_.size() / 2;
  ExpectCount(2 * arrays + 1);
  for (size_t k = 0; k < arrays; ++k)
    ExpectFits(Of(k) == Out() && Of(arrays + 1 + k) == Of(arrays + 1));
  const Sizes& updates = Of(arrays + 1);
  ExpectFits(Fits(i, Out(), Of(arrays), updates) &&
             AreAtMost(AtAll(updates, i.windows), Without(Out(), Joined(i.missing, i.batching))));
}

}  // namespace twin
