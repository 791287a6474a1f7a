import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Finding, FindingsReport } from '../../../src-main/common/model/analysis/finding.ts';
import type { Engine } from '../../../src-main/core/analysis/engine/create-engine.ts';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import { createListWaits } from '../../../src-main/core/findings/findings-handlers.ts';
import {
  readFindings,
  readKeptFindings,
  readPeriodFindings,
} from '../../../src-main/core/findings/read-findings.ts';
import { createRandom } from '../../../src-main/service/sample/random.ts';
import { createRecordsHandlers } from '../../../src-main/core/records/records-handlers.ts';
import { DAY_MS } from '../../support/findings/simulated-rhythm.ts';
import { simulateMonth, type SimulatedRecord } from '../../support/findings/simulated-traffic.ts';
import { createFolder, fillSnapshot, openTestCache, openTestEngine } from '../cache/cache-fixture.ts';
import { openLedger } from '../../support/fakes/open-ledger.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Days with incidents, two of them a day; a month shows all sixty. */
const DAYS = Number(process.env['CHANNELSCOPE_FINDING_DAYS'] ?? 3);
const LEARN_DAYS = 7;
const MONTH = simulateMonth({
  seed: 4,
  fromMs: Date.UTC(2026, 9, 1),
  days: LEARN_DAYS + DAYS,
  learnDays: LEARN_DAYS,
  incidents: 2 * DAYS,
  perMinute: DAYS > 3 ? 24 : 16,
});
const [FIRST_MS, END_MS] = [MONTH.fromMs, MONTH.toMs];

let cache: Cache;
let engine: Engine;
let close: () => Promise<void>;

function toDocument(record: SimulatedRecord): object {
  const { direction, dateMs, channel, service, responseCode, responseTimeMs, error, session } = record;
  const document = {
    Id: `00000000-0000-4000-8000-${session.toString(16).padStart(12, '0')}`,
    Date: new Date(dateMs).toISOString(),
    Channel: channel,
    Service: service,
    Client: '',
    ReponseTime: responseTimeMs,
    ReponseCode: responseCode,
    Error: error,
    Payload: '',
  };
  return direction === 'inbound'
    ? { ...document, BotLatency: 0, Origin: '' }
    : { ...document, ActionId: '1', Reponse: '' };
}

function toPeriod(fromMs: number, toMs: number) {
  const write = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
  const lastMs = toMs - 1000;
  return { startDate: write(fromMs), endDate: write(lastMs), fromMs, toMs: lastMs, zone: 'UTC' };
}

async function fillDay(
  connectionId: string,
  direction: SimulatedRecord['direction'],
  dayMs: number,
): Promise<number> {
  const own = MONTH.records.filter(
    (record) => record.direction === direction && record.dateMs >= dayMs && record.dateMs < dayMs + DAY_MS,
  );
  const changes = {
    connectionId,
    report: `${direction}-detail` as const,
    period: toPeriod(dayMs, dayMs + DAY_MS),
    startedAtMs: dayMs + 2 * DAY_MS,
  };
  return fillSnapshot(cache, own.map(toDocument), changes, 5000);
}

/** The service's answers: every half minute, down while an incident says so. */
async function fillStatus(): Promise<void> {
  const down = MONTH.incidents.filter(({ kind }) => kind === 'down');
  for (const { fromMs, toMs } of down) {
    for (let atMs = fromMs - 5 * MINUTE_MS; atMs < toMs + 5 * MINUTE_MS; atMs += MINUTE_MS / 2) {
      await cache.addStatusSample({
        connectionId: 'one',
        checkedAtMs: atMs,
        roundTripMs: 20,
        platform: 'up',
        connector: atMs >= fromMs && atMs < toMs ? 'down' : 'up',
        internalResponseTimeMs: 100,
        sessions: 1,
        traffic: [],
        trafficText: '',
        failure: null,
      });
    }
  }
}

const read = (untilMs: number, connectionId = 'one'): Promise<FindingsReport> =>
  readFindings({ cache, engine, ledger: openLedger(cache) }, connectionId, untilMs, { untilMs });

beforeAll(async () => {
  const place = await createFolder();
  cache = await openTestCache(place.file);
  engine = openTestEngine(place.file, [], { memoryLimitMb: 256, threads: 2 });
  close = async () => {
    await engine.close();
    await cache.close();
    await place.remove();
  };
  for (let dayMs = FIRST_MS; dayMs < END_MS; dayMs += DAY_MS) {
    for (const direction of ['inbound', 'outbound'] as const) await fillDay('one', direction, dayMs);
  }
  await fillStatus();
}, 600_000);
afterAll(() => close());

/** Everything that is told while a month goes by, the last word of each. */
async function walkThrough(): Promise<Map<string, Finding>> {
  const told = new Map<string, Finding>();
  for (let untilMs = FIRST_MS + (LEARN_DAYS + 0.5) * DAY_MS; untilMs <= END_MS; untilMs += 12 * HOUR_MS) {
    const { findings, resolved } = await read(untilMs);
    for (const finding of [...findings, ...resolved]) told.set(finding.id, finding);
  }
  return told;
}

describe('the findings of cached traffic', () => {
  it('tell each incident once, with its kind, place, onset within two minutes, and end', async () => {
    const told = await walkThrough();
    const left = new Map(told);
    const wrong: unknown[] = [];
    for (const incident of MONTH.incidents) {
      const own = [...left.values()].filter(
        ({ sinceMs }) =>
          sinceMs > incident.fromMs - 30 * MINUTE_MS && sinceMs < incident.toMs + 10 * MINUTE_MS,
      );
      for (const { id } of own) left.delete(id);
      const [found] = own;
      const isRight =
        own.length === 1 &&
        found !== undefined &&
        (found.kind === incident.kind || (incident.kind === 'new-errors' && found.isNewFamily)) &&
        found.channel === incident.channel &&
        found.service === incident.service &&
        Math.abs(found.sinceMs - incident.fromMs) <= 2 * MINUTE_MS &&
        found.endedMs !== null &&
        Math.abs(found.endedMs - incident.toMs) <= 15 * MINUTE_MS;
      if (!isRight) wrong.push({ incident, found: own });
    }
    expect(wrong).toEqual([]);
    expect([...left.values()]).toEqual([]);
  });

  it('count exactly the records that their filter shows, with examples among them', async () => {
    const records = createRecordsHandlers({ cache, engine, connections: { listSaved: () => [] } });
    const { findings, resolved } = await read(END_MS);
    const told = [...findings, ...resolved];
    expect(told.length).toBeGreaterThan(0);
    for (const finding of told) {
      let count = 0;
      const sessions = new Set<string>();
      const clients = new Set<string>();
      for (const direction of finding.directions) {
        const view = await records['records/open-view']({
          scope: { connectionId: 'one', report: `${direction}-detail`, fromMs: FIRST_MS, toMs: END_MS },
          filter: finding.filter,
          order: [{ column: 'dateMs', descending: false }],
        });
        const { rowCount } = await records['records/count-view']({ viewId: view.viewId });
        expect(finding.shown).toContainEqual({ direction, count: rowCount });
        count += rowCount;
        const rows = await records['records/read-rows']({ viewId: view.viewId, offset: 0, limit: 10_000 });
        for (const { sessionId, client } of rows) {
          sessions.add(sessionId);
          if (client !== '') clients.add(client);
        }
      }
      if (finding.kind !== 'down') {
        expect([finding.sessionCount, finding.clientCount]).toEqual([sessions.size, clients.size]);
      }
      expect([finding.id, count]).toEqual([
        finding.id,
        finding.kind === 'down' ? finding.requests : finding.count,
      ]);
      expect(new Set(finding.examples.map(({ sessionId }) => sessionId)).size).toBe(3);
      for (const { sessionId } of finding.examples) expect(sessions).toContain(sessionId);
    }
  });

  it('are the same whenever they are asked for', async () => {
    expect(await read(END_MS)).toEqual(await read(END_MS));
    expect(
      (await readFindings({ cache, engine, ledger: openLedger(cache) }, 'one', END_MS + 9 * DAY_MS)).findings,
    ).toEqual(
      (await readFindings({ cache, engine, ledger: openLedger(cache) }, 'one', END_MS + 3 * DAY_MS)).findings,
    );
  });
});

describe('the findings of a period', () => {
  const parts = () => ({ cache, engine, ledger: openLedger(cache) });
  const readPeriod = (fromMs: number, toMs: number): Promise<FindingsReport> =>
    readPeriodFindings(parts(), 'one', END_MS + DAY_MS, { fromMs, toMs });

  it('tell each incident of several days once, and of one day those of it alone', async () => {
    const fromMs = FIRST_MS + LEARN_DAYS * DAY_MS;
    const whole = await readPeriod(fromMs, END_MS);
    const told = [...whole.findings, ...whole.resolved];
    const onsets = (list: readonly Finding[]): string[] =>
      list.map(({ kind, sinceMs, endedMs }) => `${kind} ${sinceMs} ${endedMs ?? 'goes on'}`).sort();
    for (const incident of MONTH.incidents) {
      const own = told.filter(({ sinceMs }) => Math.abs(sinceMs - incident.fromMs) <= 2 * MINUTE_MS);
      expect([incident, own.length]).toEqual([incident, 1]);
    }
    expect(told).toHaveLength(MONTH.incidents.length);
    expect(whole.gaps).toEqual([]);
    const day = await readPeriod(fromMs + DAY_MS, fromMs + 2 * DAY_MS);
    const within = told.filter(
      ({ sinceMs, endedMs }) => sinceMs < fromMs + 2 * DAY_MS && (endedMs ?? Infinity) > fromMs + DAY_MS,
    );
    expect(onsets([...day.findings, ...day.resolved].filter(({ endedMs }) => endedMs !== null))).toEqual(
      onsets(within.filter(({ endedMs }) => endedMs !== null && endedMs < fromMs + 2 * DAY_MS)),
    );
  });

  it('that ended at a past moment are those that were told live then', async () => {
    const random = createRandom(7);
    const moments = Array.from({ length: Number(process.env['FINDING_MOMENTS'] ?? 4) }, () => {
      const share = random();
      const firstMs = FIRST_MS + (LEARN_DAYS + 1) * DAY_MS;
      return firstMs + Math.floor((share * (END_MS - firstMs)) / MINUTE_MS) * MINUTE_MS;
    });
    for (const atMs of moments) {
      const live = await read(atMs);
      const later = await readPeriod(atMs - DAY_MS, atMs);
      expect(later.findings).toEqual(live.findings);
      const open = (list: readonly Finding[]) => list.filter(({ sinceMs }) => sinceMs > atMs - DAY_MS);
      expect(
        open(later.resolved)
          .map(({ id }) => id)
          .sort(),
      ).toEqual(
        open(live.resolved)
          .map(({ id }) => id)
          .sort(),
      );
    }
  });

  it('are kept day by day, over a restart of the engine, until the cache loses records', async () => {
    const fromMs = FIRST_MS + LEARN_DAYS * DAY_MS;
    const readKept = async (span = { fromMs, toMs: END_MS }) => {
      const [own] = await readKeptFindings(parts(), [{ connectionId: 'one' }], END_MS + DAY_MS, span);
      return own!;
    };
    const told = await readPeriod(fromMs, END_MS);
    const kept = await readKept();
    expect(kept).toEqual({ ...told, unjudgedMs: [] });
    await engine.restart();
    expect(await readKept()).toEqual({ ...told, unjudgedMs: [] });
    // The days of another period are the same days.
    expect((await readKept({ fromMs: fromMs + DAY_MS, toMs: END_MS })).unjudgedMs).toEqual([]);
    const hour = END_MS - 10 * HOUR_MS;
    expect((await readKept({ fromMs: hour, toMs: hour + HOUR_MS })).unjudgedMs).toEqual([hour + HOUR_MS]);
    const other = await fillSnapshot(cache, [], { connectionId: 'two', report: 'inbound-detail' }, 10);
    await cache.removeSnapshots({ snapshotIds: [other], nowMs: END_MS });
    engine.noteChange();
    expect(await readKept()).toEqual({ ...told, unjudgedMs: [] });
  });

  it('are told of several connections in their order, each as it is told alone', async () => {
    const span = { fromMs: FIRST_MS + LEARN_DAYS * DAY_MS, toMs: END_MS };
    const told = await readPeriod(span.fromMs, span.toMs);
    const readKept = (...ids: string[]) =>
      readKeptFindings(
        parts(),
        ids.map((connectionId) => ({ connectionId })),
        END_MS + DAY_MS,
        span,
      );
    const [none, own] = await readKept('none', 'one');
    expect(own).toEqual({ ...told, unjudgedMs: [] });
    expect(none).toMatchObject({ findings: [], resolved: [], untilMs: null });
    // Asked again, and in another order.
    expect(await readKept('one', 'none')).toEqual([own, none]);
    // What is set aside changes what decides: those days were not judged.
    const setAside = [{ fromMs: span.fromMs, toMs: span.fromMs + HOUR_MS }];
    const asked = [{ connectionId: 'one', setAside }];
    const [others] = await readKeptFindings(parts(), asked, END_MS + DAY_MS, span);
    expect(others!.unjudgedMs.length).toBeGreaterThan(0);
  });

  it('end where nobody waits for them any more', async () => {
    const waits = createListWaits();
    const ask = (listId: string) =>
      waits.run(listId, (signal) =>
        readPeriodFindings(parts(), 'one', END_MS + DAY_MS, { fromMs: FIRST_MS, toMs: END_MS + 7, signal }),
      );
    const stopped = ask('stopped');
    const replaced = ask('list');
    const last = ask('list');
    waits.stop('stopped');
    for (const one of [stopped, replaced]) await expect(one).rejects.toMatchObject({ code: 'app.cancelled' });
    expect((await last).findings).toBeDefined();
  });

  it('say what of the period is not cached, and nothing of what lies outside of the cache', async () => {
    const { findings, resolved, untilMs, gaps } = await readPeriod(END_MS - HOUR_MS, END_MS + 3 * HOUR_MS);
    expect(untilMs).toBe(END_MS);
    expect(gaps.map(({ direction, reason, fromMs, toMs }) => [direction, reason, fromMs, toMs])).toEqual(
      (['inbound', 'outbound'] as const).map((direction) => [
        direction,
        'not-cached',
        END_MS,
        END_MS + 3 * HOUR_MS,
      ]),
    );
    expect([...findings, ...resolved].every(({ sinceMs }) => sinceMs < END_MS)).toBe(true);
    const before = await readPeriod(FIRST_MS - 400 * DAY_MS, FIRST_MS - 300 * DAY_MS);
    expect(before).toMatchObject({ findings: [], resolved: [], untilMs: null });
    expect(before.gaps).toHaveLength(2);
  });
});

describe('a service that can not be reached', () => {
  it('is told as that, with no word on whether it is up, until it answers', async () => {
    const fromMs = END_MS - 10 * MINUTE_MS;
    for (let atMs = fromMs; atMs <= END_MS; atMs += MINUTE_MS / 2) {
      await cache.addStatusSample({
        connectionId: 'away',
        checkedAtMs: atMs,
        roundTripMs: null,
        platform: 'unreachable',
        connector: 'unreachable',
        failure: 'service.unreachable',
        internalResponseTimeMs: null,
        sessions: null,
        traffic: [],
        trafficText: '',
      });
    }
    const { findings, resolved } = await read(END_MS, 'away');
    expect(findings).toMatchObject([
      { kind: 'unreachable', part: null, sinceMs: fromMs, endedMs: null, requests: 0, count: 0 },
    ]);
    expect(resolved).toEqual([]);
    await cache.addStatusSample({
      connectionId: 'away',
      checkedAtMs: END_MS + MINUTE_MS,
      roundTripMs: 20,
      platform: 'up',
      connector: 'up',
      failure: null,
      internalResponseTimeMs: 100,
      sessions: 1,
      traffic: [],
      trafficText: '',
    });
    const after = await read(END_MS + 2 * MINUTE_MS, 'away');
    expect([after.findings, after.resolved.map(({ kind, endedMs }) => [kind, endedMs])]).toEqual([
      [],
      [['unreachable', END_MS + MINUTE_MS]],
    ]);
  });
});

describe('nothing stands out', () => {
  it('is said only where the last hour and enough before it are cached, in both directions', async () => {
    expect((await read(END_MS)).gaps).toEqual([]);
    const quietMs = FIRST_MS + LEARN_DAYS * DAY_MS + 6 * HOUR_MS;
    const quiet = await read(quietMs);
    expect(quiet).toMatchObject({ findings: [], gaps: [], noticed: { minutes: 15, hours: 24 } });
    expect(quiet.noticed?.channels.map(({ channel }) => channel)).toEqual([1, 2, 3, 4]);
    const [busiest] = quiet.noticed?.channels ?? [];
    expect(busiest?.failing?.size).toBeGreaterThan(0.03);
    expect(busiest?.failing?.size).toBeLessThanOrEqual(0.5);
    const ofPeriod = await readPeriodFindings(
      { cache, engine, ledger: openLedger(cache) },
      ...(['one', END_MS, { fromMs: quietMs - 12 * HOUR_MS, toMs: quietMs }] as const),
    );
    expect(ofPeriod.noticed).toMatchObject({ hours: 12 });
    expect((await read(FIRST_MS + 90 * MINUTE_MS)).noticed).toBeUndefined();
    const striking = MONTH.incidents[0]?.fromMs ?? 0;
    const struck = await read(striking + 25 * MINUTE_MS);
    expect([struck.findings.length > 0, struck.noticed]).toEqual([true, undefined]);
    expect((await read(FIRST_MS + 90 * MINUTE_MS)).gaps.map(({ reason }) => reason)).toEqual([
      'not-learned',
      'not-learned',
    ]);
    const later = await readFindings({ cache, engine, ledger: openLedger(cache) }, 'one', END_MS + HOUR_MS);
    expect(later).toMatchObject({ untilMs: END_MS });
    expect(later.gaps).toEqual([
      { direction: 'inbound', reason: 'not-cached', fromMs: END_MS, toMs: END_MS + HOUR_MS },
      { direction: 'outbound', reason: 'not-cached', fromMs: END_MS, toMs: END_MS + HOUR_MS },
    ]);
    expect(await read(END_MS, 'nobody')).toMatchObject({ findings: [], resolved: [], untilMs: null });
    expect((await read(END_MS, 'nobody')).gaps).toHaveLength(2);
  });
});

it('messages that reach the connector late are told with their median, though responses are as fast as ever', async () => {
  const [fromMs, days] = [FIRST_MS, 4];
  const lateMs = fromMs + days * DAY_MS + 12 * HOUR_MS;
  const untilMs = lateMs + 2 * HOUR_MS;
  const isLate = (atMs: number): boolean => atMs >= lateMs && atMs < lateMs + HOUR_MS;
  for (const direction of ['inbound', 'outbound'] as const) {
    for (let day = 0; day <= days; day += 1) {
      const dayMs = fromMs + day * DAY_MS;
      const documents = [];
      for (let atMs = dayMs; atMs < Math.min(dayMs + DAY_MS, untilMs); atMs += MINUTE_MS) {
        const record = { direction, dateMs: atMs, channel: 1, service: 2, responseCode: 200, error: '' };
        const document = toDocument({
          ...record,
          responseTimeMs: 180 + ((atMs / MINUTE_MS) % 40),
          session: day,
        });
        documents.push(
          direction === 'inbound' ? { ...document, BotLatency: isLate(atMs) ? 400 : 25 } : document,
        );
      }
      const changes = {
        connectionId: 'late',
        report: `${direction}-detail` as const,
        period: toPeriod(dayMs, Math.min(dayMs + DAY_MS, untilMs)),
        startedAtMs: dayMs + 2 * DAY_MS,
      };
      await fillSnapshot(cache, documents, changes, 5000);
    }
  }
  const { findings, resolved } = await read(untilMs, 'late');
  expect([...findings, ...resolved]).toMatchObject([
    {
      kind: 'slow-connector',
      directions: ['inbound'],
      channel: 1,
      service: 2,
      sinceMs: lateMs,
      endedMs: lateMs + HOUR_MS,
      recent: 400,
      usual: 25,
      count: 60,
    },
  ]);
  const records = createRecordsHandlers({ cache, engine, connections: { listSaved: () => [] } });
  const chart = (direction: 'inbound' | 'outbound') =>
    records['records/read-histogram']({
      scope: { connectionId: 'late', report: `${direction}-detail`, fromMs: lateMs, toMs: untilMs },
      filter: { conditions: [] },
      fromMs: lateMs,
      toMs: untilMs,
      zone: 'UTC',
      maxBuckets: 2,
      split: 'class',
      withMedian: true,
      medianOf: 'botLatencyMs',
    });
  const medians = async (direction: 'inbound' | 'outbound') =>
    (await chart(direction)).buckets.map(({ medianResponseMs }) => medianResponseMs);
  expect(await medians('inbound')).toEqual([400, 25]);
  expect(await medians('outbound')).toEqual([null, null]);
});

it('five minutes that take longer than any of a week before are told at their time, though few requests came', async () => {
  const [fromMs, days] = [FIRST_MS, 9];
  const slowMs = fromMs + days * DAY_MS + 13 * HOUR_MS + 10 * MINUTE_MS;
  const untilMs = slowMs + 2 * HOUR_MS;
  const isSlow = (atMs: number): boolean => atMs >= slowMs && atMs < slowMs + 5 * MINUTE_MS;
  for (const direction of ['inbound', 'outbound'] as const) {
    for (let dayMs = fromMs; dayMs < untilMs; dayMs += DAY_MS) {
      const documents = [];
      for (let atMs = dayMs; atMs < Math.min(dayMs + DAY_MS, untilMs); atMs += MINUTE_MS) {
        const own = {
          direction,
          dateMs: atMs,
          channel: 1,
          service: 2,
          responseCode: 200,
          error: '',
          session: 1,
        };
        const responseTimeMs =
          (180 + ((atMs / MINUTE_MS) % 40)) * (isSlow(atMs) && direction === 'inbound' ? 2.2 : 1);
        documents.push(toDocument({ ...own, responseTimeMs }));
      }
      const changes = {
        connectionId: 'peak',
        report: `${direction}-detail` as const,
        period: toPeriod(dayMs, Math.min(dayMs + DAY_MS, untilMs)),
        startedAtMs: dayMs + 2 * DAY_MS,
      };
      await fillSnapshot(cache, documents, changes, 5000);
    }
  }
  const { findings, resolved } = await read(untilMs, 'peak');
  expect([...findings, ...resolved]).toMatchObject([
    {
      kind: 'slower',
      directions: ['inbound'],
      channel: 1,
      service: 2,
      sinceMs: slowMs,
      endedMs: slowMs + 5 * MINUTE_MS,
      source: 'days',
      count: 5,
    },
  ]);
});

describe('a gap', () => {
  it('changes no finding but those it has data for, whether it is filled or torn', async () => {
    const days = Array.from({ length: LEARN_DAYS + DAYS }, (_, day) => FIRST_MS + day * DAY_MS);
    const torn = days[LEARN_DAYS - 3] ?? 0;
    const outline = ({ findings, resolved }: FindingsReport) =>
      [...findings, ...resolved].map(({ id, endedMs, count }) => [id, endedMs, count]);
    for (const dayMs of days.filter((day) => day !== torn)) {
      for (const direction of ['inbound', 'outbound'] as const) await fillDay('gap', direction, dayMs);
    }
    const before = await read(END_MS, 'gap');
    const ids = [];
    for (const direction of ['inbound', 'outbound'] as const) ids.push(await fillDay('gap', direction, torn));
    const filled = await read(END_MS, 'gap');
    expect(outline(filled)).toEqual(outline(before));
    await cache.removeSnapshots({ snapshotIds: ids, nowMs: END_MS });
    expect(outline(await read(END_MS, 'gap'))).toEqual(outline(filled));
  });
});
