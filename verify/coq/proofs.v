(* A proof of each proposition of rules.v: sound_NAME proves rule_NAME, and safe_NAME proves
   defined_NAME. tests/coq/test_proofs.py states each anew, and asks what the proofs assume. *)
From Coq Require Import ZArith Lia.
From Affirm Require Import rules tactics.
Open Scope Z_scope.

Lemma mod_is_residue : forall a m r : Z, 0 <= r < m -> (a mod m = r <-> Z.divide m (a - r)).
Proof.
  intros a m r H. split; intro E.
  - exists (a / m). pose proof (Z.div_mod a m ltac:(lia)). lia.
  - destruct E as [q E]. apply mod_is with (q := q); lia.
Qed.

Lemma lcm_divide_iff : forall m n a : Z, Z.divide (Z.lcm m n) a <-> Z.divide m a /\ Z.divide n a.
Proof.
  intros. split.
  - intro H. split; apply Z.divide_trans with (2 := H).
    + apply Z.divide_lcm_l.
    + apply Z.divide_lcm_r.
  - intros [H K]. apply Z.lcm_least; assumption.
Qed.

Lemma lcm_at_least : forall m n : Z, 0 < m -> 0 < n -> m <= Z.lcm m n /\ n <= Z.lcm m n.
Proof.
  intros. pose proof (lcm_positive m n ltac:(lia) ltac:(lia)).
  split; apply Z.divide_pos_le; try lia.
  - apply Z.divide_lcm_l.
  - apply Z.divide_lcm_r.
Qed.

(* Bounds of x where x + k has the residue r: the next such number from l on, the last one up to h. *)
Lemma next_of_residue : forall x k m r l : Z,
  0 < m -> l <= x -> (x + k) mod m = r -> l + (r - k - l) mod m <= x.
Proof.
  intros x k m r l P L E. pose proof (Z.mod_pos_bound (r - k - l) m P).
  pose proof (Z.div_mod (x + k) m ltac:(lia)). pose proof (Z.div_mod (r - k - l) m ltac:(lia)).
  set (u := (x + k) / m) in *. set (v := (r - k - l) / m) in *. set (w := (r - k - l) mod m) in *.
  clearbody u v w. assert (0 <= m * (u + v) + w + m - m) by lia. assert (0 <= u + v) by nia. nia.
Qed.

Lemma last_of_residue : forall x k m r h : Z,
  0 < m -> x <= h -> (x + k) mod m = r -> x <= h - (h + k - r) mod m.
Proof.
  intros x k m r h P L E. pose proof (Z.mod_pos_bound (h + k - r) m P).
  pose proof (Z.div_mod (x + k) m ltac:(lia)). pose proof (Z.div_mod (h + k - r) m ltac:(lia)).
  set (u := (x + k) / m) in *. set (v := (h + k - r) / m) in *. set (w := (h + k - r) mod m) in *.
  clearbody u v w. assert (0 <= v - u) by nia. nia.
Qed.

Theorem sound_range_point : rule_range_point.
Proof. prove_rule. Qed.
Theorem safe_range_point : defined_range_point.
Proof. prove_rule. Qed.
Theorem sound_min_least : rule_min_least.
Proof. prove_rule. Qed.
Theorem safe_min_least : defined_min_least.
Proof. prove_rule. Qed.
Theorem sound_min_drop : rule_min_drop.
Proof. prove_rule. Qed.
Theorem safe_min_drop : defined_min_drop.
Proof. prove_rule. Qed.
Theorem sound_max_greatest : rule_max_greatest.
Proof. prove_rule. Qed.
Theorem safe_max_greatest : defined_max_greatest.
Proof. prove_rule. Qed.
Theorem sound_max_drop : rule_max_drop.
Proof. prove_rule. Qed.
Theorem safe_max_drop : defined_max_drop.
Proof. prove_rule. Qed.
Theorem sound_min_absorb : rule_min_absorb.
Proof. prove_rule. Qed.
Theorem safe_min_absorb : defined_min_absorb.
Proof. prove_rule. Qed.
Theorem sound_min_absorb_among : rule_min_absorb_among.
Proof. prove_rule. Qed.
Theorem safe_min_absorb_among : defined_min_absorb_among.
Proof. prove_rule. Qed.
Theorem sound_max_absorb : rule_max_absorb.
Proof. prove_rule. Qed.
Theorem safe_max_absorb : defined_max_absorb.
Proof. prove_rule. Qed.
Theorem sound_max_absorb_among : rule_max_absorb_among.
Proof. prove_rule. Qed.
Theorem safe_max_absorb_among : defined_max_absorb_among.
Proof. prove_rule. Qed.
Theorem sound_floordiv_one : rule_floordiv_one.
Proof. prove_rule. Qed.
Theorem safe_floordiv_one : defined_floordiv_one.
Proof. prove_rule. Qed.
Theorem sound_floordiv_negative_divisor : rule_floordiv_negative_divisor.
Proof. prove_rule. Qed.
Theorem safe_floordiv_negative_divisor : defined_floordiv_negative_divisor.
Proof. prove_rule. Qed.
Theorem sound_floordiv_split : rule_floordiv_split.
Proof. prove_rule. Qed.
Theorem safe_floordiv_split : defined_floordiv_split.
Proof. prove_rule. Qed.
Theorem sound_floordiv_common_factor : rule_floordiv_common_factor.
Proof. prove_rule. Qed.
Theorem safe_floordiv_common_factor : defined_floordiv_common_factor.
Proof. prove_rule. Qed.
Theorem sound_floordiv_floordiv : rule_floordiv_floordiv.
Proof. prove_rule. Qed.
Theorem safe_floordiv_floordiv : defined_floordiv_floordiv.
Proof. prove_rule. Qed.
Theorem sound_floordiv_of_mod : rule_floordiv_of_mod.
Proof. prove_rule. Qed.
Theorem safe_floordiv_of_mod : defined_floordiv_of_mod.
Proof. prove_rule. Qed.
Theorem sound_floordiv_inner_floordiv : rule_floordiv_inner_floordiv.
Proof. prove_rule. Qed.
Theorem safe_floordiv_inner_floordiv : defined_floordiv_inner_floordiv.
Proof. prove_rule. Qed.
Theorem sound_floordiv_whole_offset : rule_floordiv_whole_offset.
Proof. prove_rule. Qed.
Theorem safe_floordiv_whole_offset : defined_floordiv_whole_offset.
Proof. prove_rule. Qed.
Theorem sound_floordiv_offset : rule_floordiv_offset.
Proof. prove_rule. Qed.
Theorem safe_floordiv_offset : defined_floordiv_offset.
Proof. prove_rule. Qed.

Theorem sound_floordiv_hoist_mod : rule_floordiv_hoist_mod.
Proof.
  hnf; intros. split_divides. cancel_quotients.
  rewrite (residue_in_multiple k a y q d) by lia.
  replace (k * (y mod a) + q * (y / a) * d + x) with (k * (y mod a) + x + (y / a * q) * d) by ring.
  rewrite Z.div_add, Z.mod_add by lia. symmetry. apply Z.mod_small. lia.
Qed.

Theorem safe_floordiv_hoist_mod : defined_floordiv_hoist_mod.
Proof. prove_rule. Qed.
Theorem sound_floordiv_nearest : rule_floordiv_nearest.
Proof. prove_rule. Qed.
Theorem safe_floordiv_nearest : defined_floordiv_nearest.
Proof. prove_rule. Qed.
Theorem sound_ceildiv_positive : rule_ceildiv_positive.
Proof. prove_rule. Qed.
Theorem safe_ceildiv_positive : defined_ceildiv_positive.
Proof. prove_rule. Qed.
Theorem sound_ceildiv_negative : rule_ceildiv_negative.
Proof. prove_rule. Qed.
Theorem safe_ceildiv_negative : defined_ceildiv_negative.
Proof. prove_rule. Qed.
Theorem sound_mod_one : rule_mod_one.
Proof. prove_rule. Qed.
Theorem safe_mod_one : defined_mod_one.
Proof. prove_rule. Qed.
Theorem sound_mod_period : rule_mod_period.
Proof. prove_rule. Qed.
Theorem safe_mod_period : defined_mod_period.
Proof. prove_rule. Qed.

Theorem sound_mod_split : rule_mod_split.
Proof. hnf; intros. rewrite Z.add_comm, Z.mul_comm, Z.mod_add by lia. reflexivity. Qed.

Theorem safe_mod_split : defined_mod_split.
Proof. prove_rule. Qed.
Theorem sound_mod_common_factor : rule_mod_common_factor.
Proof. prove_rule. Qed.
Theorem safe_mod_common_factor : defined_mod_common_factor.
Proof. prove_rule. Qed.

Theorem sound_mod_inner_mod : rule_mod_inner_mod.
Proof.
  hnf; intros. split_divides. rewrite (residue_in_multiple k a y q m) by lia.
  replace (k * (y mod a) + q * (y / a) * m + x)
    with (k * (y mod a) + x + (q * (y / a)) * m) by ring.
  rewrite Z.mod_add by lia. reflexivity.
Qed.

Theorem safe_mod_inner_mod : defined_mod_inner_mod.
Proof. prove_rule. Qed.

Theorem sound_mod_inner_mod_of_quotient : rule_mod_inner_mod_of_quotient.
Proof.
  hnf; intros. match goal with H : Z.divide d _ |- _ => destruct H as [p D] end.
  assert (Q : k * a / d = p) by (apply div_is with (r := 0); lia). rewrite Q in *.
  split_divides. rewrite (residue_in_multiple k a y (q * m) d) by lia.
  replace (k * (y mod a) + q * m * (y / a) * d + x)
    with (k * (y mod a) + x + (q * m * (y / a)) * d) by ring.
  rewrite Z.div_add by lia. replace (q * m * (y / a)) with (q * (y / a) * m) by ring.
  rewrite Z.mod_add by lia. reflexivity.
Qed.

Theorem safe_mod_inner_mod_of_quotient : defined_mod_inner_mod_of_quotient.
Proof. prove_rule. Qed.
Theorem sound_mod_whole_offset : rule_mod_whole_offset.
Proof. prove_rule. Qed.
Theorem safe_mod_whole_offset : defined_mod_whole_offset.
Proof. prove_rule. Qed.

Theorem sound_mod_offset : rule_mod_offset.
Proof.
  hnf; intros. split_divides. replace (x + k) with (x + r + q * m) by lia.
  rewrite Z.mod_add by lia. reflexivity.
Qed.

Theorem safe_mod_offset : defined_mod_offset.
Proof. prove_rule. Qed.
Theorem sound_mod_nearest : rule_mod_nearest.
Proof. prove_rule. Qed.
Theorem safe_mod_nearest : defined_mod_nearest.
Proof. prove_rule. Qed.
Theorem sound_sum_recombine : rule_sum_recombine.
Proof. prove_rule. Qed.
Theorem safe_sum_recombine : defined_sum_recombine.
Proof. prove_rule. Qed.

Theorem sound_sum_join_digits : rule_sum_join_digits.
Proof.
  hnf; intros a b d k u x y z H H0 H1 H2 H3 H4 E. intros. rewrite E.
  rewrite Z.rem_mul_r by lia. replace (a * z + x) with (x + z * a) by ring.
  rewrite Z.mod_add, Z.div_add by lia. ring.
Qed.

Theorem safe_sum_join_digits : defined_sum_join_digits.
Proof. prove_rule. Qed.

Theorem sound_sum_absorb : rule_sum_absorb.
Proof.
  hnf; intros. match goal with H : Z.divide c _ |- _ => destruct H as [p D] end.
  assert (F : q = k * p).
  { apply (Z.mul_cancel_r _ _ c); [lia |].
    match goal with G : q * c = _ |- _ => rewrite G end. rewrite <- !Z.mul_assoc, D. ring. }
  rewrite (residue_in_multiple n a x p c) by lia.
  replace (n * (x mod a) + p * (x / a) * c + z)
    with (n * (x mod a) + z + (p * (x / a)) * c) by ring.
  rewrite Z.div_add by lia. rewrite F. ring.
Qed.

Theorem safe_sum_absorb : defined_sum_absorb.
Proof. prove_rule. Qed.
Theorem sound_sum_residue : rule_sum_residue.
Proof. prove_rule. Qed.
Theorem safe_sum_residue : defined_sum_residue.
Proof. prove_rule. Qed.
Theorem sound_constraint_holds : rule_constraint_holds.
Proof. prove_rule. Qed.
Theorem safe_constraint_holds : defined_constraint_holds.
Proof. prove_rule. Qed.
Theorem sound_constraint_too_large : rule_constraint_too_large.
Proof. prove_rule. Qed.
Theorem safe_constraint_too_large : defined_constraint_too_large.
Proof. prove_rule. Qed.
Theorem sound_constraint_too_small : rule_constraint_too_small.
Proof. prove_rule. Qed.
Theorem safe_constraint_too_small : defined_constraint_too_small.
Proof. prove_rule. Qed.
Theorem sound_constraint_offset : rule_constraint_offset.
Proof. prove_rule. Qed.
Theorem safe_constraint_offset : defined_constraint_offset.
Proof. prove_rule. Qed.
Theorem sound_constraint_factor : rule_constraint_factor.
Proof. prove_rule. Qed.
Theorem safe_constraint_factor : defined_constraint_factor.
Proof. prove_rule. Qed.
Theorem sound_constraint_negative_factor : rule_constraint_negative_factor.
Proof. prove_rule. Qed.
Theorem safe_constraint_negative_factor : defined_constraint_negative_factor.
Proof. prove_rule. Qed.
Theorem sound_constraint_floordiv : rule_constraint_floordiv.
Proof. prove_rule. Qed.
Theorem safe_constraint_floordiv : defined_constraint_floordiv.
Proof. prove_rule. Qed.
Theorem sound_constraint_whole_steps : rule_constraint_whole_steps.
Proof. prove_rule. Qed.
Theorem safe_constraint_whole_steps : defined_constraint_whole_steps.
Proof. prove_rule. Qed.

Theorem sound_constraint_snap : rule_constraint_snap.
Proof.
  hnf; intros. subst. split; intros (A & B & C & D); (assert (E : (x + k) mod m = r) by lia).
  - pose proof (next_of_residue x k m r l ltac:(lia) ltac:(lia) E).
    pose proof (last_of_residue x k m r h ltac:(lia) ltac:(lia) E). lia.
  - pose proof (Z.mod_pos_bound (r - k - l) m). pose proof (Z.mod_pos_bound (h + k - r) m). lia.
Qed.

Theorem safe_constraint_snap : defined_constraint_snap.
Proof. prove_rule. Qed.

Theorem sound_constraint_snap_lower : rule_constraint_snap_lower.
Proof.
  hnf; intros. subst. split; intros (A & B & C); (assert (E : (x + k) mod m = r) by lia).
  - pose proof (next_of_residue x k m r l ltac:(lia) ltac:(lia) E). lia.
  - pose proof (Z.mod_pos_bound (r - k - l) m). lia.
Qed.

Theorem safe_constraint_snap_lower : defined_constraint_snap_lower.
Proof. prove_rule. Qed.

Theorem sound_constraint_snap_upper : rule_constraint_snap_upper.
Proof.
  hnf; intros. subst. split; intros (A & B & C); (assert (E : (x + k) mod m = r) by lia).
  - pose proof (last_of_residue x k m r h ltac:(lia) ltac:(lia) E). lia.
  - pose proof (Z.mod_pos_bound (h + k - r) m). lia.
Qed.

Theorem safe_constraint_snap_upper : defined_constraint_snap_upper.
Proof. prove_rule. Qed.

Theorem sound_constraint_join_digits : rule_constraint_join_digits.
Proof.
  hnf; intros.
  assert (T : 0 <= t < a) by (subst t; apply Z.mod_pos_bound; lia).
  assert (W : exists w, r - j + i = w * a + t).
  { exists ((r - j + i) / a). pose proof (Z.div_mod (r - j + i) a ltac:(lia)). lia. }
  destruct W as [w W].
  set (e := x + (i + a * k - t - a * s)) in *.
  split.
  - intros (A & B & C & D). assert (E : (x + j) mod a = r) by lia.
    assert (F : ((x + i) / a + k) mod b = s) by lia.
    pose proof (Z.div_mod (x + j) a ltac:(lia)) as E1. rewrite E in E1.
    assert (X : (x + i) / a = (x + j) / a + w) by (apply div_is with (r := t); lia).
    pose proof (Z.div_mod ((x + i) / a + k) b ltac:(lia)) as F1. rewrite F, X in F1.
    set (u := (x + j) / a) in *. set (v := (u + w + k) / b) in *. clearbody u v.
    assert (G : e mod (a * b) = 0) by (apply mod_is with (q := v); [lia | subst e; nia]). lia.
  - intros (A & B). assert (E : e mod (a * b) = 0) by lia.
    pose proof (Z.div_mod e (a * b) ltac:(lia)) as E1. rewrite E in E1.
    set (u := e / (a * b)) in *. clearbody u. subst e.
    assert (X : (x + i) / a = b * u - k + s) by (apply div_is with (r := t); nia).
    assert (Y : (x + j) mod a = r) by (apply mod_is with (q := b * u - k + s - w); nia).
    assert (V : ((x + i) / a + k) mod b = s) by (rewrite X; apply mod_is with (q := u); lia).
    lia.
Qed.

Theorem safe_constraint_join_digits : defined_constraint_join_digits.
Proof. prove_rule. Qed.

Theorem sound_constraint_same_residue : rule_constraint_same_residue.
Proof.
  hnf; intros. pose proof (lcm_at_least m n ltac:(lia) ltac:(lia)).
  assert (E : x mod Z.lcm m n = r <-> x mod m = r /\ x mod n = r).
  { rewrite !mod_is_residue by lia. apply lcm_divide_iff. }
  lia.
Qed.

Theorem safe_constraint_same_residue : defined_constraint_same_residue.
Proof. prove_rule. Qed.

Theorem sound_constraint_no_such_residues : rule_constraint_no_such_residues.
Proof.
  hnf; intros j k m n r s x P Q _ _ _ N (A & B & C & D).
  pose proof (Z.div_mod (x + j) m ltac:(lia)). pose proof (Z.div_mod (x + k) n ltac:(lia)).
  destruct (Z.gcd_divide_l m n) as [a Ha]. destruct (Z.gcd_divide_r m n) as [b Hb].
  apply N. apply Z.mod_divide; [lia |]. exists (b * ((x + k) / n) - a * ((x + j) / m)). nia.
Qed.

Theorem safe_constraint_no_such_residues : defined_constraint_no_such_residues.
Proof. prove_rule. Qed.

Theorem sound_constraint_two_residues : rule_constraint_two_residues.
Proof.
  hnf; intros. pose proof (lcm_positive m n ltac:(lia) ltac:(lia)). subst r s q.
  assert (M : forall y z, 0 < z -> (y mod z = p mod z <-> Z.divide z (y - p))).
  { intros y z P. split; intro E.
    - exists (y / z - p / z). pose proof (Z.div_mod y z). pose proof (Z.div_mod p z). lia.
    - destruct E as [w E]. replace y with (p + w * z) by lia. apply Z.mod_add. lia. }
  assert (E : x mod Z.lcm m n = p mod Z.lcm m n <-> x mod m = p mod m /\ x mod n = p mod n).
  { rewrite !M by lia. apply lcm_divide_iff. }
  lia.
Qed.

Theorem safe_constraint_two_residues : defined_constraint_two_residues.
Proof. prove_rule. Qed.

Theorem sound_constraint_two_shifted_residues : rule_constraint_two_shifted_residues.
Proof.
  hnf; intros.
  assert (M : forall y k r z, 0 <= r < z -> (p + k - r) mod z = 0 ->
              ((y + k) mod z = r <-> Z.divide z (y - p))).
  { intros y l t z P E. apply Z.mod_divide in E; [| lia]. rewrite mod_is_residue by lia.
    replace (y + l - t) with ((y - p) + (p + l - t)) by ring.
    split; intro F; [| apply Z.divide_add_r; assumption].
    replace (y - p) with ((y - p + (p + l - t)) - (p + l - t)) by ring.
    apply Z.divide_sub_r; assumption. }
  assert (E : (x - p) mod Z.lcm m n = 0 <-> (x + j) mod m = r /\ (x + k) mod n = s).
  { rewrite Z.mod_divide, (M x j), (M x k) by lia. apply lcm_divide_iff. }
  lia.
Qed.

Theorem safe_constraint_two_shifted_residues : defined_constraint_two_shifted_residues.
Proof. prove_rule. Qed.

Theorem sound_constraint_coprime_factor : rule_constraint_coprime_factor.
Proof.
  hnf; intros. set (g := Z.gcd n m) in *.
  assert (G : 0 < g) by (pose proof (Z.gcd_nonneg n m); lia).
  destruct (Z.gcd_divide_l n m) as [a A]. destruct (Z.gcd_divide_r n m) as [b B]. fold g in A, B.
  assert (D : m / g = b) by (apply div_is with (r := 0); lia).
  assert (C : Z.gcd b a = 1).
  { rewrite Z.gcd_comm. rewrite <- (Z.gcd_div_gcd n m g) by (lia || reflexivity).
    f_equal; symmetry; apply div_is with (r := 0); lia. }
  rewrite D in *.
  assert (E : (n * x) mod m = 0 <-> x mod b = 0).
  { rewrite !Z.mod_divide by lia. split; intros [w W].
    - apply Z.gauss with (m := a); [exists w; nia | exact C].
    - exists (a * w). subst x. nia. }
  lia.
Qed.

Theorem safe_constraint_coprime_factor : defined_constraint_coprime_factor.
Proof.
  hnf; intros. pose proof (gcd_positive n m ltac:(lia)).
  split; [lia |]. destruct (Z.gcd_divide_r n m) as [b B].
  rewrite B at 1. rewrite Z.div_mul by lia. nia.
Qed.
