import { AppError } from '../../common/contract/errors.ts';
import { CREATE_TOKEN_PATH } from '../../common/reporting/paths.ts';
import { decodeUtf8, isJsonObject, parseBody } from '../../common/reporting/read-json.ts';
import type { ServiceResponse } from './send-request.ts';
import type { ClientTarget } from './reporting-client.ts';
import { toStatusError } from './status-error.ts';

export interface TokenSecrets {
  readonly accessToken: string;
  readonly accessTokenSecret: string;
}

/**
 * Operation 1 (specification, section Authentication): returns the token, which is opaque (decision 14).
 * Throws AppError `client.credentials-refused` for a 401, `client.unexpected-shape` for a response without
 * a token, or the error of its status. The secrets as they were sent are removed from what the service sends back.
 */
export async function createToken(
  target: ClientTarget,
  secrets: TokenSecrets,
  send: (path: string, body: string) => Promise<ServiceResponse>,
): Promise<string> {
  const { accessToken, accessTokenSecret } = secrets;
  const body = JSON.stringify({ accessToken, accessTokenSecret, tenant: target.tenant });
  const response = await send(CREATE_TOKEN_PATH, body);
  if (response.status === 401) {
    throw new AppError('client.credentials-refused', 'The credentials were refused.', { status: 401 });
  }
  if (response.status < 200 || response.status > 299) {
    throw toStatusError(response, [accessToken, accessTokenSecret]);
  }
  return readToken(response.bytes);
}

function readToken(bytes: ArrayBuffer): string {
  const body = parseBody(decodeUtf8(new Uint8Array(bytes)));
  const token = isJsonObject(body)
    ? Object.entries(body).find(([name]) => name.toLowerCase() === 'token')?.[1]
    : body;
  // Anything but visible ASCII could not be sent in a header.
  if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) return token;
  throw new AppError('client.unexpected-shape', 'The response holds no token.', { reason: 'no-token' });
}
