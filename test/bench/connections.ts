import { createSeveralHandlers } from '../../src-main/core/overview/overview-handlers.ts';
import { readKeptFindings, readPeriodFindings } from '../../src-main/core/findings/read-findings.ts';
import { ENGINE_LIMITS } from '../../src-main/core/analysis/engine/create-engine.ts';
import { createFolder, FROM_MS, openTestCache, openTestEngine } from '../integration/cache/cache-fixture.ts';
import { openLedger } from '../support/fakes/open-ledger.ts';
import { measure, toQuantile, toTimeFigure, type BenchFigure, type BenchOptions } from './figure.ts';
import { createDocuments, fillCache, scatter } from './fill-cache.ts';

const BENCH = 'connections';
const PEER = 'one connection with as many';
const COUNT = 20;
const ROUNDS = 5;
/** How many times as long as of one connection with as many records. */
const GOAL = 2;
const ALL = { conditions: [] };
const SECOND_MS = 1_000;

/** Questions over 20 connections of `size` records together, beside the same of one connection with all of them. */
export async function* benchConnections({ size }: BenchOptions): AsyncGenerator<BenchFigure> {
  const each = Math.floor(size / COUNT);
  const several = await measureQuestions(
    Array.from({ length: COUNT }, (_, place) => `connection ${place}`),
    each,
  );
  const one = await measureQuestions(['connection 0'], each * COUNT);
  for (const [name, ms] of Object.entries(several)) {
    const peerMs = one[name] ?? 0;
    const { met, ...figure } = toTimeFigure(BENCH, name, ms, peerMs * GOAL, { name: PEER, valueMs: peerMs });
    yield { ...figure, met };
  }
}

/** Milliseconds of each question over connections with so many records each, over the same time. */
async function measureQuestions(ids: readonly string[], each: number): Promise<Record<string, number>> {
  const place = await createFolder();
  const cache = await openTestCache(place.file);
  const seconds = each * ids.length;
  try {
    for (const [offset, connectionId] of ids.entries())
      await fillCache(cache, each, toSnapshot(connectionId, seconds), (from, count) =>
        createDocuments(from, count).map((document, at) => ({
          ...document,
          ReponseTime: scatter(from + at),
          Date: new Date(FROM_MS + ((from + at) * ids.length + offset) * SECOND_MS).toISOString(),
        })),
      );
    const engine = openTestEngine(place.file, [], ENGINE_LIMITS);
    try {
      await engine.catchUp();
      // As the application does after a long feed.
      await engine.restart();
      const period = {
        report: 'inbound-detail' as const,
        fromMs: FROM_MS,
        toMs: FROM_MS + seconds * SECOND_MS,
      };
      const ledger = openLedger(cache);
      const handlers = createSeveralHandlers({
        engine,
        ledger,
        connections: { get: (id) => ({ id }) as never },
        now: () => period.toMs,
      });
      const question = { connectionIds: [...ids], ...period, filter: ALL };
      const [first = ''] = ids;
      const family = { connectionId: first, pattern: 'Timed out after <number> ms at <address>' };
      // As the window lists them: what was judged before at once, then the others, two at a time.
      const listIncidents = async (): Promise<void> => {
        const parts = { cache, ledger, engine };
        const asked = ids.map((connectionId) => ({ connectionId }));
        const kept = await readKeptFindings(parts, asked, period.toMs, period);
        const waiting = ids.filter((_, at) => (kept[at]?.unjudgedMs.length ?? 0) > 0);
        const judge = async (): Promise<void> => {
          for (let id = waiting.shift(); id !== undefined; id = waiting.shift())
            await readPeriodFindings(parts, id, period.toMs, period);
        };
        await Promise.all([judge(), judge()]);
      };
      return {
        figures: await measureMedian(async () => handlers['several/read-figures'](question)),
        'figures with one error': await measureMedian(async () =>
          handlers['several/read-figures']({ ...question, family }),
        ),
        'error families': await measureMedian(async () => handlers['several/find-error-families'](question)),
        'incidents, first time': (await measure(listIncidents)).ms,
        'incidents, days judged before': await measureMedian(listIncidents),
      };
    } finally {
      await engine.close();
    }
  } finally {
    await cache.close();
    await place.remove();
  }
}

function toSnapshot(connectionId: string, seconds: number): Parameters<typeof fillCache>[2] {
  const toMs = FROM_MS + (seconds - 1) * SECOND_MS;
  const write = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
  return {
    connectionId,
    period: { startDate: write(FROM_MS), endDate: write(toMs), fromMs: FROM_MS, toMs, zone: 'UTC' },
  };
}

async function measureMedian(work: () => Promise<unknown>): Promise<number> {
  const spans: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) spans.push((await measure(work)).ms);
  return toQuantile(spans, 0.5);
}
