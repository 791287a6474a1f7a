import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSharedCore } from '../../../src-main/core/create-core.ts';
import { createInMemorySecretStore } from '../../../src-main/core/secrets/secret-store.ts';
import type { RunningService } from '../../../src-main/service/start-service.ts';
import { createTestHost } from '../../support/application/test-host.ts';
import { startTestService } from '../../support/service/running-service.ts';
import { createCommandRunner, type CommandRunner } from './run-command.ts';

const startedMs = Date.now();
const toDay = (ago: number): string => new Date(startedMs - ago * 86_400_000).toISOString().slice(0, 10);
const RECORDS = [
  '--connection',
  'Night',
  '--report',
  'inbound-detail',
  ...['--from', toDay(1), '--to', toDay(0)],
];

let folder: string;
let elsewhere: string;
let service: RunningService;
let cli: CommandRunner;
let records: unknown;

/** A folder that is one of another computer. */
async function openElsewhere(): Promise<CommandRunner> {
  return createCommandRunner(await mkdtemp(join(elsewhere, 'data-')));
}

/** Opens Channelscope with the folder of commands, which then go through it; alone each would start all of it. */
async function openChannelscope(dataFolder: string): Promise<() => Promise<void>> {
  const { host, remove } = await createTestHost({ dataFolder });
  const store = createInMemorySecretStore();
  const core = await createSharedCore(host, {
    openSecretStore: () => Promise.resolve({ store, failure: null }),
  });
  return async () => {
    await core.stop();
    await remove();
  };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'channelscope-cli-'));
  elsewhere = await mkdtemp(join(tmpdir(), 'channelscope-elsewhere-'));
  service = await startTestService({ requireToken: true });
  cli = createCommandRunner(folder);
  cli.environment['NIGHT_TOKEN'] = service.accessToken;
  cli.environment['NIGHT_SECRET'] = service.accessTokenSecret;
  const place = ['--name', 'Night', '--address', service.url, '--tenant', String(service.tenant)];
  const variables = ['--token-env', 'NIGHT_TOKEN', '--secret-env', 'NIGHT_SECRET'];
  expect(await cli.run('connection', 'add', ...place, ...variables)).toMatchObject({ code: 0 });
  const fetched = await cli.run('fetch', ...RECORDS, '--json');
  expect(fetched.code, fetched.errors).toBe(0);
  records = fetched.objects[0]!['records'];
});
afterAll(async () => {
  await service.stop();
  for (const each of [folder, elsewhere]) await rm(each, { recursive: true, force: true, maxRetries: 5 });
});

describe('what the command line exported', () => {
  it('as a dataset is not remembered unless it is kept, and each of its days is imported', async () => {
    const dataset = join(folder, 'dataset');
    const words = ['dataset', '--connection', 'Night', '--out', dataset, '--json'];
    const list = async (): Promise<unknown[]> => {
      const text = await readFile(join(folder, 'datasets.json'), 'utf8');
      return (JSON.parse(text) as { datasets: unknown[] }).datasets;
    };
    const written = await cli.run(...words);
    expect(written.code, written.errors).toBe(0);
    expect(await list()).toEqual([]);
    expect(await cli.run(...words)).toMatchObject({ code: 0, objects: [{ records, written: 0 }] });
    expect(await cli.run(...words, '--keep')).toMatchObject({ code: 0 });
    expect(await list()).toMatchObject([{ folder: dataset, isKept: true }]);
    expect(await cli.run(...words)).toMatchObject({ code: 0 });
    expect(await list()).toMatchObject([{ folder: dataset, isKept: true }]);

    const names = (await readdir(dataset, { recursive: true })).filter((name) => name.endsWith('.parquet'));
    const there = await openElsewhere();
    let sum = 0;
    for (const name of names) {
      const imported = await there.run('import', join(dataset, name), '--json');
      expect(imported.code, imported.errors).toBe(0);
      sum += Number(imported.objects[0]!['records']);
    }
    expect(sum).toBe(records);
  });

  it('is not what some other file is', async () => {
    const file = join(folder, 'other.txt');
    await writeFile(file, 'Dear all');
    expect(await cli.run('import', file)).toMatchObject({ code: 2, output: '' });
    expect(await cli.run('import', join(folder, 'gone.csv'))).toMatchObject({ code: 6, output: '' });
  });
});

describe('a file that the command line exported', () => {
  const FORMATS = ['csv', 'json', 'ndjson', 'parquet', 'portable'] as const;
  const toFile = (format: (typeof FORMATS)[number]): string => join(folder, `night.${format}`);

  let there: CommandRunner;
  beforeAll(async () => {
    const close = await openChannelscope(folder);
    for (const format of FORMATS) {
      const file = toFile(format);
      const run = await cli.run('export', ...RECORDS, '--format', format, '--out', file, '--json');
      expect(run.code, run.errors).toBe(0);
      expect(run.objects).toMatchObject([{ file, records }]);
    }
    await close();
    const dataFolder = await mkdtemp(join(elsewhere, 'data-'));
    there = createCommandRunner(dataFolder);
    return openChannelscope(dataFolder);
  });

  it.each(FORMATS)('is imported elsewhere from %s, and is the same there', async (format) => {
    const file = toFile(format);
    const imported = await there.run('import', file, '--json');
    expect(imported.code, imported.errors).toBe(0);
    expect(imported.objects).toHaveLength(1);
    expect(Object.keys(imported.objects[0]!)).toEqual([
      'file',
      'sha256',
      'connection',
      'snapshots',
      'records',
    ]);
    expect(imported.objects[0]).toMatchObject({ file, records });
    const snapshot = String((imported.objects[0]!['snapshots'] as number[])[0]);
    const again = join(elsewhere, `${format}.ndjson`);
    const exported = await there.run(
      ...['export', '--snapshot', snapshot, '--format', 'ndjson', '--out', again, '--allow-gaps'],
    );
    expect(exported.code, exported.errors).toBe(0);
    const own = await readFile(toFile('ndjson'), 'utf8');
    expect(withoutClock(await readFile(again, 'utf8'))).toEqual(withoutClock(own));
  });

  it.each([
    ['csv', /cut off|more or fewer cells|quotation mark/],
    ['json', /middle of its JSON/],
    ['parquet', /damaged, cut off/],
    ['portable', /damaged/],
  ] as const)('is refused with the reason where %s was cut off', async (format, reason) => {
    const whole = await readFile(toFile(format));
    const file = join(elsewhere, `cut.${format}`);
    const half = Math.floor(whole.length / 2) + 1;
    // In the first cell of a row: one that lacks a part of its last cell is a whole row to any reader of CSV.
    await writeFile(file, whole.subarray(0, format === 'csv' ? whole.indexOf('\n', half) + 10 : half));
    const run = await there.run('import', file, '--json');
    expect(run).toMatchObject({ code: 2, output: '' });
    expect(run.errors).toMatch(reason);
  });
});

/** The records as received: the export adds what the clock of a zone showed. */
function withoutClock(text: string): unknown[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) =>
      Object.fromEntries(
        Object.entries(JSON.parse(line) as Record<string, unknown>).filter(
          ([name]) => !name.startsWith('Date ('),
        ),
      ),
    );
}
