/** What came of a challenge: this session's host is there, another program or a host that knows no such session, or none. */
export type HostProof = 'proven' | 'refused' | 'gone';

const MAX_WAIT_MS = 4_000;

const toHex = (bytes: ArrayBuffer | Uint8Array): string =>
  [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/**
 * Asks whoever listens at the host's place to prove that it is the host which this session is with. While the host was
 * gone, another program of the computer may have taken its place: neither the token nor the cookie is sent to it.
 */
export async function proveHost(options: {
  readonly fetch: typeof globalThis.fetch;
  readonly origin: string;
  readonly token: string;
}): Promise<HostProof> {
  const subtle = globalThis.crypto.subtle as SubtleCrypto | undefined;
  // Some browsers offer it to pages over HTTPS only: without it, nothing can be proven.
  if (subtle === undefined) return 'refused';
  const digest = await subtle.digest('SHA-256', encode(options.token));
  const session = toHex(await subtle.digest('SHA-256', encode(toHex(digest))));
  const challenge = toHex(crypto.getRandomValues(new Uint8Array(32)));
  const response = await options
    .fetch(`${options.origin}/proof/${session}/${challenge}`, {
      credentials: 'omit',
      cache: 'no-store',
      signal: AbortSignal.timeout(MAX_WAIT_MS),
    })
    .catch(() => null);
  if (response === null || response.status >= 500) return 'gone';
  if (!response.ok) return 'refused';
  const key = await subtle.importKey('raw', digest, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const expected = toHex(await subtle.sign('HMAC', key, encode(challenge)));
  const given = (await response.json().catch(() => null)) as { proof?: unknown } | null;
  return given?.proof === expected ? 'proven' : 'refused';
}
