(* Polynomials with integer coefficients over numbered atoms, and quotients, minima and maxima of polynomials as atoms. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
Open Scope Z_scope.

(* A monomial is a product of atoms, a polynomial a sum of multiples of monomials; both are kept sorted.  Only the speed and
   the success of a check depend on the order. *)
Definition monomial := list positive.
Definition poly := list (monomial * Z).

Section Values.
Variable v : positive -> Z.
Fixpoint mono_value (m : monomial) : Z := match m with [] => 1 | a :: m => v a * mono_value m end.
Fixpoint poly_value (p : poly) : Z := match p with [] => 0 | (m, c) :: p => c * mono_value m + poly_value p end.
End Values.

Fixpoint mono_compare (m n : monomial) : comparison :=
  match m, n with
  | [], [] => Eq | [], _ => Lt | _, [] => Gt
  | a :: m, b :: n => match Pos.compare a b with Eq => mono_compare m n | c => c end
  end.
Lemma mono_compare_eq : forall m n, mono_compare m n = Eq -> m = n.
Proof.
  induction m; destruct n; simpl; intros; try discriminate; auto.
  destruct (Pos.compare a p) eqn:E; try discriminate. apply Pos.compare_eq in E. subst. f_equal. auto.
Qed.

Fixpoint poly_equal (p q : poly) : bool :=
  match p, q with
  | [], [] => true
  | (m, c) :: p, (n, d) :: q => Z.eqb c d && match mono_compare m n with Eq => poly_equal p q | _ => false end
  | _, _ => false
  end.
Lemma poly_equal_eq : forall p q, poly_equal p q = true -> p = q.
Proof.
  induction p as [|[m c]]; destruct q as [|[n d]]; simpl; intros; try discriminate; auto.
  apply andb_true_iff in H. destruct H as [H G]. apply Z.eqb_eq in H.
  destruct (mono_compare m n) eqn:E; try discriminate. apply mono_compare_eq in E. subst. f_equal. auto.
Qed.

Definition constant (c : Z) : poly := if c =? 0 then [] else [([], c)].
Definition atom (a : positive) : poly := [([a], 1)].
Fixpoint poly_add (p : poly) : poly -> poly :=
  fix inner (q : poly) : poly :=
    match p, q with
    | [], _ => q
    | _, [] => p
    | (m, c) :: p', (n, d) :: q' =>
        match mono_compare m n with
        | Lt => (m, c) :: poly_add p' q
        | Gt => (n, d) :: inner q'
        | Eq => if c + d =? 0 then poly_add p' q' else (m, c + d) :: poly_add p' q'
        end
    end.
Fixpoint scale (k : Z) (p : poly) : poly :=
  match p with [] => [] | (m, c) :: p => (m, k * c) :: scale k p end.
Definition poly_times (k : Z) (p : poly) : poly := if k =? 0 then [] else scale k p.
Definition subtract p q := poly_add p (poly_times (-1) q).
Fixpoint mono_insert (a : positive) (m : monomial) : monomial :=
  match m with [] => [a] | b :: n => if Pos.leb a b then a :: m else b :: mono_insert a n end.
Definition mono_times (m n : monomial) : monomial := fold_right mono_insert n m.
Fixpoint multiply_term (m : monomial) (c : Z) (q : poly) : poly :=
  match q with [] => [] | (n, d) :: q => poly_add [(mono_times m n, c * d)] (multiply_term m c q) end.
Fixpoint multiply (p q : poly) : poly :=
  match p with [] => [] | (m, c) :: p => poly_add (multiply_term m c q) (multiply p q) end.

(* Limits of the work that a certificate can cause: summands, and factors or bits of each. *)
Definition most_summands := 2000.
Definition most_factors := 12.
Definition most_bits := 600.
Fixpoint size {A} (l : list A) : Z := match l with [] => 0 | _ :: l => Z.succ (size l) end.
Definition fits (p : poly) : bool :=
  (size p <=? most_summands) &&
  forallb (fun t => (size (fst t) <=? most_factors) && (Z.log2 (Z.abs (snd t)) <=? most_bits)) p.
Definition product (p q : poly) : option poly :=
  if (size p * size q <=? most_summands) && fits p && fits q then
    let r := multiply p q in if fits r then Some r else None
  else None.

(* The value of a polynomial without atoms. *)
Definition as_constant (p : poly) : option Z :=
  match p with [] => Some 0 | [([], c)] => Some c | _ => None end.
(* p / d, where d divides every coefficient. *)
Fixpoint divide_all (d : Z) (p : poly) : option poly :=
  match p with
  | [] => Some []
  | (m, c) :: p =>
      if c mod d =? 0 then match divide_all d p with Some q => Some ((m, c / d) :: q) | None => None end else None
  end.
(* The same, but the constant is rounded down. *)
Definition divide (d : Z) (p : poly) : option poly :=
  match p with
  | ([], c) :: p => match divide_all d p with Some q => Some (poly_add (constant (c / d)) q) | None => None end
  | _ => divide_all d p
  end.

Section Sound.
Variable v : positive -> Z.
Local Notation val := (poly_value v).
Lemma constant_value : forall c, val (constant c) = c.
Proof. unfold constant. intro. destruct (Z.eqb_spec c 0); simpl; lia. Qed.
Lemma atom_value : forall a, val (atom a) = v a.
Proof. intro. unfold atom. cbn [poly_value mono_value]. lia. Qed.
Lemma add_value : forall p q, val (poly_add p q) = val p + val q.
Proof.
  induction p as [|[m c] p IH]; intro q; [destruct q; reflexivity|].
  induction q as [|[n d] q IHq]; [simpl; lia|].
  simpl. destruct (mono_compare m n) eqn:E.
  - apply mono_compare_eq in E. subst. destruct (Z.eqb_spec (c + d) 0) as [F|F]; simpl; rewrite IH.
    + replace d with (- c) by lia. lia.
    + lia.
  - cbn [poly_value]. rewrite IH. cbn [poly_value]. lia.
  - cbn [poly_value]. cbn [poly_add] in IHq. rewrite IHq. cbn [poly_value]. lia.
Qed.
Lemma scale_value : forall k p, val (scale k p) = k * val p.
Proof. induction p as [|[m c]]; simpl; [lia|]. rewrite IHp. ring. Qed.
Lemma times_value : forall k p, val (poly_times k p) = k * val p.
Proof. unfold poly_times. intros. destruct (Z.eqb_spec k 0); [subst; reflexivity|apply scale_value]. Qed.
Lemma subtract_value : forall p q, val (subtract p q) = val p - val q.
Proof. unfold subtract. intros. rewrite add_value, times_value. lia. Qed.
Lemma mono_insert_value : forall a m, mono_value v (mono_insert a m) = v a * mono_value v m.
Proof. induction m; simpl; [lia|]. destruct (Pos.leb a a0); simpl; [lia|]. rewrite IHm. ring. Qed.
Lemma mono_times_value : forall m n, mono_value v (mono_times m n) = mono_value v m * mono_value v n.
Proof. unfold mono_times. induction m; intro n; cbn [fold_right mono_value]; [lia|]. rewrite mono_insert_value, IHm. ring. Qed.
Lemma multiply_term_value : forall m c q, val (multiply_term m c q) = c * mono_value v m * val q.
Proof.
  induction q as [|[n d]]; cbn [multiply_term poly_value]; [lia|].
  rewrite add_value. cbn [poly_value]. rewrite IHq, mono_times_value. ring.
Qed.
Lemma multiply_value : forall p q, val (multiply p q) = val p * val q.
Proof.
  induction p as [|[m c]]; intro q; cbn [multiply poly_value]; [lia|].
  rewrite add_value, multiply_term_value, IHp. ring.
Qed.
Lemma product_value : forall p q r, product p q = Some r -> val r = val p * val q.
Proof.
  unfold product. intros p q r H. destruct (_ && _); [|discriminate].
  destruct (fits (multiply p q)); [|discriminate]. inversion H. apply multiply_value.
Qed.
Lemma as_constant_value : forall p c, as_constant p = Some c -> val p = c.
Proof.
  intros p c H. destruct p as [|[[|a m] d] [|t p]]; simpl in H; try discriminate; inversion H; simpl; lia.
Qed.
Lemma divide_all_value : forall d p q, 0 < d -> divide_all d p = Some q -> val p = d * val q.
Proof.
  induction p as [|[m c] p IH]; simpl; intros q D H; [inversion H; simpl; lia|].
  destruct (Z.eqb_spec (c mod d) 0) as [E|E]; [|discriminate].
  destruct (divide_all d p) as [q'|]; [|discriminate]. inversion H. subst. cbn [poly_value].
  rewrite (IH q' D eq_refl). pose proof (Z.div_mod c d ltac:(lia)) as F. rewrite E, Z.add_0_r in F.
  rewrite F at 1. ring.
Qed.
Lemma divide_value : forall d p q, 0 < d -> divide d p = Some q -> d * val q <= val p < d * val q + d.
Proof.
  unfold divide. intros d p q D H.
  assert (G : forall q, divide_all d p = Some q -> d * val q <= val p < d * val q + d)
    by (intros q' F; rewrite (divide_all_value d p q' D F); lia).
  destruct p as [|[[|a m] c] p]; [apply G; exact H| |apply G; exact H].
  destruct (divide_all d p) as [q'|] eqn:E; [|discriminate]. inversion H. subst.
  rewrite add_value, constant_value. cbn [poly_value mono_value]. rewrite (divide_all_value d p q' D E).
  pose proof (Z.div_mod c d ltac:(lia)). pose proof (Z.mod_pos_bound c d D). lia.
Qed.
End Sound.
