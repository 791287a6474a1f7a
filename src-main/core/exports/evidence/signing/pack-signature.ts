import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { toErrorInfo } from '../../../../common/contract/errors.ts';
import { findJsonExcess } from '../../../../common/json.ts';
import type { PackSignature } from '../../../../common/model/exports/export-options.ts';
import { isJsonObject } from '../../../../common/reporting/reading/read-json.ts';
import { toErrorText } from '../../../../node/error-text.ts';
import type { Logger } from '../../../logging/logger.ts';
import type { SecretStore } from '../../../secrets/secret-store.ts';

/** What the seal of every pack, and every signed message, begins with. */
const PACK_MARK = 'channelscope-evidence-pack/1';
/** The key is no connection's. */
const ENTRY = 'evidence-packs';
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** Ends one pack. */
export interface PackSeal {
  readonly signature: PackSignature;
  /** The length of what `write` returns: it is part of what is signed. */
  readonly bytes: number;
  /** Returns the comment that ends the ZIP; `sha256` is that of everything before it, in hex. */
  write(sha256: string): string;
}

/** Signs packs with the key of this computer's user. */
export interface PackSigner {
  /** How the next pack will be signed. Never makes a key, never rejects. */
  find(): Promise<PackSignature>;
  /** Makes the key where there is none yet. Never rejects: a pack that can't be signed says so. */
  open(): Promise<PackSeal>;
}

/** Makes the signer; its private key is in the secret store, and nowhere where that forgets. */
export function createPackSigner(options: {
  readonly secrets: SecretStore;
  readonly logger: Logger;
  /** Makes a secret known to whatever writes logs. */
  readonly noteSecret: (secret: string) => void;
}): PackSigner {
  const { secrets, logger, noteSecret } = options;
  let making: Promise<KeyObject> | null = null;

  const readKey = async (): Promise<KeyObject | null> => {
    const kept = await secrets.get(ENTRY, 'packSigningKey');
    if (kept === null) return null;
    noteSecret(kept);
    return createPrivateKey({ key: Buffer.from(kept, 'base64'), format: 'der', type: 'pkcs8' });
  };
  const makeKey = async (): Promise<KeyObject> => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const written = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
    noteSecret(written);
    await secrets.set(ENTRY, 'packSigningKey', written);
    return privateKey;
  };
  const attempt = async <Value>(
    read: () => Promise<Value>,
    fallBack: (reason: NonNullable<PackSignature['unsigned']>) => Value,
  ): Promise<Value> => {
    // A key that is forgotten when the application ends would prove nothing afterwards.
    if (secrets.kind === 'session') return fallBack('no-secret-store');
    try {
      return await read();
    } catch (error) {
      logger.warn('packs are not signed', { code: toErrorInfo(error).code });
      return fallBack('key-unreadable');
    }
  };
  return {
    find: () =>
      attempt(
        async () => {
          const key = await readKey();
          return { fingerprint: key === null ? null : toFingerprint(toPublicKey(key)), unsigned: null };
        },
        (unsigned): PackSignature => ({ fingerprint: null, unsigned }),
      ),
    open: () =>
      attempt(async () => {
        making ??= readKey().then((key) => key ?? makeKey());
        try {
          return createSeal(await making);
        } finally {
          making = null;
        }
      }, createOpenSeal),
  };
}

function toPublicKey(key: KeyObject): Buffer {
  // The last bytes of the structure are the key itself.
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-KEY_BYTES);
}

/** The fingerprint of a public key, in hex. */
function toFingerprint(publicKey: Uint8Array): string {
  return hash('sha256', publicKey);
}

function createSeal(key: KeyObject): PackSeal {
  const publicKey = toPublicKey(key);
  const head = `${PACK_MARK} ed25519 ${publicKey.toString('hex')} `;
  return {
    signature: { fingerprint: toFingerprint(publicKey), unsigned: null },
    bytes: head.length + 2 * SIGNATURE_BYTES,
    write(sha256) {
      const message = Buffer.concat([Buffer.from(`${PACK_MARK}\n`), Buffer.from(sha256, 'hex')]);
      return head + sign(null, message, key).toString('hex');
    },
  };
}

function createOpenSeal(unsigned: NonNullable<PackSignature['unsigned']>): PackSeal {
  const text = `${PACK_MARK} unsigned ${unsigned}`;
  return { signature: { fingerprint: null, unsigned }, bytes: text.length, write: () => text };
}

/** What a check of a pack found. */
type PackVerdict =
  /** Nothing was altered since it was signed; by whom is known only where a fingerprint was expected. */
  | { readonly isAccepted: true; readonly fingerprint: string }
  | { readonly isAccepted: false; readonly reason: string };

/** Why a pack is refused, as a sentence. */
class Refusal extends Error {}

const SEAL = new RegExp(`${PACK_MARK} (?:ed25519 ([0-9a-f]{64}) ([0-9a-f]{128})|unsigned ([a-z-]+))$`);
/** Longer than any seal. */
const TAIL_BYTES = 300;
const SUMS = 'SHA256SUMS';
/** More than the sums of any pack, or the certificate of any download, take. */
const MAX_TEXT_BYTES = 256 * 1024 * 1024;
const CERTIFICATE_LIMITS = { depth: 20, parts: 10_000_000 };
/** What stands in DER before the 32 bytes of a public Ed25519 key. */
const KEY_HEAD = Buffer.from('302a300506032b6570032100', 'hex');
const FIELD = 2n ** 255n - 19n;

/**
 * Checks a pack as the checkers inside it do: its signature over every byte, then that its files are those it lists, with
 * their checksums, and that certificates fit their pages. Rejects with the signal's reason when aborted, and never
 * otherwise: a file that is no pack, or can't be read, is refused.
 */
export async function checkPack(
  path: string,
  { expected, signal }: { readonly expected: string | null; readonly signal: AbortSignal },
): Promise<PackVerdict> {
  try {
    const fingerprint = await checkSeal(path, expected, signal);
    await checkFiles(path, signal);
    return { isAccepted: true, fingerprint };
  } catch (error) {
    signal.throwIfAborted();
    return { isAccepted: false, reason: error instanceof Refusal ? error.message : describeFault(error) };
  }
}

function describeFault(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT') return 'There is no such file.';
  if (code === 'EISDIR') return 'It is a folder, and no pack.';
  if (code === 'EACCES' || code === 'EPERM') return 'It may not be read.';
  return `The ZIP is damaged: ${toErrorText(error).replace(/\.?$/, '.')}`;
}

/** Returns the fingerprint of the key that signed all that stands before the seal. */
async function checkSeal(path: string, expected: string | null, signal: AbortSignal): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const tail = Buffer.alloc(Math.min(TAIL_BYTES, size));
    await file.read(tail, 0, tail.length, size - tail.length);
    const found = SEAL.exec(tail.toString('latin1'));
    if (found === null)
      throw new Refusal('It does not end as a pack does: it was altered, packed anew, or is none.');
    const [seal, keyText = '', signatureText = '', unsigned] = found;
    if (unsigned !== undefined) throw new Refusal(`The pack is not signed: ${unsigned}.`);
    const key = Buffer.from(keyText, 'hex');
    const fingerprint = toFingerprint(key);
    if (expected !== null && fingerprint !== expected)
      throw new Refusal(`It is signed with another key: ${fingerprint}`);
    if (!isKey(key)) throw new Refusal('The public key in the pack is no key.');
    const message = Buffer.concat([
      Buffer.from(`${PACK_MARK}\n`),
      await sumUp(file, size - seal.length, signal),
    ]);
    if (!isSigned(key, message, Buffer.from(signatureText, 'hex')))
      throw new Refusal('The signature does not fit: the pack was altered.');
    return fingerprint;
  } finally {
    await file.close();
  }
}

async function sumUp(file: FileHandle, length: number, signal: AbortSignal): Promise<Buffer> {
  const hash = createHash('sha256');
  const piece = Buffer.alloc(1024 * 1024);
  for (let at = 0; at < length;) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(piece, 0, Math.min(piece.length, length - at), at);
    if (bytesRead === 0) throw new Refusal('The file ends too early.');
    hash.update(piece.subarray(0, bytesRead));
    at += bytesRead;
  }
  return hash.digest();
}

/** OpenSSL takes other spellings of a point for it too; each would have a fingerprint of its own. */
function isKey(key: Buffer): boolean {
  const number = BigInt(`0x${Buffer.from(key).reverse().toString('hex')}`);
  const [y, isNegative] = [BigInt.asUintN(255, number), number >> 255n === 1n];
  return y < FIELD && !(isNegative && (y === 1n || y === FIELD - 1n));
}

function isSigned(key: Buffer, message: Buffer, signature: Buffer): boolean {
  try {
    const publicKey = createPublicKey({ key: Buffer.concat([KEY_HEAD, key]), format: 'der', type: 'spki' });
    return key.length === KEY_BYTES && verify(null, message, publicKey, signature);
  } catch {
    return false;
  }
}

/** Every file has its checksum, every checksum its file, and certificates their pages. */
async function checkFiles(path: string, signal: AbortSignal): Promise<void> {
  const zip = await openPromise(path, { lazyEntries: true, autoClose: false, strictFileNames: true });
  try {
    const entries: Entry[] = [];
    for await (const entry of zip.eachEntry()) entries.push(entry);
    const sums = await readSums(zip, entries);
    const names = entries.map(({ fileName }) => fileName).toSorted();
    const listed = [...sums.keys(), SUMS].toSorted();
    if (names.length !== listed.length || names.some((name, place) => name !== listed[place]))
      throw new Refusal('The files of the pack are not those that it lists.');
    for (const entry of entries) {
      const { fileName } = entry;
      if (fileName === SUMS) continue;
      const hash = createHash('sha256');
      for await (const piece of await zip.openReadStreamPromise(entry)) {
        signal.throwIfAborted();
        hash.update(piece as Buffer);
      }
      if (hash.digest('hex') !== sums.get(fileName))
        throw new Refusal(`${fileName} does not have its checksum.`);
      if (fileName.startsWith('certificates/') && !fitsPages(await readText(zip, entry)))
        throw new Refusal(`${fileName} does not fit its pages.`);
    }
  } finally {
    zip.close();
  }
}

async function readSums(zip: ZipFile, entries: readonly Entry[]): Promise<ReadonlyMap<string, string>> {
  const entry = entries.find(({ fileName }) => fileName === SUMS);
  if (entry === undefined) throw new Refusal('The pack has no list of its files.');
  const lines = (await readText(zip, entry)).trimEnd().split('\n');
  return new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]));
}

async function readText(zip: ZipFile, entry: Entry): Promise<string> {
  if (entry.uncompressedSize > MAX_TEXT_BYTES)
    throw new Refusal(`${entry.fileName} is larger than in any pack.`);
  return (await buffer(await zip.openReadStreamPromise(entry))).toString();
}

function fitsPages(text: string): boolean {
  if (findJsonExcess(text, CERTIFICATE_LIMITS) !== null) return false;
  let certificate: unknown;
  try {
    certificate = JSON.parse(text);
  } catch {
    return false;
  }
  if (!isJsonObject(certificate)) return false;
  const { pageSha256: pages, pagesSha256: sum } = certificate;
  if (!Array.isArray(pages)) return false;
  const hash = createHash('sha256');
  for (const page of pages) hash.update(`${String(page)}\n`);
  return hash.digest('hex') === sum;
}
