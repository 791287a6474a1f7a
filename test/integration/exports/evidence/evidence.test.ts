import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  DEFAULT_EVIDENCE,
  type EvidenceMasking,
  type EvidenceOptions,
} from '../../../../src-main/common/model/exports/export-options.ts';
import { HOSTILE_TEXTS } from '../../../support/samples/hostile-texts.ts';
import { readZip } from '../../../support/files/read-zip.ts';
import { createDocument, fillSnapshot, FROM_MS, toOutbound } from '../../cache/cache-fixture.ts';
import { RECORDS_INPUT } from '../export-rig.ts';
import { createRealRig, type RealRig } from '../real-rig.ts';

const SESSION = '00000000-0000-4000-8000-000000000003';
const OPEN: EvidenceMasking = { client: 'received', payload: 'received', errors: 'received' };
const HOUR = { connectionId: 'one', fromMs: FROM_MS, toMs: FROM_MS + 3_600_000 } as const;
/** Ana is named by her own errors and payloads, by those of others, and by the outbound requests of a session. */
const CLIENTS = ['Ana Haddad', '+49 171 5550123', 'bob@example.org', 'Zoë Østergård', ''];

interface Pack {
  readonly files: ReadonlyMap<string, Buffer>;
  readonly text: (path: string) => string;
  readonly manifest: Record<string, unknown>;
  readonly rows: readonly Record<string, string>[];
  readonly records: readonly Record<string, unknown>[];
}

let rig: RealRig;
beforeAll(async () => {
  rig = await createRealRig('evidence.zip');
  const inbound = Array.from({ length: 40 }, (_none, place) => {
    const client = CLIENTS[place % CLIENTS.length] ?? '';
    const isFailed = place % 4 === 3;
    return createDocument(place, {
      Client: client,
      Error: isFailed
        ? `Rejected ${client.toUpperCase()} after 17 s: Ana Haddad asked for the loan of the red bicycle`
        : '',
      Payload: JSON.stringify({ text: 'the loan of the red bicycle', from: client, at: place }),
      ...(place === 7 ? { Region: `near ${client}` } : {}),
    });
  });
  await fillSnapshot(rig.cache, inbound, {}, 15);
  const outbound = Array.from({ length: 6 }, (_none, place) =>
    toOutbound(createDocument(place + 2, { Client: 'Ana Haddad', Error: 'No answer for ana haddad' }), '47'),
  );
  await fillSnapshot(rig.cache, outbound, { report: 'outbound-detail' });
});
afterAll(() => rig.close());

async function write(
  options: Partial<EvidenceOptions> = {},
  change: Parameters<RealRig['write']>[0] = {},
): Promise<Pack> {
  const task = await rig.write({
    scope: { ...HOUR, report: 'inbound-detail' },
    format: 'evidence',
    zone: 'Europe/Berlin',
    evidence: { ...DEFAULT_EVIDENCE, ...options },
    ...change,
  });
  expect(task, JSON.stringify(task.error)).toMatchObject({ state: 'done' });
  const files = await readZip(rig.target);
  const text = (path: string): string => files.get(path)?.toString('utf8') ?? '';
  return {
    files,
    text,
    manifest: JSON.parse(text('manifest.json')) as Record<string, unknown>,
    rows: parse(text('records.csv'), { columns: true, record_delimiter: '\r\n' }),
    records: text('records.ndjson')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

const readAll = ({ files }: Pack): string =>
  [...files.values()].map((bytes) => bytes.toString('utf8')).join('\n');

describe('an evidence pack', () => {
  it('holds report, records, findings, sessions, certificates and what tells of them', async () => {
    const pack = await write({ sessionIds: [SESSION] });
    const names = [...pack.files.keys()];
    expect(names.filter((name) => !name.startsWith('certificates/'))).toEqual([
      'records.csv',
      'records.ndjson',
      'sessions/001.json',
      'report.html',
      'findings.json',
      'README.txt',
      'verify.py',
      'verify.ps1',
      'manifest.json',
      'SHA256SUMS',
    ]);
    expect(pack.rows).toHaveLength(40);
    expect(pack.records).toHaveLength(40);
    expect(pack.text('report.html')).toContain('Inbound detail');
    expect(JSON.parse(pack.text('findings.json'))).toMatchObject({ findings: [] });
    expect(pack.manifest).toMatchObject({
      format: 'channelscope-evidence-pack',
      version: 1,
      applicationVersion: '1.2.3',
      connection: { name: 'Work', address: 'https://reports.example' },
      report: 'inbound-detail',
      tenant: 1,
      state: 'complete',
      recordCount: 40,
      clock: 'Europe/Berlin',
      gaps: [],
      masking: {
        client: { choice: 'pseudonym' },
        payload: { choice: 'left-out' },
        errors: { choice: 'folded' },
      },
      certificatesLeftOut: 0,
    });
    const [name = ''] = names.filter((each) => each.startsWith('certificates/'));
    const certificate = JSON.parse(pack.text(name)) as { pageSha256: string[]; pagesSha256: string };
    expect(certificate.pageSha256).toHaveLength(3);
    const joined = certificate.pageSha256.map((sum) => `${sum}\n`).join('');
    expect(hash('sha256', joined)).toBe(certificate.pagesSha256);
  });

  it('has a checksum of every file, in the manifest and as sha256sum reads it', async () => {
    const { files, text, manifest } = await write();
    const sums = new Map(
      text('SHA256SUMS')
        .trimEnd()
        .split('\n')
        .map((line) => [line.slice(66), line.slice(0, 64)] as const),
    );
    expect([...sums.keys()]).toEqual([...files.keys()].filter((name) => name !== 'SHA256SUMS'));
    for (const [name, sum] of sums) expect(hash('sha256', files.get(name) ?? ''), name).toBe(sum);
    for (const file of manifest['files'] as { path: string; bytes: number; sha256: string }[]) {
      expect(file).toEqual({
        path: file.path,
        bytes: files.get(file.path)?.length,
        sha256: sums.get(file.path),
      });
    }
  });

  it('gives a client the same pseudonym in every file, and in every pack of a run', async () => {
    const pack = await write({ sessionIds: [SESSION] });
    const pseudonyms = new Map(
      pack.rows.map((row, place) => [CLIENTS[place % 5] ?? '', row['Client'] ?? '']),
    );
    expect(new Set(pseudonyms.values()).size).toBe(5);
    expect(pseudonyms.get('')).toBe('');
    for (const [place, record] of pack.records.entries()) {
      expect(record['Client']).toBe(pseudonyms.get(CLIENTS[place % 5] ?? ''));
    }
    const ana = pseudonyms.get('Ana Haddad') ?? '';
    expect(ana).toMatch(/^client-[0-9a-z]{12}$/);
    expect(pack.rows[3]?.['Error']).toBe(
      `Rejected ${pseudonyms.get('Zoë Østergård') ?? ''} after <number>: ${ana} asked for <payload>`,
    );
    const session = JSON.parse(pack.text('sessions/001.json')) as {
      requests: { direction: string; record: Record<string, unknown> }[];
    };
    expect(session.requests.map(({ direction }) => direction)).toContain('outbound');
    const sent = session.requests.find(({ direction }) => direction === 'outbound');
    expect(sent?.record).toMatchObject({ Client: ana, Error: `No answer for ${ana}`, ActionId: '47' });
    const outbound = await write({}, { scope: { ...HOUR, report: 'outbound-detail' } });
    expect(outbound.records[0]?.['Client']).toBe(ana);
  });

  it('shows no client and no payload in the report either', async () => {
    const report = (await write()).text('report.html');
    expect(report).not.toMatch(/ana|haddad|bicycle|5550123|example\.org|østergård/i);
    expect(report).toContain('&lt;client&gt;');
  });

  it.each([
    [{ client: 'left-out' }, undefined, '<client>'],
    [{ client: 'shortened' }, 'Ana …'.replace(' ', ''), 'Ana'],
  ] as const)('writes clients as %j', async (masking, own, inError) => {
    const pack = await write({ masking: { ...DEFAULT_EVIDENCE.masking, ...masking } });
    expect(pack.records[0]?.['Client']).toBe(own);
    expect(pack.rows[3]?.['Error']).toContain(inError);
    expect(readAll(pack)).not.toMatch(/haddad|5550123|example\.org/i);
  });

  it('keeps the shape of payloads, their beginning, or all of them', async () => {
    const of = async (payload: EvidenceMasking['payload']): Promise<unknown> =>
      (await write({ masking: { ...DEFAULT_EVIDENCE.masking, payload } })).records[0]?.['Payload'];
    expect(await of('masked')).toBe('{"xxxx":"xxx xxxx xx xxx xxx xxxxxxx","xxxx":"Xxx Xxxxxx","xx":0}');
    expect(await of('shortened')).toBe('{"text":"the loan of …');
    expect(await of('received')).toMatch(
      /^\{"text":"the loan of the red bicycle","from":"client-[0-9a-z]{12}","at":0\}$/,
    );
    expect(await of('left-out')).toBeUndefined();
  });

  it('holds everything as received where that is chosen', async () => {
    const pack = await write({ masking: OPEN });
    expect(pack.records[3]).toMatchObject({
      Client: 'Zoë Østergård',
      Error: 'Rejected ZOË ØSTERGÅRD after 17 s: Ana Haddad asked for the loan of the red bicycle',
    });
    expect(pack.records[7]).toMatchObject({ Region: 'near bob@example.org' });
  });

  it('says what it is filtered by without saying whom', async () => {
    const filter = {
      conditions: [
        { field: 'client' as const, values: ['Ana Haddad'] },
        { field: 'payload' as const, text: 'red bicycle' },
      ],
    };
    const pack = await write({}, { filter });
    expect(pack.manifest['filter']).toMatch(/^client:=client-[0-9a-z]{12} payload:…$/);
    expect(pack.rows).toHaveLength(8);
    expect(readAll(pack)).not.toMatch(/haddad|bicycle/i);
  });

  it('of a session that is not cached says that there is nothing', async () => {
    const pack = await write({ sessionIds: ['nobody'] });
    expect(JSON.parse(pack.text('sessions/001.json'))).toMatchObject({ sessionId: 'nobody', requests: [] });
  });

  it('is previewed as it will be written', async () => {
    const input = {
      ...RECORDS_INPUT,
      scope: { ...HOUR, report: 'inbound-detail' as const },
      format: 'evidence' as const,
      zone: 'Europe/Berlin',
    };
    const preview = await rig.exporter.preview(input);
    const pack = await write();
    const [names = [], first = []] = preview.cells;
    expect(names).toEqual(Object.keys(pack.rows[0] ?? {}));
    expect(first[names.indexOf('Client')]).toBe(pack.rows[0]?.['Client']);
    expect(preview.files).toContainEqual({ path: 'records.csv', holds: 'records', count: 40 });
    // All of it, not the records alone.
    const { fileBytes } = await rig.write(input);
    const share = (preview.estimatedBytes ?? 0) / (fileBytes ?? 1);
    expect(share).toBeGreaterThan(0.7);
    expect(share).toBeLessThan(1.4);
  });
});

describe('with texts that files of other programs break on', () => {
  it('reads back as it was, and its spreadsheet runs no formula', async () => {
    const long = 'ab"c,\n'.repeat(200_000);
    const texts = [...HOSTILE_TEXTS, long];
    const own = await createRealRig('hostile.zip');
    try {
      await fillSnapshot(
        own.cache,
        texts.map((text, place) =>
          createDocument(place, { Payload: text, Client: text.slice(0, 200), Error: text.slice(0, 200) }),
        ),
      );
      const masking: EvidenceMasking = { ...OPEN, client: 'left-out' };
      const write = (evidence: EvidenceOptions): ReturnType<RealRig['write']> =>
        own.write({ format: 'evidence', evidence });
      expect(await write({ ...DEFAULT_EVIDENCE, masking: OPEN })).toMatchObject({ state: 'done' });
      const files = await readZip(own.target);
      const lines = files.get('records.ndjson')?.toString('utf8').trimEnd().split('\n') ?? [];
      const payloads = lines.map((line) => (JSON.parse(line) as { Payload: string }).Payload);
      expect(payloads.every((payload, place) => payload === texts[place])).toBe(true);
      const rows: { Payload: string; Error: string }[] = parse(files.get('records.csv') ?? '', {
        columns: true,
        record_delimiter: '\r\n',
      });
      expect(rows).toHaveLength(texts.length);
      for (const { Payload, Error } of rows) expect(Payload + Error).not.toMatch(/^[=+\-@\t\r＝]/);
      expect(files.get('report.html')?.toString()).not.toContain('<b>&amp;');
      expect(await write({ ...DEFAULT_EVIDENCE, masking })).toMatchObject({ state: 'done' });
    } finally {
      await own.close();
    }
  });
});

it('leaves nothing when it is cancelled, and keeps what was there before', async () => {
  const before = await write();
  const folder = dirname(rig.target);
  const names = await readdir(folder);
  const { taskId } = await rig.exporter.start({
    ...RECORDS_INPUT,
    scope: { ...HOUR, report: 'inbound-detail' },
    format: 'evidence',
  });
  const task = await rig.cancel(taskId);
  expect(task.state).toBe('cancelled');
  expect(await readdir(folder)).toEqual(names);
  // Records wait there for their place in the pack.
  expect(await readdir(join(rig.folder, 'analysis-files'))).toEqual([]);
  expect([...(await readZip(rig.target)).keys()]).toEqual([...before.files.keys()]);
  expect((await readFile(rig.target)).length).toBeGreaterThan(0);
});
