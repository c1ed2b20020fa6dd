(* affirm-check: are certificates of claims about maps right? *)
let usage =
  "Checks certificates that affirm wrote with --certificates.\n\n\
   Usage: affirm-check [--times] [--hlo MODULE] FILE...\n\
  \       affirm-check --coq FILE...\n\n\
   Prints each statement that it has checked. With --hlo, the instructions of each must be lines of one computation of\n\
   the module. --times says at the end how long a certificate took. With --coq, checks nothing, and prints each certificate as a theorem of Coq, for coqc. Exit status: 0 all\n\
   accepted, 1 one rejected, 3 bad usage.\n"

let most_bytes = 1 lsl 26
let most_seconds = 120

exception Unreadable of string
exception Timeout

let read file =
  try
    let channel = open_in_bin file in
    let size = in_channel_length channel in
    if size > most_bytes then raise (Unreadable (file ^ ": the file is larger than 64 MiB"));
    let text = really_input_string channel size in
    close_in channel;
    text
  with Sys_error _ | End_of_file -> raise (Unreadable (file ^ ": cannot read the file"))

(* The text for a certificate that is accepted, or the reason why it is not. *)
let accept modules file (c : Certificate.certificate) =
  let is_of_module =
    match modules, c.statement with
    | None, _ -> true
    | Some m, Certificate.Reads s -> Hlo_text.is_of m s.program
    | Some _, Certificate.Maps _ -> false in
  if not is_of_module then Error "the instructions are not lines of one computation of the module"
  else if Certificate.is_shown c then Ok ("accepted: " ^ file ^ ": " ^ Certificate.print c.statement)
  else Error "the proof does not show the claim"

(* Milliseconds that each certificate took to be read and checked. *)
let times = ref []
let timed f =
  let start = Unix.gettimeofday () in
  let result = f () in
  times := (1000. *. (Unix.gettimeofday () -. start)) :: !times;
  result
let print_times () =
  let sorted = Array.of_list (List.sort compare !times) in
  let n = Array.length sorted in
  if n > 0 then Printf.printf "%d certificates: median %.3f ms, largest %.3f ms\n" n sorted.(n / 2) sorted.(n - 1)

let theorems = ref 0
let as_theorem _ c =
  incr theorems;
  Ok (Coq_text.theorem (Printf.sprintf "certificate_%d" !theorems) c)

(* Prints what `judge` says of each certificate of a file; false where it refuses one. *)
let check judge file =
  let text = read file in
  let lines = String.split_on_char '\n' text in
  let lines = match List.rev lines with "" :: rest -> List.rev rest | _ -> lines in
  let l = { Lines.all = Array.of_list lines; at = 0 } in
  let reject line message = Printf.printf "rejected: %s:%d: %s\n" file line message; false in
  try
    let rec each accepted =
      let line = l.at + 1 in
      match timed (fun () -> judge file (Certificate.read_one l)) with
      | Error why -> reject line why
      | Ok text ->
          let accepted = accepted ^ text in
          if l.at < Array.length l.all then each accepted else (print_string accepted; true) in
    each ""
  with
  | Lines.Malformed (line, message) -> reject line message
  | Map_text.Error message | Hlo_words.Error message -> reject l.at message
  | Invalid_argument _ | Failure _ -> reject l.at "lists of different lengths, or a number beyond 62 bits"
  | Stack_overflow -> reject l.at "the certificate is nested too deep"
  | Timeout -> reject l.at (Printf.sprintf "not checked within %d s" most_seconds)

let () =
  let arguments = List.tl (Array.to_list Sys.argv) in
  if List.mem "--help" arguments then (print_string usage; exit 0);
  let to_coq, arguments = match arguments with "--coq" :: files -> (true, files) | files -> (false, files) in
  let with_times, arguments = match arguments with "--times" :: rest when not to_coq -> (true, rest) | rest -> (false, rest) in
  let hlo, files =
    match arguments with "--hlo" :: hlo :: files when not to_coq -> (Some hlo, files) | files -> (None, files) in
  if files = [] || List.exists (fun f -> f = "" || f.[0] = '-') files then (prerr_string usage; exit 3);
  Sys.set_signal Sys.sigalrm (Sys.Signal_handle (fun _ -> raise Timeout));
  ignore (Unix.alarm most_seconds);
  match
    let computations file =
      try Hlo_text.computations (read file) with Hlo_words.Error message -> raise (Unreadable (file ^ ": " ^ message)) in
    let modules = Option.map computations hlo in
    if to_coq then print_string Coq_text.imports;
    let judge = if to_coq then as_theorem else accept modules in
    let refused = List.filter (fun file -> not (check judge file)) files in
    if with_times then print_times ();
    refused
  with
  | [] -> exit 0
  | _ -> exit 1
  | exception Unreadable message ->
      Printf.eprintf "error: %s\n" message;
      exit 3
