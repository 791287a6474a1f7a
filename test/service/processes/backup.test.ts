import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REPORT_KINDS } from '../../../src-main/common/reporting/reports.ts';
import type { RunningService } from '../../../src-main/service/start-service.ts';
import { openPostgresStore } from '../../../src-main/service/store-postgres/open-postgres-store.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../../support/service/postgres-server.ts';
import { startTestService } from '../../support/service/running-service.ts';
import { authorise, callReport, toPeriod } from '../../support/service/service-calls.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 12);
const WEEK = { ...toPeriod(NOW_MS - 8 * 86_400_000, NOW_MS), size: 1_000 };

describe.skipIf(findPostgres() === undefined)('a backup', () => {
  let server: PostgresServer;
  let folder: string;
  beforeAll(async () => {
    server = await startPostgres();
    folder = await mkdtemp(join(tmpdir(), 'backup-'));
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const start = (url: string): Promise<RunningService> =>
    startTestService({
      now: () => NOW_MS,
      openStore: () =>
        openPostgresStore(
          { url, schema: 'channelscope', tenant: 1001 },
          { now: () => NOW_MS, reportError: () => undefined },
        ),
      dataFolder: folder,
      requireToken: true,
    });
  const runProgram = async (name: string, ...args: string[]): Promise<void> => {
    await promisify(execFile)(join(findPostgres() ?? '', name), args);
  };
  const readAll = (service: RunningService, headers: Record<string, string>): Promise<unknown[]> =>
    Promise.all(
      REPORT_KINDS.map(async (report) => {
        const { documents, totalDocument } = await callReport(service, report, WEEK, headers);
        return { documents, totalDocument };
      }),
    );

  it('that is restored elsewhere holds records, rights, credentials, tokens and cursors', async () => {
    await server.migrate('channelscope');
    const service = await start(server.url);
    const headers = await authorise(service);
    const before = await readAll(service, headers);
    const first = await callReport(service, 'inbound-detail', { ...WEEK, size: 700 }, headers);
    await service.stop();

    const file = join(folder, 'reporting.dump');
    await runProgram('pg_dump', '--format=custom', '--schema=channelscope', `--file=${file}`, server.url);
    await server.run('CREATE DATABASE restored');
    await server.run('GRANT CREATE ON DATABASE restored TO service');
    const toRestored = (url: string): string => url.replace('/postgres?', '/restored?');
    await runProgram('pg_restore', '--exit-on-error', `--dbname=${toRestored(server.url)}`, file);

    // As the role that may only serve: row-level security and its rights came along.
    const again = await start(toRestored(server.servingUrl));
    expect(await readAll(again, headers)).toEqual(before);
    const rest = await callReport(
      again,
      'inbound-detail',
      { ...WEEK, lastDocument: first.lastDocument },
      headers,
    );
    expect(rest.documents).toHaveLength(Math.min(1_000, first.totalDocument - 700));
    expect(await readAll(again, await authorise(again))).toEqual(before);
    await again.stop();
  });
});
