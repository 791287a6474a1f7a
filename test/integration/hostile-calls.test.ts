// @module-tag long
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Task } from '../../src-main/common/model/cache/task.ts';
import {
  OPERATIONS,
  type Input,
  type OperationName,
  type Output,
} from '../../src-main/common/contract/index.ts';
import { SPECIFIED_REPORT_IDENTIFIERS } from '../../src-main/common/reporting/reports.ts';
import { createCore, type Core } from '../../src-main/core/create-core.ts';
import { createInMemorySecretStore } from '../../src-main/core/secrets/secret-store.ts';
import { forkProcess } from '../../src-main/node/fork-process.ts';
import type { RunningService } from '../../src-main/service/start-service.ts';
import { copySampleRecords } from '../support/application/sample-records.ts';
import { createTestHost } from '../support/application/test-host.ts';
import { HOSTILE_TEXTS } from '../support/samples/hostile-texts.ts';
import { createRandom, createSchemaValues } from '../support/samples/schema-values.ts';
import { startTestService } from '../support/service/running-service.ts';

/** More calls, and others, find more: `HOSTILE_CALLS=20000 HOSTILE_CALLS_SEED=7`. */
const CALLS = Number(process.env['HOSTILE_CALLS'] ?? 120);
const SEED = Number(process.env['HOSTILE_CALLS_SEED'] ?? 1);
const AT_ONCE = 4;
/** A call that waits for a task may take as long as the task; the others go on meanwhile. */
const PATIENCE_MS = 15_000;
/** What is still open in the end is answered by then, also where the computer is busy. */
const LAST_PATIENCE_MS = 300_000;

const DAY_MS = 86_400_000;
const FROM_MS = Date.UTC(2026, 10, 20);
const random = createRandom(SEED);

/** Operations that end what the others need, and those that take long: called now and then. */
const RARE =
  /^(data-folder\/(start|use|remove|keep)|local-service\/(start|stop|restart|set-quirks)|(connections|snapshots)\/remove|connections\/save$|cache\/|diagnostics\/test-self|settings\/update|app\/start|snapshots\/(read-again|verify))/;

let core: Core;
let service: RunningService;
let remove: () => Promise<void>;
let dataFolder: string;
let importFile: string;
/** Processes of the engine that were not asked to end. */
const engineEnds: string[] = [];
/** Calls that wait for their answer: what an end of the engine may be due to. */
const unanswered = new Set<string>();
const known = new Map<string, unknown[]>();

beforeAll(async () => {
  service = await startTestService({ records: 400 });
  let targets = 0;
  const fetchHere: typeof fetch = (input, init) =>
    String(input instanceof Request ? input.url : input).startsWith(service.url)
      ? fetch(input, init)
      : Promise.reject(new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } }));
  const toTarget = async (name: string): Promise<string> => {
    const folder = join(dataFolder, 'written', String((targets += 1)));
    await mkdir(folder, { recursive: true });
    return join(folder, name);
  };
  const created = await createTestHost({
    fetch: fetchHere,
    fetchFor: () => fetchHere,
    chooseExportTarget: toTarget,
    chooseFolder: () => toTarget('folder'),
    chooseImportFile: () =>
      Promise.resolve({ path: importFile, name: basename(importFile), release: () => Promise.resolve() }),
    startProcess: (script, argument) => {
      const started = forkProcess(script, argument);
      started.onExit((reason) => {
        if (reason !== 'exit code 0') engineEnds.push([reason, ...unanswered].join('\n'));
      });
      return started;
    },
  });
  ({ remove } = created);
  ({ dataFolder } = created.host);
  await copySampleRecords(dataFolder);
  importFile = join(dataFolder, 'records.ndjson');
  await writeFile(importFile, writeRecords());
  core = await createCore(created.host, {
    byItself: 'nothing',
    openSecretStore: () => Promise.resolve({ store: createInMemorySecretStore(), failure: null }),
  });
  await cacheSomething();
}, 120_000);

afterAll(async () => {
  await core.stop();
  await service.stop();
  await remove();
});

function writeRecords(): string {
  return Array.from({ length: 600 }, (_none, seq) =>
    JSON.stringify({
      Id: `session-${seq % 40}`,
      Date: seq % 50 === 0 ? 'soon' : new Date(FROM_MS + seq * 100_000).toISOString(),
      Channel: seq % 4,
      Service: seq % 5 === 0 ? null : 7,
      Client: HOSTILE_TEXTS[seq % HOSTILE_TEXTS.length],
      ReponseTime: seq % 7 === 0 ? Number.MAX_VALUE : seq,
      ReponseCode: [200, 500, null, 404][seq % 4],
      Error: seq % 4 === 1 ? `no route ${seq}` : '',
      BotLatency: seq % 3 === 0 ? -1 : 5e-324,
      Payload: HOSTILE_TEXTS[(seq * 7) % HOSTILE_TEXTS.length],
      Origin: 'web',
    }),
  )
    .join('\n')
    .concat('\n');
}

async function call<Name extends OperationName>(name: Name, input: Input<Name>): Promise<Output<Name>> {
  const answer = await core.call(name, input);
  if (!answer.ok) throw new Error(`${name}: ${JSON.stringify(answer.error)}`);
  return answer.value as Output<Name>;
}

/** Something for the calls to find: imported records, and a connection with a service. */
async function cacheSomething(): Promise<void> {
  const { taskId } = await call('imports/start', { uploadId: null, connectionId: null });
  await call('tasks/wait', { taskId: taskId! });
  const draft = {
    name: 'Service',
    baseAddress: service.url,
    tenant: service.tenant,
    serviceZone: 'UTC',
    reportIdentifiers: { ...SPECIFIED_REPORT_IDENTIFIERS },
    pageSize: 100,
  };
  const { accessToken, accessTokenSecret } = service;
  const secrets = { accessToken, accessTokenSecret };
  await call('connections/save', { connectionId: null, draft, secrets });
  const connections = await call('connections/list', null);
  const snapshots = await call('snapshots/list', { connectionId: null });
  known.set(
    'connectionId',
    connections.map(({ id }) => id),
  );
  known.set(
    'snapshotId',
    snapshots.map(({ id }) => id),
  );
  known.set('olderId', known.get('snapshotId')!);
  known.set('newerId', known.get('snapshotId')!);
  const instants = [-1, 0, 1, 2].map((days) => FROM_MS + days * DAY_MS);
  for (const name of ['fromMs', 'toMs', 'min', 'max', 'edge']) known.set(name, instants);
  known.set('zone', ['UTC', 'Europe/Madrid', 'Asia/Kolkata', '', 'Nowhere/At-all', '-05:00', 'utc']);
  known.set('serviceZone', known.get('zone')!);
  known.set('startDate', ['2026-11-20 00:00:00', '2026-11-19 00:00:00', '2026-02-30 00:00:00']);
  known.set('endDate', ['2026-11-20 23:59:59', '9999-12-31 23:59:59', '0001-01-01 00:00:00']);
  known.set('baseAddress', [service.url, 'http://127.0.0.1:1', 'https://x.invalid/\u0000']);
  known.set('folder', ['relative', join(dataFolder, 'inside'), '\u0000']);
  known.set('statement', [
    'SELECT * FROM inbound',
    'SELECT count(*), max(response_time_ms) FROM inbound GROUP BY channel',
    'SELECT 1e308 * 10, 9223372036854775807, -170141183460469231731687303715884105727',
    "SELECT date '5881580-07-10', timestamp 'infinity', interval '1000000 years'",
    'SELECT * FROM missing',
    'SELECT',
    'DROP TABLE inbound',
    "SELECT [1, NULL], {'a': 1}, MAP {1: 2}, '\\xAA'::BLOB, uuid()",
  ]);
}

/** Keeps what an answer names, for calls that come later. */
function learn(value: unknown, name = ''): void {
  if (Array.isArray(value)) for (const entry of value.slice(0, 20)) learn(entry, name.replace(/s$/, ''));
  else if (typeof value === 'object' && value !== null) {
    for (const [key, entry] of Object.entries(value)) learn(entry, key);
  } else if (/Id$/.test(name) && value !== null) {
    const values = known.get(name) ?? [];
    if (!values.includes(value)) known.set(name, [...values.slice(-30), value]);
  }
}

/** Replaces one part of a value by another, so that validation has something to refuse. */
function spoil(value: unknown): unknown {
  const others = [null, true, 'text', -1, 1e308, [], {}, [null], { __proto__: null, a: 1 }];
  if (typeof value !== 'object' || value === null || random() < 0.3) {
    return others[Math.floor(random() * others.length)];
  }
  const keys = Object.keys(value);
  const key = keys[Math.floor(random() * keys.length)] ?? 'more';
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[key] = spoil(copy[key]);
  return copy;
}

async function readBugs(): Promise<string[]> {
  const folder = join(dataFolder, 'logs');
  const texts = await Promise.all(
    (await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')),
  );
  return texts
    .join('')
    .split('\n')
    .filter((line) => /"event":"(?:bug|a task failed)"/.test(line));
}

it(`no call, however hostile, is an unexpected error or ends the engine (${CALLS} calls)`, async () => {
  const names = Object.keys(OPERATIONS) as OperationName[];
  const make = createSchemaValues(random, (name) => known.get(name) ?? []);
  const bugs: string[] = [];
  let done = 0;
  let answered = 0;

  const callOnce = async (): Promise<void> => {
    const number = (done += 1);
    let name = names[Math.floor(random() * names.length)]!;
    if (RARE.test(name) && random() < 0.9) name = 'records/open-view';
    const made = make(OPERATIONS[name].input);
    const input = random() < 0.05 ? spoil(made) : made;
    const about = `#${number} ${name} ${JSON.stringify(input).slice(0, 2000)}`;
    unanswered.add(about);
    const answering = core.call(name, input).then((answer) => {
      unanswered.delete(about);
      if (!answer.ok && answer.error.code === 'app.bug') bugs.push(about);
      if (!answer.ok) return;
      answered += 1;
      learn(answer.value);
    });
    let timer: ReturnType<typeof setTimeout>;
    const giveUp = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, PATIENCE_MS);
    });
    await Promise.race([answering, giveUp]).finally(() => clearTimeout(timer));
    if (number % 500 === 0) await cacheSomething();
  };
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (done < CALLS) await callOnce();
    }),
  );

  const tasks = (await call('tasks/list', null)) as readonly Task[];
  const broken = tasks
    .filter(({ error }) => error?.code === 'app.bug')
    .map((task) => `task ${JSON.stringify(task)}`);
  const found = [...bugs, ...broken, ...engineEnds];
  // With what the log says of them.
  expect(found.length === 0 ? [] : [...found, ...(await readBugs())]).toEqual([]);
  // Most calls must get beyond what checks them.
  expect(answered).toBeGreaterThan(CALLS / 3);
  const listOpen = (): string[] => [...unanswered].filter((about) => !/ tasks\/wait /.test(about));
  await expect.poll(listOpen, { timeout: LAST_PATIENCE_MS, interval: 200 }).toEqual([]);
}, 3_600_000);
