import { AppError } from '../../common/contract/errors.ts';
import { CREATE_TOKEN_PATH } from '../../common/reporting/paths.ts';
import { decodeUtf8, isJsonObject, parseBody } from '../../common/reporting/reading/read-json.ts';
import type { SecretCleaner } from '../secrets/secret-cleaner.ts';
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
 * a token that can be used (details `reason`), or the error of its status. No error holds words of a response that was meant to be a token.
 */
export async function createToken(
  target: ClientTarget,
  secrets: TokenSecrets,
  cleaner: SecretCleaner,
  send: (path: string, body: string) => Promise<ServiceResponse>,
): Promise<string> {
  const { accessToken, accessTokenSecret } = secrets;
  const body = JSON.stringify({ accessToken, accessTokenSecret, tenant: target.tenant });
  const response = await send(CREATE_TOKEN_PATH, body);
  if (response.status === 401) {
    throw new AppError('client.credentials-refused', 'The credentials were refused.', { status: 401 });
  }
  if (response.status < 200 || response.status > 299) {
    throw toStatusError(response, cleaner);
  }
  try {
    return readToken(response.bytes);
  } catch (error) {
    throw error instanceof AppError ? withoutWords(error) : error;
  }
}

/** What isn't a token in the expected form may still be one, in plain text or cut short. */
function withoutWords({ code, message, details }: AppError): AppError {
  const { reason } = details;
  return new AppError(code, message, reason === undefined ? {} : { reason });
}

function readToken(bytes: ArrayBuffer): string {
  const body = parseBody(decodeUtf8(new Uint8Array(bytes)));
  const token = isJsonObject(body)
    ? Object.entries(body).find(([name]) => name.toLowerCase() === 'token')?.[1]
    : body;
  if (token === undefined || token === null || Array.isArray(token)) throw toTokenError(findReason(body));
  if (typeof token !== 'string') throw toTokenError(isJsonObject(body) ? 'token-not-text' : 'no-token');
  // Some services send the value of the header, or a line end: neither belongs to the token.
  const bare = token.trim().replace(/^bearer(?:\s+|$)/i, '');
  // Anything but visible ASCII could not be sent in a header.
  if (/^[\x21-\x7e]+$/.test(bare)) return bare;
  if (bare === '') throw toTokenError('token-empty');
  throw toTokenError(/[\s\p{Cc}]/u.test(bare) ? 'token-blanks' : 'token-not-ascii');
}

/** Names that services give a token which is not where the specification has it. */
const OTHER_NAMES = /^(?:(?:access|auth|bearer|id|session|jwt)[_-]?token|jwt|token)$/i;

/** Says of a response without a usable `token` whether it holds one elsewhere. */
function findReason(body: unknown): string {
  if (!isJsonObject(body)) return 'no-token';
  const parts = [body, ...Object.values(body).filter(isJsonObject)];
  const isToken = ([name, value]: readonly [string, unknown]): boolean =>
    OTHER_NAMES.test(name) && typeof value === 'string' && value.trim() !== '';
  return parts.some((part) => Object.entries(part).some(isToken)) ? 'token-elsewhere' : 'no-token';
}

function toTokenError(reason: string): AppError {
  const message =
    reason === 'no-token' ? 'The response holds no token.' : "The response's token can't be used.";
  return new AppError('client.unexpected-shape', message, { reason });
}
