import { AppError } from './errors.ts';

/** An AppError `imports.unreadable` that says why a file can't be imported; `reason` is a sentence. */
export function toUnreadable(reason: string, cause?: unknown): AppError {
  return new AppError('imports.unreadable', 'The file could not be imported.', { reason }, cause);
}
