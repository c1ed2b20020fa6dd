(* The operations of HLO on integers of w bits. An integer is given by its bits: a number from 0 to
   2 ^ w - 1. `s` says whether its type is signed, where an operation depends on that.
   Sources: XLA operation semantics; verify/scalar for what they leave open. Trusted, for the rules
   about values: tests/coq/test_value_refutations.py holds it against what affirm computes. *)
From Coq Require Import ZArith Bool.
Open Scope Z_scope.

Definition is_int (w x : Z) : Prop := 0 <= x < 2 ^ w.

(* The bits of a number modulo 2 ^ w, and the number that bits are. *)
Definition wrap (w n : Z) : Z := n mod 2 ^ w.
Definition value (w : Z) (s : bool) (x : Z) : Z :=
  if s && (2 ^ (w - 1) <=? x) then x - 2 ^ w else x.

Definition int_negate (w x : Z) : Z := wrap w (- x).
Definition int_not (w x : Z) : Z := wrap w (Z.lnot x).
Definition int_add (w x y : Z) : Z := wrap w (x + y).
Definition int_subtract (w x y : Z) : Z := wrap w (x - y).
Definition int_multiply (w x y : Z) : Z := wrap w (x * y).
Definition int_and (x y : Z) : Z := Z.land x y.
Definition int_or (x y : Z) : Z := Z.lor x y.
Definition int_xor (x y : Z) : Z := Z.lxor x y.

(* Quotients are rounded towards zero. By zero, the quotient is -1 and the remainder the dividend. *)
Definition int_divide (w : Z) (s : bool) (x y : Z) : Z :=
  if y =? 0 then wrap w (-1) else wrap w (Z.quot (value w s x) (value w s y)).
Definition int_remainder (w : Z) (s : bool) (x y : Z) : Z :=
  if y =? 0 then x else wrap w (Z.rem (value w s x) (value w s y)).

Definition int_lt (w : Z) (s : bool) (x y : Z) : bool := value w s x <? value w s y.
Definition int_le (w : Z) (s : bool) (x y : Z) : bool := value w s x <=? value w s y.
Definition int_eq (x y : Z) : bool := x =? y.
Definition int_maximum (w : Z) (s : bool) (x y : Z) : Z := if int_lt w s x y then y else x.
Definition int_minimum (w : Z) (s : bool) (x y : Z) : Z := if int_lt w s x y then x else y.
Definition int_clamp (w : Z) (s : bool) (l x h : Z) : Z := int_minimum w s (int_maximum w s x l) h.
Definition int_abs (w : Z) (s : bool) (x : Z) : Z := wrap w (Z.abs (value w s x)).
Definition int_sign (w : Z) (s : bool) (x : Z) : Z := wrap w (Z.sgn (value w s x)).

(* By w bits or more, all bits leave; the amount is unsigned. *)
Definition int_shift_left (w x n : Z) : Z := if n <? w then wrap w (Z.shiftl x n) else 0.
Definition int_shift_right_logical (w x n : Z) : Z := if n <? w then Z.shiftr x n else 0.
Definition int_shift_right_arithmetic (w x n : Z) : Z :=
  wrap w (Z.shiftr (value w true x) (if n <? w then n else w)).

Definition int_convert (w : Z) (s : bool) (to x : Z) : Z := wrap to (value w s x).
Definition int_of_bool (b : bool) : Z := if b then 1 else 0.
