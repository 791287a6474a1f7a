import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readCommandLine } from '../../../src-main/service/run-command.ts';
import { createRandom } from '../../../src-main/service/sample/random.ts';
import { openSqliteStore } from '../../../src-main/service/store-sqlite/open-sqlite-store.ts';
import { bundledScript } from '../../support/programs/bundled-script.ts';
import { startTestService } from '../../support/service/running-service.ts';
import { callReport, type CalledService } from '../../support/service/service-calls.ts';
import { ALL_TIME, importText, readEverything, toInbound, toNdjson } from './import-support.ts';
import { itOnPosix } from '../../support/skips/posix.ts';

/** M01_KILLS asks for more than the continuous checks try. */
const KILLS = Number(process.env['M01_KILLS'] ?? 3);
const LINES = 8_000;
const MAIN = fileURLToPath(bundledScript('service-main'));

describe('npm run service -- --import', () => {
  let folder: string;
  const children: ChildProcess[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'import-command-'));
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const toPath = (name: string): string => join(folder, name);
  const run = (...args: string[]) => {
    const all = [MAIN, '--data', toPath('data'), '--records', '0', '--no-live', ...args];
    const child = spawn(process.execPath, all, { stdio: ['ignore', 'pipe', 'pipe'] });
    children.push(child);
    const output = { stdout: '', stderr: '' };
    child.stdout.on('data', (text: Buffer) => (output.stdout += text.toString()));
    child.stderr.on('data', (text: Buffer) => (output.stderr += text.toString()));
    return { child, output, closed: once(child, 'close') };
  };

  itOnPosix(
    'adds the records of each file before it is ready, prints what it did, and serves them',
    async () => {
      await writeFile(toPath('one'), toNdjson([toInbound(), toInbound({ Channel: 'x' })]));
      await writeFile(toPath('two'), JSON.stringify([toInbound(), toInbound({ Client: 'Bo' })]));
      const { child, output, closed } = run('--import', toPath('one'), '--import', toPath('two'));
      await Promise.race([once(child.stdout, 'data'), closed]);
      expect(output.stderr).toContain(
        `${toPath('one')}: 2 read, 1 added, 0 known already, 1 rejected\n  line 2: Channel`,
      );
      expect(output.stderr).toContain(`${toPath('two')}: 2 read, 1 added, 1 known already, 0 rejected\n`);
      const ready = JSON.parse(output.stdout) as CalledService;
      expect((await callReport(ready, 'inbound-detail', ALL_TIME)).totalDocument).toBe(2);
      child.kill('SIGTERM');
      expect(await closed).toEqual([0, null]);
    },
  );

  it('ends with 1 where a file can’t be read, and keeps what came before', async () => {
    await writeFile(toPath('good'), toNdjson([toInbound()]));
    const { output, closed } = run('--import', toPath('good'), '--import', toPath('nothing'));
    expect(await closed).toEqual([1, null]);
    expect(output.stdout).toBe('');
    expect(output.stderr).toContain('1 added');
    expect(output.stderr).toContain('ended early');
    const service = await startTestService({ dataFolder: toPath('data') });
    expect((await service.readSize()).inboundRecords).toBe(1);
    await service.stop();
  });

  it('takes --import-report where the fields don’t tell, and refuses another name', async () => {
    await writeFile(toPath('bare'), toNdjson([{ ...toInbound(), BotLatency: undefined }]));
    const { output, child, closed } = run('--import', toPath('bare'), '--import-report', 'outbound-detail');
    await Promise.race([once(child.stdout, 'data'), closed]);
    expect(output.stderr).toContain('1 added');
    expect(() => readCommandLine(['--data', 'x', '--import-report', 'inbound-summary'])).toThrow(
      '--import-report',
    );
  });

  itOnPosix(
    'ends with 1 when a signal stops it half-way, and with the same result once it is run again',
    async () => {
      const text = toNdjson(Array.from({ length: 30_000 }, (_, index) => toLine(index)));
      await writeFile(toPath('many'), text);
      const { child, output, closed } = run('--import', toPath('many'));
      await whenDatabaseGrows(child, 300_000);
      child.kill('SIGTERM');
      expect(await closed).toEqual([1, null]);
      expect(output.stderr).toContain('cancelled');
      const { added } = await importAgain(text);
      expect(added).toBeGreaterThan(0);
      expect(added).toBeLessThan(30_000);
    },
    60_000,
  );

  it(
    `M01: killed at ${KILLS} random moments and run again, ends with the records of an import in one go`,
    { tags: 'long', timeout: 240_000 },
    async () => {
      const text = toNdjson(Array.from({ length: LINES }, (_, index) => toLine(index % (LINES * 0.9))));
      await writeFile(toPath('many'), text);
      const random = createRandom(KILLS);
      let rangeMs = 500;
      for (let partial = 0; partial < KILLS;) {
        const before = await countStored();
        const { child, closed } = run('--import', toPath('many'));
        await whenDatabaseGrows(child, 0);
        await delay(random() * rangeMs);
        child.kill('SIGKILL');
        await closed;
        const stored = await countStored();
        if (stored > before && stored < LINES) partial += 1;
        // The machine may be slower or faster than it was a moment ago.
        if (stored === before) rangeMs *= 1.5;
        if (stored < LINES) continue;
        rangeMs *= 0.6;
        await rm(toPath('data'), { recursive: true });
      }
      await importAgain(text);
      const whole = await startTestService({ records: 0 });
      const resumed = await startTestService({ dataFolder: toPath('data') });
      try {
        await importText(whole, text);
        expect((await resumed.readSize()).inboundRecords).toBe(LINES);
        expect(await readEverything(resumed)).toEqual(await readEverything(whole));
      } finally {
        await whole.stop();
        await resumed.stop();
      }
    },
  );

  const countStored = async (): Promise<number> => {
    await mkdir(toPath('data'), { recursive: true });
    const store = openSqliteStore(toPath('data'));
    const { inboundRecords } = await store.readSize();
    await store.close();
    return inboundRecords;
  };
  const importAgain = async (text: string): Promise<{ added: number; known: number }> => {
    const service = await startTestService({ dataFolder: toPath('data') });
    const { report, failure } = await importText(service, text);
    await service.stop();
    expect([failure, report.rejected]).toEqual([null, 0]);
    return report;
  };
  const toLine = (index: number): unknown =>
    toInbound({
      BotLatency: index,
      Date: new Date(Date.UTC(2026, 10, 1) + (index % 500) * 60_000).toISOString(),
    });
  /** Once the service has made its files, it imports. */
  const whenDatabaseGrows = async (child: ChildProcess, beyond: number): Promise<void> => {
    const path = toPath('data');
    const { stat } = await import('node:fs/promises');
    const size = async (): Promise<number> => {
      expect(child.exitCode).toBeNull();
      return stat(join(path, 'reporting-service.sqlite-wal')).then(
        (file) => file.size,
        () => 0,
      );
    };
    await expect.poll(size, { timeout: 20_000, interval: 5 }).toBeGreaterThan(beyond);
  };
});
