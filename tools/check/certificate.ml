(* Reads certificates (docs/certificates.md). *)
open Checker
open Numbers

exception Malformed of int * string  (* line, what was expected *)

type lines = { all : string array; mutable at : int }
let malformed l message = raise (Malformed (l.at, message))
let next l =
  if l.at >= Array.length l.all then (l.at <- l.at + 1; malformed l "expected another line");
  l.at <- l.at + 1;
  l.all.(l.at - 1)
let words line = List.filter (fun w -> w <> "") (String.split_on_char ' ' line)

let most_digits = 200
let integer l w =
  if not (is_number w) || String.length w > most_digits then malformed l ("expected an integer, found '" ^ w ^ "'");
  z_of_decimal w
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

let evidence l names =
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

let rec maps l =
  let line = next l in
  if String.length line > 4 && String.sub line 0 4 = "map " then
    let text = String.sub line 4 (String.length line - 4) in
    let m = try Map_text.read text with Map_text.Error m -> malformed l m in
    m :: maps l
  else (l.at <- l.at - 1; [])

(* What a claim about a program says beside its maps. *)
type about = { program : Hlo_text.program; by : int; read : int; is_exact : bool; runtimes : producer list; runtime_lines : string list }

type statement = { relation : string; first : Map_text.written option list; second : Map_text.written option list;
                   shape : string; about : about option }

let present ms = List.filter_map (fun m -> m) ms
let maps_of ms = List.map (fun (w : Map_text.written) -> w.map) (present ms)

let claim_of l s =
  let a = maps_of s.first and b = maps_of s.second in
  let r, d = match a @ b with m :: _ -> (m.runtime, m.dims) | [] -> (O, O) in
  let shape = if s.shape = "" then [] else List.map (integer l) (String.split_on_char ',' s.shape) in
  let single = function [ m ] -> m | _ -> malformed l "expected one map" in
  match s.relation with
  | "equal" -> Equal (r, d, a, b)
  | "covers" -> Covers (r, d, a, b)
  | "injective" -> Injective (single a)
  | "onto" -> Onto (single a, shape)
  | "into" -> Into (single a, shape)
  | "bijection" -> Bijection (single a, shape)
  | other -> malformed l ("unknown claim '" ^ other ^ "'")

(* Whose variables the witnesses of each part of the evidence are over. *)
let parts s =
  let names ms = List.map (fun (w : Map_text.written) -> w.names) (present ms) in
  let runtime_and_ranges (w : Map_text.written) =
    Array.append (Array.sub w.names 0 w.dims_at)
      (Array.of_list (List.mapi (fun i _ -> "s" ^ string_of_int i) (String.split_on_char ',' s.shape))) in
  match s.relation, present s.first with
  | "equal", _ -> names s.first @ names s.second
  | "covers", _ -> names s.second
  | "onto", [ w ] -> [ runtime_and_ranges w ]
  | "bijection", [ w ] -> [ w.names; w.names; runtime_and_ranges w ]
  | _ -> names s.first

let hlo l f = try f () with Hlo_text.Error m -> malformed l m
let starts_with prefix line = String.length line > String.length prefix && String.sub line 0 (String.length prefix) = prefix
let rest_of prefix line = String.sub line (String.length prefix) (String.length line - String.length prefix)

(* The lines of a program: `array LINE` for what is given, `op LINE` for what is computed. *)
let read_program l =
  let p = Hlo_text.empty () in
  let rec go () =
    let line = next l in
    if starts_with "array " line then (hlo l (fun () -> Hlo_text.add_array p (rest_of "array " line)); go ())
    else if starts_with "op " line then (hlo l (fun () -> Hlo_text.add_instruction p (rest_of "op " line)); go ())
    else l.at <- l.at - 1 in
  go ();
  p

let default_names r d s =
  let named prefix n = List.init n (fun i -> prefix ^ string_of_int i) in
  Array.of_list (named "rt" r @ named "d" d @ named "s" s)

(* runtime NAME (d0, 1) in [0, 5]: what a runtime variable is. *)
let read_runtime l p d =
  let rec lines acc = let line = next l in if starts_with "runtime " line then lines (line :: acc) else (l.at <- l.at - 1; List.rev acc) in
  let lines = lines [] in
  let names = default_names (List.length lines) d 0 in
  let one line =
    let line = rest_of "runtime " line in
    match String.index_opt line ' ', String.rindex_opt line '(', String.rindex_opt line ')' with
    | Some space, Some _, Some close ->
        let from = hlo l (fun () -> Hlo_text.find p (Hlo_text.without_percent (String.sub line 0 space))) in
        let text = String.sub line (space + 1) (close - space) in
        if String.length text < 2 || text.[0] <> '(' then malformed l "expected an index in parentheses";
        let at_ = try Map_text.read_terms (String.sub text 1 (String.length text - 2)) names with Map_text.Error m -> malformed l m in
        (match words (rest_of (String.sub line 0 (close + 1)) line) with
         | [ "in"; "[0,"; limit ] when limit.[String.length limit - 1] = ']' ->
             { from = nat_of from; at_; limit = Some (integer l (String.sub limit 0 (String.length limit - 1))) }
         | _ -> malformed l "expected a range as in [0, 5]")
    | _ -> malformed l "expected a runtime variable as NAME (d0, 1) in [0, 5]" in
  (List.map one lines, lines)

(* The claim of a statement about a program, and whose variables the witnesses of its evidence are over. *)
let reads_claim l a maps =
  let claim = { nodes = Hlo_text.nodes a.program; reader = nat_of a.by; source = nat_of a.read; exact = a.is_exact;
                given = a.runtimes; said = maps_of maps } in
  let default (m : imap) = default_names (int_of_nat m.runtime) (int_of_nat m.dims) (int_of_nat m.ranges) in
  match as_maps claim with
  | Some (Equal (_, _, _, read)) ->
      (claim, List.map (fun (w : Map_text.written) -> w.names) (present maps) @ List.map default read)
  | Some (Covers (_, _, _, read)) -> (claim, List.map default read)
  | _ -> malformed l "the elements that are read have no maps here"

let read_reads l how source reader =
  let program = read_program l in
  let find n = hlo l (fun () -> Hlo_text.find program (Hlo_text.without_percent n)) in
  let reader = find reader and source = find source in
  let d = List.length (Hlo_text.line_at program reader).declared.sizes in
  let runtimes, runtime_lines = read_runtime l program d in
  let maps = maps l in
  let about = { program; by = reader; read = source; is_exact = how = "exact"; runtimes; runtime_lines } in
  let claim, parts = reads_claim l about maps in
  let evidence = List.map (evidence l) parts in
  ({ relation = "reads"; first = maps; second = []; shape = ""; about = Some about }, (fun () -> check_reads claim evidence))

(* The statement, and whether its evidence shows it. *)
let rec read_one l =
  if next l <> "affirm certificate 2" then malformed l "expected 'affirm certificate 2'";
  let claim = words (next l) in
  let answer =
    match claim with
    | [ "claim"; "reads"; (("exact" | "at-most") as how); source; "by"; reader ] -> read_reads l how source reader
    | _ -> read_maps l claim in
  if next l <> "end" then malformed l "expected 'end'";
  answer

and read_maps l claim =
  let relation, shape =
    match claim with
    | [ "claim"; relation ] -> (relation, "")
    | [ "claim"; (("onto" | "into" | "bijection") as relation); "shape"; shape ] -> (relation, shape)
    | _ -> malformed l "expected a claim" in
  let first = maps l in
  let two = relation = "equal" || relation = "covers" in
  let second = if two then (if next l <> "and" then malformed l "expected 'and'"; maps l) else [] in
  let s = { relation; first; second; shape; about = None } in
  let claim = claim_of l s in
  let evidence = List.map (evidence l) (parts s) in
  (s, fun () -> check claim evidence)

let print s =
  let side ms =
    match present ms with
    | [] -> "  KNOWN EMPTY\n"
    | some -> String.concat "" (List.map (fun w -> "  " ^ Map_text.print (Some w) ^ "\n") some) in
  match s.about with
  | Some a ->
      let name k = (Hlo_text.line_at a.program k).defines in
      let runtime = List.mapi (fun i line -> Printf.sprintf "  rt%d is %s\n" i (rest_of "runtime " line)) a.runtime_lines in
      Printf.sprintf "%s %s of %s:\n%s%s  where\n%s" (name a.by) (if a.is_exact then "reads exactly" else "reads at most") (name a.read)
        (side s.first) (String.concat "" runtime) (Hlo_text.print a.program)
  | None ->
  match s.relation with
  | "equal" -> "equal:\n" ^ side s.first ^ side s.second
  | "covers" -> "the first covers the second:\n" ^ side s.first ^ side s.second
  | relation -> relation ^ (if s.shape = "" then "" else " [" ^ s.shape ^ "]") ^ ":\n" ^ side s.first
