import { AppError } from '../common/contract/errors.ts';

/** An AppError that says why the service can't start. */
export function toStartError(message: string, cause?: unknown): AppError {
  return new AppError('local-service.start-failed', message, {}, cause);
}
