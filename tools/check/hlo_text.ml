(* HLO instructions, read as nodes of a program and printed back.  What is not understood is an error: an attribute that
   is not listed, a tuple, a dynamic size. *)
open Checker
open Numbers

exception Error of string
let fail message = raise (Error message)

(* ---- Words: names, numbers, `1_1x2_2` and `b01f_01io->b01f` are one word each ---- *)
let is_word c = is_digit c || ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || String.contains "_.-%" c

let words text =
  let n = String.length text in
  let rec span i = if i < n && (is_word text.[i] || (text.[i] = '>' && text.[i - 1] = '-')) then span (i + 1) else i in
  let rec go i acc =
    if i >= n then List.rev acc
    else if text.[i] = ' ' then go (i + 1) acc
    else if i + 1 < n && text.[i] = '/' && text.[i + 1] = '*' then
      let rec close j = if j + 1 >= n then fail "a comment does not end" else if text.[j] = '*' && text.[j + 1] = '/' then j + 2 else close (j + 1) in
      go (close (i + 2)) acc
    else if text.[i] = '"' then
      let rec close j = if j >= n then fail "a string does not end" else if text.[j] = '\\' then close (j + 2) else if text.[j] = '"' then j + 1 else close (j + 1) in
      let j = min n (close (i + 1)) in
      go j (String.sub text i (j - i) :: acc)
    else if is_word text.[i] then
      let j = span i in
      go j (String.sub text i (j - i) :: acc)
    else go (i + 1) (String.make 1 text.[i] :: acc) in
  go 0 []

type input = { mutable left : string list }
let peek r = match r.left with w :: _ -> w | [] -> ""
let next r = let w = peek r in (match r.left with _ :: rest -> r.left <- rest | [] -> ()); w
let takes r w = if peek r = w then (ignore (next r); true) else false
let expect r w = if not (takes r w) then fail (Printf.sprintf "expected '%s', found '%s'" w (peek r))
let without_percent w = if w <> "" && w.[0] = '%' then String.sub w 1 (String.length w - 1) else w
let name r =
  let w = without_percent (next r) in
  if w = "" || not (String.for_all is_word w) then fail "expected a name";
  w

(* Up to the comma or parenthesis that ends it: words within brackets and braces belong to it. *)
let value r =
  let rec go depth acc =
    match peek r with
    | "" -> if depth > 0 then fail "a bracket does not end" else List.rev acc
    | "," | ")" when depth = 0 -> List.rev acc
    | ("{" | "[" | "(") as w -> ignore (next r); go (depth + 1) (w :: acc)
    | ("}" | "]" | ")") as w -> if depth = 0 then fail "a bracket too many"; ignore (next r); go (depth - 1) (w :: acc)
    | w -> ignore (next r); go depth (w :: acc) in
  go 0 []

let integer w = if is_number w && String.length w < 19 then int_of_string w else fail ("expected an integer, found '" ^ w ^ "'")
let most_dimensions = 1000
let number w = let n = integer w in if n < 0 || n > most_dimensions then fail ("expected the number of a dimension, found '" ^ w ^ "'") else n

(* ---- Types: f32[8,4]{1,0} ---- *)
type array_type = { element : string; sizes : int list }
(* A layout: which elements are read does not depend on it. *)
let skip_braces r =
  let rec go depth =
    match next r with
    | "" -> fail "a brace does not end"
    | "{" -> go (depth + 1)
    | "}" -> if depth > 1 then go (depth - 1)
    | _ -> go depth in
  go 0
let array_type r =
  let element = next r in
  if element = "" || not ('a' <= element.[0] && element.[0] <= 'z') then fail "expected the type of an array";
  expect r "[";
  let rec sizes acc =
    let s = integer (next r) in
    if s < 0 then fail "a negative size";
    if takes r "," then sizes (s :: acc) else (expect r "]"; List.rev (s :: acc)) in
  let sizes = if takes r "]" then [] else sizes [] in
  if peek r = "{" then skip_braces r;
  { element; sizes }

(* ---- Attributes ---- *)
(* Which elements are read does not depend on these. *)
let irrelevant =
  [ "metadata"; "backend_config"; "sharding"; "frontend_attributes"; "control-predecessors"; "operand_precision";
    "result_accuracy"; "statistics"; "algorithm"; "to_apply"; "indices_are_sorted"; "unique_indices"; "is_stable";
    "direction"; "type"; "exponent_bits"; "mantissa_bits"; "origin"; "original_value" ]

let attributes r =
  let rec go acc =
    if peek r = "" then List.rev acc
    else (
      expect r ",";
      let key = next r in
      expect r "=";
      let v = value r in
      if List.mem_assoc key acc then fail ("attribute " ^ key ^ " is given twice");
      go (if List.mem key irrelevant then acc else (key, v) :: acc)) in
  go []

(* {0,1} as numbers *)
let list_of item = function
  | "{" :: rest ->
      let rec go acc = function
        | [ "}" ] -> List.rev acc
        | "," :: w :: rest when acc <> [] -> go (item w :: acc) rest
        | w :: rest when acc = [] -> go [ item w ] rest
        | _ -> fail "expected a list as {0,1}" in
      go [] rest
  | _ -> fail "expected a list as {0,1}"
let split c w = String.split_on_char c w
(* `1x2x3`, and pairs `0_1x2_3` of two or three numbers. *)
let per_dimension w = split 'x' w
let numbers w = List.map integer (split '_' w)

(* ---- Opcodes ---- *)
let elementwise =
  [ "abs"; "acos"; "acosh"; "asin"; "asinh"; "atanh"; "cbrt"; "ceil"; "convert"; "copy"; "cosh"; "cosine";
    "count-leading-zeros"; "erf"; "exponential"; "exponential-minus-one"; "floor"; "imag"; "is-finite"; "log";
    "log-plus-one"; "logistic"; "negate"; "not"; "popcnt"; "real"; "reduce-precision"; "round-nearest-afz";
    "round-nearest-even"; "rsqrt"; "sign"; "sine"; "sinh"; "sqrt"; "tan"; "tanh"; "add"; "and"; "atan2"; "compare";
    "complex"; "divide"; "maximum"; "minimum"; "multiply"; "or"; "power"; "remainder"; "shift-left";
    "shift-right-arithmetic"; "shift-right-logical"; "stochastic-convert"; "subtract"; "xor"; "clamp"; "select" ]

let int_of_z z = int_of_string (decimal_of z)
let nats = List.map nat_of
let zs = List.map z_of

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

(* Does the window give a result of this size? *)
let check_window ws pads input out =
  List.iteri (fun i w ->
      let n f = int_of_string (decimal_of f) in
      let low, high = List.nth pads i in
      let dilated = if List.nth input i = 0 then 0 else ((List.nth input i - 1) * n w.base) + 1 in
      let left = low + dilated + high - (((n w.taps - 1) * n w.dilation) + 1) in
      if n w.stride < 1 || n w.taps < 1 || n w.base < 1 || n w.dilation < 1 then fail "window: sizes, strides and dilations are positive";
      if List.nth out i <> (if left < 0 then 0 else (left / n w.stride) + 1) then fail "window: the result has another size") ws

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
  let product l = List.fold_left (fun a b -> a * b) 1 l in
  let at l d = List.nth l (int_of_nat d) in
  let fits =
    match op with
    | Elementwise -> List.for_all (fun (t : array_type) -> t.sizes = out.sizes || t.sizes = []) types
    | Broadcast l -> List.for_all2 (fun d n -> at out.sizes d = n) l (sizes 0)
    | Transpose l -> List.for_all2 (fun d n -> at (sizes 0) d = n) l out.sizes
    | Reverse _ -> sizes 0 = out.sizes
    | Reshape -> product (sizes 0) = product out.sizes
    | Slice (starts, strides) ->
        List.length (sizes 0) = rank
        && List.for_all2 (fun n (size, (a, c)) -> size = 0 || a + ((size - 1) * c) < n) (sizes 0)
             (List.combine out.sizes (List.combine (List.map int_of_z starts) (List.map int_of_z strides)))
    | DynamicSlice -> List.length (sizes 0) = rank && List.for_all2 (fun n m -> m <= n) (sizes 0) out.sizes
    | Concatenate d ->
        List.for_all (fun (t : array_type) -> List.length t.sizes = rank) types
        && List.fold_left (fun a (t : array_type) -> a + at t.sizes d) 0 types = at out.sizes d
    | DynamicUpdateSlice -> sizes 0 = out.sizes && List.length (sizes 1) = rank
    | _ -> true in
  if not fits then fail (text ^ ": the sizes do not fit");
  List.iter (fun (key, _) -> if not (List.mem key !used) then fail ("unknown attribute " ^ key ^ " of " ^ text)) attributes;
  op

(* ---- Printing back ---- *)
(* The attributes as text, from what was read. *)
let printed op (types : array_type list) (out : array_type) =
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
  | ReduceWindow ws -> window ws
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
  let back = printed op types out in
  if normal written <> normal (List.map (fun (k, v) -> (k, words v)) back) then
    fail (text ^ " was read as " ^ String.concat ", " (List.map (fun (k, v) -> k ^ "=" ^ v) back))

(* ---- Lines ---- *)
type line = { text : string; defines : string; declared : array_type; shown : string }
type program = { mutable lines : line list (* last first *); mutable nodes : node list (* last first *); numbers : (string, int) Hashtbl.t }
let empty () = { lines = []; nodes = []; numbers = Hashtbl.create 16 }
let most_nodes = 5000

let add p line node =
  let k = List.length p.nodes in
  if k >= most_nodes then fail "too many instructions";
  if Hashtbl.mem p.numbers line.defines then fail ("'" ^ line.defines ^ "' is defined twice");
  Hashtbl.replace p.numbers line.defines k;
  p.lines <- line :: p.lines;
  p.nodes <- node :: p.nodes

let start text =
  let r = { left = words text } in
  ignore (takes r "ROOT");
  let defines = name r in
  expect r "=";
  let declared = array_type r in
  (r, { text; defines; declared; shown = "" })

(* An instruction of which only the name and the type count. *)
let type_text t = t.element ^ "[" ^ String.concat "," (List.map string_of_int t.sizes) ^ "]"
let add_array p text =
  let _, line = start text in
  add p { line with shown = line.defines ^ " = " ^ type_text line.declared } (Array (zs line.declared.sizes))

let find p n = match Hashtbl.find_opt p.numbers n with Some k -> k | None -> fail ("there is no instruction '" ^ n ^ "' before")
let line_at p k = List.nth p.lines (List.length p.lines - 1 - k)

let add_instruction p text =
  let r, line = start text in
  let opcode_text = next r in
  expect r "(";
  let operand () =
    let given = match r.left with _ :: "[" :: _ -> Some (array_type r) | _ -> None in
    let k = find p (name r) in
    (match given with
     | Some t when t.sizes <> (line_at p k).declared.sizes -> fail "the type of an operand is not that of its instruction"
     | _ -> ());
    k in
  let rec operands acc = let k = operand () in if takes r "," then operands (k :: acc) else (expect r ")"; List.rev (k :: acc)) in
  let operands = operands [] in
  let types = List.map (fun k -> (line_at p k).declared) operands in
  let written = attributes r in
  let op = opcode opcode_text written types line.declared in
  compare_back opcode_text written op types line.declared;
  let names = List.map (fun k -> (line_at p k).defines) operands in
  let attributes = List.map (fun (key, v) -> ", " ^ key ^ "=" ^ v) (printed op types line.declared) in
  let shown =
    Printf.sprintf "%s = %s %s(%s)%s" line.defines (type_text line.declared) opcode_text (String.concat ", " names)
      (String.concat "" attributes) in
  add p { line with shown } (Result (op, nats operands, zs line.declared.sizes))

let nodes p = List.rev p.nodes
let print p = String.concat "" (List.rev_map (fun l -> "    " ^ l.shown ^ "\n") p.lines)

(* ---- The file that the lines are of ---- *)
(* The instructions of each computation, each as one line: what stands between the brace that opens a computation and the
   one that closes it. Strings and comments are taken whole. A line break in one of them stays, so that no line of a certificate,
   which has none, is a part of it. *)
let computations text =
  let n = String.length text and line = Buffer.create 256 in
  let at i = if i < n then text.[i] else '\000' in
  let rec string_end i =
    if i >= n then fail "a string does not end"
    else match text.[i] with '"' -> i + 1 | '\\' -> string_end (i + 2) | _ -> string_end (i + 1) in
  let rec comment_end i =
    if i + 1 >= n then fail "a comment does not end" else if text.[i] = '*' && text.[i + 1] = '/' then i + 2 else comment_end (i + 1) in
  let rec line_end i = if i >= n || text.[i] = '\n' then i else line_end (i + 1) in
  let take i until = Buffer.add_substring line text i (min until n - i) in
  let so_far () = String.trim (Buffer.contents line) in
  (* The instruction ends, in the table of its computation. *)
  let ends current =
    let l = so_far () in
    if l <> "" then Option.iter (fun table -> Hashtbl.replace table l ()) current;
    Buffer.clear line in
  (* `HloModule m, frontend_attributes={...}` opens none, and `f32[2]{0}` is a layout. *)
  let opens i = (i = 0 || text.[i - 1] <> ']') && not (String.starts_with ~prefix:"HloModule" (so_far ())) in
  let rec go i depth current all =
    let bracket change = take i (i + 1); go (i + 1) (depth + change) current all in
    let whole until = take i until; go (min until n) depth current all in
    if i >= n then if current = None && depth = 0 then all else fail "a brace does not end"
    else match text.[i], depth with
      | '"', _ -> whole (string_end (i + 1))
      | '/', _ when at (i + 1) = '*' -> whole (comment_end (i + 2))
      | '/', _ when at (i + 1) = '/' -> whole (line_end i)
      | '\n', 0 when not (String.ends_with ~suffix:"," (so_far ())) -> ends current; go (i + 1) 0 current all
      | '\n', _ ->
          let before = so_far () in
          Buffer.clear line;
          Buffer.add_string line (before ^ " ");
          let rec next i = if at i = ' ' || at i = '\t' || at i = '\r' then next (i + 1) else i in
          go (next (i + 1)) depth current all
      | '{', 0 when current = None && opens i -> Buffer.clear line; go (i + 1) 0 (Some (Hashtbl.create 64)) all
      | '}', 0 when current <> None -> ends current; go (i + 1) 0 None (Option.get current :: all)
      | ('{' | '(' | '['), _ -> bracket 1
      | ('}' | ')' | ']'), 0 -> fail "a bracket too many"
      | ('}' | ')' | ']'), _ -> bracket (-1)
      | _ -> whole (i + 1) in
  go 0 0 None []
(* Are all lines of the program lines of one computation? *)
let is_of computations p = List.exists (fun c -> List.for_all (fun l -> Hashtbl.mem c l.text) p.lines) computations
