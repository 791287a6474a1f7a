import type { ErrorCode, ErrorInfo } from '../../common/contract/errors.ts';
import type { ScheduleRun } from '../../common/model/schedules/schedule-run.ts';
import { formatSpan } from '../../common/words/numbers.ts';

const REASONS: Partial<Record<ErrorCode, string>> = {
  'connections.not-found': 'Its connection was removed.',
  'schedules.folder-gone': 'Its folder is not there any more.',
  'schedules.nothing-cached': 'Nothing of its period is cached.',
  'schedules.query': 'Its query can’t be understood any more.',
  'exports.write-failed': 'The file could not be written.',
  'cache.disk-full': 'The disk is full.',
};

/** Returns what a notification says of a run; null for one that says nothing. */
export function writeRunNote(
  name: string,
  { state, error, missingMs }: Pick<ScheduleRun, 'state' | 'error' | 'missingMs'>,
): { readonly title: string; readonly body: string } | null {
  if (state === 'failed') return { title: `${name}: no file`, body: toReason(error) };
  if (state !== 'incomplete') return null;
  const missing = `${formatSpan(missingMs ?? 0)} of the period are missing in the file.`;
  return { title: `${name}: incomplete`, body: missing };
}

function toReason(error: ErrorInfo | null): string {
  if (error?.details['systemCode'] === 'ENOSPC') return 'The disk is full.';
  return (error === null ? undefined : REASONS[error.code]) ?? error?.message ?? 'An unexpected error.';
}
