import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_EVIDENCE } from '../../../src-main/common/model/exports/export-options.ts';
import { SPECIFIED_REPORT_IDENTIFIERS } from '../../../src-main/common/reporting/reports.ts';
import { unpackBody } from '../../../src-main/core/cache/read/stored-pages.ts';
import {
  sendJson,
  startFaultServer,
  toEnvelope,
  type Answer,
  type FaultServer,
} from '../../support/network/fault-server.ts';
import { readZip } from '../../support/files/read-zip.ts';
import { lastDays } from '../downloads/download-rig.ts';
import { ALL_FORMS, CANARIES, findCanaries } from './canary-forms.ts';
import { openWatchedWindow, type WatchedWindow } from './watched-window.ts';

const ECHO = ALL_FORMS.map(({ text }) => text).join(' | ');
const { accessToken, accessTokenSecret } = CANARIES;
/** More than the list of all that were seen lately holds. */
const OTHER_TOKENS = 80;

const EVERYTHING = { client: 'received', payload: 'received', errors: 'received' } as const;

/** What the service answers with, until a test says otherwise. */
interface Script {
  token: Answer;
  status: Answer;
  report: Answer;
}

const issueToken: Answer = (_request, response) => sendJson(response, { token: CANARIES.token });
const respondText =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (_request, response) => {
    response.writeHead(status, headers);
    response.end(ECHO);
  };
const STATUS = { StatusPlatform: 'up', StatusConnector: 'up', TrafficInformation: ECHO, Division: ECHO };
const respondNothing = respondText(403);
const respondStatus: Answer = (_request, response) => sendJson(response, STATUS);
const respondRecords: Answer = (_request, response) => {
  const date = new Date(Date.now() - 7_200_000).toISOString();
  const record = {
    Id: 'session-1',
    Date: date,
    Channel: 3,
    Client: `x ${ECHO}`,
    Payload: `sent ${ECHO}`,
    Extra: ECHO,
  };
  sendJson(response, toEnvelope([record], { nameVisualization: ECHO }));
};
const refuse: Answer = (_request, response) =>
  sendJson(response, toEnvelope([], { isValid: false, errors: [{ field: ECHO, message: `Bad: ${ECHO}` }] }));

describe('a hunt for canaries through a session with services that echo them', () => {
  const script: Script = { token: issueToken, status: respondStatus, report: respondRecords };
  const period = lastDays(1);
  let server: FaultServer;
  let page: WatchedWindow;
  let connectionId: string;

  const call: WatchedWindow['call'] = (name, input) => page.call(name, input);
  const draft = () => ({
    name: 'Echo',
    baseAddress: server.address,
    tenant: 7,
    serviceZone: 'UTC',
    reportIdentifiers: SPECIFIED_REPORT_IDENTIFIERS,
    pageSize: 100,
  });
  const test = async (change: Partial<Script>): Promise<void> => {
    Object.assign(script, { token: issueToken, status: respondStatus, report: respondRecords }, change);
    const started = await call('connections/start-test', {
      connectionId: null,
      draft: draft(),
      secrets: { accessToken, accessTokenSecret },
    });
    await call('tasks/wait', { taskId: started!.taskId });
  };
  const download = async (report: Answer): Promise<number> => {
    Object.assign(script, { token: issueToken, report });
    const started = await call('downloads/start', { connectionId, report: 'inbound-detail', period });
    await call('tasks/wait', { taskId: started!.taskId });
    await call('downloads/list', { connectionId });
    await call('snapshots/get', { snapshotId: started!.snapshotId });
    await call('downloads/cancel', { snapshotId: started!.snapshotId });
    return started!.snapshotId;
  };

  /** Tests of connections that nobody keeps, each with a token of its own: more than the list of the last ones holds. */
  const spendOtherTokens = async (): Promise<void> => {
    // The connection that is kept has its token by then, and gets it again whenever it asks.
    await call('status/refresh', { connectionId });
    await test({});
    let count = 0;
    const token: Answer = (request, response) => {
      if (!request.body.includes('somebody')) return issueToken(request, response);
      count += 1;
      sendJson(response, { token: `token-${count}-of-somebody-else` });
    };
    Object.assign(script, { token, status: respondNothing, report: respondNothing });
    const secrets = { accessToken: 'somebody', accessTokenSecret: 'somebody-else' };
    const testAll = async (): Promise<void> => {
      while (count < OTHER_TOKENS) {
        const started = await call('connections/start-test', { connectionId: null, draft: draft(), secrets });
        await call('tasks/wait', { taskId: started!.taskId });
      }
    };
    await Promise.all(Array.from({ length: 4 }, testAll));
    expect(count).toBeGreaterThanOrEqual(OTHER_TOKENS);
  };

  beforeAll(async () => {
    server = await startFaultServer((request, response) => {
      if (request.path.endsWith('/CreateToken')) return script.token(request, response);
      return request.path.includes('/Status')
        ? script.status(request, response)
        : script.report(request, response);
    });
    page = await openWatchedWindow();
    const saved = await call('connections/save', {
      connectionId: null,
      draft: draft(),
      secrets: { accessToken, accessTokenSecret },
    });
    connectionId = saved!.id;

    await spendOtherTokens();

    await test({ token: respondText(400) });

    await test({ token: respondText(200) });

    await test({ token: (_request, response) => void response.end(CANARIES.token) });

    await test({
      token: respondText(302, { location: `/login/${encodeURI(accessTokenSecret)}?t=${encodeURI(ECHO)}` }),
    });
    await test({ status: respondText(403) });

    await test({ report: respondText(200, { 'content-type': 'text/html' }) });

    await test({ report: refuse });

    await test({});

    Object.assign(script, { token: issueToken, status: respondStatus, report: respondRecords });
    await call('status/refresh', { connectionId });

    await call('status/read-history', { connectionId, spanMs: 3_600_000, ticks: 60 });

    for (const report of [
      refuse,
      respondText(404),
      respondText(200),
      respondText(200, { 'content-encoding': 'x' }),
    ]) {
      await download(report);
    }
    // After so many failures the service is left alone for a while.
    let snapshotId: number;
    do snapshotId = await download(respondRecords);
    while ((await call('snapshots/get', { snapshotId }))?.recordCount !== 1);
    await call('records/read-record', { snapshotId, seq: 0 });

    await call('records/read-raw', { snapshotId, seq: 0 });

    await call('downloads/export-certificate', { snapshotId });

    for (const format of ['csv', 'json', 'evidence'] as const) {
      const started = await call('exports/start', {
        scope: { snapshotId },
        format,
        filter: { conditions: [] },
        order: [{ column: 'received', descending: false }],
        includePayload: true,
        evidence: { ...DEFAULT_EVIDENCE, masking: EVERYTHING },
      });
      await call('tasks/wait', { taskId: started!.taskId! });
      if (format !== 'json') continue;
      const revealed = await call('exports/reveal', { taskId: started!.taskId! });
      expect(await page.open(revealed!.downloadPath!)).toContain('[removed]');
    }
    Object.assign(script, { report: refuse });
    const summary = await call('summaries/start-fetch', { connectionId, direction: 'inbound', period });

    await call('tasks/wait', { taskId: summary!.taskId });
  }, 180_000);

  afterAll(async () => {
    await page.stop().catch(() => undefined);
    await server.close();
    await page.remove();
  });

  /** Names of the forms in each file of the data folder. */
  const searchFolder = async (): Promise<string[]> => {
    const entries = await readdir(page.dataFolder, { recursive: true, withFileTypes: true });
    const found: string[] = [];
    for (const entry of entries.filter((each) => each.isFile())) {
      const bytes = await readFile(join(entry.parentPath, entry.name));
      for (const encoding of ['utf8', 'latin1', 'utf16le'] as const) {
        found.push(...findCanaries(bytes.toString(encoding)).map((form) => `${entry.name}: ${form}`));
      }
    }
    return found;
  };

  it('finds none in what the window was sent: answers and their headers, events and files', async () => {
    await page.leave();
    const { traffic } = page;
    expect(traffic).toContain('event: tasks/changed');
    expect(traffic.length).toBeGreaterThan(40);
    expect(traffic.filter((text) => text.includes('[removed]')).length).toBeGreaterThan(8);
    expect(traffic.flatMap((text) => [...findCanaries(text), ...findCanaries(readTexts(text))])).toEqual([]);
  });

  it('finds none in the pages that are kept, whose snapshot says that something was removed', async () => {
    const database = new Database(join(page.dataFolder, 'cache.sqlite'), { readonly: true });
    const bodies = database.prepare('SELECT body FROM page_bodies').pluck().all() as Buffer[];
    const remarks = database
      .prepare("SELECT count FROM remarks WHERE code = 'secrets-removed'")
      .pluck()
      .all();
    database.close();
    expect(bodies).toHaveLength(1);
    expect(unpackBody(bodies[0]!).toString('utf8')).toContain('[removed]');
    expect(findCanaries(unpackBody(bodies[0]!).toString('utf8'))).toEqual([]);
    expect(remarks).toHaveLength(1);
    const started = await call('snapshots/verify', { snapshotIds: null });
    expect(await call('tasks/wait', { taskId: started!.taskId })).toMatchObject({ state: 'done' });
  });

  it('finds none in the data folder while the application runs, logs, write-ahead log and exports included', async () => {
    const names = (await readdir(page.dataFolder, { recursive: true })).join(' ');
    expect(names).toContain('cache.sqlite-wal');
    expect(names).toMatch(/\.csv/);
    expect(await searchFolder()).toEqual([]);
  });

  it('finds none in any file of an evidence pack of everything as received', async () => {
    const entries = await readdir(page.dataFolder, { recursive: true });
    const [pack = ''] = entries.filter((name) => name.endsWith('.zip'));
    const files = await readZip(join(page.dataFolder, pack));
    expect(files.get('records.ndjson')?.toString()).toContain('sent ');
    const found = [...files].flatMap(([name, bytes]) =>
      findCanaries(bytes.toString()).map((form) => `${name}: ${form}`),
    );
    expect(found).toEqual([]);
  });

  it.skipIf(process.platform !== 'linux')('finds none in the arguments of any process', async () => {
    const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const texts = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
    expect(texts.flatMap(findCanaries)).toEqual([]);
  });

  it('finds none in the data folder once reports were deleted and the application has ended', async () => {
    await call('connections/remove', { connectionId });
    await page.stop();
    expect(await searchFolder()).toEqual([]);
  }, 60_000);
});

/** Each text in JSON, without its escapes; nothing of what is no JSON. */
function readTexts(json: string): string {
  const texts: string[] = [];
  try {
    JSON.parse(json, (key, value: unknown) => {
      texts.push(key, typeof value === 'string' ? value : '');
      return value;
    });
  } catch {
    return '';
  }
  return texts.join('\n');
}
