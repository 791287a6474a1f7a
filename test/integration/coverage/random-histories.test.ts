// @module-tag long
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AppError } from '../../../src-main/common/contract/errors.ts';
import { toEndMs } from '../../../src-main/common/model/period.ts';
import {
  DETAIL_KINDS,
  SPECIFIED_REPORT_IDENTIFIERS,
  type DetailKind,
} from '../../../src-main/common/reporting/reports.ts';
import type { TimeSpan } from '../../../src-main/common/time/time-span.ts';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import type { PageRequest } from '../../../src-main/core/client/reporting-client.ts';
import type { SavedConnection } from '../../../src-main/core/connections/connection-file.ts';
import type { ConnectionStore } from '../../../src-main/core/connections/create-connections.ts';
import { createCoverageHandlers } from '../../../src-main/core/coverage/ledger.ts';
import type { CoverageState } from '../../../src-main/core/coverage/read-holdings.ts';
import { planDays } from '../../../src-main/core/datasets/update-dataset.ts';
import { createDownloads } from '../../../src-main/core/downloads/downloads-handlers.ts';
import { toPeriod } from '../../../src-main/core/downloads/slice-period.ts';
import { readExportSubject } from '../../../src-main/core/exports/export-subject.ts';
import { createFollowing } from '../../../src-main/core/following/create-following.ts';
import { pickExpired } from '../../../src-main/core/snapshots/snapshots-handlers.ts';
import { createTaskRegistry } from '../../../src-main/core/tasks/task-registry.ts';
import { createRandom } from '../../../src-main/service/sample/random.ts';
import { createSilentLogger } from '../../support/fakes/silent-logger.ts';
import { openLedger } from '../../support/fakes/open-ledger.ts';
import { createDocument, createFolder, openTestCache, toBody, toOutbound } from '../cache/cache-fixture.ts';

/** `COVERAGE_HISTORIES=500` for the whole proof; `COVERAGE_SEED` begins with another one. */
const HISTORIES = Number(process.env['COVERAGE_HISTORIES'] ?? 4);
const FIRST_SEED = Number(process.env['COVERAGE_SEED'] ?? 1);
const STEPS = 14;

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const START_MS = Date.UTC(2026, 10, 20);
const LOOK_BACK_MS = 10 * MINUTE_MS;
const PAGE_SIZE = 20;
const RANKS: readonly CoverageState[] = ['settled', 'open', 'partial', 'failed', 'missing'];

/** An entry of the journal that the reference replays: what a walk, an import or a failure said about a span. */
interface Entry extends TimeSpan {
  snapshotId: number | null;
  readonly report: DetailKind;
  readonly kind: 'read' | 'followed' | 'partial' | 'failed' | 'imported';
  readonly atMs: number;
}

/** What an entry says about a moment: the slow and obvious rule that the ledger has to agree with. */
function judgeMoment({ kind, atMs }: Entry, momentMs: number): CoverageState {
  if (kind === 'imported') return 'settled';
  if (kind === 'partial' || kind === 'failed') return kind;
  if (momentMs < Math.floor((atMs - LOOK_BACK_MS) / SECOND_MS) * SECOND_MS) return 'settled';
  return kind === 'followed' || momentMs < atMs ? 'open' : 'missing';
}

let cache: Cache;
let close: () => Promise<void>;
beforeAll(async () => {
  const place = await createFolder();
  cache = await openTestCache(place.file);
  close = async () => {
    await cache.close();
    await place.remove();
  };
});
afterAll(() => close());

/** A connection of its own with a service in memory, which has a record each half hour. */
function createHistory(seed: number) {
  const random = createRandom(seed);
  const pick = (count: number): number => Math.floor(random() * count);
  const id = `history-${seed}`;
  let nowMs = START_MS + 5 * HOUR_MS;
  const now = (): number => nowMs;
  /** Pages that are answered before the service refuses; what it announces beyond what it has; whether it is there. */
  const service = { pagesLeft: Infinity, excess: 0, isThere: true };
  let followedWalks: Entry[] | null = null;
  const journal: Entry[] = [];
  const removed = new Set<number>();

  const fetchPage = ({ report, startDate, endDate, size, lastDocument }: PageRequest) => {
    if (!service.isThere) return Promise.reject(new AppError('client.unreachable', 'Nobody is there.'));
    if (service.pagesLeft <= 0) return Promise.reject(new AppError('client.forbidden', 'No more.'));
    service.pagesLeft -= 1;
    const [fromMs, toMs] = [startDate, endDate].map((text) => Date.parse(`${text.replace(' ', 'T')}Z`));
    if (fromMs === undefined || toMs === undefined) throw new Error('A request has no dates.');
    const first = Math.ceil((fromMs - START_MS) / (HOUR_MS / 2));
    const dates: number[] = [];
    for (let place = Math.max(0, first - 1); ; place += 1) {
      const dateMs = START_MS + (place * HOUR_MS) / 2 + 17 * MINUTE_MS + 500;
      if (dateMs >= toMs + SECOND_MS || dateMs > nowMs) break;
      if (dateMs >= fromMs) dates.push(dateMs);
    }
    const from = Number(lastDocument);
    const own = dates.slice(from, from + Math.min(size, PAGE_SIZE));
    const isLast = from + own.length >= dates.length;
    if (isLast && followedWalks !== null) {
      // The second before is asked for as well, and the end includes a second more.
      const span = { fromMs: fromMs + SECOND_MS, toMs };
      followedWalks.push({
        ...span,
        snapshotId: null,
        report: report as DetailKind,
        kind: 'followed',
        atMs: nowMs,
      });
    }
    const documents = own.map((dateMs) => {
      const document = createDocument(dateMs / 500, { Date: new Date(dateMs).toISOString() });
      return report === 'inbound-detail' ? document : toOutbound(document, '1');
    });
    return Promise.resolve({
      bytes: toBody(documents, isLast ? '' : String(from + own.length), dates.length + service.excess),
      status: 200,
      requestedAtMs: nowMs,
      receivedAtMs: nowMs,
      serverTimeMs: null,
      removedSecrets: 0,
    });
  };
  let connection = {
    id,
    name: id,
    kind: 'remote',
    baseAddress: 'http://127.0.0.1:1',
    tenant: 1,
    serviceZone: 'UTC',
    reportIdentifiers: SPECIFIED_REPORT_IDENTIFIERS,
    pageSize: PAGE_SIZE,
    createdAtMs: 0,
    followed: false,
  } as unknown as SavedConnection;
  const connections = {
    get: () => connection,
    clientFor: () => ({ fetchPage }),
    listSaved: () => [connection],
    watchSaved: () => undefined,
  } as unknown as ConnectionStore;
  const shared = { cache, connections, now, emit: () => undefined, logger: createSilentLogger() };
  const ledger = openLedger(cache, {
    connections,
    now,
    findTask: (snapshotId) => downloads.runner.findActive(snapshotId),
    findFollowed: (connectionId, report) => following.findPending(connectionId, report),
  });
  const tasks = createTaskRegistry(shared);
  const downloads: ReturnType<typeof createDownloads> = createDownloads({
    ...shared,
    tasks,
    random,
    clock: { now, wait: () => Promise.resolve() },
  });
  const following: ReturnType<typeof createFollowing> = createFollowing({
    ...shared,
    queue: downloads.queue,
    ledger,
    random: () => 0.5,
  });

  const listVisible = async () =>
    (await cache.listSnapshots(id)).filter(({ report }) => report.endsWith('detail'));
  const countRecords = ({ fromMs, toMs }: TimeSpan): number[] =>
    Array.from(
      { length: 1_000 },
      (_, place) => START_MS + (place * HOUR_MS) / 2 + 17 * MINUTE_MS + 500,
    ).filter((dateMs) => dateMs >= fromMs && dateMs < toMs && dateMs <= nowMs);

  const download = async (): Promise<void> => {
    const report = DETAIL_KINDS[pick(2)] ?? 'inbound-detail';
    const fromMs = START_MS + pick(6 * 60) * 10 * MINUTE_MS;
    const toMs = fromMs + (1 + pick(6 * 50)) * 10 * MINUTE_MS;
    const sliceDays = random() < 0.5 ? 1 : null;
    const isShort = sliceDays === null && random() < 0.2;
    // The forecast of a sliced download is a page of its own.
    const pages = random() < 0.4 ? pick(5) : Infinity;
    service.pagesLeft =
      pages + (sliceDays !== null && Math.floor(fromMs / DAY_MS) !== Math.floor((toMs - 1) / DAY_MS) ? 1 : 0);
    service.excess = isShort ? 5 : 0;
    const period = toPeriod({ fromMs, toMs: toMs - SECOND_MS }, 'UTC');
    const { taskId, snapshotId } = await downloads.starter.begin({
      connectionId: id,
      report,
      period,
      sliceDays,
      askedStart: '',
      refreshOf: null,
    });
    await tasks.whenEnded(taskId);
    Object.assign(service, { pagesLeft: Infinity, excess: 0 });
    noteDownload({ snapshotId, report, atMs: nowMs }, { fromMs, toMs }, { sliceDays, isShort, pages });
  };
  /** Writes down what came of a download, slice by slice. */
  const noteDownload = (
    about: Pick<Entry, 'snapshotId' | 'report' | 'atMs'>,
    span: TimeSpan,
    {
      sliceDays,
      isShort,
      pages,
    }: { readonly sliceDays: number | null; readonly isShort: boolean; readonly pages: number },
  ): void => {
    const note = (kind: Entry['kind'], part: TimeSpan): void =>
      void journal.push({ ...about, ...part, kind });
    if (pages === 0) {
      note('failed', span);
      return;
    }
    const slices: TimeSpan[] = [];
    for (let fromMs = span.fromMs; fromMs < span.toMs;) {
      const toMs =
        sliceDays === null ? span.toMs : Math.min(span.toMs, (Math.floor(fromMs / DAY_MS) + 1) * DAY_MS);
      slices.push({ fromMs, toMs });
      fromMs = toMs;
    }
    let left = pages;
    for (const slice of slices) {
      const dates = countRecords(slice);
      const needed = Math.max(1, Math.ceil(dates.length / PAGE_SIZE));
      if (left < needed) {
        const last = dates[left * PAGE_SIZE - 1];
        if (last !== undefined)
          note('partial', { fromMs: slice.fromMs, toMs: Math.floor(last / SECOND_MS) * SECOND_MS });
        return;
      }
      left -= needed;
      if (!isShort) note('read', slice);
      else if (dates.length > 0) note('partial', slice);
    }
  };
  const follow = async (): Promise<void> => {
    followedWalks = [];
    const steps = 1 + pick(6);
    for (let step = 0; step < steps; step += 1) {
      nowMs += (1 + pick(12)) * MINUTE_MS;
      await following.look();
    }
    const days = (await listVisible()).filter(({ settledToMs }) => settledToMs !== undefined);
    for (const walk of followedWalks) {
      const day = days.find(
        ({ report, period }) =>
          report === walk.report && period.fromMs <= walk.fromMs && walk.fromMs < toEndMs(period),
      );
      journal.push({ ...walk, snapshotId: day?.id ?? null });
    }
    followedWalks = null;
  };
  const switchFollowing = async (): Promise<void> => {
    const followed = connection.followed !== true;
    connection = { ...connection, followed, ...(followed ? { followedSinceMs: nowMs } : {}) };
    await follow();
  };
  const remove = async (snapshotIds: readonly number[]): Promise<void> => {
    await cache.removeSnapshots({ snapshotIds: [...snapshotIds], nowMs });
    for (const snapshotId of snapshotIds) removed.add(snapshotId);
  };
  const removeOne = async (): Promise<void> => {
    const all = await listVisible();
    const chosen = all[pick(Math.max(1, all.length))];
    if (chosen === undefined) return;
    await remove([chosen.id]);
    if (random() < 0.7) return;
    await cache.restoreSnapshots([chosen.id]);
    removed.delete(chosen.id);
  };
  const retain = async (): Promise<void> => {
    const limits = { retentionDays: 1 + pick(3), retentionBytes: 0 };
    await remove(pickExpired(await listVisible(), limits, nowMs, 1).map((expired) => expired.id));
  };
  const importOne = async (): Promise<void> => {
    const report = DETAIL_KINDS[pick(2)] ?? 'inbound-detail';
    const fromMs = START_MS + pick(6 * 60) * 10 * MINUTE_MS;
    const toMs = fromMs + (1 + pick(6 * 24)) * 10 * MINUTE_MS;
    const snapshotId = await cache.beginImport({
      connectionId: id,
      tenant: 1,
      report,
      period: toPeriod({ fromMs, toMs: toMs - SECOND_MS }, 'UTC'),
      startedAtMs: nowMs,
      stillOpen: false,
      imported: {
        fileName: 'a.csv',
        format: 'csv',
        fileSha256: '',
        importedAtMs: nowMs,
        connectionName: null,
        serviceAddress: null,
        exportedAtMs: null,
      },
      name: '',
      note: '',
      settledToMs: null,
    });
    const rest = { failure: null, fetchedAtMs: nowMs, totalDocument: null, remarks: [], download: null };
    await cache.finishImport([{ snapshotId, state: 'complete', ...rest }]);
    journal.push({ snapshotId, report, kind: 'imported', fromMs, toMs, atMs: nowMs });
  };
  const fail = async (): Promise<void> => {
    service.isThere = false;
    await follow();
    service.isThere = true;
  };
  const steps: readonly [name: string, run: () => Promise<void>][] = [
    ['download', download],
    ['download', download],
    ['follow', follow],
    ['follow', follow],
    ['switch following', switchFollowing],
    ['sleep', () => Promise.resolve(void (nowMs += pick(20) * HOUR_MS + pick(60) * MINUTE_MS))],
    ['delete', removeOne],
    ['retention', retain],
    ['import', importOne],
    ['outage', fail],
  ];
  const listEntries = (report: DetailKind, momentMs: number): Entry[] =>
    journal
      .filter((entry) => entry.report === report && !removed.has(entry.snapshotId ?? -1))
      .filter(({ fromMs, toMs }) => fromMs <= momentMs && momentMs < toMs);
  const judge = (report: DetailKind, momentMs: number): CoverageState => {
    const states = listEntries(report, momentMs).map((entry) => judgeMoment(entry, momentMs));
    return RANKS.find((rank) => states.includes(rank)) ?? 'missing';
  };
  /** Moments at which something may change, with those before. */
  const listMoments = (span: TimeSpan): number[] =>
    journal
      .flatMap(({ fromMs, toMs, atMs }) => [fromMs, toMs, atMs, atMs - LOOK_BACK_MS])
      .flatMap((edgeMs) => [edgeMs - 1, edgeMs, edgeMs + SECOND_MS])
      .filter((momentMs) => momentMs >= span.fromMs && momentMs < span.toMs);
  return {
    id,
    ledger,
    judge,
    listEntries,
    listFollowing: () => following.list(),
    listMoments,
    now,
    async step(): Promise<string> {
      const [name, run] = steps[pick(steps.length)] ?? ['', () => Promise.resolve()];
      await run();
      return name;
    },
    async stop(): Promise<void> {
      await following.stop();
      await tasks.stop();
    },
  };
}

it(`says of each moment of ${HISTORIES} random histories what replaying them says, and so does what asks it`, async () => {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + HISTORIES; seed += 1) {
    const history = createHistory(seed);
    const done: string[] = [];
    for (let step = 0; step < STEPS; step += 1) {
      done.push(await history.step());
      const span = { fromMs: START_MS - DAY_MS, toMs: START_MS + 7 * DAY_MS };
      for (const report of DETAIL_KINDS) {
        const subject = { connectionId: history.id, report };
        const about = `seed ${seed}, ${report}: ${done.join(', ')}`;
        const { spans } = await history.ledger.read(subject, span);
        const moments = [
          ...history.listMoments(span),
          ...spans.flatMap(({ fromMs, toMs }) => [fromMs, toMs - 1]),
        ];
        for (const momentMs of moments) {
          const found = spans.find(({ fromMs, toMs }) => fromMs <= momentMs && momentMs < toMs);
          const expected = history.judge(report, momentMs);
          if (found?.state === expected) continue;
          const entries = JSON.stringify(history.listEntries(report, momentMs));
          expect.fail(
            `${about}; ${new Date(momentMs).toISOString()} is ${found?.state}, not ${expected}: ${entries} ${JSON.stringify(history.listFollowing())} ${JSON.stringify((await cache.listSnapshots(history.id)).map(({ id, report: of, state, period, settledToMs, recordCount }) => [id, of, state, period.startDate, period.endDate, settledToMs, recordCount]))} `,
          );
        }
        const isLacking = spans.some(({ state }) => state !== 'settled' && state !== 'open');
        const isOpen = spans.some(({ state }) => state === 'open');
        const handlers = createCoverageHandlers({ ledger: history.ledger });
        const map = await handlers['coverage/read']({ ...subject, ...span, buckets: 7 });
        const lackingMs = map.gaps
          .filter(({ state }) => state !== 'open')
          .reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
        const shownMs = map.buckets.reduce(
          (sum, { fromMs, toMs, settled, open }) => sum + (settled + open) * (toMs - fromMs),
          0,
        );
        expect(Math.round(lackingMs + shownMs), about).toBe(span.toMs - span.fromMs);
        const own = (await cache.listSnapshots(history.id)).filter((snapshot) => snapshot.report === report);
        if (own.length === 0) continue;
        const exported = await readExportSubject(
          { cache, ledger: history.ledger, now: () => Infinity },
          { ...subject, ...span },
        );
        expect(exported.state, about).toBe(isLacking ? 'incomplete' : isOpen ? 'open' : 'complete');
        const days = await planDays(
          own,
          report,
          async (asked) => (await history.ledger.read(subject, asked)).spans,
        );
        for (const day of days.filter(({ date }) => date !== null)) {
          const isSettled = spans
            .filter(({ fromMs, toMs }) => fromMs < day.toMs && toMs > day.fromMs)
            .every(({ state }) => state === 'settled');
          if (day.fromMs >= span.fromMs && day.toMs <= span.toMs) {
            expect(day.state, about).toBe(isSettled ? 'complete' : 'incomplete');
          }
        }
      }
    }
    await history.stop();
  }
}, 3_600_000);
