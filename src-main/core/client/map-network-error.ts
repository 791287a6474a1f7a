import { AppError, type ErrorCode } from '../../common/contract/errors.ts';

interface Mapping {
  readonly pattern: RegExp;
  readonly code: ErrorCode;
  /** A fixed word for the window; without one the system's own code. */
  readonly details?: Readonly<Record<string, string>>;
}

const tls = (pattern: RegExp, reason: string): Mapping => ({
  pattern,
  code: 'client.tls',
  details: { reason },
});
const timeout = (pattern: RegExp, kind: string): Mapping => ({
  pattern,
  code: 'client.timeout',
  details: { kind },
});

/** Codes of Node and of Chromium (`ERR_…` behind `net::`), the first match wins. */
const MAPPINGS: readonly Mapping[] = [
  { pattern: /^(ECONNREFUSED|ERR_CONNECTION_REFUSED)$/, code: 'client.refused-connection' },
  {
    pattern: /^(ENOTFOUND|EAI_\w+|ENODATA|ERR_NAME_\w+|ERR_DNS_\w+|ERR_ICANN_NAME_COLLISION)$/,
    code: 'client.host-not-found',
  },
  tls(/^CERT_HAS_EXPIRED$/, 'expired'),
  tls(/^CERT_NOT_YET_VALID$/, 'not-yet-valid'),
  tls(/^ERR_CERT_DATE_INVALID$/, 'date'),
  tls(/^(ERR_TLS_CERT_ALTNAME_INVALID|ERR_CERT_COMMON_NAME_INVALID|HOSTNAME_MISMATCH)$/, 'wrong-host'),
  tls(/^DEPTH_ZERO_SELF_SIGNED_CERT$/, 'self-signed'),
  tls(
    /^(UNABLE_TO_\w+|SELF_SIGNED_CERT_IN_CHAIN|CERT_UNTRUSTED|CERT_REJECTED|INVALID_CA|ERR_CERT_AUTHORITY_INVALID)$/,
    'unknown-authority',
  ),
  tls(/^(CERT_REVOKED|ERR_CERT_REVOKED)$/, 'revoked'),
  // Node has no name of its own for keys and digests that OpenSSL calls too weak.
  tls(/^UNSPECIFIED$/, 'weak'),
  tls(/^(ERR_SSL_\w*TOO_SMALL|ERR_CERT_WEAK\w+|CERT_SIGNATURE_FAILURE|ERR_SSL_WEAK\w+)$/, 'weak'),
  tls(
    /^(ERR_SSL_\w*CERTIFICATE_REQUIRED|ERR_SSL_CLIENT_AUTH_\w+|ERR_BAD_SSL_CLIENT_AUTH_CERT)$/,
    'client-certificate',
  ),
  // What came instead of a handshake was no TLS at all.
  tls(/^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/, 'not-tls'),
  tls(/^(EPROTO|ERR_SSL_\w+|ERR_TLS_\w+)$/, 'protocol'),
  tls(/^(ERR_CERT_\w+|CERT_\w+|ERR_CERTIFICATE_\w+)$/, 'certificate'),
  timeout(/^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT|ERR_CONNECTION_TIMED_OUT)$/, 'connect'),
  timeout(/^UND_ERR_HEADERS_TIMEOUT$/, 'headers'),
  timeout(/^UND_ERR_BODY_TIMEOUT$/, 'idle'),
  timeout(/^TimeoutError$/, 'total'),
  {
    pattern: /^(UND_ERR_HEADERS_OVERFLOW|HPE_HEADER_OVERFLOW|ERR_RESPONSE_HEADERS_TOO_BIG)$/,
    code: 'client.too-large',
    details: { kind: 'headers', reason: 'headers' },
  },
  {
    pattern: /^(ERR_PROXY_AUTH\w+|ERR_UNEXPECTED_PROXY_AUTH)$/,
    code: 'client.proxy',
    details: { reason: 'login' },
  },
  { pattern: /^ERR_PROXY_SCHEME$/, code: 'client.proxy', details: { reason: 'scheme' } },
  {
    pattern:
      /^(ERR_(PROXY|TUNNEL|SOCKS|PAC)_\w+|ERR_MANDATORY_PROXY_CONFIGURATION_FAILED|ERR_NO_SUPPORTED_PROXIES)$/,
    code: 'client.proxy',
  },
  {
    pattern: /^(ERR_\w+_REDIRECT|ERR_TOO_MANY_REDIRECTS|ERR_UNKNOWN_URL_SCHEME|ERR_DISALLOWED_URL_SCHEME)$/,
    code: 'client.redirected',
  },
  {
    pattern:
      /^(ERR_CONTENT_LENGTH_MISMATCH|ERR_INCOMPLETE_CHUNKED_ENCODING|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/,
    code: 'client.truncated',
  },
  {
    pattern: /^(Z_\w+|ERR_CONTENT_DECODING_(INIT_)?FAILED)$/,
    code: 'client.truncated',
    details: { reason: 'encoding' },
  },
  { pattern: /^(AbortError|ERR_ABORTED)$/, code: 'app.cancelled' },
];

/** While a body is being read these mean that the rest of it is missing. */
const CUT =
  /^(ECONNRESET|EPIPE|UND_ERR_SOCKET|HPE_\w+|ERR_CONNECTION_(RESET|CLOSED|ABORTED)|ERR_EMPTY_RESPONSE|ERR_(HTTP2|QUIC)_\w+|ERR_NETWORK_(CHANGED|IO_SUSPENDED)|ERR_INVALID_CHUNKED_ENCODING|ERR_INTERNET_DISCONNECTED|ERR_SOCKET_NOT_CONNECTED)$/;

const NOT_HTTP = /^(HPE_INVALID_CONSTANT|HPE_INVALID_VERSION|ERR_INVALID_HTTP_RESPONSE)$/;

/**
 * Turns what a fetch rejected with into an AppError by its innermost cause: `client.refused-connection`,
 * `client.host-not-found`, `client.tls` (details `reason`), `client.timeout` (details `kind`),
 * `client.truncated`, `client.proxy`, `client.redirected`, `client.too-large` for headers, `client.unreachable` for any other; `app.cancelled` for an
 * aborted call. An AppError is returned unchanged.
 */
export function mapNetworkError(error: unknown, phase: 'headers' | 'body' = 'headers'): AppError {
  if (error instanceof AppError) return error;
  const codes = collectCodes(error);
  for (const { pattern, code, details } of MAPPINGS) {
    const found = codes.find((name) => pattern.test(name));
    if (found !== undefined)
      return new AppError(code, `The call failed: ${found}.`, { reason: found, ...details }, error);
  }
  // Chromium has one name for every limit of its own: for the connection at first, then for a body that stands still.
  if (codes.includes('ERR_TIMED_OUT')) {
    const kind = phase === 'body' ? 'idle' : 'connect';
    return new AppError(
      'client.timeout',
      'The call took too long.',
      { reason: 'ERR_TIMED_OUT', kind },
      error,
    );
  }
  // Innermost first: the outer ones only state that the fetch failed.
  const reason = codes[0] ?? 'unknown';
  if (phase === 'body' && (CUT.test(reason) || codes.includes('terminated'))) {
    return new AppError('client.truncated', `The body was cut short: ${reason}.`, { reason }, error);
  }
  // A service that expects TLS sends bytes that are no response of HTTP.
  const isOtherProtocol = phase === 'headers' && codes.some((name) => NOT_HTTP.test(name));
  const details = { reason: isOtherProtocol ? 'not-http' : reason };
  return new AppError('client.unreachable', `The call failed: ${reason}.`, details, error);
}

/** Codes and names along the chain of causes, the innermost first. */
function collectCodes(error: unknown, depth = 0): string[] {
  if (!(error instanceof Error) || depth > 8) return [];
  const inner = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  const codes = [...inner, error.cause].flatMap((cause) => collectCodes(cause, depth + 1));
  const { code } = error as { code?: unknown };
  if (typeof code === 'string') codes.push(code);
  const chromium = /net::(ERR_\w+)/.exec(error.message)?.[1];
  if (chromium !== undefined) codes.push(chromium);
  if (error.name === 'AbortError' || error.name === 'TimeoutError') codes.push(error.name);
  if (error.message === 'terminated') codes.push('terminated');
  return codes;
}

const UNREACHABLE: ReadonlySet<unknown> = new Set<ErrorCode>([
  'client.refused-connection',
  'client.host-not-found',
  'client.unreachable',
  'client.proxy',
  'client.tls',
  'client.timeout',
]);

/** Returns whether a failure shows only that the platform can't be reached from here, not how it is (decision 28). */
export function isUnreachable(code: unknown): boolean {
  return UNREACHABLE.has(code);
}

const MAX_REACH_MS = 10_000;

/**
 * Returns the status of a GET of an address, whatever it is: the service can be reached. Rejects with a
 * `client.*` AppError that names the layer that failed, after 10 s at the latest.
 */
export async function reachAddress(
  fetch: typeof globalThis.fetch,
  address: string,
  signal: AbortSignal,
): Promise<number> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(MAX_REACH_MS)]);
    const response = await fetch(address, { method: 'GET', redirect: 'manual', signal: limit });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    throw mapNetworkError(error);
  }
}
