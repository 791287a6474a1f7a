import fc from 'fast-check';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Input, OperationName, Output } from '../../src-main/common/contract/index.ts';
import type { Connection, ConnectionDraft } from '../../src-main/common/model/connections/connection.ts';
import type { QuirkName } from '../../src-main/common/model/connections/local-service.ts';
import type { Period } from '../../src-main/common/model/period.ts';
import type { Snapshot } from '../../src-main/common/model/cache/snapshot.ts';
import type { Task } from '../../src-main/common/model/cache/task.ts';
import { toWireDate } from '../../src-main/common/reporting/wire-documents.ts';
import { createCore, type Core } from '../../src-main/core/create-core.ts';
import { createInMemorySecretStore } from '../../src-main/core/secrets/secret-store.ts';
import { createTestHost } from '../support/application/test-host.ts';

const hourMs = 3_600_000;

function toDraft(connection: Connection): ConnectionDraft & { id: string } {
  const { id, name, baseAddress, tenant, serviceZone, reportIdentifiers, pageSize } = connection;
  return { id, name, baseAddress, tenant, serviceZone, reportIdentifiers, pageSize };
}

function lastHours(hours: number): Period {
  const toMs = Math.floor(Date.now() / 1000) * 1000;
  const fromMs = toMs - hours * hourMs;
  return {
    fromMs,
    toMs,
    zone: 'UTC',
    startDate: toWireDate(fromMs, 'UTC'),
    endDate: toWireDate(toMs, 'UTC'),
  };
}

describe('the core with the bundled service', () => {
  let core: Core;
  let removeHost: () => Promise<void>;
  let dataFolder: string;
  let connectionId: string;
  const secrets = createInMemorySecretStore();

  const ask = async <Name extends OperationName>(name: Name, input: Input<Name>): Promise<Output<Name>> => {
    const answer = await core.call(name, input);
    if (!answer.ok) throw new Error(`${name}: ${answer.error.code} ${JSON.stringify(answer.error)}`);
    return answer.value as Output<Name>;
  };
  const whenTaskEnds = (taskId: string): Promise<Task> => ask('tasks/wait', { taskId });
  const fetchSummary = async (direction: 'inbound' | 'outbound', period: Period): Promise<Snapshot> => {
    const { taskId, snapshotId } = await ask('summaries/start-fetch', { connectionId, direction, period });
    expect(await whenTaskEnds(taskId)).toMatchObject({ kind: 'summary', error: null, state: 'done' });
    return ask('snapshots/get', { snapshotId });
  };

  beforeAll(async () => {
    const { host, remove } = await createTestHost();
    removeHost = remove;
    dataFolder = host.dataFolder;
    core = await createCore(host, {
      openSecretStore: () => Promise.resolve({ store: secrets, failure: null }),
    });
    const started = await ask('local-service/start', null);
    connectionId = started.connection.id;
  }, 60_000);

  afterAll(async () => {
    await core.stop();
    await removeHost();
  });

  it('starts the service and makes a connection that can be asked', async () => {
    expect(await ask('local-service/get-state', null)).toMatchObject({ state: 'running', tenant: 1001 });
    const sample = await ask('status/refresh', { connectionId });
    expect(sample).toMatchObject({ failure: null, connectionId });
    expect(['up', 'down']).toContain(sample.platform);
    expect(sample.traffic.length).toBeGreaterThan(0);
  });

  it('passes every step of a connection test', async () => {
    const connection = (await ask('connections/list', null))[0]!;
    const { id, ...draft } = toDraft(connection);
    const { taskId } = await ask('connections/start-test', { connectionId: id, draft, secrets: {} });
    const task = await whenTaskEnds(taskId);
    expect(task).toMatchObject({ state: 'done', done: 7, total: 7 });
    expect(task.steps.map(({ state }) => state)).toEqual(Array.from({ length: 7 }, () => 'passed'));
  });

  it('runs a few connection tests at a time, however many are started', async () => {
    const connection = (await ask('connections/list', null))[0]!;
    const { id, ...draft } = toDraft(connection);
    const started = await Promise.all(
      Array.from({ length: 12 }, () =>
        ask('connections/start-test', { connectionId: id, draft, secrets: {} }),
      ),
    );
    const ended = await Promise.all(started.map(({ taskId }) => whenTaskEnds(taskId)));
    expect(ended.map(({ state }) => state)).toEqual(ended.map(() => 'done'));
    const spans = ended.map(({ startedAtMs, endedAtMs }) => ({ startedAtMs, endedAtMs: endedAtMs! }));
    for (const { startedAtMs: atMs } of spans) {
      const running = spans.filter((span) => span.startedAtMs < atMs && atMs < span.endedAtMs);
      expect(running.length).toBeLessThanOrEqual(3);
    }
  });

  it('says which step of a connection test failed', async () => {
    const connection = (await ask('connections/list', null))[0]!;
    const { id, ...draft } = toDraft(connection);
    const { taskId } = await ask('connections/start-test', {
      connectionId: id,
      draft,
      secrets: { accessToken: 'wrong', accessTokenSecret: 'wrong' },
    });
    const task = await whenTaskEnds(taskId);
    expect(task).toMatchObject({ state: 'failed', error: { code: 'client.credentials-refused' } });
    expect(task.steps.map(({ state }) => state)).toEqual([
      'passed',
      'failed',
      ...Array.from({ length: 5 }, () => 'waiting'),
    ]);
  });

  it('downloads a day, and reads it again with the service stopped', async () => {
    const period = lastHours(24);
    const { taskId, snapshotId } = await ask('downloads/start', {
      connectionId,
      report: 'inbound-detail',
      period,
    });
    expect(await whenTaskEnds(taskId)).toMatchObject({ state: 'done', error: null });
    const snapshot = await ask('snapshots/get', { snapshotId });
    expect(snapshot).toMatchObject({ state: 'complete', stillOpen: true, failure: null });
    expect(snapshot.recordCount).toBe(snapshot.totalDocument);
    expect(snapshot.recordCount).toBeGreaterThan(1000);

    const reported = await fetchSummary('inbound', period);
    const outbound = await fetchSummary('outbound', period);
    await ask('local-service/stop', null);
    expect(await ask('status/refresh', { connectionId })).toMatchObject({
      platform: 'not-checked',
      connector: 'not-checked',
      failure: 'local-service.not-running',
    });

    const view = await ask('records/open-view', {
      scope: { snapshotId },
      filter: { conditions: [] },
      order: [{ column: 'received', descending: true }],
    });
    expect(view.rowCount).toBe(snapshot.recordCount);
    const rows = await ask('records/read-rows', { viewId: view.viewId, offset: 0, limit: 100 });
    expect(rows).toHaveLength(100);
    const record = await ask('records/read-record', { snapshotId, seq: rows[0]!.seq });
    expect(record.dateText).toBe(rows[0]!.dateText);
    expect(() => JSON.parse(record.payload) as unknown).not.toThrow();
    const { buckets } = await ask('records/read-histogram', {
      scope: { snapshotId },
      filter: { conditions: [] },
      fromMs: period.fromMs,
      toMs: period.toMs + 1000,
      zone: 'UTC',
      maxBuckets: 96,
      split: 'class',
      withMedian: false,
    });
    const inBuckets = buckets.flatMap(({ counts }) => counts).reduce((sum, count) => sum + count, 0);
    expect(inBuckets).toBe(snapshot.recordCount);

    const computed = await ask('summaries/compute', { snapshotId });
    const given = await ask('summaries/read', { snapshotId: reported.id });
    const keyOf = (group: (typeof given.groups)[number]) =>
      [group.channel, group.service, group.origin, group.responseCode, group.count].join('|');
    expect(computed.requestCount).toBe(snapshot.recordCount);
    expect(given.groups.length).toBeGreaterThan(10);
    expect(outbound.recordCount).toBeGreaterThan(10);
    // The service goes on receiving between the two responses; a closed period is compared in its own test.
    expect(Math.abs(given.requestCount - computed.requestCount)).toBeLessThan(100);
    expect(new Set(computed.groups.map(keyOf)).size).toBe(computed.groups.length);
    await ask('local-service/start', null);
  }, 60_000);

  it('computes the summary that the service reports, for a closed period', async () => {
    const now = lastHours(24);
    const toMs = now.toMs - 2 * hourMs;
    const period: Period = { ...now, toMs, endDate: toWireDate(toMs, 'UTC') };
    for (const direction of ['inbound', 'outbound'] as const) {
      const { taskId, snapshotId } = await ask('downloads/start', {
        connectionId,
        report: `${direction}-detail`,
        period,
      });
      await whenTaskEnds(taskId);
      const computed = await ask('summaries/compute', { snapshotId });
      const { id } = await fetchSummary(direction, period);
      const reported = await ask('summaries/read', { snapshotId: id });
      const shape = (summary: typeof reported) =>
        summary.groups
          .map(({ channel, service, origin, responseCode, count }) =>
            [channel, service, origin, responseCode, count].join('|'),
          )
          .sort();
      expect(shape(computed)).toEqual(shape(reported));
    }
  }, 60_000);

  it('exports exactly what it cached', async () => {
    const [snapshot] = (await ask('snapshots/list', { connectionId })).filter(
      ({ report }) => report === 'inbound-detail',
    );
    const { taskId } = await ask('exports/start', {
      scope: { snapshotId: snapshot!.id },
      format: 'json',
      filter: { conditions: [] },
      order: [{ column: 'received', descending: false }],
      includePayload: true,
    });
    const task = await whenTaskEnds(taskId!);
    expect(task).toMatchObject({ state: 'done', done: snapshot!.recordCount });
    const exported = JSON.parse(await readFile(join(dataFolder, task.fileName!), 'utf8')) as {
      records: { Id: string; ReponseCode: number }[];
    };
    expect(exported.records).toHaveLength(snapshot!.recordCount);
    expect(exported.records[0]).toHaveProperty('ReponseTime');
  }, 60_000);

  it('has one number for a period on every screen, in its export, and at the service', async () => {
    const now = lastHours(24);
    const startMs = Math.floor(now.fromMs / hourMs) * hourMs;
    const toSpan = (fromMs: number, toMs: number): Period => ({
      fromMs,
      toMs: toMs - 1000,
      zone: 'UTC',
      startDate: toWireDate(fromMs, 'UTC'),
      endDate: toWireDate(toMs - 1000, 'UTC'),
    });
    const report = 'outbound-detail' as const;
    const download = async (from: number, to: number): Promise<Snapshot> => {
      const period = toSpan(startMs + from * hourMs, startMs + to * hourMs);
      const { taskId, snapshotId } = await ask('downloads/start', { connectionId, report, period });
      await whenTaskEnds(taskId);
      return ask('snapshots/get', { snapshotId });
    };
    // Two snapshots that overlap, the first of which is fetched again, and a later one that broke off.
    const first = await download(0, 9);
    await download(6, 18);
    const refresh = await ask('downloads/refresh', { snapshotId: first.id });
    await whenTaskEnds(refresh.taskId);
    const { id, ...draft } = toDraft((await ask('connections/list', null))[0]!);
    const setUp = async (pageSize: number, quirks: QuirkName[]): Promise<void> => {
      await ask('local-service/set-quirks', { quirks });
      await ask('connections/save', { connectionId: id, draft: { ...draft, pageSize }, secrets: {} });
    };
    await setUp(100, ['cursor-repeats']);
    const part = await download(3, 15);
    expect(part.state).toBe('incomplete');
    expect(part.recordCount).toBeGreaterThan(0);
    await setUp(draft.pageSize, []);
    const filter = { conditions: [] };
    await fc.assert(
      fc.asyncProperty(fc.nat(17 * 3600), fc.integer({ min: 1, max: 6 * 3600 }), async (from, length) => {
        const fromMs = startMs + from * 1000;
        const toMs = Math.min(fromMs + length * 1000, startMs + 18 * hourMs);
        const scope = { connectionId, report, fromMs, toMs };
        const { requestCount: expected } = await ask('summaries/read', {
          snapshotId: (await fetchSummary('outbound', toSpan(fromMs, toMs))).id,
        });
        const order = [{ column: 'dateMs' as const, descending: true }];
        const { viewId, rowCount } = await ask('records/open-view', { scope, filter, order });
        expect(rowCount).toBe(expected);
        await ask('records/close-view', { viewId });
        const computed = await ask('summaries/compute', scope);
        expect(computed.requestCount).toBe(expected);
        const { buckets } = await ask('records/read-histogram', {
          scope,
          filter,
          fromMs,
          toMs,
          zone: 'UTC',
          maxBuckets: 60,
          split: 'class' as const,
          withMedian: false,
        });
        expect(buckets.flatMap(({ counts }) => counts).reduce((sum, count) => sum + count, 0)).toBe(expected);
        const facets = await ask('records/read-facets', { scope, filter });
        expect(facets.channels.reduce((sum, { count }) => sum + count, 0)).toBe(expected);
        const { taskId } = await ask('exports/start', {
          scope,
          filter,
          order,
          format: 'json' as const,
          includePayload: false,
        });
        const { fileName } = await whenTaskEnds(taskId!);
        const exported = JSON.parse(await readFile(join(dataFolder, fileName!), 'utf8')) as {
          records: unknown[];
        };
        expect(exported.records).toHaveLength(expected);
      }),
      { numRuns: Number(process.env['PERIOD_RUNS'] ?? 8) },
    );
  }, 240_000);

  it('keeps a failed download from looking whole, and what was cached as it was', async () => {
    const before = await ask('snapshots/list', { connectionId });
    await ask('local-service/stop', null);
    const { taskId, snapshotId } = await ask('downloads/start', {
      connectionId,
      report: 'outbound-detail',
      period: lastHours(1),
    });
    expect(await whenTaskEnds(taskId)).toMatchObject({
      state: 'failed',
      error: { code: 'local-service.not-running' },
    });
    expect(await ask('snapshots/get', { snapshotId })).toMatchObject({
      state: 'failed',
      failure: 'local-service.not-running',
      recordCount: 0,
    });
    const after = await ask('snapshots/list', { connectionId });
    expect(after.filter(({ id }) => id !== snapshotId)).toEqual(before);
  }, 60_000);

  it("leaves no secret in any file but the bundled service's own", async () => {
    const accessTokenSecret = await secrets.get(connectionId, 'accessTokenSecret');
    expect(accessTokenSecret).not.toBeNull();
    const files = await readdir(dataFolder, { recursive: true, withFileTypes: true });
    const searched: string[] = [];
    for (const file of files) {
      const path = join(file.parentPath, file.name);
      if (!file.isFile() || path.includes('local-service')) continue;
      searched.push(file.name);
      expect((await readFile(path)).includes(accessTokenSecret!), path).toBe(false);
    }
    expect(searched).toEqual(expect.arrayContaining(['cache.sqlite', 'connections.json', 'settings.json']));
  });
});
