(* Reads evidence.  None of this is trusted: the checker's theorem holds for any evidence. *)
open Checker
open Numbers
open Lines

let index l w =
  match if String.length w <= 9 && is_number w then int_of_string_opt w else None with
  | Some n when n > 0 -> positive_of n
  | _ -> malformed l ("expected the number of a fact or an atom, found '" ^ w ^ "'")

(* 3*1*2 -7: three times atom 1 times atom 2, less 7. *)
let form l ws =
  let add_word p w =
    match String.split_on_char '*' w with
    | c :: atoms ->
        let m = List.sort compare (List.map (fun a -> int_of_string (decimal_of (Zpos (index l a)))) atoms) in
        poly_add p (poly_times (integer l c) [ (List.map positive_of m, Zpos XH) ])
    | [] -> p in
  if List.length ws > 2000 then malformed l "a sum of too many summands";
  List.fold_left add_word [] ws

let rec split_at word = function
  | [] -> ([], [])
  | w :: rest when w = word -> ([], rest)
  | w :: rest -> let a, b = split_at word rest in (w :: a, b)

let entry l op ws = let left, right = split_at ";" ws in { op; left = form l left; right = form l right }

let multiple l w =
  match String.split_on_char '@' w with
  | [ k; i ] -> (integer l k, index l i)
  | _ -> malformed l "expected MULTIPLE@FACT"

let most_splits = 2000

(* A proof; `names` are the variables of the terms of witnesses. *)
let proof l names =
  let splits = ref 0 in
  let rec go steps =
    let close p = List.fold_left (fun p s -> Then (s, p)) p steps in
    let step s = go (s :: steps) in
    match words (next l) with
    | "c" :: d :: terms ->
        let divisor = match integer l d with Zpos d -> d | _ -> malformed l "expected a positive divisor" in
        step (Combine (List.map (multiple l) terms, divisor))
    | [ "="; i; j ] -> step (Antisymmetry (index l i, index l j))
    | "e" :: i :: f -> step (TimesPoly (index l i, form l f))
    | [ "p"; i; j ] -> step (TimesFact (index l i, index l j))
    | [ "q"; a; i ] -> step (QuotientBounds (index l a, index l i))
    | [ "m"; a ] -> step (ExtremumBounds (index l a))
    | [ "k"; a; i ] -> step (ExtremumIs (index l a, index l i))
    | "split" :: f ->
        incr splits;
        if !splits > most_splits then malformed l "too many splits";
        let f = form l f in
        let p = go [] in
        let q = go [] in
        close (Split (f, p, q))
    | [ "absurd"; i ] -> close (Absurd (index l i))
    | "done" :: k :: rest ->
        let hints, terms = split_at "with" rest in
        let k = if String.length k <= 6 && is_number k && k.[0] <> '-' then nat_of (int_of_string k) else malformed l "expected a map's position" in
        let terms =
          try Map_text.read_terms (String.concat " " terms) names with Map_text.Error m -> malformed l m in
        close (Done (k, terms, List.map (index l) hints))
    | _ -> malformed l "expected a step of a proof" in
  go []

let read l names =
  if next l <> "evidence" then malformed l "expected 'evidence'";
  let rec atoms acc =
    let line = next l in
    match words line with
    | "atom" :: "/" :: ws -> atoms (entry l Quotient ws :: acc)
    | "atom" :: "min" :: ws -> atoms (entry l Minimum ws :: acc)
    | "atom" :: "max" :: ws -> atoms (entry l Maximum ws :: acc)
    | _ -> l.at <- l.at - 1; List.rev acc in
  let table = atoms [] in
  { table; steps = proof l names }
