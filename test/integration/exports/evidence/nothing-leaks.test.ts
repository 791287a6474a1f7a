import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  CLIENT_MASKS,
  DEFAULT_EVIDENCE,
  type EvidenceMasking,
  PAYLOAD_MASKS,
} from '../../../../src-main/common/model/exports/export-options.ts';
import { readZip } from '../../../support/files/read-zip.ts';
import { createDocument, fillSnapshot, FROM_MS, toOutbound } from '../../cache/cache-fixture.ts';
import { createRealRig, type RealRig } from '../real-rig.ts';

const SESSION = '00000000-0000-4000-8000-000000000001';
const HOUR = { connectionId: 'one', fromMs: FROM_MS, toMs: FROM_MS + 3_600_000 } as const;

/** Words that nothing else in a pack has. */
const word = fc.string({
  unit: fc.constantFrom('q', 'z', 'j', 'x', 'ü', 'ÿ', 'ñ', 'я', 'ж'),
  minLength: 8,
  maxLength: 14,
});
const client = fc.oneof(
  word,
  fc.tuple(word, word).map((words) => words.join(' ')),
  fc.tuple(word, word).map(([name, host]) => `${name}@${host}.example`),
  fc.integer({ min: 10 ** 9, max: 10 ** 12 }).map((digits) => `+${digits}`),
);
/** Longer than what is shown of a payload that is shortened. */
const phrase = fc.array(word, { minLength: 5, maxLength: 8 }).map((words) => words.join(' '));
const record = fc.record({
  client,
  other: client,
  phrase,
  isJson: fc.boolean(),
  error: fc.constantFrom(
    (own: string) => `Client ${own} is not known`,
    (own: string, other: string) => `${own.toUpperCase()} may not call for ${other}`,
    (own: string, _other: string, said: string) => `Could not understand ${said} of ${own}`,
    (_own: string, _other: string, said: string) => `Unexpected "${said}" at 17`,
    (own: string) => `https://host.example/users/${encodeURIComponent(own)}?id=4 refused id${own}x`,
    () => '',
  ),
});

const RECORD_FILES = ['csv', 'xlsx', 'json', 'ndjson', 'parquet', 'html'] as const;
type RecordFile = (typeof RECORD_FILES)[number];

interface Said {
  readonly clients: readonly string[];
  readonly phrases: readonly string[];
}

let rig: RealRig;
let said: Said;
beforeAll(async () => {
  rig = await createRealRig('leaks.zip');
  const records = fc.sample(record, 48);
  const documents = records.map(({ client: own, other, phrase: text, isJson, error }, place) =>
    createDocument(place, {
      Client: own,
      Error: error(own, other, text),
      Payload: isJson ? JSON.stringify({ text, from: own, to: other }) : `${text}, said ${own}`,
      Origin: place % 9 === 0 ? own : 'web',
      ...(place % 7 === 0 ? { Id: `chat of ${own}` } : {}),
      ...(place % 5 === 0 ? { Date: `a day of ${own}` } : {}),
      ...(place % 6 === 0 ? { Person: { name: own, wish: text }, [own]: 1 } : {}),
    }),
  );
  // Everybody is a client somewhere.
  const others = records.map(({ other }, place) => createDocument(place, { Client: other, Error: '' }));
  await fillSnapshot(rig.cache, [...documents, ...others], {}, 50);
  await fillSnapshot(
    rig.cache,
    documents.slice(0, 30).map((document) => toOutbound({ ...document, Id: SESSION }, 'x')),
    { report: 'outbound-detail' },
  );
  said = {
    clients: records.flatMap(({ client: own, other }) => [own, other]),
    phrases: records.map(({ phrase: text }) => text),
  };
});
afterAll(() => rig.close());

async function writePack(masking: EvidenceMasking): Promise<string> {
  const task = await rig.write({
    scope: { ...HOUR, report: 'inbound-detail' },
    format: 'evidence',
    evidence: { ...DEFAULT_EVIDENCE, masking, sessionIds: [SESSION, `chat of ${said.clients[0] ?? ''}`] },
  });
  expect(task, JSON.stringify(task.error)).toMatchObject({ state: 'done' });
  const files = await readZip(rig.target);
  return [...files]
    .map(([name, bytes]) => `${name}\n${bytes.toString('utf8')}`)
    .join('\n')
    .toLowerCase();
}

const clientMasks = CLIENT_MASKS.filter((mask) => mask !== 'received');
const payloadMasks = PAYLOAD_MASKS.filter((mask) => mask !== 'received');

it.each(
  clientMasks.flatMap((client) =>
    (['folded', 'numbers', 'received'] as const).flatMap((errors) =>
      [...payloadMasks, 'received' as const].map((payload) => ({ client, payload, errors })),
    ),
  ),
)('no client stands in any file where %j', async (masking) => {
  const text = await writePack(masking);
  const found = said.clients.filter((client) => text.includes(client.toLowerCase()));
  expect(found).toEqual([]);
});

it.each(
  payloadMasks.flatMap((payload) =>
    (['folded', 'numbers', 'received'] as const).map((errors) => ({
      client: 'received' as const,
      payload,
      errors,
    })),
  ),
)('nothing of a payload stands in any file where %j', async (masking) => {
  const text = await writePack(masking);
  const found = said.phrases.filter((phrase) => text.includes(phrase.toLowerCase()));
  expect(found).toEqual([]);
});

/** Everything that a file of records says, in lower case. */
async function writeFile(format: RecordFile, masking: EvidenceMasking): Promise<string> {
  const task = await rig.write({
    scope: { ...HOUR, report: 'inbound-detail' },
    format,
    paths: format === 'html' ? [] : ['payload.text', 'payload.from'],
    masking,
    zone: 'UTC',
  });
  expect(task, JSON.stringify(task.error)).toMatchObject({ state: 'done' });
  return (await readText(format)).toLowerCase();
}

async function readText(format: RecordFile): Promise<string> {
  const bytes = await readFile(rig.target);
  if (format === 'xlsx') return [...(await readZip(rig.target)).values()].join('\n');
  if (format !== 'parquet') return bytes.toString('utf8');
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const [rows, metadata] = [await parquetReadObjects({ file, compressors }), parquetMetadata(file)];
  const toText = (_key: string, value: unknown): unknown =>
    typeof value === 'bigint' ? String(value) : value;
  return JSON.stringify([rows, metadata.key_value_metadata], toText);
}

it.each(
  RECORD_FILES.flatMap((format) =>
    clientMasks.map((client) => ({
      format,
      client,
      payload: 'received' as const,
      errors: 'received' as const,
    })),
  ),
)('no client stands in a file of records or a report where %j', async ({ format, ...masking }) => {
  const text = await writeFile(format, masking);
  expect(said.clients.filter((client) => text.includes(client.toLowerCase()))).toEqual([]);
});

it.each(
  RECORD_FILES.flatMap((format) =>
    payloadMasks.map((payload) => ({
      format,
      client: 'received' as const,
      payload,
      errors: 'received' as const,
    })),
  ),
)('nothing of a payload stands in one where %j', async ({ format, ...masking }) => {
  const text = await writeFile(format, masking);
  expect(said.phrases.filter((phrase) => text.includes(phrase.toLowerCase()))).toEqual([]);
});

it('a client has the same pseudonym in every file', async () => {
  const masking = { client: 'pseudonym', payload: 'left-out', errors: 'folded' } as const;
  const toPseudonyms = (text: string): Set<string> => new Set(text.match(/client-[0-9a-z]{12}/gu));
  const [csv, parquet] = [await writeFile('csv', masking), await writeFile('parquet', masking)];
  expect(toPseudonyms(csv).size).toBeGreaterThan(40);
  expect(toPseudonyms(parquet)).toEqual(toPseudonyms(csv));
});

it.each(['csv', 'ndjson', 'parquet'] as const)('a result of SQL names nobody as %s', async (format) => {
  const { connectionId, fromMs, toMs } = HOUR;
  const statement = `SELECT client, payload, error, 'seen ' || client AS remark FROM inbound`;
  const ran = await rig.engine.runSql({
    connectionId,
    fromMs,
    toMs,
    zone: 'UTC',
    text: statement,
    timeLimitMs: 30_000,
  });
  if (ran.kind !== 'rows') throw new Error(JSON.stringify(ran));
  const { resultId, columns, rowCount, hasMore } = ran;
  const task = await rig.writeResult({
    resultId,
    connectionId,
    columns: [...columns],
    rowCount,
    hasMore,
    statement: `${statement} WHERE client <> '${said.clients[0] ?? ''}'`,
    fromMs,
    toMs,
    zone: 'UTC',
    format,
    masking: { client: 'pseudonym', payload: 'left-out', errors: 'folded' },
  });
  expect(task, JSON.stringify(task.error)).toMatchObject({ state: 'done', done: rowCount });
  const text = (await readText(format)).toLowerCase();
  expect(said.clients.filter((client) => text.includes(client.toLowerCase()))).toEqual([]);
  expect(said.phrases.filter((phrase) => text.includes(phrase.toLowerCase()))).toEqual([]);
});

it('the same texts do stand there where nothing is masked', async () => {
  const text = await writePack({ client: 'received', payload: 'received', errors: 'received' });
  const clients = said.clients.filter((client) => text.includes(client.toLowerCase()));
  expect(clients.length).toBeGreaterThan(said.clients.length * 0.9);
  expect(said.phrases.every((phrase) => text.includes(phrase.toLowerCase()))).toBe(true);
});
