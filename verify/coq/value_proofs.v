(* A proof of each proposition of value_rules.v: sound_NAME proves rule_NAME. *)
From Coq Require Import ZArith Bool Lia.
From Affirm Require Import machine_integers value_rules.
Open Scope Z_scope.

Ltac unfold_integers :=
  unfold int_clamp, int_convert, int_of_bool, int_negate, int_not, int_add, int_subtract, int_multiply,
    int_and, int_or, int_xor, int_divide, int_remainder, int_eq, int_maximum, int_minimum, int_lt,
    int_le, int_abs, int_sign, int_shift_left, int_shift_right_logical, int_shift_right_arithmetic.

Lemma power_at_least : forall w : Z, 8 <= w -> 256 <= 2 ^ w.
Proof. intros. change 256 with (2 ^ 8). apply Z.pow_le_mono_r; lia. Qed.

Lemma wrap_small : forall w n : Z, is_int w n -> wrap w n = n.
Proof. intros w n H. apply Z.mod_small. exact H. Qed.

Lemma wrap_number : forall w n : Z, 8 <= w -> 0 <= n < 256 -> wrap w n = n.
Proof. intros. apply wrap_small. pose proof (power_at_least w). unfold is_int. lia. Qed.

(* Numbers whose difference is a multiple of 2 ^ w have the same bits. *)
Lemma wrap_equal : forall w a b : Z, 0 <= w -> (exists k, a = b + k * 2 ^ w) -> wrap w a = wrap w b.
Proof. intros w a b W [k E]. subst. apply Z.mod_add. apply Z.pow_nonzero; lia. Qed.

Lemma wrap_is : forall w n : Z, 0 <= w -> exists k, wrap w n = n + k * 2 ^ w.
Proof.
  intros. exists (- (n / 2 ^ w)). unfold wrap. pose proof (Z.pow_pos_nonneg 2 w ltac:(lia) ltac:(lia)).
  pose proof (Z.div_mod n (2 ^ w) ltac:(lia)). lia.
Qed.

Lemma wrap_as_mask : forall w n : Z, 0 <= w -> wrap w n = Z.land n (Z.ones w).
Proof. intros. symmetry. apply Z.land_ones. assumption. Qed.

Lemma bits_above : forall w n i : Z, is_int w n -> w <= i -> Z.testbit n i = false.
Proof.
  intros w n i H I. destruct (Z.eq_dec n 0) as [E | E]; [subst; apply Z.bits_0 |].
  apply Z.bits_above_log2; [apply H |]. apply Z.lt_le_trans with (2 := I).
  apply Z.log2_lt_pow2; unfold is_int in H; lia.
Qed.

Lemma int_of_bits : forall w n : Z,
  0 <= w -> (forall i, w <= i -> Z.testbit n i = false) -> is_int w n.
Proof.
  intros w n W H. replace n with (Z.land n (Z.ones w)).
  - rewrite Z.land_ones by assumption. apply Z.mod_pos_bound. apply Z.pow_pos_nonneg; lia.
  - apply Z.bits_inj'. intros i I. rewrite Z.land_spec. destruct (Z.ltb_spec i w) as [L | L].
    + rewrite Z.ones_spec_low by lia. apply andb_true_r.
    + rewrite H by lia. reflexivity.
Qed.

Ltac bit_by_bit :=
  apply Z.bits_inj'; intros ?i ?I;
  repeat (rewrite Z.land_spec || rewrite Z.lor_spec || rewrite Z.lxor_spec || rewrite Z.ldiff_spec ||
          rewrite Z.lnot_spec by assumption).

Lemma or_less_operand : forall x y : Z, Z.lor x y = Z.ldiff x y + y.
Proof.
  intros. rewrite Z.add_nocarry_lxor.
  - bit_by_bit. destruct (Z.testbit x i), (Z.testbit y i); reflexivity.
  - bit_by_bit. rewrite Z.bits_0. destruct (Z.testbit x i), (Z.testbit y i); reflexivity.
Qed.

Lemma operand_by_and : forall x y : Z, x = Z.ldiff x y + Z.land x y.
Proof.
  intros. rewrite Z.add_nocarry_lxor.
  - bit_by_bit. destruct (Z.testbit x i), (Z.testbit y i); reflexivity.
  - bit_by_bit. rewrite Z.bits_0. destruct (Z.testbit x i), (Z.testbit y i); reflexivity.
Qed.

Lemma xor_as_difference : forall x y : Z, Z.lor x y = Z.lxor x y + Z.land x y.
Proof.
  intros. rewrite Z.add_nocarry_lxor.
  - bit_by_bit. destruct (Z.testbit x i), (Z.testbit y i); reflexivity.
  - bit_by_bit. rewrite Z.bits_0. destruct (Z.testbit x i), (Z.testbit y i); reflexivity.
Qed.

Lemma lnot_is : forall x : Z, Z.lnot x = - x - 1.
Proof. intros. pose proof (Z.add_lnot_diag x). lia. Qed.

Ltac name_wraps :=
  repeat match goal with
    | |- context [wrap ?w ?n] =>
        let k := fresh "k" in let E := fresh "E" in
        destruct (wrap_is w n ltac:(lia)) as [k E]; rewrite E; clear E
    end.

Theorem sound_clamp_as_extrema : rule_clamp_as_extrema.
Proof. hnf; intros. reflexivity. Qed.

Theorem sound_convert_widen_integer : rule_convert_widen_integer.
Proof.
  hnf; intros x H. unfold int_convert, value, wrap, is_int in *.
  change (2 ^ (8 - 1)) with 128. change (2 ^ (32 - 1)) with 2147483648.
  change (2 ^ 8) with 256 in *. change (2 ^ 32) with 4294967296. cbn [andb].
  destruct (Z.leb_spec 128 x) as [L | L].
  - replace ((x - 256) mod 4294967296) with (x - 256 + 4294967296)
      by (Z.div_mod_to_equations; lia).
    destruct (Z.leb_spec 2147483648 (x - 256 + 4294967296)); Z.div_mod_to_equations; lia.
  - replace (x mod 4294967296) with x by (Z.div_mod_to_equations; lia).
    destruct (Z.leb_spec 2147483648 x); Z.div_mod_to_equations; lia.
Qed.

Theorem sound_convert_pred : rule_convert_pred.
Proof. hnf; intros [|]; reflexivity. Qed.

Theorem sound_select_negated : rule_select_negated.
Proof. hnf; intros w s [|]; reflexivity. Qed.

Theorem sound_select_same : rule_select_same.
Proof. hnf; intros w s [|]; reflexivity. Qed.

Theorem sound_integer_negate_as_not : rule_integer_negate_as_not.
Proof.
  hnf; intros. unfold_integers. rewrite lnot_is, (wrap_number w 1) by lia.
  apply wrap_equal; [lia |]. name_wraps. exists (- k). lia.
Qed.

Theorem sound_integer_subtract_not : rule_integer_subtract_not.
Proof.
  hnf; intros. unfold_integers. rewrite !lnot_is. apply wrap_equal; [lia |]. name_wraps.
  eexists (k - k0). lia.
Qed.

Theorem sound_integer_and_or : rule_integer_and_or.
Proof. hnf; intros. unfold_integers. bit_by_bit. destruct (Z.testbit x' i); reflexivity. Qed.

Theorem sound_integer_or_and : rule_integer_or_and.
Proof.
  hnf; intros. unfold_integers. bit_by_bit. destruct (Z.testbit x' i), (Z.testbit y' i); reflexivity.
Qed.

Theorem sound_integer_de_morgan : rule_integer_de_morgan.
Proof.
  hnf; intros. unfold_integers. rewrite !wrap_as_mask by lia. bit_by_bit.
  destruct (Z.testbit x' i), (Z.testbit y' i), (Z.testbit (Z.ones w) i); reflexivity.
Qed.

Theorem sound_integer_sum_of_bits : rule_integer_sum_of_bits.
Proof.
  hnf; intros. unfold_integers. f_equal. pose proof (or_less_operand x' y').
  pose proof (operand_by_and x' y'). lia.
Qed.

Theorem sound_integer_xor_as_difference : rule_integer_xor_as_difference.
Proof.
  hnf; intros. unfold_integers. replace (Z.lor x' y' - Z.land x' y') with (Z.lxor x' y')
    by (pose proof (xor_as_difference x' y'); lia).
  apply wrap_small. apply int_of_bits; [lia |]. intros i I.
  rewrite Z.lxor_spec, (bits_above w x'), (bits_above w y') by assumption. reflexivity.
Qed.

Theorem sound_integer_shift_as_product : rule_integer_shift_as_product.
Proof.
  hnf; intros. unfold_integers. rewrite (wrap_number w 3), (wrap_number w 8) by lia.
  replace (3 <? w) with true by (symmetry; apply Z.ltb_lt; lia).
  rewrite Z.shiftl_mul_pow2 by lia. reflexivity.
Qed.

Theorem sound_integer_shift_as_quotient : rule_integer_shift_as_quotient.
Proof.
  hnf; intros. unfold_integers. rewrite (wrap_number w 3), (wrap_number w 8) by lia.
  replace (3 <? w) with true by (symmetry; apply Z.ltb_lt; lia). cbn [Z.eqb value andb].
  unfold is_int in *. unfold value. cbn [andb]. rewrite Z.quot_div_nonneg by lia.
  rewrite Z.shiftr_div_pow2 by lia. change (2 ^ 3) with 8. symmetry. apply wrap_small.
  unfold is_int. Z.div_mod_to_equations. lia.
Qed.

Theorem sound_integer_remainder_as_mask : rule_integer_remainder_as_mask.
Proof.
  hnf; intros. unfold_integers. rewrite (wrap_number w 8), (wrap_number w 7) by lia.
  change 7 with (Z.ones 3). rewrite Z.land_ones by lia. unfold value. cbn [Z.eqb andb].
  unfold is_int in *. rewrite Z.rem_mod_nonneg by lia. apply wrap_small. change (2 ^ 3) with 8.
  unfold is_int. pose proof (power_at_least w ltac:(lia)). Z.div_mod_to_equations. lia.
Qed.

Lemma sign_fill : forall x : Z, is_int 32 x ->
  int_shift_right_arithmetic 32 x (wrap 32 31) = if 2 ^ 31 <=? x then 2 ^ 32 - 1 else 0.
Proof.
  intros x H. unfold int_shift_right_arithmetic. rewrite (wrap_number 32 31) by lia.
  change (31 <? 32) with true. cbv iota. rewrite Z.shiftr_div_pow2 by lia. unfold value, is_int in *.
  change (32 - 1) with 31. cbn [andb]. destruct (Z.leb_spec (2 ^ 31) x) as [L | L].
  - replace ((x - 2 ^ 32) / 2 ^ 31) with (-1); [reflexivity |].
    change (2 ^ 31) with 2147483648 in *. change (2 ^ 32) with 4294967296 in *.
    Z.div_mod_to_equations. lia.
  - rewrite Z.div_small by lia. reflexivity.
Qed.

Theorem sound_integer_sign_bit : rule_integer_sign_bit.
Proof.
  hnf; intros x H. rewrite sign_fill by assumption. unfold int_lt, value, is_int in *.
  change (32 - 1) with 31. change (wrap 32 0) with 0. cbn [andb].
  change (2 ^ 31 <=? 0) with false. cbv iota. destruct (Z.leb_spec (2 ^ 31) x) as [L | L].
  - replace (x - 2 ^ 32 <? 0) with true by (symmetry; apply Z.ltb_lt; lia). reflexivity.
  - replace (x <? 0) with false by (symmetry; apply Z.ltb_ge; lia). reflexivity.
Qed.

Theorem sound_integer_abs_by_sign : rule_integer_abs_by_sign.
Proof.
  hnf; intros x H. rewrite sign_fill by assumption. unfold int_subtract, int_xor, int_abs, value, is_int in *.
  change (32 - 1) with 31. cbn [andb]. destruct (Z.leb_spec (2 ^ 31) x) as [L | L].
  - replace (Z.lxor x (2 ^ 32 - 1)) with (2 ^ 32 - 1 - x).
    + apply wrap_equal; [lia |]. exists (-1). change (2 ^ 31) with 2147483648 in *.
      change (2 ^ 32) with 4294967296 in *. lia.
    + change (2 ^ 32 - 1) with (Z.ones 32). rewrite Z.sub_nocarry_ldiff.
      * apply Z.bits_inj'. intros i I. rewrite Z.ldiff_spec, Z.lxor_spec.
        destruct (Z.ltb_spec i 32).
        -- rewrite Z.ones_spec_low by lia. destruct (Z.testbit x i); reflexivity.
        -- rewrite Z.ones_spec_high, (bits_above 32 x) by (assumption || lia). reflexivity.
      * apply Z.bits_inj'. intros i I. rewrite Z.ldiff_spec, Z.bits_0.
        destruct (Z.ltb_spec i 32).
        -- rewrite Z.ones_spec_low by lia. apply andb_false_r.
        -- rewrite (bits_above 32 x) by (assumption || lia). reflexivity.
  - rewrite Z.lxor_0_r, Z.sub_0_r, Z.abs_eq by lia. reflexivity.
Qed.

Theorem sound_integer_maximum_minimum : rule_integer_maximum_minimum.
Proof.
  hnf; intros. unfold_integers. destruct (value w s x' <? value w s y'); f_equal; lia.
Qed.

Theorem sound_integer_lowest_bit : rule_integer_lowest_bit.
Proof.
  hnf; intros. unfold_integers. f_equal. rewrite lnot_is, (wrap_number w 1) by lia.
  apply wrap_equal; [lia |]. name_wraps. exists k. lia.
Qed.
