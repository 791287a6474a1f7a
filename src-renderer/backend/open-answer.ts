import { AppError, ERROR_CODES, type ErrorCode } from '../../src-main/common/contract/errors.ts';
import type { Answer } from '../../src-main/common/contract/operation.ts';

function isAnswer(value: unknown): value is Answer<unknown> {
  return typeof value === 'object' && value !== null && 'ok' in value && typeof value.ok === 'boolean';
}

function isKnownCode(code: string): code is ErrorCode {
  return (ERROR_CODES as readonly string[]).includes(code);
}

/** Takes the value out of an envelope; throws the AppError in it. */
export function openAnswer(answer: unknown): unknown {
  if (!isAnswer(answer)) throw new AppError('app.bug', 'The answer is no envelope.');
  if (answer.ok) return answer.value;
  const { code, message, details } = answer.error;
  throw new AppError(isKnownCode(code) ? code : 'app.bug', message, details);
}
