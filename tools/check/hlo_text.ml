(* HLO instructions, read as nodes of a program and printed back. *)
open Checker
open Numbers
open Hlo_words

(* ---- Lines ---- *)
(* Each array of a tuple is a node: those of t are t{0}, t{1}, ..., where nested tuples are flat. *)
type line = { text : string; defines : string; declared : value_type; first : int (* its first node *); shown : string }
type program = { mutable lines : line list (* last first *); mutable nodes : node list (* last first *);
                 mutable arrays : (string * int list) list (* their names and sizes *); numbers : (string, line) Hashtbl.t;
                 mutable bodies : (string * program) list (* computations that are called, last first *);
                 mutable parameters : (int * line) list (* in a body *); mutable constants : int list (* in a body *);
                 mutable unstated : int list (* nodes of whose reads nothing is stated *) }
let empty () =
  { lines = []; nodes = []; arrays = []; numbers = Hashtbl.create 16; bodies = []; parameters = []; constants = []; unstated = [] }
let most_nodes = 5000

let add p line nodes =
  if Hashtbl.mem p.numbers line.defines then fail ("'" ^ line.defines ^ "' is defined twice");
  if line.first + List.length nodes > most_nodes then fail "too many instructions";
  let name i = match line.declared with Single _ -> line.defines | Tuple _ -> Printf.sprintf "%s{%d}" line.defines i in
  Hashtbl.replace p.numbers line.defines line;
  p.lines <- line :: p.lines;
  List.iteri (fun i (t, node) ->
      p.arrays <- (name i, t.sizes) :: p.arrays;
      p.nodes <- node :: p.nodes)
    (List.combine (leaves line.declared) nodes)

let start p text =
  let r = { left = words text } in
  ignore (takes r "ROOT");
  let defines = name r in
  expect r "=";
  let declared = value_type r in
  (r, { text; defines; declared; first = List.length p.nodes; shown = "" })

(* An instruction of which only the name and the type count. *)
let given declared = List.map (fun t -> Array (zs t.sizes)) (leaves declared)
let add_array p text =
  let r, line = start p text in
  let is_constant = List.mem (peek r) [ "constant"; "iota" ] in
  (* Where a constant has no array, that node is of the next line. *)
  if is_constant && leaves line.declared <> [] then p.constants <- line.first :: p.constants;
  add p { line with shown = line.defines ^ " = " ^ type_text line.declared ^ (if is_constant then " constant" else "") } (given line.declared)
(* A parameter of a body. *)
let add_parameter p line r =
  expect r "(";
  let n = number (next r) in
  expect r ")";
  if List.mem_assoc n p.parameters then fail "a parameter is given twice";
  add p { line with shown = Printf.sprintf "%s = %s parameter(%d)" line.defines (type_text line.declared) n } (given line.declared);
  p.parameters <- (n, line) :: p.parameters

let line_of p n = match Hashtbl.find_opt p.numbers n with Some l -> l | None -> fail ("there is no instruction '" ^ n ^ "' before")
let array_at p k = List.nth p.arrays (List.length p.arrays - 1 - k)
let name_at p k = fst (array_at p k)
let sizes_at p k = snd (array_at p k)
let place p n =
  let rec go = function [] -> fail ("there is no array '" ^ n ^ "'") | (m, _) :: rest -> if m = n then List.length rest else go rest in
  go p.arrays
(* The node of an array: `p`, or `t{1}`, or `c/p` of a computation that c calls. *)
let find p n =
  let of_line () =
  let base, leaf =
    match String.index_opt n '{' with
    | None -> (n, None)
    | Some i ->
        let k = String.sub n (i + 1) (max 0 (String.length n - i - 2)) in
        if n <> Printf.sprintf "%s{%d}" (String.sub n 0 i) (integer k) then fail ("expected an array as 't{1}', found '" ^ n ^ "'");
        (String.sub n 0 i, Some (integer k)) in
  let l = line_of p base in
  match l.declared, leaf with
  | Single _, None -> l.first
  | Tuple _, Some k when 0 <= k && k < List.length (leaves l.declared) -> l.first + k
  | _ -> fail ("'" ^ n ^ "' is no array") in
  let k = if String.contains n '/' then place p n else of_line () in
  if List.mem k p.unstated then fail ("what '" ^ n ^ "' reads is not stated");
  k

(* The nodes of a result that is made of those from `first` on, without a change. *)
let same_as first declared = List.mapi (fun i t -> Result (Elementwise, [ nat_of (first + i) ], zs t.sizes)) (leaves declared)
let single l = match l.declared with Single t -> t | Tuple _ -> fail ("no meaning of a tuple as an operand is stated: '" ^ l.defines ^ "'")

(* ---- Loops ---- *)
type reach = Nothing | Own of int | Other
(* The arrays of the parameter that array k of a body is made of: none, one at the same index and in the same sizes, or others.
   Instructions that are given are `Other`, but for constants. *)
let reach_of p =
  let nodes = Array.of_list (List.rev p.nodes) in
  let parameter, count = match p.parameters with [ (0, l) ] -> (l.first, List.length (leaves l.declared)) | _ -> (0, 0) in
  let known = Array.make (Array.length nodes) None in
  let rec go k =
    match known.(k) with
    | Some r -> r
    | None ->
        let r =
          match nodes.(k) with
          | _ when List.mem k p.unstated -> Other
          | Array _ -> if k >= parameter && k < parameter + count then Own (k - parameter) else if List.mem k p.constants then Nothing else Other
          | Result (Elementwise, operands, s) ->
              let both a b = match a, b with Nothing, x | x, Nothing -> x | Own i, Own j when i = j -> a | _ -> Other in
              let one o =
                match go o with
                | Own _ when (match nodes.(o) with Array t -> t | Result (_, _, t) -> t) <> s -> Other
                | r -> r in
              List.fold_left (fun r o -> both r (one (int_of_nat o))) Nothing operands
          | Result _ -> Other in
        known.(k) <- Some r;
        r in
  go

(* The arrays of a loop that its body makes of themselves alone, at the same index: after any number of trips they are made
   of what was there first.  Of the others nothing is stated. *)
let root_of body =
  match List.filter (fun l -> String.length l.text > 5 && String.sub l.text 0 5 = "ROOT ") body.lines with
  | [ l ] -> l
  | _ -> fail "expected one ROOT in a computation"
let kept_by body declared =
  let root = root_of body in
  (match body.parameters with
   | [ (0, l) ] when same_sizes l.declared declared && same_sizes root.declared declared -> ()
   | _ -> fail "a body has a parameter and a result of the type of its loop");
  let reach = reach_of body in
  List.mapi (fun i _ -> reach (root.first + i) = Own i) (leaves declared)

(* ---- Calls ---- *)
let computation p name =
  match List.assoc_opt name p.bodies with Some b -> b | None -> fail ("there is no computation '" ^ name ^ "' before")
let same_type a b = type_text a = type_text b
(* Adds the nodes of a computation that is called, and returns that of the first array of its root.  Its parameters are the
   operands themselves; the names of its other arrays have a prefix. *)
let inline p prefix b (operands : line list) declared =
  let root = root_of b in
  if not (same_type root.declared declared) then fail "the result of a computation has another type than its call";
  let operand (n, l) =
    match List.nth_opt operands n with
    | Some o when same_type o.declared l.declared -> (l.first, l.first + List.length (leaves l.declared), o.first)
    | _ -> fail "a parameter has another type than its operand" in
  let parameters = List.map operand b.parameters in
  let places = Array.make (List.length b.nodes) 0 in
  List.iteri (fun k (node, (name, sizes)) ->
      match List.find_opt (fun (first, behind, _) -> first <= k && k < behind) parameters with
      | Some (first, _, from) -> places.(k) <- from + k - first
      | None ->
          let here = List.length p.nodes in
          if here >= most_nodes then fail "too many instructions";
          let moved = match node with Array s -> Array s | Result (o, l, s) -> Result (o, List.map (fun i -> nat_of places.(int_of_nat i)) l, s) in
          let reads_unstated = match moved with Array _ -> false | Result (_, l, _) -> List.exists (fun i -> List.mem (int_of_nat i) p.unstated) l in
          if reads_unstated || List.mem k b.unstated then p.unstated <- here :: p.unstated;
          if List.mem k b.constants then p.constants <- here :: p.constants;
          places.(k) <- here;
          p.nodes <- moved :: p.nodes;
          p.arrays <- (prefix ^ name, sizes) :: p.arrays)
    (List.combine (List.rev b.nodes) (List.rev b.arrays));
  if leaves root.declared = [] then 0 else places.(root.first)

(* An element of a conditional is that of the branch which its selector chooses. *)
let conditional p line (operands : line list) written =
  let branches, element =
    match List.sort compare written with
    | [ ("branch_computations", l) ] -> (list_of without_percent l, "s32")
    | [ ("false_computation", [ f ]); ("true_computation", [ t ]) ] -> ([ without_percent t; without_percent f ], "pred")
    | _ -> fail "conditional has its branches as attributes" in
  match operands with
  | ({ declared = Single { sizes = []; element = e; _ }; _ } as selector) :: rest when e = element && List.length rest = List.length branches ->
      let of_branch k (name, operand) = inline p (Printf.sprintf "%s/%d/" line.defines k) (computation p name) [ operand ] line.declared in
      let roots = List.mapi of_branch (List.combine branches rest) in
      let node i t = Result (Conditional (element = "pred"), nats (selector.first :: List.map (fun root -> root + i) roots), zs t.sizes) in
      let attributes =
        match written with
        | [ ("branch_computations", _) ] -> [ ("branch_computations", "{" ^ String.concat "," branches ^ "}") ]
        | _ -> [ ("true_computation", List.nth branches 0); ("false_computation", List.nth branches 1) ] in
      (List.mapi node (leaves line.declared), attributes)
  | _ -> fail "conditional has a selector that fits its branches, and an operand for each"

(* Ops with several results have one for each of their arrays. *)
let check_results text operands results =
  let arrays =
    match text with
    | "reduce" | "reduce-window" -> List.length operands / 2
    | "sort" -> List.length operands
    | "topk" | "rng-bit-generator" -> 2
    | "scatter" -> (List.length operands - 1) / 2
    | _ -> fail ("no meaning of '" ^ text ^ "' with a tuple as its result is stated") in
  if List.length results <> arrays then fail (text ^ " has a result for each of its arrays")

(* The nodes of an instruction, and its attributes as text. *)
let meaning p line text operands written =
  let is_unstated l = List.exists (fun k -> k >= l.first && k < l.first + List.length (leaves l.declared)) p.unstated in
  if not (List.mem text [ "tuple"; "get-tuple-element"; "while"; "call"; "fusion"; "conditional" ]) && List.exists is_unstated operands then
    fail ("what an operand of '" ^ line.defines ^ "' reads is not stated");
  match text, line.declared with
  | "while", declared ->
      let operand = match operands with [ l ] when same_sizes l.declared declared -> l | _ -> fail "while has one operand, of its type" in
      let body =
        match List.sort compare written with
        | [ ("body", [ b ]); ("condition", [ _ ]) ] -> without_percent b
        | _ -> fail "while has a condition and a body" in
      let kept = kept_by (computation p body) declared in
      List.iteri (fun i is_kept -> if not is_kept then p.unstated <- (line.first + i) :: p.unstated) kept;
      (same_as operand.first declared, [ ("body", body) ])
  | ("call" | "fusion"), declared ->
      let key = if text = "call" then "to_apply" else "calls" in
      let f =
        match if text = "fusion" then List.remove_assoc "kind" written else written with
        | [ (k, [ f ]) ] when k = key -> without_percent f
        | _ -> fail (text ^ " has a computation that it calls") in
      let root = inline p (line.defines ^ "/") (computation p f) operands declared in
      (same_as root declared, [ (key, f) ])
  | "conditional", _ -> conditional p line operands written
  | "tuple", Tuple ts ->
      if List.length ts <> List.length operands || not (List.for_all2 (fun t l -> same_sizes t l.declared) ts operands) then
        fail "tuple: the types of its elements are others";
      if written <> [] then fail "tuple has no attributes";
      (List.concat_map (fun l -> same_as l.first l.declared) operands, [])
  | "get-tuple-element", declared -> (
      match operands, written with
      | [ { declared = Tuple ts; first; _ } ], [ ("index", [ w ]) ] ->
          let k = integer w in
          if k < 0 || k >= List.length ts || not (same_sizes (List.nth ts k) declared) then fail "get-tuple-element: the type is another";
          let before = List.concat_map leaves (List.filteri (fun i _ -> i < k) ts) in
          (same_as (first + List.length before) declared, [ ("index", string_of_int k) ])
      | _ -> fail "get-tuple-element has one operand, a tuple, and an index")
  | _, declared ->
      let types = List.map single operands in
      let numbers = nats (List.map (fun l -> l.first) operands) in
      (match declared with Tuple results -> check_results text operands results | Single _ -> ());
      let node out =
        let op = Hlo_opcode.opcode text written types out in
        Hlo_opcode.compare_back text written op types out;
        Result (op, numbers, zs out.sizes) in
      let results = leaves declared in
      let nodes = List.map node results in
      let attributes =
        match nodes, results with Result (op, _, _) :: _, out :: _ -> Hlo_opcode.printed text op types out | _ -> fail (text ^ " has no result") in
      (nodes, attributes)

let rec add_instruction ?(in_body = false) p text =
  let r, line = start p text in
  let opcode_text = next r in
  if in_body && opcode_text = "parameter" then add_parameter p line r else add_computed p line opcode_text r
and add_computed p line opcode_text r =
  expect r "(";
  let operand () =
    let given = match r.left with _ :: "[" :: _ | "(" :: _ -> Some (value_type r) | _ -> None in
    let l = line_of p (name r) in
    (match given with
     | Some t when not (same_sizes t l.declared) -> fail "the type of an operand is not that of its instruction"
     | _ -> ());
    l in
  let rec operands acc = let l = operand () in if takes r "," then operands (l :: acc) else (expect r ")"; List.rev (l :: acc)) in
  let operands = if takes r ")" then [] else operands [] in
  let nodes, attributes = meaning p line opcode_text operands (attributes ~but:(if opcode_text = "call" then [ "to_apply" ] else []) r) in
  (* The nodes of a computation that is called stand before. *)
  let line = { line with first = List.length p.nodes } in
  (* Ops that hand on an array of which nothing is stated. *)
  List.iteri (fun i node ->
      match node with
      | Result (_, l, _) when List.exists (fun o -> List.mem (int_of_nat o) p.unstated) l -> p.unstated <- (line.first + i) :: p.unstated
      | _ -> ()) nodes;
  let shown =
    Printf.sprintf "%s = %s %s(%s)%s" line.defines (type_text line.declared) opcode_text
      (String.concat ", " (List.map (fun l -> l.defines) operands))
      (String.concat "" (List.map (fun (key, v) -> ", " ^ key ^ "=" ^ v) attributes)) in
  add p { line with shown } nodes

let nodes p = List.rev p.nodes
let print p =
  let lines indent b = String.concat "" (List.rev_map (fun l -> indent ^ l.shown ^ "\n") b.lines) in
  let body (name, b) = "    " ^ name ^ ":\n" ^ lines "      " b in
  String.concat "" (List.rev_map body p.bodies) ^ lines "    " p

(* ---- The file that the lines are of ---- *)
(* `%f (p: f32[]) -> f32[] {` has the name f, `ENTRY e {` e. *)
let name_of_header line =
  match List.filter (fun w -> w <> "") (String.split_on_char ' ' (String.map (fun c -> if c = '(' || c = '{' then ' ' else c) line)) with
  | "ENTRY" :: w :: _ | w :: _ -> without_percent w
  | [] -> ""

(* The name of each computation and its instructions, each as one line: what stands between the brace that opens a computation and the
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
    if l <> "" then Option.iter (fun (_, table) -> Hashtbl.replace table l ()) current;
    Buffer.clear line in
  (* `HloModule m, frontend_attributes={...}` opens none, and `f32[2]{0}` is a layout. *)
  let opens i =
    let l = so_far () in
    let begins prefix = String.starts_with ~prefix l in
    (i = 0 || text.[i - 1] <> ']') && l <> "" && not (begins "HloModule" || begins "," || String.ends_with ~suffix:"=" l) in
  let rec go i depth current all =
    let bracket change = take i (i + 1); go (i + 1) (depth + change) current all in
    let whole until = take i until; go (min until n) depth current all in
    (* A comment before the name of a computation is no part of the name. *)
    let comment until = if current = None then go (min until n) depth current all else whole until in
    if i >= n then if current = None && depth = 0 then all else fail "a brace does not end"
    else match text.[i], depth with
      | '"', _ -> whole (string_end (i + 1))
      | '/', _ when at (i + 1) = '*' -> comment (comment_end (i + 2))
      | '/', _ when at (i + 1) = '/' -> comment (line_end i)
      | '\n', 0 when not (String.ends_with ~suffix:"," (so_far ())) -> ends current; go (i + 1) 0 current all
      | '\n', _ ->
          let before = so_far () in
          Buffer.clear line;
          Buffer.add_string line (before ^ " ");
          let rec next i = if at i = ' ' || at i = '\t' || at i = '\r' then next (i + 1) else i in
          go (next (i + 1)) depth current all
      | '{', 0 when current = None && opens i ->
          let name = name_of_header (so_far ()) in
          Buffer.clear line;
          go (i + 1) 0 (Some (name, Hashtbl.create 64)) all
      | '}', 0 when current <> None -> ends current; go (i + 1) 0 None (Option.get current :: all)
      | ('{' | '(' | '['), _ -> bracket 1
      | ('}' | ')' | ']'), 0 -> fail "a bracket too many"
      | ('}' | ')' | ']'), _ -> bracket (-1)
      | _ -> whole (i + 1) in
  go 0 0 None []
(* Are all lines of the program lines of one computation, and those of a body lines of that which has its name? *)
let is_of computations p =
  let has p (_, table) = List.for_all (fun l -> Hashtbl.mem table l.text) p.lines in
  List.exists (has p) computations
  && List.for_all (fun (name, b) -> List.exists (fun c -> fst c = name && has b c) computations) p.bodies
