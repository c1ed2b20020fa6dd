(* Lemmas about quotients and residues, and `prove_rule`, which proves many rules by itself.
   proofs.v uses it, and `affirm audit --coq` prints this file in front of the rules of a user. *)
From Coq Require Import ZArith Lia.
Open Scope Z_scope.

Lemma div_is : forall a b q r : Z, 0 <= r < b -> a = q * b + r -> a / b = q.
Proof. intros. symmetry. apply Z.div_unique with (r := r); lia. Qed.

Lemma mod_is : forall a b q r : Z, 0 <= r < b -> a = q * b + r -> a mod b = r.
Proof. intros. symmetry. apply Z.mod_unique with (q := q); lia. Qed.

(* The residue in k * (y mod a) may be left out modulo d where d divides k * a. *)
Lemma residue_in_multiple : forall k a y q d : Z,
  0 < a -> k * a = q * d -> k * y = k * (y mod a) + (q * (y / a)) * d.
Proof.
  intros k a y q d P E. rewrite (Z.div_mod y a) at 1 by lia.
  rewrite Z.mul_add_distr_l, Z.mul_assoc, E. ring.
Qed.

Lemma lcm_positive : forall m n : Z, 0 < m -> 0 < n -> 0 < Z.lcm m n.
Proof.
  intros. pose proof (Z.lcm_nonneg m n). assert (Z.lcm m n <> 0) by (rewrite Z.lcm_eq_0; lia). lia.
Qed.

Lemma gcd_positive : forall m n : Z, m <> 0 \/ n <> 0 -> 0 < Z.gcd m n.
Proof.
  intros. pose proof (Z.gcd_nonneg m n). assert (Z.gcd m n <> 0) by (rewrite Z.gcd_eq_0; lia). lia.
Qed.

(* Linear arithmetic first, since it is fast to fail. *)
Ltac arithmetic := first [lia | timeout 3 nia].

(* Hypotheses `a divides b` become b = q * a. *)
Ltac split_divides :=
  repeat match goal with
    | H : Z.divide ?a ?b |- _ =>
        let q := fresh "q" in
        let E := fresh "E" in
        destruct H as [q E]
    end;
  subst.

(* g / g is 1; q * g / g is q; and b / g is q where b = q * g. *)
Ltac cancel_quotients :=
  repeat match goal with
    | |- context [?g / ?g] => rewrite (Z.div_same g) by arithmetic
    | H : context [?g / ?g] |- _ => rewrite (Z.div_same g) in H by arithmetic
    | |- context [?q * ?g / ?g] => rewrite (Z.div_mul q g) by arithmetic
    | H : context [?q * ?g / ?g] |- _ => rewrite (Z.div_mul q g) in H by arithmetic
    | E : ?b = ?q * ?g |- context [?b / ?g] =>
        replace (b / g) with q by (rewrite E, Z.div_mul by arithmetic; reflexivity)
    | E : ?b = ?q * ?g, H : context [?b / ?g] |- _ =>
        replace (b / g) with q in * by (rewrite E, Z.div_mul by arithmetic; reflexivity)
    end.

(* gcd and lcm are positive; the gcd divides both. *)
Ltac know_gcds :=
  repeat match goal with
    | |- context [Z.lcm ?m ?n] =>
        lazymatch goal with
        | _ : 0 < Z.lcm m n |- _ => fail
        | _ => pose proof (lcm_positive m n ltac:(lia) ltac:(lia))
        end
    | |- context [Z.gcd ?m ?n] =>
        lazymatch goal with
        | _ : 0 < Z.gcd m n |- _ => fail
        | _ => pose proof (gcd_positive m n ltac:(lia));
               let a := fresh "a" in let A := fresh "A" in
               let b := fresh "b" in let B := fresh "B" in
               destruct (Z.gcd_divide_l m n) as [a A]; destruct (Z.gcd_divide_r m n) as [b B]
        end
    end.

(* Finds z with a = b + z * m, and passes it on. *)
Ltac with_multiple a b m then_do :=
  assert_fails (constr_eq a b);
  match goal with
  | v : Z |- _ => replace a with (b + v * m) by (first [ring | lia]); then_do v
  | v : Z |- _ => replace a with (b + (- v) * m) by (first [ring | lia]); then_do (- v)
  | v : Z, w : Z |- _ => replace a with (b + (v * w) * m) by ring; then_do (v * w)
  | v : Z, w : Z |- _ => replace a with (b + (- v * w) * m) by ring; then_do (- v * w)
  end.

(* Removes multiples of the divisor from numerators, where the goal has the rest under this divisor too. *)
Ltac drop_multiples :=
  repeat match goal with
    | E : ?k * ?a = ?q * ?d |- context [?k * (?y mod ?a)] =>
        match goal with |- context [k * y] =>
          rewrite (residue_in_multiple k a y q d ltac:(lia) E) end
    end;
  repeat match goal with
    | |- context [?k * (?y mod ?a)] =>
        match goal with |- context [y / a] => idtac end;
        let w := fresh "w" in set (w := y / a) in *; clearbody w
    end;
  repeat match goal with
    | |- context [?a / ?m] =>
        match goal with |- context [?b / m] =>
          with_multiple a b m ltac:(fun z => rewrite (Z.div_add b z m) by arithmetic) end
    | |- context [?a mod ?m] =>
        match goal with |- context [?b mod m] =>
          with_multiple a b m ltac:(fun z => rewrite (Z.mod_add b z m) by arithmetic) end
    | |- context [?a mod ?m] =>
        with_multiple a 0 m ltac:(fun z => rewrite (Z.mod_add 0 z m) by arithmetic)
    end.

(* Replaces a quotient and its residue by variables with the facts that define them. *)
Ltac name_quotient a b :=
  let q := fresh "q" in
  let r := fresh "r" in
  let P := fresh "P" in
  let E := fresh "E" in
  first
    [ assert (P : 0 < b) by arithmetic; pose proof (Z.mod_pos_bound a b P)
    | assert (P : b < 0) by arithmetic; pose proof (Z.mod_neg_bound a b P)
    | destruct (Z.lt_trichotomy b 0) as [P | [P | P]];
      [ pose proof (Z.mod_neg_bound a b P) | exfalso; lia | pose proof (Z.mod_pos_bound a b P) ] ];
  pose proof (Z.div_mod a b ltac:(lia)) as E;
  set (q := a / b) in *; set (r := a mod b) in *; clearbody q r.

Ltac name_quotients :=
  repeat match goal with
    | |- context [?a / ?b] => name_quotient a b
    | |- context [?a mod ?b] => name_quotient a b
    | H : context [?a / ?b] |- _ => name_quotient a b
    | H : context [?a mod ?b] |- _ => name_quotient a b
    end.

Ltac split_goal :=
  repeat match goal with
    | |- _ /\ _ => split
    | |- _ <-> _ => split
    | |- _ -> _ => intro
    | H : _ /\ _ |- _ => destruct H
    end.

(* a mod m = r, or a / m = q, by a quotient among the variables. *)
Lemma mod_by_quotient : forall a m r : Z, (exists q, 0 <= r < m /\ a = q * m + r) -> a mod m = r.
Proof. intros a m r [q [H E]]. apply mod_is with (q := q); assumption. Qed.

Lemma div_by_quotient : forall a m q : Z, 0 <= a - q * m < m -> a / m = q.
Proof. intros a m q H. apply div_is with (r := a - q * m); lia. Qed.

Ltac find_quotient :=
  match goal with
  | |- _ mod _ = _ => apply mod_by_quotient
  | |- _ = _ mod _ => symmetry; apply mod_by_quotient
  | |- _ / _ = _ => apply div_by_quotient
  | |- _ = _ / _ => symmetry; apply div_by_quotient
  end;
  name_quotients;
  first
    [ exists 0; lia
    | match goal with v : Z |- exists _, _ => exists v; timeout 1 (split; nia) end
    | timeout 3 nia ].

Ltac simplify := split_divides; know_gcds; cancel_quotients.

(* Proves rule_NAME or defined_NAME, or fails within about half a minute. *)
Ltac prove_rule :=
  hnf; intros;
  first
    [ solve [timeout 5 lia]
    | solve [simplify; split_goal; name_quotients; timeout 5 lia]
    | solve [timeout 5 (simplify; find_quotient)]
    | solve [timeout 10 (simplify; drop_multiples; lia)]
    | solve [timeout 10 (simplify; split_goal; name_quotients; nia)] ].
