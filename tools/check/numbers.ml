(* Conversions between OCaml's numbers, decimal text and the numbers of the checker. *)
open Checker

let rec positive_of n = if n = 1 then XH else if n land 1 = 0 then XO (positive_of (n lsr 1)) else XI (positive_of (n lsr 1))
let z_of n = if n = 0 then Z0 else if n > 0 then Zpos (positive_of n) else Zneg (positive_of (-n))
let nat_of n =
  let rec go n m = if n = 0 then m else go (n - 1) (S m) in
  go n O
let int_of_nat n =
  let rec go n k = match n with O -> k | S n -> go n (k + 1) in
  go n 0

let is_digit c = '0' <= c && c <= '9'
let is_number s =
  let digits = if s <> "" && s.[0] = '-' then String.sub s 1 (String.length s - 1) else s in
  digits <> "" && String.for_all is_digit digits

(* The number of a decimal text that is_number accepts. *)
let z_of_decimal s =
  if String.length s <= 18 then z_of (int_of_string s)
  else
    let negative = s.[0] = '-' in
    let value = ref Z0 in
    String.iter (fun c -> if is_digit c then value := Z.add (Z.mul !value (z_of 10)) (z_of (Char.code c - 48))) s;
    if negative then Z.opp !value else !value

(* Decimal text, by doubling the digits for each bit. *)
let decimal_of z =
  let double digits carry =
    let rec go carry = function
      | [] -> if carry = 0 then [] else [ carry ]
      | d :: rest -> let v = (2 * d) + carry in (v mod 10) :: go (v / 10) rest in
    go carry digits in
  let rec digits = function XH -> [ 1 ] | XO p -> double (digits p) 0 | XI p -> double (digits p) 1 in
  let text p = String.concat "" (List.rev_map string_of_int (digits p)) in
  match z with Z0 -> "0" | Zpos p -> text p | Zneg p -> "-" ^ text p
