(* HLO instructions, read as nodes of a program and printed back. *)
open Checker
open Numbers
open Hlo_words

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
  let op = Hlo_opcode.opcode opcode_text written types line.declared in
  Hlo_opcode.compare_back opcode_text written op types line.declared;
  let names = List.map (fun k -> (line_at p k).defines) operands in
  let attributes = List.map (fun (key, v) -> ", " ^ key ^ "=" ^ v) (Hlo_opcode.printed op types line.declared) in
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
