"""Alters packs in many ways and hands each to the checker that stands in them.

    python3 -I alter-packs.py COUNT SEED FINGERPRINT PACK.zip ...

Prints as JSON how many were altered in which way, and which of them the checker accepted. With KEEP_PACKS in the
environment, the altered packs stay in that folder, and `judged` says of each what the checker finds: with the
fingerprint, without it, and the key that it then names.
"""
import hashlib
import importlib.util
import io
import json
import os
import random
import sys
import tempfile
import warnings
import zipfile

COUNT, SEED, FINGERPRINT, PACKS = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:]
random = random.Random(SEED)
FOLDER = tempfile.mkdtemp()
KEEP = os.environ.get("KEEP_PACKS")

with zipfile.ZipFile(PACKS[0]) as own:
    own.extract("verify.py", FOLDER)
spec = importlib.util.spec_from_file_location("verify", os.path.join(FOLDER, "verify.py"))
verify = importlib.util.module_from_spec(spec)
spec.loader.exec_module(verify)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def split(data):
    """The ZIP, and the comment that seals it."""
    comment = verify.END.search(data)[0]
    return data[: -len(comment)], comment


def open_files(data):
    with zipfile.ZipFile(io.BytesIO(data)) as pack:
        return {name: pack.read(name) for name in pack.namelist()}


def pack_anew(files, comment):
    """A pack that agrees with itself: its checksums are those of the files as they are now."""
    listed = {name: content for name, content in files.items() if name != "SHA256SUMS"}
    manifest = json.loads(listed["manifest.json"])
    for file in manifest["files"]:
        content = listed.get(file["path"], b"")
        file.update(bytes=len(content), sha256=hashlib.sha256(content).hexdigest())
    listed["manifest.json"] = (json.dumps(manifest, indent=2) + "\n").encode()
    lines = [hashlib.sha256(content).hexdigest() + "  " + name + "\n" for name, content in listed.items()]
    listed["SHA256SUMS"] = "".join(lines).encode()
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as pack:
        for name, content in listed.items():
            pack.writestr(zipfile.ZipInfo(name, (2026, 11, 28, 10, 0, 0)), content)
        pack.comment = comment
    return target.getvalue()


def sign(data, length):
    """Seals a ZIP with a key of its own, as whoever alters a pack can."""
    digest = hashlib.sha512(random.randbytes(32)).digest()
    scalar = int.from_bytes(digest[:32], "little") & ((1 << 254) - 8) | (1 << 254)
    key = verify.encode(verify.multiply(scalar, verify.BASE))
    message = verify.MARK + b"\n" + hashlib.sha256(data).digest()
    nonce = int.from_bytes(hashlib.sha512(digest[32:] + message).digest(), "little") % verify.ORDER
    point = verify.encode(verify.multiply(nonce, verify.BASE))
    factor = int.from_bytes(hashlib.sha512(point + key + message).digest(), "little") % verify.ORDER
    rest = ((nonce + factor * scalar) % verify.ORDER).to_bytes(32, "little")
    comment = verify.MARK + b" ed25519 " + key.hex().encode() + b" " + (point + rest).hex().encode()
    assert len(comment) == length and verify.is_signed(key, message, point + rest)
    return data + comment


def alter_byte(data):
    at = random.randrange(len(data))
    return data[:at] + bytes([data[at] ^ random.randrange(1, 256)]) + data[at + 1 :]


def alter_record(data):
    files, comment = open_files(data), split(data)[1]
    lines = files["records.ndjson"].splitlines(keepends=True)
    record = json.loads(lines[random.randrange(len(lines))])
    record["ReponseCode"] = random.choice([200, 418, 503]) + random.randrange(1, 90)
    place = random.randrange(len(lines))
    lines[place] = (json.dumps(record) + "\n").encode()
    files["records.ndjson"] = b"".join(lines)
    return pack_anew(files, comment)


def drop_record(data):
    files, comment = open_files(data), split(data)[1]
    lines = files["records.csv"].split(b"\r\n")
    del lines[random.randrange(1, len(lines) - 1)]
    files["records.csv"] = b"\r\n".join(lines)
    return pack_anew(files, comment)


def alter_date(data):
    files, comment = open_files(data), split(data)[1]
    manifest = json.loads(files["manifest.json"])
    manifest["exportedAt"] = "20%02d-0%d-1%dT10:00:00.000Z" % tuple(random.randrange(1, 9) for _ in range(3))
    files["manifest.json"] = json.dumps(manifest).encode()
    return pack_anew(files, comment)


def alter_zip_date(data):
    """The time that a file has in the ZIP, in its head and in the directory."""
    content, _ = split(data)
    at = content.rindex(b"PK\x01\x02")
    changed = bytearray(data)
    changed[at + 12] ^= random.randrange(1, 256)
    return bytes(changed)


def alter_certificate(data):
    files, comment = open_files(data), split(data)[1]
    name = random.choice([name for name in files if name.startswith("certificates/")])
    certificate = json.loads(files[name])
    pages = certificate["pageSha256"]
    pages[random.randrange(len(pages))] = random.randbytes(32).hex()
    certificate["pagesSha256"] = hashlib.sha256("".join(page + "\n" for page in pages).encode()).hexdigest()
    files[name] = json.dumps(certificate).encode()
    return pack_anew(files, comment)


def drop_file(data):
    files, comment = open_files(data), split(data)[1]
    del files[random.choice([name for name in files if name not in ("manifest.json", "SHA256SUMS")])]
    return pack_anew(files, comment)


def add_file(data):
    files, comment = open_files(data), split(data)[1]
    files["more-%d.txt" % random.randrange(1000)] = b"more"
    return pack_anew(files, comment)


def sign_with_another_key(data):
    content, comment = split(random.choice([alter_record, alter_date, lambda same: same])(data))
    return sign(content, len(comment))


def sign_what_disagrees(data):
    """Signed rightly with another key, but its files are not those that it lists."""
    files, comment = open_files(data), split(data)[1]
    certificate = next(name for name in files if name.startswith("certificates/"))
    way = random.randrange(6)
    if way == 0:
        files["records.csv"] += b"more"
    elif way == 1:
        del files["README.txt"]
    elif way == 2:
        files["more.txt"] = b"more"
    elif way == 3:
        del files["SHA256SUMS"]
    elif way == 4:
        # The sums are right, and the certificate isn't that of its pages.
        changed = json.loads(files[certificate])
        changed["pageSha256"].append("00" * 32)
        files[certificate] = json.dumps(changed).encode()
        return sign(pack_anew(files, comment)[: -len(comment)], len(comment))
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as pack:
        for name, content in files.items():
            pack.writestr(zipfile.ZipInfo(name, (2026, 11, 28, 10, 0, 0)), content)
        if way == 5:
            warnings.simplefilter("ignore")
            pack.writestr("README.txt", files["README.txt"])
        pack.comment = comment
    return sign(target.getvalue()[: -len(comment)], len(comment))


def take_signature_of_another_pack(data):
    content, comment = split(data)
    others = [split(read(path))[1] for path in PACKS]
    return content + random.choice([other for other in others if other != comment])


def alter_signature(data):
    content, comment = split(data)
    head, signature = comment[:-128], bytes.fromhex(comment[-128:].decode())
    scalar = int.from_bytes(signature[32:], "little")
    again = (scalar + verify.ORDER * random.choice([1, 2, 3, 4, 5, 6, 7, 8])).to_bytes(32, "little")
    written = random.choice(
        [
            # The same number, written in another way; a point that adds nothing; nothing at all.
            signature[:32] + again,
            verify.encode((0, 1, 1, 0)) + signature[32:],
            bytes(64),
            signature[32:] + signature[:32],
        ]
    )
    return content + head + written.hex().encode()


def spell_otherwise(data):
    content, comment = split(data)
    letters = [at for at in range(len(verify.MARK) + 9, len(comment)) if comment[at : at + 1].isalpha()]
    at = random.choice(letters)
    return content + comment[:at] + comment[at : at + 1].upper() + comment[at + 1 :]


def take_signature_off(data):
    content, comment = split(data)
    return random.choice(
        [content, content + verify.MARK + b" unsigned no-secret-store", pack_anew(open_files(data), b"")]
    )


def put_around(data):
    more = random.randbytes(random.randrange(1, 40))
    return random.choice([data + more, more + data])


def cut(data):
    return data[: random.randrange(len(data))]


WAYS = [
    *(alter_byte, alter_byte, alter_byte, alter_record, drop_record, alter_date, alter_zip_date),
    *(alter_certificate, drop_file, add_file, sign_with_another_key, take_signature_of_another_pack),
    *(sign_what_disagrees, alter_signature, spell_otherwise, take_signature_off, put_around, cut),
]


def judge(data, expected=FINGERPRINT):
    path = os.path.join(FOLDER, "altered.zip")
    with open(path, "wb") as file:
        file.write(data)
    return check(path, expected)[1]


def check(path, expected):
    """The key that it names, and why it is refused: one of both."""
    try:
        return verify.check(path, expected), None
    except (verify.Refused, OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        return None, str(error) or type(error).__name__


packs = [read(path) for path in PACKS]
unaltered = [judge(data) for data in packs]
ways, accepted, judged = {}, [], []
for number in range(COUNT):
    way = WAYS[number % len(WAYS)]
    data = random.choice(packs)
    altered = way(data)
    assert altered != data
    ways[way.__name__] = ways.get(way.__name__, 0) + 1
    if judge(altered) is None:
        accepted.append([number, way.__name__])
    if KEEP is not None:
        path = os.path.join(KEEP, "%d.zip" % number)
        with open(path, "wb") as file:
            file.write(altered)
        with_key, without = check(path, FINGERPRINT), check(path, None)
        judged.append({"path": path, "way": way.__name__, "withKey": with_key, "without": without})
print(json.dumps({"unaltered": unaltered, "ways": ways, "accepted": accepted, "judged": judged}))
