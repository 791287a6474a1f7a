import { AppError, type ErrorCode } from '../../common/contract/errors.ts';
import { readRefusal } from '../../common/reporting/reading/read-envelope.ts';
import { toFirstLine } from '../../common/reporting/reading/read-json.ts';
import type { SecretCleaner } from '../secrets/secret-cleaner.ts';
import { parseRetryAfterMs, type ServiceResponse } from './send-request.ts';

/** How much of a body is shown, in characters (decision 31). */
const MAX_BODY_CHARACTERS = 64 * 1024;
/** As nginx, Go, Apache and load balancers put it. */
const WANTS_HTTPS =
  /plain HTTP request was sent to HTTPS port|HTTP request to an HTTPS server|speaking plain HTTP to an SSL-enabled|HTTPS (?:is )?required/iu;

/**
 * The error for a response that is not 2xx (decisions 6, 16, 31), with `status` and `body` in its details, and `said`,
 * the first line of the service's own words, `reason`, `field`, and `retryAfterMs` with the moment `retryAtMs` where they are known. No form of a
 * secret is in its words.
 */
export function toStatusError(response: ServiceResponse, cleaner: SecretCleaner): AppError {
  const { status, headers, bytes } = response;
  const text = new TextDecoder().decode(bytes);
  const parsed = tryParse(text);
  const isRefusal = status >= 400 && status < 500 && isInvalid(parsed);
  const code = isRefusal ? 'client.invalid-request' : toCode(status);
  const { words, field } = readRefusal(parsed);
  const isWorded = code === 'client.invalid-request' && words !== '';
  // Cleaned before it is cut, or half a secret could stay at the end.
  const said = /^\s*</.test(text) ? '' : toFirstLine(cleaner.cleanText(words));
  const reason = findReason(status, text);
  const serverNowMs = response.serverTimeMs ?? response.receivedAtMs;
  const retryAfterMs = parseRetryAfterMs(headers.get('retry-after'), serverNowMs);
  return cleaner.cleanError(
    new AppError(code, `The service responded with status ${status}.`, {
      status,
      body: cleaner.cleanText(isWorded ? words : text).slice(0, MAX_BODY_CHARACTERS),
      ...(said === '' ? {} : { said }),
      ...(reason === null ? {} : { reason }),
      ...(field === '' || !isWorded ? {} : { field }),
      ...(retryAfterMs === null ? {} : { retryAfterMs, retryAtMs: response.receivedAtMs + retryAfterMs }),
    }),
  );
}

function toCode(status: number): ErrorCode {
  if (status === 400 || status === 422) return 'client.invalid-request';
  if (status === 403) return 'client.forbidden';
  if (status === 404) return 'client.not-found';
  if (status === 429) return 'client.rate-limited';
  return status >= 500 ? 'client.server-error' : 'client.http-status';
}

/** Where the status shows that something on the way is at fault, not the service. */
function findReason(status: number, text: string): string | null {
  if (status === 407) return 'proxy-login';
  if (status === 511) return 'network-login';
  if (status === 426 || WANTS_HTTPS.test(text.slice(0, 2000))) return 'wants-https';
  return null;
}

function isInvalid(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  return Object.entries(body).some(
    ([name, value]) => name.toLowerCase() === 'isvalid' && String(value).toLowerCase() === 'false',
  );
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
