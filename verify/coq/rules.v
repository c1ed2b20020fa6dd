(* The rules of core/simplify/rules as propositions.
   Printed by `affirm rules --coq`; do not edit. proofs.v proves them. *)
From Coq Require Import ZArith.
Open Scope Z_scope.

(* rule range.point: x  =>  c
  when let c = lower(x), range(x) within [c, c] *)
Definition rule_range_point : Prop :=
  forall c x : Z,
    c <= x ->
    x <= c ->
    x = c.
Definition defined_range_point : Prop :=
  forall c x : Z,
    c <= x ->
    x <= c ->
    True.

(* rule min.least: min(x, y)  =>  x
  when range(y - x) within [0, inf] *)
Definition rule_min_least : Prop :=
  forall x y : Z,
    0 <= (y - x) ->
    (Z.min x y) = x.
Definition defined_min_least : Prop :=
  forall x y : Z,
    0 <= (y - x) ->
    True.

(* rule min.drop: min(x, y, z)  =>  min(x, z)
  when range(y - x) within [0, inf] *)
Definition rule_min_drop : Prop :=
  forall x y z : Z,
    0 <= (y - x) ->
    (Z.min x (Z.min y z)) = (Z.min x z).
Definition defined_min_drop : Prop :=
  forall x y z : Z,
    0 <= (y - x) ->
    True.

(* rule max.greatest: max(x, y)  =>  x
  when range(x - y) within [0, inf] *)
Definition rule_max_greatest : Prop :=
  forall x y : Z,
    0 <= (x - y) ->
    (Z.max x y) = x.
Definition defined_max_greatest : Prop :=
  forall x y : Z,
    0 <= (x - y) ->
    True.

(* rule max.drop: max(x, y, z)  =>  max(x, z)
  when range(x - y) within [0, inf] *)
Definition rule_max_drop : Prop :=
  forall x y z : Z,
    0 <= (x - y) ->
    (Z.max x (Z.max y z)) = (Z.max x z).
Definition defined_max_drop : Prop :=
  forall x y z : Z,
    0 <= (x - y) ->
    True.

(* rule min.absorb: min(x, max(x, y))  =>  x *)
Definition rule_min_absorb : Prop :=
  forall x y : Z,
    (Z.min x (Z.max x y)) = x.
Definition defined_min_absorb : Prop :=
  forall x y : Z,
    True.

(* rule min.absorb_among: min(x, max(x, y), z)  =>  min(x, z) *)
Definition rule_min_absorb_among : Prop :=
  forall x y z : Z,
    (Z.min x (Z.min (Z.max x y) z)) = (Z.min x z).
Definition defined_min_absorb_among : Prop :=
  forall x y z : Z,
    True.

(* rule max.absorb: max(x, min(x, y))  =>  x *)
Definition rule_max_absorb : Prop :=
  forall x y : Z,
    (Z.max x (Z.min x y)) = x.
Definition defined_max_absorb : Prop :=
  forall x y : Z,
    True.

(* rule max.absorb_among: max(x, min(x, y), z)  =>  max(x, z) *)
Definition rule_max_absorb_among : Prop :=
  forall x y z : Z,
    (Z.max x (Z.max (Z.min x y) z)) = (Z.max x z).
Definition defined_max_absorb_among : Prop :=
  forall x y z : Z,
    True.

(* rule floordiv.one: x floordiv 1  =>  x *)
Definition rule_floordiv_one : Prop :=
  forall x : Z,
    (x / 1) = x.
Definition defined_floordiv_one : Prop :=
  forall x : Z,
    True.

(* rule floordiv.negative_divisor: x floordiv c  =>  (-x) floordiv (-c)
  when c < 0 *)
Definition rule_floordiv_negative_divisor : Prop :=
  forall c x : Z,
    c <> 0 ->
    c < 0 ->
    (- c) <> 0 ->
    (x / c) = ((- x) / (- c)).
Definition defined_floordiv_negative_divisor : Prop :=
  forall c x : Z,
    c <> 0 ->
    c < 0 ->
    (- c) <> 0.

(* rule floordiv.split: (c * x + y) floordiv c  =>  x + y floordiv c
  when c > 1 *)
Definition rule_floordiv_split : Prop :=
  forall c x y : Z,
    c <> 0 ->
    c > 1 ->
    (((c * x) + y) / c) = (x + (y / c)).
Definition defined_floordiv_split : Prop :=
  forall c x y : Z,
    c <> 0 ->
    c > 1 ->
    True.

(* rule floordiv.common_factor: (g * x + y) floordiv d  =>  x floordiv (d floordiv g)
  when g > 1, d > 0, g divides d, range(y) within [0, g - 1] *)
Definition rule_floordiv_common_factor : Prop :=
  forall d g x y : Z,
    d <> 0 ->
    g > 1 ->
    d > 0 ->
    g <> 0 ->
    Z.divide g d ->
    0 <= y ->
    y <= (g - 1) ->
    (d / g) <> 0 ->
    (((g * x) + y) / d) = (x / (d / g)).
Definition defined_floordiv_common_factor : Prop :=
  forall d g x y : Z,
    d <> 0 ->
    g > 1 ->
    d > 0 ->
    g <> 0 ->
    Z.divide g d ->
    0 <= y ->
    y <= (g - 1) ->
    (d / g) <> 0.

(* rule floordiv.floordiv: (x floordiv a) floordiv b  =>  x floordiv (a * b)
  when b > 0 *)
Definition rule_floordiv_floordiv : Prop :=
  forall a b x : Z,
    a <> 0 ->
    b <> 0 ->
    b > 0 ->
    (a * b) <> 0 ->
    ((x / a) / b) = (x / (a * b)).
Definition defined_floordiv_floordiv : Prop :=
  forall a b x : Z,
    a <> 0 ->
    b <> 0 ->
    b > 0 ->
    (a * b) <> 0.

(* rule floordiv.of_mod: (x mod c) floordiv a  =>  (x floordiv a) mod (c floordiv a)
  when a > 1, c > 0, a divides c *)
Definition rule_floordiv_of_mod : Prop :=
  forall a c x : Z,
    0 < c ->
    a <> 0 ->
    a > 1 ->
    c > 0 ->
    Z.divide a c ->
    0 < (c / a) ->
    ((x mod c) / a) = ((x / a) mod (c / a)).
Definition defined_floordiv_of_mod : Prop :=
  forall a c x : Z,
    0 < c ->
    a <> 0 ->
    a > 1 ->
    c > 0 ->
    Z.divide a c ->
    0 < (c / a).

(* rule floordiv.inner_floordiv: (x + y floordiv a) floordiv b  =>  (a * x + y) floordiv (a * b)
  when a > 1, b > 1 *)
Definition rule_floordiv_inner_floordiv : Prop :=
  forall a b x y : Z,
    a <> 0 ->
    b <> 0 ->
    a > 1 ->
    b > 1 ->
    (a * b) <> 0 ->
    ((x + (y / a)) / b) = (((a * x) + y) / (a * b)).
Definition defined_floordiv_inner_floordiv : Prop :=
  forall a b x y : Z,
    a <> 0 ->
    b <> 0 ->
    a > 1 ->
    b > 1 ->
    (a * b) <> 0.

(* rule floordiv.whole_offset: (x + k) floordiv c  =>  x floordiv c + k floordiv c
  when k != 0, c > 1, c divides k *)
Definition rule_floordiv_whole_offset : Prop :=
  forall c k x : Z,
    c <> 0 ->
    k <> 0 ->
    c > 1 ->
    Z.divide c k ->
    ((x + k) / c) = ((x / c) + (k / c)).
Definition defined_floordiv_whole_offset : Prop :=
  forall c k x : Z,
    c <> 0 ->
    k <> 0 ->
    c > 1 ->
    Z.divide c k ->
    True.

(* rule floordiv.offset: (x + k) floordiv c  =>  (x + r) floordiv c + (k - r) floordiv c
  when k != 0, c > 1, let r = (lower(x) + k) mod c - lower(x), r != k, k mod c != 0, c divides k - r *)
Definition rule_floordiv_offset : Prop :=
  forall c k r x : Z,
    c <> 0 ->
    k <> 0 ->
    c > 1 ->
    r <> k ->
    0 < c ->
    (k mod c) <> 0 ->
    Z.divide c (k - r) ->
    ((x + k) / c) = (((x + r) / c) + ((k - r) / c)).
Definition defined_floordiv_offset : Prop :=
  forall c k r x : Z,
    c <> 0 ->
    k <> 0 ->
    c > 1 ->
    r <> k ->
    0 < c ->
    (k mod c) <> 0 ->
    Z.divide c (k - r) ->
    True.

(* rule floordiv.hoist_mod: (k * (y mod a) + x) floordiv d  =>  ((k * y + x) floordiv d) mod ((k * a) floordiv d)
  when a > 0, d > 0, d divides k * a, range((k * (y mod a) + x) floordiv d) within [0, (k * a) floordiv d - 1] *)
Definition rule_floordiv_hoist_mod : Prop :=
  forall a d k x y : Z,
    0 < a ->
    d <> 0 ->
    a > 0 ->
    d > 0 ->
    Z.divide d (k * a) ->
    0 <= (((k * (y mod a)) + x) / d) ->
    (((k * (y mod a)) + x) / d) <= (((k * a) / d) - 1) ->
    0 < ((k * a) / d) ->
    (((k * (y mod a)) + x) / d) = ((((k * y) + x) / d) mod ((k * a) / d)).
Definition defined_floordiv_hoist_mod : Prop :=
  forall a d k x y : Z,
    0 < a ->
    d <> 0 ->
    a > 0 ->
    d > 0 ->
    Z.divide d (k * a) ->
    0 <= (((k * (y mod a)) + x) / d) ->
    (((k * (y mod a)) + x) / d) <= (((k * a) / d) - 1) ->
    0 < ((k * a) / d).

(* rule floordiv.nearest: (m * x + y) floordiv m  =>  x
  when range(y) within [0, m - 1] *)
Definition rule_floordiv_nearest : Prop :=
  forall m x y : Z,
    m <> 0 ->
    0 <= y ->
    y <= (m - 1) ->
    (((m * x) + y) / m) = x.
Definition defined_floordiv_nearest : Prop :=
  forall m x y : Z,
    m <> 0 ->
    0 <= y ->
    y <= (m - 1) ->
    True.

(* rule ceildiv.positive: x ceildiv c  =>  (x + c - 1) floordiv c
  when c > 0 *)
Definition rule_ceildiv_positive : Prop :=
  forall c x : Z,
    c <> 0 ->
    c > 0 ->
    (- ((- x) / c)) = ((x + c - 1) / c).
Definition defined_ceildiv_positive : Prop :=
  forall c x : Z,
    c <> 0 ->
    c > 0 ->
    True.

(* rule ceildiv.negative: x ceildiv c  =>  -(x floordiv (-c))
  when c < 0 *)
Definition rule_ceildiv_negative : Prop :=
  forall c x : Z,
    c <> 0 ->
    c < 0 ->
    (- c) <> 0 ->
    (- ((- x) / c)) = (- (x / (- c))).
Definition defined_ceildiv_negative : Prop :=
  forall c x : Z,
    c <> 0 ->
    c < 0 ->
    (- c) <> 0.

(* rule mod.one: x mod 1  =>  0 *)
Definition rule_mod_one : Prop :=
  forall x : Z,
    (x mod 1) = 0.
Definition defined_mod_one : Prop :=
  forall x : Z,
    True.

(* rule mod.period: x mod m  =>  x - (k * m)
  when m > 0, let k = lower(x) floordiv m, range(x) within [k * m, k * m + m - 1] *)
Definition rule_mod_period : Prop :=
  forall k m x : Z,
    0 < m ->
    m > 0 ->
    (k * m) <= x ->
    x <= ((k * m) + m - 1) ->
    (x mod m) = (x - (k * m)).
Definition defined_mod_period : Prop :=
  forall k m x : Z,
    0 < m ->
    m > 0 ->
    (k * m) <= x ->
    x <= ((k * m) + m - 1) ->
    True.

(* rule mod.split: (m * x + y) mod m  =>  y mod m
  when m > 1 *)
Definition rule_mod_split : Prop :=
  forall m x y : Z,
    0 < m ->
    m > 1 ->
    (((m * x) + y) mod m) = (y mod m).
Definition defined_mod_split : Prop :=
  forall m x y : Z,
    0 < m ->
    m > 1 ->
    True.

(* rule mod.common_factor: (g * x + y) mod m  =>  g * (x mod (m floordiv g)) + y
  when g > 1, m > 0, g divides m, range(y) within [0, g - 1] *)
Definition rule_mod_common_factor : Prop :=
  forall g m x y : Z,
    0 < m ->
    g > 1 ->
    m > 0 ->
    g <> 0 ->
    Z.divide g m ->
    0 <= y ->
    y <= (g - 1) ->
    0 < (m / g) ->
    (((g * x) + y) mod m) = ((g * (x mod (m / g))) + y).
Definition defined_mod_common_factor : Prop :=
  forall g m x y : Z,
    0 < m ->
    g > 1 ->
    m > 0 ->
    g <> 0 ->
    Z.divide g m ->
    0 <= y ->
    y <= (g - 1) ->
    0 < (m / g).

(* rule mod.inner_mod: (k * (y mod a) + x) mod m  =>  (k * y + x) mod m
  when m > 0, m divides k * a *)
Definition rule_mod_inner_mod : Prop :=
  forall a k m x y : Z,
    0 < a ->
    0 < m ->
    m > 0 ->
    m <> 0 ->
    Z.divide m (k * a) ->
    (((k * (y mod a)) + x) mod m) = (((k * y) + x) mod m).
Definition defined_mod_inner_mod : Prop :=
  forall a k m x y : Z,
    0 < a ->
    0 < m ->
    m > 0 ->
    m <> 0 ->
    Z.divide m (k * a) ->
    True.

(* rule mod.inner_mod_of_quotient: ((k * (y mod a) + x) floordiv d) mod m  =>  ((k * y + x) floordiv d) mod m
  when m > 0, d > 0, d divides k * a, m divides (k * a) floordiv d *)
Definition rule_mod_inner_mod_of_quotient : Prop :=
  forall a d k m x y : Z,
    0 < a ->
    d <> 0 ->
    0 < m ->
    m > 0 ->
    d > 0 ->
    Z.divide d (k * a) ->
    m <> 0 ->
    Z.divide m ((k * a) / d) ->
    ((((k * (y mod a)) + x) / d) mod m) = ((((k * y) + x) / d) mod m).
Definition defined_mod_inner_mod_of_quotient : Prop :=
  forall a d k m x y : Z,
    0 < a ->
    d <> 0 ->
    0 < m ->
    m > 0 ->
    d > 0 ->
    Z.divide d (k * a) ->
    m <> 0 ->
    Z.divide m ((k * a) / d) ->
    True.

(* rule mod.whole_offset: (x + k) mod m  =>  x mod m
  when k != 0, m > 1, m divides k *)
Definition rule_mod_whole_offset : Prop :=
  forall k m x : Z,
    0 < m ->
    k <> 0 ->
    m > 1 ->
    m <> 0 ->
    Z.divide m k ->
    ((x + k) mod m) = (x mod m).
Definition defined_mod_whole_offset : Prop :=
  forall k m x : Z,
    0 < m ->
    k <> 0 ->
    m > 1 ->
    m <> 0 ->
    Z.divide m k ->
    True.

(* rule mod.offset: (x + k) mod m  =>  (x + r) mod m
  when k != 0, m > 1, let r = (lower(x) + k) mod m - lower(x), r != k, k mod m != 0, m divides k - r *)
Definition rule_mod_offset : Prop :=
  forall k m r x : Z,
    0 < m ->
    k <> 0 ->
    m > 1 ->
    r <> k ->
    (k mod m) <> 0 ->
    m <> 0 ->
    Z.divide m (k - r) ->
    ((x + k) mod m) = ((x + r) mod m).
Definition defined_mod_offset : Prop :=
  forall k m r x : Z,
    0 < m ->
    k <> 0 ->
    m > 1 ->
    r <> k ->
    (k mod m) <> 0 ->
    m <> 0 ->
    Z.divide m (k - r) ->
    True.

(* rule mod.nearest: (m * x + y) mod m  =>  y
  when range(y) within [0, m - 1] *)
Definition rule_mod_nearest : Prop :=
  forall m x y : Z,
    0 < m ->
    0 <= y ->
    y <= (m - 1) ->
    (((m * x) + y) mod m) = y.
Definition defined_mod_nearest : Prop :=
  forall m x y : Z,
    0 < m ->
    0 <= y ->
    y <= (m - 1) ->
    True.

(* rule sum.recombine: k * (v mod m) + k * m * (u floordiv d) + y  =>  k * v + y
  when m > 0, u floordiv d is v floordiv m *)
Definition rule_sum_recombine : Prop :=
  forall d k m u v y : Z,
    0 < m ->
    d <> 0 ->
    m > 0 ->
    m <> 0 ->
    (u / d) = (v / m) ->
    ((k * (v mod m)) + (k * m * (u / d)) + y) = ((k * v) + y).
Definition defined_sum_recombine : Prop :=
  forall d k m u v y : Z,
    0 < m ->
    d <> 0 ->
    m > 0 ->
    m <> 0 ->
    (u / d) = (v / m) ->
    True.

(* rule sum.join_digits: k * (x mod a) + k * a * ((u floordiv d + z) mod b) + y  =>  k * ((a * z + x) mod (a * b)) + y
  when a > 0, b > 0, u floordiv d is x floordiv a *)
Definition rule_sum_join_digits : Prop :=
  forall a b d k u x y z : Z,
    0 < a ->
    d <> 0 ->
    0 < b ->
    a > 0 ->
    b > 0 ->
    a <> 0 ->
    (u / d) = (x / a) ->
    0 < (a * b) ->
    ((k * (x mod a)) + (k * a * (((u / d) + z) mod b)) + y) = ((k * (((a * z) + x) mod (a * b))) + y).
Definition defined_sum_join_digits : Prop :=
  forall a b d k u x y z : Z,
    0 < a ->
    d <> 0 ->
    0 < b ->
    a > 0 ->
    b > 0 ->
    a <> 0 ->
    (u / d) = (x / a) ->
    0 < (a * b).

(* rule sum.absorb: q * (x floordiv a) + k * ((n * (x mod a) + z) floordiv c) + y  =>  k * ((n * x + z) floordiv c) + y
  when a > 0, c > 0, q * c == k * n * a, c divides n * a *)
Definition rule_sum_absorb : Prop :=
  forall a c k n q x y z : Z,
    a <> 0 ->
    0 < a ->
    c <> 0 ->
    a > 0 ->
    c > 0 ->
    (q * c) = (k * n * a) ->
    Z.divide c (n * a) ->
    ((q * (x / a)) + (k * (((n * (x mod a)) + z) / c)) + y) = ((k * (((n * x) + z) / c)) + y).
Definition defined_sum_absorb : Prop :=
  forall a c k n q x y z : Z,
    a <> 0 ->
    0 < a ->
    c <> 0 ->
    a > 0 ->
    c > 0 ->
    (q * c) = (k * n * a) ->
    Z.divide c (n * a) ->
    True.

(* rule sum.residue: -1 * k * c * (x floordiv c) + k * x + y  =>  k * (x mod c) + y
  when c > 1 *)
Definition rule_sum_residue : Prop :=
  forall c k x y : Z,
    c <> 0 ->
    c > 1 ->
    0 < c ->
    (((-1) * k * c * (x / c)) + (k * x) + y) = ((k * (x mod c)) + y).
Definition defined_sum_residue : Prop :=
  forall c k x y : Z,
    c <> 0 ->
    c > 1 ->
    0 < c.

(* rule constraint.holds: x in [l, h]  =>  true
  when range(x) within [l, h] *)
Definition rule_constraint_holds : Prop :=
  forall h l x : Z,
    l <= x ->
    x <= h ->
    (l <= x /\ x <= h).
Definition defined_constraint_holds : Prop :=
  forall h l x : Z,
    l <= x ->
    x <= h ->
    True.

(* rule constraint.too_large: x in [l, h]  =>  false
  when range(x) within [h + 1, inf] *)
Definition rule_constraint_too_large : Prop :=
  forall h l x : Z,
    (h + 1) <= x ->
    ~ (l <= x /\ x <= h).
Definition defined_constraint_too_large : Prop :=
  forall h l x : Z,
    (h + 1) <= x ->
    True.

(* rule constraint.too_small: x in [l, h]  =>  false
  when range(x) within [-inf, l - 1] *)
Definition rule_constraint_too_small : Prop :=
  forall h l x : Z,
    x <= (l - 1) ->
    ~ (l <= x /\ x <= h).
Definition defined_constraint_too_small : Prop :=
  forall h l x : Z,
    x <= (l - 1) ->
    True.

(* rule constraint.offset: x + k in [l, h]  =>  x in [l - k, h - k]
  when k != 0 *)
Definition rule_constraint_offset : Prop :=
  forall h k l x : Z,
    k <> 0 ->
    (l <= (x + k) /\ (x + k) <= h) <->
    ((l - k) <= x /\ x <= (h - k)).
Definition defined_constraint_offset : Prop :=
  forall h k l x : Z,
    k <> 0 ->
    True.

(* rule constraint.factor: g * x in [l, h]  =>  x in [l ceildiv g, h floordiv g]
  when g > 1 *)
Definition rule_constraint_factor : Prop :=
  forall g h l x : Z,
    g > 1 ->
    g <> 0 ->
    (l <= (g * x) /\ (g * x) <= h) <->
    ((- ((- l) / g)) <= x /\ x <= (h / g)).
Definition defined_constraint_factor : Prop :=
  forall g h l x : Z,
    g > 1 ->
    g <> 0.

(* rule constraint.negative_factor: g * x in [l, h]  =>  x in [h ceildiv g, l floordiv g]
  when g < 0 *)
Definition rule_constraint_negative_factor : Prop :=
  forall g h l x : Z,
    g < 0 ->
    g <> 0 ->
    (l <= (g * x) /\ (g * x) <= h) <->
    ((- ((- h) / g)) <= x /\ x <= (l / g)).
Definition defined_constraint_negative_factor : Prop :=
  forall g h l x : Z,
    g < 0 ->
    g <> 0.

(* rule constraint.floordiv: x floordiv c in [l, h]  =>  x in [l * c, h * c + c - 1]
  when c > 0 *)
Definition rule_constraint_floordiv : Prop :=
  forall c h l x : Z,
    c <> 0 ->
    c > 0 ->
    (l <= (x / c) /\ (x / c) <= h) <->
    ((l * c) <= x /\ x <= ((h * c) + c - 1)).
Definition defined_constraint_floordiv : Prop :=
  forall c h l x : Z,
    c <> 0 ->
    c > 0 ->
    True.

(* rule constraint.whole_steps: g * x + y in [l, h]  =>  x in [l floordiv g, (h + 1) floordiv g - 1]
  when g > 1, g divides l, g divides h + 1, range(y) within [0, g - 1] *)
Definition rule_constraint_whole_steps : Prop :=
  forall g h l x y : Z,
    g > 1 ->
    g <> 0 ->
    Z.divide g l ->
    Z.divide g (h + 1) ->
    0 <= y ->
    y <= (g - 1) ->
    (l <= ((g * x) + y) /\ ((g * x) + y) <= h) <->
    ((l / g) <= x /\ x <= (((h + 1) / g) - 1)).
Definition defined_constraint_whole_steps : Prop :=
  forall g h l x y : Z,
    g > 1 ->
    g <> 0 ->
    Z.divide g l ->
    Z.divide g (h + 1) ->
    0 <= y ->
    y <= (g - 1) ->
    True.

(* rule constraint.snap: x in [l, h] and (x + k) mod m in [r, r]  =>  x in [p, q] and (x + k) mod m in [r, r]
  when m > 0, let p = l + (r - k - l) mod m, let q = h - ((h + k - r) mod m), q - p < h - l *)
Definition rule_constraint_snap : Prop :=
  forall h k l m p q r x : Z,
    0 < m ->
    m > 0 ->
    p = (l + ((r - k - l) mod m)) ->
    q = (h - ((h + k - r) mod m)) ->
    (q - p) < (h - l) ->
    (l <= x /\ x <= h /\ r <= ((x + k) mod m) /\ ((x + k) mod m) <= r) <->
    (p <= x /\ x <= q /\ r <= ((x + k) mod m) /\ ((x + k) mod m) <= r).
Definition defined_constraint_snap : Prop :=
  forall h k l m p q r x : Z,
    0 < m ->
    m > 0 ->
    p = (l + ((r - k - l) mod m)) ->
    q = (h - ((h + k - r) mod m)) ->
    (q - p) < (h - l) ->
    True.

(* rule constraint.snap_lower: x in [l, inf] and (x + k) mod m in [r, r]  =>  x in [p, inf] and (x + k) mod m in [r, r]
  when m > 0, let p = l + (r - k - l) mod m, p > l *)
Definition rule_constraint_snap_lower : Prop :=
  forall k l m p r x : Z,
    0 < m ->
    m > 0 ->
    p = (l + ((r - k - l) mod m)) ->
    p > l ->
    (l <= x /\ r <= ((x + k) mod m) /\ ((x + k) mod m) <= r) <->
    (p <= x /\ r <= ((x + k) mod m) /\ ((x + k) mod m) <= r).
Definition defined_constraint_snap_lower : Prop :=
  forall k l m p r x : Z,
    0 < m ->
    m > 0 ->
    p = (l + ((r - k - l) mod m)) ->
    p > l ->
    True.

(* rule constraint.snap_upper: x in [-inf, h] and (x + k) mod m in [r, r]  =>  x in [-inf, q] and (x + k) mod m in [r, r]
  when m > 0, let q = h - ((h + k - r) mod m), q < h *)
Definition rule_constraint_snap_upper : Prop :=
  forall h k m q r x : Z,
    0 < m ->
    m > 0 ->
    q = (h - ((h + k - r) mod m)) ->
    q < h ->
    (x <= h /\ r <= ((x + k) mod m) /\ ((x + k) mod m) <= r) <->
    (x <= q /\ r <= ((x + k) mod m) /\ ((x + k) mod m) <= r).
Definition defined_constraint_snap_upper : Prop :=
  forall h k m q r x : Z,
    0 < m ->
    m > 0 ->
    q = (h - ((h + k - r) mod m)) ->
    q < h ->
    True.

(* rule constraint.join_digits: (x + j) mod a in [r, r] and ((x + i) floordiv a + k) mod b in [s, s]  =>  (x + (i + a * k - t - (a * s))) mod (a * b) in [0, 0]
  when a > 0, b > 0, r >= 0, r < a, s >= 0, s < b, let t = (r - j + i) mod a *)
Definition rule_constraint_join_digits : Prop :=
  forall a b i j k r s t x : Z,
    0 < a ->
    a <> 0 ->
    0 < b ->
    a > 0 ->
    b > 0 ->
    r >= 0 ->
    r < a ->
    s >= 0 ->
    s < b ->
    t = ((r - j + i) mod a) ->
    0 < (a * b) ->
    (r <= ((x + j) mod a) /\ ((x + j) mod a) <= r /\ s <= ((((x + i) / a) + k) mod b) /\ ((((x + i) / a) + k) mod b) <= s) <->
    (0 <= ((x + (i + (a * k) - t - (a * s))) mod (a * b)) /\ ((x + (i + (a * k) - t - (a * s))) mod (a * b)) <= 0).
Definition defined_constraint_join_digits : Prop :=
  forall a b i j k r s t x : Z,
    0 < a ->
    a <> 0 ->
    0 < b ->
    a > 0 ->
    b > 0 ->
    r >= 0 ->
    r < a ->
    s >= 0 ->
    s < b ->
    t = ((r - j + i) mod a) ->
    0 < (a * b).

(* rule constraint.same_residue: x mod m in [r, r] and x mod n in [r, r]  =>  x mod lcm(m, n) in [r, r]
  when m > 0, n > 0, r >= 0, r < m, r < n *)
Definition rule_constraint_same_residue : Prop :=
  forall m n r x : Z,
    0 < m ->
    0 < n ->
    m > 0 ->
    n > 0 ->
    r >= 0 ->
    r < m ->
    r < n ->
    0 < (Z.lcm m n) ->
    (r <= (x mod m) /\ (x mod m) <= r /\ r <= (x mod n) /\ (x mod n) <= r) <->
    (r <= (x mod (Z.lcm m n)) /\ (x mod (Z.lcm m n)) <= r).
Definition defined_constraint_same_residue : Prop :=
  forall m n r x : Z,
    0 < m ->
    0 < n ->
    m > 0 ->
    n > 0 ->
    r >= 0 ->
    r < m ->
    r < n ->
    0 < (Z.lcm m n).

(* rule constraint.no_such_residues: (x + j) mod m in [r, r] and (x + k) mod n in [s, s]  =>  false
  when m > 0, n > 0, (r - j - s + k) mod gcd(m, n) != 0 *)
Definition rule_constraint_no_such_residues : Prop :=
  forall j k m n r s x : Z,
    0 < m ->
    0 < n ->
    m > 0 ->
    n > 0 ->
    0 < (Z.gcd m n) ->
    ((r - j - s + k) mod (Z.gcd m n)) <> 0 ->
    ~ (r <= ((x + j) mod m) /\ ((x + j) mod m) <= r /\ s <= ((x + k) mod n) /\ ((x + k) mod n) <= s).
Definition defined_constraint_no_such_residues : Prop :=
  forall j k m n r s x : Z,
    0 < m ->
    0 < n ->
    m > 0 ->
    n > 0 ->
    0 < (Z.gcd m n) ->
    ((r - j - s + k) mod (Z.gcd m n)) <> 0 ->
    True.

(* rule constraint.two_residues: x mod m in [r, r] and x mod n in [s, s]  =>  x mod lcm(m, n) in [q, q]
  when m > 0, n > 0, let p = lower(x), p mod m == r, p mod n == s, let q = p mod lcm(m, n) *)
Definition rule_constraint_two_residues : Prop :=
  forall m n p q r s x : Z,
    0 < m ->
    0 < n ->
    m > 0 ->
    n > 0 ->
    (p mod m) = r ->
    (p mod n) = s ->
    0 < (Z.lcm m n) ->
    q = (p mod (Z.lcm m n)) ->
    (r <= (x mod m) /\ (x mod m) <= r /\ s <= (x mod n) /\ (x mod n) <= s) <->
    (q <= (x mod (Z.lcm m n)) /\ (x mod (Z.lcm m n)) <= q).
Definition defined_constraint_two_residues : Prop :=
  forall m n p q r s x : Z,
    0 < m ->
    0 < n ->
    m > 0 ->
    n > 0 ->
    (p mod m) = r ->
    (p mod n) = s ->
    0 < (Z.lcm m n) ->
    q = (p mod (Z.lcm m n)) ->
    True.

(* rule constraint.two_shifted_residues: (x + j) mod m in [r, r] and (x + k) mod n in [s, s]  =>  (x - p) mod lcm(m, n) in [0, 0]
  when m > 0, n > 0, r >= 0, r < m, s >= 0, s < n, let p = lower(x), (p + j - r) mod m == 0, (p + k - s) mod n == 0 *)
Definition rule_constraint_two_shifted_residues : Prop :=
  forall j k m n p r s x : Z,
    0 < m ->
    0 < n ->
    m > 0 ->
    n > 0 ->
    r >= 0 ->
    r < m ->
    s >= 0 ->
    s < n ->
    ((p + j - r) mod m) = 0 ->
    ((p + k - s) mod n) = 0 ->
    0 < (Z.lcm m n) ->
    (r <= ((x + j) mod m) /\ ((x + j) mod m) <= r /\ s <= ((x + k) mod n) /\ ((x + k) mod n) <= s) <->
    (0 <= ((x - p) mod (Z.lcm m n)) /\ ((x - p) mod (Z.lcm m n)) <= 0).
Definition defined_constraint_two_shifted_residues : Prop :=
  forall j k m n p r s x : Z,
    0 < m ->
    0 < n ->
    m > 0 ->
    n > 0 ->
    r >= 0 ->
    r < m ->
    s >= 0 ->
    s < n ->
    ((p + j - r) mod m) = 0 ->
    ((p + k - s) mod n) = 0 ->
    0 < (Z.lcm m n).

(* rule constraint.coprime_factor: (n * x) mod m in [0, 0]  =>  x mod (m floordiv gcd(n, m)) in [0, 0]
  when m > 0, n != 0, n != 1 *)
Definition rule_constraint_coprime_factor : Prop :=
  forall m n x : Z,
    0 < m ->
    m > 0 ->
    n <> 0 ->
    n <> 1 ->
    (Z.gcd n m) <> 0 ->
    0 < (m / (Z.gcd n m)) ->
    (0 <= ((n * x) mod m) /\ ((n * x) mod m) <= 0) <->
    (0 <= (x mod (m / (Z.gcd n m))) /\ (x mod (m / (Z.gcd n m))) <= 0).
Definition defined_constraint_coprime_factor : Prop :=
  forall m n x : Z,
    0 < m ->
    m > 0 ->
    n <> 0 ->
    n <> 1 ->
    (Z.gcd n m) <> 0 /\ (0 < (m / (Z.gcd n m))).
