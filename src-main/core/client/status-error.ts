import { AppError, type ErrorCode } from '../../common/contract/errors.ts';
import { readRefusal } from '../../common/reporting/read-refusal.ts';
import type { ServiceResponse } from './send-request.ts';
import { parseRetryAfterMs } from './http-date.ts';

/**
 * The error for a response that is not 2xx (decisions 6, 16, 31), with `status` and `body` in its details,
 * and `field` and `retryAfterMs` where the service gave them. `secrets` are removed from the body.
 */
export function toStatusError(response: ServiceResponse, secrets: readonly string[]): AppError {
  const { status, headers, bytes } = response;
  const text = secrets.reduce(
    (cleaned, secret) => (secret === '' ? cleaned : cleaned.replaceAll(secret, '…')),
    new TextDecoder().decode(bytes),
  );
  const parsed = tryParse(text);
  const isRefusal = status >= 400 && status < 500 && isInvalid(parsed);
  const code = isRefusal ? 'client.invalid-request' : toCode(status);
  const { words, field } = code === 'client.invalid-request' ? readRefusal(parsed) : { words: '', field: '' };
  const serverNowMs = response.serverTimeMs ?? response.receivedAtMs;
  const retryAfterMs = parseRetryAfterMs(headers.get('retry-after'), serverNowMs);
  return new AppError(code, `The service responded with status ${status}.`, {
    status,
    body: words === '' ? text : words,
    ...(field === '' ? {} : { field }),
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
  });
}

function toCode(status: number): ErrorCode {
  if (status === 400 || status === 422) return 'client.invalid-request';
  if (status === 403) return 'client.forbidden';
  if (status === 404) return 'client.not-found';
  if (status === 429) return 'client.rate-limited';
  return status >= 500 ? 'client.server-error' : 'client.http-status';
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
