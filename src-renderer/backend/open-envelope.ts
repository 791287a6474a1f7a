import { AppError, ERROR_CODES, type ErrorCode } from '../../src-main/common/contract/errors.ts';
import type { Envelope } from '../../src-main/common/contract/operation.ts';

function isEnvelope(value: unknown): value is Envelope<unknown> {
  return typeof value === 'object' && value !== null && 'ok' in value && typeof value.ok === 'boolean';
}

function isKnownCode(code: string): code is ErrorCode {
  return (ERROR_CODES as readonly string[]).includes(code);
}

/** Returns the value in an envelope, or throws the AppError in it. */
export function openEnvelope(envelope: unknown): unknown {
  if (!isEnvelope(envelope)) throw new AppError('app.bug', 'The core returned no envelope.');
  if (envelope.ok) return envelope.value;
  const { code, message, details } = envelope.error;
  throw new AppError(isKnownCode(code) ? code : 'app.bug', message, details);
}
