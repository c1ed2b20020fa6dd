(* What affirm-check proves about indexing maps.  A reader who believes these definitions need not read the checker:
   its theorem, `check_sound` in claim_checker.v, says that every claim that it accepts is `true_claim`. *)
From Coq Require Import ZArith List.
Import ListNotations.
Open Scope Z_scope.

Inductive term :=
| Const (z : Z) | Var (i : nat) | Add (a b : term) | Sub (a b : term) | Mul (a b : term)
| FloorDiv (a b : term) | CeilDiv (a b : term) | Mod (a b : term) | Min (a b : term) | Max (a b : term).

(* `e i` is the value of variable i.  Z.div rounds down for divisors of either sign. *)
Fixpoint value (e : nat -> Z) (t : term) : Z :=
  match t with
  | Const z => z | Var i => e i
  | Add a b => value e a + value e b | Sub a b => value e a - value e b | Mul a b => value e a * value e b
  | FloorDiv a b => value e a / value e b | CeilDiv a b => - (- value e a / value e b) | Mod a b => value e a mod value e b
  | Min a b => Z.min (value e a) (value e b) | Max a b => Z.max (value e a) (value e b)
  end.

(* No divisor is 0 and every modulus is positive.  Where that fails, `value` means nothing. *)
Fixpoint defined (e : nat -> Z) (t : term) : Prop :=
  match t with
  | Const _ | Var _ => True
  | Add a b | Sub a b | Mul a b | Min a b | Max a b => defined e a /\ defined e b
  | FloorDiv a b | CeilDiv a b => defined e a /\ defined e b /\ value e b <> 0
  | Mod a b => defined e a /\ defined e b /\ 0 < value e b
  end.

(* `subject in [lower, upper]`; None is an infinite end. *)
Record fact := Fact { subject : term; lower : option Z; upper : option Z }.
Definition holds e f := defined e (subject f) /\
  match lower f with Some l => l <= value e (subject f) | None => True end /\
  match upper f with Some u => value e (subject f) <= u | None => True end.

(* The variables are numbered in this order: runtime variables, dims, range variables. *)
Record imap := Map { runtime : nat; dims : nat; ranges : nat; domain : list fact; results : list term }.
Definition variables m := (runtime m + dims m + ranges m)%nat.
Definition inside e m := Forall (holds e) (domain m).
Definition tuple e m := map (value e) (results m).
Definition well_defined m := forall e, inside e m -> Forall (defined e) (results m).

(* x is a result of m, with a value, where the first n variables of m are those of `o`. *)
Definition valid e m := inside e m /\ Forall (defined e) (results m).
Definition gives n m o x := exists e, (forall i, (i < n)%nat -> e i = o i) /\ valid e m /\ tuple e m = x.
(* At each value of the first n variables, each result of a map of A is a result of a map of B. *)
Definition included n A B := forall o x, (exists a, In a A /\ gives n a o x) -> exists b, In b B /\ gives n b o x.
(* All maps have r runtime variables and d dims. *)
Definition alike r d A := Forall (fun m => runtime m = r /\ dims m = d) A.
(* Two points of m with the same runtime variables and the same result are one point. *)
Definition one_to_one m := forall e f, (forall i, (i < runtime m)%nat -> e i = f i) -> inside e m -> inside f m ->
  tuple e m = tuple f m -> forall i, (i < variables m)%nat -> e i = f i.

(* The indices of an array of these sizes, as results of range variables; the runtime variables have the bounds of m. *)
Definition is_runtime_bound m f := match subject f with Var i => Nat.ltb i (runtime m) | _ => false end.
Fixpoint sizes_in n (shape : list Z) :=
  match shape with [] => [] | s :: l => Fact (Var n) (Some 0) (Some (s - 1)) :: sizes_in (S n) l end.
Definition array m shape := Map (runtime m) 0 (length shape)
  (filter (is_runtime_bound m) (domain m) ++ sizes_in (runtime m) shape) (map Var (seq (runtime m) (length shape))).

(* A and B are unions of maps; the union of none is empty. *)
Inductive claim :=
| Equal (r d : nat) (A B : list imap)          (* the same set at all dims and runtime variables *)
| Covers (r d : nat) (A B : list imap)         (* each set of B lies inside A's *)
| Injective (m : imap)
| Onto (m : imap) (shape : list Z)             (* at all runtime variables each index of the array is a result *)
| Into (m : imap) (shape : list Z)             (* each result is an index of the array *)
| Bijection (m : imap) (shape : list Z).

Definition true_claim c : Prop :=
  match c with
  | Equal r d A B => alike r d (A ++ B) /\ Forall well_defined (A ++ B) /\ included (r + d) A B /\ included (r + d) B A
  | Covers r d A B => alike r d (A ++ B) /\ Forall well_defined B /\ included (r + d) B A
  | Injective m => well_defined m /\ one_to_one m
  | Onto m s => included (runtime m) [array m s] [m]
  | Into m s => well_defined m /\ included (runtime m) [m] [array m s]
  | Bijection m s => well_defined m /\ one_to_one m /\ included (runtime m) [m] [array m s] /\
      included (runtime m) [array m s] [m]
  end.
