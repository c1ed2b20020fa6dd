(* affirm-check: are certificates of claims about maps right? *)
let usage =
  "Checks certificates that affirm wrote with --certificates.\n\n\
   Usage: affirm-check FILE...\n\n\
   Prints each statement that it has checked. Exit status: 0 all accepted, 1 one rejected, 3 bad usage.\n"

let most_bytes = 1 lsl 26
let most_seconds = 120

exception Unreadable of string
exception Timeout

let read file =
  try
    let channel = open_in_bin file in
    let size = in_channel_length channel in
    if size > most_bytes then raise (Unreadable "the file is larger than 64 MiB");
    let text = really_input_string channel size in
    close_in channel;
    text
  with Sys_error _ | End_of_file -> raise (Unreadable "cannot read the file, expected a certificate")

let check file =
  let text = read file in
  let lines = String.split_on_char '\n' text in
  let lines = match List.rev lines with "" :: rest -> List.rev rest | _ -> lines in
  let l = { Certificate.all = Array.of_list lines; at = 0 } in
  let reject line message = Printf.printf "rejected: %s:%d: %s\n" file line message; false in
  try
    let rec each accepted =
      let line = l.at + 1 in
      let s, claim, evidence = Certificate.read_one l in
      if Checker.check claim evidence then
        let accepted = accepted ^ "accepted: " ^ file ^ ": " ^ Certificate.print s in
        if l.at < Array.length l.all then each accepted else (print_string accepted; true)
      else reject line "the proof does not show the claim" in
    each ""
  with
  | Certificate.Malformed (line, message) -> reject line message
  | Map_text.Error message -> reject l.at message
  | Stack_overflow -> reject l.at "the certificate is nested too deep"
  | Timeout -> reject l.at (Printf.sprintf "not checked within %d s" most_seconds)

let () =
  let files = List.tl (Array.to_list Sys.argv) in
  if files = [] || List.mem "--help" files then (print_string usage; exit (if files = [] then 3 else 0));
  Sys.set_signal Sys.sigalrm (Sys.Signal_handle (fun _ -> raise Timeout));
  ignore (Unix.alarm most_seconds);
  match List.filter (fun file -> not (check file)) files with
  | [] -> exit 0
  | _ -> exit 1
  | exception Unreadable message ->
      Printf.eprintf "%s: error: %s\n" (String.concat " " files) message;
      exit 3
