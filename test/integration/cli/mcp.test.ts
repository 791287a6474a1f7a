import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDocument, fillSnapshot, openTestCache } from '../cache/cache-fixture.ts';

const ENTER = fileURLToPath(new URL('../../../src-main/start/enter.js', import.meta.url));
const CLIENTS = ['Ana Haddad', 'Bob Okafor', '+49 171 5550123'];
const PERIOD = { from: '2026-11-20T10:00Z', to: '2026-11-20T11:00Z' };
const RECORDS = 600;

interface Answer {
  readonly coverage?: readonly { readonly report: string; readonly says: string }[];
  readonly notes: readonly string[];
  readonly returned: number;
  readonly cut: string | null;
  readonly rows: readonly Record<string, unknown>[];
}

let dataFolder: string;
let connection: string;
const opened: Client[] = [];

function runCli(...words: string[]): string {
  return execFileSync(process.execPath, [ENTER, 'cli/main.ts', ...words, '--data', dataFolder, '--json'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

beforeAll(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'mcp-'));
  const added = runCli(
    ...['connection', 'add', '--name', 'Production', '--address', 'https://reports.example'],
    ...['--tenant', '1', '--replace'],
  );
  connection = (JSON.parse(added) as { name: string; id: string }).name;
  const connectionId = (JSON.parse(added) as { id: string }).id;
  const documents = Array.from({ length: RECORDS }, (_none, place) => {
    const client = CLIENTS[place % CLIENTS.length] ?? '';
    return createDocument(place, {
      Client: client,
      Channel: 3,
      Service: 7,
      ReponseCode: place % 10 === 0 ? 500 : 200,
      Error: place % 10 === 0 ? `No route for ${client.toUpperCase()} after 30000 ms` : '',
      Payload: `{"text":"a word of ${client}"}`,
    });
  });
  const cache = await openTestCache(join(dataFolder, 'cache.sqlite'));
  await fillSnapshot(cache, documents, { connectionId });
  await cache.close();
}, 60_000);
afterAll(async () => {
  for (const client of opened) await client.close();
  await rm(dataFolder, { recursive: true });
});

async function connect(...options: string[]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const args = [ENTER, 'cli/main.ts', 'mcp', '--data', dataFolder, ...options];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
  opened.push(client);
  return client;
}

/** Calls a tool; returns its text, and what that says. */
async function call(
  client: Client,
  name: string,
  input: Record<string, unknown> = {},
): Promise<{ readonly text: string; readonly isError: boolean; readonly answer: Answer }> {
  const { content, isError } = await client.callTool({ name, arguments: input });
  const [first] = content as { type: string; text: string }[];
  const text = first?.text ?? '';
  const answer = isError === true ? {} : JSON.parse(text);
  return { text, isError: isError === true, answer: answer as Answer };
}

const findClients = (text: string): string[] =>
  ['ana', 'haddad', 'okafor', '5550123'].filter((part) => text.toLowerCase().includes(part));

describe('with pseudonyms', () => {
  let client: Client;
  beforeAll(async () => {
    client = await connect();
  }, 30_000);
  afterAll(async () => {
    await client.close();
  });

  it('has the tools, each of which says that it only reads', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      ...['connections', 'coverage', 'count', 'records', 'summary', 'incidents', 'errors', 'sql'],
    ]);
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
    expect((await call(client, 'connections')).answer.rows).toMatchObject([{ name: connection }]);
  });

  it('says with each answer what is cached', async () => {
    const { answer } = await call(client, 'coverage', {
      connection,
      from: '2026-11-20T09:00Z',
      to: PERIOD.to,
    });
    expect(answer.coverage?.map(({ report }) => report)).toEqual(['inbound-detail', 'outbound-detail']);
    expect(answer.coverage?.[0]?.says).toBe('3600 s of the period are not cached in full');
    const whole = await call(client, 'count', { connection, ...PERIOD, report: 'inbound-detail' });
    expect(whole.answer.coverage?.[0]?.says).toBe('complete for the period');
    expect(whole.answer.rows).toEqual([{ records: RECORDS, missingSeconds: 0 }]);
  });

  it('counts, sums up and lists errors as the commands do', async () => {
    const input = { connection, ...PERIOD };
    const failed = { ...input, report: 'inbound-detail', query: 'code:>=500' };
    expect((await call(client, 'count', failed)).answer.rows).toMatchObject([{ records: 60 }]);
    const summary = await call(client, 'summary', { ...input, report: 'inbound-summary' });
    expect(summary.answer.rows.reduce((sum, row) => sum + Number(row['count']), 0)).toBe(RECORDS);
    const errors = await call(client, 'errors', input);
    expect(errors.answer.rows.reduce((sum, row) => sum + Number(row['count']), 0)).toBe(60);
    expect((await call(client, 'incidents', input)).isError).toBe(false);
  });

  it('writes no client and no payload in any answer', async () => {
    const input = { connection, ...PERIOD };
    const texts = [
      await call(client, 'records', { ...input, report: 'inbound-detail', limit: 500 }),
      await call(client, 'errors', input),
      await call(client, 'incidents', input),
      await call(client, 'summary', { ...input, report: 'inbound-summary' }),
    ].map(({ text }) => text);
    expect(texts.flatMap(findClients)).toEqual([]);
    expect(texts[0]).not.toContain('a word of');
    expect(texts[0]).toMatch(/"client":"client-[0-9a-z]{12}"/);
    expect(texts[0]).toMatch(/No route for client-[0-9a-z]{12} after 30000 ms/);
  });

  it('refuses what would find out a client, and leaves texts out of statements', async () => {
    const input = { connection, ...PERIOD, report: 'inbound-detail' };
    for (const query of ['client:Ana*', 'Haddad', 'payload:word', '-(client:x OR code:200)']) {
      const { isError, text } = await call(client, 'count', { ...input, query });
      expect([isError, text], query).toEqual([true, expect.stringContaining('--clients received')]);
    }
    const sql = { connection, ...PERIOD };
    const counted = await call(client, 'sql', {
      ...sql,
      statement: 'SELECT channel, count(*) AS n FROM inbound GROUP BY 1',
    });
    expect(counted.answer.rows).toEqual([{ channel: 3, n: RECORDS }]);
    for (const statement of [
      'SELECT client FROM inbound',
      'SELECT ascii(error) FROM inbound',
      'SELECT error_family FROM inbound',
      'SELECT * FROM summaries',
    ])
      expect((await call(client, 'sql', { ...sql, statement })).isError, statement).toBe(true);
    const all = await call(client, 'sql', { ...sql, statement: 'SELECT * FROM inbound' });
    expect(findClients(all.text)).toEqual([]);
  });

  it('changes nothing, and says what is wrong with a call', async () => {
    const sql = { connection, ...PERIOD };
    for (const statement of [
      'DELETE FROM inbound',
      "COPY inbound TO '/tmp/x.csv'",
      "SELECT * FROM '/etc/passwd'",
    ])
      expect((await call(client, 'sql', { ...sql, statement })).isError, statement).toBe(true);
    const changed = await call(client, 'errors', { ...sql, family: 'x', rename: 'y' });
    expect(changed.text).toContain('takes no "family"');
    expect((await call(client, 'count', { connection, ...PERIOD, report: 'no' })).isError).toBe(true);
    expect((await call(client, 'remove')).text).toContain('There is no tool');
    expect(
      (await call(client, 'count', { ...sql, connection: 'Nobody', report: 'inbound-detail' })).text,
    ).toContain('There is no connection');
  });

  it('says where an answer was cut', async () => {
    const input = { connection, ...PERIOD, report: 'inbound-detail', limit: 5 };
    const { answer } = await call(client, 'records', input);
    expect(answer.rows).toHaveLength(5);
    expect(answer.cut).toMatch(/^495 more rows were left out/);
    const statement = "SELECT repeat('x', 1500) AS text, date FROM inbound";
    const long = await call(client, 'sql', { connection, ...PERIOD, statement, limit: 500 });
    expect(long.answer.returned).toBeLessThan(150);
    expect(long.answer.cut).toContain('more rows were left out');
    expect(Buffer.byteLength(long.text)).toBeLessThan(210_000);
    expect((await call(client, 'records', { ...input, limit: 501 })).isError).toBe(true);
  });

  it('logs every call, without its texts', async () => {
    await call(client, 'count', { connection, ...PERIOD, report: 'inbound-detail', query: 'error:zanzibar' });
    const folder = join(dataFolder, 'logs');
    const names = await readdir(folder);
    const lines = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
    const text = lines.join('\n');
    expect(text.match(/tool called/g)?.length).toBeGreaterThan(15);
    expect(text).toMatch(/"tool":"count"/);
    expect(text).not.toMatch(/zanzibar|haddad/i);
  });
});

it('writes clients as received where that was chosen', async () => {
  const client = await connect('--clients', 'received');
  const input = { connection, ...PERIOD };
  const { text } = await call(client, 'records', {
    ...input,
    report: 'inbound-detail',
    query: 'client:Ana*',
  });
  expect(findClients(text)).toEqual(['ana', 'haddad']);
  expect(text).toContain('a word of');
  const named = await call(client, 'sql', {
    ...input,
    statement: 'SELECT DISTINCT client FROM inbound ORDER BY 1',
  });
  expect(named.answer.rows).toHaveLength(CLIENTS.length);
  await client.close();
}, 30_000);

it('no other command loads the protocol', () => {
  const hook = `import { registerHooks } from 'node:module';
registerHooks({ resolve(name, context, next) {
  if (name.startsWith('@modelcontextprotocol/')) throw new Error('The protocol was loaded.');
  return next(name, context);
} });`;
  const preload = `data:text/javascript,${encodeURIComponent(hook)}`;
  const run = (...words: string[]): string =>
    execFileSync(
      process.execPath,
      ['--import', preload, ENTER, 'cli/main.ts', ...words, '--data', dataFolder],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
    );
  expect(run('connection', 'list')).toContain(connection);
  expect(run('mcp', '--help')).toContain('Model Context Protocol');
  expect(() => run('mcp')).toThrow('The protocol was loaded.');
});
