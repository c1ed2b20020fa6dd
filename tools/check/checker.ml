
(** val negb : bool -> bool **)

let negb = function
| true -> false
| false -> true

type nat =
| O
| S of nat

(** val fst : ('a1 * 'a2) -> 'a1 **)

let fst = function
| x,_ -> x

(** val snd : ('a1 * 'a2) -> 'a2 **)

let snd = function
| _,y -> y

(** val length : 'a1 list -> nat **)

let rec length = function
| [] -> O
| _::l' -> S (length l')

(** val app : 'a1 list -> 'a1 list -> 'a1 list **)

let rec app l m =
  match l with
  | [] -> m
  | a::l1 -> a::(app l1 m)

type comparison =
| Eq
| Lt
| Gt

(** val compOpp : comparison -> comparison **)

let compOpp = function
| Eq -> Eq
| Lt -> Gt
| Gt -> Lt

(** val add : nat -> nat -> nat **)

let rec add n m =
  match n with
  | O -> m
  | S p -> S (add p m)

(** val sub : nat -> nat -> nat **)

let rec sub n m =
  match n with
  | O -> n
  | S k -> (match m with
            | O -> n
            | S l -> sub k l)

type positive =
| XI of positive
| XO of positive
| XH

type z =
| Z0
| Zpos of positive
| Zneg of positive

module Nat =
 struct
  (** val eqb : nat -> nat -> bool **)

  let rec eqb n m =
    match n with
    | O -> (match m with
            | O -> true
            | S _ -> false)
    | S n' -> (match m with
               | O -> false
               | S m' -> eqb n' m')

  (** val leb : nat -> nat -> bool **)

  let rec leb n m =
    match n with
    | O -> true
    | S n' -> (match m with
               | O -> false
               | S m' -> leb n' m')

  (** val ltb : nat -> nat -> bool **)

  let ltb n m =
    leb (S n) m

  (** val divmod : nat -> nat -> nat -> nat -> nat * nat **)

  let rec divmod x y q u =
    match x with
    | O -> q,u
    | S x' ->
      (match u with
       | O -> divmod x' y (S q) y
       | S u' -> divmod x' y q u')

  (** val div : nat -> nat -> nat **)

  let div x y = match y with
  | O -> y
  | S y' -> fst (divmod x y' O y')

  (** val eq_dec : nat -> nat -> bool **)

  let rec eq_dec n m =
    match n with
    | O -> (match m with
            | O -> true
            | S _ -> false)
    | S n0 -> (match m with
               | O -> false
               | S n1 -> eq_dec n0 n1)
 end

module Pos =
 struct
  (** val succ : positive -> positive **)

  let rec succ = function
  | XI p -> XO (succ p)
  | XO p -> XI p
  | XH -> XO XH

  (** val add : positive -> positive -> positive **)

  let rec add x y =
    match x with
    | XI p ->
      (match y with
       | XI q -> XO (add_carry p q)
       | XO q -> XI (add p q)
       | XH -> XO (succ p))
    | XO p ->
      (match y with
       | XI q -> XI (add p q)
       | XO q -> XO (add p q)
       | XH -> XI p)
    | XH -> (match y with
             | XI q -> XO (succ q)
             | XO q -> XI q
             | XH -> XO XH)

  (** val add_carry : positive -> positive -> positive **)

  and add_carry x y =
    match x with
    | XI p ->
      (match y with
       | XI q -> XI (add_carry p q)
       | XO q -> XO (add_carry p q)
       | XH -> XI (succ p))
    | XO p ->
      (match y with
       | XI q -> XO (add_carry p q)
       | XO q -> XI (add p q)
       | XH -> XO (succ p))
    | XH ->
      (match y with
       | XI q -> XI (succ q)
       | XO q -> XO (succ q)
       | XH -> XI XH)

  (** val pred_double : positive -> positive **)

  let rec pred_double = function
  | XI p -> XI (XO p)
  | XO p -> XI (pred_double p)
  | XH -> XH

  (** val mul : positive -> positive -> positive **)

  let rec mul x y =
    match x with
    | XI p -> add y (XO (mul p y))
    | XO p -> XO (mul p y)
    | XH -> y

  (** val size : positive -> positive **)

  let rec size = function
  | XI p0 -> succ (size p0)
  | XO p0 -> succ (size p0)
  | XH -> XH

  (** val compare_cont : comparison -> positive -> positive -> comparison **)

  let rec compare_cont r x y =
    match x with
    | XI p ->
      (match y with
       | XI q -> compare_cont r p q
       | XO q -> compare_cont Gt p q
       | XH -> Gt)
    | XO p ->
      (match y with
       | XI q -> compare_cont Lt p q
       | XO q -> compare_cont r p q
       | XH -> Gt)
    | XH -> (match y with
             | XH -> r
             | _ -> Lt)

  (** val compare : positive -> positive -> comparison **)

  let compare =
    compare_cont Eq

  (** val eqb : positive -> positive -> bool **)

  let rec eqb p q =
    match p with
    | XI p0 -> (match q with
                | XI q0 -> eqb p0 q0
                | _ -> false)
    | XO p0 -> (match q with
                | XO q0 -> eqb p0 q0
                | _ -> false)
    | XH -> (match q with
             | XH -> true
             | _ -> false)

  (** val leb : positive -> positive -> bool **)

  let leb x y =
    match compare x y with
    | Gt -> false
    | _ -> true

  (** val ltb : positive -> positive -> bool **)

  let ltb x y =
    match compare x y with
    | Lt -> true
    | _ -> false

  (** val of_succ_nat : nat -> positive **)

  let rec of_succ_nat = function
  | O -> XH
  | S x -> succ (of_succ_nat x)

  (** val eq_dec : positive -> positive -> bool **)

  let rec eq_dec p x0 =
    match p with
    | XI p0 -> (match x0 with
                | XI p1 -> eq_dec p0 p1
                | _ -> false)
    | XO p0 -> (match x0 with
                | XO p1 -> eq_dec p0 p1
                | _ -> false)
    | XH -> (match x0 with
             | XH -> true
             | _ -> false)
 end

module Z =
 struct
  (** val double : z -> z **)

  let double = function
  | Z0 -> Z0
  | Zpos p -> Zpos (XO p)
  | Zneg p -> Zneg (XO p)

  (** val succ_double : z -> z **)

  let succ_double = function
  | Z0 -> Zpos XH
  | Zpos p -> Zpos (XI p)
  | Zneg p -> Zneg (Pos.pred_double p)

  (** val pred_double : z -> z **)

  let pred_double = function
  | Z0 -> Zneg XH
  | Zpos p -> Zpos (Pos.pred_double p)
  | Zneg p -> Zneg (XI p)

  (** val pos_sub : positive -> positive -> z **)

  let rec pos_sub x y =
    match x with
    | XI p ->
      (match y with
       | XI q -> double (pos_sub p q)
       | XO q -> succ_double (pos_sub p q)
       | XH -> Zpos (XO p))
    | XO p ->
      (match y with
       | XI q -> pred_double (pos_sub p q)
       | XO q -> double (pos_sub p q)
       | XH -> Zpos (Pos.pred_double p))
    | XH ->
      (match y with
       | XI q -> Zneg (XO q)
       | XO q -> Zneg (Pos.pred_double q)
       | XH -> Z0)

  (** val add : z -> z -> z **)

  let add x y =
    match x with
    | Z0 -> y
    | Zpos x' ->
      (match y with
       | Z0 -> x
       | Zpos y' -> Zpos (Pos.add x' y')
       | Zneg y' -> pos_sub x' y')
    | Zneg x' ->
      (match y with
       | Z0 -> x
       | Zpos y' -> pos_sub y' x'
       | Zneg y' -> Zneg (Pos.add x' y'))

  (** val opp : z -> z **)

  let opp = function
  | Z0 -> Z0
  | Zpos x0 -> Zneg x0
  | Zneg x0 -> Zpos x0

  (** val succ : z -> z **)

  let succ x =
    add x (Zpos XH)

  (** val sub : z -> z -> z **)

  let sub m n =
    add m (opp n)

  (** val mul : z -> z -> z **)

  let mul x y =
    match x with
    | Z0 -> Z0
    | Zpos x' ->
      (match y with
       | Z0 -> Z0
       | Zpos y' -> Zpos (Pos.mul x' y')
       | Zneg y' -> Zneg (Pos.mul x' y'))
    | Zneg x' ->
      (match y with
       | Z0 -> Z0
       | Zpos y' -> Zneg (Pos.mul x' y')
       | Zneg y' -> Zpos (Pos.mul x' y'))

  (** val compare : z -> z -> comparison **)

  let compare x y =
    match x with
    | Z0 -> (match y with
             | Z0 -> Eq
             | Zpos _ -> Lt
             | Zneg _ -> Gt)
    | Zpos x' -> (match y with
                  | Zpos y' -> Pos.compare x' y'
                  | _ -> Gt)
    | Zneg x' ->
      (match y with
       | Zneg y' -> compOpp (Pos.compare x' y')
       | _ -> Lt)

  (** val leb : z -> z -> bool **)

  let leb x y =
    match compare x y with
    | Gt -> false
    | _ -> true

  (** val ltb : z -> z -> bool **)

  let ltb x y =
    match compare x y with
    | Lt -> true
    | _ -> false

  (** val eqb : z -> z -> bool **)

  let eqb x y =
    match x with
    | Z0 -> (match y with
             | Z0 -> true
             | _ -> false)
    | Zpos p -> (match y with
                 | Zpos q -> Pos.eqb p q
                 | _ -> false)
    | Zneg p -> (match y with
                 | Zneg q -> Pos.eqb p q
                 | _ -> false)

  (** val max : z -> z -> z **)

  let max n m =
    match compare n m with
    | Lt -> m
    | _ -> n

  (** val abs : z -> z **)

  let abs = function
  | Zneg p -> Zpos p
  | x -> x

  (** val of_nat : nat -> z **)

  let of_nat = function
  | O -> Z0
  | S n0 -> Zpos (Pos.of_succ_nat n0)

  (** val pos_div_eucl : positive -> z -> z * z **)

  let rec pos_div_eucl a b =
    match a with
    | XI a' ->
      let q,r = pos_div_eucl a' b in
      let r' = add (mul (Zpos (XO XH)) r) (Zpos XH) in
      if ltb r' b
      then (mul (Zpos (XO XH)) q),r'
      else (add (mul (Zpos (XO XH)) q) (Zpos XH)),(sub r' b)
    | XO a' ->
      let q,r = pos_div_eucl a' b in
      let r' = mul (Zpos (XO XH)) r in
      if ltb r' b
      then (mul (Zpos (XO XH)) q),r'
      else (add (mul (Zpos (XO XH)) q) (Zpos XH)),(sub r' b)
    | XH -> if leb (Zpos (XO XH)) b then Z0,(Zpos XH) else (Zpos XH),Z0

  (** val div_eucl : z -> z -> z * z **)

  let div_eucl a b =
    match a with
    | Z0 -> Z0,Z0
    | Zpos a' ->
      (match b with
       | Z0 -> Z0,a
       | Zpos _ -> pos_div_eucl a' b
       | Zneg b' ->
         let q,r = pos_div_eucl a' (Zpos b') in
         (match r with
          | Z0 -> (opp q),Z0
          | _ -> (opp (add q (Zpos XH))),(add b r)))
    | Zneg a' ->
      (match b with
       | Z0 -> Z0,a
       | Zpos _ ->
         let q,r = pos_div_eucl a' b in
         (match r with
          | Z0 -> (opp q),Z0
          | _ -> (opp (add q (Zpos XH))),(sub b r))
       | Zneg b' -> let q,r = pos_div_eucl a' (Zpos b') in q,(opp r))

  (** val div : z -> z -> z **)

  let div a b =
    let q,_ = div_eucl a b in q

  (** val modulo : z -> z -> z **)

  let modulo a b =
    let _,r = div_eucl a b in r

  (** val log2 : z -> z **)

  let log2 = function
  | Zpos p0 ->
    (match p0 with
     | XI p -> Zpos (Pos.size p)
     | XO p -> Zpos (Pos.size p)
     | XH -> Z0)
  | _ -> Z0

  (** val eq_dec : z -> z -> bool **)

  let eq_dec x y =
    match x with
    | Z0 -> (match y with
             | Z0 -> true
             | _ -> false)
    | Zpos p -> (match y with
                 | Zpos p0 -> Pos.eq_dec p p0
                 | _ -> false)
    | Zneg p -> (match y with
                 | Zneg p0 -> Pos.eq_dec p p0
                 | _ -> false)
 end

(** val nth : nat -> 'a1 list -> 'a1 -> 'a1 **)

let rec nth n l default =
  match n with
  | O -> (match l with
          | [] -> default
          | x::_ -> x)
  | S m -> (match l with
            | [] -> default
            | _::t -> nth m t default)

(** val nth_error : 'a1 list -> nat -> 'a1 option **)

let rec nth_error l = function
| O -> (match l with
        | [] -> None
        | x::_ -> Some x)
| S n0 -> (match l with
           | [] -> None
           | _::l0 -> nth_error l0 n0)

(** val list_eq_dec : ('a1 -> 'a1 -> bool) -> 'a1 list -> 'a1 list -> bool **)

let rec list_eq_dec eq_dec0 l l' =
  match l with
  | [] -> (match l' with
           | [] -> true
           | _::_ -> false)
  | y::l0 ->
    (match l' with
     | [] -> false
     | a::l1 -> if eq_dec0 y a then list_eq_dec eq_dec0 l0 l1 else false)

(** val map : ('a1 -> 'a2) -> 'a1 list -> 'a2 list **)

let rec map f = function
| [] -> []
| a::t -> (f a)::(map f t)

(** val flat_map : ('a1 -> 'a2 list) -> 'a1 list -> 'a2 list **)

let rec flat_map f = function
| [] -> []
| x::t -> app (f x) (flat_map f t)

(** val fold_right : ('a2 -> 'a1 -> 'a1) -> 'a1 -> 'a2 list -> 'a1 **)

let rec fold_right f a0 = function
| [] -> a0
| b::t -> f b (fold_right f a0 t)

(** val existsb : ('a1 -> bool) -> 'a1 list -> bool **)

let rec existsb f = function
| [] -> false
| a::l0 -> if f a then true else existsb f l0

(** val forallb : ('a1 -> bool) -> 'a1 list -> bool **)

let rec forallb f = function
| [] -> true
| a::l0 -> if f a then forallb f l0 else false

(** val filter : ('a1 -> bool) -> 'a1 list -> 'a1 list **)

let rec filter f = function
| [] -> []
| x::l0 -> if f x then x::(filter f l0) else filter f l0

(** val firstn : nat -> 'a1 list -> 'a1 list **)

let rec firstn n l =
  match n with
  | O -> []
  | S n0 -> (match l with
             | [] -> []
             | a::l0 -> a::(firstn n0 l0))

(** val skipn : nat -> 'a1 list -> 'a1 list **)

let rec skipn n l =
  match n with
  | O -> l
  | S n0 -> (match l with
             | [] -> []
             | _::l0 -> skipn n0 l0)

(** val seq : nat -> nat -> nat list **)

let rec seq start0 = function
| O -> []
| S len0 -> start0::(seq (S start0) len0)

type term =
| Const of z
| Var of nat
| Add of term * term
| Sub of term * term
| Mul of term * term
| FloorDiv of term * term
| CeilDiv of term * term
| Mod of term * term
| Min of term * term
| Max of term * term

type fact = { subject : term; lower : z option; upper : z option }

type imap = { runtime : nat; dims : nat; ranges : nat; domain : fact list;
              results : term list }

(** val variables : imap -> nat **)

let variables m =
  add (add m.runtime m.dims) m.ranges

(** val is_runtime_bound : imap -> fact -> bool **)

let is_runtime_bound m f =
  match f.subject with
  | Var i -> Nat.ltb i m.runtime
  | _ -> false

(** val sizes_in : nat -> z list -> fact list **)

let rec sizes_in n = function
| [] -> []
| s::l ->
  { subject = (Var n); lower = (Some Z0); upper = (Some
    (Z.sub s (Zpos XH))) }::(sizes_in (S n) l)

(** val array : imap -> z list -> imap **)

let array m shape0 =
  { runtime = m.runtime; dims = O; ranges = (length shape0); domain =
    (app (filter (is_runtime_bound m) m.domain) (sizes_in m.runtime shape0));
    results = (map (fun x -> Var x) (seq m.runtime (length shape0))) }

type claim =
| Equal of nat * nat * imap list * imap list
| Covers of nat * nat * imap list * imap list
| Injective of imap
| Onto of imap * z list
| Into of imap * z list
| Bijection of imap * z list

type monomial = positive list

type poly = (monomial * z) list

(** val mono_compare : monomial -> monomial -> comparison **)

let rec mono_compare m n =
  match m with
  | [] -> (match n with
           | [] -> Eq
           | _::_ -> Lt)
  | a::m0 ->
    (match n with
     | [] -> Gt
     | b::n0 -> (match Pos.compare a b with
                 | Eq -> mono_compare m0 n0
                 | x -> x))

(** val poly_equal : poly -> poly -> bool **)

let rec poly_equal p q =
  match p with
  | [] -> (match q with
           | [] -> true
           | _::_ -> false)
  | p0::p1 ->
    let m,c = p0 in
    (match q with
     | [] -> false
     | p2::q0 ->
       let n,d = p2 in
       if Z.eqb c d
       then (match mono_compare m n with
             | Eq -> poly_equal p1 q0
             | _ -> false)
       else false)

(** val constant : z -> poly **)

let constant c =
  if Z.eqb c Z0 then [] else ([],c)::[]

(** val atom : positive -> poly **)

let atom a =
  ((a::[]),(Zpos XH))::[]

(** val poly_add : poly -> poly -> poly **)

let rec poly_add p =
  let rec inner q =
    match p with
    | [] -> q
    | p0::p' ->
      let m,c = p0 in
      (match q with
       | [] -> p
       | p1::q' ->
         let n,d = p1 in
         (match mono_compare m n with
          | Eq ->
            if Z.eqb (Z.add c d) Z0
            then poly_add p' q'
            else (m,(Z.add c d))::(poly_add p' q')
          | Lt -> (m,c)::(poly_add p' q)
          | Gt -> (n,d)::(inner q')))
  in inner

(** val scale : z -> poly -> poly **)

let rec scale k = function
| [] -> []
| p0::p1 -> let m,c = p0 in (m,(Z.mul k c))::(scale k p1)

(** val poly_times : z -> poly -> poly **)

let poly_times k p =
  if Z.eqb k Z0 then [] else scale k p

(** val subtract : poly -> poly -> poly **)

let subtract p q =
  poly_add p (poly_times (Zneg XH) q)

(** val mono_insert : positive -> monomial -> monomial **)

let rec mono_insert a m = match m with
| [] -> a::[]
| b::n -> if Pos.leb a b then a::m else b::(mono_insert a n)

(** val mono_times : monomial -> monomial -> monomial **)

let mono_times m n =
  fold_right mono_insert n m

(** val multiply_term : monomial -> z -> poly -> poly **)

let rec multiply_term m c = function
| [] -> []
| p::q0 ->
  let n,d = p in
  poly_add (((mono_times m n),(Z.mul c d))::[]) (multiply_term m c q0)

(** val multiply : poly -> poly -> poly **)

let rec multiply p q =
  match p with
  | [] -> []
  | p0::p1 -> let m,c = p0 in poly_add (multiply_term m c q) (multiply p1 q)

(** val most_summands : z **)

let most_summands =
  Zpos (XO (XO (XO (XO (XI (XO (XI (XI (XI (XI XH))))))))))

(** val most_factors : z **)

let most_factors =
  Zpos (XO (XO (XI XH)))

(** val most_bits : z **)

let most_bits =
  Zpos (XO (XO (XO (XI (XI (XO (XI (XO (XO XH)))))))))

(** val size0 : 'a1 list -> z **)

let rec size0 = function
| [] -> Z0
| _::l0 -> Z.succ (size0 l0)

(** val fits : poly -> bool **)

let fits p =
  if Z.leb (size0 p) most_summands
  then forallb (fun t ->
         if Z.leb (size0 (fst t)) most_factors
         then Z.leb (Z.log2 (Z.abs (snd t))) most_bits
         else false) p
  else false

(** val product : poly -> poly -> poly option **)

let product p q =
  if if if Z.leb (Z.mul (size0 p) (size0 q)) most_summands
        then fits p
        else false
     then fits q
     else false
  then let r = multiply p q in if fits r then Some r else None
  else None

(** val as_constant : poly -> z option **)

let as_constant = function
| [] -> Some Z0
| p0::l ->
  let m,c = p0 in
  (match m with
   | [] -> (match l with
            | [] -> Some c
            | _::_ -> None)
   | _::_ -> None)

(** val divide_all : z -> poly -> poly option **)

let rec divide_all d = function
| [] -> Some []
| p0::p1 ->
  let m,c = p0 in
  if Z.eqb (Z.modulo c d) Z0
  then (match divide_all d p1 with
        | Some q -> Some ((m,(Z.div c d))::q)
        | None -> None)
  else None

(** val divide : z -> poly -> poly option **)

let divide d p = match p with
| [] -> divide_all d p
| p0::p1 ->
  let m,c = p0 in
  (match m with
   | [] ->
     (match divide_all d p1 with
      | Some q -> Some (poly_add (constant (Z.div c d)) q)
      | None -> None)
   | _::_ -> divide_all d p)

type operation =
| Quotient
| Minimum
| Maximum

type entry = { op : operation; left : poly; right : poly }

(** val same_operation : operation -> operation -> bool **)

let same_operation a b =
  match a with
  | Quotient -> (match b with
                 | Quotient -> true
                 | _ -> false)
  | Minimum -> (match b with
                | Minimum -> true
                | _ -> false)
  | Maximum -> (match b with
                | Maximum -> true
                | _ -> false)

(** val below : positive -> poly -> bool **)

let below k p =
  forallb (fun t -> forallb (fun a -> Pos.ltb a k) (fst t)) p

(** val well_founded : entry list -> positive -> bool **)

let rec well_founded es k =
  match es with
  | [] -> true
  | x::es0 ->
    if if below k x.left then below k x.right else false
    then well_founded es0 (Pos.succ k)
    else false

(** val entry_at : entry list -> positive -> positive -> entry option **)

let rec entry_at es k j =
  match es with
  | [] -> None
  | x::es0 -> if Pos.eqb j k then Some x else entry_at es0 (Pos.succ k) j

(** val find_entry :
    entry list -> positive -> operation -> poly -> poly -> positive option **)

let rec find_entry es k o p q =
  match es with
  | [] -> None
  | x::es0 ->
    if if if same_operation o x.op then poly_equal p x.left else false
       then poly_equal q x.right
       else false
    then Some k
    else find_entry es0 (Pos.succ k) o p q

type known = { is_equation : bool; form : poly }

type tree =
| Leaf
| Node of tree * known option * tree

(** val get : positive -> tree -> known option **)

let rec get p = function
| Leaf -> None
| Node (l, x, r) ->
  (match p with
   | XI p0 -> get p0 r
   | XO p0 -> get p0 l
   | XH -> x)

(** val set : positive -> known -> tree -> tree **)

let rec set p f = function
| Leaf ->
  let p0 = Leaf,None in
  let r = Leaf in
  let l,x = p0 in
  (match p with
   | XI p1 -> Node (l, x, (set p1 f r))
   | XO p1 -> Node ((set p1 f l), x, r)
   | XH -> Node (l, (Some f), r))
| Node (l, x, r) ->
  let p0 = l,x in
  let l0,x0 = p0 in
  (match p with
   | XI p1 -> Node (l0, x0, (set p1 f r))
   | XO p1 -> Node ((set p1 f l0), x0, r)
   | XH -> Node (l0, (Some f), r))

(** val difference : poly -> poly -> z option **)

let difference p q =
  as_constant (subtract q p)

(** val shows : tree -> positive -> poly -> bool **)

let shows t i p =
  match as_constant p with
  | Some c -> Z.leb Z0 c
  | None ->
    (match get i t with
     | Some f ->
       (match difference f.form p with
        | Some c -> Z.leb Z0 c
        | None -> false)
     | None -> false)

type step =
| Combine of (z * positive) list * positive
| Antisymmetry of positive * positive
| TimesPoly of positive * poly
| TimesFact of positive * positive
| QuotientBounds of positive * positive
| ExtremumBounds of positive
| ExtremumIs of positive * positive

(** val combine : tree -> (z * positive) list -> known option **)

let rec combine t = function
| [] -> Some { is_equation = true; form = [] }
| p::l0 ->
  let k,i = p in
  (match combine t l0 with
   | Some r ->
     (match get i t with
      | Some f ->
        if if f.is_equation then true else Z.leb Z0 k
        then Some { is_equation =
               (if f.is_equation then r.is_equation else false); form =
               (poly_add (poly_times k f.form) r.form) }
        else None
      | None -> None)
   | None -> None)

(** val rounded : known -> positive -> known option **)

let rounded f d =
  if Pos.eqb d XH
  then Some f
  else (match divide (Zpos d) f.form with
        | Some q -> Some { is_equation = false; form = q }
        | None -> None)

(** val negated : poly -> poly **)

let negated p =
  poly_times (Zneg XH) p

(** val quotient_bounds :
    tree -> positive -> poly -> poly -> positive -> known list option **)

let quotient_bounds t a x y i =
  match product y (atom a) with
  | Some xy ->
    let rest = subtract x xy in
    if shows t i (poly_add y (constant (Zneg XH)))
    then Some ({ is_equation = false; form = rest }::({ is_equation = false;
           form = (subtract (poly_add y (constant (Zneg XH))) rest) }::[]))
    else if shows t i (subtract (constant (Zneg XH)) y)
         then Some ({ is_equation = false; form =
                (negated rest) }::({ is_equation = false; form =
                (poly_add rest (subtract (constant (Zneg XH)) y)) }::[]))
         else None
  | None -> None

(** val do_step :
    entry list -> positive -> tree -> step -> known list option **)

let do_step es n t = function
| Combine (l, d) ->
  (match combine t l with
   | Some f -> (match rounded f d with
                | Some g -> Some (g::[])
                | None -> None)
   | None -> None)
| Antisymmetry (i, j) ->
  (match get i t with
   | Some f ->
     (match get j t with
      | Some g ->
        (match poly_add f.form g.form with
         | [] -> Some ({ is_equation = true; form = f.form }::[])
         | _::_ -> None)
      | None -> None)
   | None -> None)
| TimesPoly (i, p) ->
  (match get i t with
   | Some f ->
     if f.is_equation
     then (match product f.form p with
           | Some r -> Some ({ is_equation = true; form = r }::[])
           | None -> None)
     else None
   | None -> None)
| TimesFact (i, j) ->
  (match get i t with
   | Some f ->
     (match get j t with
      | Some g ->
        (match product f.form g.form with
         | Some r -> Some ({ is_equation = false; form = r }::[])
         | None -> None)
      | None -> None)
   | None -> None)
| QuotientBounds (a, i) ->
  (match entry_at es n a with
   | Some x ->
     (match x.op with
      | Quotient -> quotient_bounds t a x.left x.right i
      | _ -> None)
   | None -> None)
| ExtremumBounds a ->
  (match entry_at es n a with
   | Some x ->
     (match x.op with
      | Quotient -> None
      | Minimum ->
        Some ({ is_equation = false; form =
          (subtract x.left (atom a)) }::({ is_equation = false; form =
          (subtract x.right (atom a)) }::[]))
      | Maximum ->
        Some ({ is_equation = false; form =
          (subtract (atom a) x.left) }::({ is_equation = false; form =
          (subtract (atom a) x.right) }::[])))
   | None -> None)
| ExtremumIs (a, i) ->
  (match entry_at es n a with
   | Some x ->
     let more = subtract x.left x.right in
     let is_left = Some ({ is_equation = true; form =
       (subtract (atom a) x.left) }::[])
     in
     let is_right = Some ({ is_equation = true; form =
       (subtract (atom a) x.right) }::[])
     in
     (match x.op with
      | Quotient -> None
      | Minimum ->
        if shows t i (negated more)
        then is_left
        else if shows t i more then is_right else None
      | Maximum ->
        if shows t i more
        then is_left
        else if shows t i (negated more) then is_right else None)
   | None -> None)

type proof =
| Then of step * proof
| Split of poly * proof * proof
| Absurd of positive
| Done of nat * term list * positive list

type goal =
| AtLeast0 of poly
| Is0 of poly
| IsNot0 of poly

(** val meets : tree -> goal -> positive -> bool **)

let meets t g i =
  match g with
  | AtLeast0 p -> shows t i p
  | Is0 p ->
    (match p with
     | [] -> true
     | _::_ ->
       (match get i t with
        | Some f ->
          if f.is_equation
          then if poly_equal f.form p
               then true
               else poly_equal (negated f.form) p
          else false
        | None -> false))
  | IsNot0 p ->
    if shows t i (poly_add p (constant (Zneg XH)))
    then true
    else shows t i (subtract (constant (Zneg XH)) p)

(** val meets_all : tree -> goal list -> positive list -> bool **)

let rec meets_all t gs hints =
  match gs with
  | [] -> true
  | g::gs0 ->
    (match hints with
     | [] -> false
     | i::hints0 -> if meets t g i then meets_all t gs0 hints0 else false)

(** val set_all : positive -> known list -> tree -> positive * tree **)

let rec set_all i l t =
  match l with
  | [] -> i,t
  | f::l0 -> set_all (Pos.succ i) l0 (set i f t)

(** val run :
    entry list -> positive -> (nat -> term list -> goal list option) ->
    positive -> tree -> proof -> bool **)

let rec run es n goals i t = function
| Then (s, p0) ->
  (match do_step es n t s with
   | Some l ->
     if forallb (fun f -> fits f.form) l
     then let j,u = set_all i l t in run es n goals j u p0
     else false
   | None -> false)
| Split (f, p0, q) ->
  if if fits f
     then run es n goals (Pos.succ i)
            (set i { is_equation = false; form = f } t) p0
     else false
  then run es n goals (Pos.succ i)
         (set i { is_equation = false; form =
           (subtract (constant (Zneg XH)) f) } t) q
  else false
| Absurd j ->
  (match get j t with
   | Some f ->
     (match as_constant f.form with
      | Some c -> if f.is_equation then negb (Z.eqb c Z0) else Z.ltb c Z0
      | None -> false)
   | None -> false)
| Done (k, w, hints) ->
  (match goals k w with
   | Some gs -> meets_all t gs hints
   | None -> false)

type evidence = { table : entry list; steps : proof }

(** val entry_of :
    entry list -> positive -> operation -> poly -> poly -> poly option **)

let entry_of es n o p q =
  match find_entry es n o p q with
  | Some k -> Some (atom k)
  | None -> None

(** val quotient : entry list -> positive -> poly -> poly -> poly option **)

let quotient es n p q =
  entry_of es n Quotient p q

(** val poly_of :
    entry list -> positive -> (nat -> poly option) -> term -> poly option **)

let rec poly_of es n at_variable = function
| Const z0 -> Some (constant z0)
| Var i -> at_variable i
| Add (a, b) ->
  (match poly_of es n at_variable a with
   | Some p ->
     (match poly_of es n at_variable b with
      | Some q -> Some (poly_add p q)
      | None -> None)
   | None -> None)
| Sub (a, b) ->
  (match poly_of es n at_variable a with
   | Some p ->
     (match poly_of es n at_variable b with
      | Some q -> Some (subtract p q)
      | None -> None)
   | None -> None)
| Mul (a, b) ->
  (match poly_of es n at_variable a with
   | Some p ->
     (match poly_of es n at_variable b with
      | Some q -> product p q
      | None -> None)
   | None -> None)
| FloorDiv (a, b) ->
  (match poly_of es n at_variable a with
   | Some p ->
     (match poly_of es n at_variable b with
      | Some q -> quotient es n p q
      | None -> None)
   | None -> None)
| CeilDiv (a, b) ->
  (match poly_of es n at_variable a with
   | Some p ->
     (match poly_of es n at_variable b with
      | Some q ->
        (match quotient es n (negated p) q with
         | Some r -> Some (negated r)
         | None -> None)
      | None -> None)
   | None -> None)
| Mod (a, b) ->
  (match poly_of es n at_variable a with
   | Some p ->
     (match poly_of es n at_variable b with
      | Some q ->
        (match quotient es n p q with
         | Some r ->
           (match product q r with
            | Some s -> Some (subtract p s)
            | None -> None)
         | None -> None)
      | None -> None)
   | None -> None)
| Min (a, b) ->
  (match poly_of es n at_variable a with
   | Some p ->
     (match poly_of es n at_variable b with
      | Some q -> entry_of es n Minimum p q
      | None -> None)
   | None -> None)
| Max (a, b) ->
  (match poly_of es n at_variable a with
   | Some p ->
     (match poly_of es n at_variable b with
      | Some q -> entry_of es n Maximum p q
      | None -> None)
   | None -> None)

(** val divisor :
    entry list -> positive -> (nat -> poly option) -> term -> bool -> goal
    list option **)

let divisor es n at_variable b modulus =
  match poly_of es n at_variable b with
  | Some q ->
    (match as_constant q with
     | Some c ->
       if modulus
       then if Z.ltb Z0 c then Some [] else None
       else if Z.eqb c Z0 then None else Some []
     | None ->
       Some
         ((if modulus
           then AtLeast0 (poly_add q (constant (Zneg XH)))
           else IsNot0 q)::[]))
  | None -> None

(** val obligations :
    entry list -> positive -> (nat -> poly option) -> term -> goal list option **)

let rec obligations es n at_variable = function
| Add (a, b) ->
  (match obligations es n at_variable a with
   | Some x ->
     (match obligations es n at_variable b with
      | Some y -> Some (app x y)
      | None -> None)
   | None -> None)
| Sub (a, b) ->
  (match obligations es n at_variable a with
   | Some x ->
     (match obligations es n at_variable b with
      | Some y -> Some (app x y)
      | None -> None)
   | None -> None)
| Mul (a, b) ->
  (match obligations es n at_variable a with
   | Some x ->
     (match obligations es n at_variable b with
      | Some y -> Some (app x y)
      | None -> None)
   | None -> None)
| FloorDiv (a, b) ->
  (match obligations es n at_variable a with
   | Some x ->
     (match obligations es n at_variable b with
      | Some y ->
        (match divisor es n at_variable b false with
         | Some z0 -> Some (app x (app y z0))
         | None -> None)
      | None -> None)
   | None -> None)
| CeilDiv (a, b) ->
  (match obligations es n at_variable a with
   | Some x ->
     (match obligations es n at_variable b with
      | Some y ->
        (match divisor es n at_variable b false with
         | Some z0 -> Some (app x (app y z0))
         | None -> None)
      | None -> None)
   | None -> None)
| Mod (a, b) ->
  (match obligations es n at_variable a with
   | Some x ->
     (match obligations es n at_variable b with
      | Some y ->
        (match divisor es n at_variable b true with
         | Some z0 -> Some (app x (app y z0))
         | None -> None)
      | None -> None)
   | None -> None)
| Min (a, b) ->
  (match obligations es n at_variable a with
   | Some x ->
     (match obligations es n at_variable b with
      | Some y -> Some (app x y)
      | None -> None)
   | None -> None)
| Max (a, b) ->
  (match obligations es n at_variable a with
   | Some x ->
     (match obligations es n at_variable b with
      | Some y -> Some (app x y)
      | None -> None)
   | None -> None)
| _ -> Some []

(** val all_obligations :
    entry list -> positive -> (nat -> poly option) -> term list -> goal list
    option **)

let rec all_obligations es n at_variable = function
| [] -> Some []
| t::l0 ->
  (match obligations es n at_variable t with
   | Some x ->
     (match all_obligations es n at_variable l0 with
      | Some y -> Some (app x y)
      | None -> None)
   | None -> None)

(** val bounds :
    entry list -> positive -> (nat -> poly option) -> fact -> poly list option **)

let bounds es n at_variable f =
  match poly_of es n at_variable f.subject with
  | Some p ->
    Some
      (app
        (match f.lower with
         | Some l -> (subtract p (constant l))::[]
         | None -> [])
        (match f.upper with
         | Some u -> (subtract (constant u) p)::[]
         | None -> []))
  | None -> None

(** val all_bounds :
    entry list -> positive -> (nat -> poly option) -> fact list -> poly list
    option **)

let rec all_bounds es n at_variable = function
| [] -> Some []
| f::l0 ->
  (match bounds es n at_variable f with
   | Some x ->
     (match all_bounds es n at_variable l0 with
      | Some y -> Some (app x y)
      | None -> None)
   | None -> None)

(** val own : nat -> nat -> poly option **)

let own count i =
  if Nat.ltb i count then Some (atom (Pos.of_succ_nat i)) else None

(** val first_entry : nat -> positive **)

let first_entry =
  Pos.of_succ_nat

(** val facts_of : poly list -> known list **)

let rec facts_of = function
| [] -> []
| p::l -> { is_equation = false; form = p }::(facts_of l)

(** val equations : poly list -> poly list -> poly list option **)

let rec equations a b =
  match a with
  | [] -> (match b with
           | [] -> Some []
           | _::_ -> None)
  | a0::a1 ->
    (match b with
     | [] -> None
     | b0::b1 ->
       (match equations a1 b1 with
        | Some l -> Some ((subtract a0 b0)::l)
        | None -> None))

(** val all_some : 'a1 option list -> 'a1 list option **)

let rec all_some = function
| [] -> Some []
| x::l0 ->
  (match x with
   | Some y -> (match all_some l0 with
                | Some m -> Some (y::m)
                | None -> None)
   | None -> None)

(** val start : known list -> positive * tree **)

let start ps =
  set_all XH ps Leaf

(** val check_proof :
    entry list -> positive -> (nat -> term list -> goal list option) -> known
    list -> proof -> bool **)

let check_proof es k goals ps p =
  if well_founded es k
  then let i,t = start ps in run es k goals i t p
  else false

(** val witness :
    nat -> (nat -> poly option) -> poly list -> nat -> poly option **)

let witness n at_a w i =
  if Nat.ltb i n then at_a i else nth_error w (sub i n)

(** val inclusion_goals :
    nat -> imap -> imap list -> entry list -> nat -> term list -> goal list
    option **)

let inclusion_goals n a b es j w =
  let k = first_entry (variables a) in
  let at_a = own (variables a) in
  (match nth_error b j with
   | Some b0 ->
     (match all_some (map (poly_of es k at_a) w) with
      | Some w0 ->
        let at_b = witness n at_a w0 in
        (match all_obligations es k at_a a.results with
         | Some d ->
           (match all_obligations es k at_b
                    (map (fun f -> f.subject) b0.domain) with
            | Some d' ->
              (match all_obligations es k at_b b0.results with
               | Some d'' ->
                 (match all_bounds es k at_b b0.domain with
                  | Some f ->
                    (match all_some (map (poly_of es k at_a) a.results) with
                     | Some x ->
                       (match all_some (map (poly_of es k at_b) b0.results) with
                        | Some y ->
                          (match equations x y with
                           | Some q ->
                             Some
                               (app d
                                 (app d'
                                   (app d''
                                     (app (map (fun x0 -> AtLeast0 x0) f)
                                       (map (fun x0 -> Is0 x0) q)))))
                           | None -> None)
                        | None -> None)
                     | None -> None)
                  | None -> None)
               | None -> None)
            | None -> None)
         | None -> None)
      | None -> None)
   | None -> None)

(** val check_within : nat -> imap -> imap list -> evidence -> bool **)

let check_within n a b c =
  match all_bounds c.table (first_entry (variables a)) (own (variables a))
          a.domain with
  | Some ps ->
    check_proof c.table (first_entry (variables a))
      (inclusion_goals n a b c.table) (facts_of ps) c.steps
  | None -> false

(** val check_all_within :
    nat -> imap list -> imap list -> evidence list -> bool **)

let rec check_all_within n a b cs =
  match a with
  | [] -> (match cs with
           | [] -> true
           | _::_ -> false)
  | a0::a1 ->
    (match cs with
     | [] -> false
     | c::cs0 ->
       if check_within n a0 b c then check_all_within n a1 b cs0 else false)

(** val both : imap -> nat **)

let both m =
  add (variables m) (sub (variables m) m.runtime)

(** val second : imap -> nat -> poly option **)

let second m i =
  if Nat.ltb i m.runtime
  then own (both m) i
  else if Nat.ltb i (variables m)
       then own (both m) (add i (sub (variables m) m.runtime))
       else None

(** val first : imap -> nat -> poly option **)

let first m i =
  if Nat.ltb i (variables m) then own (both m) i else None

(** val injectivity_facts : entry list -> imap -> known list option **)

let injectivity_facts es m =
  let k = first_entry (both m) in
  (match all_bounds es k (first m) m.domain with
   | Some p ->
     (match all_bounds es k (second m) m.domain with
      | Some q ->
        (match all_some (map (poly_of es k (first m)) m.results) with
         | Some x ->
           (match all_some (map (poly_of es k (second m)) m.results) with
            | Some y ->
              (match equations x y with
               | Some r ->
                 Some
                   (app (facts_of p)
                     (app (facts_of q)
                       (map (fun x0 -> { is_equation = true; form = x0 }) r)))
               | None -> None)
            | None -> None)
         | None -> None)
      | None -> None)
   | None -> None)

(** val own_variables : imap -> nat list **)

let own_variables m =
  seq m.runtime (sub (variables m) m.runtime)

(** val injectivity_goals :
    entry list -> imap -> nat -> term list -> goal list option **)

let injectivity_goals es m _ _ =
  let k = first_entry (both m) in
  (match all_obligations es k (first m) m.results with
   | Some d ->
     (match all_some (map (first m) (own_variables m)) with
      | Some x ->
        (match all_some (map (second m) (own_variables m)) with
         | Some y ->
           (match equations x y with
            | Some q -> Some (app d (map (fun x0 -> Is0 x0) q))
            | None -> None)
         | None -> None)
      | None -> None)
   | None -> None)

(** val check_injective : imap -> evidence -> bool **)

let check_injective m c =
  match injectivity_facts c.table m with
  | Some fs ->
    check_proof c.table (first_entry (both m)) (injectivity_goals c.table m)
      fs c.steps
  | None -> false

(** val check_alike : nat -> nat -> imap list -> bool **)

let check_alike r d a =
  forallb (fun m -> if Nat.eqb m.runtime r then Nat.eqb m.dims d else false) a

(** val check : claim -> evidence list -> bool **)

let check c cs =
  match c with
  | Equal (r, d, a, b) ->
    if if check_alike r d (app a b)
       then check_all_within (add r d) a b (firstn (length a) cs)
       else false
    then check_all_within (add r d) b a (skipn (length a) cs)
    else false
  | Covers (r, d, a, b) ->
    if check_alike r d (app a b)
    then check_all_within (add r d) b a cs
    else false
  | Injective m ->
    (match cs with
     | [] -> false
     | c0::l -> (match l with
                 | [] -> check_injective m c0
                 | _::_ -> false))
  | Onto (m, s) -> check_all_within m.runtime ((array m s)::[]) (m::[]) cs
  | Into (m, s) -> check_all_within m.runtime (m::[]) ((array m s)::[]) cs
  | Bijection (m, s) ->
    (match cs with
     | [] -> false
     | c1::l ->
       (match l with
        | [] -> false
        | c2::l0 ->
          (match l0 with
           | [] -> false
           | c3::l1 ->
             (match l1 with
              | [] ->
                if if check_injective m c1
                   then check_within m.runtime m ((array m s)::[]) c2
                   else false
                then check_within m.runtime (array m s) (m::[]) c3
                else false
              | _::_ -> false))))

type shape = z list

type window = { taps : z; stride : z; dilation : z; low : z; base : z;
                reversed : bool }

type labels = { major : nat; minor : nat; spatial : nat list }

type indexing = { windows_at : nat list; without_window : nat list;
                  indexed : nat list; vector_at : nat; batching : nat list;
                  indices_batching : nat list }

type opcode =
| Elementwise
| Broadcast of nat list
| Transpose of nat list
| Reverse of nat list
| Reshape
| Slice of z list * z list
| Pad of z list * z list * z list
| Concatenate of nat
| Reduce of nat list
| ReduceWindow of window list
| Dot of nat list * nat list * nat list * nat list
| Convolution of window list * labels * labels * labels * z * z
| Sort of nat
| DynamicSlice
| DynamicUpdateSlice
| Gather of indexing * z list
| Scatter of indexing
| SelectAndScatter of window list
| Conditional of bool

type node =
| Array of shape
| Result of opcode * nat list * shape

(** val shape_of : node -> shape **)

let shape_of = function
| Array s -> s
| Result (_, _, s) -> s

(** val place : nat -> nat list -> nat **)

let rec place x = function
| [] -> O
| y::l0 -> if Nat.eqb x y then O else S (place x l0)

(** val is_in : nat -> nat list -> bool **)

let is_in x l =
  existsb (Nat.eqb x) l

(** val kept : nat list -> nat -> nat **)

let kept l j =
  length (filter (fun i -> negb (is_in i l)) (seq O j))

(** val size_at : shape -> nat -> z **)

let size_at s j =
  nth j s Z0

(** val each : shape -> (nat -> term) -> term list **)

let each s f =
  map f (seq O (length s))

type producer = { from : nat; at_ : term list; limit : z option }

type access = { map_of : imap; producers : producer list }

(** val reading_at :
    producer list -> shape -> shape -> fact list -> term list -> access **)

let reading_at ps out ranges0 facts results0 =
  let r = length ps in
  { map_of = { runtime = r; dims = (length out); ranges = (length ranges0);
  domain =
  (app (sizes_in r out) (app (sizes_in (add r (length out)) ranges0) facts));
  results = results0 }; producers = ps }

(** val reading : shape -> shape -> fact list -> term list -> access **)

let reading =
  reading_at []

(** val identity : shape -> access **)

let identity s =
  reading s [] [] (each s (fun x -> Var x))

(** val is_0 : term -> fact **)

let is_0 t =
  { subject = t; lower = (Some Z0); upper = (Some Z0) }

(** val position : term -> shape -> nat -> term **)

let rec position t s i =
  match s with
  | [] -> t
  | n::l -> position (Add ((Mul (t, (Const n))), (Var i))) l (S i)

(** val coordinates : term -> shape -> term list **)

let rec coordinates t = function
| [] -> []
| n::l ->
  (if Z.eqb n (Zpos XH)
   then Const Z0
   else Mod ((FloorDiv (t, (Const
          (Z.max (Zpos XH) (fold_right Z.mul (Zpos XH) l))))), (Const
          (Z.max (Zpos XH) n))))::(coordinates t l)

(** val tap_position : window -> term -> term -> term **)

let tap_position w o s =
  Sub ((Add ((Mul (o, (Const w.stride))), (Mul (s, (Const w.dilation))))),
    (Const w.low))

(** val window_at : window list -> nat -> window **)

let window_at ws i =
  nth i ws { taps = (Zpos XH); stride = (Zpos XH); dilation = (Zpos XH);
    low = Z0; base = (Zpos XH); reversed = false }

(** val padding_at :
    shape -> shape -> z list -> z list -> nat -> access list **)

let padding_at out operand lows interiors i =
  let from0 = Sub ((Var i), (Const (nth i lows Z0))) in
  let step0 = Z.add (nth i interiors Z0) (Zpos XH) in
  map (fun f -> reading out [] (f::[]) []) ({ subject = from0; lower = None;
    upper = (Some (Zneg XH)) }::({ subject = from0; lower = (Some
    (Z.add (Z.mul (Z.sub (size_at operand i) (Zpos XH)) step0) (Zpos XH)));
    upper = None }::({ subject = (Mod (from0, (Const step0))); lower = (Some
    (Zpos XH)); upper = None }::[])))

(** val contracted : shape -> nat list -> nat list -> nat -> nat -> term **)

let contracted out batch contracting first_free j =
  if is_in j batch
  then Var (place j batch)
  else if is_in j contracting
       then Var (add (length out) (place j contracting))
       else Var (add first_free (kept (app batch contracting) j))

(** val sizes_at : shape -> nat list -> z list **)

let sizes_at s l =
  map (size_at s) l

(** val convolved_input :
    shape -> shape -> window list -> labels -> labels -> z -> z -> access **)

let convolved_input out input ws i o fg bg =
  let s = fun n -> Var (add (length out) n) in
  let feature = Var o.minor in
  let features = size_at out o.minor in
  let group = Z.div (size_at input i.minor) fg in
  let tap = fun n ->
    tap_position (window_at ws n) (Var (nth n o.spatial O)) (s (S n))
  in
  reading out (group::(map (fun w -> w.taps) ws))
    (map (fun n -> is_0 (Mod ((tap n), (Const (window_at ws n).base))))
      (seq O (length ws)))
    (each input (fun j ->
      if Nat.eqb j i.major
      then Add ((Var o.major), (Mul ((FloorDiv (feature, (Const
             (Z.div features bg)))), (Const
             (Z.div (size_at input i.major) bg)))))
      else if Nat.eqb j i.minor
           then Add ((Mul ((FloorDiv (feature, (Const (Z.div features fg)))),
                  (Const group))), (s O))
           else FloorDiv ((tap (place j i.spatial)), (Const
                  (window_at ws (place j i.spatial)).base))))

(** val convolved_kernel :
    shape -> shape -> shape -> window list -> labels -> labels -> labels ->
    access **)

let convolved_kernel out input kernel ws i k o =
  let s = fun n -> Var (add (length out) n) in
  let tap = fun n ->
    tap_position (window_at ws n) (Var (nth n o.spatial O)) (s (S n))
  in
  reading out ((size_at kernel k.major)::(map (fun w -> w.taps) ws))
    (flat_map (fun n ->
      let b = Const (window_at ws n).base in
      (is_0 (Mod ((tap n), b)))::({ subject = (FloorDiv ((tap n), b));
      lower = (Some Z0); upper = (Some
      (Z.sub (size_at input (nth n i.spatial O)) (Zpos XH))) }::[]))
      (seq O (length ws)))
    (each kernel (fun j ->
      if Nat.eqb j k.major
      then s O
      else if Nat.eqb j k.minor
           then Var o.minor
           else let n = place j k.spatial in
                let w = window_at ws n in
                if w.reversed
                then Sub ((Const (Z.sub w.taps (Zpos XH))), (s (S n)))
                else s (S n)))

(** val starts :
    shape list -> (nat -> nat) -> nat -> shape -> shape -> producer list **)

let starts operands node_of first0 s slice =
  let is_vector =
    if Nat.eqb (length operands) (S first0)
    then Nat.eqb (length (nth first0 operands [])) (S O)
    else false
  in
  map (fun j -> { from =
    (node_of (if is_vector then first0 else add first0 j)); at_ =
    (if is_vector then (Const (Z.of_nat j))::[] else []); limit = (Some
    (Z.sub (size_at s j) (size_at slice j))) }) (seq O (length s))

(** val clamped : nat -> producer list -> fact list **)

let rec clamped i = function
| [] -> []
| p::l ->
  { subject = (Var i); lower = (Some Z0); upper = p.limit }::(clamped (S i) l)

(** val among : nat list -> nat -> nat list **)

let among l n =
  filter (fun i -> is_in i l) (seq O n)

(** val others : nat list -> nat -> nat list **)

let others l n =
  filter (fun i -> negb (is_in i l)) (seq O n)

(** val vector : indexing -> shape -> (nat -> term) -> term -> term list **)

let vector i indices batch c =
  each indices (fun j ->
    if Nat.eqb j i.vector_at then c else batch (kept (i.vector_at::[]) j))

(** val indexed_at :
    indexing -> (nat -> term) -> (nat -> term) -> nat -> term **)

let indexed_at i batch window0 j =
  let start0 = if is_in j i.indexed then Var (place j i.indexed) else Const Z0
  in
  let paired =
    if is_in j i.batching
    then batch
           (kept (i.vector_at::[])
             (nth (place j i.batching) i.indices_batching O))
    else Const Z0
  in
  let offset =
    if is_in j (app i.without_window i.batching)
    then Const Z0
    else window0 (kept (app i.without_window i.batching) j)
  in
  Add ((Add (start0, paired)), offset)

(** val read_of :
    opcode -> shape list -> shape -> (nat -> nat) -> nat -> access list option **)

let read_of o operands out node_of k =
  let operand = nth k operands [] in
  let arrays = Nat.div (length operands) (S (S O)) in
  let one = fun ranges0 facts f -> Some
    ((reading out ranges0 facts (each operand f))::[])
  in
  let all = one operand [] (fun j -> Var (add (length out) j)) in
  (match o with
   | Elementwise -> one [] [] (fun x -> Var x)
   | Broadcast l -> one [] [] (fun j -> Var (nth j l O))
   | Transpose l -> one [] [] (fun j -> Var (place j l))
   | Reverse l ->
     one [] [] (fun j ->
       if is_in j l
       then Sub ((Const (Z.sub (size_at out j) (Zpos XH))), (Var j))
       else Var j)
   | Reshape ->
     Some
       ((reading out [] [] (coordinates (position (Const Z0) out O) operand))::[])
   | Slice (starts0, strides) ->
     one [] [] (fun j -> Add ((Mul ((Var j), (Const
       (nth j strides (Zpos XH))))), (Const (nth j starts0 Z0))))
   | Pad (lows, _, interiors) ->
     let from0 = fun j -> Sub ((Var j), (Const (nth j lows Z0))) in
     let step0 = fun j -> Const (Z.add (nth j interiors Z0) (Zpos XH)) in
     if Nat.eqb k O
     then Some
            ((reading out []
               (map (fun j -> is_0 (Mod ((from0 j), (step0 j))))
                 (seq O (length out)))
               (each operand (fun j -> FloorDiv ((from0 j), (step0 j)))))::[])
     else Some
            (flat_map (padding_at out (nth O operands []) lows interiors)
              (seq O (length out)))
   | Concatenate d ->
     let before =
       fold_right Z.add Z0 (map (fun s -> size_at s d) (firstn k operands))
     in
     one [] [] (fun j ->
       if Nat.eqb j d then Sub ((Var j), (Const before)) else Var j)
   | Reduce l ->
     if Nat.ltb k arrays
     then one (sizes_at operand l) [] (fun j ->
            if is_in j l
            then Var (add (length out) (place j l))
            else Var (kept l j))
     else one [] [] (fun x -> Var x)
   | ReduceWindow ws ->
     if Nat.ltb k arrays
     then let tap = fun j ->
            tap_position (window_at ws j) (Var j) (Var (add (length out) j))
          in
          let b = fun j -> Const (window_at ws j).base in
          one (map (fun w -> w.taps) ws)
            (map (fun j -> is_0 (Mod ((tap j), (b j)))) (seq O (length out)))
            (fun j -> FloorDiv ((tap j), (b j)))
     else one [] [] (fun x -> Var x)
   | Dot (lb, rb, lc, rc) ->
     if Nat.eqb k O
     then one (sizes_at operand lc) [] (contracted out lb lc (length lb))
     else one (sizes_at operand rc) []
            (contracted out rb rc
              (sub (length (nth O operands [])) (length lc)))
   | Convolution (ws, i, kn, o0, fg, bg) ->
     let input = nth O operands [] in
     Some
     ((if Nat.eqb k O
       then convolved_input out input ws i o0 fg bg
       else convolved_kernel out input operand ws i kn o0)::[])
   | Sort d ->
     one ((size_at operand d)::[]) [] (fun j ->
       if Nat.eqb j d then Var (length out) else Var j)
   | DynamicSlice ->
     let r = length operand in
     let ps = starts operands node_of (S O) operand out in
     if Nat.eqb k O
     then Some
            ((reading_at ps out [] (clamped O ps)
               (each operand (fun j -> Add ((Var (add r j)), (Var j)))))::[])
     else all
   | DynamicUpdateSlice ->
     let r = length out in
     let update = nth (S O) operands [] in
     let ps = starts operands node_of (S (S O)) out update in
     let offset = fun j -> Sub ((Var (add r j)), (Var j)) in
     if Nat.eqb k O
     then Some
            (flat_map (fun j ->
              map (fun f ->
                reading_at ps out [] (f::(clamped O ps))
                  (each out (fun i -> Var (add r i)))) ({ subject =
                (offset j); lower = None; upper = (Some (Zneg
                XH)) }::({ subject = (offset j); lower = (Some
                (size_at update j)); upper = None }::[])))
              (seq O (length out)))
     else if Nat.eqb k (S O)
          then Some
                 ((reading_at ps out [] (clamped O ps) (each update offset))::[])
          else all
   | Gather (i, sizes) ->
     let r = length i.indexed in
     let indices = nth (S O) operands [] in
     let batch = fun r0 n -> Var
       (add r0 (nth n (others i.windows_at (length out)) O))
     in
     let ps =
       map (fun c ->
         let j = nth c i.indexed O in
         { from = (node_of (S O)); at_ =
         (vector i indices (batch r) (Const (Z.of_nat c))); limit = (Some
         (Z.sub (size_at operand j) (nth j sizes (Zpos XH)))) }) (seq O r)
     in
     if Nat.eqb k O
     then Some
            ((reading_at ps out [] (clamped O ps)
               (each operand
                 (indexed_at i (batch r) (fun n -> Var
                   (add r (nth n (among i.windows_at (length out)) O))))))::[])
     else if Nat.ltb i.vector_at (length indices)
          then Some
                 ((reading out ((size_at indices i.vector_at)::[]) []
                    (vector i indices (batch O) (Var (length out))))::[])
          else Some
                 ((reading out [] [] (vector i indices (batch O) (Const Z0)))::[])
   | Scatter i ->
     let r = length i.indexed in
     let arrays0 = Nat.div (length operands) (S (S O)) in
     let indices = nth arrays0 operands [] in
     let s = fun m -> Var (add (add r (length out)) m) in
     let batch = fun n -> s (nth n (others i.windows_at (length operand)) O)
     in
     let window0 = fun n -> nth n (among i.windows_at (length operand)) O in
     let ps =
       map (fun c -> { from = (node_of arrays0); at_ =
         (vector i indices batch (Const (Z.of_nat c))); limit = None })
         (seq O r)
     in
     if Nat.ltb k arrays0
     then one [] [] (fun x -> Var x)
     else if Nat.eqb k arrays0
          then all
          else Some
                 ((reading_at ps out operand
                    (flat_map (fun j ->
                      let width =
                        if is_in j (app i.without_window i.batching)
                        then Zpos XH
                        else size_at operand
                               (window0
                                 (kept (app i.without_window i.batching) j))
                      in
                      (is_0 (Sub ((Var (add r j)),
                        (indexed_at i batch (fun n -> s (window0 n)) j))))::(
                      if is_in j i.indexed
                      then { subject = (Var (place j i.indexed)); lower =
                             (Some Z0); upper = (Some
                             (Z.sub (size_at out j) width)) }::[]
                      else [])) (seq O (length out))) (each operand s))::[])
   | SelectAndScatter ws ->
     let source0 = nth (S O) operands [] in
     let r = length out in
     let under = fun first0 j ->
       let w = window_at ws j in
       Sub ((Add ((Var j), (Const w.low))), (Mul ((Var (add first0 j)),
       (Const w.dilation))))
     in
     let p = fun first0 j -> FloorDiv ((under first0 j), (Const
       (window_at ws j).stride))
     in
     let facts = fun first0 ->
       flat_map (fun j ->
         (is_0 (Mod ((under first0 j), (Const (window_at ws j).stride))))::({ subject =
         (p first0 j); lower = (Some Z0); upper = (Some
         (Z.sub (size_at source0 j) (Zpos XH))) }::[])) (seq O r)
     in
     if Nat.eqb k O
     then one (app (map (fun w -> w.taps) ws) (map (fun w -> w.taps) ws))
            (facts (add r r)) (fun j ->
            tap_position (window_at ws j) (p (add r r) j) (Var (add r j)))
     else if Nat.eqb k (S O)
          then one (map (fun w -> w.taps) ws) (facts r) (p r)
          else one [] [] (fun x -> Var x)
   | Conditional of_predicate ->
     let last = Z.sub (Z.of_nat (length operands)) (Zpos (XO XH)) in
     let branch = Z.sub (Z.of_nat k) (Zpos XH) in
     let at_branch = fun l u ->
       reading_at ({ from = (node_of O); at_ = []; limit =
         (if of_predicate then Some (Zpos XH) else None) }::[]) out []
         ({ subject = (Var O); lower = l; upper = u }::[])
         (each operand (fun j -> Var (S j)))
     in
     if Nat.eqb k O
     then one [] [] (fun x -> Var x)
     else Some
            (if of_predicate
             then let b = Z.sub (Zpos XH) branch in
                  (at_branch (Some b) (Some b))::[]
             else if Z.eqb branch last
                  then (at_branch None (Some (Zneg XH)))::((at_branch (Some
                                                             last) None)::[])
                  else (at_branch (Some branch) (Some branch))::[]))

type program = node list

(** val shapes : node list -> nat list -> shape list **)

let shapes p operands =
  map (fun j -> match nth_error p j with
                | Some n -> shape_of n
                | None -> []) operands

type reads_claim = { nodes : program; reader : nat; source : nat;
                     exact : bool; given : producer list; said : imap list }

(** val plain : nat -> term -> bool **)

let rec plain n = function
| Const _ -> true
| Var i -> Nat.ltb i n
| Add (a, b) -> if plain n a then plain n b else false
| Sub (a, b) -> if plain n a then plain n b else false
| Mul (a, b) -> if plain n a then plain n b else false
| FloorDiv (a, b) ->
  if plain n a
  then (match b with
        | Const c -> Z.ltb Z0 c
        | _ -> false)
  else false
| CeilDiv (a, b) ->
  if plain n a
  then (match b with
        | Const c -> Z.ltb Z0 c
        | _ -> false)
  else false
| Mod (a, b) ->
  if plain n a
  then (match b with
        | Const c -> Z.ltb Z0 c
        | _ -> false)
  else false
| Min (a, b) -> if plain n a then plain n b else false
| Max (a, b) -> if plain n a then plain n b else false

(** val substitute : (nat -> term) -> term -> term **)

let rec substitute s = function
| Const z0 -> Const z0
| Var i -> s i
| Add (a, b) -> Add ((substitute s a), (substitute s b))
| Sub (a, b) -> Sub ((substitute s a), (substitute s b))
| Mul (a, b) -> Mul ((substitute s a), (substitute s b))
| FloorDiv (a, b) -> FloorDiv ((substitute s a), (substitute s b))
| CeilDiv (a, b) -> CeilDiv ((substitute s a), (substitute s b))
| Mod (a, b) -> Mod ((substitute s a), (substitute s b))
| Min (a, b) -> Min ((substitute s a), (substitute s b))
| Max (a, b) -> Max ((substitute s a), (substitute s b))

(** val left_variable : imap -> imap -> nat -> term **)

let left_variable a b i =
  if Nat.ltb i a.runtime then Var i else Var (add i b.runtime)

(** val right_variable : imap -> imap -> nat -> term **)

let right_variable a b i =
  if Nat.ltb i b.runtime
  then Var (add a.runtime i)
  else if Nat.ltb i (add b.runtime b.dims)
       then substitute (left_variable a b)
              (nth (sub i b.runtime) a.results (Const Z0))
       else Var
              (add (sub i (add b.runtime b.dims))
                (add (variables a) b.runtime))

(** val substitute_fact : (nat -> term) -> fact -> fact **)

let substitute_fact s f =
  { subject = (substitute s f.subject); lower = f.lower; upper = f.upper }

(** val substitute_producer : (nat -> term) -> producer -> producer **)

let substitute_producer s p =
  { from = p.from; at_ = (map (substitute s) p.at_); limit = p.limit }

(** val compose : access -> access -> access **)

let compose x y =
  let a = x.map_of in
  let b = y.map_of in
  let s = left_variable a b in
  let t = right_variable a b in
  { map_of = { runtime = (add a.runtime b.runtime); dims = a.dims; ranges =
  (add a.ranges b.ranges); domain =
  (app (map (substitute_fact s) a.domain) (map (substitute_fact t) b.domain));
  results = (map (substitute t) b.results) }; producers =
  (app (map (substitute_producer s) x.producers)
    (map (substitute_producer t) y.producers)) }

(** val well_formed : access -> bool **)

let well_formed x =
  Nat.eqb (length x.producers) x.map_of.runtime

(** val plain_access : access -> bool **)

let plain_access x =
  let n = variables x.map_of in
  if if if well_formed x
        then forallb (fun f -> plain n f.subject) x.map_of.domain
        else false
     then forallb (plain n) x.map_of.results
     else false
  then forallb (fun p -> forallb (plain n) p.at_) x.producers
  else false

(** val most_paths : nat **)

let most_paths =
  S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
    (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
    (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
    (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
    (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
    (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
    (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
    (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
    (S (S (S (S (S (S (S
    O)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))

(** val rank_at : shape list -> nat -> nat **)

let rank_at shapes0 i =
  length (nth i shapes0 [])

(** val fits_operand : nat -> nat -> access -> bool **)

let fits_operand d r m =
  if if plain_access m then Nat.eqb m.map_of.dims d else false
  then Nat.eqb (length m.map_of.results) r
  else false

(** val fits_path : nat -> access -> bool **)

let fits_path r q =
  if well_formed q then Nat.eqb q.map_of.dims r else false

(** val through :
    (nat -> access list option) -> opcode -> shape -> shape list -> (nat ->
    nat) -> nat list -> nat -> access list option **)

let rec through f o s shapes0 node_of operands i =
  match operands with
  | [] -> Some []
  | j::operands0 ->
    (match f j with
     | Some p ->
       (match through f o s shapes0 node_of operands0 (S i) with
        | Some r ->
          (match p with
           | [] -> Some r
           | _::_ ->
             (match read_of o shapes0 s node_of i with
              | Some m ->
                if if forallb (fits_operand (length s) (rank_at shapes0 i)) m
                   then forallb (fits_path (rank_at shapes0 i)) p
                   else false
                then let r0 =
                       app (flat_map (fun m0 -> map (compose m0) p) m) r
                     in
                     if Nat.leb (length r0) most_paths then Some r0 else None
                else None
              | None -> None))
        | None -> None)
     | None -> None)

(** val maps_at :
    node list -> nat -> nat -> node -> access list option list -> access list
    option **)

let maps_at p t k n t0 =
  if Nat.eqb k t
  then Some ((identity (shape_of n))::[])
  else (match n with
        | Array _ -> Some []
        | Result (o, operands, s) ->
          through (fun j -> nth j t0 None) o s (shapes p operands) (fun i ->
            nth i operands O) operands O)

(** val maps_from :
    node list -> nat -> node list -> nat -> access list option list -> access
    list option list **)

let rec maps_from p t l k t0 =
  match l with
  | [] -> t0
  | n::l0 -> maps_from p t l0 (S k) (app t0 ((maps_at p t k n t0)::[]))

(** val maps_of : node list -> nat -> nat -> access list option **)

let maps_of p t k =
  nth k (maps_from p t p O []) None

(** val forgotten_variable : imap -> nat -> term **)

let forgotten_variable m i =
  if Nat.ltb i m.runtime
  then Var (add m.dims i)
  else if Nat.ltb i (add m.runtime m.dims)
       then Var (sub i m.runtime)
       else Var i

(** val forget : access -> imap **)

let forget x =
  let m = x.map_of in
  let s = forgotten_variable m in
  { runtime = O; dims = m.dims; ranges = (add m.runtime m.ranges); domain =
  (map (substitute_fact s) m.domain); results =
  (map (substitute s) m.results) }

(** val term_eq_dec : term -> term -> bool **)

let rec term_eq_dec t x =
  match t with
  | Const z0 -> (match x with
                 | Const z1 -> Z.eq_dec z0 z1
                 | _ -> false)
  | Var i -> (match x with
              | Var i0 -> Nat.eq_dec i i0
              | _ -> false)
  | Add (a, b) ->
    (match x with
     | Add (a0, b0) -> if term_eq_dec a a0 then term_eq_dec b b0 else false
     | _ -> false)
  | Sub (a, b) ->
    (match x with
     | Sub (a0, b0) -> if term_eq_dec a a0 then term_eq_dec b b0 else false
     | _ -> false)
  | Mul (a, b) ->
    (match x with
     | Mul (a0, b0) -> if term_eq_dec a a0 then term_eq_dec b b0 else false
     | _ -> false)
  | FloorDiv (a, b) ->
    (match x with
     | FloorDiv (a0, b0) ->
       if term_eq_dec a a0 then term_eq_dec b b0 else false
     | _ -> false)
  | CeilDiv (a, b) ->
    (match x with
     | CeilDiv (a0, b0) ->
       if term_eq_dec a a0 then term_eq_dec b b0 else false
     | _ -> false)
  | Mod (a, b) ->
    (match x with
     | Mod (a0, b0) -> if term_eq_dec a a0 then term_eq_dec b b0 else false
     | _ -> false)
  | Min (a, b) ->
    (match x with
     | Min (a0, b0) -> if term_eq_dec a a0 then term_eq_dec b b0 else false
     | _ -> false)
  | Max (a, b) ->
    (match x with
     | Max (a0, b0) -> if term_eq_dec a a0 then term_eq_dec b b0 else false
     | _ -> false)

(** val producer_eq_dec : producer -> producer -> bool **)

let producer_eq_dec a b =
  let { from = from0; at_ = at_0; limit = limit0 } = a in
  let { from = from1; at_ = at_1; limit = limit1 } = b in
  if Nat.eq_dec from0 from1
  then if list_eq_dec term_eq_dec at_0 at_1
       then (match limit0 with
             | Some a0 ->
               (match limit1 with
                | Some a1 -> Z.eq_dec a0 a1
                | None -> false)
             | None -> (match limit1 with
                        | Some _ -> false
                        | None -> true))
       else false
  else false

(** val of_dims : nat -> nat -> term -> bool **)

let rec of_dims r d = function
| Const _ -> true
| Var i -> if Nat.leb r i then Nat.ltb i (add r d) else false
| Add (a, b) -> if of_dims r d a then of_dims r d b else false
| Sub (a, b) -> if of_dims r d a then of_dims r d b else false
| Mul (a, b) -> if of_dims r d a then of_dims r d b else false
| FloorDiv (a, b) -> if of_dims r d a then of_dims r d b else false
| CeilDiv (a, b) -> if of_dims r d a then of_dims r d b else false
| Mod (a, b) -> if of_dims r d a then of_dims r d b else false
| Min (a, b) -> if of_dims r d a then of_dims r d b else false
| Max (a, b) -> if of_dims r d a then of_dims r d b else false

(** val position_in : producer list -> producer -> nat option **)

let rec position_in known0 p =
  match known0 with
  | [] -> None
  | q::l ->
    if producer_eq_dec q p
    then Some O
    else (match position_in l p with
          | Some i -> Some (S i)
          | None -> None)

(** val moved : nat -> imap -> nat -> term **)

let moved r m i =
  Var (add (sub i m.runtime) r)

(** val aligned : producer list -> nat -> access -> access option **)

let aligned known0 d x =
  let m = x.map_of in
  let r = length known0 in
  (match all_some
           (map (fun p ->
             position_in known0 (substitute_producer (moved r m) p))
             x.producers) with
   | Some places ->
     let s = fun i ->
       if Nat.ltb i m.runtime then Var (nth i places O) else moved r m i
     in
     if if if well_formed x then Nat.eqb m.dims d else false
        then forallb (fun p -> forallb (of_dims m.runtime d) p.at_)
               x.producers
        else false
     then Some { map_of = { runtime = r; dims = d; ranges = m.ranges;
            domain =
            (app (clamped O known0) (map (substitute_fact s) m.domain));
            results = (map (substitute s) m.results) }; producers = known0 }
     else None
   | None -> None)

(** val are_known : producer list -> nat -> bool **)

let are_known known0 d =
  forallb (fun p ->
    if match p.limit with
       | Some l -> Z.leb Z0 l
       | None -> false
    then forallb (fun t ->
           if plain (add (length known0) d) t
           then of_dims (length known0) d t
           else false) p.at_
    else false) known0

(** val is_nil : 'a1 list -> bool **)

let is_nil = function
| [] -> true
| _::_ -> false

(** val as_maps : reads_claim -> claim option **)

let as_maps c =
  match nth_error c.nodes c.reader with
  | Some n ->
    (match maps_of c.nodes c.source c.reader with
     | Some m ->
       let d = length (shape_of n) in
       let r = length c.given in
       if if is_nil c.given then negb c.exact else false
       then if forallb (fun x -> Nat.eqb x.map_of.dims d) m
            then Some (Covers (O, d, c.said, (map forget m)))
            else None
       else if are_known c.given d
            then (match all_some (map (aligned c.given d) m) with
                  | Some m0 ->
                    Some
                      (if c.exact
                       then Equal (r, d, c.said, (map (fun a -> a.map_of) m0))
                       else Covers (r, d, c.said,
                              (map (fun a -> a.map_of) m0)))
                  | None -> None)
            else None
     | None -> None)
  | None -> None

(** val check_reads : reads_claim -> evidence list -> bool **)

let check_reads c cs =
  match as_maps c with
  | Some m -> check m cs
  | None -> false
