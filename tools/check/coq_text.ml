(* Prints a certificate as a theorem of Coq: the claim, and the evidence by which the checker's theorem proves it. *)
open Checker
open Numbers

let list item l = "[" ^ String.concat "; " (List.map item l) ^ "]"
let apply f arguments = "(" ^ String.concat " " (f :: arguments) ^ ")"
let z n = "(" ^ decimal_of n ^ ")%Z"
let nat n = string_of_int (int_of_nat n) ^ "%nat"
let positive p = decimal_of (Zpos p) ^ "%positive"
let boolean b = if b then "true" else "false"
let option item = function Some x -> apply "Some" [ item x ] | None -> "None"
let nats = list nat
let zs = list z

let rec term t =
  let two f a b = apply f [ term a; term b ] in
  match t with
  | Const n -> apply "Const" [ z n ]
  | Var i -> apply "Var" [ nat i ]
  | Add (a, b) -> two "Add" a b
  | Sub (a, b) -> two "Sub" a b
  | Mul (a, b) -> two "Mul" a b
  | FloorDiv (a, b) -> two "FloorDiv" a b
  | CeilDiv (a, b) -> two "CeilDiv" a b
  | Mod (a, b) -> two "Mod" a b
  | Min (a, b) -> two "Min" a b
  | Max (a, b) -> two "Max" a b
let terms = list term
let fact f = apply "Fact" [ term f.subject; option z f.lower; option z f.upper ]
let map m = apply "Map" [ nat m.runtime; nat m.dims; nat m.ranges; list fact m.domain; terms m.results ]
let maps = list map

let claim = function
  | Equal (r, d, a, b) -> apply "Equal" [ nat r; nat d; maps a; maps b ]
  | Covers (r, d, a, b) -> apply "Covers" [ nat r; nat d; maps a; maps b ]
  | Injective m -> apply "Injective" [ map m ]
  | Onto (m, s) -> apply "Onto" [ map m; zs s ]
  | Into (m, s) -> apply "Into" [ map m; zs s ]
  | Bijection (m, s) -> apply "Bijection" [ map m; zs s ]

(* ---- Evidence ---- *)
let poly = list (fun (m, k) -> "(" ^ list positive m ^ ", " ^ z k ^ ")")
let operation = function Quotient -> "Quotient" | Minimum -> "Minimum" | Maximum -> "Maximum"
let entry e = apply "Entry" [ operation e.op; poly e.left; poly e.right ]
let step = function
  | Combine (l, d) -> apply "Combine" [ list (fun (k, i) -> "(" ^ z k ^ ", " ^ positive i ^ ")") l; positive d ]
  | Antisymmetry (i, j) -> apply "Antisymmetry" [ positive i; positive j ]
  | TimesPoly (i, p) -> apply "TimesPoly" [ positive i; poly p ]
  | TimesFact (i, j) -> apply "TimesFact" [ positive i; positive j ]
  | QuotientBounds (a, i) -> apply "QuotientBounds" [ positive a; positive i ]
  | ExtremumBounds a -> apply "ExtremumBounds" [ positive a ]
  | ExtremumIs (a, i) -> apply "ExtremumIs" [ positive a; positive i ]
let rec proof = function
  | Then (s, p) -> apply "Then" [ step s; proof p ]
  | Split (f, p, q) -> apply "Split" [ poly f; proof p; proof q ]
  | Absurd i -> apply "Absurd" [ positive i ]
  | Done (k, w, hints) -> apply "Done" [ nat k; terms w; list positive hints ]
let evidence e = apply "Evidence" [ list entry e.table; proof e.steps ]

(* ---- Programs ---- *)
let window w = apply "Window" [ z w.taps; z w.stride; z w.dilation; z w.low; z w.base; boolean w.reversed ]
let labels l = apply "Labels" [ nat l.major; nat l.minor; nats l.spatial ]
let indexing i =
  apply "Indexing" [ nats i.windows_at; nats i.without_window; nats i.indexed; nat i.vector_at; nats i.batching; nats i.indices_batching ]
let opcode = function
  | Elementwise -> "Elementwise"
  | Broadcast l -> apply "Broadcast" [ nats l ]
  | Transpose l -> apply "Transpose" [ nats l ]
  | Reverse l -> apply "Reverse" [ nats l ]
  | Reshape -> "Reshape"
  | Slice (a, b) -> apply "Slice" [ zs a; zs b ]
  | Pad (a, b, c) -> apply "Pad" [ zs a; zs b; zs c ]
  | Concatenate d -> apply "Concatenate" [ nat d ]
  | Reduce l -> apply "Reduce" [ nats l ]
  | ReduceWindow ws -> apply "ReduceWindow" [ list window ws ]
  | Dot (a, b, c, d) -> apply "Dot" [ nats a; nats b; nats c; nats d ]
  | Convolution (ws, i, k, o, f, b) -> apply "Convolution" [ list window ws; labels i; labels k; labels o; z f; z b ]
  | Sort d -> apply "Sort" [ nat d ]
  | DynamicSlice -> "DynamicSlice"
  | DynamicUpdateSlice -> "DynamicUpdateSlice"
  | Gather (i, s) -> apply "Gather" [ indexing i; zs s ]
  | Scatter i -> apply "Scatter" [ indexing i ]
  | SelectAndScatter ws -> apply "SelectAndScatter" [ list window ws ]
  | Conditional b -> apply "Conditional" [ string_of_bool b ]
let node = function
  | Array s -> apply "Array" [ zs s ]
  | Result (o, operands, s) -> apply "Result" [ opcode o; nats operands; zs s ]
let producer p = apply "Producer" [ nat p.from; terms p.at_; option z p.limit ]
let reads_claim c =
  apply "Reads" [ list node c.nodes; nat c.reader; nat c.source; boolean c.exact; list producer c.given; maps c.said ]

let imports =
  "From Coq Require Import ZArith List.\n\
   From Affirm Require Import map_claims polynomials proof_checker claim_checker hlo_reads reads_checker.\n\
   Import ListNotations.\n"

(* Theorem NAME : true_claim CLAIM, which coqc accepts where the checker accepts. *)
let theorem name (c : Certificate.certificate) =
  let about, sound, text =
    match c.claim with
    | Certificate.About_maps m -> ("true_claim", "check_sound", claim m)
    | Certificate.About_reads r -> ("true_reads", "check_reads_sound", reads_claim r) in
  Printf.sprintf "Theorem %s : %s %s.\nProof. apply (%s _ %s). vm_compute. reflexivity. Qed.\nPrint Assumptions %s.\n" name about text
    sound (list evidence c.evidence) name
