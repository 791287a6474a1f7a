import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Output } from '../../../src-main/common/contract/index.ts';
import { toEndMs, type Period } from '../../../src-main/common/model/period.ts';
import type { PeriodScope } from '../../../src-main/common/model/records/record-filter.ts';
import { toWireDate } from '../../../src-main/common/reporting/wire-documents.ts';
import { createCore, type Core } from '../../../src-main/core/create-core.ts';
import type { Host } from '../../../src-main/core/host.ts';
import { createInMemorySecretStore } from '../../../src-main/core/secrets/secret-store.ts';
import { createTestHost } from '../../support/application/test-host.ts';
import { meets, unite, type ServedDownload } from './plain-answers.ts';
import { pickFilter, QUESTIONS, type Call } from './questions.ts';
import { createChance, startServedWorlds, type Chance, type ServedWorld } from './served-world.ts';

/** How many questions are asked, and what decides which: 10,000 and more find what is rare. */
const QUESTION_COUNT = Number(process.env['DIFFERENTIAL_QUESTIONS'] ?? 60);
const FIRST_SEED = Number(process.env['DIFFERENTIAL_SEED'] ?? 1);
const QUESTIONS_OF_WORLD = 40;
/** Beyond so many differences no more questions are asked. */
const MAX_FAULTS = 10;
const LATER_MS = Date.UTC(2026, 10, 23, 7);
const HOUR_MS = 3_600_000;
const REPORTS = ['inbound-detail', 'outbound-detail'] as const;

/** Hours over which the clock was set back. */
const MADRID: readonly [zone: string, startMs: number] = ['Europe/Madrid', Date.UTC(2025, 9, 25, 21)];

/** A connection with what was downloaded over it, in the order of fetching. */
interface Fetched {
  readonly world: ServedWorld;
  readonly connectionId: string;
  readonly downloads: Record<(typeof REPORTS)[number], ServedDownload[]>;
}

describe('what the application says of random records', () => {
  let core: Core;
  let host: Host;
  let removeHost: () => Promise<void>;
  let worlds: Awaited<ReturnType<typeof startServedWorlds>>;
  let nowMs = LATER_MS;
  let importPath = '';
  let exportPath: string | null = null;
  const secrets = createInMemorySecretStore();

  const open = async (): Promise<void> => {
    core = await createCore(host, {
      now: () => nowMs,
      byItself: 'nothing',
      openSecretStore: () => Promise.resolve({ store: secrets, failure: null }),
    });
  };
  const call: Call = async (name, input) => {
    const answer = await core.call(name, input);
    if (!answer.ok) throw new Error(`${name}: ${answer.error.code} ${JSON.stringify(answer.error)}`);
    return answer.value as Output<typeof name>;
  };

  beforeAll(async () => {
    worlds = await startServedWorlds();
    ({ host, remove: removeHost } = await createTestHost({
      chooseImportFile: () =>
        Promise.resolve({ path: importPath, name: 'shared.channelscope', release: () => Promise.resolve() }),
      chooseExportTarget: (name) => Promise.resolve(exportPath ?? join(host.dataFolder, name)),
    }));
    await open();
  });
  afterAll(async () => {
    await core.stop();
    await worlds.close();
    await removeHost();
  });

  /** Keeps what was served for a download that has ended. */
  const note = async (fetched: Fetched, snapshotId: number): Promise<void> => {
    const { period, state, stillOpen, startedAtMs, report } = await call('snapshots/get', { snapshotId });
    const toMs = toEndMs(period);
    const coveredToMs = stillOpen ? Math.max(period.fromMs, Math.min(toMs, startedAtMs)) : toMs;
    const records = fetched.world.listServed();
    const isKept = records.length > 0 || state === 'complete';
    if (!isKept) return;
    fetched.downloads[report as (typeof REPORTS)[number]].push({
      snapshotId,
      fromMs: period.fromMs,
      toMs,
      completeToMs: state === 'complete' ? coveredToMs : period.fromMs,
      records,
    });
  };

  const download = async (chance: Chance, fetched: Fetched): Promise<void> => {
    const { world, connectionId, downloads } = fetched;
    const report = chance.pick(REPORTS);
    // Now and then the clock is years off, or within the period itself.
    nowMs = chance.pick([LATER_MS, LATER_MS, LATER_MS, Date.UTC(2100, 0), world.startMs + 4 * HOUR_MS]);
    const isWhole = chance.is(0.6);
    world.serve({
      order: chance.pick(['rising', 'falling']),
      pageSize: chance.whole(5, 70),
      share: isWhole ? 1 : chance.next(),
      isCutOff: chance.is(0.6),
    });
    const again = downloads[report].at(-1);
    if (again !== undefined && chance.is(0.15)) {
      const { taskId, snapshotId } = await call('downloads/refresh', { snapshotId: again.snapshotId });
      await call('tasks/wait', { taskId });
      return note(fetched, snapshotId);
    }
    const period = pickPeriod(chance, world);
    const span = { connectionId, report, fromMs: period.fromMs, toMs: period.toMs };
    if (chance.is(0.2) && (await call('downloads/find-gaps', span)).length === 1) {
      const [gap] = await call('downloads/fetch-gaps', span);
      if (gap === undefined) return;
      await call('tasks/wait', { taskId: gap.taskId });
      return note(fetched, gap.snapshotId);
    }
    const sliceDays = chance.is(0.4) ? 1 : null;
    const { taskId, snapshotId } = await call('downloads/start', { connectionId, report, period, sliceDays });
    await call('tasks/wait', { taskId });
    if (isWhole) {
      const [fromMs, toMs] = [period.fromMs, toEndMs(period)];
      const dates = world.listServed().flatMap(({ dateMs }) => dateMs ?? []);
      const served = dates.filter((dateMs) => dateMs >= fromMs && dateMs < toMs).length;
      const asked = JSON.stringify(period);
      expect(served, asked).toBeGreaterThanOrEqual(world.countHeld(report, fromMs, toMs));
    }
    return note(fetched, snapshotId);
  };

  const connect = async (chance: Chance, place?: typeof MADRID): Promise<Fetched> => {
    const world = worlds.add(chance, place);
    const saved = await call('connections/save', {
      connectionId: null,
      draft: { name: `World ${world.draft.tenant}`, ...world.draft },
      secrets: { accessToken: 'id-1', accessTokenSecret: 'secret-1' },
    });
    const downloads = { 'inbound-detail': [], 'outbound-detail': [] };
    return { world, connectionId: saved.id, downloads };
  };

  const ask = async (chance: Chance, fetched: Fetched, name: string): Promise<void> => {
    const { world, connectionId, downloads } = fetched;
    const scope = pickScope(chance, world, connectionId);
    const filter = pickFilter(chance, scope);
    const uniteIn = ({ report, ...span }: PeriodScope) => unite(downloads[report], span);
    const all = uniteIn(scope);
    const found = all.filter((record) => meets(record, filter));
    const zone = chance.pick([world.zone, 'UTC', 'Pacific/Auckland', 'Asia/Kathmandu']);
    const folder = host.dataFolder;
    try {
      await QUESTIONS[name]!({ call, chance, scope, filter, all, found, unite: uniteIn, zone, folder });
    } catch (error) {
      const own = downloads[scope.report].map(({ records, ...download }) => ({
        ...download,
        count: records.length,
      }));
      const asked = JSON.stringify({ scope, filter, zone: world.zone, downloads: own });
      throw new Error(`${String(error)}\n${asked}`, { cause: error });
    }
  };

  it('holds all of a period that begins or ends in the hour which a clock that is set back shows twice', async () => {
    for (let seed = 1; seed <= 4; seed += 1) {
      const { world, connectionId } = await connect(createChance(seed), MADRID);
      const { zone } = world;
      for (const [fromMs, toMs] of [
        [Date.UTC(2025, 9, 25, 22), Date.UTC(2025, 9, 26, 1, 30)],
        [Date.UTC(2025, 9, 26, 0, 30), Date.UTC(2025, 9, 26, 4)],
        [Date.UTC(2025, 9, 26, 1, 15), Date.UTC(2025, 9, 26, 1, 45)],
      ] as const) {
        world.serve({ order: 'rising', pageSize: 50, share: 1, isCutOff: true });
        const period = {
          fromMs,
          toMs,
          zone,
          startDate: toWireDate(fromMs, zone),
          endDate: toWireDate(toMs, zone),
        };
        const report = 'inbound-detail' as const;
        const { taskId, snapshotId } = await call('downloads/start', { connectionId, report, period });
        await call('tasks/wait', { taskId });
        expect(await call('snapshots/get', { snapshotId })).toMatchObject({ state: 'complete' });
        const scope = { connectionId, report, fromMs, toMs: toMs + 1000 };
        const { requestCount } = await call('summaries/compute', scope);
        expect(requestCount).toBeGreaterThanOrEqual(world.countHeld(report, fromMs, toMs + 1000));
      }
    }
  });

  it(
    `equals what a plain walk over what was served finds (${QUESTION_COUNT} questions)`,
    { tags: 'long', timeout: Math.max(300_000, QUESTION_COUNT * 1000) },
    async () => {
      const names = Object.keys(QUESTIONS);
      /** What differed, the first few of it. */
      const faults: string[] = [];
      let asked = 0;
      const asking = async (seed: number, fetched: Fetched, count: number): Promise<void> => {
        for (let place = 0; place < count; place += 1, asked += 1) {
          // Files take many times as long as any other question.
          const name = names[asked % names.length] ?? '';
          const own = name === 'file' && asked % 5 !== 0 ? 'view' : name;
          const questionSeed = seed * 100_000 + place;
          try {
            await ask(createChance(questionSeed), fetched, own);
          } catch (error) {
            faults.push(`World ${seed}, question ${questionSeed} (${own}): ${String(error)}`);
            if (faults.length > MAX_FAULTS) throw new Error(faults.join('\n\n'), { cause: error });
          }
        }
      };
      for (let seed = FIRST_SEED; asked < QUESTION_COUNT; seed += 1) {
        const chance = createChance(seed);
        const fetched = await connect(chance);
        const count = chance.whole(1, 7);
        for (let place = 0; place < count; place += 1) await download(chance, fetched);
        nowMs = LATER_MS;
        await asking(seed, fetched, QUESTIONS_OF_WORLD - 15);
        // The same questions once more, after what must change nothing.
        const way = chance.pick(['restart', 'engine', 'clock', 'nothing'] as const);
        if (way === 'clock') nowMs = chance.pick([0, Date.UTC(2150, 0)]);
        if (way === 'restart' || way === 'engine') {
          await core.stop();
          if (way === 'engine') await rm(join(host.dataFolder, 'analysis.duckdb'), { force: true });
          await open();
        }
        await asking(seed, fetched, 10);
        nowMs = LATER_MS;
        if (chance.is(0.5)) await asking(seed, await share(fetched), 5);
      }
      expect(faults).toEqual([]);
      expect(asked).toBeGreaterThanOrEqual(QUESTION_COUNT);
    },
  );

  /** Brings everything that was fetched to a place of its own, by a portable file. */
  const share = async (fetched: Fetched): Promise<Fetched> => {
    const own = Object.values(fetched.downloads).flat();
    if (own.length === 0) return fetched;
    const path = join(host.dataFolder, 'shared.channelscope');
    exportPath = path;
    const snapshotIds = own.map(({ snapshotId }) => snapshotId);
    const shared = await call('exports/start-portable', { snapshotIds: snapshotIds.toReversed() });
    expect((await call('tasks/wait', { taskId: shared.taskId ?? '' })).error).toBeNull();
    exportPath = null;
    importPath = path;
    const imported = await call('imports/start', { uploadId: null, connectionId: null });
    const task = await call('tasks/wait', { taskId: imported.taskId ?? '' });
    expect(task.error).toBeNull();
    const [first] = task.importOutcome?.snapshotIds ?? [];
    const { connectionId } = await call('snapshots/get', { snapshotId: first ?? 0 });
    return { ...fetched, connectionId };
  };
});

/** Seconds at which periods begin and end: mostly whole hours, where records lie close by. */
function pickMoment(chance: Chance, { startMs, endMs }: ServedWorld): number {
  const stepMs = chance.pick([HOUR_MS, HOUR_MS / 2, 60_000, 1000]);
  return startMs + Math.floor((chance.next() * (endMs - startMs)) / stepMs) * stepMs;
}

function pickPeriod(chance: Chance, world: ServedWorld): Period {
  const [one = 0, other = 0] = [pickMoment(chance, world), pickMoment(chance, world)].sort((a, b) => a - b);
  const fromMs = chance.is(0.3) ? world.startMs : one;
  const toMs = Math.max(fromMs, chance.is(0.3) ? world.endMs : other);
  const { zone } = world;
  return { fromMs, toMs, zone, startDate: toWireDate(fromMs, zone), endDate: toWireDate(toMs, zone) };
}

function pickScope(chance: Chance, world: ServedWorld, connectionId: string): PeriodScope {
  const report = chance.pick(REPORTS);
  if (chance.is(0.3)) {
    return { connectionId, report, fromMs: world.startMs - HOUR_MS, toMs: world.endMs + 2 * HOUR_MS };
  }
  const [fromMs = 0, toMs = 0] = [pickMoment(chance, world), pickMoment(chance, world)].sort((a, b) => a - b);
  return { connectionId, report, fromMs, toMs: toMs + 1000 * chance.whole(1, 3600) };
}
