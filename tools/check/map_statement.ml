(* Claims about maps, as the lines of a certificate state them. *)
open Checker
open Lines

let rec maps l =
  let line = next l in
  if String.length line > 4 && String.sub line 0 4 = "map " then
    let text = String.sub line 4 (String.length line - 4) in
    let m = try Map_text.read text with Map_text.Error m -> malformed l m in
    m :: maps l
  else (l.at <- l.at - 1; [])

(* `shape` is the sizes of an array, for claims about one. *)
type statement = { relation : string; first : Map_text.written option list; second : Map_text.written option list;
                   shape : string list }

let present ms = List.filter_map (fun m -> m) ms
let maps_of ms = List.map (fun (w : Map_text.written) -> w.map) (present ms)

let claim_of l s =
  let a = maps_of s.first and b = maps_of s.second in
  let r, d = match a @ b with m :: _ -> (m.runtime, m.dims) | [] -> (O, O) in
  let shape = List.map (integer l) s.shape in
  let single = function [ m ] -> m | _ -> malformed l "expected one map" in
  match s.relation with
  | "equal" -> Equal (r, d, a, b)
  | "covers" -> Covers (r, d, a, b)
  | "injective" -> Injective (single a)
  | "onto" -> Onto (single a, shape)
  | "into" -> Into (single a, shape)
  | "bijection" -> Bijection (single a, shape)
  | _ -> malformed l "expected a claim"

(* Whose variables the witnesses of each part of the evidence are over. *)
let parts s =
  let names ms = List.map (fun (w : Map_text.written) -> w.names) (present ms) in
  let runtime_and_ranges (w : Map_text.written) =
    Array.append (Array.sub w.names 0 w.dims_at)
      (Array.of_list (List.mapi (fun i _ -> "s" ^ string_of_int i) s.shape)) in
  match s.relation, present s.first with
  | "equal", _ -> names s.first @ names s.second
  | "covers", _ -> names s.second
  | "onto", [ w ] -> [ runtime_and_ranges w ]
  | "bijection", [ w ] -> [ w.names; w.names; runtime_and_ranges w ]
  | _ -> names s.first

let read l words =
  let relation, shape =
    match words with
    | [ "claim"; (("equal" | "covers" | "injective") as relation) ] -> (relation, [])
    | [ "claim"; (("onto" | "into" | "bijection") as relation); "shape" ] -> (relation, [])
    | [ "claim"; (("onto" | "into" | "bijection") as relation); "shape"; shape ] ->
        (relation, String.split_on_char ',' shape)
    | _ -> malformed l "expected a claim" in
  let first = maps l in
  let two = relation = "equal" || relation = "covers" in
  let second = if two then (if next l <> "and" then malformed l "expected 'and'"; maps l) else [] in
  let s = { relation; first; second; shape } in
  (s, claim_of l s)

let side ms =
  match present ms with
  | [] -> "  KNOWN EMPTY\n"
  | some -> String.concat "" (List.map (fun w -> "  " ^ Map_text.print (Some w) ^ "\n") some)

let print s =
  match s.relation with
  | "equal" -> "equal:\n" ^ side s.first ^ side s.second
  | "covers" -> "the first covers the second:\n" ^ side s.first ^ side s.second
  | "injective" -> "injective:\n" ^ side s.first
  | relation -> relation ^ " [" ^ String.concat "," s.shape ^ "]:\n" ^ side s.first
