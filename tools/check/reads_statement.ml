(* Claims about what the instructions of a program read, as the lines of a certificate state them. *)
open Checker
open Numbers
open Lines

(* The parts of a claim about a program, beside its maps. *)
type statement = { program : Hlo_text.program; by : int; read : int; is_exact : bool; runtimes : producer list; runtime_lines : string list;
               maps : Map_text.written option list }

let hlo l f = try f () with Hlo_words.Error m -> malformed l m
(* The lines of a computation that is called, up to `end body`; it may call those before. *)
let read_body l before =
  let p = Hlo_text.empty () in
  p.bodies <- before;
  let rec go () =
    let line = next l in
    if starts_with "array " line then (hlo l (fun () -> Hlo_text.add_array p (rest_of "array " line)); go ())
    else if starts_with "op " line then (hlo l (fun () -> Hlo_text.add_instruction ~in_body:true p (rest_of "op " line)); go ())
    else if line <> "end body" then malformed l "expected 'end body'" in
  go ();
  p

(* The lines of a program: `array LINE` for what is given, `op LINE` for what is computed. *)
let read_program l =
  let p = Hlo_text.empty () in
  let rec go () =
    let line = next l in
    if starts_with "body " line then (
      let name = rest_of "body " line in
      if List.mem_assoc name p.bodies then malformed l ("'" ^ name ^ "' is given twice");
      p.bodies <- (name, read_body l p.bodies) :: p.bodies;
      go ())
    else if starts_with "array " line then (hlo l (fun () -> Hlo_text.add_array p (rest_of "array " line)); go ())
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
        let from = hlo l (fun () -> Hlo_text.find p (Hlo_words.without_percent (String.sub line 0 space))) in
        let text = String.sub line (space + 1) (close - space) in
        if String.length text < 2 || text.[0] <> '(' then malformed l "expected an index in parentheses";
        let at_ = try Map_text.read_terms (String.sub text 1 (String.length text - 2)) names with Map_text.Error m -> malformed l m in
        (match words (rest_of (String.sub line 0 (close + 1)) line) with
         | [ "in"; "[0,"; limit ] when limit.[String.length limit - 1] = ']' ->
             { from = nat_of from; at_; limit = Some (integer l (String.sub limit 0 (String.length limit - 1))) }
         | _ -> malformed l "expected a range as in [0, 5]")
    | _ -> malformed l "expected a runtime variable as NAME (d0, 1) in [0, 5]" in
  (List.map one lines, lines)

let read l how source reader =
  let program = read_program l in
  let find n = hlo l (fun () -> Hlo_text.find program (Hlo_words.without_percent n)) in
  let reader = find reader and source = find source in
  let d = List.length (Hlo_text.sizes_at program reader) in
  let runtimes, runtime_lines = read_runtime l program d in
  let maps = Map_statement.maps l in
  let s = { program; by = reader; read = source; is_exact = how = "exact"; runtimes; runtime_lines; maps } in
  (s, { nodes = Hlo_text.nodes program; reader = nat_of reader; source = nat_of source; exact = s.is_exact; given = runtimes;
        said = Map_statement.maps_of maps })

(* Whose variables the witnesses of each part of the evidence are over. *)
let parts l s claim =
  let default (m : imap) = default_names (int_of_nat m.runtime) (int_of_nat m.dims) (int_of_nat m.ranges) in
  match as_maps claim with
  | Some (Equal (_, _, _, read)) ->
      List.map (fun (w : Map_text.written) -> w.names) (Map_statement.present s.maps) @ List.map default read
  | Some (Covers (_, _, _, read)) -> List.map default read
  | _ -> malformed l "the elements that are read have no maps here"

let print s =
  let name k = Hlo_text.name_at s.program k in
  let runtime = List.mapi (fun i line -> Printf.sprintf "  rt%d is %s\n" i (rest_of "runtime " line)) s.runtime_lines in
  Printf.sprintf "%s %s of %s:\n%s%s  where\n%s" (name s.by) (if s.is_exact then "reads exactly" else "reads at most") (name s.read)
    (Map_statement.side s.maps) (String.concat "" runtime) (Hlo_text.print s.program)
