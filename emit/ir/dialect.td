// The affirm dialect: what kernels are made of above arith, scf and tensor (docs/dialect.md).
#ifndef AFFIRM_EMIT_IR_DIALECT_TD_
#define AFFIRM_EMIT_IR_DIALECT_TD_

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Affirm_Dialect : Dialect {
  let name = "affirm";
  let cppNamespace = "::affirm::ir";
  let summary = "indexing maps, threads of a block and what they share";
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let extraClassDeclaration = [{
    /// The context of the expressions of every map attribute: the dialect's own, or the one that
    /// was given last. It must live as long as the MLIR context.
    ::affirm::Context& symbols();
    void UseSymbols(::affirm::Context& context) { symbols_ = &context; }

   private:
    std::unique_ptr<::affirm::Context> own_;
    ::affirm::Context* symbols_ = nullptr;

   public:
  }];
}

// The names of variables are not part of an attribute's identity, nor are the producers of runtime
// variables, which operands stand for.
def Affirm_MapParameter : AttrOrTypeParameter<"::affirm::IndexingMap", "an indexing map"> {
  let cppAccessorType = "const ::affirm::IndexingMap &";
}

def Affirm_IndexingMapAttr : AttrDef<Affirm_Dialect, "IndexingMap"> {
  let mnemonic = "map";
  let summary = "an indexing map in XLA's text form";
  let description = [{
    `#affirm.map<"(d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 7], s0 in [0, 3]">`
    The operation may assume that the variables lie in the domain, constraints included.
  }];
  let parameters = (ins Affirm_MapParameter:$map);
  let hasCustomAssemblyFormat = 1;
}

#endif  // AFFIRM_EMIT_IR_DIALECT_TD_
