import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { FamilyAct } from '../../src-main/common/model/connections/family-changes.ts';
import { DEFAULT_RULES, type OutcomeRules } from '../../src-main/common/reporting/outcome.ts';
import { openEngineSource } from '../../src-main/core/cache/read/engine-source.ts';
import { ENGINE_LIMITS, type Engine } from '../../src-main/core/analysis/engine/create-engine.ts';
import { openEngineDatabase } from '../../src-main/core/analysis/engine/engine-database.ts';
import type { RulesByConnection } from '../../src-main/core/analysis/engine/engine-operations.ts';
import {
  createBatchAppender,
  type FeedStores,
} from '../../src-main/core/analysis/engine/feed/append-batch.ts';
import { feedSnapshot } from '../../src-main/core/analysis/engine/feed/create-engine-feed.ts';
import { createFamilyStore } from '../../src-main/core/analysis/engine/feed/keep-families.ts';
import { createOutcomeStore } from '../../src-main/core/analysis/engine/outcomes.ts';
import { createFolder, FROM_MS, openTestCache, openTestEngine } from '../integration/cache/cache-fixture.ts';
import { measure, toQuantile, toTimeFigure, type BenchFigure, type BenchOptions } from './figure.ts';
import { createDocuments, fillCache } from './fill-cache.ts';
import { openFilledCache } from './filled-cache.ts';

const BENCH = 'rules';
const GOAL_MS = 20_000;
/** What a window that is used meanwhile may wait for an answer. */
const ANSWER_GOAL_MS = 2_000;
const PROBE_MS = 250;
const MAX_FAMILY_RECORDS = 1_000_000;
const MAX_FED_RECORDS = 500_000;
const ROUNDS = 3;
const OTHER_ERROR = 'No such conversation';
/** Feeding may take so many times what it takes without outcomes and families. */
const FEEDING_GOAL = 1.1;

const CODES: OutcomeRules = [{ codes: [[200, 299]], outcome: 'failed' }, ...DEFAULT_RULES];
const TEXTS: OutcomeRules = [{ error: { contains: 'timed out' }, outcome: 'expected' }, ...DEFAULT_RULES];
const BODIES: OutcomeRules = [
  { path: { in: 'payload', at: 'type', is: ['message'] }, outcome: 'failed' },
  ...DEFAULT_RULES,
];

/** Rules and families of `size` cached records changed, beside one bare statement of DuckDB over the same file. */
export async function* benchRules({ size, folder }: BenchOptions): AsyncGenerator<BenchFigure> {
  const { file, close } = await openFilledCache(size, folder);
  try {
    yield* benchOutcomes(file, size);
    yield* benchFeeding(file, size);
  } finally {
    await close();
  }
  yield* benchFamilies(Math.min(size, MAX_FAMILY_RECORDS));
}

async function* benchOutcomes(cacheFile: string, size: number): AsyncGenerator<BenchFigure> {
  const rules: { current: RulesByConnection } = { current: { outcomes: {}, families: {}, tables: {} } };
  const engine = openTestEngine(cacheFile, [], ENGINE_LIMITS, { listRules: () => rules.current });
  const toMs = FROM_MS + size * 1000;
  const scope = { connectionId: 'one', report: 'inbound-detail' as const, fromMs: FROM_MS, toMs };
  const change = async (name: string, next: OutcomeRules): Promise<BenchFigure[]> => {
    rules.current = { outcomes: { one: { inbound: next } }, families: {}, tables: {} };
    const changed = await measureUsed(engine, scope, () => engine.noteRules());
    return toChangeFigures(`outcome rules changed: ${name}`, changed);
  };
  try {
    yield toTimeFigure(BENCH, 'feeding', (await measure(() => engine.catchUp())).ms);
    await engine.restart();
    await engine.catchUp();
    const figures = [
      ...(await change('by code, all records', CODES)),
      ...(await change('by a text in Error', TEXTS)),
      ...(await change('by a value in Payload', BODIES)),
    ];
    await engine.close();
    const peers = await askPeer(join(dirname(cacheFile), 'analysis.duckdb'));
    for (const figure of figures) yield figure;
    yield toTimeFigure(BENCH, 'DuckDB alone: UPDATE of all records', peers.updateMs);
    yield toTimeFigure(BENCH, 'DuckDB alone: CREATE TABLE AS of their outcomes', peers.createMs);
  } finally {
    await engine.close();
  }
}

/** Runs some work while a window goes on asking; returns how long both take. */
async function measureUsed(
  engine: Engine,
  scope: { connectionId: string; report: 'inbound-detail'; fromMs: number; toMs: number },
  work: () => Promise<unknown>,
): Promise<{ ms: number; answersMs: number[] }> {
  const answersMs: number[] = [];
  let isOver = false;
  const dayMs = Math.round((scope.toMs - scope.fromMs) / 30);
  const day = { ...scope, toMs: scope.fromMs + dayMs };
  const probe = async (): Promise<void> => {
    while (!isOver) {
      const { ms } = await measure(async () => {
        const filter = { conditions: [{ field: 'outcome' as const, values: ['failed'] }] };
        const { viewId } = await engine.openView({
          scope: day,
          filter,
          order: [{ column: 'received', descending: true }],
        });
        await engine.readIds({ viewId, offset: 0, limit: 100 });
        await engine.closeView(viewId);
      });
      answersMs.push(ms);
      await new Promise((resolve) => setTimeout(resolve, PROBE_MS));
    }
  };
  const probing = probe();
  const { ms } = await measure(work);
  isOver = true;
  await probing;
  return { ms, answersMs };
}

function toChangeFigures(
  name: string,
  { ms, answersMs }: { readonly ms: number; readonly answersMs: readonly number[] },
): BenchFigure[] {
  return [
    toTimeFigure(BENCH, name, ms, GOAL_MS),
    toTimeFigure(
      BENCH,
      `  slowest of ${answersMs.length} answers meanwhile`,
      toQuantile(answersMs, 1),
      ANSWER_GOAL_MS,
    ),
  ];
}

async function askPeer(file: string): Promise<{ updateMs: number; createMs: number }> {
  const instance = await DuckDBInstance.create(file, {
    threads: String(ENGINE_LIMITS.threads),
    memory_limit: `${ENGINE_LIMITS.memoryLimitMb}MB`,
  });
  const connection = await instance.connect();
  const flipped = `CASE WHEN response_code < 300 THEN 'unknown' ELSE 'expected' END::outcome`;
  try {
    const { ms: updateMs } = await measure(() => connection.run(`UPDATE inbound SET outcome = ${flipped}`));
    const { ms: createMs } = await measure(() =>
      connection.run(`CREATE TABLE peer AS SELECT record_id, ${flipped} AS outcome FROM inbound`),
    );
    await connection.run('DROP TABLE peer');
    return { updateMs, createMs };
  } finally {
    connection.closeSync();
    instance.closeSync();
    // What the peer wrote isn't what the application made of the records.
    await rm(file, { force: true });
  }
}

/** Feeds the same records with outcomes and families and without, in turn. */
async function* benchFeeding(cacheFile: string, size: number): AsyncGenerator<BenchFigure> {
  const spans: Record<'on' | 'off', number[]> = { on: [], off: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const way of ['off', 'on'] as const) spans[way].push(await feedOnce(cacheFile, size, way === 'on'));
  }
  const [on, off] = [Math.min(...spans.on), Math.min(...spans.off)];
  yield {
    bench: BENCH,
    figure: 'feeding, with outcomes and families',
    value: on,
    unit: 'ms',
    peer: 'without them',
    peerValue: off,
    ratio: on / off,
    goal: off * FEEDING_GOAL,
    met: on <= off * FEEDING_GOAL,
  };
}

async function feedOnce(cacheFile: string, size: number, isOn: boolean): Promise<number> {
  const place = await createFolder();
  const source = openEngineSource(cacheFile);
  const { memoryLimitMb, threads } = ENGINE_LIMITS;
  const database = await openEngineDatabase({
    file: join(place.folder, 'analysis.duckdb'),
    cacheIdentity: source.identity,
    memoryLimitMb,
    threads,
  });
  const connection = await database.connect();
  try {
    const stores = await createStores(connection, source, isOn);
    const appendBatch = createBatchAppender(connection, source, stores);
    const [snapshot] = source.list();
    if (snapshot === undefined) throw new Error('The cache holds no snapshot.');
    const recordCount = Math.min(size, MAX_FED_RECORDS);
    const { ms } = await measure(() =>
      feedSnapshot({ connection, appendBatch }, { ...snapshot, recordCount }, undefined, () => undefined),
    );
    return ms;
  } finally {
    connection.closeSync();
    database.close();
    source.close();
    await place.remove();
  }
}

async function createStores(
  connection: Parameters<typeof createFamilyStore>[0],
  source: ReturnType<typeof openEngineSource>,
  isOn: boolean,
): Promise<FeedStores> {
  const families = await createFamilyStore(connection, source);
  const outcomes = await createOutcomeStore(connection);
  const onChanged = (): Promise<void> => Promise.resolve();
  const fillPaths = onChanged;
  if (isOn) return { families, outcomes, onChanged, fillPaths };
  return {
    families: {
      ...families,
      open: () => Promise.resolve({ find: () => '', keep: () => Promise.resolve(false) }),
    },
    outcomes: { ...outcomes, open: () => ({ decide: () => 'unknown', finish: () => Promise.resolve() }) },
    onChanged,
    fillPaths,
  };
}

/** One family with 600,000 texts in a million errors: renamed, split and merged, and each taken back. */
async function* benchFamilies(size: number): AsyncGenerator<BenchFigure> {
  const place = await createFolder();
  const cache = await openTestCache(place.file);
  const texts = Math.round(size * 0.6);
  const rules: { current: RulesByConnection } = { current: { outcomes: {}, families: {}, tables: {} } };
  const engine = openTestEngine(place.file, [], ENGINE_LIMITS, { listRules: () => rules.current });
  const toMs = FROM_MS + size * 1000;
  const scope = { connectionId: 'one', report: 'inbound-detail' as const, fromMs: FROM_MS, toMs };
  try {
    await fillCache(cache, size, {}, (from, count) =>
      createDocuments(from, count).map((document, offset) => ({
        ...document,
        ReponseCode: 504,
        Error:
          offset % 1000 === 0
            ? OTHER_ERROR
            : `Timed out after ${((from + offset) * 7919) % texts} ms at host-${offset % 150}`,
        Payload: '{}',
      })),
    );
    await engine.catchUp();
    await engine.restart();
    await engine.catchUp();
    const [family] = (await engine.findErrorFamilies({ scope, filter: { conditions: [] }, period: scope }))
      .families;
    if (family === undefined) throw new Error('There is no family.');
    const { pattern } = family;
    const act = async (name: string, acts: readonly FamilyAct[]): Promise<BenchFigure[]> => {
      const changes = acts.map((own, place) => ({ id: String(place), atMs: 0, act: own }));
      rules.current = { outcomes: {}, families: { one: { inbound: changes } }, tables: {} };
      return toChangeFigures(name, await measureUsed(engine, scope, () => engine.noteRules()));
    };
    const of = `a family with ${texts.toLocaleString('en')} texts`;
    yield* await act(`renaming ${of}`, [{ kind: 'rename', family: pattern, name: 'Slow answers' }]);
    yield* await act('taking it back', []);
    yield* await act(`splitting ${of} by a text`, [
      { kind: 'split-text', family: pattern, text: 'after 1', name: 'Slow: 1' },
    ]);
    yield* await act('taking it back', []);
    yield* await act(`splitting ${of} by a variable`, [
      {
        kind: 'split',
        family: pattern,
        parts: ['Timed out after ', ' ms at host-', ''],
        at: 1,
        variable: 'host',
      },
    ]);
    yield* await act('taking it back', []);
    yield* await act(`merging ${of} into another`, [{ kind: 'merge', family: pattern, into: OTHER_ERROR }]);
    yield* await act('taking it back, text by text', []);
  } finally {
    await engine.close();
    await cache.close();
    await place.remove();
  }
}
