(* Prints the checker as OCaml, with integers of any size. *)
From Coq Require Import Extraction.
From Affirm Require Import map_claims polynomials proof_checker claim_checker hlo_reads reads_checker.
Extraction Language OCaml.
Extract Inductive bool => "bool" [ "true" "false" ].
Extract Inductive sumbool => "bool" [ "true" "false" ].
Extract Inductive list => "list" [ "[]" "(::)" ].
Extract Inductive option => "option" [ "Some" "None" ].
Extract Inductive prod => "( * )" [ "(,)" ].
Extraction "checker.ml" check check_reads as_maps fits.
