import { describe, expect, it } from 'vitest';
import { mapNetworkError } from '../../../../src-main/core/client/map-network-error.ts';

function failWith(code: string): Error {
  return new TypeError('fetch failed', { cause: Object.assign(new Error('inner'), { code }) });
}

describe('the cause of a failed call', () => {
  it.each([
    [failWith('ECONNREFUSED'), 'client.refused-connection', 'ECONNREFUSED'],
    [failWith('ENOTFOUND'), 'client.host-not-found', 'ENOTFOUND'],
    [failWith('EAI_AGAIN'), 'client.host-not-found', 'EAI_AGAIN'],
    [failWith('CERT_HAS_EXPIRED'), 'client.tls', 'expired'],
    [failWith('CERT_NOT_YET_VALID'), 'client.tls', 'not-yet-valid'],
    [failWith('ERR_TLS_CERT_ALTNAME_INVALID'), 'client.tls', 'wrong-host'],
    [failWith('DEPTH_ZERO_SELF_SIGNED_CERT'), 'client.tls', 'self-signed'],
    [failWith('SELF_SIGNED_CERT_IN_CHAIN'), 'client.tls', 'unknown-authority'],
    [failWith('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'), 'client.tls', 'client-certificate'],
    [failWith('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'client.tls', 'unknown-authority'],
    [failWith('ERR_SSL_EE_KEY_TOO_SMALL'), 'client.tls', 'weak'],
    [failWith('UNSPECIFIED'), 'client.tls', 'weak'],
    [failWith('ERR_SSL_WRONG_VERSION_NUMBER'), 'client.tls', 'not-tls'],
    [failWith('ERR_SSL_UNSUPPORTED_PROTOCOL'), 'client.tls', 'protocol'],
    [failWith('HPE_INVALID_CONSTANT'), 'client.unreachable', 'not-http'],
    [failWith('UND_ERR_HEADERS_OVERFLOW'), 'client.too-large', 'headers'],
    [new Error('net::ERR_PROXY_AUTH_REQUESTED'), 'client.proxy', 'login'],
    [failWith('EHOSTUNREACH'), 'client.unreachable', 'EHOSTUNREACH'],
    [failWith('ECONNRESET'), 'client.unreachable', 'ECONNRESET'],
    [
      new AggregateError([failWith('ECONNREFUSED'), failWith('ECONNREFUSED')]),
      'client.refused-connection',
      'ECONNREFUSED',
    ],
    [new Error('net::ERR_CONNECTION_REFUSED'), 'client.refused-connection', 'ERR_CONNECTION_REFUSED'],
    [new Error('net::ERR_NAME_NOT_RESOLVED'), 'client.host-not-found', 'ERR_NAME_NOT_RESOLVED'],
    [new Error('net::ERR_CERT_DATE_INVALID'), 'client.tls', 'date'],
    [new Error('net::ERR_CERT_AUTHORITY_INVALID'), 'client.tls', 'unknown-authority'],
    [new Error('net::ERR_CERT_COMMON_NAME_INVALID'), 'client.tls', 'wrong-host'],
    [new Error('net::ERR_INTERNET_DISCONNECTED'), 'client.unreachable', 'ERR_INTERNET_DISCONNECTED'],
    [new Error('net::ERR_NETWORK_IO_SUSPENDED'), 'client.unreachable', 'ERR_NETWORK_IO_SUSPENDED'],
    [new Error('net::ERR_PROXY_CONNECTION_FAILED'), 'client.proxy', 'ERR_PROXY_CONNECTION_FAILED'],
    [new Error('net::ERR_CONTENT_LENGTH_MISMATCH'), 'client.truncated', 'ERR_CONTENT_LENGTH_MISMATCH'],
    ['not even an error', 'client.unreachable', 'unknown'],
  ])('%s is %s', (error, code, reason) => {
    expect(mapNetworkError(error)).toMatchObject({ code, details: { reason } });
  });
  it.each([
    [failWith('UND_ERR_CONNECT_TIMEOUT'), 'connect'],
    [failWith('UND_ERR_HEADERS_TIMEOUT'), 'headers'],
    [failWith('UND_ERR_BODY_TIMEOUT'), 'idle'],
    [new Error('net::ERR_CONNECTION_TIMED_OUT'), 'connect'],
    [new DOMException('late', 'TimeoutError'), 'total'],
  ])('%s is a time limit', (error, kind) => {
    expect(mapNetworkError(error)).toMatchObject({ code: 'client.timeout', details: { kind } });
  });
  it('an aborted call is cancelled', () => {
    expect(mapNetworkError(new DOMException('stop', 'AbortError')).code).toBe('app.cancelled');
  });
  it('a reset while the body is read cuts it', () => {
    expect(mapNetworkError(failWith('ECONNRESET'), 'body').code).toBe('client.truncated');
    expect(mapNetworkError(new Error('net::ERR_CONNECTION_RESET'), 'body').code).toBe('client.truncated');
  });
});
