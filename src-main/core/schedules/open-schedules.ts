import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { Equal } from 'typebox/value';
import { AppError, type ErrorCode, type ErrorInfo, toErrorInfo } from '../../common/contract/errors.ts';
import type { Emit, HandlersOf, Input } from '../../common/contract/index.ts';
import { isDocumentFormat } from '../../common/model/exports/export-options.ts';
import {
  findNextDue,
  MAX_SCHEDULES,
  type Schedule,
  SCHEDULE_FORMATS,
  type ScheduleBoard,
  type ScheduleDraft,
  type ScheduleRun,
  toRunPeriod,
} from '../../common/model/schedules/schedule.ts';
import type { Settings } from '../../common/model/settings/settings.ts';
import { isDetailKind } from '../../common/reporting/reports.ts';
import { isTimeZone } from '../../common/time/civil-time.ts';
import type { SpokenKey } from '../../common/words/messages.ts';
import type { Words } from '../../common/words/words.ts';
import { createWorkQueue } from '../../node/gate.ts';
import type { MissingFetcher } from '../coverage/ledger.ts';
import { guardWriting } from '../exports/partial-file.ts';
import type { Host } from '../host.ts';
import type { Logger } from '../logging/logger.ts';
import { findStop, type TaskHandle, type TaskRegistry } from '../tasks/task-registry.ts';
import {
  openScheduleBook,
  planRuns,
  readScheduleQuery,
  type RunOutcome,
  type RunParts,
  runSchedule,
  type ScheduleBook,
} from './schedule-book.ts';

const LOOK_EVERY_MS = 15_000;

/** Exports that are written again and again by themselves. */
export interface Schedules {
  readBoard(): ScheduleBoard;
  chooseFolder(name: string): Promise<{ readonly folderId: string; readonly folder: string } | null>;
  /** Throws `schedules.not-found`, `schedules.query`, `schedules.too-many`, `connections.not-found`, `app.invalid-input`. */
  save(input: Input<'schedules/save'>): Promise<Schedule>;
  remove(scheduleId: string): Promise<void>;
  listSaved(): readonly Schedule[];
  /**
   * Saves, adds or removes the schedule of an id, by what `change` returns of it: undefined for one that is not to be. A new
   * one is off and without a folder, which a person chooses here. Throws as `save` does.
   */
  change(
    scheduleId: string,
    change: (schedule: Schedule | undefined) => Omit<ScheduleDraft, 'isActive'> | undefined,
  ): Promise<void>;
  /** Throws `schedules.not-found`. */
  run(scheduleId: string, runId?: string): { taskId: string };
  readLog(scheduleId: string): ScheduleRun[];
  revealFolder(scheduleId: string): Promise<boolean>;
  /** Begins the runs that are due; settles once they have ended. */
  look(): Promise<void>;
  /** Looks by itself from now on, until it is stopped. */
  start(): void;
  stop(): void;
}

/** Opens the schedules of a data folder. Nothing runs by itself before `start`. */
export async function openSchedules(
  options: RunParts & {
    readonly host: Pick<Host, 'dataFolder' | 'chooseFolder' | 'revealFolder' | 'showNote'>;
    readonly tasks: TaskRegistry;
    readonly fetcher: MissingFetcher;
    readonly settings: { get(): Pick<Settings, 'weekStart'> };
    readonly emit: Emit;
    readonly logger: Logger;
    /** What notifications are written in. */
    readWords(): Words;
  },
): Promise<Schedules> {
  const { host, connections, settings, fetcher, emit, logger, now } = options;
  const book = await openScheduleBook({ folder: host.dataFolder, logger, now });
  const queue = createRunQueue({ ...options, book });
  /** Folders that were chosen, by the ids that stand for them. */
  const folders = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;
  let isIdle = true;

  const announce = (): void => emit('schedules/changed', null);
  const findFolder = (folderId: string | undefined, known: Schedule | null): string => {
    const folder = folderId === undefined ? known?.folder : folders.get(folderId);
    if (folder !== undefined && folder !== '') return folder;
    throw new AppError('app.invalid-input', 'A schedule needs a folder.', { field: 'folder' });
  };
  const check = (draft: ScheduleDraft): void => {
    connections.get(draft.connectionId);
    if (!isTimeZone(draft.zone)) throw toInvalid('zone', 'A schedule needs a time zone that is known.');
    if (draft.name.trim() === '') throw toInvalid('name', 'A schedule needs a name.');
    readScheduleQuery(draft, connections.listNames(draft.connectionId));
    if (!SCHEDULE_FORMATS.includes(draft.choices.format)) {
      throw toInvalid('format', 'A schedule makes no evidence packs.');
    }
    if (isDetailKind(draft.report)) return;
    if (draft.query.trim() !== '') throw toInvalid('query', 'A computed summary has no query.');
    if (isDocumentFormat(draft.choices.format))
      throw toInvalid('format', 'A report is made of detail records.');
  };
  const requireRoom = (known: Schedule | undefined): void => {
    if (known === undefined && book.list().length >= MAX_SCHEDULES)
      throw new AppError('schedules.too-many', 'There are too many schedules.', { limit: MAX_SCHEDULES });
  };
  const remove = async (scheduleId: string): Promise<void> => {
    book.get(scheduleId);
    await queue.cancel(scheduleId);
    await book.remove(scheduleId);
    announce();
  };
  const look = async (): Promise<void> => {
    fetcher.look();
    const { weekStart } = settings.get();
    const begun: Promise<void>[] = [];
    for (const schedule of book.list()) {
      const canRun = schedule.isActive && isTimeZone(schedule.zone);
      if (!canRun || queue.findTaskId(schedule.id) !== null) continue;
      const planned = planRuns(schedule, book.readProgress(schedule.id), now(), weekStart);
      for (const run of planned) begun.push(queue.begin(schedule, run).ended);
    }
    await Promise.all(begun);
  };

  const findNext = ({ isActive, times, zone }: Schedule): number | null =>
    isActive && isTimeZone(zone) ? findNextDue(times, zone, now()) : null;

  return {
    readBoard: () => ({
      isIdle,
      schedules: book.list().map((schedule) => ({
        schedule,
        nextAtMs: findNext(schedule),
        lastRun: book.readLog(schedule.id)[0] ?? null,
        taskId: queue.findTaskId(schedule.id),
      })),
    }),
    async chooseFolder(name) {
      const folder = await host.chooseFolder(toFolderName(name), 'schedules');
      if (folder === null) return null;
      // One that the host proposes itself need not be there yet.
      await guardWriting(() => mkdir(folder, { recursive: true }));
      const folderId = randomUUID();
      folders.set(folderId, folder);
      return { folderId, folder };
    },
    async save({ scheduleId, folderId, draft }) {
      const known = scheduleId === null ? null : book.get(scheduleId);
      check(draft);
      requireRoom(known ?? undefined);
      const folder = findFolder(folderId, known);
      const schedule: Schedule = {
        ...draft,
        id: known?.id ?? randomUUID(),
        name: draft.name.trim(),
        folder,
        countsFromMs: known !== null && isDueAsBefore(known, draft) ? known.countsFromMs : now(),
      };
      await book.save(schedule);
      announce();
      return schedule;
    },
    remove,
    listSaved: () => book.list(),
    async change(scheduleId, change) {
      const known = book.list().find(({ id }) => id === scheduleId);
      const draft = change(known);
      if (draft === undefined) return known === undefined ? undefined : remove(scheduleId);
      const { isActive = false, folder = '' } = known ?? {};
      const next = { ...draft, isActive, name: draft.name.trim() };
      check(next);
      requireRoom(known);
      const countsFromMs = known !== undefined && isDueAsBefore(known, next) ? known.countsFromMs : now();
      await book.save({ ...next, id: scheduleId, folder, countsFromMs });
      announce();
    },
    run(scheduleId, runId) {
      const schedule = book.get(scheduleId);
      const dueAtMs = now();
      const again = book.readLog(scheduleId).find(({ id }) => id === runId);
      const { fromMs, toMs } = again ?? toRunPeriod(schedule, dueAtMs, settings.get().weekStart);
      const { taskId } = queue.begin(schedule, { dueAtMs, cause: 'by-hand', fromMs, toMs, skipped: 0 });
      return { taskId };
    },
    readLog: (scheduleId) => {
      book.get(scheduleId);
      return [...book.readLog(scheduleId)];
    },
    revealFolder: (scheduleId) => host.revealFolder(book.get(scheduleId).folder),
    look,
    start() {
      isIdle = false;
      timer = setInterval(() => {
        look().catch((error: unknown) => logger.error('schedules not looked at', toErrorInfo(error)));
      }, LOOK_EVERY_MS).unref();
      announce();
    },
    stop: () => clearInterval(timer),
  };
}

/** True where times that passed before a change still count. */
function isDueAsBefore(known: Schedule, draft: ScheduleDraft): boolean {
  const toDue = ({ period, zone, times }: ScheduleDraft): object => ({ period, zone, times });
  return known.isActive && draft.isActive && Equal(toDue(known), toDue(draft));
}

function toFolderName(name: string): string {
  return name.replace(/[^\p{L}\p{N} _-]/gu, '_').trim() || 'Schedule';
}

function toInvalid(field: string, message: string): AppError {
  return new AppError('app.invalid-input', message, { field });
}

/** A run that is to be made. */
type WantedRun = Pick<ScheduleRun, 'dueAtMs' | 'cause' | 'fromMs' | 'toMs' | 'skipped'>;

/** Runs of all schedules, one at a time. */
interface RunQueue {
  /** Queues a run. `ended` settles once it has ended, however; never rejects. */
  begin(schedule: Schedule, run: WantedRun): { readonly taskId: string; readonly ended: Promise<void> };
  /** The task of a schedule that runs or waits for its turn; null for none. */
  findTaskId(scheduleId: string): string | null;
  /** Cancels what runs or waits of a schedule, and settles once it has ended. */
  cancel(scheduleId: string): Promise<void>;
}

/** Builds the queue: what becomes of each run is in its log, in the log of the application, and told where it matters. */
function createRunQueue(
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
  const inTurn = createWorkQueue();
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

/** The handlers of `schedules/…`. */
export function createSchedulesHandlers({
  schedules,
}: {
  readonly schedules: Schedules;
}): HandlersOf<'schedules'> {
  return {
    'schedules/list': () => schedules.readBoard(),
    'schedules/choose-folder': ({ name }) => schedules.chooseFolder(name),
    'schedules/save': (input) => schedules.save(input),
    'schedules/remove': async ({ scheduleId }) => {
      await schedules.remove(scheduleId);
      return null;
    },
    'schedules/run': ({ scheduleId, runId }) => schedules.run(scheduleId, runId),
    'schedules/read-log': ({ scheduleId }) => schedules.readLog(scheduleId),
    'schedules/reveal-folder': async ({ scheduleId }) => ({
      isShown: await schedules.revealFolder(scheduleId),
    }),
  };
}
