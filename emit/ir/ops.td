// Operations of the affirm dialect (docs/dialect.md).
#ifndef AFFIRM_EMIT_IR_OPS_TD_
#define AFFIRM_EMIT_IR_OPS_TD_

include "emit/ir/dialect.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Affirm_Op<string mnemonic, list<Trait> traits = []> : Op<Affirm_Dialect, mnemonic, traits>;

def ApplyIndexingOp : Affirm_Op<"apply_indexing", [Pure]> {
  let summary = "the results of an indexing map at a point of its domain";
  let description = [{
    `%i:2 = affirm.apply_indexing #map(%d0, %d1)[%s0]{%rt0}`
    Outside of the map's domain the results are undefined.
  }];
  let arguments = (ins Affirm_IndexingMapAttr:$map, Variadic<Index>:$variables);
  let results = (outs Variadic<Index>:$values);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def LoopOp : Affirm_Op<"loop", [AttrSizedOperandSegments, RecursiveMemoryEffects,
                                SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "a loop over the range variables of an indexing map";
  let description = [{
    `%r = affirm.loop #map(%d0)[%s0]{%rt0} -> (%i, %j) iter_args(%acc = %init) -> (f32) { ... }`
    Runs the body for every value of the range variables inside of the domain, in lexicographic
    order, with the range variables, the map's results, and what the last iteration yielded.
  }];
  let arguments = (ins Affirm_IndexingMapAttr:$map, Variadic<Index>:$dims,
                       Variadic<Index>:$runtime, Variadic<AnyType>:$inits);
  let results = (outs Variadic<AnyType>:$finals);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::affirm::ir::IndexingMapAttr":$map, "::mlir::ValueRange":$dims,
                                 "::mlir::ValueRange":$runtime, "::mlir::ValueRange":$inits)>];
  let extraClassDeclaration = [{
    ::mlir::Block::BlockArgListType RangeVariables();
    ::mlir::Block::BlockArgListType MapResults();
    ::mlir::Block::BlockArgListType IterArgs();
  }];
}

def YieldOp : Affirm_Op<"yield", [Pure, ReturnLike, Terminator,
                                  ParentOneOf<["LoopOp", "AtomicRMWOp"]>]> {
  let summary = "what an iteration or an update hands on";
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), [{}]>];
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

def PureCallOp : Affirm_Op<"pure_call", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a call of a function without effects, so that equal calls are one";
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$arguments);
  let results = (outs Variadic<AnyType>:$values);
  let assemblyFormat = [{
    $callee `(` $arguments `)` attr-dict `:` functional-type($arguments, $values)
  }];
}

def OpaqueCastOp : Affirm_Op<"opaque_cast", [Pure]> {
  let summary = "a cast of index that nothing folds";
  let description = [{
    `%r = affirm.opaque_cast unsigned %x : i8 to index`
    Stands for arith.index_cast, or with `unsigned` for arith.index_castui, while a pass runs whose
    folds do not ask whether the cast is exact. An extension in front of it is dropped, which is
    right at every width of index.
  }];
  let hasCanonicalizeMethod = 1;
  let arguments = (ins AnyType:$in, UnitAttr:$is_unsigned);
  let results = (outs AnyType:$out);
  let assemblyFormat = "(`unsigned` $is_unsigned^)? $in attr-dict `:` type($in) `to` type($out)";
}

def AllocateSharedOp : Affirm_Op<"allocate_shared", [MemoryEffects<[MemAlloc]>]> {
  let summary = "memory that the threads of a block share, its elements undefined at first";
  let results = (outs AnyStaticShapeTensor:$tensor);
  let hasVerifier = 1;
  let assemblyFormat = "attr-dict `:` type($tensor)";
}

def SyncThreadsOp : Affirm_Op<"sync_threads", [DeclareOpInterfaceMethods<InferTypeOpInterface>,
                                               MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a barrier of the block; the tensors afterwards, with every thread's insertions";
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$tensors);
  let results = (outs Variadic<AnyStaticShapeTensor>:$synced);
  let assemblyFormat = "(`(` $tensors^ `)` `:` type($tensors))? attr-dict";
}

def ShuffleReduceOp : Affirm_Op<"shuffle_reduce", [
    DeclareOpInterfaceMethods<InferTypeOpInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "values of lanes combined down the lanes of a warp of 32";
  let description = [{
    `%r = affirm.shuffle_reduce @add(%v) distances(16 to 1) : f32`
    For each distance, halving: every lane combines its values (the first arguments) with those of
    the lane that is `distance` further, itself where there is none. After distances 16 to 1 lane 0
    has the combination of all. Every lane of the warp must take part.
    With `everywhere`, the other lane is the one whose number differs in the distance's bit, so that
    in the end all lanes that were combined have the same.
  }];
  let arguments = (ins FlatSymbolRefAttr:$combiner, Variadic<AnyType>:$inputs,
                       I64Attr:$first_distance, I64Attr:$last_distance, UnitAttr:$everywhere);
  let results = (outs Variadic<AnyType>:$values);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $combiner `(` $inputs `)` `distances` `(` $first_distance `to` $last_distance `)`
    (`everywhere` $everywhere^)? attr-dict
    `:` type($inputs)
  }];
}

class Affirm_ElementOf<string scalar, string tensor>
    : TypesMatchWith<"an element of the tensor", tensor, scalar,
                     "::llvm::cast<::mlir::RankedTensorType>($_self).getElementType()">;

def PredicatedInsertOp : Affirm_Op<"predicated_insert", [
    Pure, Affirm_ElementOf<"scalar", "dest">, AllTypesMatch<["dest", "result"]>]> {
  let summary = "tensor.insert where the predicate holds, else the tensor as it is";
  let arguments = (ins AnyType:$scalar, AnyStaticShapeTensor:$dest, Variadic<Index>:$indices,
                       I1:$predicate);
  let results = (outs AnyStaticShapeTensor:$result);
  let hasVerifier = 1;
  let hasFolder = 1;
  let assemblyFormat = [{
    $scalar `into` $dest `[` $indices `]` `if` $predicate attr-dict `:` type($dest)
  }];
}

def PredicatedExtractOp : Affirm_Op<"predicated_extract", [
    Pure, Affirm_ElementOf<"fallback", "tensor">, Affirm_ElementOf<"result", "tensor">]> {
  let summary = "tensor.extract where the predicate holds, else the fallback";
  let arguments = (ins AnyStaticShapeTensor:$tensor, Variadic<Index>:$indices, I1:$predicate,
                       AnyType:$fallback);
  let results = (outs AnyType:$result);
  let hasVerifier = 1;
  let hasFolder = 1;
  let assemblyFormat = [{
    $tensor `[` $indices `]` `if` $predicate `else` $fallback attr-dict `:` type($tensor)
  }];
}

def AtomicRMWOp : Affirm_Op<"atomic_rmw", [
    AllTypesMatch<["tensor", "result"]>, MemoryEffects<[MemRead, MemWrite]>,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "replaces an element by what the region makes of it, as one step";
  let description = [{
    `%t2 = affirm.atomic_rmw %t[%i] : tensor<8xf32> { ^bb0(%old: f32): ... affirm.yield %new : f32 }`
    The region may run several times and has no effects.
  }];
  let arguments = (ins AnyStaticShapeTensor:$tensor, Variadic<Index>:$indices);
  let results = (outs AnyStaticShapeTensor:$result);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
  let assemblyFormat = "$tensor `[` $indices `]` attr-dict `:` type($tensor) $body";
}

#endif  // AFFIRM_EMIT_IR_OPS_TD_
