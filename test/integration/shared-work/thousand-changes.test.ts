// @module-tag long
import { copyFile, readdir, readFile, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Settings } from '../../../src-main/common/model/settings/settings.ts';
import { CONFLICT_CHOICES, type SharedWork } from '../../../src-main/common/model/shared/shared-work.ts';
import {
  CANARIES,
  makeFolder,
  readShared,
  readTexts,
  startApp,
  toItemName,
  type SharedApp,
} from './shared-rig.ts';

/** More of them, and another seed: SHARED_CHANGES=10000 SHARED_SEED=7. */
const CHANGES = Number(process.env['SHARED_CHANGES'] ?? 250);
const SEED = Number(process.env['SHARED_SEED'] ?? 20_261_128);
const DAY_MS = 86_400_000;
const LIMIT_MS = 60_000 + CHANGES * 120;

const TOKEN = /v\d{6}/u;
const ALL_TOKENS = /v\d{6}/gu;

let apps: [SharedApp, SharedApp];
let folder: string;
let removeFolder: () => Promise<void>;
let sharedId: string;
let seed = SEED;
/** Versions that a person wrote, those that the same person saw and replaced, and those that a conflict showed. */
const written = new Set<string>();
const succeeded = new Set<string>();
const shown = new Set<string>();

const random = (below: number): number => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
};
const pick = <Entry>(list: readonly Entry[]): Entry | undefined => list[random(list.length)];
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
let count = 0;
const makeToken = (): string => {
  count += 1;
  const token = `v${String(count).padStart(6, '0')}`;
  written.add(token);
  return token;
};
/** Its author had the version before on the screen. */
const succeed = (before: unknown): void => {
  const token = before === undefined ? undefined : TOKEN.exec(JSON.stringify(before))?.[0];
  if (token !== undefined) succeeded.add(token);
};

beforeAll(async () => {
  ({ folder, remove: removeFolder } = await makeFolder());
  apps = [
    await startApp('Ana', { offMs: -3 * DAY_MS, byItself: 'everything' }),
    await startApp('Bo', { offMs: 400 * DAY_MS, byItself: 'everything' }),
  ];
  sharedId = apps[0].connectionId;
  for (const app of apps) {
    app.on((name, payload) => {
      if (name === 'shared-work/changed') noteShown(payload);
    });
    await app.link(folder, sharedId);
  }
}, 60_000);
afterAll(async () => {
  for (const app of apps) await app.close();
  await removeFolder();
});

function noteShown({ conflicts }: SharedWork): void {
  for (const { differences } of conflicts)
    for (const { mine, theirs } of differences)
      for (const text of [mine, theirs]) for (const token of text?.match(ALL_TOKENS) ?? []) shown.add(token);
}

/** Adds, changes or takes away one entry of a list, as a person does who sees the list. */
function changeList<Entry>(list: readonly Entry[], make: (before: Entry | undefined) => Entry): Entry[] {
  const act = random(10);
  const place = random(list.length);
  const before = list[place];
  if (before === undefined || (act < 3 && list.length < 40)) return [...list, make(undefined)];
  succeed(before);
  return act === 9 ? list.toSpliced(place, 1) : list.with(place, make(before));
}

const ACTS: readonly ((app: SharedApp) => Promise<void>)[] = [
  async (app) => {
    const { savedViews } = await app.call('settings/get', null);
    await app.call('settings/update', {
      savedViews: changeList<Settings['savedViews'][number]>(savedViews, (before) => ({
        name: before?.name ?? `View ${app.name} ${written.size}`,
        direction: 'inbound',
        query: `channel = 3 and error : "${makeToken()}"`,
      })),
    });
  },
  async (app) => {
    const { savedStatements } = await app.call('settings/get', null);
    await app.call('settings/update', {
      savedStatements: changeList<Settings['savedStatements'][number]>(savedStatements, (before) => ({
        name: before?.name ?? `Frage ${written.size % 7} ${app.name} ${written.size}`,
        text: `SELECT '${makeToken()}' FROM inbound`,
      })),
    });
  },
  async (app) => {
    const { rules } = await app.call('alerts/list', null);
    const known = random(3) === 0 ? undefined : pick(rules)?.rule;
    succeed(known?.name);
    if (known !== undefined && random(8) === 0) {
      await app.call('alerts/remove-rule', { ruleId: known.id }).catch(() => undefined);
      return;
    }
    // It may be deleted from elsewhere while it is open here.
    await tolerate('alerts.not-found', async () => {
      await app.call('alerts/save-rule', {
        ruleId: known?.id ?? null,
        origin: 'hand',
        draft: {
          connectionId: app.connectionId,
          name: `Alert ${makeToken()}`,
          isActive: random(2) === 0,
          condition: { kind: 'down', part: 'platform', minutes: 1 + random(30) },
        },
      });
    });
  },
  async (app) => {
    const { names = [] } = await readConnection(app);
    await app.call('connections/save-names', {
      connectionId: app.connectionId,
      // Both give names to the same few numbers.
      names: changeList([...names], (before) => {
        const free = Array.from({ length: 60 }, (_, place) => String(place)).filter(
          (value) => !names.some((own) => own.value === value && own.field === 'channel'),
        );
        const value = before?.value ?? pick(free) ?? '99';
        return { field: 'channel', value, name: `Name ${makeToken()}` };
      }),
    });
  },
  async (app) => {
    const { plans } = await readConnection(app);
    const known = random(3) === 0 ? undefined : pick(plans?.marks ?? []);
    succeed(known);
    await tolerate('planned.not-found', async () => {
      if (known !== undefined && random(8) === 0)
        await app.call('planned/remove-mark', { connectionId: app.connectionId, markId: known.id });
      else
        await app.call('planned/save-mark', {
          connectionId: app.connectionId,
          markId: known?.id ?? null,
          draft: { kind: 'note', atMs: random(1_000_000), text: `Mark ${makeToken()}` },
        });
    });
  },
  async (app) => {
    const { plans } = await readConnection(app);
    const known = random(3) === 0 ? undefined : pick(plans?.times ?? []);
    succeed(known);
    await tolerate('planned.not-found', async () => {
      await app.call('planned/save-time', {
        connectionId: app.connectionId,
        timeId: known?.id ?? null,
        draft: {
          name: `Time ${makeToken()}`,
          kind: 'planned',
          zone: 'UTC',
          times: {
            repeats: 'weekly',
            weekdays: ['monday', 'sunday'],
            from: '02:00',
            minutes: 1 + random(60),
          },
          leftOut: { findings: true, alerts: 'muted', uptime: true },
        },
      });
    });
  },
  async (app) => {
    const { tables = [] } = await readConnection(app);
    const name = `Owners ${random(4)}`;
    const known = tables.find((table) => table.name === name);
    succeed(known);
    await tolerate('own-tables.not-found', async () => {
      await app.call('own-tables/save', {
        connectionId: app.connectionId,
        tableId: known?.id ?? null,
        name,
        field: 'service',
        keyColumn: 'service',
        text: `service,${makeToken()}\n1,"a ""b"", c"\n2,d\n`,
      });
    });
  },
  async (app) => {
    const { outcomes = {} } = await readConnection(app);
    succeed(outcomes.inbound);
    const rules = [{ error: { contains: makeToken() }, outcome: 'failed' as const }];
    await app.call('outcome/save', {
      connectionId: app.connectionId,
      outcomes: { ...outcomes, inbound: rules },
      wait: true,
    });
  },
];
/** Own tables and rules are changed less often. */
const ORDER = [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 6, 7];

async function readConnection(app: SharedApp) {
  const [connection] = await app.call('connections/list', null);
  if (connection === undefined) throw new Error('The connection is gone.');
  return connection;
}

/** Somebody deleted it elsewhere while a person had it open: they are told, and their version never was one. */
async function tolerate(code: string, act: () => Promise<void>): Promise<void> {
  const before = new Set(written);
  await act().catch((error: unknown) => {
    const found = (error as { code?: string }).code ?? '';
    if (found !== code && found !== 'own-tables.name-taken') throw error;
    for (const token of written) if (!before.has(token)) written.delete(token);
  });
}

interface Cut {
  readonly path: string;
  readonly whole: Buffer;
  readonly cut: Buffer;
}
const cuts: Cut[] = [];

async function listItemFiles(): Promise<string[]> {
  const found = await readdir(folder, { recursive: true });
  return found.filter((file) => /--[0-9a-f]{10}\.json$/u.test(file) && !file.startsWith('connections'));
}

/** What drives do: a file arrives in part, and its rest later; copies of conflicts; times that mean nothing. */
async function disturb(): Promise<void> {
  const file = pick(await listItemFiles());
  if (file === undefined) return;
  const path = join(folder, file);
  const act = random(4);
  try {
    if (act === 0) {
      const whole = await readFile(path);
      const length = random(whole.length);
      await truncate(path, length);
      cuts.push({ path, whole, cut: whole.subarray(0, length) });
    } else if (act === 1) {
      await copyFile(path, path.replace('.json', ` (conflicted copy ${written.size}).json`));
    } else await utimes(path, random(2_000_000_000), random(2_000_000_000));
  } catch (error) {
    // The item was deleted meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** The rest of a file arrives, unless it was replaced meanwhile. */
async function complete(): Promise<void> {
  const { path, whole, cut } = cuts.shift() ?? {};
  if (path === undefined || whole === undefined || cut === undefined) return;
  const now = await readFile(path).catch(() => null);
  if (now?.equals(cut) === true) await writeFile(path, whole);
}

async function resolveOne(app: SharedApp): Promise<boolean> {
  const work = await app.call('shared-work/read', null);
  noteShown(work);
  const cut = work.problems.find(({ canReplace }) => canReplace);
  const conflict = pick(work.conflicts);
  const isLater = (error: unknown): void => {
    if ((error as { code?: string }).code !== 'shared-work.changed') throw error;
  };
  if (work.removals.here + work.removals.folder > 0)
    await app.call('shared-work/answer-removals', { answer: 'restore' });
  if (cut !== undefined && random(2) === 0)
    await app.call('shared-work/replace-file', { file: cut.file }).catch(isLater);
  if (conflict === undefined) return cut !== undefined;
  const choice = pick(CONFLICT_CHOICES.filter((one) => one !== 'both' || conflict.canKeepBoth)) ?? 'mine';
  await app.call('shared-work/resolve', { conflictId: conflict.id, choice }).catch(isLater);
  return true;
}

it(
  `${CHANGES} changes by two applications in one folder, with conflicts, cut files and clocks that differ: none is lost, and both end equal`,
  async () => {
    for (let change = 0; change < CHANGES; change += 1) {
      const app = pick(apps);
      const act = ACTS[pick(ORDER) ?? 0];
      if (app === undefined || act === undefined) throw new Error('There is nothing to do.');
      await act(app);
      if (change % 20 === 0) await disturb();
      if (change % 30 === 0) await complete();
      if (change % 40 === 0) await wait(random(600));
      if (change % 10 === 0) for (const one of apps) await resolveOne(one);
    }
    while (cuts.length > 0) await complete();

    // Persons go on until nothing is left to choose, and nothing waits.
    for (let round = 0; round < 400; round += 1) {
      let isBusy = false;
      for (const app of apps) if (await resolveOne(app)) isBusy = true;
      if (isBusy) continue;
      const works = [await apps[0].look(), await apps[1].look(), await apps[0].look()];
      for (const work of works) noteShown(work);
      if (works.every(({ state, problems }) => state === 'in-step' && problems.length === 0)) break;
    }
    const works = [await apps[0].look(), await apps[1].look()];
    expect(works.map(({ state, problems }) => [state, problems])).toEqual([
      ['in-step', []],
      ['in-step', []],
    ]);

    const [ana, bo] = [await readShared(apps[0], sharedId), await readShared(apps[1], sharedId)];
    expect(ana.size).toBeGreaterThan(20);
    expect(bo).toEqual(ana);
    const there = await readTexts(folder);
    expect([...there.keys()].filter((file) => file.endsWith('.tmp'))).toEqual([]);
    const files = new Map(
      [...there]
        .filter(([file]) => !file.startsWith('connections'))
        .map(([file, text]) => [toItemName(file), text]),
    );
    expect(files).toEqual(ana);

    const kept = await Promise.all(
      apps.map(({ dataFolder }) => readTexts(join(dataFolder, 'shared-work', 'kept'))),
    );
    const found = new Set(
      [...kept, ana].flatMap((texts) => [...texts.values()].join('\n').match(ALL_TOKENS) ?? []),
    );
    const isKnown = (token: string): boolean => found.has(token) || shown.has(token) || succeeded.has(token);
    expect([...written].filter((token) => !isKnown(token))).toEqual([]);
    // Otherwise there was nothing to prove.
    expect(shown.size).toBeGreaterThan(CHANGES / 100);
    const everything = [...there.values()].join('\n');
    for (const canary of CANARIES) expect(everything).not.toContain(canary);
  },
  LIMIT_MS,
);
