// affirm.loop: its text and verification.
#include "emit/ir/dialect.h"

namespace affirm::ir {

using mlir::Value;

// For bodies that carry nothing.
void YieldOp::build(mlir::OpBuilder&, mlir::OperationState&) {}

void LoopOp::build(mlir::OpBuilder& builder, mlir::OperationState& state, IndexingMapAttr map,
                   mlir::ValueRange dims, mlir::ValueRange runtime, mlir::ValueRange inits) {
  state.addOperands(dims);
  state.addOperands(runtime);
  state.addOperands(inits);
  state.addTypes(inits.getTypes());
  Properties& properties = state.getOrAddProperties<Properties>();
  properties.map = map;
  properties.operandSegmentSizes = {static_cast<int32_t>(dims.size()),
                                    static_cast<int32_t>(runtime.size()),
                                    static_cast<int32_t>(inits.size())};
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Block* body = builder.createBlock(state.addRegion());
  size_t indices = map.getMap().ranges().size() + map.getMap().results().size();
  for (size_t i = 0; i < indices; ++i) body->addArgument(builder.getIndexType(), state.location);
  for (Value init : inits) body->addArgument(init.getType(), state.location);
}

mlir::Block::BlockArgListType LoopOp::RangeVariables() {
  return getBody().getArguments().take_front(getMap().getMap().ranges().size());
}

mlir::Block::BlockArgListType LoopOp::MapResults() {
  IndexingMap map = getMap().getMap();
  return getBody().getArguments().slice(map.ranges().size(), map.results().size());
}

mlir::Block::BlockArgListType LoopOp::IterArgs() {
  return getBody().getArguments().take_back(getInits().size());
}

mlir::LogicalResult LoopOp::verify() {
  IndexingMap map = getMap().getMap();
  if (mlir::failed(
          VerifyMap(*this, map, getDims().size(), map.ranges().size(), getRuntime().size()))) {
    return mlir::failure();
  }
  for (const Variable& range : map.ranges()) {
    if (range.bounds.HasLower() && range.bounds.HasUpper()) continue;
    return emitOpError("has a range variable without bounds");
  }
  size_t indices = map.ranges().size() + map.results().size();
  mlir::TypeRange arguments = getBody().getArgumentTypes();
  if (arguments.size() != indices + getInits().size() ||
      !llvm::all_of(arguments.take_front(indices), [](mlir::Type t) { return t.isIndex(); })) {
    return emitOpError("needs a body with its range variables, map results and iter_args");
  }
  auto yield = mlir::cast<YieldOp>(getBody().front().getTerminator());
  if (!llvm::equal(getResultTypes(), getInits().getTypes()) ||
      !llvm::equal(arguments.drop_front(indices), getInits().getTypes()) ||
      !llvm::equal(yield.getOperandTypes(), getInits().getTypes())) {
    return emitOpError("carries values whose types change");
  }
  return mlir::success();
}

mlir::ParseResult LoopOp::parse(mlir::OpAsmParser& parser, mlir::OperationState& state) {
  using Delimiter = mlir::OpAsmParser::Delimiter;
  IndexingMapAttr map;
  llvm::SmallVector<mlir::OpAsmParser::UnresolvedOperand> dims, runtime, inits;
  llvm::SmallVector<mlir::OpAsmParser::Argument> arguments, results, iterated;
  mlir::Type index = parser.getBuilder().getIndexType();
  if (parser.parseAttribute(map, "map", state.attributes) ||
      parser.parseOperandList(dims, Delimiter::Paren) ||
      parser.parseArgumentList(arguments, Delimiter::OptionalSquare) ||
      parser.parseOperandList(runtime, Delimiter::OptionalBraces) || parser.parseArrow() ||
      parser.parseArgumentList(results, Delimiter::Paren)) {
    return mlir::failure();
  }
  arguments.append(results);
  for (auto& argument : arguments) argument.type = index;
  llvm::SmallVector<mlir::Type> types;
  llvm::SMLoc inits_at = parser.getCurrentLocation();
  if (mlir::succeeded(parser.parseOptionalKeyword("iter_args")) &&
      (parser.parseAssignmentList(iterated, inits) || parser.parseArrow() || parser.parseLParen() ||
       parser.parseTypeList(types) || parser.parseRParen())) {
    return mlir::failure();
  }
  if (iterated.size() != types.size()) {
    return parser.emitError(inits_at) << "expected a type for each of the iter_args";
  }
  for (auto [argument, type] : llvm::zip(iterated, types)) argument.type = type;
  arguments.append(iterated);
  state.addTypes(types);
  if (parser.resolveOperands(dims, index, state.operands) ||
      parser.resolveOperands(runtime, index, state.operands) ||
      parser.resolveOperands(inits, types, inits_at, state.operands) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
      parser.parseRegion(*state.addRegion(), arguments)) {
    return mlir::failure();
  }
  ensureTerminator(*state.regions.front(), parser.getBuilder(), state.location);
  state.getOrAddProperties<Properties>().operandSegmentSizes = {
      static_cast<int32_t>(dims.size()), static_cast<int32_t>(runtime.size()),
      static_cast<int32_t>(inits.size())};
  return mlir::success();
}

void LoopOp::print(mlir::OpAsmPrinter& printer) {
  printer << " " << getMap() << "(" << getDims() << ")";
  if (!RangeVariables().empty()) printer << "[" << mlir::ValueRange(RangeVariables()) << "]";
  if (!getRuntime().empty()) printer << "{" << getRuntime() << "}";
  printer << " -> (" << mlir::ValueRange(MapResults()) << ")";
  if (!getInits().empty()) {
    printer << " iter_args(";
    llvm::interleaveComma(llvm::zip(IterArgs(), getInits()), printer, [&](auto pair) {
      printer << std::get<0>(pair) << " = " << std::get<1>(pair);
    });
    printer << ") -> (" << getInits().getTypes() << ")";
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {"map", "operandSegmentSizes"});
  printer << " ";
  printer.printRegion(getRegion(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/!getInits().empty());
}

}  // namespace affirm::ir
