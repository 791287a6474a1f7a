import { AppError } from '../contract/errors.ts';
import { type ImportDetails, type ImportFault, writeUnreadable } from './unreadable-file.ts';
import { ENGLISH } from './words.ts';

/** An AppError `imports.unreadable`, whose `reason` is an English sentence; a window writes its own. */
export function toUnreadable(fault: ImportFault, values: ImportDetails = {}, cause?: unknown): AppError {
  const details = { ...values, fileFault: fault };
  const reason = writeUnreadable(ENGLISH.t, details);
  return new AppError('imports.unreadable', 'The file could not be imported.', { ...details, reason }, cause);
}
