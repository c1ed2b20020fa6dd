(* The opcodes of HLO and their attributes, read and printed back.  Sizes that XLA would refuse are errors. *)
open Checker
open Numbers
open Hlo_words

let elementwise =
  [ "abs"; "acos"; "acosh"; "asin"; "asinh"; "atanh"; "cbrt"; "ceil"; "convert"; "copy"; "cosh"; "cosine";
    "count-leading-zeros"; "erf"; "exponential"; "exponential-minus-one"; "floor"; "imag"; "is-finite"; "log";
    "log-plus-one"; "logistic"; "negate"; "not"; "popcnt"; "real"; "reduce-precision"; "round-nearest-afz";
    "round-nearest-even"; "rsqrt"; "sign"; "sine"; "sinh"; "sqrt"; "tan"; "tanh"; "add"; "and"; "atan2"; "compare";
    "complex"; "divide"; "maximum"; "minimum"; "multiply"; "or"; "power"; "remainder"; "shift-left";
    "shift-right-arithmetic"; "shift-right-logical"; "stochastic-convert"; "subtract"; "xor"; "clamp"; "select" ]

let window_of fields n =
  let field key default item =
    match List.assoc_opt key fields with
    | None -> List.init n (fun _ -> default)
    | Some w -> let l = List.map item (per_dimension w) in
        if List.length l <> n then fail ("window: " ^ key ^ " needs one entry for each dimension") else l in
  let pad = field "pad" (0, 0) (fun w -> match numbers w with [ a; b ] -> (a, b) | _ -> fail "window: expected a padding as 0_0") in
  let at l i = List.nth l i in
  let taps = field "size" 1 integer and stride = field "stride" 1 integer in
  let dilation = field "rhs_dilate" 1 integer and base = field "lhs_dilate" 1 integer in
  let reversal = field "rhs_reversal" 0 integer in
  List.init n (fun i -> at pad i),
  List.init n (fun i ->
      { taps = z_of (at taps i); stride = z_of (at stride i); dilation = z_of (at dilation i); low = z_of (fst (at pad i));
        base = z_of (at base i);
        reversed = (match at reversal i with 0 -> false | 1 -> true | _ -> fail "window: a reversal is 0 or 1") })

(* Sizes that are multiplied or summed up may have more than 62 bits: they are numbers of the checker. *)
let sum = List.fold_left Z.add Z0
let at_least_0 z = if Z.ltb z Z0 then Z0 else z
(* The size of n elements that lie so far apart. *)
let spread n apart = if n = 0 then Z0 else sum [ Z.mul (z_of (n - 1)) apart; z_of 1 ]

(* Does the window give a result of this size? *)
let check_window ws pads input out =
  List.iteri (fun i w ->
      let low, high = List.nth pads i in
      let reach = sum [ Z.mul (Z.sub w.taps (z_of 1)) w.dilation; z_of 1 ] in
      let left = Z.sub (sum [ z_of low; spread (List.nth input i) w.base; z_of high ]) reach in
      if List.exists (fun z -> Z.ltb z (z_of 1)) [ w.stride; w.taps; w.base; w.dilation ] then fail "window: sizes, strides and dilations are positive";
      if z_of (List.nth out i) <> (if Z.ltb left Z0 then Z0 else Z.add (Z.div left w.stride) (z_of 1)) then fail "window: the result has another size") ws

let window_fields = function
  | "{" :: rest ->
      let rec go acc = function
        | [ "}" ] -> acc
        | key :: "=" :: w :: rest ->
            if not (List.mem key [ "size"; "stride"; "pad"; "lhs_dilate"; "rhs_dilate"; "rhs_reversal" ]) then fail ("window: unknown " ^ key);
            if List.mem_assoc key acc then fail ("window: " ^ key ^ " is given twice");
            go ((key, w) :: acc) rest
        | _ -> fail "expected a window as {size=2x2 stride=2x2}" in
      go [] rest
  | _ -> fail "expected a window as {size=2x2 stride=2x2}"

(* b01f: where each of the characters stands. *)
let labels_of text major minor =
  let n = String.length text in
  let find c = match String.index_opt text c with Some i when not (String.contains_from text (i + 1) c) -> i | _ -> fail "dim_labels: expected each label once" in
  if n < 2 || n > 12 then fail "dim_labels: expected as b01f";
  { major = nat_of (find major); minor = nat_of (find minor);
    spatial = List.init (n - 2) (fun i -> nat_of (find (Char.chr (48 + i)))) }

(* Reads all elements along these dimensions, as a dot does of its left operand. *)
let all_along dims = Dot ([], [], nats dims, [])

let bits t =
  match t.element with
  | "pred" | "s8" | "u8" -> 8
  | "s16" | "u16" | "f16" | "bf16" -> 16
  | "s32" | "u32" | "f32" -> 32
  | "s64" | "u64" | "f64" | "c64" -> 64
  | "c128" -> 128
  | e -> fail ("how many bits '" ^ e ^ "' has is not stated")

(* The sizes of the dimensions that are not in l. *)
let without l sizes = List.filteri (fun d _ -> not (List.mem d l)) sizes

(* Do the dimensions of a gather fit its operand, its indices and its result?  A scatter has its updates for the result. *)
let indexes i operand indices result =
  let ints = List.map int_of_nat in
  let all_in n l = List.for_all (fun d -> d < n) l and once l = List.length (List.sort_uniq compare l) = List.length l in
  let windows = ints i.windows_at and missing = ints i.without_window @ ints i.batching and indexed = ints i.indexed in
  let paired = ints i.indices_batching and vector = int_of_nat i.vector_at in
  let rank = List.length indices in
  let components = if vector < rank then List.nth indices vector else 1 in
  all_in (List.length operand) (missing @ indexed) && once missing && once indexed
  && all_in (List.length result) windows && List.sort_uniq compare windows = windows
  && all_in rank paired && once paired && vector <= rank && not (List.mem vector paired)
  && List.length indexed = components
  && List.length windows = List.length operand - List.length missing
  && without windows result = without [ vector ] indices
  && List.map (List.nth operand) (ints i.batching) = List.map (List.nth indices) paired

(* The opcode; `types` of the operands, `out` of the result. *)
let opcode text attributes (types : array_type list) (out : array_type) =
  let used = ref [] in
  let find key = used := key :: !used; List.assoc_opt key attributes in
  let required key = match find key with Some v -> v | None -> fail (text ^ " needs " ^ key) in
  let word key = function [ w ] -> w | _ -> fail (key ^ ": expected one word") in
  let dims key = match find key with Some v -> list_of number v | None -> [] in
  let needed key = list_of number (required key) in
  let rank = List.length out.sizes in
  let sizes k = match List.nth_opt types k with Some t -> t.sizes | None -> fail (text ^ ": too few operands") in
  let count n = if List.length types <> n then fail (Printf.sprintf "%s has %d operands" text n) in
  let all_in n l = List.iter (fun d -> if d >= n then fail (text ^ ": there is no such dimension")) l; l in
  let once l = if List.length (List.sort_uniq compare l) < List.length l then fail (text ^ ": a dimension is given twice"); l in
  let op =
    if List.mem text elementwise then Elementwise
    else
      match text with
      | "map" -> ignore (dims "dimensions"); Elementwise
      | "broadcast" -> count 1; let l = dims "dimensions" in
          if List.length l <> List.length (sizes 0) then fail "broadcast needs a dimension for each of its operand";
          Broadcast (nats (once (all_in rank l)))
      | "transpose" -> count 1; let l = once (all_in rank (needed "dimensions")) in
          if List.length l <> rank || List.length (sizes 0) <> rank then fail "transpose needs each dimension";
          Transpose (nats l)
      | "reverse" -> count 1; Reverse (nats (once (all_in rank (needed "dimensions"))))
      | "reshape" -> count 1; Reshape
      | "bitcast" ->
          count 1;
          let t = List.hd types in
          if not (t.row_major && out.row_major && bits t = bits out) then fail "no meaning of 'bitcast' is stated for these layouts or types";
          Reshape
      | "bitcast-convert" ->
          count 1;
          let t = List.hd types in
          if bits t = bits out then Elementwise
          else if out.sizes = t.sizes @ [ bits t / bits out ] && bits t mod bits out = 0 then
            Broadcast (nats (List.init (List.length t.sizes) Fun.id))
          else if t.sizes = out.sizes @ [ bits out / bits t ] && bits out mod bits t = 0 then all_along [ List.length out.sizes ]
          else fail "bitcast-convert: the sizes do not fit"
      | "rng-bit-generator" -> count 1; all_along (List.init (List.length (sizes 0)) Fun.id)
      | "topk" ->
          count 1;
          let last = List.length (sizes 0) - 1 in
          let k = integer (word "k" (required "k")) in
          if last < 0 || out.sizes <> List.mapi (fun d n -> if d = last then k else n) (sizes 0) || k > List.nth (sizes 0) last then
            fail "topk: the sizes do not fit";
          Sort (nat_of last)
      | "slice" ->
          count 1;
          let rec ranges = function
            | [ "}" ] -> []
            | "," :: rest -> ranges rest
            | "[" :: a :: ":" :: b :: "]" :: rest -> (integer a, integer b, 1) :: ranges rest
            | "[" :: a :: ":" :: b :: ":" :: c :: "]" :: rest -> (integer a, integer b, integer c) :: ranges rest
            | _ -> fail "expected a slice as {[0:4], [2:8:2]}" in
          let l = match required "slice" with "{" :: rest -> ranges rest | _ -> fail "expected a slice as {[0:4], [2:8:2]}" in
          if List.length l <> rank then fail "slice needs a range for each dimension";
          List.iter2 (fun (a, b, c) size -> if a < 0 || c < 1 || size <> max 0 ((b - a + c - 1) / c) then fail "slice: a range and a size differ") l out.sizes;
          Slice (zs (List.map (fun (a, _, _) -> a) l), zs (List.map (fun (_, _, c) -> c) l))
      | "pad" ->
          count 2;
          let l = List.map numbers (per_dimension (word "padding" (required "padding"))) in
          if List.length l <> rank then fail "pad needs a padding for each dimension";
          let l = List.map (function [ a; b ] -> (a, b, 0) | [ a; b; c ] when c >= 0 -> (a, b, c) | _ -> fail "expected a padding as 0_1 or 0_1_2") l in
          let pick f = zs (List.map f l) in
          Pad (pick (fun (a, _, _) -> a), pick (fun (_, b, _) -> b), pick (fun (_, _, c) -> c))
      | "concatenate" -> (match all_in rank (needed "dimensions") with [ d ] -> Concatenate (nat_of d) | _ -> fail "concatenate has one dimension")
      | "reduce" -> Reduce (nats (once (all_in (List.length (sizes 0)) (needed "dimensions"))))
      | "reduce-window" -> let pads, ws = window_of (window_fields (required "window")) rank in
          if List.length (sizes 0) <> rank then fail "reduce-window keeps the number of dimensions";
          check_window ws pads (sizes 0) out.sizes;
          ReduceWindow ws
      | "select-and-scatter" ->
          count 3;
          let pads, ws = window_of (window_fields (required "window")) rank in
          if List.length (sizes 0) <> rank || List.length (sizes 1) <> rank then fail "select-and-scatter keeps the number of dimensions";
          if List.exists (fun w -> decimal_of w.base <> "1" || w.reversed) ws then fail "select-and-scatter: the window is dilated";
          check_window ws pads (sizes 0) (sizes 1);
          SelectAndScatter ws
      | "dot" ->
          count 2;
          let lb = dims "lhs_batch_dims" and rb = dims "rhs_batch_dims" in
          let lc = dims "lhs_contracting_dims" and rc = dims "rhs_contracting_dims" in
          ignore (once (all_in (List.length (sizes 0)) (lb @ lc)));
          ignore (once (all_in (List.length (sizes 1)) (rb @ rc)));
          Dot (nats lb, nats rb, nats lc, nats rc)
      | "convolution" ->
          count 2;
          let i, k, o =
            match split '_' (word "dim_labels" (required "dim_labels")) with
            | [ i; ko ] -> (match String.index_opt ko '-' with
                | Some at when at + 1 < String.length ko && ko.[at + 1] = '>' -> (i, String.sub ko 0 at, String.sub ko (at + 2) (String.length ko - at - 2))
                | _ -> fail "dim_labels: expected as b01f_01io->b01f")
            | _ -> fail "dim_labels: expected as b01f_01io->b01f" in
          let n = String.length i - 2 in
          if String.length k <> n + 2 || String.length o <> n + 2 || rank <> n + 2 then fail "dim_labels: expected a label for each dimension";
          let fields = match find "window" with Some v -> window_fields v | None -> [] in
          let group key = match find key with Some [ w ] -> let g = integer w in if g < 1 then fail (key ^ ": expected at least 1") else g | Some _ -> fail key | None -> 1 in
          let pads, ws = window_of fields n in
          let i = labels_of i 'b' 'f' and k = labels_of k 'i' 'o' and o = labels_of o 'b' 'f' in
          let at l s = List.map (fun d -> List.nth s (int_of_nat d)) l.spatial in
          if List.length (sizes 0) <> rank || List.length (sizes 1) <> rank then fail "dim_labels: expected a label for each dimension";
          if at k (sizes 1) <> List.map (fun w -> int_of_string (decimal_of w.taps)) ws then fail "window: the kernel has another size";
          check_window ws pads (at i (sizes 0)) (at o out.sizes);
          Convolution (ws, i, k, o,
            z_of (group "feature_group_count"), z_of (group "batch_group_count"))
      | "sort" -> (match all_in rank (needed "dimensions") with [ d ] -> Sort (nat_of d) | _ -> fail "sort has one dimension")
      | "dynamic-slice" ->
          if List.map z_of (list_of integer (required "dynamic_slice_sizes")) <> zs out.sizes then fail "dynamic-slice: the sizes and the result differ";
          DynamicSlice
      | "dynamic-update-slice" -> DynamicUpdateSlice
      | "gather" ->
          count 2;
          let slice_sizes = list_of integer (required "slice_sizes") in
          if List.length slice_sizes <> List.length (sizes 0) then fail "gather needs a slice size for each dimension";
          Gather ({ windows_at = nats (dims "offset_dims"); without_window = nats (dims "collapsed_slice_dims");
              indexed = nats (dims "start_index_map"); vector_at = nat_of (number (word "index_vector_dim" (required "index_vector_dim")));
              batching = nats (dims "operand_batching_dims"); indices_batching = nats (dims "start_indices_batching_dims") }, zs slice_sizes)
      | "scatter" ->
          Scatter { windows_at = nats (dims "update_window_dims"); without_window = nats (dims "inserted_window_dims");
            indexed = nats (dims "scatter_dims_to_operand_dims"); vector_at = nat_of (number (word "index_vector_dim" (required "index_vector_dim")));
            batching = nats (dims "input_batching_dims"); indices_batching = nats (dims "scatter_indices_batching_dims") }
      | _ -> fail ("no meaning of '" ^ text ^ "' is stated") in
  (* The sizes are those that XLA demands. *)
  let product l =
    if List.mem 0 l then 0
    else List.fold_left (fun a b -> if a > max_int / b then fail (text ^ ": an array of too many elements") else a * b) 1 l in
  let at l d = List.nth l (int_of_nat d) in
  let are_arrays_and_scalars array =
    let n = List.length types in
    n mod 2 = 0 && List.for_all (fun k -> sizes k = if k < n / 2 then array else []) (List.init n Fun.id) in
  let are_starts first =
    let n = List.length types in
    (n = first + 1 && sizes first = [ rank ])
    || (n = first + rank && List.for_all (fun k -> sizes (first + k) = []) (List.init rank Fun.id)) in
  let fits =
    match op with
    | Elementwise ->
        let may_be_scalar k = (text = "select" && k = 0) || (text = "clamp" && k <> 1) in
        List.for_all (fun x -> x) (List.mapi (fun k (t : array_type) -> t.sizes = out.sizes || (t.sizes = [] && may_be_scalar k)) types)
    | Broadcast l -> List.for_all2 (fun d n -> at out.sizes d = n) l (sizes 0)
    | Transpose l -> List.for_all2 (fun d n -> at (sizes 0) d = n) l out.sizes
    | Reverse _ -> sizes 0 = out.sizes
    | Reshape -> product (sizes 0) = product out.sizes
    | Slice (starts, strides) ->
        List.length (sizes 0) = rank
        && List.for_all2 (fun n (size, (a, c)) -> size = 0 || a + ((size - 1) * c) < n) (sizes 0)
             (List.combine out.sizes (List.combine (List.map int_of_z starts) (List.map int_of_z strides)))
    | DynamicSlice ->
        List.length (sizes 0) = rank && List.for_all2 (fun n m -> m <= n) (sizes 0) out.sizes && are_starts 1
    | Concatenate d ->
        List.for_all
          (fun (t : array_type) ->
            List.length t.sizes = rank && without [ int_of_nat d ] t.sizes = without [ int_of_nat d ] out.sizes)
          types
        && sum (List.map (fun (t : array_type) -> z_of (at t.sizes d)) types) = z_of (at out.sizes d)
    | DynamicUpdateSlice ->
        sizes 0 = out.sizes && List.length (sizes 1) = rank && List.for_all2 (fun n m -> m <= n) out.sizes (sizes 1) && are_starts 2
    | Pad (low, high, interior) ->
        List.length (sizes 0) = rank && sizes 1 = []
        && List.for_all2 (fun (n, size) (low, (high, interior)) ->
               at_least_0 (sum [ low; high; spread n (Z.add interior (z_of 1)) ]) = z_of size)
             (List.combine (sizes 0) out.sizes)
             (List.combine low (List.combine high interior))
    | Reduce l -> are_arrays_and_scalars (sizes 0) && without (List.map int_of_nat l) (sizes 0) = out.sizes
    | ReduceWindow _ -> are_arrays_and_scalars (sizes 0)
    | SelectAndScatter _ -> sizes 0 = out.sizes && sizes 2 = []
    | Conditional _ -> false
    | Dot _ when text <> "dot" -> true
    | Dot (lb, rb, lc, rc) ->
        let ints = List.map int_of_nat in
        let both a b = List.length a = List.length b && List.for_all2 (fun i j -> at (sizes 0) i = at (sizes 1) j) a b in
        both lb rb && both lc rc
        && out.sizes = List.map (at (sizes 0)) lb @ without (ints (lb @ lc)) (sizes 0) @ without (ints (rb @ rc)) (sizes 1)
    | Convolution (_, i, k, o, fg, bg) ->
        let times n groups = Z.mul (z_of n) groups in
        let features = at out.sizes o.minor in
        features mod int_of_z fg = 0 && features mod int_of_z bg = 0 && at (sizes 1) k.minor = features
        && z_of (at (sizes 0) i.minor) = times (at (sizes 1) k.major) fg && z_of (at (sizes 0) i.major) = times (at out.sizes o.major) bg
    | Sort _ when text = "topk" -> true
    | Sort _ -> List.for_all (fun (t : array_type) -> t.sizes = out.sizes) types
    | Gather (i, slice) ->
        let slice = List.map int_of_z slice in
        indexes i (sizes 0) (sizes 1) out.sizes
        && List.for_all2 (fun n m -> 0 <= m && m <= n) (sizes 0) slice
        && List.for_all (fun d -> at slice d <= 1) (i.without_window @ i.batching)
        && without (List.map int_of_nat (i.without_window @ i.batching)) slice = List.map (at out.sizes) i.windows_at
    | Scatter i ->
        let arrays = List.length types / 2 in
        List.length types = (2 * arrays) + 1
        && List.for_all (fun k -> sizes k = out.sizes && sizes (arrays + 1 + k) = sizes (arrays + 1)) (List.init arrays Fun.id)
        && indexes i out.sizes (sizes arrays) (sizes (arrays + 1))
        && List.for_all2 (fun n m -> m <= n)
             (without (List.map int_of_nat (i.without_window @ i.batching)) out.sizes)
             (List.map (at (sizes (arrays + 1))) i.windows_at) in
  if not fits then fail (text ^ ": the sizes do not fit");
  List.iter (fun (key, _) -> if not (List.mem key !used) then fail ("unknown attribute " ^ key ^ " of " ^ text)) attributes;
  op

(* ---- Printing back ---- *)
(* The attributes as text, from what was read. *)
let printed text op (types : array_type list) (out : array_type) =
  let list l = "{" ^ String.concat "," (List.map string_of_int l) ^ "}" in
  let dims key l = [ (key, list (List.map int_of_nat l)) ] in
  let some key l = if l = [] then [] else dims key l in
  let by_x f l = String.concat "x" (List.map f l) in
  let window ws =
    let field key f default =
      if List.for_all (fun w -> f w = default) ws then "" else key ^ "=" ^ by_x f ws ^ " " in
    let z f w = decimal_of (f w) in
    [ ("window", "{" ^ field "size" (z (fun w -> w.taps)) "1" ^ field "stride" (z (fun w -> w.stride)) "1"
        ^ field "pad" (z (fun w -> w.low)) "0" ^ field "lhs_dilate" (z (fun w -> w.base)) "1"
        ^ field "rhs_dilate" (z (fun w -> w.dilation)) "1"
        ^ field "rhs_reversal" (fun w -> if w.reversed then "1" else "0") "0" ^ "}") ] in
  let labels major minor l =
    String.init (List.length l.spatial + 2) (fun at ->
      if at = int_of_nat l.major then major
      else if at = int_of_nat l.minor then minor
      else
        let rec find k = function n :: rest -> if int_of_nat n = at then Char.chr (48 + k) else find (k + 1) rest | [] -> '?' in
        find 0 l.spatial) in
  let group key g = if decimal_of g = "1" then [] else [ (key, decimal_of g) ] in
  let indexing names i =
    match names with
    | [ a; b; c; d; e ] ->
        some a i.windows_at @ some b i.without_window @ some c i.indexed @ some d i.batching @ some e i.indices_batching
        @ [ ("index_vector_dim", string_of_int (int_of_nat i.vector_at)) ]
    | _ -> [] in
  match op with
  | _ when text = "bitcast-convert" || text = "rng-bit-generator" -> []
  | _ when text = "topk" -> [ ("k", string_of_int (List.nth out.sizes (List.length out.sizes - 1))) ]
  | Elementwise | Reshape | DynamicUpdateSlice -> []
  | Broadcast l | Transpose l | Reverse l | Reduce l -> some "dimensions" l
  | Concatenate d | Sort d -> dims "dimensions" [ d ]
  | Slice (starts, strides) ->
      let range start stride size =
        let a = int_of_z start and c = int_of_z stride in
        Printf.sprintf "[%d:%d:%d]" a (if size = 0 then a else a + ((size - 1) * c) + 1) c in
      let rec go a b c = match a, b, c with x :: a, y :: b, z :: c -> range x y z :: go a b c | _ -> [] in
      [ ("slice", "{" ^ String.concat "," (go starts strides out.sizes) ^ "}") ]
  | Pad (low, high, interior) ->
      let rec go a b c = match a, b, c with
        | x :: a, y :: b, z :: c -> String.concat "_" (List.map decimal_of [ x; y; z ]) :: go a b c
        | _ -> [] in
      [ ("padding", String.concat "x" (go low high interior)) ]
  | ReduceWindow ws | SelectAndScatter ws -> window ws
  | Conditional _ -> []
  | Dot (lb, rb, lc, rc) ->
      some "lhs_batch_dims" lb @ some "rhs_batch_dims" rb @ some "lhs_contracting_dims" lc @ some "rhs_contracting_dims" rc
  | Convolution (ws, i, k, o, fg, bg) ->
      (if ws = [] then [] else window ws)
      @ [ ("dim_labels", labels 'b' 'f' i ^ "_" ^ labels 'i' 'o' k ^ "->" ^ labels 'b' 'f' o) ]
      @ group "feature_group_count" fg @ group "batch_group_count" bg
  | DynamicSlice -> [ ("dynamic_slice_sizes", list out.sizes) ]
  | Gather (i, sizes) ->
      indexing [ "offset_dims"; "collapsed_slice_dims"; "start_index_map"; "operand_batching_dims"; "start_indices_batching_dims" ] i
      @ [ ("slice_sizes", list (List.map int_of_z sizes)) ]
  | Scatter i ->
      indexing [ "update_window_dims"; "inserted_window_dims"; "scatter_dims_to_operand_dims"; "input_batching_dims"; "scatter_indices_batching_dims" ] i

(* The words of an attribute as it was written, in the one spelling that `printed` has: every stride and interior padding,
   no empty lists and defaults.  The upper ends of slices and the high padding of windows follow from the size of the
   result, which was compared. *)
let one_spelling (key, words) =
  let all_are d w = List.for_all (fun x -> x = d) (per_dimension w) in
  match key, words with
  | "slice", _ ->
      let rec go = function
        | "[" :: a :: ":" :: _ :: "]" :: rest -> "[" :: a :: ":" :: "end" :: ":" :: "1" :: "]" :: go rest
        | "[" :: a :: ":" :: _ :: ":" :: c :: "]" :: rest -> "[" :: a :: ":" :: "end" :: ":" :: c :: "]" :: go rest
        | w :: rest -> w :: go rest
        | [] -> [] in
      Some (key, go words)
  | "padding", [ w ] ->
      let three d = match split '_' d with [ a; b ] -> String.concat "_" [ a; b; "0" ] | _ -> d in
      Some (key, [ String.concat "x" (List.map three (per_dimension w)) ])
  | "window", _ ->
      let low d = match split '_' d with a :: _ -> a | [] -> d in
      let default = function "pad" | "rhs_reversal" -> "0" | _ -> "1" in
      let rec fields = function
        | key :: "=" :: w :: rest ->
            let w = if key = "pad" then String.concat "x" (List.map low (per_dimension w)) else w in
            if all_are (default key) w then fields rest else (key, w) :: fields rest
        | _ :: rest -> fields rest
        | [] -> [] in
      Some (key, List.concat_map (fun (k, w) -> [ k; "="; w ]) (List.sort compare (fields words)))
  | ("feature_group_count" | "batch_group_count"), [ "1" ] -> None
  | _, [ "{"; "}" ] when key <> "dynamic_slice_sizes" && key <> "slice_sizes" && key <> "window" -> None
  | _ -> Some (key, words)

let compare_back text written op types out =
  let written = if text = "map" then List.remove_assoc "dimensions" written else written in
  let normal l = List.sort compare (List.filter_map one_spelling l) in
  let back = printed text op types out in
  if normal written <> normal (List.map (fun (k, v) -> (k, words v)) back) then
    fail (text ^ " was read as " ^ String.concat ", " (List.map (fun (k, v) -> k ^ "=" ^ v) back))
