import { describe, expect, it } from 'vitest';
import { mapNetworkError } from '../../../../src-main/core/client/map-network-error.ts';

/** What a failure is called before the headers, and in the body where that differs: code, and reason or kind. */
type Row = readonly [names: string, inHeaders: string, inBody?: string];

const ROWS: readonly Row[] = [
  ['CONNECTION_REFUSED', 'client.refused-connection'],
  ['NAME_NOT_RESOLVED NAME_RESOLUTION_FAILED ICANN_NAME_COLLISION', 'client.host-not-found'],
  [
    'DNS_MALFORMED_RESPONSE DNS_SERVER_REQUIRES_TCP DNS_SERVER_FAILED DNS_TIMED_OUT DNS_SEARCH_EMPTY ' +
      'DNS_SORT_ERROR DNS_SECURE_RESOLVER_HOSTNAME_RESOLUTION_FAILED DNS_NAME_HTTPS_ONLY DNS_REQUEST_CANCELLED',
    'client.host-not-found',
  ],
  ['CONNECTION_TIMED_OUT', 'client.timeout connect'],
  ['TIMED_OUT', 'client.timeout connect', 'client.timeout idle'],
  [
    'CONNECTION_RESET CONNECTION_CLOSED CONNECTION_ABORTED EMPTY_RESPONSE SOCKET_NOT_CONNECTED NETWORK_CHANGED ' +
      'NETWORK_IO_SUSPENDED INTERNET_DISCONNECTED INVALID_CHUNKED_ENCODING HTTP2_PROTOCOL_ERROR ' +
      'HTTP2_PING_FAILED HTTP2_SERVER_REFUSED_STREAM HTTP2_INADEQUATE_TRANSPORT_SECURITY HTTP2_STREAM_CLOSED ' +
      'HTTP2_FLOW_CONTROL_ERROR HTTP2_COMPRESSION_ERROR HTTP2_FRAME_SIZE_ERROR QUIC_PROTOCOL_ERROR ' +
      'QUIC_HANDSHAKE_FAILED',
    'client.unreachable',
    'client.truncated',
  ],
  ['CONTENT_LENGTH_MISMATCH INCOMPLETE_CHUNKED_ENCODING', 'client.truncated'],
  ['CONTENT_DECODING_FAILED CONTENT_DECODING_INIT_FAILED', 'client.truncated encoding'],
  ['RESPONSE_HEADERS_TOO_BIG', 'client.too-large headers'],
  [
    'UNSAFE_REDIRECT INVALID_REDIRECT TOO_MANY_REDIRECTS UNKNOWN_URL_SCHEME DISALLOWED_URL_SCHEME',
    'client.redirected',
  ],
  [
    'PROXY_AUTH_UNSUPPORTED PROXY_AUTH_REQUESTED PROXY_AUTH_REQUESTED_WITH_NO_CONNECTION UNEXPECTED_PROXY_AUTH',
    'client.proxy login',
  ],
  [
    'PROXY_CONNECTION_FAILED PROXY_CERTIFICATE_INVALID PROXY_HTTP_1_1_REQUIRED TUNNEL_CONNECTION_FAILED ' +
      'MANDATORY_PROXY_CONFIGURATION_FAILED NO_SUPPORTED_PROXIES SOCKS_CONNECTION_FAILED ' +
      'SOCKS_CONNECTION_HOST_UNREACHABLE PAC_SCRIPT_FAILED PAC_NOT_IN_DHCP',
    'client.proxy',
  ],
  ['CERT_DATE_INVALID', 'client.tls date'],
  ['CERT_COMMON_NAME_INVALID', 'client.tls wrong-host'],
  ['CERT_AUTHORITY_INVALID', 'client.tls unknown-authority'],
  ['CERT_REVOKED', 'client.tls revoked'],
  ['CERT_WEAK_SIGNATURE_ALGORITHM CERT_WEAK_KEY SSL_WEAK_SERVER_EPHEMERAL_DH_KEY', 'client.tls weak'],
  [
    'CERT_CONTAINS_ERRORS CERT_INVALID CERT_NON_UNIQUE_NAME CERT_NAME_CONSTRAINT_VIOLATION ' +
      'CERT_VALIDITY_TOO_LONG CERT_KNOWN_INTERCEPTION_BLOCKED CERT_UNABLE_TO_CHECK_REVOCATION ' +
      'CERTIFICATE_TRANSPARENCY_REQUIRED',
    'client.tls certificate',
  ],
  ['SSL_CLIENT_AUTH_CERT_NEEDED BAD_SSL_CLIENT_AUTH_CERT', 'client.tls client-certificate'],
  [
    'SSL_PROTOCOL_ERROR SSL_VERSION_OR_CIPHER_MISMATCH SSL_BAD_RECORD_MAC_ALERT ' +
      'SSL_UNRECOGNIZED_NAME_ALERT SSL_SERVER_CERT_CHANGED',
    'client.tls protocol',
  ],
  ['INVALID_HTTP_RESPONSE', 'client.unreachable not-http', 'client.unreachable'],
  [
    'ADDRESS_UNREACHABLE ADDRESS_INVALID CONNECTION_FAILED NETWORK_ACCESS_DENIED BLOCKED_BY_CLIENT ' +
      'BLOCKED_BY_ADMINISTRATOR INSUFFICIENT_RESOURCES FAILED UNEXPECTED',
    'client.unreachable',
  ],
  ['ABORTED', 'app.cancelled'],
];

describe.each(['headers', 'body'] as const)(
  "Chromium's names for failures have the right words, in the %s",
  (phase) => {
    const cases = ROWS.flatMap(([names, inHeaders, inBody = inHeaders]) =>
      names.split(' ').map((name) => [`ERR_${name}`, phase === 'headers' ? inHeaders : inBody] as const),
    );

    it.each(cases)('%s', (name, expected) => {
      const failure = mapNetworkError(
        new TypeError('fetch failed', { cause: new Error(`net::${name}`) }),
        phase,
      );
      const [code, word] = expected.split(' ');
      expect(failure.code).toBe(code);
      const { reason, kind } = failure.details;
      expect([reason, kind]).toContain(word ?? (code === 'client.tls' ? undefined : name));
    });
  },
);
