import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { INCIDENT_STATES } from '../../../src-main/common/model/analysis/incident.ts';
import { EXPORT_FORMATS } from '../../../src-main/common/model/exports/export-options.ts';
import { createSharedCore } from '../../../src-main/core/create-core.ts';
import { createInMemorySecretStore } from '../../../src-main/core/secrets/secret-store.ts';
import { claimFolder } from '../../../src-main/node/claim-folder.ts';
import { DEFAULT_RULES } from '../../../src-main/common/reporting/outcome.ts';
import type { RunningService } from '../../../src-main/service/start-service.ts';
import { startTestService } from '../../support/service/running-service.ts';
import { writeUnsandboxedBrowser } from '../../support/programs/unsandboxed-browser.ts';
import { createTestHost } from '../../support/application/test-host.ts';
import { createCommandRunner, type CommandRunner } from './run-command.ts';

let folder: string;
let service: RunningService;
let cli: CommandRunner;

/** A day of UTC, so many before the one in which the tests began: that they run past midnight changes nothing. */
const startedMs = Date.now();
const toDay = (ago: number): string => new Date(startedMs - ago * 86_400_000).toISOString().slice(0, 10);
const DAY = ['--from', toDay(1), '--to', toDay(0)];
const ofReport = (report: string, ...period: string[]): string[] => [
  '--connection',
  'Night',
  '--report',
  report,
  ...(period.length > 0 ? period : DAY),
];

async function addConnection(name: string, address: string, secret: string): Promise<void> {
  cli.environment['NIGHT_TOKEN'] = service.accessToken;
  cli.environment['NIGHT_SECRET'] = secret;
  const words = ['--name', name, '--address', address, '--tenant', String(service.tenant)];
  const variables = ['--token-env', 'NIGHT_TOKEN', '--secret-env', 'NIGHT_SECRET'];
  const added = await cli.run('connection', 'add', ...words, ...variables, '--page-size', '100', '--json');
  expect(added).toMatchObject({ code: 0, errors: '' });
  expect(added.objects).toMatchObject([{ name, address, pageSize: 100, secrets: 'keychain' }]);
  // From here on the keychain has them.
  delete cli.environment['NIGHT_TOKEN'];
  delete cli.environment['NIGHT_SECRET'];
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'channelscope-cli-'));
  service = await startTestService({ requireToken: true });
  cli = createCommandRunner(folder);
  vi.stubEnv('CHANNELSCOPE_CHROMIUM', await writeUnsandboxedBrowser(folder));
  await addConnection('Night', service.url, service.accessTokenSecret);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await service.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

describe('a night’s work on the command line', () => {
  it('fetches a day, counts and exports it, lists what stands out, and ends with 0', async () => {
    const status = await cli.run('status', '--connection', 'Night', '--json');
    expect(status.code, status.errors).toBe(0);
    expect(status.objects).toMatchObject([{ platform: 'up', connector: 'up' }]);

    const fetched = await cli.run('fetch', ...ofReport('inbound-detail'), '--json');
    expect(fetched.code, fetched.errors).toBe(0);
    expect(fetched.objects).toHaveLength(1);
    expect(Object.keys(fetched.objects[0]!)).toEqual(['state', 'records', 'certificate']);
    const { state, records, certificate } = fetched.objects[0]!;
    expect(state).toBe('complete');
    expect(records).toBeGreaterThan(100);
    expect(certificate).toMatchObject({ isComplete: true, recordCount: records, report: 'inbound-detail' });

    const counted = await cli.run('count', ...ofReport('inbound-detail'), '--json');
    expect(counted).toMatchObject({
      code: 0,
      errors: '',
      output: `{"records":${String(records)},"missingSeconds":0}\n`,
    });
    for (const format of ['csv', 'pdf']) {
      const out = join(folder, `night.${format}`);
      const run = await cli.run(
        'export',
        ...ofReport('inbound-detail'),
        '--format',
        format,
        '--out',
        out,
        '--json',
      );
      expect(run.code, run.errors).toBe(0);
      const content = await readFile(out);
      const sha256 = createHash('sha256').update(content).digest('hex');
      expect(run.output).toBe(`${JSON.stringify({ file: out, records, bytes: content.length, sha256 })}\n`);
    }

    const dataset = join(folder, 'dataset');
    const first = await cli.run('dataset', '--connection', 'Night', '--out', dataset, '--json');
    expect(first.code, first.errors).toBe(0);
    expect(first.objects).toMatchObject([{ folder: dataset, records }]);
    const again = await cli.run('dataset', '--connection', 'Night', '--out', dataset, '--json');
    expect(again.objects).toMatchObject([{ records, written: 0 }]);

    const summed = await cli.run('summary', ...ofReport('inbound-summary'), '--computed', '--json');
    expect(summed.code, summed.errors).toBe(0);
    expect(summed.objects.reduce((sum, group) => sum + Number(group['count']), 0)).toBe(records);

    const statement = "SELECT count(*) AS records, chr(27) || '[2J' AS hostile FROM inbound";
    const asked = await cli.run('sql', statement, '--connection', 'Night', ...DAY, '--json');
    expect(asked).toMatchObject({ code: 0, objects: [{ records, hostile: '\u001b[2J' }] });

    const found = await cli.run('findings', '--connection', 'Night', '--json');
    expect(found.code, found.errors).toBe(0);
    const incidents = await cli.run('incidents', '--connection', 'Night', ...DAY, '--json');
    expect(incidents.code, incidents.errors).toBe(0);
    expect(incidents.errors).toContain('Not checked: outbound');
    for (const { state, parts } of incidents.objects) {
      expect(INCIDENT_STATES).toContain(state);
      expect((parts as { since: string }[]).map(({ since }) => since)).toEqual([
        expect.stringContaining('T'),
      ]);
    }

    const listed = await cli.run('snapshots', '--json');
    expect(listed.objects).toMatchObject([{ connection: 'Night', report: 'inbound-detail', records }]);
    const verified = await cli.run('verify', '--json');
    expect(verified).toMatchObject({ code: 0, objects: [{ records, damagedPages: 0 }] });
  }, 300_000);

  it('groups the errors of the day, and renames, splits and undoes their families', async () => {
    const errors = await cli.run('errors', '--connection', 'Night', ...DAY, '--json');
    expect(errors.code, errors.errors).toBe(0);
    expect(errors.errors).toContain('outbound-detail: Nothing of the period is cached.');
    expect(errors.objects.length).toBeGreaterThan(0);
    const failed = await cli.run(
      'sql',
      "SELECT count(*) AS records FROM inbound WHERE error <> ''",
      '--connection',
      'Night',
      ...DAY,
      '--json',
    );
    expect(errors.objects.reduce((sum, family) => sum + Number(family['count']), 0)).toBe(
      failed.objects[0]?.['records'],
    );
    for (const { report, sessions, clients, count, firstSeen, lastSeen } of errors.objects) {
      expect(report).toBe('inbound-detail');
      for (const value of [sessions, clients]) expect(Number(value)).toBeLessThanOrEqual(Number(count));
      expect(String(firstSeen) <= String(lastSeen)).toBe(true);
    }
    const [{ family, count } = {}] = errors.objects;
    const change = ['errors', ...ofReport('inbound-detail'), '--json', '--family'];
    const renamed = await cli.run(...change, String(family), '--rename', '  The  usual ');
    expect(renamed.code, renamed.errors).toBe(0);
    expect(renamed.objects).toContainEqual(expect.objectContaining({ family: 'The usual', count }));
    const query = ['--query', `family:"${String(family)}"`, '--json'];
    const meant = await cli.run('count', ...ofReport('inbound-detail'), ...query);
    expect(meant.objects, meant.errors).toMatchObject([{ records: count }]);
    const column = `SELECT count(*) AS records FROM inbound WHERE error_family = 'The usual'`;
    const inSql = await cli.run('sql', column, '--connection', 'Night', ...DAY, '--json');
    expect(inSql.objects, inSql.errors).toEqual([{ records: count }]);
    const unknown = await cli.run(...change, 'gone', '--rename', 'other');
    expect(unknown.errors).toContain('No cached record has the family.');
    const undone = await cli.run(...change, 'The usual', '--undo');
    expect(undone.objects, undone.errors).toContainEqual(expect.objectContaining({ family, count }));

    const example = String(errors.objects[0]?.['example']);
    const split = await cli.run(...change, String(family), '--split-text', example, '--name', 'One text');
    expect(split.objects, split.errors).toContainEqual(expect.objectContaining({ family: 'One text' }));
    const joined = await cli.run(...change, 'One text', '--undo');
    expect(joined.objects, joined.errors).toContainEqual(expect.objectContaining({ family, count }));
    const noVariable = await cli.run(...change, String(family), '--split-by', 'nothing of this name');
    expect(noVariable.errors).toContain('The family has no variable "nothing of this name" in this period.');
    const noName = await cli.run(...change, String(family), '--split-text', 'a');
    expect(noName.errors).toContain('--name is missing.');
    const payloads = await cli.run('errors', ...ofReport('inbound-detail'), '--field', 'payload', '--json');
    expect(payloads.code, payloads.errors).toBe(0);
    expect(payloads.objects[0]).toMatchObject({ report: 'inbound-detail', field: 'payload' });
    const none = await cli.run('errors', ...ofReport('inbound-detail'), '--field', 'response');
    expect(none.errors).toContain('Inbound records have no response.');
  }, 300_000);

  it('conversations of a day of which one direction is cached are unknown, and none is lost', async () => {
    const talks = await cli.run('conversations', '--connection', 'Night', ...DAY, '--json', '--allow-gaps');
    expect(talks.code, talks.errors).toBe(0);
    expect(talks.objects.length).toBeGreaterThan(0);
    // Nothing outbound is cached: what became of them isn't known.
    expect(new Set(talks.objects.map(({ outcome }) => outcome))).toEqual(new Set(['unknown']));
    expect(talks.objects.every(({ inbound }) => Number(inbound) > 0)).toBe(true);
    const lost = await cli.run(
      'conversations',
      '--connection',
      'Night',
      ...DAY,
      '--outcome',
      'lost',
      '--json',
    );
    expect(lost.objects).toEqual([]);
    expect(lost.errors).toContain('outbound-detail: Incomplete');
  });

  it('times of a day of which one direction is cached are not counted, and it says so', async () => {
    const times = await cli.run('times', '--connection', 'Night', ...DAY, '--json', '--allow-gaps');
    expect(times.code, times.errors).toBe(0);
    expect(times.objects).toMatchObject([{ conversations: 0, messages: 0, rises: [] }]);
    expect((times.objects[0]!['cut'] as { conversations: number }).conversations).toBeGreaterThan(0);
    const shown = await cli.run('times', '--connection', 'Night', ...DAY, '--by', 'channel');
    expect(shown.output).toContain('with a part that may not be cached not counted');
    expect(shown.errors).toContain('outbound-detail: Incomplete');
  });

  it('fetches a reported summary, which has no certificate, and shows exactly that', async () => {
    const before = await cli.run('summary', ...ofReport('outbound-summary'));
    expect(before).toMatchObject({ code: 6, output: '' });
    expect(before.errors).toContain('fetch --report outbound-summary');
    const fetched = await cli.run('fetch', ...ofReport('outbound-summary'), '--json');
    expect(fetched).toMatchObject({ code: 0, objects: [{ state: 'complete', certificate: null }] });
    const shown = await cli.run('summary', ...ofReport('outbound-summary'), '--json');
    expect(shown.objects).toHaveLength(Number(fetched.objects[0]!['records']));
  });

  it('goes on where a fetch was cancelled', async () => {
    const period = ['--from', toDay(6), '--to', toDay(1)];
    const words = ['fetch', ...ofReport('inbound-detail', ...period), '--json', '--progress'];
    const cancelled = await cli.runWatched(words, (_text, interrupt) => interrupt());
    expect(cancelled).toMatchObject({ code: 7, output: '' });
    expect(cancelled.errors).toContain('Cancelled.');
    const again = await cli.run(...words);
    expect(again.code, again.errors).toBe(0);
    expect(again.objects).toMatchObject([{ state: 'complete' }]);
    const counted = await cli.run('count', ...ofReport('inbound-detail', ...period), '--json');
    expect(counted.objects).toEqual([{ records: again.objects[0]!['records'], missingSeconds: 0 }]);
  });

  it('says what counts as failed, takes the rules of a file, and goes back', async () => {
    const count = async (...more: string[]): Promise<unknown> => {
      const counted = await cli.run('count', ...ofReport('inbound-detail'), ...more, '--json');
      return counted.objects[0]?.['records'];
    };
    const read = async (...more: string[]) => {
      const { output } = await cli.run('outcome', '--connection', 'Night', ...more);
      return JSON.parse(output) as { inbound: unknown; outbound: unknown };
    };
    expect((await cli.run('fetch', ...ofReport('inbound-detail'))).code).toBe(0);
    const before = await read();
    const records = await count();
    const countFailed = (): Promise<unknown> => count('--query', 'outcome:failed');
    const failed = await countFailed();
    expect(before.inbound).toEqual(DEFAULT_RULES);
    const file = join(folder, 'rules.json');
    await writeFile(file, JSON.stringify({ inbound: [{ outcome: 'failed' }] }));
    expect(await read('--file', file)).toEqual({ ...before, inbound: [{ outcome: 'failed' }] });
    expect(await countFailed()).toBe(records);
    await writeFile(file, '{"inbound":[{"codes":["500"],"outcome":"failed"}]}');
    const refused = await cli.run('outcome', '--connection', 'Night', '--file', file);
    expect(refused).toMatchObject({ code: 2, output: '' });
    expect(refused.errors).toContain('/inbound/0/codes/0');
    expect(await countFailed()).toBe(records);
    expect(await read('--defaults')).toEqual(before);
    expect(await countFailed()).toBe(failed);
    const suggested = await cli.run('outcome', '--connection', 'Night', '--suggest');
    expect(suggested.output).toMatch(/^inbound: [\d,]+ records, .* failed/);
  });

  it('leaves no secret in a file, an output or a log', async () => {
    const names = await readdir(folder, { recursive: true });
    for (const name of names) {
      const path = join(folder, name);
      if ((await stat(path)).isDirectory()) continue;
      const content = await readFile(path, 'latin1');
      for (const secret of [service.accessToken, service.accessTokenSecret]) {
        expect(content.includes(secret), name).toBe(false);
      }
    }
  });
});

describe('each way to end has its own exit code and message', () => {
  let closedAddress: string;
  beforeAll(async () => {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    closedAddress = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    await once(server.close(), 'close');
    await addConnection('Refused', service.url, 'not the secret');
    await addConnection('Gone', closedAddress, 'any');
  });

  it.each<[string, string[], number, RegExp]>([
    ['an unknown command', ['fly'], 2, /There is no command "fly"/],
    ['an unknown option', ['count', '--fast'], 2, /--fast/],
    ['a missing option', ['count', '--connection', 'Night'], 2, /--report is missing/],
    [
      'a time that is none',
      ['count', ...ofReport('inbound-detail', '--from', 'noon', '--to', 'now')],
      2,
      /"noon"/,
    ],
    [
      'a query that is none',
      ['count', ...ofReport('inbound-detail'), '--query', 'size:5'],
      2,
      /unknown field/,
    ],
    ['a wrong statement', ['sql', 'SELEC 1', '--connection', 'Night', ...DAY], 2, /statement/],
    [
      'a variable that is not set',
      ['status', '--connection', 'Night', '--token-env', 'A', '--secret-env', 'B'],
      2,
      /variable A is not set/,
    ],
    [
      'a format that is not there',
      ['export', ...ofReport('inbound-detail'), '--format', 'docx', '--out', 'x'],
      2,
      /--format is one of csv, /,
    ],
    [
      'a wrong secret',
      ['fetch', '--connection', 'Refused', '--report', 'inbound-detail', ...DAY],
      3,
      /refused/,
    ],
    ['a wrong secret, asked for the status', ['status', '--connection', 'Refused'], 3, /credentials-refused/],
    [
      'no service',
      ['fetch', '--connection', 'Gone', '--report', 'inbound-detail', ...DAY],
      4,
      /Nothing listens/,
    ],
    ['no service, tested', ['connection', 'test', 'Gone'], 4, /Nothing listens/],
    ['gaps', ['count', ...ofReport('outbound-detail'), '--json'], 5, /86,400 s of the period are not cached/],
    [
      'no such snapshot',
      ['export', '--snapshot', '4711', '--format', 'csv', '--out', 'x.csv'],
      6,
      /not in the cache/,
    ],
    ['no such snapshot to verify', ['verify', '4711'], 6, /no snapshot 4711/],
    ['no such connection', ['status', '--connection', 'Day'], 6, /There are: "Night"/],
    [
      'no such folder',
      ['export', ...ofReport('inbound-detail'), '--format', 'csv', '--out', 'gone/x.csv'],
      8,
      /There is no folder/,
    ],
  ])('%s', async (_title, words, code, message) => {
    const run = await cli.run(...words);
    expect(run.errors).toMatch(message);
    expect(run.code, run.errors).toBe(code);
    if (code !== 5) expect(run.output).not.toContain('{');
  });

  it('gaps can be allowed; what is there is told either way', async () => {
    const words = ['count', ...ofReport('inbound-detail', '--from', toDay(8), '--to', toDay(0)), '--json'];
    const strict = await cli.run(...words);
    expect(strict.objects[0]!['missingSeconds']).toBeGreaterThan(0);
    expect(await cli.run(...words, '--allow-gaps')).toMatchObject({ code: 0, output: strict.output });
  });

  it('a folder that another program holds, which serves nobody', async () => {
    const release = claimFolder(folder);
    try {
      const run = await cli.run('connection', 'list', '--wait', '0');
      expect(run).toMatchObject({ code: 8, output: '' });
      expect(run.errors).toContain('Another program holds the folder');
    } finally {
      release();
    }
  });
});

describe('two commands at once', () => {
  it('the second works through the first, which ends after it', async () => {
    const second: ReturnType<CommandRunner['run']>[] = [];
    // Following says that it is at work on standard error; from then on it holds the folder.
    const words = ['follow', '--connection', 'Night', '--once', '--progress'];
    const first = await cli.runWatched(words, () => {
      if (second.length === 0) second.push(cli.run('connection', 'list', '--json'));
    });
    expect(first.code, first.errors).toBe(0);
    expect(await second[0]).toMatchObject({ code: 0, objects: [{ name: 'Night' }, {}, {}] });
    const { objects } = await cli.run('connection', 'list', '--json');
    expect(objects[0]).toMatchObject({ name: 'Night', followed: false });
  });
});

describe('while Channelscope is open with the folder', () => {
  it('commands work through it, and alone again after it', async () => {
    const { host, remove } = await createTestHost({ dataFolder: folder });
    const store = createInMemorySecretStore();
    const core = await createSharedCore(host, {
      openSecretStore: () => Promise.resolve({ store, failure: null }),
    });
    const out = join(folder, 'through.csv');
    try {
      const counted = await cli.run('count', ...ofReport('inbound-detail'), '--json');
      expect(counted.code, counted.errors).toBe(0);
      const ofErrors = [...ofReport('inbound-detail'), '--query', 'code:>=500', '--json'];
      const failed = await cli.run('count', ...ofErrors);
      expect(failed.objects[0]!['records']).toBeLessThan(Number(counted.objects[0]!['records']));
      const statement = "SELECT chr(27) || '[2J' AS hostile";
      const shown = await cli.run('sql', statement, '--connection', 'Night', ...DAY);
      expect(shown.output).toContain('␛[2J');
      expect(shown.output).not.toContain('\u001b');
      const run = await cli.run(
        'export',
        ...ofReport('inbound-detail'),
        '--format',
        'csv',
        '--out',
        out,
        '--json',
      );
      expect(run.code, run.errors).toBe(0);
      expect(run.objects).toMatchObject([{ file: out, records: counted.objects[0]!['records'] }]);
      for (const format of EXPORT_FORMATS) {
        if (['csv', 'pdf'].includes(format)) continue;
        const file = join(folder, `through.${format}`);
        const words = ['export', ...ofReport('inbound-detail'), '--format', format, '--out', file, '--json'];
        const written = await cli.run(...words);
        expect(written.code, written.errors).toBe(0);
        const content = await readFile(file);
        const sha256 = createHash('sha256').update(content).digest('hex');
        const { records } = counted.objects[0]!;
        // A pack says whether it is signed; here is no keychain to keep a key in.
        const signature = { fingerprint: null, unsigned: 'no-secret-store' };
        const told = { file, records, bytes: content.length, sha256 };
        expect(written.objects).toEqual([format === 'evidence' ? { ...told, signature } : told]);
        expect(written.output.trimEnd()).toBe(JSON.stringify(written.objects[0]));
      }
      // The window's own exports still go where its host says.
      expect(await readFile(out, 'utf8')).toBe(await readFile(join(folder, 'night.csv'), 'utf8'));
      const removed = await cli.run('connection', 'remove', 'Gone', '--json');
      expect(removed.code, removed.errors).toBe(0);
      const listed = await core.call('connections/list', null);
      expect(listed).toMatchObject({ ok: true, value: [{ name: 'Night' }, { name: 'Refused' }] });
    } finally {
      await core.stop();
      await remove();
    }
    expect(await readdir(folder)).not.toContain('control.json');
    expect(await cli.run('connection', 'list')).toMatchObject({ code: 0 });
  });
});
