import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdtemp, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRandom } from '../../../src-main/service/sample/random.ts';
import type {
  RecordStore,
  RecordPosition,
  TenantDirectory,
} from '../../../src-main/service/store/record-store.ts';
import { openDatabaseTenants } from '../../../src-main/service/store-postgres/open-postgres-store.ts';
import { openFolderTenants } from '../../../src-main/service/tenants/served-tenant.ts';
import { bundledScript } from '../../support/programs/bundled-script.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../../support/service/postgres-server.ts';
import { toInbound } from '../import/import-support.ts';

/** INGEST_KILLS asks for more than the continuous checks try. */
const KILLS = Number(process.env['INGEST_KILLS'] ?? 3);
const LINES_AT_ONCE = 6_000;
const MAIN = fileURLToPath(bundledScript('service-main'));
const TENANT = 7;

/** Where the tenant is kept. */
interface Place {
  readonly args: readonly string[];
  readonly tenants: TenantDirectory;
}

const toLine = (number: number): object =>
  toInbound({
    BotLatency: number,
    Date: new Date(Date.UTC(2026, 10, 1) + (number % 500) * 60_000).toISOString(),
  });
const toLines = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, index) => `${JSON.stringify(toLine(from + index))}\n`).join('');

function describeIngest(name: string, getPlace: (folder: string) => Promise<Place>): void {
  describe(`npm run service -- ingest, into ${name}`, () => {
    let folder: string;
    let place: Place;
    const children: ChildProcess[] = [];
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'ingest-'));
      place = await getPlace(join(folder, 'data'));
      await place.tenants.remove(TENANT);
      await place.tenants.add(TENANT);
    });
    afterEach(async () => {
      for (const child of children.splice(0)) child.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    });

    const run = (...args: string[]) => {
      const all = [MAIN, 'ingest', '--tenant', String(TENANT), ...place.args, ...args];
      const child = spawn(process.execPath, all, { stdio: ['pipe', 'pipe', 'pipe'] });
      children.push(child);
      const output = { stdout: '', stderr: '' };
      child.stdout.on('data', (text: Buffer) => (output.stdout += text.toString()));
      child.stderr.on('data', (text: Buffer) => (output.stderr += text.toString()));
      return { child, output, closed: once(child, 'close') };
    };
    const runToEnd = async (...args: string[]) => {
      const { output, closed, child } = run(...args);
      child.stdin.end();
      const [code] = (await closed) as [number | null];
      if (code !== 0) throw new Error(`${String(code)}: ${output.stderr}`);
      return { ...(JSON.parse(output.stdout) as { added: number; rejected: number }), stderr: output.stderr };
    };
    const useStore = async <Result>(work: (store: RecordStore) => Promise<Result>): Promise<Result> => {
      const store = await place.tenants.open(TENANT);
      if (store === null) throw new Error('no tenant');
      try {
        return await work(store);
      } finally {
        await store.close();
      }
    };
    const countStored = (): Promise<number> =>
      useStore(async (store) => (await store.readSize()).inboundRecords);
    /** The numbers of all records that are stored, in ascending order. */
    const readNumbers = (): Promise<number[]> =>
      useStore(async (store) => {
        const numbers: number[] = [];
        let after: RecordPosition | null = null;
        for (;;) {
          const query = { fromMs: 0, toMs: 10 ** 13, after, limit: 10_000 };
          const page = await store.readDetailPage('inbound', query);
          numbers.push(...page.records.map(({ botLatencyMs }) => botLatencyMs));
          after = page.records.at(-1) ?? null;
          if (!page.hasMore) return numbers.toSorted((a, b) => a - b);
        }
      });
    const upTo = (length: number): number[] => Array.from({ length }, (_, index) => index);

    it('goes on where it was, tells the lines that hold no record, and takes equal lines for as many records', async () => {
      const file = join(folder, 'records.ndjson');
      await writeFile(file, `${toLines(0, 3)}nonsense\n${toLines(2, 3)}`);
      expect(await runToEnd(file)).toMatchObject({
        added: 4,
        rejected: 1,
        stderr: expect.stringContaining('line 4') as string,
      });
      expect(await runToEnd(file)).toMatchObject({ added: 0, rejected: 0 });
      await appendFile(file, `${toLines(3, 4)}{}\n`);
      expect(await runToEnd(file)).toMatchObject({
        added: 1,
        rejected: 1,
        stderr: expect.stringContaining('line 7') as string,
      });
      expect(await readNumbers()).toEqual([0, 1, 2, 2, 3]);
      // Another file by that name.
      await writeFile(file, toLines(100, 102));
      expect(await runToEnd(file)).toMatchObject({ added: 2 });
    });

    it('says in words what is wrong with a first line, however long it is, and adds those below it', async () => {
      const [line = ''] = toLines(0, 1).split('\n');
      const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
      for (const [place, [field, value, reason]] of [
        ['ReponseTime', 'NaN', 'ReponseTime is NaN, which is no number.'],
        ['Payload', deep, 'Payload is nested too deep.'],
        ['Payload', JSON.stringify('x'.repeat(10_000)), null],
      ].entries()) {
        const file = join(folder, `first-${place}.ndjson`);
        await writeFile(
          file,
          `${line.slice(0, -1)},"${field}":${value}}\n${toLines(place * 2, place * 2 + 2)}`,
        );
        const { added, rejected, stderr } = await runToEnd(file);
        expect([added, rejected]).toEqual(reason === null ? [3, 0] : [2, 1]);
        if (reason !== null) expect(stderr).toContain(reason);
      }
    });

    it('reads CSV with a line for the spreadsheet and line ends in cells, Parquet, and a stream that is sent again', async () => {
      const names = Object.keys(toLine(0));
      const toRow = (number: number): string =>
        Object.values({ ...toLine(number), Client: 'two\nlines' })
          .map((value) => `"${value}"`)
          .join(',');
      const csv = join(folder, 'records.csv');
      await writeFile(csv, `sep=,\n${names.join(',')}\n${toRow(0)}\n`);
      expect(await runToEnd(csv)).toMatchObject({ added: 1, rejected: 0 });
      await appendFile(csv, `${toRow(1)}\n${toRow(2)}`);
      expect(await runToEnd(csv)).toMatchObject({ added: 2, rejected: 0 });

      const source = join(folder, 'source.ndjson');
      await writeFile(source, toLines(3, 9));
      const parquet = join(folder, 'records.parquet');
      const instance = await DuckDBInstance.create(':memory:');
      const connection = await instance.connect();
      await connection.run(
        `COPY (FROM read_json('${source}')) TO '${parquet}' (FORMAT parquet, COMPRESSION zstd)`,
      );
      connection.closeSync();
      instance.closeSync();
      expect(await runToEnd(parquet)).toMatchObject({ added: 6, rejected: 0 });
      expect(await runToEnd(parquet)).toMatchObject({ added: 0 });

      for (const [to, added] of [
        [11, 2],
        [14, 3],
      ] as const) {
        const { child, output, closed } = run('--source', 'a queue', '-');
        child.stdin.end(toLines(9, to));
        await closed;
        expect(JSON.parse(output.stdout)).toMatchObject({ source: 'a queue', added });
      }
      expect(await readNumbers()).toEqual(upTo(14));
    });

    it('reads a file that took the name of another from its beginning, and goes on with the one that was renamed', async () => {
      const names = Object.keys(toLine(0));
      const toRows = (from: number, to: number): string =>
        Array.from(
          { length: to - from },
          (_, index) => `${Object.values(toLine(from + index)).join(',')}\n`,
        ).join('');
      const [file, earlier] = [join(folder, 'log.csv'), join(folder, 'log.csv.1')];
      const header = `${names.join(',')}\n`;
      await writeFile(file, header + toRows(0, 20));
      expect(await runToEnd(file)).toMatchObject({ added: 20, rejected: 0 });
      // Others begin alike for longer than any head that is compared, and end elsewhere.
      const same = toRows(1_000, 1_100);
      await appendFile(file, same);
      expect(await runToEnd(file)).toMatchObject({ added: 100, rejected: 0 });
      await appendFile(file, toRows(20, 23));
      await rename(file, earlier);
      await writeFile(file, header + toRows(0, 20) + toRows(23, 300));
      expect(await runToEnd(file)).toMatchObject({ added: 297, rejected: 0 });
      expect(await runToEnd(earlier)).toMatchObject({ added: 3, rejected: 0 });
      expect(await runToEnd(earlier)).toMatchObject({ added: 0, rejected: 0 });
      // Copied and emptied in place, it has the same place on the disk.
      await truncate(file);
      await appendFile(file, header + toRows(2_000, 2_400));
      expect(await runToEnd(file)).toMatchObject({ added: 400, rejected: 0 });
      expect(await runToEnd(file)).toMatchObject({ added: 0, rejected: 0 });
      // Restored from a backup it is another file with the same content.
      const content = await readFile(file);
      await rm(file);
      await writeFile(file, content);
      await appendFile(file, toRows(2_400, 2_401));
      expect(await runToEnd(file)).toMatchObject({ added: 1, rejected: 0 });
      expect(await countStored()).toBe(20 + 100 + 297 + 3 + 400 + 1);
    });

    it('refuses a stream that begins as the one of its name and goes on differently', async () => {
      const send = async (text: string) => {
        const { child, output, closed } = run('--source', 'a queue', '-');
        child.stdin.end(text);
        const [code] = (await closed) as [number | null];
        return { code, ...output };
      };
      const beginning = toLines(0, 100);
      expect(await send(beginning + toLines(100, 200))).toMatchObject({ code: 0 });
      expect(await send(beginning + toLines(300, 500))).toMatchObject({
        stderr: expect.stringContaining('goes on differently') as string,
      });
      expect(await send(beginning)).toMatchObject({
        stderr: expect.stringContaining('goes on differently') as string,
      });
      expect(await send(beginning + toLines(100, 201))).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('"added":1,') as string,
      });
      expect(await readNumbers()).toEqual(upTo(201));
    });

    it('decision 40, service: keeps a record without a response code', async () => {
      const file = join(folder, 'codes.ndjson');
      await writeFile(file, `${JSON.stringify({ ...toLine(0), ReponseCode: null })}\n${toLines(1, 2)}`);
      expect(await runToEnd(file)).toMatchObject({ added: 2, rejected: 0 });
      const query = { fromMs: 0, toMs: 10 ** 13, after: null, limit: 10 };
      const { records } = await useStore((store) => store.readDetailPage('inbound', query));
      expect(records.map(({ responseCode }) => responseCode)).toEqual([null, 200]);
    });

    it('follows a file that is emptied in place', async () => {
      const file = join(folder, 'emptied.ndjson');
      await writeFile(file, toLines(0, 50));
      const { child, output, closed } = run('--follow', file);
      await expect.poll(() => output.stdout, { timeout: 30_000 }).toContain('"added":50');
      await truncate(file);
      await appendFile(file, toLines(50, 250));
      await expect.poll(() => output.stdout, { timeout: 30_000 }).toContain('"added":200');
      child.kill('SIGTERM');
      expect(await closed).toEqual([0, null]);
      expect(await readNumbers()).toEqual(upTo(250));
    });

    it('follows a file that grows, and the one that takes its name', async () => {
      const file = join(folder, 'growing.ndjson');
      await writeFile(file, toLines(0, 2));
      const { child, output, closed } = run('--follow', file);
      const half = toLines(2, 3);
      // Each line tells what was added of the file that is read.
      const added = (): number[] =>
        output.stdout
          .split('\n')
          .flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { added: number }).added]));
      await expect.poll(added, { timeout: 30_000 }).toEqual([2]);
      await appendFile(file, half.slice(0, 20));
      await appendFile(file, half.slice(20));
      await expect.poll(added, { timeout: 30_000 }).toEqual([2, 3]);
      await rename(file, `${file}.1`);
      await appendFile(`${file}.1`, toLines(3, 4));
      await writeFile(file, toLines(4, 6));
      await expect.poll(added, { timeout: 30_000 }).toEqual([2, 3, 4, 2]);
      child.kill('SIGTERM');
      expect(await closed).toEqual([0, null]);
      expect(output.stderr).toBe('');
      await runToEnd(file);
      expect(await readNumbers()).toEqual(upTo(6));
    });

    it(
      `killed ${KILLS} times while it reads, has every record once`,
      { tags: 'long', timeout: Math.max(120_000, KILLS * 12_000) },
      async () => {
        const file = join(folder, 'many.ndjson');
        const random = createRandom(KILLS);
        let lines = 0;
        let partial = 0;
        let rangeMs = 2_000;
        for (let kill = 0; kill < KILLS || partial === 0; kill += 1) {
          await appendFile(file, toLines(lines, lines + LINES_AT_ONCE));
          lines += LINES_AT_ONCE;
          const before = await countStored();
          const { child, closed } = run('--follow', file);
          await delay(random() * rangeMs);
          child.kill('SIGKILL');
          await closed;
          const stored = await countStored();
          if (stored > before && stored < lines) partial += 1;
          // The machine may be slower or faster than it was a moment ago.
          rangeMs *= stored === before ? 1.3 : stored === lines ? 0.85 : 1;
        }
        await runToEnd(file);
        expect(await readNumbers()).toEqual(upTo(lines));
      },
    );
  });
}

describeIngest('a file', (data) =>
  Promise.resolve({ args: ['--data', data], tenants: openFolderTenants(data) }),
);

describe.skipIf(findPostgres() === undefined)('on PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
    await server.migrate('channelscope');
  });
  afterAll(() => server.stop());

  describeIngest('a database', () =>
    Promise.resolve({
      args: ['--database', server.servingUrl],
      tenants: openDatabaseTenants(
        { url: server.url, schema: 'channelscope' },
        { now: Date.now, reportError: () => undefined },
      ),
    }),
  );
});
