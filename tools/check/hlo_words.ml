(* The words of HLO instructions: names, types, attributes as they are written.  What is not understood is an error: an
   attribute that is not listed, a dynamic size. *)
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

(* ---- Types: f32[8,4]{1,0}, or (f32[2], (s32[], f32[3])) ---- *)
(* The only question about a layout is whether it is row-major: for other ops than bitcasts, what is read does not depend on it. *)
type array_type = { element : string; sizes : int list; row_major : bool }
let layout r =
  let rec go depth acc =
    match next r with
    | "" -> fail "a brace does not end"
    | "{" -> go (depth + 1) ("{" :: acc)
    | "}" -> if depth > 1 then go (depth - 1) ("}" :: acc) else List.rev ("}" :: acc)
    | w -> go depth (w :: acc) in
  go 0 []
let row_major_words rank =
  let rec go n = if n < 0 then [] else string_of_int n :: (if n > 0 then "," :: go (n - 1) else []) in
  ("{" :: go (rank - 1)) @ [ "}" ]
let array_type r =
  let element = next r in
  let is_lower c = 'a' <= c && c <= 'z' in
  if element = "" || not (is_lower element.[0] && String.for_all (fun c -> is_lower c || is_digit c) element) then
    fail "expected the type of an array";
  expect r "[";
  let rec sizes acc =
    let s = integer (next r) in
    if s < 0 then fail "a negative size";
    if takes r "," then sizes (s :: acc) else (expect r "]"; List.rev (s :: acc)) in
  let sizes = if takes r "]" then [] else sizes [] in
  { element; sizes; row_major = peek r <> "{" || layout r = row_major_words (List.length sizes) }

type value_type = Single of array_type | Tuple of value_type list
let rec value_type r =
  let rec elements acc =
    let t = value_type r in
    if takes r "," then elements (t :: acc) else (expect r ")"; List.rev (t :: acc)) in
  if takes r "(" then Tuple (if takes r ")" then [] else elements []) else Single (array_type r)
(* The arrays of a type, in order. *)
let rec leaves = function Single t -> [ t ] | Tuple l -> List.concat_map leaves l
let rec same_sizes a b =
  match a, b with
  | Single a, Single b -> a.sizes = b.sizes
  | Tuple a, Tuple b -> List.length a = List.length b && List.for_all2 same_sizes a b
  | _ -> false
let rec type_text = function
  | Single t -> t.element ^ "[" ^ String.concat "," (List.map string_of_int t.sizes) ^ "]"
  | Tuple l -> "(" ^ String.concat ", " (List.map type_text l) ^ ")"

(* ---- Attributes ---- *)
(* Which elements are read does not depend on these. *)
let irrelevant =
  [ "metadata"; "backend_config"; "sharding"; "frontend_attributes"; "control-predecessors"; "operand_precision";
    "result_accuracy"; "statistics"; "algorithm"; "to_apply"; "select"; "scatter"; "indices_are_sorted"; "unique_indices"; "is_stable";
    "direction"; "largest"; "type"; "exponent_bits"; "mantissa_bits"; "origin"; "original_value" ]

let attributes ?(but = []) r =
  let rec go acc =
    if peek r = "" then List.rev acc
    else (
      expect r ",";
      let key = next r in
      expect r "=";
      let v = value r in
      if List.mem_assoc key acc then fail ("attribute " ^ key ^ " is given twice");
      go ((key, v) :: acc)) in
  List.filter (fun (key, _) -> List.mem key but || not (List.mem key irrelevant)) (go [])

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

let int_of_z z = int_of_string (decimal_of z)
let nats = List.map nat_of
let zs = List.map z_of
