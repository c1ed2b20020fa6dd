// Reads, judges and writes the width of index in a data layout.
#include "emit/transforms/index_layout.h"

#include "emit/plan/error.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

namespace affirm::emit {
namespace {

llvm::Error CheckBits(llvm::StringRef name, std::optional<int64_t> bits) {
  if (!bits || (*bits >= 1 && *bits <= kMaxIndexBits)) return llvm::Error::success();
  return InvalidArgument(llvm::Twine(name) + " " + llvm::Twine(*bits) +
                         " is no width of index, expected 1 to " + llvm::Twine(kMaxIndexBits) +
                         " bits");
}

llvm::Error CheckOrder(llvm::StringRef a, std::optional<int64_t> x, llvm::StringRef b,
                       std::optional<int64_t> y) {
  if (!x || !y || *x <= *y) return llvm::Error::success();
  return InvalidArgument(llvm::Twine(b) + " " + llvm::Twine(*y) + " is less than " + a + " " +
                         llvm::Twine(*x));
}

// Which part of the width a key of a data layout is; null for other keys.
std::optional<int64_t>* PartOf(mlir::DataLayoutEntryInterface entry, IndexWidthParts& parts) {
  if (auto type = mlir::dyn_cast<mlir::Type>(entry.getKey())) {
    return type.isIndex() ? &parts.width : nullptr;
  }
  auto key = mlir::dyn_cast<mlir::StringAttr>(entry.getKey());
  if (!key) return nullptr;
  if (key == kLeastIndexBits) return &parts.least;
  return key == kMostIndexBits ? &parts.most : nullptr;
}

mlir::DataLayoutSpecInterface LayoutOf(mlir::ModuleOp module) {
  return module->getAttrOfType<mlir::DataLayoutSpecInterface>(
      mlir::DLTIDialect::kDataLayoutAttrName);
}

}  // namespace

llvm::Expected<std::optional<IndexWidthBounds>> IndexWidthOf(const IndexWidthParts& parts) {
  if (llvm::Error error = CheckBits("width", parts.width)) return error;
  if (llvm::Error error = CheckBits("least", parts.least)) return error;
  if (llvm::Error error = CheckBits("most", parts.most)) return error;
  if (llvm::Error error = CheckOrder("least", parts.least, "most", parts.most)) return error;
  if (llvm::Error error = CheckOrder("least", parts.least, "width", parts.width)) return error;
  if (llvm::Error error = CheckOrder("width", parts.width, "most", parts.most)) return error;
  if (!parts.width && !parts.least && !parts.most) return std::nullopt;
  IndexWidthBounds bounds;
  if (parts.least || parts.width) {
    bounds.least = static_cast<unsigned>(parts.width.value_or(parts.least.value_or(1)));
  }
  if (parts.most || parts.width) {
    bounds.most = static_cast<unsigned>(parts.width.value_or(parts.most.value_or(kMaxIndexBits)));
  }
  return bounds;
}

llvm::FailureOr<std::optional<IndexWidthBounds>> DeclaredIndexWidth(mlir::ModuleOp module) {
  auto spec = LayoutOf(module);
  if (!spec) return std::optional<IndexWidthBounds>();
  IndexWidthParts parts;
  for (mlir::DataLayoutEntryInterface entry : spec.getEntries()) {
    std::optional<int64_t>* part = PartOf(entry, parts);
    if (!part) continue;
    auto value = mlir::dyn_cast<mlir::IntegerAttr>(entry.getValue());
    if (!value || value.getValue().getSignificantBits() > 64) {
      return module.emitError("the data layout declares a width of index that is no number: ")
             << entry.getValue();
    }
    *part = value.getValue().getSExtValue();
  }
  auto width = IndexWidthOf(parts);
  if (!width) return module.emitError("the data layout: ") << llvm::toString(width.takeError());
  return *width;
}

void SetDeclaredIndexWidth(mlir::ModuleOp module, IndexWidthBounds width) {
  mlir::MLIRContext* context = module.getContext();
  mlir::Builder b(context);
  llvm::SmallVector<mlir::DataLayoutEntryInterface> entries;
  if (auto spec = LayoutOf(module)) {
    for (mlir::DataLayoutEntryInterface entry : spec.getEntries()) {
      IndexWidthParts parts;
      if (!PartOf(entry, parts)) entries.push_back(entry);
    }
  }
  auto add = [&](auto key, unsigned bits) {
    entries.push_back(
        mlir::DataLayoutEntryAttr::get(key, b.getI32IntegerAttr(static_cast<int32_t>(bits))));
  };
  if (width.least == width.most) {
    add(mlir::Type(b.getIndexType()), width.least);
  } else {
    add(b.getStringAttr(kLeastIndexBits), width.least);
    if (width.most != kMaxIndexBits) add(b.getStringAttr(kMostIndexBits), width.most);
  }
  module->setAttr(mlir::DLTIDialect::kDataLayoutAttrName,
                  mlir::DataLayoutSpecAttr::get(context, entries));
}

}  // namespace affirm::emit
