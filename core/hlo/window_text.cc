// Readers and printers of windows, slices, paddings and dim_labels.
#include "core/hlo/window_text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

namespace affirm::hlo {
namespace {

using Ints = std::vector<int64_t>;

// Numbers behind each other, such as 3x3 or 1_1x0_0: rows of `separator`-separated numbers. The
// whole is one word, which has no blanks.
llvm::Expected<std::vector<Ints>> ParseRows(Scanner& scanner, llvm::StringRef key) {
  scanner.SkipSpace();
  const size_t begin = scanner.pos();
  const llvm::StringRef rest = scanner.Rest();
  const size_t length = std::min(rest.find_first_not_of("0123456789-_x"), rest.size());
  llvm::StringRef word = rest.take_front(length);
  auto fail = [&](const llvm::Twine& what) {
    return scanner.Fail(
        begin, "expected " + what + " as the value of " + key + ", found " + scanner.Found());
  };
  if (word.empty()) return fail("numbers like '1x2' or '0_1x2_2'");
  std::vector<Ints> rows;
  do {
    llvm::StringRef row;
    std::tie(row, word) = word.split('x');
    rows.emplace_back();
    for (llvm::StringRef digits : llvm::split(row, '_')) {
      int64_t value = 0;
      if (digits.getAsInteger(10, value)) return fail("numbers like '1x2' or '0_1x2_2'");
      rows.back().push_back(value);
    }
  } while (!word.empty());
  if (rest.take_front(length).ends_with("x")) return fail("a number behind 'x'");
  scanner.set_pos(begin + length);
  return rows;
}

// Stores the value of one key of a window for one dimension.
bool StoreWindowValue(llvm::StringRef key, const Ints& row, WindowDimension& dim) {
  if (key == "pad") {
    if (row.size() != 2) return false;
    dim.padding_low = row[0];
    dim.padding_high = row[1];
    return true;
  }
  if (row.size() != 1) return false;
  if (key == "size") {
    dim.size = row[0];
  } else if (key == "stride") {
    dim.stride = row[0];
  } else if (key == "lhs_dilate") {
    dim.base_dilation = row[0];
  } else if (key == "rhs_dilate") {
    dim.window_dilation = row[0];
  } else if (key == "rhs_reversal" && (row[0] == 0 || row[0] == 1)) {
    dim.reversal = row[0] == 1;
  } else {
    return false;
  }
  return true;
}

template <typename Get>
void PrintWindowKey(llvm::StringRef key, llvm::ArrayRef<WindowDimension> window, bool always,
                    llvm::raw_ostream& os, Get get) {
  static const WindowDimension kDefault;
  const bool differs =
      llvm::any_of(window, [&](const WindowDimension& dim) { return get(dim) != get(kDefault); });
  if (!always && !differs) return;
  os << (always ? "" : " ") << key << "=";
  llvm::ListSeparator separator("x");
  for (const WindowDimension& dim : window) os << separator << get(dim);
}

// One of the three parts of dim_labels: the position of each letter, and the positions of 0, 1, 2,
// ...
bool ParseLabels(llvm::StringRef labels, char first, char second, int64_t& first_place,
                 int64_t& second_place, Ints& spatial) {
  first_place = second_place = -1;
  llvm::SmallVector<int64_t> places(labels.size(), -1);
  size_t num_spatial = 0;
  for (size_t i = 0; i < labels.size(); ++i) {
    int64_t* place = nullptr;
    if (labels[i] == first) {
      place = &first_place;
    } else if (labels[i] == second) {
      place = &second_place;
    } else if (llvm::isDigit(labels[i]) && static_cast<size_t>(labels[i] - '0') < places.size()) {
      place = &places[labels[i] - '0'];
      ++num_spatial;
    }
    if (place == nullptr || *place != -1) return false;
    *place = static_cast<int64_t>(i);
  }
  spatial.assign(places.begin(), places.begin() + num_spatial);
  return first_place != -1 && second_place != -1 && !llvm::is_contained(spatial, -1);
}

void PrintLabels(int64_t first_place, char first, int64_t second_place, char second,
                 llvm::ArrayRef<int64_t> spatial, llvm::raw_ostream& os) {
  std::string labels(spatial.size() + 2, '?');
  auto put = [&](int64_t place, char c) {
    if (place >= 0 && place < static_cast<int64_t>(labels.size())) labels[place] = c;
  };
  put(first_place, first);
  put(second_place, second);
  for (size_t i = 0; i < spatial.size(); ++i) put(spatial[i], static_cast<char>('0' + i));
  os << labels;
}

}  // namespace

llvm::Expected<std::vector<SliceDimension>> ParseSliceDimensions(Scanner& scanner) {
  std::vector<SliceDimension> slice;
  if (llvm::Error error = scanner.Expect('{', "before the ranges of a slice")) return error;
  if (scanner.Consume('}')) return slice;
  do {
    SliceDimension dim;
    if (llvm::Error error = scanner.Expect('[', "before a range of a slice")) return error;
    llvm::Expected<int64_t> start = scanner.Integer("the start of a range");
    if (!start) return start.takeError();
    if (llvm::Error error = scanner.Expect(':', "behind the start of a range")) return error;
    llvm::Expected<int64_t> limit = scanner.Integer("the limit of a range");
    if (!limit) return limit.takeError();
    dim.start = *start;
    dim.limit = *limit;
    if (scanner.Consume(':')) {
      llvm::Expected<int64_t> stride = scanner.Integer("the stride of a range");
      if (!stride) return stride.takeError();
      dim.stride = *stride;
    }
    if (llvm::Error error = scanner.Expect(']', "behind a range of a slice")) return error;
    slice.push_back(dim);
  } while (scanner.Consume(','));
  if (llvm::Error error = scanner.Expect('}', "or ',' behind a range of a slice")) return error;
  return slice;
}

void PrintSliceDimensions(llvm::ArrayRef<SliceDimension> slice, llvm::raw_ostream& os) {
  os << "{";
  llvm::ListSeparator separator;
  for (const SliceDimension& dim : slice) {
    os << separator << "[" << dim.start << ":" << dim.limit;
    if (dim.stride != 1) os << ":" << dim.stride;
    os << "]";
  }
  os << "}";
}

llvm::Expected<std::vector<PaddingDimension>> ParsePadding(Scanner& scanner) {
  scanner.SkipSpace();
  const size_t begin = scanner.pos();
  std::vector<PaddingDimension> padding;
  // The padding of a scalar has no dimensions, and no text.
  if (!llvm::isDigit(scanner.Peek()) && scanner.Peek() != '-') return padding;
  llvm::Expected<std::vector<Ints>> rows = ParseRows(scanner, "padding");
  if (!rows) return rows.takeError();
  for (const Ints& row : *rows) {
    if (row.size() != 2 && row.size() != 3) {
      return scanner.Fail(begin, "expected low_high or low_high_interior for each dimension");
    }
    padding.push_back({row[0], row[1], row.size() == 3 ? row[2] : 0});
  }
  return padding;
}

void PrintPadding(llvm::ArrayRef<PaddingDimension> padding, llvm::raw_ostream& os) {
  const bool interior =
      llvm::any_of(padding, [](const PaddingDimension& dim) { return dim.interior != 0; });
  llvm::ListSeparator separator("x");
  for (const PaddingDimension& dim : padding) {
    os << separator << dim.low << "_" << dim.high;
    if (interior) os << "_" << dim.interior;
  }
}

llvm::Expected<std::vector<WindowDimension>> ParseWindow(Scanner& scanner) {
  std::vector<WindowDimension> window;
  if (llvm::Error error = scanner.Expect('{', "before a window")) return error;
  bool first = true;
  while (!scanner.Consume('}')) {
    scanner.SkipSpace();
    const size_t begin = scanner.pos();
    const std::string found = scanner.Found();
    const llvm::StringRef key = scanner.Identifier();
    if (key.empty()) {
      return scanner.Fail(begin,
                          "expected size, stride, pad, lhs_dilate, rhs_dilate, rhs_reversal "
                          "or '}' in a window, found " +
                              found);
    }
    if (llvm::Error error = scanner.Expect('=', "behind " + key)) return error;
    llvm::Expected<std::vector<Ints>> rows = ParseRows(scanner, key);
    if (!rows) return rows.takeError();
    if (first) window.resize(rows->size());
    first = false;
    if (rows->size() != window.size()) {
      return scanner.Fail(begin, "expected " + llvm::Twine(window.size()) + " dimensions for " +
                                     key + ", found " + llvm::Twine(rows->size()));
    }
    for (size_t i = 0; i < window.size(); ++i) {
      if (!StoreWindowValue(key, (*rows)[i], window[i])) {
        return scanner.Fail(begin, "expected a value that suits the key of a window, found " +
                                       scanner.Since(begin));
      }
    }
  }
  return window;
}

void PrintWindow(llvm::ArrayRef<WindowDimension> window, llvm::raw_ostream& os) {
  os << "{";
  if (!window.empty()) {
    PrintWindowKey("size", window, true, os, [](const auto& dim) { return dim.size; });
    PrintWindowKey("stride", window, false, os, [](const auto& dim) { return dim.stride; });
    PrintWindowKey("pad", window, false, os, [](const auto& dim) {
      return std::to_string(dim.padding_low) + "_" + std::to_string(dim.padding_high);
    });
    PrintWindowKey("lhs_dilate", window, false, os,
                   [](const auto& dim) { return dim.base_dilation; });
    PrintWindowKey("rhs_dilate", window, false, os,
                   [](const auto& dim) { return dim.window_dilation; });
    PrintWindowKey("rhs_reversal", window, false, os,
                   [](const auto& dim) { return static_cast<int>(dim.reversal); });
  }
  os << "}";
}

llvm::Expected<ConvDimensionNumbers> ParseDimLabels(Scanner& scanner) {
  scanner.SkipSpace();
  const size_t begin = scanner.pos();
  llvm::Expected<llvm::StringRef> raw = scanner.RawValue();
  if (!raw) return raw.takeError();
  const auto [inputs, output] = raw->split("->");
  const auto [input, kernel] = inputs.split('_');
  ConvDimensionNumbers n;
  const bool reads =
      ParseLabels(input, 'b', 'f', n.input_batch, n.input_feature, n.input_spatial) &&
      ParseLabels(kernel, 'i', 'o', n.kernel_input_feature, n.kernel_output_feature,
                  n.kernel_spatial) &&
      ParseLabels(output, 'b', 'f', n.output_batch, n.output_feature, n.output_spatial) &&
      n.input_spatial.size() == n.kernel_spatial.size() &&
      n.input_spatial.size() == n.output_spatial.size();
  if (!reads) {
    return scanner.Fail(begin, "expected dimension labels like 'b01f_01io->b01f'");
  }
  return n;
}

void PrintDimLabels(const ConvDimensionNumbers& n, llvm::raw_ostream& os) {
  PrintLabels(n.input_batch, 'b', n.input_feature, 'f', n.input_spatial, os);
  os << "_";
  PrintLabels(n.kernel_input_feature, 'i', n.kernel_output_feature, 'o', n.kernel_spatial, os);
  os << "->";
  PrintLabels(n.output_batch, 'b', n.output_feature, 'f', n.output_spatial, os);
}

}  // namespace affirm::hlo
