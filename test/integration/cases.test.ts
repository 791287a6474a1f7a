import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Input, OperationName, Output } from '../../src-main/common/contract/index.ts';
import type { PartContent, PartDraft } from '../../src-main/common/model/cases/case.ts';
import type { RecordDetail } from '../../src-main/common/model/records/record.ts';
import type { RecordFilter } from '../../src-main/common/model/records/record-filter.ts';
import { SPECIFIED_REPORT_IDENTIFIERS, type DetailKind } from '../../src-main/common/reporting/reports.ts';
import { toWireDate } from '../../src-main/common/reporting/wire-documents.ts';
import { createCore, type Core } from '../../src-main/core/create-core.ts';
import { checkPack } from '../../src-main/core/exports/evidence/signing/pack-signature.ts';
import { createInMemorySecretStore } from '../../src-main/core/secrets/secret-store.ts';
import { readZip } from '../support/files/read-zip.ts';
import { createTestHost } from '../support/application/test-host.ts';

const HOUR_MS = 3_600_000;
const EMPTY: PartContent = { facts: [], table: null, picture: null, statement: null };
const NONE: RecordFilter = { conditions: [] };

describe('cases of the records of a real service', () => {
  let core: Core;
  let removeHost: () => Promise<void>;
  let dataFolder: string;
  let connectionId: string;
  const fromMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 30 * HOUR_MS;
  const toMs = fromMs + 6 * HOUR_MS;

  const ask = async <Name extends OperationName>(name: Name, input: Input<Name>): Promise<Output<Name>> => {
    const answer = await core.call(name, input);
    if (!answer.ok) throw Object.assign(new Error(`${name}: ${answer.error.code}`), answer.error);
    return answer.value as Output<Name>;
  };
  const toScope = (report: DetailKind, from = fromMs, to = toMs) => ({
    connectionId,
    report,
    fromMs: from,
    toMs: to,
  });

  async function download(report: DetailKind, from: number, to: number): Promise<void> {
    const [startDate, endDate] = [toWireDate(from, 'UTC'), toWireDate(to - 1_000, 'UTC')];
    const period = { fromMs: from, toMs: to - 1_000, zone: 'UTC', startDate, endDate };
    const { taskId } = await ask('downloads/start', { connectionId, report, period });
    expect(await ask('tasks/wait', { taskId })).toMatchObject({ state: 'done' });
  }

  /** Every record that a filter shows, with its texts. */
  async function readRecords(
    filter: RecordFilter,
    report: DetailKind = 'inbound-detail',
  ): Promise<RecordDetail[]> {
    const scope = toScope(report);
    const order = [{ column: 'dateMs' as const, descending: false }];
    const { viewId, rowCount } = await ask('records/open-view', { scope, filter, order });
    const found: RecordDetail[] = [];
    for (let offset = 0; offset < rowCount; offset += 500)
      for (const { snapshotId, seq } of await ask('records/read-rows', { viewId, offset, limit: 500 }))
        found.push(await ask('records/read-record', { snapshotId, seq }));
    return found;
  }

  function toDraft(part: Partial<PartDraft> & { filter?: RecordFilter; query?: string }): PartDraft {
    const { filter = NONE, query = '', ...rest } = part;
    return {
      kind: 'records',
      title: 'Records',
      content: EMPTY,
      question: {
        connectionId,
        scopes: [toScope('inbound-detail')],
        filter,
        query,
        fromMs,
        toMs,
        zone: 'UTC',
        place: '/inbound/detail',
      },
      ...rest,
    };
  }

  async function exportFile(input: Input<'exports/start-case'>): Promise<string> {
    const { taskId } = await ask('exports/start-case', input);
    const task = await ask('tasks/wait', { taskId: taskId ?? '' });
    expect(task).toMatchObject({ state: 'done', error: null });
    const { downloadPath } = await ask('exports/reveal', { taskId: taskId ?? '' });
    return downloadPath ?? '';
  }
  const exportCase = async (input: Input<'exports/start-case'>): Promise<string> =>
    readFile(await exportFile(input), 'utf8');

  beforeAll(async () => {
    const { host, remove } = await createTestHost();
    removeHost = remove;
    ({ dataFolder } = host);
    core = await createCore(host, {
      openSecretStore: () =>
        Promise.resolve({ store: { ...createInMemorySecretStore(), kind: 'keychain' }, failure: null }),
    });
    connectionId = (await ask('local-service/start', null)).connection.id;
    await download('inbound-detail', fromMs, toMs);
  });
  afterAll(async () => {
    await core.stop();
    await removeHost();
  });

  it('a case of one filter holds no byte of a record that the filter leaves out', async () => {
    const all = await readRecords(NONE);
    const [first] = all;
    const filter: RecordFilter = {
      conditions: [
        { field: 'channel', values: [first?.channel ?? 0] },
        { field: 'service', values: [first?.service ?? 0] },
      ],
    };
    const kept = await readRecords(filter);
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.length).toBeLessThan(all.length);
    const { id: caseId } = await ask('cases/create', { title: 'One channel' });
    const columns = [
      { name: 'Date', isRight: false },
      { name: 'Client', isRight: false, role: 'client' as const },
      { name: 'Session', isRight: false },
      { name: 'Payload', isRight: false, role: 'body' as const },
    ];
    const rows = kept
      .slice(0, 200)
      .map(({ dateText, client, sessionId, payload }) => [
        dateText,
        client,
        sessionId,
        payload.slice(0, 4_000),
      ]);
    await ask('cases/pin', {
      caseId,
      part: toDraft({ filter, content: { ...EMPTY, table: { columns, rows, rowCount: kept.length } } }),
    });
    const { parts } = await ask('cases/read', { caseId });
    const pinned = await ask('cases/read-part', { caseId, partId: parts[0]?.id ?? '' });
    expect(pinned.figures).toMatchObject({ records: kept.length });
    expect(pinned.coverage).toMatchObject([{ report: 'inbound-detail', missingMs: 0 }]);

    const files = [
      await exportCase({ caseId, format: 'html', isMasked: false, isBrief: false }),
      await exportCase({ caseId, format: 'markdown', isMasked: true, isBrief: false }),
    ];
    const packs = [];
    for (const isMasked of [true, false]) {
      const pack = await exportFile({ caseId, format: 'evidence', isMasked, isBrief: false });
      const signal = AbortSignal.timeout(60_000);
      expect(await checkPack(pack, { expected: null, signal })).toMatchObject({ isAccepted: true });
      packs.push(await readZip(pack));
    }
    // Byte by byte, with the names of the files.
    for (const pack of packs) files.push([...pack.keys(), ...[...pack.values()].map(String)].join('\n'));
    const [masked, received] = packs;
    const names = ['case.html', 'case.md', 'case.json', 'parts/001.csv', 'README.txt', 'manifest.json'];
    expect([...(masked?.keys() ?? [])]).toEqual(
      expect.arrayContaining([...names, 'verify.py', 'SHA256SUMS']),
    );
    expect(received?.get('parts/001.csv')?.toString().split('\r\n')).toHaveLength(rows.length + 2);
    expect(masked?.get('parts/001.csv')?.toString()).toMatch(
      /^"Date","Client","Session"\r\n.*client-\w{12}/u,
    );
    const manifest: unknown = JSON.parse(masked?.get('manifest.json')?.toString() ?? '');
    expect(manifest).toMatchObject({
      of: 'case',
      certificates: [{ isComplete: true }],
      masking: { client: { choice: 'pseudonym' } },
      signature: { algorithm: 'Ed25519' },
    });
    expect(JSON.parse(masked?.get('case.json')?.toString() ?? '')).toMatchObject([
      {
        kind: 'records',
        file: 'parts/001.csv',
        figures: { records: kept.length },
        isContentLeftOut: true,
        rowsThatThereWere: kept.length,
      },
    ]);

    const folder = join(dataFolder, 'cases', caseId);
    for (const name of await readdir(folder)) files.push(await readFile(join(folder, name), 'utf8'));
    const own = new Set(kept.flatMap(({ sessionId, client }) => [sessionId, client]));
    const leftOut = all
      .flatMap(({ sessionId, client }) => [sessionId, client])
      .filter((text) => !own.has(text));
    expect(leftOut.length).toBeGreaterThan(10);
    for (const text of new Set(leftOut)) for (const file of files) expect(file).not.toContain(text);
    // What it may hold is there: the search finds something at all.
    expect(files[0]).toContain(rows[0]?.[2]);
  });

  it('masks every client and leaves contents out, also in what the person wrote', async () => {
    const [record] = (await readRecords(NONE)).filter(
      ({ client, payload }) => client.length > 5 && payload.length > 20,
    );
    if (record === undefined) throw new Error('no record');
    const { client, payload } = record;
    const { id: caseId } = await ask('cases/create', { title: `About ${client}` });
    const facts = [
      { name: 'Client', value: client, role: 'client' as const },
      { name: 'Payload', value: payload.slice(0, 4_000), role: 'body' as const },
      { name: 'Error', value: `nothing for ${client}` },
    ];
    const filter: RecordFilter = { conditions: [{ field: 'client', values: [client] }] };
    const picture = `<svg xmlns="http://www.w3.org/2000/svg"><text>${client}</text></svg>`;
    await ask('cases/pin', {
      caseId,
      part: toDraft({
        kind: 'record',
        filter,
        query: `client:${client}`,
        content: { ...EMPTY, facts, picture: { light: picture, dark: picture } },
      }),
    });
    const page = await ask('cases/change', { caseId, change: { kind: 'add-text', place: 0 } });
    const text = `Ask **${client}** <img src=x onerror=alert(1)>`;
    await ask('cases/change', {
      caseId,
      change: { kind: 'set-text', partId: page.parts[0]?.id ?? '', text, over: '' },
    });

    const pack = await readZip(
      await exportFile({ caseId, format: 'evidence', isMasked: true, isBrief: false }),
    );
    for (const [name, content] of pack) {
      expect(name + content.toString(), name).not.toContain(client);
      expect(content.toString(), name).not.toContain(payload.slice(0, 20));
    }
    expect(pack.get('case.json')?.toString()).toMatch(/"query": "client:=client-[0-9a-z]{12}"/u);

    for (const format of ['html', 'markdown'] as const) {
      const masked = await exportCase({ caseId, format, isMasked: true, isBrief: false });
      expect(masked).toMatch(/client-[0-9a-z]{12}/u);
      const drawn = Array.from(masked.matchAll(/base64,([\w+/=]+)/gu), ([, data = '']) =>
        Buffer.from(data, 'base64'),
      );
      for (const each of [masked, ...drawn.map(String)]) {
        expect(each).not.toContain(client);
        expect(each).not.toContain(payload.slice(0, 20));
      }
      const open = await exportCase({ caseId, format, isMasked: false, isBrief: false });
      expect(open).toContain(client);
      if (format !== 'html') continue;
      expect(open).toContain('default-src &#39;none&#39;');
      expect(open).not.toContain('<img src=x');
      expect(open).not.toMatch(/<script/iu);
    }
  });

  it('says what came later when a part is asked again, and keeps what it showed', async () => {
    const later = toMs + 2 * HOUR_MS;
    const { id: caseId } = await ask('cases/create', { title: 'Later' });
    const question = {
      ...toDraft({}).question,
      scopes: [toScope('inbound-detail', fromMs, later)],
      toMs: later,
    };
    const statement = 'SELECT count(*) AS n FROM inbound';
    const count = (await readRecords(NONE)).length;
    await ask('cases/pin', { caseId, part: { ...toDraft({}), question } });
    const table = { columns: [{ name: 'n', isRight: true }], rows: [[String(count)]], rowCount: 1 };
    await ask('cases/pin', {
      caseId,
      part: { ...toDraft({ kind: 'query' }), question, content: { ...EMPTY, table, statement } },
    });
    const before = await ask('cases/read', { caseId });
    const [records, query] = before.parts.map(({ id }) => id) as [string, string];
    const then = await ask('cases/read-part', { caseId, partId: records });
    expect(then).toMatchObject({ figures: { records: count }, coverage: [{ state: 'incomplete' }] });
    expect(then.coverage[0]?.missingMs).toBe(2 * HOUR_MS);
    expect((await ask('cases/ask', { caseId, partId: query })).parts[1]).toMatchObject({
      answer: { newRows: 0, goneRows: 0, figures: { rows: 1 } },
    });

    await download('inbound-detail', toMs, later);
    const asked = await ask('cases/ask', { caseId, partId: records });
    const [part] = asked.parts;
    const now = part?.kind === 'pinned' ? part.answer : null;
    expect(now?.figures.records).toBeGreaterThan(count);
    expect(now?.coverage).toMatchObject([{ missingMs: 0 }]);
    expect((await ask('cases/ask', { caseId, partId: query })).parts[1]).toMatchObject({
      answer: { newRows: 1, goneRows: 1, figures: { rows: 1 } },
    });
    expect(await ask('cases/read-part', { caseId, partId: records })).toEqual(then);
    const written = await exportCase({ caseId, format: 'markdown', isMasked: false, isBrief: false });
    expect(written).toContain(`Then ${count.toLocaleString('en')}, now`);
    // Undoing takes back what was asked, too.
    await ask('cases/undo', { caseId });
    await ask('cases/undo', { caseId });
    expect((await ask('cases/read', { caseId })).parts[0]).toMatchObject({ answer: null });
  });

  it('names both connections where a part compares two, and asks again only while both are there', async () => {
    const other = await ask('connections/save', {
      connectionId: null,
      draft: {
        name: 'The other one',
        baseAddress: 'http://127.0.0.1:9',
        tenant: 7,
        serviceZone: 'UTC',
        reportIdentifiers: SPECIFIED_REPORT_IDENTIFIERS,
        pageSize: 100,
      },
      secrets: { accessToken: 'one', accessTokenSecret: 'two' },
    });
    const { id: caseId } = await ask('cases/create', { title: 'Two' });
    const own = toScope('inbound-detail');
    const question = { ...toDraft({}).question, scopes: [{ ...own, connectionId: other.id }, own] };
    const { parts } = await ask('cases/pin', { caseId, part: { ...toDraft({ kind: 'table' }), question } });
    const partId = parts[0]?.id ?? '';
    const { connectionName } = await ask('cases/read-part', { caseId, partId });
    expect(connectionName).toMatch(/.+, The other one$/);
    const page = await exportCase({ caseId, format: 'markdown', isMasked: false, isBrief: false });
    expect(page).toContain(connectionName);
    await ask('cases/ask', { caseId, partId });
    await ask('connections/remove', { connectionId: other.id });
    await expect(ask('cases/ask', { caseId, partId })).rejects.toMatchObject({
      code: 'connections.not-found',
    });
  });

  it('refuses what is no case and what can not be asked, and lists what is there', async () => {
    await expect(ask('cases/read', { caseId: 'none' })).rejects.toMatchObject({ code: 'cases.not-found' });
    const { id: caseId } = await ask('cases/create', { title: 'Reported' });
    const question = { ...toDraft({}).question, scopes: [] };
    const { parts } = await ask('cases/pin', { caseId, part: { ...toDraft({ kind: 'chart' }), question } });
    const partId = parts[0]?.id ?? '';
    await expect(ask('cases/ask', { caseId, partId })).rejects.toMatchObject({ code: 'cases.not-askable' });
    await expect(
      ask('cases/change', { caseId, change: { kind: 'fold', partId: 'other', isFolded: true } }),
    ).rejects.toMatchObject({ code: 'cases.no-part' });
    await ask('cases/delete', { caseId });
    expect((await ask('cases/list', null)).map(({ id }) => id)).not.toContain(caseId);
    await ask('cases/undo', { caseId });
    expect((await ask('cases/list', null))[0]).toMatchObject({ id: caseId, pinnedCount: 1 });
  });
});
