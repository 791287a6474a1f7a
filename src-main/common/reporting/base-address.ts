import { AppError } from '../contract/errors.ts';

// Present in every runtime of the application; declared here because this folder knows neither DOM nor Node.
declare const URL: new (text: string) => {
  readonly protocol: string;
  readonly username: string;
  readonly password: string;
  readonly host: string;
  readonly hostname: string;
  readonly pathname: string;
};

interface BaseAddress {
  /** Without a trailing slash; paths of operations are appended to it. */
  readonly address: string;
  readonly warnings: 'plain-http'[];
}

const LENGTH_LIMIT = 2048;

/**
 * Normalises the address of a service as typed or pasted (decision 30): trailing slashes and a path of an
 * operation, or its beginning `/api`, are trimmed, a prefix is kept. Throws AppError `connections.address-invalid` (details `reason`),
 * `connections.address-has-credentials` or `connections.address-has-query`.
 */
export function normaliseBaseAddress(text: string): BaseAddress {
  const typed = text.trim();
  if (typed === '') throw toInvalid('empty');
  if (typed.length > LENGTH_LIMIT) throw toInvalid('too-long');
  // URL would mend these silently, and ask another host than the one that was read.
  if (/[\s\\\p{Cc}\p{Cf}]/u.test(typed)) throw toInvalid('characters');
  if (!/^https?:\/\/[^/]/i.test(typed)) throw toInvalid('scheme');
  const url = tryParseUrl(typed);
  if (url === null) throw toInvalid('form');
  const authority = typed.slice(typed.indexOf('//') + 2).split(/[/?#]/)[0] ?? '';
  if (url.username !== '' || url.password !== '' || authority.includes('@')) {
    throw new AppError('connections.address-has-credentials', 'The address holds a user name or password.');
  }
  if (/[?#]/.test(typed)) {
    throw new AppError('connections.address-has-query', 'The address holds a query or a fragment.');
  }
  if (url.host.endsWith(':0')) throw toInvalid('port');
  const prefix = url.pathname
    .replace(/\/+$/, '')
    .replace(/\/api(\/ServiceReporting(\/.*)?)?$/i, '')
    .replace(/\/+$/, '');
  const isPlain = url.protocol === 'http:' && !isLoopback(url.hostname);
  return { address: `${url.protocol}//${url.host}${prefix}`, warnings: isPlain ? ['plain-http'] : [] };
}

/** Scheme, host and port of an address, the port only where it isn't the usual one; empty for no address. */
export function toOrigin(address: string): string {
  const url = tryParseUrl(address.trim());
  return url === null ? '' : `${url.protocol}//${url.host}`;
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])\.?$/i.test(hostname);
}

function tryParseUrl(text: string): InstanceType<typeof URL> | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

function toInvalid(reason: string): AppError {
  return new AppError('connections.address-invalid', 'The address is not one of a service.', { reason });
}
