import { openPackSigner } from '../../support/fakes/open-pack-signer.ts';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Handlers } from '../../../src-main/common/contract/index.ts';
import { toFirstChoices } from '../../../src-main/common/model/exports/export-options.ts';
import {
  WEEKDAYS,
  type Schedule,
  type ScheduleDraft,
} from '../../../src-main/common/model/schedules/schedule.ts';
import { ENGLISH } from '../../../src-main/common/words/words.ts';
import { createExporter } from '../../../src-main/core/exports/create-exporter.ts';
import { createMissingFetcher } from '../../../src-main/core/coverage/ledger.ts';
import { createEvents, type Host } from '../../../src-main/core/host.ts';
import type { Following } from '../../../src-main/common/contract/operations/cache.ts';
import type { TimeSpan } from '../../../src-main/common/time/time-span.ts';
import { openSchedules, type Schedules } from '../../../src-main/core/schedules/open-schedules.ts';
import { createTaskRegistry, type TaskRegistry } from '../../../src-main/core/tasks/task-registry.ts';
import { AppError } from '../../../src-main/common/contract/errors.ts';
import { createSilentLogger } from '../../support/fakes/silent-logger.ts';
import { createDocument, fillSnapshot, openTestRowWriter } from '../cache/cache-fixture.ts';
import type { SharedCache } from '../cache/share-cache.ts';
import { openLedger } from '../../support/fakes/open-ledger.ts';
import { NO_CASES } from '../../support/fakes/no-cases.ts';

const DAY_MS = 86_400_000;

/** Schedules in a folder of their own, with a clock that a test sets. */
export interface ScheduleRig {
  readonly out: string;
  readonly notes: { title: string; body: string }[];
  /** Opens them anew, as after a start of the application. */
  open(): Promise<{ schedules: Schedules; tasks: TaskRegistry }>;
  setNow(text: string): void;
  /** What is called instead of downloading. */
  onFetch: Handlers['downloads/fetch-gaps'];
  /** What following has still to fetch, and how it is going. */
  followed: TimeSpan | null;
  following: Pick<Following, 'failure' | 'failingSinceMs'> | undefined;
  /** Caches a whole day, with so many records. */
  fillDay(day: string, count: number): Promise<void>;
  /** The same for a span of it. */
  fillSpan(from: string, to: string, count: number): Promise<void>;
  removeConnection(): void;
  close(): Promise<void>;
}

export async function createScheduleRig({ cache, engine, file }: SharedCache): Promise<ScheduleRig> {
  const folder = await mkdtemp(join(tmpdir(), 'schedules-'));
  const out = join(folder, 'out');
  await mkdir(out);
  const notes: { title: string; body: string }[] = [];
  const registries: TaskRegistry[] = [];
  let nowMs = 0;
  let isThere = true;
  const logger = createSilentLogger();
  const now = (): number => nowMs;
  const partials = { add: () => Promise.resolve(), remove: () => Promise.resolve() };
  const host: Pick<Host, 'chooseFolder' | 'revealFolder' | 'showNote' | 'dataFolder'> = {
    dataFolder: folder,
    chooseFolder: () => Promise.resolve(out),
    revealFolder: () => Promise.resolve(true),
    showNote: (note) => {
      notes.push(note);
      return 'computer';
    },
  };
  const rig: ScheduleRig = {
    out,
    notes,
    async open() {
      const events = createEvents();
      const tasks = createTaskRegistry({ now, emit: events.emit, logger });
      registries.push(tasks);
      const ledger = openLedger(cache, { now, events, findFollowed: () => Promise.resolve(rig.followed) });
      const exporter = createExporter({
        cases: NO_CASES,
        pseudonymKey: new Uint8Array(32),
        packSigner: openPackSigner(),
        emit: () => undefined,
        cache,
        ledger,
        engine,
        tasks,
        logger,
        now,
        version: '1.2.3',
        host: {
          kind: 'desktop',
          chooseExportTarget: () => Promise.resolve(null),
          printPdf: () => Promise.reject(new Error('not here')),
          revealExport: () => Promise.resolve(null),
        },
        partials,
        rowWriter: openTestRowWriter(file),
        listNames: () => [],
        findTenant: () => 1,
        findConnection: () => undefined,
        readWords: () => ENGLISH,
      });
      const schedules = await openSchedules({
        readWords: () => ENGLISH,
        ledger,
        connections: {
          get: (connectionId) => {
            if (isThere) return { id: connectionId, kind: 'remote' } as never;
            throw new AppError('connections.not-found', 'There is no such connection.');
          },
          listNames: () => [],
        },
        exporter,
        tasks,
        host,
        settings: { get: () => ({ weekStart: 'monday' }) },
        fetcher: createMissingFetcher({
          ledger,
          engine,
          tasks,
          events,
          now,
          fetchGaps: (input) => rig.onFetch(input),
          findFollowing: () => rig.following,
        }),
        emit: () => undefined,
        logger,
        now,
      });
      return { schedules, tasks };
    },
    setNow: (text) => {
      nowMs = Date.parse(text);
    },
    onFetch: () => [],
    followed: null,
    following: undefined,
    fillDay: (day, count) => {
      const fromMs = Date.parse(`${day}T00:00:00Z`);
      return rig.fillSpan(`${day}T00:00:00Z`, new Date(fromMs + DAY_MS).toISOString(), count);
    },
    async fillSpan(from, to, count) {
      const fromMs = Date.parse(from);
      const toMs = Date.parse(to) - 1_000;
      const write = (atMs: number): string => new Date(atMs).toISOString().slice(0, 19).replace('T', ' ');
      const period = { startDate: write(fromMs), endDate: write(toMs), fromMs, toMs, zone: 'UTC' };
      const documents = Array.from({ length: count }, (_, index) =>
        createDocument(index, { Date: new Date(fromMs + index * 1_000).toISOString() }),
      );
      await fillSnapshot(cache, documents, { period, startedAtMs: toMs + DAY_MS });
      engine.noteChange();
    },
    removeConnection: () => {
      isThere = false;
    },
    async close() {
      for (const tasks of registries) await tasks.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  return rig;
}

export const DRAFT: ScheduleDraft = {
  name: 'Night: errors?',
  connectionId: 'one',
  report: 'inbound-detail',
  period: 'yesterday',
  zone: 'UTC',
  query: 'code:>=500',
  choices: toFirstChoices('csv'),
  columns: null,
  times: { kind: 'daily', time: '07:00', weekdays: [...WEEKDAYS] },
  isActive: true,
  fetchesMissing: false,
};

/** Makes a schedule with a folder, as a person does. */
export async function addSchedule(
  schedules: Schedules,
  change: Partial<ScheduleDraft> = {},
): Promise<Schedule> {
  const draft = { ...DRAFT, ...change };
  const chosen = await schedules.chooseFolder(draft.name);
  return schedules.save({ scheduleId: null, draft, folderId: chosen?.folderId ?? '' });
}
