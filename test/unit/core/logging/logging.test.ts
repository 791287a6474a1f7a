import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../../src-main/common/contract/errors.ts';
import {
  createFileLogger,
  formatLogLine,
  type LogFields,
  toPathPattern,
} from '../../../../src-main/core/logging/logger.ts';
import { isPosix } from '../../../support/skips/posix.ts';

const DAY_MS = 86_400_000;
const NOON_MS = Date.UTC(2026, 10, 20, 12);
const HOME = '/srv/people/Zoë Canary';
const pathPattern = toPathPattern([HOME, 'C:\\Data\\Canary']);

function format(fields: LogFields, event = 'An event.'): string {
  return formatLogLine({ atMs: NOON_MS, level: 'info', part: 'test', event, fields }, pathPattern);
}

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'channelscope-log-'));
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

describe('file logger', () => {
  it('writes lines in order with the part of the core that wrote them', async () => {
    const logger = createFileLogger({ folder, now: () => NOON_MS });
    logger.info('First.', { recordCount: 3 });
    logger.child('cache').child('writer').warn('Second.');
    logger.error('Third.', { error: new AppError('cache.damaged', 'Broken.', { table: 'x' }) });
    await logger.close();
    const text = await readFile(join(folder, 'channelscope-2026-11-20.log'), 'utf8');
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines[0]).toEqual({
      time: '2026-11-20T12:00:00.000Z',
      level: 'info',
      part: '',
      event: 'First.',
      fields: { recordCount: 3 },
    });
    expect(lines[1]).toMatchObject({ level: 'warn', part: 'cache/writer' });
    expect(lines[2]).toMatchObject({ level: 'error', fields: { error: { code: 'cache.damaged' } } });
  });

  it('starts a file each day, for the owner only, and keeps the newest 14 and everything that is not a log', async () => {
    await writeFile(join(folder, 'notes.log'), 'mine');
    let nowMs = NOON_MS;
    const logger = createFileLogger({ folder, now: () => nowMs });
    for (let day = 0; day < 16; day += 1) {
      logger.info('Another day.');
      nowMs += DAY_MS;
    }
    await logger.close();
    const names = (await readdir(folder)).sort();
    expect(names).toHaveLength(15);
    expect(names[0]).toBe('channelscope-2026-11-22.log');
    expect(names.at(-1)).toBe('notes.log');
    if (isPosix) expect((await stat(join(folder, names[0]!))).mode & 0o777).toBe(0o600);
  });

  it('takes no more than a limit of bytes each day, says so, and goes on the next day', async () => {
    const maxDayBytes = 10_000;
    let nowMs = NOON_MS;
    const read = (day: string): Promise<string> => readFile(join(folder, `channelscope-${day}.log`), 'utf8');
    for (const run of ['first', 'second']) {
      const logger = createFileLogger({ folder, now: () => nowMs, maxDayBytes });
      for (let count = 0; count < 500; count += 1) logger.info(`An event of the ${run} run.`, { count });
      await logger.close();
    }
    const text = await read('2026-11-20');
    expect(text.length).toBeLessThan(maxDayBytes + 200);
    expect(text.length).toBeGreaterThan(maxDayBytes - 200);
    expect(text.match(/full for today/g)).toHaveLength(1);
    expect(text).not.toContain('second');
    nowMs += DAY_MS;
    const logger = createFileLogger({ folder, now: () => nowMs, maxDayBytes });
    logger.info('Another day.');
    await logger.close();
    expect(await read('2026-11-21')).toContain('Another day.');
  });

  it('has the lines of its files changed between two writes, and loses none', async () => {
    const logger = createFileLogger({ folder, now: () => NOON_MS });
    for (let count = 0; count < 100; count += 1) logger.info('Before.', { count });
    const rewritten = logger.rewrite((line) => line.replace('Before', 'Changed'));
    for (let count = 0; count < 100; count += 1) logger.info('After.', { count });
    await rewritten;
    logger.info('Last.');
    await logger.close();
    const text = await readFile(join(folder, 'channelscope-2026-11-20.log'), 'utf8');
    expect(text.match(/\n/g)).toHaveLength(201);
    expect(text).toContain('Last.');
    expect(() =>
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).not.toThrow();
    const again = createFileLogger({ folder, now: () => NOON_MS });
    await again.rewrite((line) => line.replaceAll('After', 'Changed'));
    await again.close();
    const changed = await readFile(join(folder, 'channelscope-2026-11-20.log'), 'utf8');
    expect(changed.match(/"Changed\./g)!.length + (changed.match(/"Before\./g)?.length ?? 0)).toBe(200);
    expect(changed).not.toContain('After');
  });

  it('never throws: no folder, cycles, getters that throw, odd clocks', async () => {
    const blocked = join(folder, 'file');
    await writeFile(blocked, '');
    const logger = createFileLogger({ folder: join(blocked, 'logs'), now: () => Number.NaN });
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    logger.error('Odd.', circle);
    await logger.close();
    const other = createFileLogger({ folder, now: () => NOON_MS });
    other.info('Odd.', {
      circle,
      get broken() {
        throw new Error('no');
      },
      big: 10n,
      nan: Number.NaN,
    });
    other.info('After.', { circle, big: 10n, map: new Map([['a', 1]]), bytes: new Uint8Array(3) });
    await other.close();
    const text = await readFile(join(folder, 'channelscope-2026-11-20.log'), 'utf8');
    expect(text.trimEnd().split('\n')).toHaveLength(2);
    expect(text).toContain('[circular]');
    expect(text).toContain('[unreadable]');
  });
});

describe('log line', () => {
  it('stays one line of at most 8,192 bytes, whatever goes in', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary', maxLength: 3000 }), {
          maxKeys: 30,
        }),
        (fields) => {
          const line = format({ ...fields, huge: '😀\u202e"\\'.repeat(5000) });
          expect(Buffer.byteLength(line)).toBeLessThanOrEqual(8192);
          expect(line.indexOf('\n')).toBe(line.length - 1);
          JSON.parse(line);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('escapes control characters, line breaks and direction marks', () => {
    const line = format({ text: 'a\r\nb\u001b[31m\u2028\u202e\u200b\u009b\ufeff' }, 'Event\nfake line');
    expect(line).toMatch(/^[\x20-\x7e]+\n$/);
  });

  it.each([
    ['bearer token', { text: 'sent authorization: bearer CANARY-1' }],
    ['token of three parts', { text: 'got eyJhbGciOi.CANARYxx.sig' }],
    ['address with user', { url: 'https://user:CANARY@example.test/a' }],
    ['address with query', { url: new URL('https://example.test/a?x=CANARY&y=CANARY#z') }],
    ['e-mail address', { text: 'by ana.CANARY@mail.example.test today' }],
    ['JSON in a text', { body: '{"accessToken":"CANARY","accessTokenSecret": "CANARY two"}' }],
    ['JSON in JSON', { body: JSON.stringify(JSON.stringify({ accessTokenSecret: 'CANARY' })) }],
    ['form in a text', { body: 'tenant=1&password=CANARY' }],
    ['error and its cause', { error: new Error('token=CANARY', { cause: new Error('secret: CANARY') }) }],
    ['details of an error', { error: new AppError('app.bug', 'x', { accessToken: 'CANARY' }) }],
    ['code of an authorisation', { query: { code: 'CANARY', state: 'CANARY' } }],
    ['map', { headers: new Map([['Set-Cookie', 'CANARY']]) }],
    ['headers as lists', { 'x-api-key': ['CANARY'], apiKey: { a: 'CANARY' } }],
    ['opaque token', { text: 'value CANARYabcdefghij0123456789ABCDEFGHIJ done' }],
    ['key of an object', { seen: { 'canary@mail.example.test': 1 } }],
    ['home folder', { path: `${HOME}/file` }],
    ['home folder in an address', { path: encodeURI(`file://${HOME}/file`) }],
    ['home folder, taken apart', { path: `${HOME}/file`.normalize('NFD') }],
    [
      'Windows folder',
      { path: 'c:\\data\\canary\\x', json: '{"p":"C:\\\\Data\\\\Canary\\\\x"}', u: 'C:/Data/Canary' },
    ],
    ['anybody else’s folder', { a: '/home/canary/x', b: '/Users/Canary/x', c: 'D:\\Users\\Canary\\x' }],
  ])('removes: %s', (_title, fields) => expect(format(fields)).not.toMatch(/canary/i));

  it('keeps what support needs', () => {
    const kept = {
      failure: 'exports.write-failed',
      error: { code: 'ENOSPC', state: 'failed' },
      other: { code: 'SQLITE_FULL' },
      responseCode: 503,
      sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      session: '29CDB989-6221-4742-96CA-1A878545B5A3',
      keychain: 'session',
      version: 'better-sqlite3@13.2.0',
      url: 'https://example.test:8443/api/ServiceReporting/Status/1001',
    };
    expect((JSON.parse(format(kept)) as { fields: unknown }).fields).toEqual(kept);
  });

  it('shows maps and sets, and cuts what is too deep or too long', () => {
    let deep: unknown = 'bottom';
    for (let level = 0; level < 20_000; level += 1) deep = { deep };
    const line = format({
      map: new Map([['a', 1]]),
      set: new Set(['b']),
      deep,
      list: new Array(500).fill(0),
    });
    const { fields } = JSON.parse(line) as { fields: Record<string, unknown[]> };
    expect(fields).toMatchObject({ map: { a: 1 }, set: ['b'] });
    expect(fields['list']).toHaveLength(100);
    expect(line).toContain('[deep]');
    expect(line).not.toContain('bottom');
  });

  it('leaks none of the secrets planted in 2,000 generated objects', () => {
    const canary = fc.stringMatching(/^CANARY[a-zA-Z0-9]{6,30}$/);
    const secretKey = fc
      .constantFrom(
        'authorization',
        'Cookie',
        'set-cookie',
        'accessToken',
        'accessTokenSecret',
        'client_secret',
        'password',
        'passwd',
        'apiKey',
        'key',
        'XSRF-TOKEN',
        'code',
        'state',
        'TOKEN',
      )
      .chain((name) => fc.constantFrom(name, name.toUpperCase(), name.toLowerCase()));
    const secretText = canary.chain((secret) =>
      fc.constantFrom(
        `Bearer ${secret}`,
        `header "Authorization: bearer ${secret}" sent`,
        `https://user:${secret}@example.test/x?a=1`,
        `https://example.test/x?token=${secret}&b=${secret}`,
        `{"accessToken":"${secret}"}`,
        `password=${secret}; next`,
        `eyJhbGciOiJIUzI1NiJ9.${secret}.${secret}`,
        `mail ${secret}@example.test`,
        `open '${HOME}/${secret}'`.replace(`/${secret}`, ''),
        `/home/${secret}/x`,
      ),
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 6, withCrossShrink: true },
        secretText,
        fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)),
        secretText.map((text) => new Error(text)),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(fc.string({ maxLength: 12 }), tie('tree'), { maxKeys: 4 }),
        fc.tuple(secretKey, canary, tie('tree')).map(([key, value, more]) => ({ [key]: value, more })),
        fc
          .tuple(secretKey, canary)
          .map(([key, value]) => ({ [key]: { inner: [value] } }))
          .filter((object) => !/"(code|state)"/i.test(JSON.stringify(object))),
        fc.tuple(secretKey, canary).map(([key, value]) => new Map([[key, value]])),
      ),
    }));
    fc.assert(
      fc.property(tree, secretText, (planted, event) => {
        expect(format({ planted }, event)).not.toMatch(/canary/i);
      }),
      { numRuns: 2000 },
    );
  });
});
