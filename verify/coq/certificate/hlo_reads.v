(* Which elements of its operands an HLO instruction reads, and what a claim about the maps of HLO says.  Written from
   XLA's operation semantics.  With map_claims.v this is all that `check_reads_sound` in reads_checker.v rests on. *)
From Coq Require Import ZArith List Bool.
From Affirm Require Import map_claims.
Import ListNotations.
Open Scope Z_scope.

Definition shape := list Z.   (* the sizes of an array *)

(* One dimension of a window: element i of the operand lies at low + i * base, tap w of the window at output position o
   at o * stride + w * dilation. *)
Record window := Window { taps : Z; stride : Z; dilation : Z; low : Z; base : Z; reversed : bool }.
(* The dimensions of an operand of a convolution: batch and feature, of the kernel input and output feature. *)
Record labels := Labels { major : nat; minor : nat; spatial : list nat }.
(* The attributes of a gather; a scatter has them under other names (window dims, inserted dims, dims of the operand). *)
Record indexing := Indexing { windows_at : list nat; without_window : list nat; indexed : list nat; vector_at : nat;
  batching : list nat; indices_batching : list nat }.
Inductive opcode :=
| Elementwise
| Broadcast (dimensions : list nat)             (* dimension j of the operand is dimension `nth j dimensions` of the result *)
| Transpose (permutation : list nat)            (* dimension i of the result is dimension `nth i permutation` of the operand *)
| Reverse (dimensions : list nat)
| Reshape                                       (* the same position in row-major order *)
| Slice (starts strides : list Z)
| Pad (low high interior : list Z)              (* `interior` elements of padding between two of the operand *)
| Concatenate (dimension : nat)
| Reduce (dimensions : list nat)                (* operands: arrays, then as many initial values *)
| ReduceWindow (windows : list window)          (* operands: arrays, then as many initial values *)
| Dot (lhs_batch rhs_batch lhs_contracting rhs_contracting : list nat)
| Convolution (windows : list window) (input kernel output : labels) (feature_groups batch_groups : Z)
| Sort (dimension : nat)
| DynamicSlice                                  (* operands: array, starts: scalars or one vector *)
| DynamicUpdateSlice                            (* operands: array, update, starts *)
| Gather (i : indexing) (slice_sizes : list Z)
| Scatter (i : indexing)                        (* operands: arrays, indices, as many updates *)
| SelectAndScatter (windows : list window)      (* operands: array, source, initial value *)
| Conditional (of_predicate : bool).            (* operands: selector, what each branch makes; of a predicate true first *)

(* An array that is given, or the result of an op on the values of these nodes. *)
Inductive node := Array (s : shape) | Result (o : opcode) (operands : list nat) (s : shape).
Definition shape_of n := match n with Array s => s | Result _ _ s => s end.

(* ---- Lists ---- *)
Fixpoint place (x : nat) l := match l with [] => O | y :: l => if Nat.eqb x y then O else S (place x l) end.
Definition is_in x l := existsb (Nat.eqb x) l.
(* How many dimensions before j are not among these. *)
Definition kept l j := length (filter (fun i => negb (is_in i l)) (seq 0 j)).
Definition size_at (s : shape) j := nth j s 0.
Definition each (s : shape) (f : nat -> term) := map f (seq 0 (length s)).

(* ---- Accesses ---- *)
(* An integer that an op takes from element `at_` of node `from`: clamped to [0, limit], or as it is. *)
Record producer := Producer { from : nat; at_ : list term; limit : option Z }.
(* A map whose runtime variable i is what producer i says.  Its dims are the index of the result. *)
Record access := Access { map_of : imap; producers : list producer }.
(* v j x: element x of node j, as an integer. *)
Definition produced (v : nat -> list Z -> Z) e p :=
  let y := v (from p) (map (value e) (at_ p)) in match limit p with Some l => Z.max 0 (Z.min l y) | None => y end.
Definition accesses v m o x := exists e, (forall i, (i < dims (map_of m))%nat -> e (runtime (map_of m) + i)%nat = o i) /\
  (forall i p, nth_error (producers m) i = Some p -> e i = produced v e p) /\ valid e (map_of m) /\ tuple e (map_of m) = x.

(* Maps from the result's index: runtime variables, then dims, then range variables. *)
Definition reading_at (ps : list producer) (out ranges : shape) (facts : list fact) (results : list term) :=
  let r := length ps in
  Access (Map r (length out) (length ranges) (sizes_in r out ++ sizes_in (r + length out) ranges ++ facts) results) ps.
Definition reading := reading_at [].
Definition identity s := reading s [] [] (each s Var).
Definition is_0 t := Fact t (Some 0) (Some 0).
Fixpoint position (t : term) (s : shape) i :=
  match s with [] => t | n :: l => position (Add (Mul t (Const n)) (Var i)) l (S i) end.
(* The only index along a dimension of size 1 is 0; along one of size 0 there is none. *)
Fixpoint coordinates (t : term) (s : shape) :=
  match s with
  | [] => []
  | n :: l => (if n =? 1 then Const 0 else Mod (FloorDiv t (Const (Z.max 1 (fold_right Z.mul 1 l)))) (Const (Z.max 1 n))) ::
      coordinates t l
  end.
(* Position of tap `s` of a window at output position `o`, from the operand's first element. *)
Definition tap_position w o s := Sub (Add (Mul o (Const (stride w))) (Mul s (Const (dilation w)))) (Const (low w)).
Definition window_at (ws : list window) i := nth i ws (Window 1 1 1 0 1 false).

(* ---- What is read of operand k; an index outside of the operand reads nothing.  None: it is not said here. ---- *)
(* Where no element of the operand lies, along dimension i. *)
Definition padding_at (out operand : shape) lows interiors i :=
  let from := Sub (Var i) (Const (nth i lows 0)) in
  let step := nth i interiors 0 + 1 in
  map (fun f => reading out [] [f] [])
    [Fact from None (Some (-1)); Fact from (Some ((size_at operand i - 1) * step + 1)) None;
     Fact (Mod from (Const step)) (Some 1) None].
Definition contracted (out : shape) batch contracting first_free j :=
  if is_in j batch then Var (place j batch)
  else if is_in j contracting then Var (length out + place j contracting)
  else Var (first_free + kept (batch ++ contracting) j).
Definition sizes_at (s : shape) l := map (size_at s) l.
Definition convolved_input (out input : shape) ws i o fg bg :=
  let s n := Var (length out + n) in
  let feature := Var (minor o) in
  let features := size_at out (minor o) in
  let group := size_at input (minor i) / fg in
  let tap n := tap_position (window_at ws n) (Var (nth n (spatial o) O)) (s (S n)) in
  reading out (group :: map taps ws)
    (map (fun n => is_0 (Mod (tap n) (Const (base (window_at ws n))))) (seq 0 (length ws)))
    (each input (fun j =>
      if Nat.eqb j (major i) then
        Add (Var (major o)) (Mul (FloorDiv feature (Const (features / bg))) (Const (size_at input (major i) / bg)))
      else if Nat.eqb j (minor i) then Add (Mul (FloorDiv feature (Const (features / fg))) (Const group)) (s O)
      else FloorDiv (tap (place j (spatial i))) (Const (base (window_at ws (place j (spatial i))))))).
Definition convolved_kernel (out input kernel : shape) ws i k o :=
  let s n := Var (length out + n) in
  let tap n := tap_position (window_at ws n) (Var (nth n (spatial o) O)) (s (S n)) in
  reading out (size_at kernel (major k) :: map taps ws)
    (flat_map (fun n => let b := Const (base (window_at ws n)) in
       [is_0 (Mod (tap n) b); Fact (FloorDiv (tap n) b) (Some 0) (Some (size_at input (nth n (spatial i) O) - 1))])
       (seq 0 (length ws)))
    (each kernel (fun j =>
      if Nat.eqb j (major k) then s O else if Nat.eqb j (minor k) then Var (minor o)
      else let n := place j (spatial k) in let w := window_at ws n in
        if reversed w then Sub (Const (taps w - 1)) (s (S n)) else s (S n))).

(* The starts of a dynamic slice of the sizes `slice`, the operands from number `first` on. *)
Definition starts (operands : list shape) (node_of : nat -> nat) first (s slice : shape) :=
  let is_vector := Nat.eqb (length operands) (S first) && Nat.eqb (length (nth first operands [])) 1 in
  map (fun j => Producer (node_of (if is_vector then first else first + j)%nat)
    (if is_vector then [Const (Z.of_nat j)] else []) (Some (size_at s j - size_at slice j))) (seq 0 (length s)).
Fixpoint clamped i (ps : list producer) :=
  match ps with [] => [] | p :: l => Fact (Var i) (Some 0) (limit p) :: clamped (S i) l end.
(* The dimensions below n that are in l, and the others, in order. *)
Definition among l n := filter (fun i => is_in i l) (seq 0 n).
Definition others l n := filter (fun i => negb (is_in i l)) (seq 0 n).
(* The index of component c of an index vector; `batch n` is the n-th batch coordinate. *)
Definition vector i (indices : shape) (batch : nat -> term) (c : term) :=
  each indices (fun j => if Nat.eqb j (vector_at i) then c else batch (kept [vector_at i] j)).
(* Along dimension j of the array: the start, the batch coordinate and the offset `window n` within the slice.  Starts are
   the first runtime variables. *)
Definition indexed_at i (batch window : nat -> term) j :=
  let start := if is_in j (indexed i) then Var (place j (indexed i)) else Const 0 in
  let paired := if is_in j (batching i) then batch (kept [vector_at i] (nth (place j (batching i)) (indices_batching i) O)) else Const 0 in
  let offset := if is_in j (without_window i ++ batching i) then Const 0 else window (kept (without_window i ++ batching i) j) in
  Add (Add start paired) offset.

Definition read_of (o : opcode) (operands : list shape) (out : shape) (node_of : nat -> nat) (k : nat) : option (list access) :=
  let operand := nth k operands [] in
  let arrays := Nat.div (length operands) 2 in
  let one ranges facts f := Some [reading out ranges facts (each operand f)] in
  let all := one operand [] (fun j => Var (length out + j)) in
  match o with
  | Elementwise => one [] [] Var   (* a scalar operand is read by every element *)
  | Broadcast l => one [] [] (fun j => Var (nth j l O))
  | Transpose l => one [] [] (fun j => Var (place j l))
  | Reverse l => one [] [] (fun j => if is_in j l then Sub (Const (size_at out j - 1)) (Var j) else Var j)
  | Reshape => Some [reading out [] [] (coordinates (position (Const 0) out 0) operand)]
  | Slice starts strides => one [] [] (fun j => Add (Mul (Var j) (Const (nth j strides 1))) (Const (nth j starts 0)))
  | Pad lows _ interiors =>
      let from j := Sub (Var j) (Const (nth j lows 0)) in
      let step j := Const (nth j interiors 0 + 1) in
      if Nat.eqb k 0 then
        Some [reading out [] (map (fun j => is_0 (Mod (from j) (step j))) (seq 0 (length out)))
          (each operand (fun j => FloorDiv (from j) (step j)))]
      else Some (flat_map (padding_at out (nth 0 operands []) lows interiors) (seq 0 (length out)))
  | Concatenate d =>
      let before := fold_right Z.add 0 (map (fun s => size_at s d) (firstn k operands)) in
      one [] [] (fun j => if Nat.eqb j d then Sub (Var j) (Const before) else Var j)
  | Reduce l =>
      if Nat.ltb k arrays then
        one (sizes_at operand l) [] (fun j => if is_in j l then Var (length out + place j l) else Var (kept l j))
      else one [] [] Var
  | ReduceWindow ws =>
      if Nat.ltb k arrays then
        let tap j := tap_position (window_at ws j) (Var j) (Var (length out + j)) in
        let b j := Const (base (window_at ws j)) in
        one (map taps ws) (map (fun j => is_0 (Mod (tap j) (b j))) (seq 0 (length out))) (fun j => FloorDiv (tap j) (b j))
      else one [] [] Var
  | Dot lb rb lc rc =>
      if Nat.eqb k 0 then one (sizes_at operand lc) [] (contracted out lb lc (length lb))
      else one (sizes_at operand rc) []
        (contracted out rb rc (length (nth 0 operands []) - length lc))
  | Convolution ws i kn o fg bg =>
      let input := nth 0 operands [] in
      Some [if Nat.eqb k 0 then convolved_input out input ws i o fg bg
            else convolved_kernel out input operand ws i kn o]
  | Sort d => one [size_at operand d] [] (fun j => if Nat.eqb j d then Var (length out) else Var j)
  | DynamicSlice =>
      let r := length operand in
      let ps := starts operands node_of 1 operand out in
      if Nat.eqb k 0 then Some [reading_at ps out [] (clamped 0 ps) (each operand (fun j => Add (Var (r + j)) (Var j)))] else all
  | DynamicUpdateSlice =>
      let r := length out in
      let update := nth 1 operands [] in
      let ps := starts operands node_of 2 out update in
      let offset j := Sub (Var (r + j)) (Var j) in
      if Nat.eqb k 0 then
        Some (flat_map (fun j => map (fun f => reading_at ps out [] (f :: clamped 0 ps) (each out (fun i => Var (r + i))))
          [Fact (offset j) None (Some (-1)); Fact (offset j) (Some (size_at update j)) None]) (seq 0 (length out)))
      else if Nat.eqb k 1 then Some [reading_at ps out [] (clamped 0 ps) (each update offset)]
      else all
  | Gather i sizes =>
      let r := length (indexed i) in
      let indices := nth 1 operands [] in
      let batch r n := Var (r + nth n (others (windows_at i) (length out)) O) in
      let ps := map (fun c => let j := nth c (indexed i) O in
        Producer (node_of 1%nat) (vector i indices (batch r) (Const (Z.of_nat c)))
          (Some (size_at operand j - nth j sizes 1))) (seq 0 r) in
      if Nat.eqb k 0 then
        Some [reading_at ps out [] (clamped 0 ps)
          (each operand (indexed_at i (batch r) (fun n => Var (r + nth n (among (windows_at i) (length out)) O))))]
      else if Nat.ltb (vector_at i) (length indices) then
        Some [reading out [size_at indices (vector_at i)] [] (vector i indices (batch O) (Var (length out)))]
      else Some [reading out [] [] (vector i indices (batch O) (Const 0))]
  | Scatter i =>
      let r := length (indexed i) in
      let arrays := Nat.div (length operands) 2 in
      let indices := nth arrays operands [] in
      let s m := Var (r + length out + m) in
      let batch n := s (nth n (others (windows_at i) (length operand)) O) in
      let window n := nth n (among (windows_at i) (length operand)) O in
      let ps := map (fun c => Producer (node_of arrays) (vector i indices batch (Const (Z.of_nat c))) None) (seq 0 r) in
      if Nat.ltb k arrays then one [] [] Var
      else if Nat.eqb k arrays then all
      else Some [reading_at ps out operand
        (flat_map (fun j => let width := if is_in j (without_window i ++ batching i) then 1
            else size_at operand (window (kept (without_window i ++ batching i) j)) in
          is_0 (Sub (Var (r + j)) (indexed_at i batch (fun n => s (window n)) j)) ::
          (if is_in j (indexed i) then [Fact (Var (place j (indexed i))) (Some 0) (Some (size_at out j - width))] else []))
          (seq 0 (length out)))
        (each operand s)]
  | SelectAndScatter ws =>
      (* Element o lies under tap t of the window at position p of the source, where the windows tile the array. *)
      let source := nth 1 operands [] in
      let r := length out in
      let under first j := let w := window_at ws j in Sub (Add (Var j) (Const (low w))) (Mul (Var (first + j)) (Const (dilation w))) in
      let p first j := FloorDiv (under first j) (Const (stride (window_at ws j))) in
      let facts first := flat_map (fun j => [is_0 (Mod (under first j) (Const (stride (window_at ws j))));
        Fact (p first j) (Some 0) (Some (size_at source j - 1))]) (seq 0 r) in
      if Nat.eqb k 0 then   (* each element under such a window is compared *)
        one (map taps ws ++ map taps ws) (facts (r + r)%nat)
          (fun j => tap_position (window_at ws j) (p (r + r)%nat j) (Var (r + j)))
      else if Nat.eqb k 1 then one (map taps ws) (facts r) (p r)
      else one [] [] Var
  | Conditional of_predicate =>
      let last := Z.of_nat (length operands) - 2 in
      let branch := Z.of_nat k - 1 in
      let at_branch l u := reading_at [Producer (node_of O) [] (if of_predicate then Some 1 else None)] out []
        [Fact (Var 0) l u] (each operand (fun j => Var (S j))) in
      if Nat.eqb k 0 then one [] [] Var
      else Some (if of_predicate then let b := 1 - branch in [at_branch (Some b) (Some b)]
        else if branch =? last then [at_branch None (Some (-1)); at_branch (Some last) None]   (* of an index outside, too *)
        else [at_branch (Some branch) (Some branch)])
  end.

(* ---- Programs ---- *)
Definition program := list node.
Definition shapes p (operands : list nat) := map (fun j => match nth_error p j with Some n => shape_of n | None => [] end) operands.
Definition in_array (s : shape) (x : list Z) := Forall2 (fun n i => 0 <= i < n) s x.
Definition at_index (x : list Z) i := nth i x 0.

(* Computing element o of node k reads element x of node t, on some path. *)
Inductive reads v (p : program) (t : nat) (x : list Z) : nat -> list Z -> Prop :=
| Itself n : nth_error p t = Some n -> in_array (shape_of n) x -> reads v p t x t x
| Operand k o s operands i j out M m y : k <> t -> nth_error p k = Some (Result o operands s) -> nth_error operands i = Some j ->
    read_of o (shapes p operands) s (fun i => nth i operands O) i = Some M -> In m M -> length out = length s ->
    accesses v m (at_index out) y ->
    reads v p t x j y -> reads v p t x k out.

(* `said` is what node `reader` reads of node `source`, where runtime variables are what `given` says; not `exact`: at
   least that. *)
Record reads_claim := Reads { nodes : program; reader : nat; source : nat; exact : bool; given : list producer;
  said : list imap }.
Definition true_reads c := exists n, nth_error (nodes c) (reader c) = Some n /\
  Forall (fun m => runtime m = length (given c) /\ dims m = length (shape_of n)) (said c) /\
  forall v out x, length out = length (shape_of n) ->
    let is_said := exists m, In m (said c) /\ accesses v (Access m (given c)) (at_index out) x in
    (reads v (nodes c) (source c) x (reader c) out -> is_said) /\
    (exact c = true -> is_said -> reads v (nodes c) (source c) x (reader c) out).
