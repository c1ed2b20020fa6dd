(* Proofs of linear integer arithmetic over numbered atoms: what they are, and that they hold. *)
From Coq Require Import ZArith List Bool Lia.
From Affirm Require Import map_claims polynomials.
Import ListNotations.
Open Scope Z_scope.

Notation "x <- a ;; b" := (match a with Some x => b | None => None end) (at level 60, right associativity).

(* Atoms: the variables of the claim have the numbers 1 to n, and atom n + k is entry k of a table. *)
Inductive operation := Quotient | Minimum | Maximum.
Record entry := Entry { op : operation; left : poly; right : poly }.
Definition apply o x y := match o with Quotient => x / y | Minimum => Z.min x y | Maximum => Z.max x y end.
Definition same_operation a b :=
  match a, b with Quotient, Quotient | Minimum, Minimum | Maximum, Maximum => true | _, _ => false end.

Definition below (k : positive) (p : poly) := forallb (fun t => forallb (fun a => Pos.ltb a k) (fst t)) p.
Fixpoint well_founded (es : list entry) (k : positive) : bool :=
  match es with [] => true | x :: es => below k (left x) && below k (right x) && well_founded es (Pos.succ k) end.
Fixpoint valuation (es : list entry) (k : positive) (v : positive -> Z) : positive -> Z :=
  match es with
  | [] => v
  | x :: es => valuation es (Pos.succ k)
      (fun p => if Pos.eqb p k then apply (op x) (poly_value v (left x)) (poly_value v (right x)) else v p)
  end.
Fixpoint entry_at (es : list entry) (k j : positive) : option entry :=
  match es with [] => None | x :: es => if Pos.eqb j k then Some x else entry_at es (Pos.succ k) j end.
Fixpoint find_entry (es : list entry) (k : positive) o p q : option positive :=
  match es with
  | [] => None
  | x :: es => if same_operation o (op x) && poly_equal p (left x) && poly_equal q (right x) then Some k
               else find_entry es (Pos.succ k) o p q
  end.
(* What the value of each atom of a table is. *)
Definition table_holds es k v := forall j x, entry_at es k j = Some x ->
  v j = apply (op x) (poly_value v (left x)) (poly_value v (right x)).

Lemma valuation_below : forall es k v p, (p < k)%positive -> valuation es k v p = v p.
Proof.
  induction es; simpl; intros; auto. rewrite IHes by lia.
  destruct (Pos.eqb_spec p k); [lia|reflexivity].
Qed.
Lemma below_value : forall k v w p, below k p = true -> (forall a, (a < k)%positive -> v a = w a) ->
  poly_value v p = poly_value w p.
Proof.
  induction p as [|[m c] p IH]; simpl; intros B E; auto. apply andb_true_iff in B. destruct B as [B C].
  rewrite (IH C E). do 2 f_equal. clear - B E. induction m; simpl in *; auto.
  apply andb_true_iff in B. destruct B as [B C]. rewrite (IHm C). rewrite E; auto. apply Pos.ltb_lt. auto.
Qed.
Lemma valuation_holds : forall es k v, well_founded es k = true -> table_holds es k (valuation es k v).
Proof.
  unfold table_holds. induction es; simpl; intros k v W j x H; [discriminate|].
  apply andb_true_iff in W. destruct W as [W W']. apply andb_true_iff in W. destruct W as [L R].
  destruct (Pos.eqb_spec j k); [|apply IHes; auto]. inversion H; subst.
  rewrite valuation_below by lia. rewrite Pos.eqb_refl.
  assert (E : forall b, (b < k)%positive -> v b = valuation es (Pos.succ k)
    (fun p => if Pos.eqb p k then apply (op x) (poly_value v (left x)) (poly_value v (right x)) else v p) b).
  { intros. rewrite valuation_below by lia. destruct (Pos.eqb_spec b k); [lia|reflexivity]. }
  f_equal; apply below_value with k; auto.
Qed.
Lemma find_entry_at : forall es k o p q j, find_entry es k o p q = Some j ->
  (k <= j)%positive /\ entry_at es k j = Some (Entry o p q).
Proof.
  induction es as [|[o' p' q'] es IH]; simpl; intros k o p q j H; [discriminate|].
  destruct (same_operation o o' && poly_equal p p' && poly_equal q q') eqn:E.
  - apply andb_true_iff in E. destruct E as [E Q]. apply andb_true_iff in E. destruct E as [O P].
    apply poly_equal_eq in P, Q. inversion H. subst. rewrite Pos.eqb_refl. split; [lia|].
    destruct o, o'; try discriminate; auto.
  - apply IH in H. destruct H. split; [lia|]. destruct (Pos.eqb_spec j k); [lia|auto].
Qed.

(* Facts about the atoms: p = 0, or p >= 0. *)
Record known := Known { is_equation : bool; form : poly }.
Definition true_known v f := if is_equation f then poly_value v (form f) = 0 else 0 <= poly_value v (form f).

(* Facts by number. *)
Inductive tree := Leaf | Node (l : tree) (x : option known) (r : tree).
Fixpoint get (p : positive) (t : tree) : option known :=
  match t with
  | Leaf => None
  | Node l x r => match p with xH => x | xO p => get p l | xI p => get p r end
  end.
Fixpoint set (p : positive) (f : known) (t : tree) : tree :=
  let '(l, x, r) := match t with Leaf => (Leaf, None, Leaf) | Node l x r => (l, x, r) end in
  match p with xH => Node l (Some f) r | xO p => Node (set p f l) x r | xI p => Node l x (set p f r) end.
Lemma get_set : forall p f t q g, get q (set p f t) = Some g -> g = f \/ get q t = Some g.
Proof.
  assert (N : forall q, get q Leaf = None) by (destruct q; reflexivity).
  induction p; destruct t as [|l x r]; simpl; intros q g H; destruct q; simpl in *; auto;
    try (apply IHp in H; rewrite ?N in H; tauto); try (rewrite N in H; discriminate); try (inversion H; auto; fail); discriminate.
Qed.
Definition all_true v t := forall i f, get i t = Some f -> true_known v f.
Lemma all_true_set : forall v t i f, all_true v t -> true_known v f -> all_true v (set i f t).
Proof. unfold all_true. intros. apply get_set in H1. destruct H1; subst; eauto. Qed.

(* `q - p` where that is a constant. *)
Definition difference p q := as_constant (subtract q p).
Lemma difference_value : forall v p q c, difference p q = Some c -> poly_value v q = poly_value v p + c.
Proof. unfold difference. intros. apply (as_constant_value v) in H. rewrite subtract_value in H. lia. Qed.
(* Does p >= 0 follow from fact i, or from nothing? *)
Definition shows t (i : positive) (p : poly) : bool :=
  match as_constant p with
  | Some c => 0 <=? c
  | None => match get i t with
            | Some f => match difference (form f) p with Some c => 0 <=? c | None => false end
            | None => false
            end
  end.
Lemma shows_sound : forall v t i p, all_true v t -> shows t i p = true -> 0 <= poly_value v p.
Proof.
  unfold shows. intros v t i p A H. destruct (as_constant p) eqn:E.
  - apply (as_constant_value v) in E. apply Z.leb_le in H. lia.
  - destruct (get i t) eqn:G; [|discriminate]. apply A in G. destruct (difference (form k) p) eqn:D; [|discriminate].
    apply (difference_value v) in D. apply Z.leb_le in H. unfold true_known in G. destruct (is_equation k); lia.
Qed.

Inductive step :=
| Combine (l : list (Z * positive)) (d : positive)  (* the sum of multiples of facts, over d, the constant rounded down *)
| Antisymmetry (i j : positive)                     (* p >= 0 and -p >= 0 *)
| TimesPoly (i : positive) (p : poly)               (* an equation times any polynomial *)
| TimesFact (i j : positive)                        (* the product of two facts *)
| QuotientBounds (a i : positive)                   (* q = x floordiv y; fact i shows the sign of y *)
| ExtremumBounds (a : positive)                     (* a minimum is at most either operand *)
| ExtremumIs (a i : positive).                      (* which operand a minimum is, by fact i *)

Fixpoint combine t (l : list (Z * positive)) : option known :=
  match l with
  | [] => Some (Known true [])
  | (k, i) :: l =>
      r <- combine t l ;; f <- get i t ;;
      if is_equation f || (0 <=? k) then Some (Known (is_equation f && is_equation r) (poly_add (poly_times k (form f)) (form r))) else None
  end.
Definition rounded (f : known) (d : positive) : option known :=
  if Pos.eqb d 1 then Some f else q <- divide (Zpos d) (form f) ;; Some (Known false q).
Definition negated p := poly_times (-1) p.
Definition quotient_bounds t a x y i :=
  xy <- product y (atom a) ;;
  let rest := subtract x xy in
  if shows t i (poly_add y (constant (-1))) then
    Some [Known false rest; Known false (subtract (poly_add y (constant (-1))) rest)]
  else if shows t i (subtract (constant (-1)) y) then
    Some [Known false (negated rest); Known false (poly_add rest (subtract (constant (-1)) y))]
  else None.
Definition do_step es n t s : option (list known) :=
  match s with
  | Combine l d => f <- combine t l ;; g <- rounded f d ;; Some [g]
  | Antisymmetry i j =>
      f <- get i t ;; g <- get j t ;;
      match poly_add (form f) (form g) with [] => Some [Known true (form f)] | _ => None end
  | TimesPoly i p => f <- get i t ;; if is_equation f then r <- product (form f) p ;; Some [Known true r] else None
  | TimesFact i j => f <- get i t ;; g <- get j t ;; r <- product (form f) (form g) ;; Some [Known false r]
  | QuotientBounds a i =>
      x <- entry_at es n a ;; match op x with Quotient => quotient_bounds t a (left x) (right x) i | _ => None end
  | ExtremumBounds a =>
      x <- entry_at es n a ;;
      match op x with
      | Minimum => Some [Known false (subtract (left x) (atom a)); Known false (subtract (right x) (atom a))]
      | Maximum => Some [Known false (subtract (atom a) (left x)); Known false (subtract (atom a) (right x))]
      | Quotient => None
      end
  | ExtremumIs a i =>
      x <- entry_at es n a ;;
      let more := subtract (left x) (right x) in
      let is_left := Some [Known true (subtract (atom a) (left x))] in
      let is_right := Some [Known true (subtract (atom a) (right x))] in
      match op x with
      | Minimum => if shows t i (negated more) then is_left else if shows t i more then is_right else None
      | Maximum => if shows t i more then is_left else if shows t i (negated more) then is_right else None
      | Quotient => None
      end
  end.

Ltac take_apart := repeat match goal with
  | H : match ?a with Some _ => _ | None => None end = Some _ |- _ => destruct a eqn:?; [|discriminate]
  | H : (if ?a then _ else None) = Some _ |- _ => destruct a eqn:?; [|discriminate]
  | H : Some _ = Some _ |- _ => inversion H; clear H; subst end.
Lemma combine_sound : forall v t l f, all_true v t -> combine t l = Some f -> true_known v f.
Proof.
  induction l as [|[k i] l IH]; simpl; intros f A H; [inversion H; reflexivity|].
  take_apart. apply A in Heqo0. specialize (IH _ A eq_refl). unfold true_known in *. cbn [is_equation form].
  rewrite add_value, times_value. destruct (is_equation k1) eqn:E; simpl in Heqb; cbn [andb].
  - destruct (is_equation k0); rewrite Heqo0; lia.
  - apply Z.leb_le in Heqb. destruct (is_equation k0); nia.
Qed.
Lemma rounded_sound : forall v f d g, true_known v f -> rounded f d = Some g -> true_known v g.
Proof.
  unfold rounded. intros. destruct (Pos.eqb d 1); take_apart; auto.
  pose proof (divide_value v (Zpos d) (form f) p ltac:(lia) Heqo).
  unfold true_known in *. cbn [is_equation form]. destruct (is_equation f); nia.
Qed.
Lemma quotient_bounds_sound : forall v t a x y i l, all_true v t -> v a = poly_value v x / poly_value v y ->
  quotient_bounds t a x y i = Some l -> Forall (true_known v) l.
Proof.
  unfold quotient_bounds, negated. intros v t a x y i l A E H. take_apart.
  pose proof (product_value v _ _ _ Heqo) as P. rewrite atom_value, E in P. 
  destruct (shows t i (poly_add y (constant (-1)))) eqn:S.
  - apply (shows_sound v) in S; auto. rewrite add_value, constant_value in S. take_apart.
    pose proof (Z.div_mod (poly_value v x) (poly_value v y) ltac:(lia)).
    pose proof (Z.mod_pos_bound (poly_value v x) (poly_value v y) ltac:(lia)).
    repeat constructor; unfold true_known; cbn [is_equation form];
      rewrite ?subtract_value, ?add_value, ?constant_value, ?subtract_value; lia.
  - destruct (shows t i (subtract (constant (-1)) y)) eqn:S'; [|discriminate].
    apply (shows_sound v) in S'; auto. rewrite subtract_value, constant_value in S'. take_apart.
    pose proof (Z.div_mod (poly_value v x) (poly_value v y) ltac:(lia)).
    pose proof (Z.mod_neg_bound (poly_value v x) (poly_value v y) ltac:(lia)).
    repeat constructor; unfold true_known; cbn [is_equation form];
      rewrite ?times_value, ?add_value, ?subtract_value, ?constant_value; lia.
Qed.
Lemma do_step_sound : forall v es n t s l, table_holds es n v -> all_true v t -> do_step es n t s = Some l ->
  Forall (true_known v) l.
Proof.
  intros v es n t s l T A H. destruct s; simpl in H.
  - take_apart. constructor; auto. eapply rounded_sound; eauto. eapply combine_sound; eauto.
  - take_apart. destruct (poly_add (form k) (form k0)) eqn:S; [|discriminate]. take_apart.
    apply A in Heqo, Heqo0. assert (E := add_value v (form k) (form k0)). rewrite S in E. cbn in E.
    constructor; auto. unfold true_known in *. cbn [is_equation form].
    destruct (is_equation k), (is_equation k0); lia.
  - take_apart. apply A in Heqo. unfold true_known in Heqo. rewrite Heqb in Heqo.
    constructor; auto. unfold true_known. cbn [is_equation form]. rewrite (product_value v _ _ _ Heqo0), Heqo. lia.
  - take_apart. apply A in Heqo, Heqo0. constructor; auto. unfold true_known in *. cbn [is_equation form].
    rewrite (product_value v _ _ _ Heqo1). destruct (is_equation k), (is_equation k0); nia.
  - take_apart. apply T in Heqo. destruct (op e); try discriminate. eapply quotient_bounds_sound; eauto.
  - take_apart. apply T in Heqo. destruct (op e); try discriminate; take_apart; simpl in Heqo;
      repeat constructor; unfold true_known; cbn [is_equation form]; rewrite subtract_value, atom_value; lia.
  - take_apart. apply T in Heqo. unfold negated in H. destruct (op e); try discriminate; simpl in Heqo;
      repeat match goal with
      | H : (if shows t i ?p then _ else _) = Some _ |- _ => destruct (shows t i p) eqn:?
      | H : shows _ _ _ = true |- _ => apply (shows_sound v) in H; [|assumption]
      | H : shows _ _ _ = false |- _ => clear H
      end; try discriminate; take_apart;
      repeat constructor; unfold true_known; cbn [is_equation form];
      rewrite ?times_value, ?subtract_value, ?atom_value in *; lia.
Qed.

Inductive proof :=
| Then (s : step) (p : proof)
| Split (f : poly) (p q : proof)     (* f >= 0 in p, and f <= -1 in q *)
| Absurd (i : positive)               (* a fact that is a negative constant *)
| Done (k : nat) (w : list term) (hints : list positive).

(* What has to be shown at a `Done`. *)
Inductive goal := AtLeast0 (p : poly) | Is0 (p : poly) | IsNot0 (p : poly).
Definition true_goal v g :=
  match g with
  | AtLeast0 p => 0 <= poly_value v p | Is0 p => poly_value v p = 0 | IsNot0 p => poly_value v p <> 0
  end.
Definition meets t g (i : positive) : bool :=
  match g with
  | AtLeast0 p => shows t i p
  | Is0 p => match p with [] => true | _ =>
               match get i t with Some f => is_equation f && (poly_equal (form f) p || poly_equal (negated (form f)) p) | None => false end end
  | IsNot0 p => shows t i (poly_add p (constant (-1))) || shows t i (subtract (constant (-1)) p)
  end.
Lemma meets_sound : forall v t g i, all_true v t -> meets t g i = true -> true_goal v g.
Proof.
  intros v t g i A H. destruct g; simpl in *.
  - eapply shows_sound; eauto.
  - destruct p as [|x p]; [reflexivity|]. destruct (get i t) eqn:G; [|discriminate]. apply A in G.
    apply andb_true_iff in H. destruct H as [E H]. unfold true_known in G. rewrite E in G.
    apply orb_true_iff in H. destruct H as [H|H]; apply poly_equal_eq in H; rewrite <- H; auto.
    unfold negated. rewrite times_value. lia.
  - apply orb_true_iff in H. destruct H as [H|H]; apply (shows_sound v) in H; auto;
      rewrite ?add_value, ?subtract_value, ?constant_value in H; lia.
Qed.
Fixpoint meets_all t (gs : list goal) (hints : list positive) : bool :=
  match gs, hints with
  | [], _ => true
  | g :: gs, i :: hints => meets t g i && meets_all t gs hints
  | _ :: _, [] => false
  end.
Lemma meets_all_sound : forall v t gs hints, all_true v t -> meets_all t gs hints = true -> Forall (true_goal v) gs.
Proof.
  induction gs; simpl; intros; auto. destruct hints; [discriminate|]. apply andb_true_iff in H0. destruct H0.
  constructor; eauto. eapply meets_sound; eauto.
Qed.

Fixpoint set_all (i : positive) (l : list known) (t : tree) : positive * tree :=
  match l with [] => (i, t) | f :: l => set_all (Pos.succ i) l (set i f t) end.
Lemma set_all_true : forall v l i t, Forall (true_known v) l -> all_true v t -> all_true v (snd (set_all i l t)).
Proof. induction l; simpl; intros; auto. inversion H; subst. apply IHl; auto. apply all_true_set; auto. Qed.

Section Run.
Variable es : list entry.
Variable n : positive.
Variable goals : nat -> list term -> option (list goal).
(* `i` is the number of the next fact. *)
Fixpoint run (i : positive) (t : tree) (p : proof) : bool :=
  match p with
  | Then s p =>
      match do_step es n t s with
      | Some l => if forallb (fun f => fits (form f)) l then let (j, u) := set_all i l t in run j u p else false
      | None => false
      end
  | Split f p q =>
      fits f && run (Pos.succ i) (set i (Known false f) t) p &&
      run (Pos.succ i) (set i (Known false (subtract (constant (-1)) f)) t) q
  | Absurd j => match get j t with
                | Some f => match as_constant (form f) with
                            | Some c => if is_equation f then negb (c =? 0) else c <? 0
                            | None => false
                            end
                | None => false
                end
  | Done k w hints => match goals k w with Some gs => meets_all t gs hints | None => false end
  end.
Theorem run_sound : forall v p i t, table_holds es n v -> all_true v t -> run i t p = true ->
  exists k w gs, goals k w = Some gs /\ Forall (true_goal v) gs.
Proof.
  induction p; intros i' t T A H.
  - cbn [run] in H. destruct (do_step es n t s) eqn:S; [|discriminate]. destruct (forallb _ l); [|discriminate].
    apply (do_step_sound v) in S; auto. destruct (set_all i' l t) as [j u] eqn:E. apply (IHp j u); auto.
    replace u with (snd (set_all i' l t)) by (rewrite E; auto). apply set_all_true; auto.
  - cbn [run] in H. apply andb_true_iff in H. destruct H as [H R]. apply andb_true_iff in H. destruct H as [_ L].
    destruct (Z_le_gt_dec 0 (poly_value v f)).
    + eapply IHp1; [exact T| |exact L]. apply all_true_set; auto.
    + eapply IHp2; [exact T| |exact R]. apply all_true_set; auto. unfold true_known. cbn [is_equation form].
      rewrite subtract_value, constant_value. lia.
  - cbn [run] in H. destruct (get i t) eqn:G; [|discriminate]. apply A in G. unfold true_known in G.
    destruct (as_constant (form k)) eqn:C; [|discriminate]. apply (as_constant_value v) in C.
    destruct (is_equation k).
    + apply negb_true_iff in H. apply Z.eqb_neq in H. lia.
    + apply Z.ltb_lt in H. lia.
  - cbn [run] in H. destruct (goals k w) eqn:G; [|discriminate]. exists k, w, l. split; auto.
    eapply meets_all_sound; eauto.
Qed.
End Run.
