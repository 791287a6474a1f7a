import { AppError } from '../../../common/contract/errors.ts';

/** Throws `exports.write-failed` where a file has not as many rows as there were to write. */
export function requireAll(expected: number, written: number): void {
  if (written === expected) return;
  throw new AppError('exports.write-failed', 'The number of records changed while they were exported.', {
    systemCode: 'count',
    expected,
    written,
  });
}
