import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import readWorkbook from 'read-excel-file/node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunningService } from '../../../src-main/service/start-service.ts';
import { startTestService } from '../../support/service/running-service.ts';
import { createCommandRunner, type CommandRunner } from './run-command.ts';

let folder: string;
let service: RunningService;
let cli: CommandRunner;
/** Cached records of each service. */
const ofService = new Map<number, number>();

const toDay = (ago: number): string => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
const PERIOD = ['--connection', 'Night', '--from', toDay(1), '--to', toDay(0)];

async function ask(statement: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const asked = await cli.run('sql', statement, ...PERIOD, '--json');
  expect(asked.code, asked.errors).toBe(0);
  return asked.objects;
}
async function count(query: string): Promise<number> {
  const counted = await cli.run('count', ...PERIOD, '--report', 'inbound-detail', '--query', query, '--json');
  expect(counted.code, `${query}: ${counted.errors}`).toBe(0);
  return Number(counted.objects[0]?.['records']);
}
async function add(text: string, ...words: string[]) {
  const file = join(folder, 'Owners.csv');
  await writeFile(file, text);
  return cli.run('own-tables', '--connection', 'Night', '--add', file, ...words, '--json');
}
const sumOf = (...services: readonly number[]): number =>
  services.reduce((sum, one) => sum + (ofService.get(one) ?? 0), 0);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'channelscope-own-tables-'));
  service = await startTestService({ requireToken: true });
  cli = createCommandRunner(folder);
  cli.environment['T'] = service.accessToken;
  cli.environment['S'] = service.accessTokenSecret;
  const words = ['--address', service.url, '--tenant', String(service.tenant), '--page-size', '1000'];
  for (const name of ['Night', 'Other']) {
    const added = await cli.run(
      'connection',
      'add',
      '--name',
      name,
      ...words,
      '--token-env',
      'T',
      '--secret-env',
      'S',
    );
    expect(added.code, added.errors).toBe(0);
  }
  const fetched = await cli.run('fetch', ...PERIOD, '--report', 'inbound-detail', '--json');
  expect(fetched.code, fetched.errors).toBe(0);
  for (const row of await ask('SELECT service, count(*) AS n FROM inbound GROUP BY 1'))
    ofService.set(Number(row['service']), Number(row['n']));
  expect(ofService.size).toBeGreaterThan(3);
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

it('the columns of a table are fields of records in queries, exports and SQL, also after a restart', async () => {
  const [first = 0, second = 0, third = 0, ...others] = [...ofService.keys()].sort((a, b) => a - b);
  const added = await add(
    `sep=;\r\nService; Team ;Cost\r\n${first};Payments;5\r\n${second};Payments;40\r\n${third};"Order; desk";\r\n`,
    ...['--by', 'service'],
  );
  expect(added.code, added.errors).toBe(0);
  expect(added.errors).toContain(`3 of ${ofService.size} cached values have a row in the file.`);
  expect(added.objects).toMatchObject([
    {
      name: 'Owners',
      field: 'service',
      columns: ['Team', 'Cost'],
      rowCount: 3,
      fields: ['own.Owners.Team', 'own.Owners.Cost'],
    },
  ]);
  for (const [query, expected] of [
    ['own.Owners.Team:payments', sumOf(first, second)],
    ['NOT own.Owners.Team:payments', sumOf(third, ...others)],
    ['own.Owners.Team:*desk', sumOf(third)],
    ['own.Owners.Team:/^Order;/', sumOf(third)],
    ['own.Owners.Team:*', sumOf(first, second, third)],
    ['own.Owners.Team:""', sumOf(...others)],
    ['own.Owners.Cost:>10', sumOf(second)],
    ['(own.Owners.Cost:5 OR own.Owners.Team:"Order; desk")', sumOf(first, third)],
  ] as const)
    expect(await count(query), query).toBe(expected);

  const rows = await ask(
    `SELECT own_owners_team AS team, count(*) AS n FROM inbound GROUP BY 1 ORDER BY 1 NULLS LAST`,
  );
  expect(rows).toEqual([
    { team: 'Order; desk', n: sumOf(third) },
    { team: 'Payments', n: sumOf(first, second) },
    ...(others.length === 0 ? [] : [{ team: null, n: sumOf(...others) }]),
  ]);
  const out = join(folder, 'team.ndjson');
  const words = ['--report', 'inbound-detail', '--query', 'own.Owners.Team:Payments', '--format', 'ndjson'];
  const written = await cli.run('export', ...PERIOD, ...words, '--out', out, '--json');
  expect(written.objects, written.errors).toMatchObject([{ records: sumOf(first, second) }]);

  // A file has it as a column, whoever writes it: the engine, or row by row.
  const withPaths = ['--report', 'inbound-detail', '--with-paths', 'own.Owners.Team,payload.locale'];
  const read = async (format: string, ...more: readonly string[]): Promise<string> => {
    const file = join(folder, `paths.${format}`);
    const paths = [...PERIOD, ...withPaths, '--format', format, ...more, '--out', file];
    const { code, errors } = await cli.run('export', ...paths);
    expect(code, errors).toBe(0);
    return readFile(file, 'utf8');
  };
  const objects = (await read('ndjson'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const teams = objects.filter((row) => row['own.Owners.Team'] === 'Payments');
  expect(teams).toHaveLength(sumOf(first, second));
  for (const row of objects.slice(0, 50)) {
    const { locale = null } = JSON.parse(String(row['Payload'])) as { locale?: string };
    expect(row['payload.locale']).toBe(locale);
  }
  const byEngine = await read('csv');
  expect(byEngine).toContain('"own.Owners.Team","payload.locale"');
  const json = JSON.parse(await read('json', '--no-payload')) as { records: Record<string, unknown>[] };
  expect(json.records.filter((row) => row['own.Owners.Team'] === 'Payments')).toHaveLength(
    sumOf(first, second),
  );
  // Excel is written row by row.
  await read('xlsx');
  const [sheet] = await readWorkbook(join(folder, 'paths.xlsx'));
  const [head = [], ...cells] = sheet?.data ?? [];
  const at = head.indexOf('own.Owners.Team');
  expect(cells.filter((row) => row[at] === 'Payments')).toHaveLength(sumOf(first, second));
  // Nobody's service sent them: a file that comes in again has none of them among its other fields.
  const imported = await cli.run('import', join(folder, 'paths.ndjson'), '--json');
  expect(imported.code, imported.errors).toBe(0);
  const again = [
    '--snapshot',
    String((imported.objects[0]!['snapshots'] as number[])[0]),
    '--format',
    'csv',
    '--out',
    out,
  ];
  // Nothing tells that an imported file is complete.
  expect((await cli.run('export', ...again)).code).toBe(5);
  expect(await readFile(out, 'utf8')).not.toContain('own.Owners.Team');
  const refused = await cli.run('export', ...PERIOD, ...words, '--with-paths', 'payload', '--out', out);
  expect(refused.code).toBe(2);
  expect(refused.errors).toContain('is no path');

  // Another connection has no such field, and no statement reaches the rows themselves.
  const elsewhere = ['--connection', 'Other', '--from', toDay(1), '--to', toDay(0)];
  const unknown = await cli.run('sql', 'SELECT own_owners_team FROM inbound', ...elsewhere, '--json');
  expect(unknown.code).not.toBe(0);
  for (const statement of ['SELECT * FROM own_values', 'SELECT * FROM main.own_values']) {
    const refused = await cli.run('sql', statement, ...PERIOD, '--json');
    expect(refused.code, statement).not.toBe(0);
  }
});

it('a table is replaced by one of its name, and removed; what names it says so', async () => {
  const [first = 0] = [...ofService.keys()].sort((a, b) => a - b);
  const added = await add(`service,team\n${first},Desk\nnone,Nobody\n`, '--by', 'service');
  expect([added.code, added.errors]).toEqual([0, expect.stringContaining(`1 of ${ofService.size} cached`)]);
  expect(await count('own.Owners.team:desk')).toBe(sumOf(first));
  const gone = await cli.run(
    'count',
    ...[...PERIOD, '--report', 'inbound-detail', '--query', 'own.Owners.Cost:5'],
  );
  expect(gone.code).toBe(2);
  expect(gone.errors).toContain('own.Owners.Cost');
  const removed = await cli.run('own-tables', '--connection', 'Night', '--remove', 'Owners', '--json');
  expect(removed).toMatchObject({ code: 0, objects: [] });
  // The next process removes the rows.
  await cli.run('own-tables', '--connection', 'Night');
  expect(await readdir(join(folder, 'own-tables'))).toEqual([]);
});

it.each([
  ['a,b\n', 'no row below'],
  ['only\n1\n', 'at least one more'],
  ['a,A\n1,2\n', '"A" is there twice'],
  ['a,b\n1,x\n1,y\n', 'row 2 and in row 3'],
  ['a,,c\n1,2,3\n', 'Column 2 has no name'],
  ['a,b\n1,"x\n', 'quotation mark'],
  ['a,b\n1,caf\uFFFD\n', 'CSV UTF-8'],
  [`a,b\n1,${'x'.repeat(1_001)}\n`, 'Row 2 has a cell'],
])('a file that is no table is refused with what is wrong: %j', async (text, fault) => {
  const refused = await add(text, '--by', 'client');
  expect(refused.code).toBe(2);
  expect(refused.errors).toContain(fault);
});
