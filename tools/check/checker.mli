
val negb : bool -> bool

type nat =
| O
| S of nat

val fst : ('a1 * 'a2) -> 'a1

val snd : ('a1 * 'a2) -> 'a2

val length : 'a1 list -> nat

val app : 'a1 list -> 'a1 list -> 'a1 list

type comparison =
| Eq
| Lt
| Gt

val compOpp : comparison -> comparison

val add : nat -> nat -> nat

val sub : nat -> nat -> nat

type positive =
| XI of positive
| XO of positive
| XH

type z =
| Z0
| Zpos of positive
| Zneg of positive

module Nat :
 sig
  val eqb : nat -> nat -> bool

  val leb : nat -> nat -> bool

  val ltb : nat -> nat -> bool

  val divmod : nat -> nat -> nat -> nat -> nat * nat

  val div : nat -> nat -> nat

  val eq_dec : nat -> nat -> bool
 end

module Pos :
 sig
  val succ : positive -> positive

  val add : positive -> positive -> positive

  val add_carry : positive -> positive -> positive

  val pred_double : positive -> positive

  val mul : positive -> positive -> positive

  val size : positive -> positive

  val compare_cont : comparison -> positive -> positive -> comparison

  val compare : positive -> positive -> comparison

  val eqb : positive -> positive -> bool

  val leb : positive -> positive -> bool

  val ltb : positive -> positive -> bool

  val of_succ_nat : nat -> positive

  val eq_dec : positive -> positive -> bool
 end

module Z :
 sig
  val double : z -> z

  val succ_double : z -> z

  val pred_double : z -> z

  val pos_sub : positive -> positive -> z

  val add : z -> z -> z

  val opp : z -> z

  val succ : z -> z

  val sub : z -> z -> z

  val mul : z -> z -> z

  val compare : z -> z -> comparison

  val leb : z -> z -> bool

  val ltb : z -> z -> bool

  val eqb : z -> z -> bool

  val max : z -> z -> z

  val abs : z -> z

  val of_nat : nat -> z

  val pos_div_eucl : positive -> z -> z * z

  val div_eucl : z -> z -> z * z

  val div : z -> z -> z

  val modulo : z -> z -> z

  val log2 : z -> z

  val eq_dec : z -> z -> bool
 end

val nth : nat -> 'a1 list -> 'a1 -> 'a1

val nth_error : 'a1 list -> nat -> 'a1 option

val list_eq_dec : ('a1 -> 'a1 -> bool) -> 'a1 list -> 'a1 list -> bool

val map : ('a1 -> 'a2) -> 'a1 list -> 'a2 list

val flat_map : ('a1 -> 'a2 list) -> 'a1 list -> 'a2 list

val fold_right : ('a2 -> 'a1 -> 'a1) -> 'a1 -> 'a2 list -> 'a1

val existsb : ('a1 -> bool) -> 'a1 list -> bool

val forallb : ('a1 -> bool) -> 'a1 list -> bool

val filter : ('a1 -> bool) -> 'a1 list -> 'a1 list

val firstn : nat -> 'a1 list -> 'a1 list

val skipn : nat -> 'a1 list -> 'a1 list

val seq : nat -> nat -> nat list

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

val variables : imap -> nat

val is_runtime_bound : imap -> fact -> bool

val sizes_in : nat -> z list -> fact list

val array : imap -> z list -> imap

type claim =
| Equal of nat * nat * imap list * imap list
| Covers of nat * nat * imap list * imap list
| Injective of imap
| Onto of imap * z list
| Into of imap * z list
| Bijection of imap * z list

type monomial = positive list

type poly = (monomial * z) list

val mono_compare : monomial -> monomial -> comparison

val poly_equal : poly -> poly -> bool

val constant : z -> poly

val atom : positive -> poly

val poly_add : poly -> poly -> poly

val scale : z -> poly -> poly

val poly_times : z -> poly -> poly

val subtract : poly -> poly -> poly

val mono_insert : positive -> monomial -> monomial

val mono_times : monomial -> monomial -> monomial

val multiply_term : monomial -> z -> poly -> poly

val multiply : poly -> poly -> poly

val most_summands : z

val most_factors : z

val most_bits : z

val size0 : 'a1 list -> z

val fits : poly -> bool

val product : poly -> poly -> poly option

val as_constant : poly -> z option

val divide_all : z -> poly -> poly option

val divide : z -> poly -> poly option

type operation =
| Quotient
| Minimum
| Maximum

type entry = { op : operation; left : poly; right : poly }

val same_operation : operation -> operation -> bool

val below : positive -> poly -> bool

val well_founded : entry list -> positive -> bool

val entry_at : entry list -> positive -> positive -> entry option

val find_entry :
  entry list -> positive -> operation -> poly -> poly -> positive option

type known = { is_equation : bool; form : poly }

type tree =
| Leaf
| Node of tree * known option * tree

val get : positive -> tree -> known option

val set : positive -> known -> tree -> tree

val difference : poly -> poly -> z option

val shows : tree -> positive -> poly -> bool

type step =
| Combine of (z * positive) list * positive
| Antisymmetry of positive * positive
| TimesPoly of positive * poly
| TimesFact of positive * positive
| QuotientBounds of positive * positive
| ExtremumBounds of positive
| ExtremumIs of positive * positive

val combine : tree -> (z * positive) list -> known option

val rounded : known -> positive -> known option

val negated : poly -> poly

val quotient_bounds :
  tree -> positive -> poly -> poly -> positive -> known list option

val do_step : entry list -> positive -> tree -> step -> known list option

type proof =
| Then of step * proof
| Split of poly * proof * proof
| Absurd of positive
| Done of nat * term list * positive list

type goal =
| AtLeast0 of poly
| Is0 of poly
| IsNot0 of poly

val meets : tree -> goal -> positive -> bool

val meets_all : tree -> goal list -> positive list -> bool

val set_all : positive -> known list -> tree -> positive * tree

val run :
  entry list -> positive -> (nat -> term list -> goal list option) ->
  positive -> tree -> proof -> bool

type evidence = { table : entry list; steps : proof }

val entry_of :
  entry list -> positive -> operation -> poly -> poly -> poly option

val quotient : entry list -> positive -> poly -> poly -> poly option

val poly_of :
  entry list -> positive -> (nat -> poly option) -> term -> poly option

val divisor :
  entry list -> positive -> (nat -> poly option) -> term -> bool -> goal list
  option

val obligations :
  entry list -> positive -> (nat -> poly option) -> term -> goal list option

val all_obligations :
  entry list -> positive -> (nat -> poly option) -> term list -> goal list
  option

val bounds :
  entry list -> positive -> (nat -> poly option) -> fact -> poly list option

val all_bounds :
  entry list -> positive -> (nat -> poly option) -> fact list -> poly list
  option

val own : nat -> nat -> poly option

val first_entry : nat -> positive

val facts_of : poly list -> known list

val equations : poly list -> poly list -> poly list option

val all_some : 'a1 option list -> 'a1 list option

val start : known list -> positive * tree

val check_proof :
  entry list -> positive -> (nat -> term list -> goal list option) -> known
  list -> proof -> bool

val witness : nat -> (nat -> poly option) -> poly list -> nat -> poly option

val inclusion_goals :
  nat -> imap -> imap list -> entry list -> nat -> term list -> goal list
  option

val check_within : nat -> imap -> imap list -> evidence -> bool

val check_all_within : nat -> imap list -> imap list -> evidence list -> bool

val both : imap -> nat

val second : imap -> nat -> poly option

val first : imap -> nat -> poly option

val injectivity_facts : entry list -> imap -> known list option

val own_variables : imap -> nat list

val injectivity_goals :
  entry list -> imap -> nat -> term list -> goal list option

val check_injective : imap -> evidence -> bool

val check_alike : nat -> nat -> imap list -> bool

val check : claim -> evidence list -> bool

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

val shape_of : node -> shape

val place : nat -> nat list -> nat

val is_in : nat -> nat list -> bool

val kept : nat list -> nat -> nat

val size_at : shape -> nat -> z

val each : shape -> (nat -> term) -> term list

type producer = { from : nat; at_ : term list; limit : z option }

type access = { map_of : imap; producers : producer list }

val reading_at :
  producer list -> shape -> shape -> fact list -> term list -> access

val reading : shape -> shape -> fact list -> term list -> access

val identity : shape -> access

val is_0 : term -> fact

val position : term -> shape -> nat -> term

val coordinates : term -> shape -> term list

val tap_position : window -> term -> term -> term

val window_at : window list -> nat -> window

val padding_at : shape -> shape -> z list -> z list -> nat -> access list

val contracted : shape -> nat list -> nat list -> nat -> nat -> term

val sizes_at : shape -> nat list -> z list

val convolved_input :
  shape -> shape -> window list -> labels -> labels -> z -> z -> access

val convolved_kernel :
  shape -> shape -> shape -> window list -> labels -> labels -> labels ->
  access

val starts :
  shape list -> (nat -> nat) -> nat -> shape -> shape -> producer list

val clamped : nat -> producer list -> fact list

val among : nat list -> nat -> nat list

val others : nat list -> nat -> nat list

val vector : indexing -> shape -> (nat -> term) -> term -> term list

val indexed_at : indexing -> (nat -> term) -> (nat -> term) -> nat -> term

val read_of :
  opcode -> shape list -> shape -> (nat -> nat) -> nat -> access list option

type program = node list

val shapes : node list -> nat list -> shape list

type reads_claim = { nodes : program; reader : nat; source : nat;
                     exact : bool; given : producer list; said : imap list }

val plain : nat -> term -> bool

val substitute : (nat -> term) -> term -> term

val left_variable : imap -> imap -> nat -> term

val right_variable : imap -> imap -> nat -> term

val substitute_fact : (nat -> term) -> fact -> fact

val substitute_producer : (nat -> term) -> producer -> producer

val compose : access -> access -> access

val well_formed : access -> bool

val plain_access : access -> bool

val most_paths : nat

val rank_at : shape list -> nat -> nat

val fits_operand : nat -> nat -> access -> bool

val fits_path : nat -> access -> bool

val through :
  (nat -> access list option) -> opcode -> shape -> shape list -> (nat ->
  nat) -> nat list -> nat -> access list option

val maps_at :
  node list -> nat -> nat -> node -> access list option list -> access list
  option

val maps_from :
  node list -> nat -> node list -> nat -> access list option list -> access
  list option list

val maps_of : node list -> nat -> nat -> access list option

val forgotten_variable : imap -> nat -> term

val forget : access -> imap

val term_eq_dec : term -> term -> bool

val producer_eq_dec : producer -> producer -> bool

val of_dims : nat -> nat -> term -> bool

val position_in : producer list -> producer -> nat option

val moved : nat -> imap -> nat -> term

val aligned : producer list -> nat -> access -> access option

val are_known : producer list -> nat -> bool

val is_nil : 'a1 list -> bool

val as_maps : reads_claim -> claim option

val check_reads : reads_claim -> evidence list -> bool
