(* The rules of verify/value_rules/values.rules that speak of integers, as propositions.
   Printed by `affirm rules --values --coq`; do not edit. value_proofs.v proves them. *)
From Coq Require Import ZArith Bool.
From Affirm Require Import machine_integers.
Open Scope Z_scope.

Definition rule_clamp_as_extrema : Prop :=
  forall (w : Z) (s : bool) (l' : Z) (x' : Z) (h' : Z),
    8 <= w ->
    is_int w l' ->
    is_int w x' ->
    is_int w h' ->
    (int_clamp w s l' x' h') = (int_minimum w s (int_maximum w s x' l') h').

Definition rule_convert_widen_integer : Prop :=
  forall (x' : Z),
    is_int 8 x' ->
    (int_convert 32 true 8 (int_convert 8 true 32 x')) = x'.

Definition rule_convert_pred : Prop :=
  forall (p' : bool),
    (negb (int_eq (int_of_bool p') (wrap 32 (0)))) = p'.

Definition rule_select_negated : Prop :=
  forall (w : Z) (s : bool) (p' : bool) (x' : Z) (y' : Z),
    8 <= w ->
    is_int w x' ->
    is_int w y' ->
    (if (negb p') then x' else y') = (if p' then y' else x').

Definition rule_select_same : Prop :=
  forall (w : Z) (s : bool) (p' : bool) (x' : Z),
    8 <= w ->
    is_int w x' ->
    (if p' then x' else x') = x'.

Definition rule_integer_negate_as_not : Prop :=
  forall (w : Z) (s : bool) (x' : Z),
    8 <= w ->
    is_int w x' ->
    (int_negate w x') = (int_add w (int_not w x') (wrap w (1))).

Definition rule_integer_subtract_not : Prop :=
  forall (w : Z) (s : bool) (x' : Z) (y' : Z),
    8 <= w ->
    is_int w x' ->
    is_int w y' ->
    (int_subtract w (int_not w x') (int_not w y')) = (int_subtract w y' x').

Definition rule_integer_and_or : Prop :=
  forall (w : Z) (s : bool) (x' : Z) (y' : Z),
    8 <= w ->
    is_int w x' ->
    is_int w y' ->
    (int_and x' (int_or x' y')) = x'.

Definition rule_integer_or_and : Prop :=
  forall (w : Z) (s : bool) (x' : Z) (y' : Z),
    8 <= w ->
    is_int w x' ->
    is_int w y' ->
    (int_or x' (int_and x' y')) = x'.

Definition rule_integer_de_morgan : Prop :=
  forall (w : Z) (s : bool) (x' : Z) (y' : Z),
    8 <= w ->
    is_int w x' ->
    is_int w y' ->
    (int_not w (int_and x' y')) = (int_or (int_not w x') (int_not w y')).

Definition rule_integer_sum_of_bits : Prop :=
  forall (w : Z) (s : bool) (x' : Z) (y' : Z),
    8 <= w ->
    is_int w x' ->
    is_int w y' ->
    (int_add w (int_or x' y') (int_and x' y')) = (int_add w x' y').

Definition rule_integer_xor_as_difference : Prop :=
  forall (w : Z) (s : bool) (x' : Z) (y' : Z),
    8 <= w ->
    is_int w x' ->
    is_int w y' ->
    (int_subtract w (int_or x' y') (int_and x' y')) = (int_xor x' y').

Definition rule_integer_shift_as_product : Prop :=
  forall (w : Z) (s : bool) (x' : Z),
    8 <= w ->
    is_int w x' ->
    (int_shift_left w x' (wrap w (3))) = (int_multiply w x' (wrap w (8))).

Definition rule_integer_shift_as_quotient : Prop :=
  forall (w : Z) (x' : Z),
    8 <= w ->
    is_int w x' ->
    (int_shift_right_logical w x' (wrap w (3))) = (int_divide w false x' (wrap w (8))).

Definition rule_integer_remainder_as_mask : Prop :=
  forall (w : Z) (x' : Z),
    8 <= w ->
    is_int w x' ->
    (int_remainder w false x' (wrap w (8))) = (int_and x' (wrap w (7))).

Definition rule_integer_sign_bit : Prop :=
  forall (x' : Z),
    is_int 32 x' ->
    (int_shift_right_arithmetic 32 x' (wrap 32 (31))) = (if (int_lt 32 true x' (wrap 32 (0))) then (wrap 32 (-1)) else (wrap 32 (0))).

Definition rule_integer_abs_by_sign : Prop :=
  forall (x' : Z),
    is_int 32 x' ->
    (int_subtract 32 (int_xor x' (int_shift_right_arithmetic 32 x' (wrap 32 (31)))) (int_shift_right_arithmetic 32 x' (wrap 32 (31)))) = (int_abs 32 true x').

Definition rule_integer_maximum_minimum : Prop :=
  forall (w : Z) (s : bool) (x' : Z) (y' : Z),
    8 <= w ->
    is_int w x' ->
    is_int w y' ->
    (int_add w (int_maximum w s x' y') (int_minimum w s x' y')) = (int_add w x' y').

Definition rule_integer_lowest_bit : Prop :=
  forall (w : Z) (s : bool) (x' : Z),
    8 <= w ->
    is_int w x' ->
    (int_and x' (int_negate w x')) = (int_and x' (int_not w (int_subtract w x' (wrap w (1))))).
