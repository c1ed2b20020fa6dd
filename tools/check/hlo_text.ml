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
(* Do the brackets of a line close, outside of strings, and does it not go on behind a comma? *)
let is_whole line =
  let depth = ref 0 and in_string = ref false in
  String.iteri (fun i c ->
      if c = '"' && (i = 0 || line.[i - 1] <> '\\') then in_string := not !in_string;
      if not !in_string then
        if String.contains "({[" c then incr depth else if String.contains ")}]" c then decr depth) line;
  !depth = 0 && (not !in_string) && not (line <> "" && line.[String.length line - 1] = ',')

(* The instructions of each computation, each in one line: what stands between a line that ends with `{` and `}`. *)
let computations text =
  let table () = Hashtbl.create 64 in
  let rec whole line = function
    | next :: rest when not (is_whole line) -> whole (line ^ " " ^ String.trim next) rest
    | rest -> (line, rest) in
  (* No instruction: these have ` = `, whatever their last character is. *)
  let opens line =
    line <> "" && line.[String.length line - 1] = '{' && not (List.mem "=" (String.split_on_char ' ' line)) in
  let rec go current all = function
    | [] -> List.rev (current :: all)
    | line :: rest ->
        let line = String.trim line in
        if line = "}" then go current all rest
        else if opens line then go (table ()) (current :: all) rest
        else
          let line, rest = whole line rest in
          Hashtbl.replace current line ();
          go current all rest in
  go (table ()) [] (String.split_on_char '\n' text)
(* Are all lines of the program lines of one computation? *)
let is_of computations p = List.exists (fun c -> List.for_all (fun l -> Hashtbl.mem c l.text) p.lines) computations
