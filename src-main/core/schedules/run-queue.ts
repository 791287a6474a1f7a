import { randomUUID } from 'node:crypto';
import { AppError, type ErrorCode, type ErrorInfo, toErrorInfo } from '../../common/contract/errors.ts';
import type { Emit } from '../../common/contract/index.ts';
import type { ScheduleRun } from '../../common/model/schedules/schedule-run.ts';
import type { Schedule } from '../../common/model/schedules/schedule.ts';
import type { Words } from '../../common/words/words.ts';
import type { Host } from '../host.ts';
import type { Logger } from '../logging/logger.ts';
import { createSaveQueue } from '../documents/save-queue.ts';
import { findStop } from '../tasks/task-stop.ts';
import type { TaskHandle, TaskRegistry } from '../tasks/task-registry.ts';
import { runSchedule, type RunOutcome, type RunParts } from './run-schedule.ts';
import type { ScheduleBook } from './schedule-book.ts';
import type { SpokenKey } from '../../common/words/messages.ts';

/** A run that is to be made. */
export type WantedRun = Pick<ScheduleRun, 'dueAtMs' | 'cause' | 'fromMs' | 'toMs' | 'skipped'>;

/** Runs of all schedules, one at a time. */
export interface RunQueue {
  /** Queues a run. `ended` settles once it has ended, however; never rejects. */
  begin(schedule: Schedule, run: WantedRun): { readonly taskId: string; readonly ended: Promise<void> };
  /** The task of a schedule that runs or waits for its turn; null for none. */
  findTaskId(scheduleId: string): string | null;
  /** Cancels what runs or waits of a schedule, and settles once it has ended. */
  cancel(scheduleId: string): Promise<void>;
}

/** Builds the queue: what becomes of each run is in its log, in the log of the application, and told where it matters. */
export function createRunQueue(
  parts: RunParts & {
    readonly book: ScheduleBook;
    readonly tasks: TaskRegistry;
    readonly host: Pick<Host, 'showNote'>;
    readonly emit: Emit;
    readonly logger: Logger;
    /** What notifications are written in. */
    readWords(): Words;
  },
): RunQueue {
  const { book, tasks, host, emit, logger, readWords, now } = parts;
  const inTurn = createSaveQueue();
  /** Tasks that have not ended, by schedule. */
  const active = new Map<string, Set<string>>();

  const note = async (run: ScheduleRun): Promise<void> => {
    // What can't be logged is done all the same.
    await book.note(run).catch((error: unknown) => logger.error('run not logged', { error }));
    emit('schedules/changed', null);
  };
  const tell = (schedule: Schedule, run: ScheduleRun): void => {
    const said = writeRunNote(readWords(), schedule.name, run);
    if (said === null || run.cause === 'by-hand') return;
    host.showNote(
      said,
      () => emit('app/place-opened', { place: `/schedules/${schedule.id}` }),
      (reason) => logger.warn('a notification was refused', { reason }),
    );
  };
  const end = async (schedule: Schedule, run: ScheduleRun): Promise<void> => {
    const { id: scheduleId } = schedule;
    const { state, file, records, missingMs, error } = run;
    logger.info('a schedule ran', { scheduleId, state, file, records, missingMs, code: error?.code });
    await note({ ...run, endedAtMs: now() });
    tell(schedule, run);
  };
  const work = async (scheduleId: string, wanted: WantedRun, task: TaskHandle): Promise<void> => {
    const schedule = book.get(scheduleId);
    const run: ScheduleRun = {
      ...wanted,
      id: randomUUID(),
      scheduleId,
      startedAtMs: now(),
      endedAtMs: null,
      state: 'running',
      file: null,
      records: null,
      bytes: null,
      missingMs: null,
      writtenToMs: null,
      error: null,
    };
    let outcome: RunOutcome;
    try {
      task.signal.throwIfAborted();
      task.begin();
      await note(run);
      outcome = await runSchedule(parts, schedule, wanted, task);
    } catch (error) {
      const state = findEnd(error, task.signal);
      // An application that closes goes on with it when it is opened again.
      await end(schedule, { ...run, state, error: state === 'failed' ? toErrorInfo(error) : null });
      throw error;
    }
    const { done: records, fileBytes: bytes } = tasks.get(task.id);
    const state = outcome.missingMs > 0 ? 'incomplete' : 'done';
    await end(schedule, { ...run, ...outcome, state, records, bytes });
  };

  return {
    begin(schedule, wanted) {
      const { id, connectionId } = schedule;
      const task = tasks.start({ kind: 'schedule', connectionId, isQueued: true }, (handle) =>
        inTurn(() => work(id, wanted, handle)),
      );
      const own = active.get(id) ?? new Set();
      active.set(id, own.add(task.id));
      const ended = tasks.whenEnded(task.id).then(() => {
        own.delete(task.id);
        emit('schedules/changed', null);
      });
      emit('schedules/changed', null);
      return { taskId: task.id, ended };
    },
    findTaskId: (scheduleId) => [...(active.get(scheduleId) ?? [])][0] ?? null,
    async cancel(scheduleId) {
      const own = [...(active.get(scheduleId) ?? [])];
      for (const taskId of own) tasks.cancel(taskId);
      await Promise.all(own.map((taskId) => tasks.whenEnded(taskId)));
    },
  };
}

function findEnd(error: unknown, signal: AbortSignal): 'failed' | 'cancelled' | 'interrupted' {
  const stop = findStop(error, signal);
  if (stop !== null) return stop.kind === 'cancelled' ? 'cancelled' : 'interrupted';
  return error instanceof AppError && error.code === 'app.cancelled' ? 'cancelled' : 'failed';
}

const REASONS: Partial<Record<ErrorCode, SpokenKey>> = {
  'connections.not-found': 'notes.schedule.reasons.connectionGone',
  'schedules.folder-gone': 'notes.schedule.reasons.folderGone',
  'schedules.nothing-cached': 'notes.schedule.reasons.nothingCached',
  'schedules.query': 'notes.schedule.reasons.query',
  'exports.write-failed': 'notes.schedule.reasons.notWritten',
  'cache.disk-full': 'notes.schedule.reasons.diskFull',
};

/** Returns what a notification says of a run; null for one that says nothing. */
function writeRunNote(
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
