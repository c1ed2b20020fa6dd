(* The maps of a program as unions of compositions, and that a claim about them that is accepted is true. *)
From Coq Require Import ZArith List Bool Lia.
From Affirm Require Import map_claims proof_checker claim_checker hlo_reads.
Import ListNotations.
Open Scope Z_scope.

(* ---- Terms that have a value everywhere ---- *)
(* Variables below n, and divisors that are positive constants. *)
Fixpoint plain n (t : term) : bool :=
  match t with
  | Const _ => true
  | Var i => Nat.ltb i n
  | Add a b | Sub a b | Mul a b | Min a b | Max a b => plain n a && plain n b
  | FloorDiv a b | CeilDiv a b | Mod a b => plain n a && match b with Const c => 0 <? c | _ => false end
  end.
Lemma plain_defined : forall n e t, plain n t = true -> defined e t.
Proof.
  induction t; simpl; intros; auto; apply andb_true_iff in H; destruct H; auto; destruct t2; try discriminate;
    apply Z.ltb_lt in H0; simpl; repeat split; auto; lia.
Qed.
Lemma plain_value : forall n e f t, (forall i, (i < n)%nat -> e i = f i) -> plain n t = true -> value e t = value f t.
Proof.
  induction t; simpl; intros A P; auto; try (apply andb_true_iff in P; destruct P);
    try (rewrite IHt1, IHt2 by auto; reflexivity); try (apply A; apply Nat.ltb_lt; auto);
    destruct t2; try discriminate; simpl; rewrite IHt1 by auto; reflexivity.
Qed.
Fixpoint substitute (s : nat -> term) (t : term) : term :=
  match t with
  | Const z => Const z | Var i => s i
  | Add a b => Add (substitute s a) (substitute s b) | Sub a b => Sub (substitute s a) (substitute s b)
  | Mul a b => Mul (substitute s a) (substitute s b) | FloorDiv a b => FloorDiv (substitute s a) (substitute s b)
  | CeilDiv a b => CeilDiv (substitute s a) (substitute s b) | Mod a b => Mod (substitute s a) (substitute s b)
  | Min a b => Min (substitute s a) (substitute s b) | Max a b => Max (substitute s a) (substitute s b)
  end.
Lemma substitute_value : forall e s t, value e (substitute s t) = value (fun i => value e (s i)) t.
Proof. induction t; simpl; congruence. Qed.
Lemma substitute_defined : forall e s, (forall i, defined e (s i)) ->
  forall t, defined e (substitute s t) <-> defined (fun i => value e (s i)) t.
Proof. induction t; simpl; rewrite ?substitute_value; intuition. Qed.

(* ---- Composition ---- *)
(* Variables of the composition of a and b: their runtime variables, the dims of a, the range variables of both. *)
Definition left_variable a b i := if Nat.ltb i (runtime a) then Var i else Var (i + runtime b).
Definition right_variable a b i :=
  if Nat.ltb i (runtime b) then Var (runtime a + i)
  else if Nat.ltb i (runtime b + dims b) then substitute (left_variable a b) (nth (i - runtime b) (results a) (Const 0))
  else Var (i - (runtime b + dims b) + (variables a + runtime b)).
Definition substitute_fact s f := Fact (substitute s (subject f)) (lower f) (upper f).
Definition substitute_producer s p := Producer (from p) (map (substitute s) (at_ p)) (limit p).
Definition compose x y := let a := map_of x in let b := map_of y in let s := left_variable a b in let t := right_variable a b in
  Access (Map (runtime a + runtime b) (dims a) (ranges a + ranges b)
      (map (substitute_fact s) (domain a) ++ map (substitute_fact t) (domain b)) (map (substitute t) (results b)))
    (map (substitute_producer s) (producers x) ++ map (substitute_producer t) (producers y)).
Definition well_formed x := Nat.eqb (length (producers x)) (runtime (map_of x)).
Definition plain_access x := let n := variables (map_of x) in well_formed x &&
  forallb (fun f => plain n (subject f)) (domain (map_of x)) && forallb (plain n) (results (map_of x)) &&
  forallb (fun p => forallb (plain n) (at_ p)) (producers x).

Lemma holds_substitute : forall e s f, (forall i, defined e (s i)) ->
  holds e (substitute_fact s f) <-> holds (fun i => value e (s i)) f.
Proof. unfold holds, substitute_fact. simpl. intros. rewrite substitute_value, substitute_defined by auto. reflexivity. Qed.
Lemma inside_substitute : forall e s l, (forall i, defined e (s i)) ->
  Forall (holds e) (map (substitute_fact s) l) <-> Forall (holds (fun i => value e (s i))) l.
Proof.
  intros. rewrite Forall_map. split; apply Forall_impl; intros f; apply holds_substitute; auto.
Qed.
Lemma produced_substitute : forall v e s p, produced v e (substitute_producer s p) = produced v (fun i => value e (s i)) p.
Proof.
  unfold produced, substitute_producer. simpl. intros. rewrite map_map.
  rewrite (map_ext _ _ (fun t => substitute_value e s t)). reflexivity.
Qed.
Lemma values_plain : forall n e f l, (forall i, (i < n)%nat -> e i = f i) -> forallb (plain n) l = true ->
  map (value e) l = map (value f) l.
Proof.
  intros n e f l A P. rewrite forallb_forall in P. apply map_ext_in. intros t I. apply (plain_value n); auto.
Qed.
Lemma holds_plain : forall n e f l, (forall i, (i < n)%nat -> e i = f i) ->
  forallb (fun x => plain n (subject x)) l = true -> Forall (holds e) l -> Forall (holds f) l.
Proof.
  unfold holds. intros n e f l A P H. rewrite forallb_forall in P. rewrite Forall_forall in *. intros x I.
  specialize (P x I). destruct (H x I) as (D & L & U). rewrite (plain_value n e f _ A P) in *.
  split; [eapply plain_defined; eauto|auto].
Qed.
Lemma plain_parts : forall x, plain_access x = true -> let n := variables (map_of x) in
  length (producers x) = runtime (map_of x) /\ forallb (fun f => plain n (subject f)) (domain (map_of x)) = true /\
  forallb (plain n) (results (map_of x)) = true /\ forallb (fun p => forallb (plain n) (at_ p)) (producers x) = true.
Proof.
  unfold plain_access, well_formed. intros x P. repeat (apply andb_true_iff in P; destruct P as [P ?]).
  apply Nat.eqb_eq in P. auto.
Qed.
Lemma left_defined : forall e a b i, defined e (left_variable a b i).
Proof. unfold left_variable. intros. destruct (Nat.ltb _ _); simpl; auto. Qed.
Lemma right_defined : forall e a b, forallb (plain (variables a)) (results a) = true -> forall i, defined e (right_variable a b i).
Proof.
  unfold right_variable. intros e a b P i. destruct (Nat.ltb i _); [simpl; auto|]. destruct (Nat.ltb i _); [|simpl; auto].
  apply substitute_defined; [intro; apply left_defined|].
  destruct (nth_in_or_default (i - runtime b) (results a) (Const 0)) as [I| ->]; [|simpl; auto].
  rewrite forallb_forall in P. eapply plain_defined. apply P. exact I.
Qed.
Lemma tuple_at : forall e m i, nth i (tuple e m) 0 = value e (nth i (results m) (Const 0)).
Proof. unfold tuple. intros. rewrite <- (map_nth (value e)). reflexivity. Qed.
Lemma value_ext : forall e f t, (forall i, e i = f i) -> value e t = value f t.
Proof. induction t; simpl; intros; try rewrite IHt1, IHt2 by auto; auto. Qed.
Lemma defined_ext : forall e f t, (forall i, e i = f i) -> defined e t -> defined f t.
Proof.
  induction t; simpl; intros E D; auto; try (rewrite <- (value_ext e f t2 E)); intuition.
Qed.
Lemma inside_ext : forall e f l, (forall i, e i = f i) -> Forall (holds e) l -> Forall (holds f) l.
Proof.
  intros e f l E. apply Forall_impl. unfold holds. intros x (D & L & U). rewrite (value_ext e f _ E) in *.
  split; [eapply defined_ext; eauto|auto].
Qed.
Lemma produced_ext : forall v e f p, (forall i, e i = f i) -> produced v e p = produced v f p.
Proof.
  unfold produced. intros v e f p E. rewrite (map_ext (value e) (value f)); auto. intro. apply value_ext. auto.
Qed.
Lemma nth_error_map_some : forall A B (f : A -> B) l i y, nth_error (map f l) i = Some y ->
  exists x, nth_error l i = Some x /\ y = f x.
Proof. induction l; destruct i; simpl; intros y H; try discriminate; eauto. inversion H. eauto. Qed.

Lemma results_substitute : forall e s l, (forall i, defined e (s i)) ->
  Forall (defined e) (map (substitute s) l) <-> Forall (defined (fun i => value e (s i))) l.
Proof. intros. rewrite Forall_map. split; apply Forall_impl; intros t; apply substitute_defined; auto. Qed.
Lemma results_ext : forall e f l, (forall i, e i = f i) -> Forall (defined e) l -> Forall (defined f) l.
Proof. intros e f l E. apply Forall_impl. intro t. apply defined_ext. exact E. Qed.
Lemma plain_results : forall n e l, forallb (plain n) l = true -> Forall (defined e) l.
Proof. intros n e l P. rewrite forallb_forall in P. apply Forall_forall. intros t I. eapply plain_defined. apply P. exact I. Qed.

Lemma compose_accesses : forall v x y o z, plain_access x = true -> well_formed y = true ->
  accesses v (compose x y) o z <-> exists w, accesses v x o w /\ accesses v y (at_index w) z.
Proof.
  intros v x y o z P W. apply plain_parts in P. unfold well_formed in W. apply Nat.eqb_eq in W.
  set (a := map_of x) in *. set (b := map_of y) in *. destruct P as (PL & PD & PR & PP).
  assert (D := fun e => right_defined e a b PR). split.
  - intros (e & O & Q & I & T). cbn [compose map_of runtime dims producers] in *. fold a b in O, Q, I, T.
    destruct I as [I R]. cbn [results] in R. unfold inside in I. cbn [domain] in I. apply Forall_app in I. destruct I as [I J].
    set (f := fun i => value e (left_variable a b i)). set (g := fun i => value e (right_variable a b i)).
    exists (tuple f a). split.
    + exists f. fold a. repeat split.
      * intros i L. rewrite <- O by auto. unfold f, left_variable. destruct (Nat.ltb_spec (runtime a + i) (runtime a)); [lia|].
        simpl. f_equal. lia.
      * intros i p N. assert (L : (i < length (producers x))%nat) by (apply nth_error_Some; congruence).
        replace (produced v f p) with (produced v e (substitute_producer (left_variable a b) p)) by apply produced_substitute.
        rewrite <- (Q i).
        -- unfold f, left_variable. destruct (Nat.ltb_spec i (runtime a)); [reflexivity|lia].
        -- rewrite nth_error_app1 by (rewrite map_length; auto). apply map_nth_error. auto.
      * apply inside_substitute in I; auto. intro. apply left_defined.
      * eapply plain_results; eauto.
    + exists g. fold b. repeat split.
      * intros i L. unfold g, right_variable. destruct (Nat.ltb_spec (runtime b + i) (runtime b)); [lia|].
        destruct (Nat.ltb_spec (runtime b + i) (runtime b + dims b)); [|lia].
        replace (runtime b + i - runtime b)%nat with i by lia. unfold at_index. rewrite tuple_at, substitute_value. reflexivity.
      * intros i p N. assert (L : (i < length (producers y))%nat) by (apply nth_error_Some; congruence).
        replace (produced v g p) with (produced v e (substitute_producer (right_variable a b) p)) by apply produced_substitute.
        rewrite <- (Q (runtime a + i)%nat).
        -- unfold g, right_variable. destruct (Nat.ltb_spec i (runtime b)); [reflexivity|lia].
        -- rewrite nth_error_app2 by (rewrite map_length; lia). rewrite map_length, PL.
           replace (runtime a + i - runtime a)%nat with i by lia. apply map_nth_error. auto.
      * apply inside_substitute in J; auto.
      * apply results_substitute in R; auto.
      * rewrite <- T. unfold tuple. cbn [results]. rewrite map_map. apply map_ext. intro. symmetry. apply substitute_value.
  - intros (w & (e & O & Q & [I _] & T) & (f & O' & Q' & [J R] & U)). fold a b in O, Q, I, T, O', Q', J, R, U.
    set (g := fun i => if Nat.ltb i (runtime a) then e i else if Nat.ltb i (runtime a + runtime b) then f (i - runtime a)%nat
      else if Nat.ltb i (variables a + runtime b) then e (i - runtime b)%nat
      else f (i - (variables a + runtime b) + (runtime b + dims b))%nat).
    assert (VA : (runtime a <= variables a)%nat) by (unfold variables; lia).
    assert (E : forall i, (i < variables a)%nat -> e i = value g (left_variable a b i)).
    { intros i L. unfold left_variable, g. destruct (Nat.ltb_spec i (runtime a)); cbn [value].
      - destruct (Nat.ltb_spec i (runtime a)); [auto|lia].
      - destruct (Nat.ltb_spec (i + runtime b) (runtime a)); [lia|].
        destruct (Nat.ltb_spec (i + runtime b) (runtime a + runtime b)); [lia|].
        destruct (Nat.ltb_spec (i + runtime b) (variables a + runtime b)); [f_equal; lia|lia]. }
    assert (F : forall i, f i = value g (right_variable a b i)).
    { intro i. unfold right_variable. destruct (Nat.ltb_spec i (runtime b)) as [L|L].
      - cbn [value]. unfold g. destruct (Nat.ltb_spec (runtime a + i) (runtime a)); [lia|].
        destruct (Nat.ltb_spec (runtime a + i) (runtime a + runtime b)); [f_equal; lia|lia].
      - destruct (Nat.ltb_spec i (runtime b + dims b)) as [L'|L'].
        + replace (f i) with (f (runtime b + (i - runtime b))%nat) by (f_equal; lia). rewrite O' by lia. rewrite <- T.
          unfold at_index. rewrite tuple_at, substitute_value. apply (plain_value (variables a)); auto.
          destruct (nth_in_or_default (i - runtime b) (results a) (Const 0)) as [N| ->]; [|reflexivity].
          rewrite forallb_forall in PR. auto.
        + cbn [value]. unfold g. destruct (Nat.ltb_spec (i - (runtime b + dims b) + (variables a + runtime b)) (runtime a)); [lia|].
          destruct (Nat.ltb_spec (i - (runtime b + dims b) + (variables a + runtime b)) (runtime a + runtime b)); [lia|].
          destruct (Nat.ltb_spec (i - (runtime b + dims b) + (variables a + runtime b)) (variables a + runtime b)); [lia|].
          f_equal. lia. }
    exists g. cbn [compose map_of runtime dims producers]. fold a b. repeat split.
    + intros i L. rewrite <- O by auto. rewrite E by (unfold variables; lia). unfold left_variable.
      destruct (Nat.ltb_spec (runtime a + i) (runtime a)); [lia|]. cbn [value]. f_equal. lia.
    + intros i p N. destruct (Nat.ltb_spec i (runtime a)) as [L|L].
      * rewrite nth_error_app1 in N by (rewrite map_length; lia). apply nth_error_map_some in N. destruct N as (p' & N & ->).
        rewrite produced_substitute. assert (G : g i = e i) by (unfold g; destruct (Nat.ltb_spec i (runtime a)); [auto|lia]).
        rewrite G, (Q i p' N). unfold produced. rewrite (values_plain (variables a) e (fun i => value g (left_variable a b i))); auto.
        rewrite forallb_forall in PP. apply PP. eapply nth_error_In. eauto.
      * rewrite nth_error_app2 in N by (rewrite map_length; lia). rewrite map_length, PL in N. apply nth_error_map_some in N.
        destruct N as (p' & N & ->). rewrite produced_substitute.
        assert (B : (i - runtime a < runtime b)%nat) by (rewrite <- W; apply nth_error_Some; congruence).
        assert (G : g i = f (i - runtime a)%nat).
        { unfold g. destruct (Nat.ltb_spec i (runtime a)); [lia|]. destruct (Nat.ltb_spec i (runtime a + runtime b)); [auto|lia]. }
        rewrite G, (Q' _ _ N). apply produced_ext. exact F.
    + unfold inside. cbn [domain]. apply Forall_app. split.
      * apply inside_substitute; [intro; apply left_defined|]. eapply holds_plain; eauto.
      * apply inside_substitute; auto. eapply inside_ext; [exact F|]. exact J.
    + cbn [results]. apply results_substitute; auto. eapply results_ext; [exact F|]. exact R.
    + rewrite <- U. unfold tuple. cbn [results]. rewrite map_map. apply map_ext. intro t. rewrite substitute_value.
      apply value_ext. intro i. symmetry. apply F.
Qed.

(* ---- The identity of an array ---- *)
Lemma sizes_hold : forall s n e, Forall (holds e) (sizes_in n s) <-> in_array s (map e (seq n (length s))).
Proof.
  unfold in_array. induction s; simpl; intros n e; [split; constructor|]. split; intro H; inversion H; subst.
  - constructor; [unfold holds in H2; simpl in H2; lia|apply IHs; auto].
  - constructor; [unfold holds; simpl; lia|apply IHs; auto].
Qed.
Lemma index_list : forall out, map (at_index out) (seq 0 (length out)) = out.
Proof.
  unfold at_index. induction out; simpl; auto. f_equal. rewrite <- seq_shift, map_map. exact IHout.
Qed.
Lemma identity_gives : forall v s out x, length out = length s ->
  accesses v (identity s) (at_index out) x <-> in_array s x /\ x = out.
Proof.
  intros v s out x L. unfold accesses, identity, reading, reading_at, valid, inside, tuple, each.
  cbn [map_of producers domain results sizes_in length dims runtime Nat.add]. split.
  - intros (e & A & _ & [I _] & T). rewrite app_nil_r, app_nil_r in I || rewrite app_nil_r in I. apply sizes_hold in I.
    rewrite map_map in T. cbn [value] in T.
    assert (E : map e (seq 0 (length s)) = out).
    { rewrite <- (index_list out) at 1. rewrite L. apply map_ext_in. intros i N. apply in_seq in N. apply A. lia. }
    rewrite <- T. split; auto.
  - intros (I & ->). exists (at_index out). split; [auto|]. split; [intros i p N; destruct i; discriminate|].
    rewrite app_nil_r. split; [split|].
    + apply sizes_hold. rewrite <- L, index_list. exact I.
    + cbn [results]. apply Forall_map, Forall_forall. intros i _. exact Logic.I.
    + rewrite map_map. cbn [value]. rewrite <- L. apply index_list.
Qed.

(* ---- The maps of a program ---- *)
Definition most_paths := 200%nat.
Definition rank_at (shapes : list shape) i := length (nth i shapes []).
Definition fits_operand d r m := plain_access m && Nat.eqb (dims (map_of m)) d && Nat.eqb (length (results (map_of m))) r.
Definition fits_path r q := well_formed q && Nat.eqb (dims (map_of q)) r.
(* The maps of a result of `o` through its operands, from the i-th on; `f` has the maps of each node.  None: an op that is
   not known, or too many paths. *)
Fixpoint through (f : nat -> option (list access)) o s (shapes : list shape) (node_of : nat -> nat) (operands : list nat) i : option (list access) :=
  match operands with
  | [] => Some []
  | j :: operands =>
      P <- f j ;; R <- through f o s shapes node_of operands (S i) ;;
      match P with
      | [] => Some R
      | _ =>
          M <- read_of o shapes s node_of i ;;
          if forallb (fits_operand (length s) (rank_at shapes i)) M && forallb (fits_path (rank_at shapes i)) P
          then let R := flat_map (fun m => map (compose m) P) M ++ R in if Nat.leb (length R) most_paths then Some R else None
          else None
      end
  end.
(* T: the maps to node t of the first k nodes. *)
Definition maps_at p t k n (T : list (option (list access))) :=
  if Nat.eqb k t then Some [identity (shape_of n)]
  else match n with
       | Array _ => Some []
       | Result o operands s => through (fun j => nth j T None) o s (shapes p operands) (fun i => nth i operands O) operands 0
       end.
Fixpoint maps_from p t (l : list node) k T :=
  match l with [] => T | n :: l => maps_from p t l (S k) (T ++ [maps_at p t k n T]) end.
Definition maps_of p t k := nth k (maps_from p t p 0 []) None.

Lemma through_in : forall f o s shapes node_of (Q : access -> Prop) operands i0 R, through f o s shapes node_of operands i0 = Some R ->
  (exists m, In m R /\ Q m) <->
  (exists i j P M m q, nth_error operands i = Some j /\ f j = Some P /\ read_of o shapes s node_of (i0 + i) = Some M /\
    In m M /\ In q P /\ fits_operand (length s) (rank_at shapes (i0 + i)) m = true /\
    fits_path (rank_at shapes (i0 + i)) q = true /\ Q (compose m q)).
Proof.
  induction operands as [|j operands IH]; cbn [through]; intros i0 R H.
  - inversion H. subst. split; [intros (m & [] & _)|intros (i & j & P & M & m & q & N & _); destruct i; discriminate].
  - destruct (f j) as [P|] eqn:F; [|discriminate]. destruct (through f o s shapes node_of operands (S i0)) as [R'|] eqn:T; [|discriminate].
    specialize (IH _ _ T).
    assert (later : (exists m, In m R' /\ Q m) -> exists i j0 P M m q, nth_error (j :: operands) i = Some j0 /\ f j0 = Some P /\
      read_of o shapes s node_of (i0 + i) = Some M /\ In m M /\ In q P /\ fits_operand (length s) (rank_at shapes (i0 + i)) m = true /\
      fits_path (rank_at shapes (i0 + i)) q = true /\ Q (compose m q)).
    { intro X. apply IH in X. destruct X as (i & j0 & P0 & M & m & q & X). exists (S i), j0, P0, M, m, q.
      replace (i0 + S i)%nat with (S i0 + i)%nat by lia. exact X. }
    destruct P as [|q0 P'].
    + inversion H. subst. split; [exact later|].
      intros (i & j0 & P & M & m & q & N & F' & X). destruct i.
      * simpl in N. inversion N. subst. rewrite F in F'. inversion F'. subst. destruct X as (_ & _ & [] & _).
      * apply IH. exists i, j0, P, M, m, q. replace (S i0 + i)%nat with (i0 + S i)%nat by lia. auto.
    + set (P := q0 :: P') in *. destruct (read_of o shapes s node_of i0) as [M|] eqn:E; [|discriminate].
      destruct (forallb (fits_operand _ _) M && forallb _ P) eqn:C; [|discriminate].
      destruct (Nat.leb _ _); [|discriminate]. inversion H. subst. clear H. apply andb_true_iff in C. destruct C as [C1 C2].
      rewrite forallb_forall in C1, C2. split.
      * intros (m & N & X). apply in_app_iff in N. destruct N as [N|N]; [|apply later; eauto].
        apply in_flat_map in N. destruct N as (m1 & N1 & N2). change (In m (map (compose m1) P)) in N2. apply in_map_iff in N2. destruct N2 as (q & <- & N2).
        exists O, j, P, M, m1, q. rewrite Nat.add_0_r. repeat split; auto.
      * intros (i & j0 & P0 & M0 & m & q & N & F' & E' & X). destruct i.
        -- simpl in N. inversion N. subst. rewrite F in F'. inversion F'. subst. rewrite Nat.add_0_r in E'. rewrite E in E'.
           inversion E'. subst. exists (compose m q). destruct X as (X1 & X2 & _ & _ & X3). split; auto.
           apply in_app_iff. left. apply in_flat_map. exists m. split; auto. change (In (compose m q) (map (compose m) P)). apply in_map. auto.
        -- assert (exists m, In m R' /\ Q m) as (m' & I & Q').
           { apply IH. exists i, j0, P0, M0, m, q. replace (S i0 + i)%nat with (i0 + S i)%nat by lia. auto. }
           exists m'. split; auto. apply in_app_iff. auto.
Qed.

Lemma through_each : forall f o s shapes node_of operands i0 R, through f o s shapes node_of operands i0 = Some R ->
  forall i j, nth_error operands i = Some j -> exists P, f j = Some P /\ forall q, In q P -> exists M,
    read_of o shapes s node_of (i0 + i) = Some M /\ fits_path (rank_at shapes (i0 + i)) q = true /\
    forall m, In m M -> fits_operand (length s) (rank_at shapes (i0 + i)) m = true.
Proof.
  induction operands as [|j operands IH]; cbn [through]; intros i0 R H i k N; [destruct i; discriminate|].
  destruct (f j) as [P|] eqn:F; [|discriminate]. destruct (through f o s shapes node_of operands (S i0)) as [R'|] eqn:T; [|discriminate].
  destruct i; simpl in N.
  - inversion N. subst. exists P. split; auto. intros q I. rewrite Nat.add_0_r. destruct P as [|q0 P']; [destruct I|].
    destruct (read_of o shapes s node_of i0) as [M|]; [|discriminate]. exists M. split; auto.
    destruct (forallb (fits_operand _ _) M && forallb _ _) eqn:C; [|discriminate]. apply andb_true_iff in C.
    destruct C as [C1 C2]. rewrite forallb_forall in C1, C2. split; auto.
  - replace (i0 + S i)%nat with (S i0 + i)%nat by lia. eapply IH; eauto.
Qed.

Lemma in_array_length : forall s x, in_array s x -> length x = length s.
Proof. induction 1; simpl; congruence. Qed.
(* M are the maps of node k. *)
Definition are_maps p t k (M : list access) := forall n, nth_error p k = Some n -> forall v out x, length out = length (shape_of n) ->
  (exists m, In m M /\ accesses v m (at_index out) x) <-> reads v p t x k out.
Lemma accesses_length : forall v m o x, accesses v m o x -> length x = length (results (map_of m)).
Proof. intros v m o x (e & _ & _ & _ & <-). unfold tuple. apply map_length. Qed.
Lemma shapes_at : forall p operands i j, nth_error operands i = Some j ->
  nth i (shapes p operands) [] = match nth_error p j with Some n => shape_of n | None => [] end.
Proof.
  unfold shapes. induction operands; destruct i; simpl; intros; try discriminate; auto. inversion H. reflexivity.
Qed.
Lemma maps_at_sound : forall p t k n T M, nth_error p k = Some n -> length T = k ->
  (forall j P, nth j T None = Some P -> are_maps p t j P) -> maps_at p t k n T = Some M -> are_maps p t k M.
Proof.
  unfold maps_at. intros p t k n T M N L H E n' N' v out x D. rewrite N in N'. inversion N'. subst n'. clear N'.
  destruct (Nat.eqb_spec k t) as [K|K].
  - inversion E. subst M. clear E. subst t. split.
    + intros (m & [<-|[]] & G). apply identity_gives in G; auto. destruct G as [G ->]. econstructor; eauto.
    + intro R. exists (identity (shape_of n)). split; [left; auto|]. apply identity_gives; auto.
      inversion R; subst; [|congruence]. rewrite N in H0. inversion H0. subst. auto.
  - destruct n as [s|o operands s]; cbn [shape_of] in *.
    + inversion E. subst. split; [intros (m & [] & _)|]. intro R. inversion R; subst; congruence.
    + set (d := length s) in *.
      pose proof (through_in _ _ _ _ _ (fun m => accesses v m (at_index out) x) _ _ _ E) as X. rewrite X. clear X. cbn [Nat.add].
      split.
      * intros (i & j & P & M' & m & q & O & F & RO & I1 & I2 & F1 & F2 & G).
        unfold fits_operand in F1. apply andb_true_iff in F1. destruct F1 as [F1 F3]. apply andb_true_iff in F1. destruct F1 as [F1 F4].
        unfold fits_path in F2. apply andb_true_iff in F2. destruct F2 as [F2 F5]. apply Nat.eqb_eq in F3, F4, F5.
        apply compose_accesses in G; auto. destruct G as (y & G1 & G2).
        eapply Operand with (y := y); eauto.
        unfold rank_at in *. rewrite (shapes_at _ _ _ _ O) in F3, F5.
        assert (J : (j < length p)%nat).
        { assert (j < length T)%nat by (destruct (Nat.ltb_spec j (length T)); auto; rewrite nth_overflow in F by lia; discriminate).
          assert (k < length p)%nat by (apply nth_error_Some; congruence). lia. }
        apply nth_error_Some in J. destruct (nth_error p j) as [nj|] eqn:NJ; [|congruence].
        apply (H j P F nj NJ v); [apply accesses_length in G1; congruence|]. eauto.
      * intro R. inversion R as [|k' o' s' operands' i j out' M' m y K' N' O RO I L' G R']; subst; [congruence|].
        rewrite N in N'. inversion N'. subst o' operands' s'. clear N'.
        destruct (through_each _ _ _ _ _ _ _ _ E _ _ O) as (P & F & all). cbn [Nat.add] in all.
        assert (J : (j < length p)%nat).
        { assert (j < length T)%nat by (destruct (Nat.ltb_spec j (length T)); auto; rewrite nth_overflow in F by lia; discriminate).
          assert (length T < length p)%nat by (apply nth_error_Some; congruence). lia. }
        apply nth_error_Some in J. destruct (nth_error p j) as [nj|] eqn:NJ; [|congruence].
        assert (reads_length : forall k z, reads v p t x k z -> forall n, nth_error p k = Some n -> length z = length (shape_of n)).
        { intros k0 z Z n E'. inversion Z as [n0 X1 X2|k1 o1 s1 ops1 i1 j1 out1 M1 m1 y1 X1 X2 X3 X4 X5 X6]; subst;
            rewrite E' in X1 || rewrite E' in X2; [inversion X1|inversion X2]; subst; auto.
          apply in_array_length in X2. exact X2. }
        assert (LY : length y = length (shape_of nj)) by eauto.
        destruct (proj2 (H j P F nj NJ v y x LY) R') as (q & IQ & GQ).
        destruct (all q IQ) as (M2 & RO2 & FP & FM). rewrite RO in RO2. inversion RO2. subst M2.
        specialize (FM m I). exists i, j, P, M', m, q. repeat split; auto.
        unfold fits_operand in FM. apply andb_true_iff in FM. destruct FM as [F1 F3]. apply andb_true_iff in F1.
        destruct F1 as [F1 F4]. unfold fits_path in FP. apply andb_true_iff in FP. destruct FP as [F2 F5].
        apply Nat.eqb_eq in F3, F4, F5. unfold rank_at in F5. rewrite (shapes_at _ _ _ _ O), NJ in F5.
        apply compose_accesses; auto. exists y. auto.
Qed.
Lemma maps_from_sound : forall p t l k T, (forall i, nth_error l i = nth_error p (k + i)) -> length T = k ->
  (forall j P, nth j T None = Some P -> are_maps p t j P) ->
  forall j P, nth j (maps_from p t l k T) None = Some P -> are_maps p t j P.
Proof.
  induction l as [|n l IH]; cbn [maps_from]; intros k T E L H; [exact H|]. apply IH.
  - intro i. specialize (E (S i)). simpl in E. rewrite E. f_equal. lia.
  - rewrite app_length. simpl. lia.
  - intros j P N. destruct (Nat.ltb_spec j k).
    + rewrite app_nth1 in N by lia. auto.
    + rewrite app_nth2 in N by lia. destruct (j - length T)%nat as [|i] eqn:D; [|destruct i; discriminate].
      assert (j = k) by lia. subst j. simpl in N. specialize (E O). simpl in E. rewrite Nat.add_0_r in E.
      eapply maps_at_sound; eauto.
Qed.
Lemma maps_of_sound : forall p t k M, maps_of p t k = Some M -> are_maps p t k M.
Proof.
  unfold maps_of. intros p t k M. apply (maps_from_sound p t p O []); auto.
  intros j P N. destruct j; discriminate.
Qed.

(* ---- Claims ---- *)
(* The map where runtime variables are range variables: at least what is read, whatever they are. *)
Definition forgotten_variable m i :=
  if Nat.ltb i (runtime m) then Var (dims m + i) else if Nat.ltb i (runtime m + dims m) then Var (i - runtime m) else Var i.
Definition forget x := let m := map_of x in let s := forgotten_variable m in
  Map 0 (dims m) (runtime m + ranges m) (map (substitute_fact s) (domain m)) (map (substitute s) (results m)).
Lemma forget_gives : forall v x o z, accesses v x o z -> gives (dims (map_of x)) (forget x) o z.
Proof.
  intros v x o z (e & O & _ & [I R] & T). set (m := map_of x) in *.
  set (f := fun i => if Nat.ltb i (dims m) then e (runtime m + i)%nat
    else if Nat.ltb i (dims m + runtime m) then e (i - dims m)%nat else e i).
  assert (F : forall i, e i = value f (forgotten_variable m i)).
  { intro i. unfold forgotten_variable, f. destruct (Nat.ltb_spec i (runtime m)); [|destruct (Nat.ltb_spec i (runtime m + dims m))];
      cbn [value]; repeat match goal with |- context [Nat.ltb ?a ?b] => destruct (Nat.ltb_spec a b) end; try lia; f_equal; lia. }
  exists f. fold m. split; [|split].
  - intros i L. unfold f. destruct (Nat.ltb_spec i (dims m)); [auto|lia].
  - assert (D : forall i, defined f (forgotten_variable m i))
      by (intro i; unfold forgotten_variable; destruct (Nat.ltb _ _); [|destruct (Nat.ltb _ _)]; simpl; auto).
    unfold valid, inside, forget. cbn [domain results]. fold m. split.
    + apply inside_substitute; auto. eapply inside_ext; [exact F|]. exact I.
    + apply results_substitute; auto. eapply results_ext; [exact F|]. exact R.
  - rewrite <- T. unfold tuple, forget. cbn [results]. fold m. rewrite map_map. apply map_ext. intro t.
    rewrite substitute_value. apply value_ext. intro i. symmetry. apply F.
Qed.

Definition term_eq_dec : forall a b : term, {a = b} + {a <> b}.
Proof. decide equality; auto using Z.eq_dec, Nat.eq_dec. Defined.
Definition producer_eq_dec : forall a b : producer, {a = b} + {a <> b}.
Proof.
  decide equality; [decide equality; apply Z.eq_dec|apply list_eq_dec, term_eq_dec|apply Nat.eq_dec].
Defined.
(* The access where runtime variables are what `known` says, by the dims alone: others of `known` do not occur. *)
Definition of_dims r d := fix of_dims t :=
  match t with
  | Const _ => true
  | Var i => Nat.leb r i && Nat.ltb i (r + d)
  | Add a b | Sub a b | Mul a b | FloorDiv a b | CeilDiv a b | Mod a b | Min a b | Max a b => of_dims a && of_dims b
  end.
Fixpoint position_in (known : list producer) p :=
  match known with
  | [] => None
  | q :: l => if producer_eq_dec q p then Some O else i <- position_in l p ;; Some (S i)
  end.
Definition moved r m i := Var (i - runtime m + r).
Definition aligned (known : list producer) d x : option access :=
  let m := map_of x in let r := length known in
  places <- all_some (map (fun p => position_in known (substitute_producer (moved r m) p)) (producers x)) ;;
  let s i := if Nat.ltb i (runtime m) then Var (nth i places O) else moved r m i in
  if well_formed x && Nat.eqb (dims m) d && forallb (fun p => forallb (of_dims (runtime m) d) (at_ p)) (producers x) then
    Some (Access (Map r d (ranges m) (clamped 0 known ++ map (substitute_fact s) (domain m)) (map (substitute s) (results m))) known)
  else None.
Definition are_known (known : list producer) d :=
  forallb (fun p => match limit p with Some l => 0 <=? l | None => false end &&
    forallb (fun t => plain (length known + d) t && of_dims (length known) d t) (at_ p)) known.
Definition is_nil {A} (l : list A) := match l with [] => true | _ => false end.
(* The claim about maps alone that the evidence shows. *)
Definition as_maps (c : reads_claim) : option claim :=
  n <- nth_error (nodes c) (reader c) ;; M <- maps_of (nodes c) (source c) (reader c) ;;
  let d := length (shape_of n) in let r := length (given c) in
  if is_nil (given c) && negb (exact c) then
    if forallb (fun x => Nat.eqb (dims (map_of x)) d) M then Some (Covers 0 d (said c) (map forget M)) else None
  else if are_known (given c) d then
    M <- all_some (map (aligned (given c) d) M) ;;
    Some (if exact c then Equal r d (said c) (map map_of M) else Covers r d (said c) (map map_of M))
  else None.
Definition check_reads (c : reads_claim) (cs : list evidence) : bool :=
  match as_maps c with Some m => check m cs | None => false end.

Lemma position_in_at : forall known p i, position_in known p = Some i -> nth_error known i = Some p.
Proof.
  induction known as [|q l IH]; simpl; intros p i H; [discriminate|]. destruct (producer_eq_dec q p) as [->|N].
  - inversion H. reflexivity.
  - destruct (position_in l p) eqn:E; [|discriminate]. inversion H. simpl. auto.
Qed.
Lemma all_some_nth : forall A B (f : A -> option B) l ys, all_some (map f l) = Some ys ->
  forall i x, nth_error l i = Some x -> exists y, f x = Some y /\ nth_error ys i = Some y.
Proof.
  induction l as [|a l IH]; simpl; intros ys H i x N; [destruct i; discriminate|].
  destruct (f a) eqn:F; [|discriminate]. destruct (all_some (map f l)) eqn:E; [|discriminate]. inversion H. subst.
  destruct i; simpl in N |- *; [inversion N; subst; eauto|]. eapply IH; eauto.
Qed.
Lemma all_some_in : forall A B (f : A -> option B) l ys, all_some (map f l) = Some ys ->
  (forall x, In x l -> exists y, In y ys /\ f x = Some y) /\ (forall y, In y ys -> exists x, In x l /\ f x = Some y).
Proof.
  induction l as [|a l IH]; simpl; intros ys H; [inversion H; split; intros ? []|].
  destruct (f a) eqn:F; [|discriminate]. destruct (all_some (map f l)) eqn:E; [|discriminate]. inversion H. subst.
  destruct (IH _ eq_refl) as [I J]. split.
  - intros x [<-|N]; [exists b; split; [left|]; auto|]. destruct (I x N) as (y & Y & G). exists y. split; [right|]; auto.
  - intros y [<-|N]; [exists a; split; [left|]; auto|]. destruct (J y N) as (x & X & G). exists x. split; [right|]; auto.
Qed.
Lemma of_dims_value : forall r d t e f, of_dims r d t = true -> (forall i, (r <= i)%nat -> e i = f i) -> value e t = value f t.
Proof.
  induction t; cbn [of_dims value]; intros e f D E; auto; try (apply andb_true_iff in D; destruct D as [D D'];
    rewrite (IHt1 e f), (IHt2 e f); auto).
  apply andb_true_iff in D. destruct D as [D _]. apply Nat.leb_le in D. auto.
Qed.
Lemma produced_of_dims : forall v r d p e f, forallb (of_dims r d) (at_ p) = true -> (forall i, (r <= i)%nat -> e i = f i) ->
  produced v e p = produced v f p.
Proof.
  intros v r d p e f D E. unfold produced. rewrite forallb_forall in D.
  rewrite (map_ext_in (value e) (value f)); auto. intros t I. eapply of_dims_value; eauto.
Qed.
Lemma are_known_at : forall known d p, are_known known d = true -> In p known ->
  (exists l, limit p = Some l /\ 0 <= l) /\ forallb (plain (length known + d)) (at_ p) = true /\
  forallb (of_dims (length known) d) (at_ p) = true.
Proof.
  unfold are_known. intros known d p K I. rewrite forallb_forall in K. specialize (K p I). apply andb_true_iff in K.
  destruct K as [L K]. rewrite forallb_forall in K. split.
  - destruct (limit p) as [l|]; [|discriminate]. apply Z.leb_le in L. eauto.
  - split; apply forallb_forall; intros t T; specialize (K t T); apply andb_true_iff in K; tauto.
Qed.
Lemma produced_clamped : forall v e p l, limit p = Some l -> 0 <= l -> 0 <= produced v e p <= l.
Proof. intros v e p l E L. unfold produced. rewrite E. lia. Qed.
Lemma clamped_holds : forall f known k, (forall i p, nth_error known i = Some p -> exists l, limit p = Some l /\ 0 <= f (k + i)%nat <= l) ->
  Forall (holds f) (clamped k known).
Proof.
  induction known as [|p known IH]; cbn [clamped]; intros k H; constructor.
  - destruct (H O p eq_refl) as (l & E & B). rewrite Nat.add_0_r in B. unfold holds. cbn [subject lower upper defined value]. rewrite E. lia.
  - apply IH. intros i q N. destruct (H (S i) q N) as (l & E & B). exists l. split; auto.
    replace (S k + i)%nat with (k + S i)%nat by lia. exact B.
Qed.
Lemma aligned_accesses : forall known d x y, are_known known d = true -> aligned known d x = Some y ->
  producers y = known /\ runtime (map_of y) = length known /\ dims (map_of y) = d /\
  forall v o z, accesses v x o z <-> accesses v y o z.
Proof.
  unfold aligned. intros known d x y K H. set (m := map_of x) in *. set (r := length known) in *.
  destruct (all_some _) as [places|] eqn:P; [|discriminate]. set (s := fun i => if Nat.ltb i (runtime m) then _ else _) in H.
  destruct (well_formed x && _ && _) eqn:C; [|discriminate]. inversion H. subst y. clear H. cbn [producers map_of runtime dims].
  apply andb_true_iff in C. destruct C as [C A]. apply andb_true_iff in C. destruct C as [W D].
  unfold well_formed in W. fold m in W. apply Nat.eqb_eq in W, D. rewrite forallb_forall in A. repeat split; auto.
  - intros (e & O & Q & [I R] & T). fold m in O, Q, I, R, T.
    set (g := fun i => e (i - r + runtime m)%nat).
    set (f := fun i => if Nat.ltb i r then match nth_error known i with Some p => produced v g p | None => 0 end else g i).
    assert (KF : forall i p, nth_error known i = Some p -> produced v g p = produced v f p).
    { intros i p N. destruct (are_known_at _ _ _ K (nth_error_In _ _ N)) as (_ & _ & KD).
      apply (produced_of_dims v r d); [exact KD|intros k L; unfold f; destruct (Nat.ltb_spec k r); [lia|auto]]. }
    assert (FK : forall i p, nth_error known i = Some p -> f i = produced v f p).
    { intros i p N. rewrite <- (KF i p N). unfold f. destruct (Nat.ltb_spec i r) as [|G]; [rewrite N; auto|].
      exfalso. assert (i < r)%nat by (apply nth_error_Some; congruence). lia. }
    assert (E : forall i, e i = value f (s i)).
    { intro i. unfold s. destruct (Nat.ltb_spec i (runtime m)) as [L|L]; cbn [value].
      - destruct (nth_error (producers x) i) as [p|] eqn:N; [|apply nth_error_None in N; lia].
        destruct (all_some_nth _ _ _ _ _ P i p N) as (k & F & M). apply position_in_at in F.
        rewrite (nth_error_nth _ _ _ M). unfold f. destruct (Nat.ltb_spec k r) as [|G];
          [|exfalso; assert (k < r)%nat by (apply nth_error_Some; congruence); lia].
        rewrite F, produced_substitute, (Q i p N). apply (produced_of_dims v (runtime m) d); [apply A; eapply nth_error_In; eauto|].
        intros k' L'. unfold moved, g. cbn [value]. f_equal. lia.
      - unfold moved. cbn [value]. unfold f. destruct (Nat.ltb_spec (i - runtime m + r) r); [lia|]. unfold g. f_equal. lia. }
    assert (DS : forall i, defined f (s i)) by (intro i; unfold s, moved; destruct (Nat.ltb _ _); simpl; auto).
    exists f. cbn [map_of producers runtime dims]. split; [|split; [|split]].
    + intros i L. rewrite <- O by lia. unfold f. destruct (Nat.ltb_spec (r + i) r); [lia|]. unfold g. f_equal. lia.
    + exact FK.
    + unfold valid, inside. cbn [domain results]. split.
      * apply Forall_app. split; [|apply inside_substitute; auto; eapply inside_ext; [exact E|]; exact I].
        apply clamped_holds. intros i p N. destruct (are_known_at _ _ _ K (nth_error_In _ _ N)) as ((l & L & L') & _).
        exists l. split; auto. cbn [Nat.add]. rewrite (FK i p N). apply produced_clamped; auto.
      * apply results_substitute; auto. eapply results_ext; [exact E|]. exact R.
    + rewrite <- T. unfold tuple. cbn [results]. rewrite map_map. apply map_ext. intro t. rewrite substitute_value.
      apply value_ext. intro i. symmetry. apply E.
  - intros (f & O & Q & [I R] & T). cbn [map_of producers runtime dims results] in O, Q, I, R, T.
    assert (DS : forall i, defined f (s i)) by (intro i; unfold s, moved; destruct (Nat.ltb _ _); simpl; auto).
    exists (fun i => value f (s i)). fold m. split; [|split; [|split]].
    + intros i L. rewrite <- O by lia. unfold s. destruct (Nat.ltb_spec (runtime m + i) (runtime m)); [lia|].
      unfold moved. cbn [value]. f_equal. lia.
    + intros i p N. assert (L : (i < runtime m)%nat) by (rewrite <- W; apply nth_error_Some; congruence).
      destruct (all_some_nth _ _ _ _ _ P i p N) as (k & F & M). apply position_in_at in F.
      replace (value f (s i)) with (f k)
        by (unfold s; destruct (Nat.ltb_spec i (runtime m)); [cbn [value]; rewrite (nth_error_nth _ _ _ M); auto|lia]).
      rewrite (Q k _ F), produced_substitute. apply (produced_of_dims v (runtime m) d); [apply A; eapply nth_error_In; eauto|].
      intros k' L'. unfold s. destruct (Nat.ltb_spec k' (runtime m)); [lia|]. reflexivity.
    + unfold valid, inside in I |- *. cbn [domain] in I. split.
      * apply Forall_app in I. destruct I as [_ I]. apply inside_substitute in I; auto.
      * apply results_substitute in R; auto.
    + rewrite <- T. unfold tuple. cbn [results]. rewrite map_map. apply map_ext. intro t. symmetry. apply substitute_value.
Qed.

Theorem check_reads_sound : forall c cs, check_reads c cs = true -> true_reads c.
Proof.
  unfold check_reads, as_maps, true_reads. intros c cs H.
  destruct (nth_error (nodes c) (reader c)) as [n|] eqn:N; [|discriminate].
  destruct (maps_of (nodes c) (source c) (reader c)) as [M|] eqn:E; [|discriminate].
  apply maps_of_sound in E. exists n. split; auto. set (d := length (shape_of n)) in *. set (r := length (given c)) in *.
  destruct (is_nil (given c) && negb (exact c)) eqn:K.
  - destruct (forallb _ M) eqn:D; [|discriminate]. rewrite forallb_forall in D. apply check_sound in H.
    apply andb_true_iff in K. destruct K as [K X]. destruct (given c); [|discriminate]. cbn [length] in r. subst r.
    destruct (exact c); [discriminate|]. destruct H as (H1 & H2 & H3). unfold alike in H1. apply Forall_app in H1.
    destruct H1 as [H1 _]. split; auto. intros v out x L. split; [|discriminate]. intro R. apply (E n N v out x L) in R.
    destruct R as (m & I & G). specialize (D m I). apply Nat.eqb_eq in D. apply forget_gives in G. rewrite D in G.
    destruct (H3 (at_index out) x) as (a & IA & (e & A' & J & T)); [exists (forget m); split; auto using in_map|].
    exists a. split; auto. rewrite Forall_forall in H1. destruct (H1 a IA) as [R1 R2]. exists e. cbn [map_of producers].
    rewrite R1, R2. cbn [Nat.add]. split; [|split]; auto. intros i p X'. destruct i; discriminate.
  - clear K. destruct (are_known (given c) d) eqn:D; [|discriminate].
    destruct (all_some _) as [M'|] eqn:S; [|discriminate]. apply all_some_in in S. destruct S as [S1 S2].
    assert (P : forall m, In m M' -> producers m = given c /\ length (given c) = runtime (map_of m) /\ dims (map_of m) = d /\
      forallb (fun p => forallb (plain (length (given c) + d)) (at_ p)) (given c) = true).
    { intros m I. destruct (S2 m I) as (m0 & _ & B). destruct (aligned_accesses _ _ _ _ D B) as (B1 & B2 & B3 & _).
      repeat split; auto. apply forallb_forall. intros p Ip. apply (are_known_at _ _ _ D Ip). }
    assert (E' : forall v out x, length out = length (shape_of n) ->
      (exists m, In m M' /\ accesses v m (at_index out) x) <-> reads v (nodes c) (source c) x (reader c) out).
    { intros v out x L. rewrite <- (E n N v out x L). split; intros (m & I & G).
      - destruct (S2 m I) as (m0 & I0 & B). exists m0. split; auto. apply (aligned_accesses _ _ _ _ D B). exact G.
      - destruct (S1 m I) as (m1 & I1 & B). exists m1. split; auto. apply (aligned_accesses _ _ _ _ D B). exact G. }
    assert (K : Forall (fun m => runtime m = r /\ dims m = d) (said c) /\ included (r + d) (map map_of M') (said c) /\
      (exact c = true -> included (r + d) (said c) (map map_of M'))).
    { destruct (exact c); apply check_sound in H; cbn [true_claim] in H; unfold alike in H; destruct H as (H1 & H2 & H3).
      - destruct H3. apply Forall_app in H1. destruct H1. auto.
      - apply Forall_app in H1. destruct H1. repeat split; auto. discriminate. }
    destruct K as (K1 & K2 & K3). split; auto. rewrite Forall_forall in K1. intros v out x L. split.
    + intro R. apply (E' v out x L) in R. destruct R as (m & I & G). destruct (P m I) as (P1 & P2 & P3 & P4).
      destruct G as (e & G1 & G2 & G3 & G4). destruct (K2 e x) as (a & IA & GA).
      { exists (map_of m). split; [apply in_map; auto|]. exists e. auto. }
      exists a. split; auto. destruct (K1 a IA) as [R1 R2].
      destruct GA as (f & A' & [J J'] & T). exists f. cbn [map_of producers]. rewrite R1, R2. repeat split; auto.
      * intros i L'. rewrite A' by lia. rewrite <- G1 by lia. f_equal. subst r. lia.
      * intros i p N'. assert (i < r)%nat by (apply nth_error_Some; congruence). rewrite A' by lia.
        rewrite P1 in G2. rewrite (G2 i p N'). unfold produced. rewrite (values_plain (r + d) e f); auto.
        -- intros k L'. symmetry. apply A'. auto.
        -- rewrite forallb_forall in P4. apply P4. eapply nth_error_In. eauto.
    + intros X (a & IA & G). apply (E' v out x L). destruct (K1 a IA) as [R1 R2].
      destruct G as (e & G1 & G2 & G3 & G4). cbn [map_of producers] in *. destruct (K3 X e x) as (m' & IM & GM).
      { exists a. split; auto. exists e. auto. }
      apply in_map_iff in IM. destruct IM as (m & <- & IM). exists m. split; auto. destruct (P m IM) as (P1 & P2 & P3 & P4).
      destruct GM as (f & A' & [J J'] & T). exists f. rewrite P1, P3, <- P2. repeat split; auto.
      * intros i L'. fold r. rewrite A' by lia. rewrite <- G1 by lia. f_equal. lia.
      * intros i p N'. assert (i < r)%nat by (apply nth_error_Some; congruence). rewrite A' by lia.
        rewrite (G2 i p N'). unfold produced. rewrite (values_plain (r + d) e f); auto.
        -- intros k L'. symmetry. apply A'. auto.
        -- rewrite forallb_forall in P4. apply P4. eapply nth_error_In. eauto.
Qed.
