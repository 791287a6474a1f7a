import type { ErrorCode, ErrorInfo } from '../../common/contract/errors.ts';
import type { ScheduleRun } from '../../common/model/schedules/schedule-run.ts';
import type { SpokenKey } from '../../common/words/messages.ts';
import type { Words } from '../../common/words/words.ts';

const REASONS: Partial<Record<ErrorCode, SpokenKey>> = {
  'connections.not-found': 'notes.schedule.reasons.connectionGone',
  'schedules.folder-gone': 'notes.schedule.reasons.folderGone',
  'schedules.nothing-cached': 'notes.schedule.reasons.nothingCached',
  'schedules.query': 'notes.schedule.reasons.query',
  'exports.write-failed': 'notes.schedule.reasons.notWritten',
  'cache.disk-full': 'notes.schedule.reasons.diskFull',
};

/** Returns what a notification says of a run; null for one that says nothing. */
export function writeRunNote(
  words: Words,
  name: string,
  { state, error, missingMs }: Pick<ScheduleRun, 'state' | 'error' | 'missingMs'>,
): { readonly title: string; readonly body: string } | null {
  const { t, formats } = words;
  if (state === 'failed') {
    return { title: t('notes.schedule.failed', { name }), body: toReason(words, error) };
  }
  if (state !== 'incomplete') return null;
  return {
    title: t('notes.schedule.incomplete', { name }),
    body: t('notes.schedule.missing', { span: formats.formatSpan(missingMs ?? 0) }),
  };
}

function toReason({ t }: Words, error: ErrorInfo | null): string {
  if (error === null) return t('notes.schedule.reasons.unexpected');
  if (error.details['systemCode'] === 'ENOSPC') return t('notes.schedule.reasons.diskFull');
  const reason = REASONS[error.code];
  return reason === undefined ? error.message : t(reason);
}
