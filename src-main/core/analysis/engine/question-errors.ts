import { AppError } from '../../../common/contract/errors.ts';
import { findErrorCode } from '../../../node/error-text.ts';

/** What an error of one question says of the engine. */
export type EngineState =
  /** Nothing: the next question is answered. */
  | 'sound'
  /** It answers nothing any more until it is opened again. */
  | 'closed'
  /** Its file has other bytes than were written, and is begun anew. */
  | 'damaged';

const MAX_REASON_CHARACTERS = 300;

/** DuckDB tells its errors apart by the beginning of their text alone; what follows may quote texts of others. */
function isOfKind(error: unknown, ...kinds: readonly string[]): boolean {
  const text = toText(error);
  return kinds.some((kind) => text.startsWith(`${kind} Error:`));
}

/** True for the error of a statement that takes more memory than allowed. */
export function isOutOfMemory(error: unknown): boolean {
  return isOfKind(error, 'Out of Memory');
}

/** True for the error of a statement that was interrupted. */
export function isInterrupted(error: unknown): boolean {
  return isOfKind(error, 'INTERRUPT');
}

/** True for the error of a statement that could not read or write a file. */
export function isOfDisk(error: unknown): boolean {
  return isOfKind(error, 'IO');
}

/** True for the error of a statement for which there is no room on the disk. */
export function isDiskFull(error: unknown): boolean {
  if (['ENOSPC', 'EDQUOT'].includes(findErrorCode(error) ?? '')) return true;
  const mayBe = isOfKind(error, 'IO', 'FATAL', 'TransactionContext', 'Out of Memory');
  return (
    mayBe && /No space left on device|not enough space on the disk|Disk quota exceeded/i.test(toText(error))
  );
}

/** Returns what an error says of the engine: DuckDB closes its file after errors of two kinds. */
export function judgeEngine(error: unknown): EngineState {
  const text = toText(error);
  if (isOfKind(error, 'INTERNAL', 'FATAL')) return 'closed';
  const isOfFile = isOfKind(error, 'IO', 'Serialization');
  return isOfFile && /Corrupt database file|checksum/.test(text) ? 'damaged' : 'sound';
}

/**
 * Returns an error of one question as its caller receives it. One that nobody expects has the code `analysis.failed`, and
 * says in its details what it means for the engine; `isVictim` is 1 where an error before it closed the engine.
 */
export function toQuestionError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isDiskFull(error)) {
    const state = judgeEngine(error);
    return new AppError('cache.disk-full', 'There is no room for the analysis.', { state }, error);
  }
  if (isOutOfMemory(error)) {
    return new AppError('analysis.out-of-memory', 'The question takes more memory than allowed.', {}, error);
  }
  if (isInterrupted(error)) return new AppError('app.cancelled', 'The call was cancelled.', {}, error);
  const text = toText(error);
  const details = {
    reason: text.slice(0, MAX_REASON_CHARACTERS),
    state: judgeEngine(error),
    isVictim: text.includes('database has been invalidated because of a previous') ? 1 : 0,
  };
  return new AppError('analysis.failed', 'The question could not be answered.', details, error);
}

function toText(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).trim();
}
