import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  sign,
  type KeyObject,
} from 'node:crypto';
import { toErrorInfo } from '../../../../common/contract/errors.ts';
import type { PackSignature } from '../../../../common/model/exports/evidence-options.ts';
import type { Logger } from '../../../logging/logger.ts';
import type { SecretStore } from '../../../secrets/secret-store.ts';

/** What the seal of every pack, and every signed message, begins with. */
export const PACK_MARK = 'channelscope-evidence-pack/1';
/** The key is no connection's. */
const ENTRY = 'evidence-packs';
export const KEY_BYTES = 32;
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
export function toFingerprint(publicKey: Uint8Array): string {
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
