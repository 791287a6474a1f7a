/** What Chromium calls a failure of Node's network before the headers, by the name that Node has for it. */
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/^ECONNREFUSED$/, 'ERR_CONNECTION_REFUSED'],
  [/^(ENOTFOUND|EAI_\w+)$/, 'ERR_NAME_NOT_RESOLVED'],
  [/^(ETIMEDOUT)$/, 'ERR_CONNECTION_TIMED_OUT'],
  [/^(ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL)$/, 'ERR_ADDRESS_UNREACHABLE'],
  [/^HPE_HEADER_OVERFLOW$/, 'ERR_RESPONSE_HEADERS_TOO_BIG'],
  [/^HPE_/, 'ERR_INVALID_HTTP_RESPONSE'],
  [/^(CERT_HAS_EXPIRED|CERT_NOT_YET_VALID)$/, 'ERR_CERT_DATE_INVALID'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'ERR_CERT_COMMON_NAME_INVALID'],
  [/^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/, 'ERR_CERT_AUTHORITY_INVALID'],
  [/^CERT_SIGNATURE_FAILURE$/, 'ERR_CERT_AUTHORITY_INVALID'],
  [/^(UNSPECIFIED|ERR_SSL_\w*TOO_SMALL)$/, 'ERR_CERT_WEAK_KEY'],
  [/^ERR_SSL_(UNSUPPORTED_PROTOCOL|TLSV1_ALERT_PROTOCOL_VERSION)$/, 'ERR_SSL_VERSION_OR_CIPHER_MISMATCH'],
  [/^(ERR_SSL_\w+|EPROTO)$/, 'ERR_SSL_PROTOCOL_ERROR'],
];

/** The error that Electron emits for a request that failed before its headers. */
export function toHeadersError(error: NodeJS.ErrnoException): Error {
  const code = error.code ?? '';
  const found = NAMES.find(([pattern]) => pattern.test(code))?.[1];
  const isClosed = code === 'ECONNRESET' && error.message === 'socket hang up';
  return new Error(`net::${found ?? (isClosed ? 'ERR_EMPTY_RESPONSE' : 'ERR_CONNECTION_RESET')}`);
}

/** The error for a body that ended before its end. */
export function toBodyError(error: NodeJS.ErrnoException | null, headers: Record<string, unknown>): Error {
  const code = error?.code ?? '';
  if (/^(Z_|ERR_BROTLI|ERR_ZSTD|ZSTD_|BROTLI_|ERR__ERROR)/u.test(code)) {
    return new Error('net::ERR_CONTENT_DECODING_FAILED');
  }
  if (headers['transfer-encoding'] === 'chunked') {
    const isCut = code === 'ECONNRESET' || code === 'HPE_INVALID_EOF_STATE' || code === '';
    return new Error(`net::${isCut ? 'ERR_INCOMPLETE_CHUNKED_ENCODING' : 'ERR_INVALID_CHUNKED_ENCODING'}`);
  }
  if (headers['content-length'] !== undefined) return new Error('net::ERR_CONTENT_LENGTH_MISMATCH');
  return new Error('net::ERR_CONNECTION_RESET');
}
