(* A certificate: a statement, and evidence for the checker. *)
open Lines

type statement = Maps of Map_statement.statement | Reads of Reads_statement.statement
type claim = About_maps of Checker.claim | About_reads of Checker.reads_claim
type certificate = { statement : statement; claim : claim; evidence : Checker.evidence list }

let read_one l =
  if next l <> "affirm certificate 2" then malformed l "expected 'affirm certificate 2'";
  let statement, claim, parts =
    match words (next l) with
    | [ "claim"; "reads"; (("exact" | "at-most") as how); source; "by"; reader ] ->
        let s, claim = Reads_statement.read l how source reader in
        (Reads s, About_reads claim, Reads_statement.parts l s claim)
    | claim ->
        let s, claim = Map_statement.read l claim in
        (Maps s, About_maps claim, Map_statement.parts s) in
  let evidence = List.map (Evidence_text.read l) parts in
  if next l <> "end" then malformed l "expected 'end'";
  { statement; claim; evidence }

let is_shown c =
  match c.claim with
  | About_maps claim -> Checker.check claim c.evidence
  | About_reads claim -> Checker.check_reads claim c.evidence

let print = function Maps s -> Map_statement.print s | Reads s -> Reads_statement.print s
