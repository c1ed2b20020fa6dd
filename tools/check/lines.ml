(* The lines of a file of certificates (docs/certificates.md). *)
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
let starts_with prefix line = String.length line > String.length prefix && String.sub line 0 (String.length prefix) = prefix
let rest_of prefix line = String.sub line (String.length prefix) (String.length line - String.length prefix)
