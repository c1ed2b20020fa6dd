(* Maps in XLA's text form, read and printed. *)
open Checker
open Numbers

exception Error of string
let fail message = raise (Error message)

type token = Name of string | Number of string | Symbol of string | End

let tokens text =
  let n = String.length text in
  let is_letter c = ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || c = '_' in
  let rec span i p = if i < n && p text.[i] then span (i + 1) p else i in
  let rec go i acc =
    if i >= n then List.rev (End :: acc)
    else
      let c = text.[i] in
      if c = ' ' then go (i + 1) acc
      else if is_letter c then
        let j = span i (fun c -> is_letter c || is_digit c) in
        go j (Name (String.sub text i (j - i)) :: acc)
      else if is_digit c then
        let j = span i is_digit in
        if j - i > 19 then fail "a number of more than 19 digits" else go j (Number (String.sub text i (j - i)) :: acc)
      else if c = '-' && i + 1 < n && text.[i + 1] = '>' then go (i + 2) (Symbol "->" :: acc)
      else if String.contains "()[]{},:+-*" c then go (i + 1) (Symbol (String.make 1 c) :: acc)
      else fail (Printf.sprintf "unexpected character '%c'" c) in
  go 0 []

(* A reader is the list of tokens that are left. *)
type reader = { mutable left : token list }
let peek r = match r.left with t :: _ -> t | [] -> End
let next r = let t = peek r in (match r.left with _ :: rest -> r.left <- rest | [] -> ()); t
let takes r symbol = if peek r = Symbol symbol then (ignore (next r); true) else false
let expect r symbol = if not (takes r symbol) then fail ("expected '" ^ symbol ^ "'")
let expect_name r name = if next r <> Name name then fail ("expected '" ^ name ^ "'")

let most_nested = 400
let keywords = [ "floordiv"; "ceildiv"; "mod"; "min"; "max"; "in"; "domain" ]

(* An expression; `variable` gives the number of a name. *)
let expression r variable =
  let constant negative digits = Const (z_of_decimal (if negative then "-" ^ digits else digits)) in
  let rec sum depth =
    if depth > most_nested then fail "parentheses are nested too deep";
    let rec more left =
      if takes r "+" then more (Add (left, product depth))
      else if takes r "-" then more (Sub (left, product depth))
      else left in
    more (product depth)
  and product depth =
    let rec more left =
      match peek r with
      | Symbol "*" -> ignore (next r); more (Mul (left, unary depth))
      | Name "floordiv" -> ignore (next r); more (FloorDiv (left, unary depth))
      | Name "ceildiv" -> ignore (next r); more (CeilDiv (left, unary depth))
      | Name "mod" -> ignore (next r); more (Mod (left, unary depth))
      | _ -> left in
    more (unary depth)
  and unary depth =
    if depth > most_nested then fail "operators are nested too deep";
    if takes r "-" then
      match peek r with
      | Number digits -> ignore (next r); constant true digits
      | _ -> Sub (Const Z0, unary (depth + 1))
    else
      match next r with
      | Number digits -> constant false digits
      | Symbol "(" -> let e = sum (depth + 1) in expect r ")"; e
      | Name (("min" | "max") as f) ->
          expect r "(";
          let a = sum (depth + 1) in
          expect r ",";
          let b = sum (depth + 1) in
          expect r ")";
          if f = "min" then Min (a, b) else Max (a, b)
      | Name name -> variable name
      | _ -> fail "expected an expression" in
  sum 0

let separated r closing item =
  if takes r closing then []
  else
    let rec go acc =
      let acc = item () :: acc in
      if takes r "," then go acc else (expect r closing; List.rev acc) in
  go []

(* A map, and the names of its variables in the order of their numbers. *)
type written = { map : imap; names : string array; ranges_at : int; dims_at : int }

let variable_of names =
  let table = Hashtbl.create 16 in
  Array.iteri (fun i name -> Hashtbl.replace table name i) names;
  fun name ->
    match Hashtbl.find_opt table name with
    | Some i -> Var (nat_of i)
    | None -> fail ("'" ^ name ^ "' is no variable of the map")

let end_of_range r limit =
  let negative = takes r "-" in
  match next r with
  | Number digits ->
      let z = z_of_decimal (if negative then "-" ^ digits else digits) in
      let most = z_of_decimal "9223372036854775807" in
      let least = z_of_decimal "-9223372036854775808" in
      if Z.ltb most z || Z.ltb z least then fail "a bound of more than 64 bits";
      if z = (if limit > 0 then most else least) then None else Some z
  | _ -> fail "expected a bound"

let constraints r variable =
  let rec go acc =
    let e = expression r variable in
    expect_name r "in";
    expect r "[";
    let lower = end_of_range r (-1) in
    expect r ",";
    let upper = end_of_range r 1 in
    expect r "]";
    let acc = { subject = e; lower; upper } :: acc in
    if takes r "," then go acc else List.rev acc in
  go []

(* None for KNOWN EMPTY. *)
let read text =
  if text = "KNOWN EMPTY" then None
  else
    let r = { left = tokens text } in
    let name () =
      match next r with
      | Name n when not (List.mem n keywords) -> n
      | _ -> fail "expected the name of a variable" in
    expect r "(";
    let dims = separated r ")" name in
    let ranges = if takes r "[" then separated r "]" name else [] in
    let runtime = if takes r "{" then separated r "}" name else [] in
    let names = Array.of_list (runtime @ dims @ ranges) in
    if List.length (List.sort_uniq compare (Array.to_list names)) < Array.length names then
      fail "two variables have one name";
    let variable = variable_of names in
    expect r "->";
    expect r "(";
    let results = separated r ")" (fun () -> expression r variable) in
    let domain =
      if takes r "," then (expect_name r "domain"; expect r ":"; constraints r variable) else [] in
    if next r <> End then fail "unexpected text behind the map";
    let count l = nat_of (List.length l) in
    Some { map = { runtime = count runtime; dims = count dims; ranges = count ranges; domain; results };
           names; dims_at = List.length runtime; ranges_at = List.length runtime + List.length dims }

(* Terms over the variables of a map. *)
let read_terms text names =
  let r = { left = tokens text } in
  let variable = variable_of names in
  if peek r = End then []
  else
    let rec go acc =
      let acc = expression r variable :: acc in
      if takes r "," then go acc
      else if next r = End then List.rev acc
      else fail "unexpected text behind a term" in
    go []

(* ---- Printing ---- *)
let print_term names buffer term =
  let put = Buffer.add_string buffer in
  (* Strength: 1 a sum, 2 a product, 3 what needs no parentheses. *)
  let strength = function
    | Sub (Const Z0, _) -> 2
    | Add _ | Sub _ -> 1
    | Mul _ | FloorDiv _ | CeilDiv _ | Mod _ -> 2
    | _ -> 3 in
  let rec operand t least =
    if strength t < least then (put "("; bare t; put ")") else bare t
  and infix a word b =
    operand a (match a with Sub (Const Z0, _) -> 2 | Mul _ when word = " * " -> 2 | _ -> 3);
    put word;
    operand b 3
  and call f a b = put f; bare a; put ", "; bare b; put ")"
  and bare = function
    | Const z -> put (decimal_of z)
    | Var i -> put names.(int_of_nat i)
    | Sub (Const Z0, x) -> put "-"; operand x 3
    | Add (a, b) -> operand a 1; put " + "; operand b 2
    | Sub (a, b) -> operand a 1; put " - "; operand b 2
    | Mul (a, b) -> infix a " * " b
    | FloorDiv (a, b) -> infix a " floordiv " b
    | CeilDiv (a, b) -> infix a " ceildiv " b
    | Mod (a, b) -> infix a " mod " b
    | Min (a, b) -> call "min(" a b
    | Max (a, b) -> call "max(" a b in
  bare term

let print = function
  | None -> "KNOWN EMPTY"
  | Some { map; names; dims_at; ranges_at } ->
      let buffer = Buffer.create 256 in
      let put = Buffer.add_string buffer in
      let list l f = List.iteri (fun i x -> if i > 0 then put ", "; f x) l in
      let slice a b = Array.to_list (Array.sub names a (b - a)) in
      put "("; list (slice dims_at ranges_at) put; put ")";
      let group l opening closing = if l <> [] then (put opening; list l put; put closing) in
      group (slice ranges_at (Array.length names)) "[" "]";
      group (slice 0 dims_at) "{" "}";
      put " -> (";
      list map.results (print_term names buffer);
      put ")";
      if map.domain <> [] then put ", domain: ";
      let bound infinite = function Some z -> decimal_of z | None -> infinite in
      list map.domain (fun f ->
          print_term names buffer f.subject;
          put (" in [" ^ bound "-9223372036854775808" f.lower ^ ", " ^ bound "9223372036854775807" f.upper ^ "]"));
      Buffer.contents buffer
