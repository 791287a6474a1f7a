/** `verify.ps1` of a pack: the same as `verify.py`, line by line, with what Windows brings. */
export const POWERSHELL_CHECKER = String.raw`# Checks a Channelscope evidence pack. Needs Windows PowerShell 5.1 or later, and nothing else.
#
#     powershell -ExecutionPolicy Bypass -File verify.ps1 PACK.zip FINGERPRINT
#
# FINGERPRINT is that of the sender's key. Get it from the sender, not from the pack.
# Exit code 0: signed with that key, and nothing was altered since.
# Exit code 1: refused. Exit code 2: wrong usage.
# Exit code 3: nothing was altered since it was signed, but without FINGERPRINT nobody knows by whom.
param([string]$Path, [string]$Fingerprint)
$ErrorActionPreference = 'Stop'
Set-StrictMode -Version 2
Add-Type -AssemblyName System.Numerics
Add-Type -AssemblyName System.IO.Compression

$P = [bigint]::Pow(2, 255) - 19
$Order = [bigint]::Pow(2, 252) + [bigint]::Parse('27742317777372353535851937790883648493')
$Mark = 'channelscope-evidence-pack/1'
$End = $Mark + ' (?:ed25519 ([0-9a-f]{64}) ([0-9a-f]{128})|unsigned ([a-z-]+))\z'
$Sha256 = [System.Security.Cryptography.SHA256]::Create()
$Sha512 = [System.Security.Cryptography.SHA512]::Create()

function Limit([bigint]$number) { $rest = $number % $P; if ($rest.Sign -lt 0) { $rest + $P } else { $rest } }
function Invert([bigint]$number) { [bigint]::ModPow((Limit $number), $P - 2, $P) }
# A byte of zero at the end keeps the number positive.
function ToNumber([byte[]]$bytes) { [bigint]::new([byte[]]($bytes + [byte[]]@(0))) }
function ToHex([byte[]]$bytes) { [BitConverter]::ToString($bytes).Replace('-', '').ToLowerInvariant() }
function FromHex([string]$text) {
  , [byte[]]@(for ($at = 0; $at -lt $text.Length; $at += 2) { [Convert]::ToByte($text.Substring($at, 2), 16) })
}
$Two = [bigint]2
$D = Limit ((Invert 121666) * -121665)

# Ed25519, RFC 8032 section 5.1: points are (X, Y, Z, T) with x = X/Z, y = Y/Z, x*y = T/Z.
function AddPoints([bigint[]]$p1, [bigint[]]$q1) {
  $a = ($p1[1] - $p1[0]) * ($q1[1] - $q1[0]); $b = ($p1[1] + $p1[0]) * ($q1[1] + $q1[0])
  $c = $Two * $p1[3] * $q1[3] * $D; $dd = $Two * $p1[2] * $q1[2]
  $e = $b - $a; $f = $dd - $c; $g = $dd + $c; $h = $b + $a
  , [bigint[]]@((Limit ($e * $f)), (Limit ($g * $h)), (Limit ($f * $g)), (Limit ($e * $h)))
}
function Multiply([bigint]$scalar, [bigint[]]$point) {
  $total = [bigint[]]@(0, 1, 1, 0)
  while ($scalar.Sign -gt 0) {
    if (-not $scalar.IsEven) { $total = AddPoints $total $point }
    $point = AddPoints $point $point
    $scalar = [bigint]::Divide($scalar, 2)
  }
  , $total
}
function Decode([byte[]]$text) {
  $number = ToNumber $text
  $half = [bigint]::Pow(2, 255)
  $y = $number % $half; $sign = [bigint]::Divide($number, $half)
  $square = Limit (($y * $y - 1) * (Invert ($D * $y * $y + 1)))
  $x = [bigint]::ModPow($square, [bigint]::Divide($P + 3, 8), $P)
  if ((Limit ($x * $x - $square)) -ne 0) {
    $x = Limit ($x * [bigint]::ModPow(2, [bigint]::Divide($P - 1, 4), $P))
  }
  if ($y -ge $P -or (Limit ($x * $x - $square)) -ne 0 -or ($x -eq 0 -and $sign -eq 1)) {
    throw 'The public key in the pack is no key.'
  }
  if ($x % 2 -ne $sign) { $x = $P - $x }
  , [bigint[]]@($x, $y, 1, (Limit ($x * $y)))
}
function Encode([bigint[]]$point) {
  $inverse = Invert $point[2]
  $x = Limit ($point[0] * $inverse); $y = Limit ($point[1] * $inverse)
  $bytes = [byte[]]::new(32)
  $written = ($y + ($x % 2) * [bigint]::Pow(2, 255)).ToByteArray()
  [Array]::Copy($written, $bytes, [Math]::Min(32, $written.Length))
  , $bytes
}
function IsSigned([byte[]]$key, [byte[]]$message, [byte[]]$signature) {
  $scalar = ToNumber $signature[32..63]
  if ($scalar -ge $Order) { return $false }
  $point = Decode $key
  $digest = $Sha512.ComputeHash([byte[]]($signature[0..31] + $key + $message))
  $factor = (ToNumber $digest) % $Order
  $base = Decode (Encode ([bigint[]]@(0, (Limit ((Invert 5) * 4)), 1, 0)))
  $opposite = [bigint[]]@(($P - $point[0]), $point[1], $point[2], ($P - $point[3]))
  $sum = AddPoints (Multiply $scalar $base) (Multiply $factor $opposite)
  (ToHex (Encode $sum)) -eq (ToHex $signature[0..31])
}

# Every file has its checksum, every checksum its file, and certificates their pages.
function CheckFiles([System.IO.Stream]$file) {
  $pack = [System.IO.Compression.ZipArchive]::new($file, 'Read', $true)
  $read = { param($entry) $reader = [System.IO.StreamReader]::new($entry.Open()); $reader.ReadToEnd(); $reader.Dispose() }
  $sums = @{}
  foreach ($line in (& $read $pack.GetEntry('SHA256SUMS')).TrimEnd().Split([char]10)) {
    $sums[$line.Substring(66)] = $line.Substring(0, 64)
  }
  $names = @($pack.Entries | ForEach-Object { $_.FullName })
  $listed = @($sums.Keys) + 'SHA256SUMS'
  if ((($names | Sort-Object) -join '|') -cne (($listed | Sort-Object) -join '|')) {
    throw 'The files of the pack are not those that it lists.'
  }
  foreach ($entry in $pack.Entries) {
    if ($entry.FullName -eq 'SHA256SUMS') { continue }
    $stream = $entry.Open()
    $found = ToHex $Sha256.ComputeHash($stream)
    $stream.Dispose()
    if ($found -cne $sums[$entry.FullName]) { throw ($entry.FullName + ' does not have its checksum.') }
    if ($entry.FullName.StartsWith('certificates/')) {
      $certificate = (& $read $entry) | ConvertFrom-Json
      $pages = (@($certificate.pageSha256) | ForEach-Object { $_ + [char]10 }) -join ''
      if ((ToHex $Sha256.ComputeHash([Text.Encoding]::UTF8.GetBytes($pages))) -cne $certificate.pagesSha256) {
        throw ($entry.FullName + ' does not fit its pages.')
      }
    }
  }
}

# Returns the fingerprint of the key that signed an unaltered pack; throws for every other file.
function CheckPack([string]$path, [string]$expected) {
  $file = [System.IO.File]::OpenRead((Resolve-Path -LiteralPath $path).ProviderPath)
  try {
    $start = [Math]::Max([long]0, $file.Length - 300)
    $tail = [byte[]]::new($file.Length - $start)
    $null = $file.Seek($start, 'Begin')
    $null = $file.Read($tail, 0, $tail.Length)
    # One byte is one character, so that places in the text are places in the file.
    $text = [Text.Encoding]::GetEncoding(28591).GetString($tail)
    $found = [regex]::Match($text, $End)
    if (-not $found.Success) { throw 'It does not end as a pack does: it was altered, packed anew, or is none.' }
    if ($found.Groups[3].Success) { throw ('The pack is not signed: ' + $found.Groups[3].Value + '.') }
    $key = FromHex $found.Groups[1].Value; $signature = FromHex $found.Groups[2].Value
    $fingerprint = ToHex $Sha256.ComputeHash($key)
    if ($expected -ne '' -and $fingerprint -ne $expected) { throw ('It is signed with another key: ' + $fingerprint) }
    # All that stands before the signature, the directory of the ZIP included.
    $left = $file.Length - $found.Length
    $null = $file.Seek(0, 'Begin')
    $hash = [System.Security.Cryptography.SHA256]::Create()
    $piece = [byte[]]::new(1048576)
    while ($left -gt 0) {
      $count = $file.Read($piece, 0, [int][Math]::Min([long]$piece.Length, $left))
      if ($count -le 0) { throw 'The file ends too early.' }
      $null = $hash.TransformBlock($piece, 0, $count, $null, 0)
      $left -= $count
    }
    $null = $hash.TransformFinalBlock($piece, 0, 0)
    $message = [byte[]]([Text.Encoding]::ASCII.GetBytes($Mark) + [byte[]]@(10) + $hash.Hash)
    if (-not (IsSigned $key $message $signature)) { throw 'The signature does not fit: the pack was altered.' }
    $null = $file.Seek(0, 'Begin')
    CheckFiles $file
    $fingerprint
  } finally { $file.Dispose() }
}

$expected = ($Fingerprint -replace '[\s:]', '').ToLowerInvariant()
if ($Path -eq '' -or ($expected -ne '' -and $expected -notmatch '^[0-9a-f]{64}\z')) {
  Write-Output 'Usage: verify.ps1 PACK.zip FINGERPRINT (64 digits and letters from a to f)'
  exit 2
}
try { $signer = CheckPack $Path $expected } catch { Write-Output ('REFUSED: ' + $_.Exception.Message); exit 1 }
if ($expected -eq '') {
  Write-Output ('UNALTERED since it was signed with the key ' + $signer)
  Write-Output 'Compare this fingerprint with the one that the sender gave you: anyone can sign with some key.'
  exit 3
}
Write-Output ('ACCEPTED: unaltered, and signed with the key ' + $signer)
exit 0
`;

/** `verify.py` of a pack: the standard library of Python has no Ed25519, so it stands in it, as RFC 8032 describes it. */
export const PYTHON_CHECKER = String.raw`#!/usr/bin/env python3
"""Checks a Channelscope evidence pack. Needs Python 3.8 or later, and nothing else.

    python3 verify.py PACK.zip FINGERPRINT

FINGERPRINT is that of the sender's key. Get it from the sender, not from the pack.
Exit code 0: signed with that key, and nothing was altered since.
Exit code 1: refused. Exit code 2: wrong usage.
Exit code 3: nothing was altered since it was signed, but without FINGERPRINT nobody knows by whom.
"""
import hashlib
import json
import re
import sys
import zipfile

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
MARK = b"channelscope-evidence-pack/1"
END = re.compile(MARK + rb" (?:ed25519 ([0-9a-f]{64}) ([0-9a-f]{128})|unsigned ([a-z-]+))\Z")


class Refused(Exception):
    pass


# Ed25519, RFC 8032 section 5.1: points are (X, Y, Z, T) with x = X/Z, y = Y/Z, x*y = T/Z.
def add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]), (p[1] + p[0]) * (q[1] + q[0])
    c, d = 2 * p[3] * q[3] * D, 2 * p[2] * q[2]
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiply(scalar, point):
    total = (0, 1, 1, 0)
    while scalar > 0:
        if scalar & 1:
            total = add(total, point)
        point = add(point, point)
        scalar >>= 1
    return total


def decode(text):
    number = int.from_bytes(text, "little")
    y, sign = number & ((1 << 255) - 1), number >> 255
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * pow(2, (P - 1) // 4, P) % P
    if y >= P or (x * x - square) % P != 0 or (x == 0 and sign == 1):
        raise Refused("The public key in the pack is no key.")
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P


def encode(point):
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


BASE = decode((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def is_signed(key, message, signature):
    scalar = int.from_bytes(signature[32:], "little")
    if scalar >= ORDER:
        return False
    x, y, z, t = decode(key)
    digest = hashlib.sha512(signature[:32] + key + message).digest()
    factor = int.from_bytes(digest, "little") % ORDER
    point = add(multiply(scalar, BASE), multiply(factor, (P - x, y, z, P - t)))
    return encode(point) == signature[:32]


def sum_up(file, size):
    total = hashlib.sha256()
    while size > 0:
        piece = file.read(min(size, 1 << 20))
        if not piece:
            raise Refused("The file ends too early.")
        total.update(piece)
        size -= len(piece)
    return total


def check_files(path):
    """Every file has its checksum, every checksum its file, and certificates their pages."""
    with zipfile.ZipFile(path) as pack:
        lines = pack.read("SHA256SUMS").decode().splitlines()
        sums = {line[66:]: line[:64] for line in lines}
        if sorted(pack.namelist()) != sorted([*sums, "SHA256SUMS"]):
            raise Refused("The files of the pack are not those that it lists.")
        for info in pack.infolist():
            with pack.open(info) as file:
                found = sum_up(file, info.file_size).hexdigest()
            if info.filename != "SHA256SUMS" and found != sums[info.filename]:
                raise Refused(info.filename + " does not have its checksum.")
            if info.filename.startswith("certificates/"):
                certificate = json.loads(pack.read(info))
                pages = "".join(page + "\n" for page in certificate["pageSha256"])
                if hashlib.sha256(pages.encode()).hexdigest() != certificate["pagesSha256"]:
                    raise Refused(info.filename + " does not fit its pages.")


def check(path, expected=None):
    """Returns the fingerprint of the key that signed an unaltered pack; raises Refused for every other file."""
    with open(path, "rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - 300))
        found = END.search(file.read())
        if found is None:
            raise Refused("It does not end as a pack does: it was altered, packed anew, or is none.")
        if found[3] is not None:
            raise Refused("The pack is not signed: " + found[3].decode() + ".")
        key, signature = bytes.fromhex(found[1].decode()), bytes.fromhex(found[2].decode())
        fingerprint = hashlib.sha256(key).hexdigest()
        if expected is not None and fingerprint != expected:
            raise Refused("It is signed with another key: " + fingerprint)
        file.seek(0)
        # All that stands before the signature, the directory of the ZIP included.
        digest = sum_up(file, size - len(found[0])).digest()
    if not is_signed(key, MARK + b"\n" + digest, signature):
        raise Refused("The signature does not fit: the pack was altered.")
    check_files(path)
    return fingerprint


def main(values):
    expected = re.sub(r"[\s:]", "", "".join(values[1:])).lower() if len(values) > 1 else None
    if not values or (expected is not None and not re.fullmatch("[0-9a-f]{64}", expected)):
        print("Usage: python3 verify.py PACK.zip FINGERPRINT (64 digits and letters from a to f)")
        return 2
    try:
        fingerprint = check(values[0], expected)
    except (Refused, OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        print("REFUSED: " + str(error))
        return 1
    if expected is None:
        print("UNALTERED since it was signed with the key " + fingerprint)
        print("Compare this fingerprint with the one that the sender gave you: anyone can sign with some key.")
        return 3
    print("ACCEPTED: unaltered, and signed with the key " + fingerprint)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
`;
