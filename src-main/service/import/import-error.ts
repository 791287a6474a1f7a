import { AppError } from '../../common/contract/errors.ts';

/** An AppError `local-service.import-failed` that says why a file as a whole can't be read on. */
export function toImportError(message: string, cause?: unknown): AppError {
  return new AppError('local-service.import-failed', message, {}, cause);
}
