import { AppError } from '../../common/contract/errors.ts';
import { findErrorCode } from '../../node/error-text.ts';

/** Runs what writes a file. Throws AppError `exports.write-failed` with the system's code in `systemCode`. */
export async function guardWriting<Value>(action: () => Promise<Value>): Promise<Value> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError(
      'exports.write-failed',
      'The file could not be written.',
      { systemCode: findErrorCode(error) ?? 'unknown' },
      error,
    );
  }
}
