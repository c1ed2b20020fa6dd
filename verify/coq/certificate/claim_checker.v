(* Which claims about maps a certificate shows, and that these are true. *)
From Coq Require Import ZArith List Bool Lia.
From Affirm Require Import map_claims polynomials proof_checker.
Import ListNotations.
Open Scope Z_scope.

(* A table of atoms and a proof. *)
Record evidence := Evidence { table : list entry; steps : proof }.

Section Terms.
Variable es : list entry.
Variable n : positive.                    (* the number of the first entry *)
Variable at_variable : nat -> option poly.
Definition entry_of o p q := k <- find_entry es n o p q ;; Some (atom k).
Definition quotient p q := entry_of Quotient p q.
Fixpoint poly_of (t : term) : option poly :=
  match t with
  | Const z => Some (constant z)
  | Var i => at_variable i
  | Add a b => p <- poly_of a ;; q <- poly_of b ;; Some (poly_add p q)
  | Sub a b => p <- poly_of a ;; q <- poly_of b ;; Some (subtract p q)
  | Mul a b => p <- poly_of a ;; q <- poly_of b ;; product p q
  | FloorDiv a b => p <- poly_of a ;; q <- poly_of b ;; quotient p q
  | CeilDiv a b => p <- poly_of a ;; q <- poly_of b ;; r <- quotient (negated p) q ;; Some (negated r)
  | Mod a b => p <- poly_of a ;; q <- poly_of b ;; r <- quotient p q ;; s <- product q r ;; Some (subtract p s)
  | Min a b => p <- poly_of a ;; q <- poly_of b ;; entry_of Minimum p q
  | Max a b => p <- poly_of a ;; q <- poly_of b ;; entry_of Maximum p q
  end.
(* What has to be shown for the term to have a value. *)
Definition divisor (b : term) (modulus : bool) : option (list goal) :=
  q <- poly_of b ;;
  match as_constant q with
  | Some c => if modulus then (if 0 <? c then Some [] else None) else (if c =? 0 then None else Some [])
  | None => Some [if modulus then AtLeast0 (poly_add q (constant (-1))) else IsNot0 q]
  end.
Fixpoint obligations (t : term) : option (list goal) :=
  match t with
  | Const _ | Var _ => Some []
  | Add a b | Sub a b | Mul a b | Min a b | Max a b => x <- obligations a ;; y <- obligations b ;; Some (x ++ y)
  | FloorDiv a b | CeilDiv a b => x <- obligations a ;; y <- obligations b ;; z <- divisor b false ;; Some (x ++ y ++ z)
  | Mod a b => x <- obligations a ;; y <- obligations b ;; z <- divisor b true ;; Some (x ++ y ++ z)
  end.
Fixpoint all_obligations (l : list term) : option (list goal) :=
  match l with [] => Some [] | t :: l => x <- obligations t ;; y <- all_obligations l ;; Some (x ++ y) end.
(* The bounds of a fact, and what has to be shown for the fact. *)
Definition bounds (f : fact) : option (list poly) :=
  p <- poly_of (subject f) ;;
  Some (match lower f with Some l => [subtract p (constant l)] | None => [] end ++
        match upper f with Some u => [subtract (constant u) p] | None => [] end).
Fixpoint all_bounds (l : list fact) : option (list poly) :=
  match l with [] => Some [] | f :: l => x <- bounds f ;; y <- all_bounds l ;; Some (x ++ y) end.

Variable v : positive -> Z.
Variable e : nat -> Z.
Hypothesis T : table_holds es n v.
Hypothesis E : forall i p, at_variable i = Some p -> poly_value v p = e i.
Lemma entry_of_value : forall o p q r, entry_of o p q = Some r ->
  poly_value v r = apply o (poly_value v p) (poly_value v q).
Proof.
  unfold entry_of. intros. take_apart. apply find_entry_at in Heqo0. destruct Heqo0 as [_ F]. apply T in F.
  rewrite atom_value. exact F.
Qed.
Lemma mod_quotient : forall a b, a mod b = a - b * (a / b).
Proof.
  intros. destruct (Z.eq_dec b 0) as [->|N]; [destruct a; reflexivity|]. pose proof (Z.div_mod a b N). lia.
Qed.
Lemma poly_of_value : forall t p, poly_of t = Some p -> poly_value v p = value e t.
Proof.
  induction t; simpl; intros; take_apart; repeat match goal with
    | IH : forall p, Some _ = Some p -> _ |- _ => specialize (IH _ eq_refl) end;
    rewrite ?constant_value, ?add_value, ?subtract_value; auto; try congruence.
  - rewrite (product_value v _ _ _ H). congruence.
  - apply entry_of_value in H. simpl in H. congruence.
  - apply entry_of_value in Heqo1. simpl in Heqo1. unfold negated in *. rewrite times_value in *.
    rewrite Heqo1, IHt1, IHt2. replace (-1 * value e t1) with (- value e t1) by lia. lia.
  - apply entry_of_value in Heqo1. simpl in Heqo1. rewrite (product_value v _ _ _ Heqo2), Heqo1, IHt1, IHt2.
    symmetry. apply mod_quotient.
  - apply entry_of_value in H. simpl in H. congruence.
  - apply entry_of_value in H. simpl in H. congruence.
Qed.
Lemma divisor_sound : forall b m gs, divisor b m = Some gs -> Forall (true_goal v) gs ->
  if m then 0 < value e b else value e b <> 0.
Proof.
  unfold divisor. intros. take_apart. apply poly_of_value in Heqo. rewrite <- Heqo.
  destruct (as_constant p) as [z|] eqn:C.
  - apply (as_constant_value v) in C. rewrite C. destruct m.
    + destruct (Z.ltb_spec 0 z); [auto|discriminate].
    + destruct (Z.eqb_spec z 0); [discriminate|auto].
  - take_apart. inversion H0; subst. destruct m; simpl in H2; auto. rewrite add_value, constant_value in H2. lia.
Qed.
Lemma Forall_app_both : forall A (P : A -> Prop) l m, Forall P (l ++ m) -> Forall P l /\ Forall P m.
Proof. induction l; simpl; intros; auto. inversion H; subst. apply IHl in H3. destruct H3. auto. Qed.
Lemma obligations_sound : forall t gs, obligations t = Some gs -> Forall (true_goal v) gs -> defined e t.
Proof.
  induction t; cbn [obligations defined]; intros gs H G; auto; take_apart;
    repeat match goal with
    | H : Forall _ (_ ++ _) |- _ => apply Forall_app_both in H; destruct H
    | IH : forall gs, Some _ = Some gs -> _ |- _ => specialize (IH _ eq_refl) end; repeat split; auto.
  - eapply (divisor_sound _ false); eauto.
  - eapply (divisor_sound _ false); eauto.
  - eapply (divisor_sound _ true); eauto.
Qed.
Lemma all_obligations_sound : forall l gs, all_obligations l = Some gs -> Forall (true_goal v) gs -> Forall (defined e) l.
Proof.
  induction l; cbn [all_obligations]; intros; auto. take_apart. apply Forall_app_both in H0. destruct H0.
  constructor; eauto. eapply obligations_sound; eauto.
Qed.
Definition within f := match lower f with Some l => l <= value e (subject f) | None => True end /\
  match upper f with Some u => value e (subject f) <= u | None => True end.
Lemma bounds_value : forall f l, bounds f = Some l -> (Forall (fun p => 0 <= poly_value v p) l <-> within f).
Proof.
  unfold bounds, within. intros. take_apart. apply poly_of_value in Heqo.
  destruct (lower f), (upper f); simpl; split; intros;
    repeat match goal with H : Forall _ (_ :: _) |- _ => inversion H; clear H; subst end;
    repeat constructor; rewrite ?subtract_value, ?constant_value in *; lia.
Qed.
Lemma all_bounds_value : forall l ps, all_bounds l = Some ps ->
  (Forall (fun p => 0 <= poly_value v p) ps <-> Forall within l).
Proof.
  induction l; cbn [all_bounds]; intros; take_apart; [split; auto|]. specialize (IHl _ eq_refl).
  apply bounds_value in Heqo. split; intros.
  - apply Forall_app_both in H. destruct H. constructor; tauto.
  - inversion H; subst. assert (A : forall A (P : A -> Prop) x y, Forall P x -> Forall P y -> Forall P (x ++ y)).
    { clear. induction x; simpl; intros; auto. inversion H; subst. constructor; auto. }
    apply A; tauto.
Qed.
End Terms.

(* The variable i of a map with `count` variables is atom i + 1. *)
Definition own count i : option poly := if Nat.ltb i count then Some (atom (Pos.of_succ_nat i)) else None.
Definition environment e : positive -> Z := fun p => e (Nat.pred (Pos.to_nat p)).
Definition first_entry count := Pos.of_succ_nat count.

Fixpoint facts_of (ps : list poly) : list known := match ps with [] => [] | p :: l => Known false p :: facts_of l end.
Fixpoint equations (A B : list poly) : option (list poly) :=
  match A, B with
  | [], [] => Some [] | a :: A, b :: B => l <- equations A B ;; Some (subtract a b :: l) | _, _ => None end.
Fixpoint all_some {A} (l : list (option A)) : option (list A) :=
  match l with [] => Some [] | x :: l => y <- x ;; m <- all_some l ;; Some (y :: m) end.

Definition start (ps : list known) : positive * tree := set_all 1 ps Leaf.
Definition check_proof es k goals (ps : list known) p :=
  well_founded es k && let (i, t) := start ps in run es k goals i t p.
Lemma check_proof_sound : forall es k goals ps p v0, check_proof es k goals ps p = true ->
  let v := valuation es k v0 in
  table_holds es k v /\ (Forall (true_known v) ps -> exists j w gs, goals j w = Some gs /\ Forall (true_goal v) gs).
Proof.
  intros es k goals ps p v0 H v. unfold check_proof, start in H. apply andb_true_iff in H. destruct H as [W R].
  assert (T : table_holds es k v) by (apply valuation_holds; auto). split; auto. intro P.
  destruct (set_all 1 ps Leaf) as [i t] eqn:S. apply (run_sound es k goals v p i t T); auto.
  replace t with (snd (set_all 1 ps Leaf)) by (rewrite S; auto). apply set_all_true; auto.
  unfold all_true. intros j f G. destruct j; discriminate.
Qed.
Lemma facts_of_true : forall v ps, Forall (fun p => 0 <= poly_value v p) ps -> Forall (true_known v) (facts_of ps).
Proof. induction ps; simpl; intros; auto. inversion H; subst. constructor; auto. Qed.
Lemma own_value : forall es e count i p, own count i = Some p ->
  poly_value (valuation es (first_entry count) (environment e)) p = e i.
Proof.
  unfold own, first_entry. intros. destruct (Nat.ltb_spec i count); [|discriminate]. inversion H. subst.
  rewrite atom_value, valuation_below by lia. unfold environment. f_equal. rewrite SuccNat2Pos.id_succ. reflexivity.
Qed.
Lemma equations_value : forall v A B l, equations A B = Some l ->
  (Forall (fun p => poly_value v p = 0) l <-> map (poly_value v) A = map (poly_value v) B).
Proof.
  induction A; destruct B; simpl; intros; try discriminate; take_apart; [split; auto|]. specialize (IHA _ _ Heqo).
  split; intros.
  - inversion H; subst. rewrite subtract_value in H2. f_equal; [lia|tauto].
  - inversion H. constructor; [rewrite subtract_value; lia|tauto].
Qed.
Lemma all_polys_value : forall es n at_v v e, table_holds es n v ->
  (forall i p, at_v i = Some p -> poly_value v p = e i) ->
  forall l ps, all_some (map (poly_of es n at_v) l) = Some ps -> map (poly_value v) ps = map (value e) l.
Proof.
  induction l; simpl; intros; take_apart; auto. simpl. rewrite (IHl _ eq_refl). f_equal.
  eapply poly_of_value; eauto.
Qed.
Lemma in_domain : forall e l, Forall (defined e) (map subject l) -> Forall (within e) l -> Forall (holds e) l.
Proof.
  induction l; simpl; intros D W; auto. inversion D; inversion W; subst. constructor; auto.
  unfold holds, within in *. tauto.
Qed.
Lemma in_domain_within : forall e l, Forall (holds e) l -> Forall (within e) l.
Proof. intros e l. apply Forall_impl. unfold holds, within. tauto. Qed.
Lemma all_at_least_0 : forall v l, Forall (true_goal v) (map AtLeast0 l) -> Forall (fun p => 0 <= poly_value v p) l.
Proof. induction l; simpl; intros; auto. inversion H; subst. constructor; auto. Qed.
Lemma all_are_0 : forall v l, Forall (true_goal v) (map Is0 l) -> Forall (fun p => poly_value v p = 0) l.
Proof. induction l; simpl; intros; auto. inversion H; subst. constructor; auto. Qed.

(* ---- A map within a union -------------------------------------------------------------------- *)
(* The first n variables of b are those of a, the others are the terms w. *)
Definition witness n (at_a : nat -> option poly) (w : list poly) i : option poly :=
  if Nat.ltb i n then at_a i else nth_error w (i - n).
Definition inclusion_goals n a (B : list imap) es j (w : list term) : option (list goal) :=
  let k := first_entry (variables a) in
  let at_a := own (variables a) in
  b <- nth_error B j ;;
  w <- all_some (map (poly_of es k at_a) w) ;;
  let at_b := witness n at_a w in
  d <- all_obligations es k at_a (results a) ;;
  d' <- all_obligations es k at_b (map subject (domain b)) ;;
  d'' <- all_obligations es k at_b (results b) ;;
  f <- all_bounds es k at_b (domain b) ;;
  x <- all_some (map (poly_of es k at_a) (results a)) ;;
  y <- all_some (map (poly_of es k at_b) (results b)) ;;
  q <- equations x y ;;
  Some (d ++ d' ++ d'' ++ map AtLeast0 f ++ map Is0 q).
Definition check_within n a B (c : evidence) : bool :=
  match all_bounds (table c) (first_entry (variables a)) (own (variables a)) (domain a) with
  | Some ps => check_proof (table c) (first_entry (variables a)) (inclusion_goals n a B (table c)) (facts_of ps) (steps c)
  | None => false
  end.
Lemma check_within_sound : forall n a B c, check_within n a B c = true ->
  well_defined a /\ forall o x, gives n a o x -> exists b, In b B /\ gives n b o x.
Proof.
  unfold check_within. intros n a B [es p] H. cbn [table steps] in H. destruct (all_bounds _ _ _ _) as [ps|] eqn:F; [|discriminate].
  assert (K : forall e, inside e a -> Forall (defined e) (results a) /\ exists b, In b B /\
    exists f, (forall i, (i < n)%nat -> f i = e i) /\ valid f b /\ tuple f b = tuple e a).
  { intros e I. destruct (check_proof_sound _ _ _ _ _ (environment e) H) as [T R].
    set (v := valuation es (first_entry (variables a)) (environment e)) in *.
    assert (E : forall i p, own (variables a) i = Some p -> poly_value v p = e i) by (intros; apply own_value; auto).
    destruct R as (j & w & gs & G & V).
    { apply facts_of_true. apply (all_bounds_value _ _ _ v e T E _ _ F). apply in_domain_within. exact I. }
    unfold inclusion_goals in G. take_apart.
    apply Forall_app_both in V. destruct V as [V1 V]. apply Forall_app_both in V. destruct V as [V2 V].
    apply Forall_app_both in V. destruct V as [V5 V]. apply Forall_app_both in V. destruct V as [V3 V4].
    split; [eapply all_obligations_sound; eauto|].
    exists i. split; [eapply nth_error_In; eauto|].
    set (f := fun i => match witness n (own (variables a)) l i with Some p => poly_value v p | None => e i end).
    assert (E' : forall i p, witness n (own (variables a)) l i = Some p -> poly_value v p = f i)
      by (intros i0 p0 W; unfold f; rewrite W; auto).
    exists f. split; [|split].
    - intros i0 L. unfold f, witness. destruct (Nat.ltb_spec i0 n); [|lia].
      destruct (own (variables a) i0) eqn:O; auto.
    - split; [|eapply (all_obligations_sound _ _ _ v f T E'); eauto]. unfold inside. apply in_domain.
      + eapply (all_obligations_sound _ _ _ v f T E'); eauto.
      + apply (all_bounds_value _ _ _ v f T E' _ _ Heqo4). apply all_at_least_0. auto.
    - unfold tuple. rewrite <- (all_polys_value _ _ _ v e T E _ _ Heqo5), <- (all_polys_value _ _ _ v f T E' _ _ Heqo6).
      symmetry. apply (equations_value v _ _ _ Heqo7). apply all_are_0. auto. }
  split.
  - intros e I. apply (K e I).
  - intros o x (e & A & [I _] & X). destruct (K e I) as [_ (b & B' & f & A' & I' & X')].
    exists b. split; auto. exists f. split; [intros i L; rewrite A' by auto; auto|]. split; auto. congruence.
Qed.
Fixpoint check_all_within n (A : list imap) B (cs : list evidence) : bool :=
  match A, cs with
  | [], [] => true
  | a :: A, c :: cs => check_within n a B c && check_all_within n A B cs
  | _, _ => false
  end.
Lemma check_all_within_sound : forall n A B cs, check_all_within n A B cs = true ->
  Forall well_defined A /\ included n A B.
Proof.
  induction A; intros B cs H.
  - split; auto. intros o x (a & [] & _).
  - destruct cs; [discriminate|]. cbn [check_all_within] in H. apply andb_true_iff in H. destruct H as [H H'].
    apply check_within_sound in H. apply IHA in H'. destruct H, H'. split; [constructor; auto|].
    intros o x (m & [<-|M] & G); eauto.
Qed.

(* ---- Injectivity ----------------------------------------------------------------------------- *)
(* Atoms of a second point of m, which has the same runtime variables. *)
Definition both m := (variables m + (variables m - runtime m))%nat.
Definition second m i : option poly :=
  if Nat.ltb i (runtime m) then own (both m) i
  else if Nat.ltb i (variables m) then own (both m) (i + (variables m - runtime m)) else None.
Definition first m i : option poly := if Nat.ltb i (variables m) then own (both m) i else None.
Definition injectivity_facts es m : option (list known) :=
  let k := first_entry (both m) in
  p <- all_bounds es k (first m) (domain m) ;; q <- all_bounds es k (second m) (domain m) ;;
  x <- all_some (map (poly_of es k (first m)) (results m)) ;; y <- all_some (map (poly_of es k (second m)) (results m)) ;;
  r <- equations x y ;; Some (facts_of p ++ facts_of q ++ map (Known true) r).
Definition own_variables m := seq (runtime m) (variables m - runtime m).
Definition injectivity_goals es m (_ : nat) (_ : list term) : option (list goal) :=
  let k := first_entry (both m) in
  d <- all_obligations es k (first m) (results m) ;;
  x <- all_some (map (first m) (own_variables m)) ;; y <- all_some (map (second m) (own_variables m)) ;;
  q <- equations x y ;; Some (d ++ map Is0 q).
Definition check_injective m (c : evidence) : bool :=
  match injectivity_facts (table c) m with
  | Some fs => check_proof (table c) (first_entry (both m)) (injectivity_goals (table c) m) fs (steps c)
  | None => false
  end.
Lemma Forall_join : forall A (P : A -> Prop) x y, Forall P x -> Forall P y -> Forall P (x ++ y).
Proof. induction x; simpl; intros; auto. inversion H; subst. constructor; auto. Qed.
Lemma all_known_equations : forall v l, Forall (fun p => poly_value v p = 0) l -> Forall (true_known v) (map (Known true) l).
Proof. induction l; simpl; intros; auto. inversion H; subst. constructor; auto. Qed.
Lemma all_values : forall v (at_v : nat -> option poly) e, (forall i p, at_v i = Some p -> poly_value v p = e i) ->
  forall l ps, all_some (map at_v l) = Some ps -> map (poly_value v) ps = map e l.
Proof. induction l; simpl; intros; take_apart; auto. simpl. rewrite (IHl _ eq_refl). f_equal. auto. Qed.
Lemma equal_at : forall (e f : nat -> Z) n s i, map e (seq s n) = map f (seq s n) -> (s <= i < s + n)%nat -> e i = f i.
Proof.
  induction n; simpl; intros s i H L; [lia|]. inversion H. destruct (Nat.eq_dec i s); [congruence|].
  apply (IHn (S s)); auto. lia.
Qed.
Lemma check_injective_sound : forall m c, check_injective m c = true -> well_defined m /\ one_to_one m.
Proof.
  unfold check_injective. intros m [es p] H. cbn [table steps] in H.
  destruct (injectivity_facts es m) as [fs|] eqn:F; [|discriminate].
  assert (K : forall e f, (forall i, (i < runtime m)%nat -> e i = f i) -> inside e m -> inside f m -> tuple e m = tuple f m ->
    Forall (defined e) (results m) /\ forall i, (i < variables m)%nat -> e i = f i).
  { intros e f A I J X.
    set (g := fun i => if Nat.ltb i (variables m) then e i else f (i - (variables m - runtime m))%nat).
    destruct (check_proof_sound _ _ _ _ _ (environment g) H) as [T R].
    set (v := valuation es (first_entry (both m)) (environment g)) in *.
    assert (O : forall i p, own (both m) i = Some p -> poly_value v p = g i) by (intros; apply own_value; auto).
    assert (E1 : forall i p, first m i = Some p -> poly_value v p = e i).
    { unfold first. intros i q Q. destruct (Nat.ltb_spec i (variables m)); [|discriminate]. apply O in Q. rewrite Q.
      unfold g. destruct (Nat.ltb_spec i (variables m)); [auto|lia]. }
    assert (E2 : forall i p, second m i = Some p -> poly_value v p = f i).
    { unfold second. intros i q Q. destruct (Nat.ltb_spec i (runtime m)).
      - apply O in Q. rewrite Q, <- A by auto. unfold g. destruct (Nat.ltb_spec i (variables m)); auto.
        unfold variables in *. lia.
      - destruct (Nat.ltb_spec i (variables m)); [|discriminate]. apply O in Q. rewrite Q. unfold g.
        destruct (Nat.ltb_spec (i + (variables m - runtime m)) (variables m)); [lia|]. f_equal. lia. }
    unfold injectivity_facts in F. take_apart.
    destruct R as (j & w & gs & G & V).
    { apply Forall_join; [|apply Forall_join].
      - apply facts_of_true. apply (all_bounds_value _ _ _ v e T E1 _ _ Heqo). apply in_domain_within. exact I.
      - apply facts_of_true. apply (all_bounds_value _ _ _ v f T E2 _ _ Heqo0). apply in_domain_within. exact J.
      - apply all_known_equations. apply (equations_value v _ _ _ Heqo3).
        rewrite (all_polys_value _ _ _ v e T E1 _ _ Heqo1), (all_polys_value _ _ _ v f T E2 _ _ Heqo2). exact X. }
    unfold injectivity_goals in G. take_apart. apply Forall_app_both in V. destruct V as [V1 V2].
    split; [eapply all_obligations_sound; eauto|]. apply all_are_0 in V2. apply (equations_value v _ _ _ Heqo7) in V2.
    rewrite (all_values _ _ _ E1 _ _ Heqo5), (all_values _ _ _ E2 _ _ Heqo6) in V2. unfold own_variables in V2.
    intros i L. destruct (Nat.ltb_spec i (runtime m)); [apply A; auto|]. eapply equal_at; [exact V2|]. lia. }
  split.
  - intros e I. apply (K e e); auto.
  - intros e f A I J X. apply (K e f); auto.
Qed.

(* ---- Claims ---------------------------------------------------------------------------------- *)
Definition check_alike r d A := forallb (fun m => Nat.eqb (runtime m) r && Nat.eqb (dims m) d) A.
Lemma check_alike_sound : forall r d A, check_alike r d A = true -> alike r d A.
Proof.
  unfold alike. induction A; simpl; intros; [constructor|]. apply andb_true_iff in H. destruct H as [H H'].
  apply andb_true_iff in H. destruct H as [H G]. apply Nat.eqb_eq in H, G. constructor; [split; auto|apply IHA; auto].
Qed.
(* `cs`: for Equal one for each map of A, then one for each map of B; for Bijection of injectivity, Into and Onto. *)
Definition check (c : claim) (cs : list evidence) : bool :=
  match c with
  | Equal r d A B => check_alike r d (A ++ B) && check_all_within (r + d) A B (firstn (length A) cs) &&
      check_all_within (r + d) B A (skipn (length A) cs)
  | Covers r d A B => check_alike r d (A ++ B) && check_all_within (r + d) B A cs
  | Injective m => match cs with [c] => check_injective m c | _ => false end
  | Onto m s => check_all_within (runtime m) [array m s] [m] cs
  | Into m s => check_all_within (runtime m) [m] [array m s] cs
  | Bijection m s =>
      match cs with
      | [c1; c2; c3] => check_injective m c1 && check_within (runtime m) m [array m s] c2 &&
          check_within (runtime m) (array m s) [m] c3
      | _ => false
      end
  end.
Theorem check_sound : forall c cs, check c cs = true -> true_claim c.
Proof.
  intros c cs H. destruct c; cbn [check true_claim] in *.
  - apply andb_true_iff in H. destruct H as [H B']. apply andb_true_iff in H. destruct H as [H A'].
    apply check_alike_sound in H. apply check_all_within_sound in A', B'. destruct A', B'.
    repeat split; auto. apply Forall_join; auto.
  - apply andb_true_iff in H. destruct H as [H B']. apply check_alike_sound in H. apply check_all_within_sound in B'.
    destruct B'. auto.
  - destruct cs as [|c [|]]; try discriminate. apply check_injective_sound in H. auto.
  - apply check_all_within_sound in H. tauto.
  - apply check_all_within_sound in H. destruct H as [W I]. inversion W; subst. auto.
  - destruct cs as [|c1 [|c2 [|c3 [|]]]]; try discriminate.
    apply andb_true_iff in H. destruct H as [H O]. apply andb_true_iff in H. destruct H as [H I].
    apply check_injective_sound in H. destruct H as [W J].
    assert (one : forall n a b c, check_within n a [b] c = true -> check_all_within n [a] [b] [c] = true)
      by (intros; simpl; rewrite H; auto).
    apply one in O, I. apply check_all_within_sound in O, I. destruct O, I. auto.
Qed.
