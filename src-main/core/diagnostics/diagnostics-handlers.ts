import { randomUUID } from 'node:crypto';
import { open, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ERROR_CODES, toErrorInfo } from '../../common/contract/errors.ts';
import { type HandlersOf, OPERATIONS } from '../../common/contract/index.ts';
import type { Health, SelfTest, Trouble } from '../../common/contract/operations/data-folder.ts';
import { Task } from '../../common/model/cache/task.ts';
import type { Settings } from '../../common/model/settings/settings.ts';
import { PRIVATE_FILE_MODE, tryToRemove } from '../../node/files.ts';
import { type Engine, ENGINE_LIMITS } from '../analysis/engine/create-engine.ts';
import type { Cache } from '../cache/cache.ts';
import { ENDPOINTS } from '../client/retry.ts';
import type { Parts } from '../create-parts.ts';
import type { Host } from '../host.ts';
import { listLogs } from '../logging/logger.ts';
import type { Monitor } from '../monitor/create-monitor.ts';
import type { Keychain } from '../secrets/create-keychain.ts';
import type { SettingsStore } from '../settings/create-settings.ts';

type DiagnosedParts = Pick<
  Parts,
  | 'cache'
  | 'connections'
  | 'engine'
  | 'host'
  | 'keychain'
  | 'logger'
  | 'monitor'
  | 'now'
  | 'readFreeBytes'
  | 'settings'
>;

/** The handlers of `diagnostics/…`. */
export function createDiagnosticsHandlers(
  parts: DiagnosedParts & { readonly isSafe: boolean },
): HandlersOf<'diagnostics'> {
  const { host, keychain, connections, settings, now } = parts;
  const windowLogger = parts.logger.child('window');
  const assistantLogger = parts.logger.child('assistant');
  const startedAtMs = now();
  const read = () => readHealth({ ...parts, startedAtMs });
  return {
    'diagnostics/note-fault': ({ name, places }) => {
      windowLogger.error('uncaught', { fault: name, place: places[0], places });
      return null;
    },
    'diagnostics/note-assistant': (call) => {
      assistantLogger.info('tool called', call);
      return null;
    },
    'diagnostics/read-health': read,
    'diagnostics/test-self': () => testSelf(parts),
    'diagnostics/write-bundle': async () => {
      const atMs = now();
      const { kind, failure } = keychain.read();
      const text = writeBundle({
        atMs,
        platform: host.platform,
        host: host.kind,
        keychain: failure ?? kind,
        health: await read(),
        settings: settings.get(),
        connectionCount: connections.listSaved().length,
        lines: await readLogTail(join(host.dataFolder, 'logs')).catch(() => []),
      });
      const day = new Date(atMs).toISOString().slice(0, 10);
      return { fileName: `channelscope-diagnostics-${day}.txt`, text };
    },
  };
}

const MAX_TROUBLES = 20;
const MAX_FILES = 8;
const MEGABYTE = 1024 * 1024;
const RUNTIMES = ['electron', 'chrome', 'node', 'v8', 'openssl'];

/** The size of a file, or of everything in a folder. What goes away meanwhile counts as nothing. */
async function measure(path: string): Promise<number> {
  const found = await stat(path).catch(() => null);
  if (found === null) return 0;
  if (!found.isDirectory()) return found.size;
  const names = await readdir(path).catch(() => []);
  const sizes = await Promise.all(names.map((name) => measure(join(path, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function listLargest(folder: string): Promise<Health['files']> {
  const names = await readdir(folder);
  const files = await Promise.all(
    names.map(async (name) => ({ name, bytes: await measure(join(folder, name)) })),
  );
  return files.toSorted((a, b) => b.bytes - a.bytes).slice(0, MAX_FILES);
}

/** Reads how the application is. Nothing is started for it, and nothing tried. */
async function readHealth(parts: {
  readonly host: Pick<Host, 'dataFolder' | 'version'>;
  readonly cache: Pick<Cache, 'readState'>;
  readonly isSafe: boolean;
  readonly startedAtMs: number;
  readFreeBytes(): number | null;
}): Promise<Health> {
  const { host, cache, isSafe, startedAtMs } = parts;
  const runtimes = RUNTIMES.flatMap((name) => {
    const version = process.versions[name];
    return version === undefined ? [] : [{ name, version }];
  });
  const lines = await readLogTail(join(host.dataFolder, 'logs')).catch(() => []);
  return {
    startedAtMs,
    isSafe,
    versions: [{ name: 'channelscope', version: host.version }, ...runtimes],
    memoryBytes: process.memoryUsage.rss(),
    cacheMode: cache.readState().mode,
    engineThreads: ENGINE_LIMITS.threads,
    engineMemoryBytes: ENGINE_LIMITS.memoryLimitMb * MEGABYTE,
    files: await listLargest(host.dataFolder),
    freeBytes: parts.readFreeBytes(),
    troubles: pickTroubles(lines, MAX_TROUBLES),
  };
}

interface TestedParts {
  readonly host: Pick<Host, 'dataFolder'>;
  readonly keychain: Pick<Keychain, 'read' | 'store'>;
  readonly cache: Pick<Cache, 'retry'>;
  readonly engine: Pick<Engine, 'closeView'>;
  readonly monitor: Pick<Monitor, 'check'>;
  readonly settings: Pick<SettingsStore, 'get'>;
}

/** Stands for a part that there is nothing to test with. */
const SKIPPED = Symbol('skipped');
/** No connection has it. */
const TEST_ENTRY = 'self-test';

/** A test resolves to the code of what it found, or to null where all is well. */
function toOutcome(result: string | null | typeof SKIPPED): SelfTest['outcome'] {
  if (result === SKIPPED) return 'skipped';
  return result === null ? 'passed' : 'failed';
}

async function testKeychain({ keychain }: TestedParts): Promise<string | null> {
  const { kind, failure } = keychain.read();
  if (kind === 'session') return failure ?? 'secrets.no-keychain';
  const value = randomUUID();
  await keychain.store.set(TEST_ENTRY, 'accessToken', value);
  const read = await keychain.store.get(TEST_ENTRY, 'accessToken');
  await keychain.store.delete(TEST_ENTRY, 'accessToken');
  return read === value ? null : 'secrets.no-keychain';
}

async function testDisk({ host }: TestedParts): Promise<string | null> {
  const path = join(host.dataFolder, `self-test-${randomUUID()}.tmp`);
  const text = randomUUID();
  try {
    await writeFile(path, text, { mode: PRIVATE_FILE_MODE, flush: true });
    return (await readFile(path, 'utf8')) === text ? null : 'cache.damaged';
  } finally {
    await tryToRemove(path, () => undefined);
  }
}

async function testCache({ cache }: TestedParts): Promise<string | null> {
  const { mode } = await cache.retry();
  if (mode === 'ready') return null;
  if (mode === 'folder-gone') return 'cache.folder-gone';
  return mode === 'out-of-space' ? 'cache.disk-full' : 'cache.io-failed';
}

async function testEngine({ engine }: TestedParts): Promise<null> {
  // Any call starts it; this one finds nothing, and changes nothing.
  await engine.closeView(TEST_ENTRY);
  return null;
}

async function testNetwork({ monitor, settings }: TestedParts): Promise<string | null | typeof SKIPPED> {
  const { lastConnectionId } = settings.get();
  if (lastConnectionId === null) return SKIPPED;
  return (await monitor.check(lastConnectionId)).failure;
}

/** Uses each part of the application once, and says which of them fail, and why. Never rejects. */
function testSelf(parts: TestedParts): Promise<SelfTest[]> {
  const tests = {
    keychain: testKeychain,
    disk: testDisk,
    cache: testCache,
    engine: testEngine,
    network: testNetwork,
  };
  return Promise.all(
    Object.entries(tests).map(async ([part, test]): Promise<SelfTest> => {
      const startedMs = performance.now();
      const result = await test(parts).catch((error: unknown) => toErrorInfo(error).code);
      return {
        part: part as SelfTest['part'],
        outcome: toOutcome(result),
        code: typeof result === 'string' ? result : null,
        tookMs: Math.round(performance.now() - startedMs),
      };
    }),
  );
}

/** Of the log: as much as a person can look through. */
const MAX_LINES = 2_000;

/** A name that is not the application's own could be anything. */
const OWN_NAME = /^[a-z][a-z.-]{1,40}$/u;

/** Settings that are a number or an answer of yes or no; of lists, how long they are. Nothing that a person wrote. */
function pickSettings(settings: Settings): Record<string, number | boolean> {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]): [string, number | boolean][] => {
      if (typeof value === 'number' || typeof value === 'boolean') return [[name, value]];
      return Array.isArray(value) ? [[`${name} (how many)`, value.length]] : [];
    }),
  );
}

/**
 * Returns the text of a diagnostics bundle. It is put together from what holds no words of a person or a service:
 * versions, sizes, counts, codes, and the log's own words. So it holds no secret, record, address or path.
 */
function writeBundle(given: {
  readonly atMs: number;
  readonly platform: string;
  readonly host: string;
  readonly keychain: string;
  readonly health: Health;
  readonly settings: Settings;
  readonly connectionCount: number;
  readonly lines: readonly BareLine[];
}): string {
  const { atMs, platform, host, keychain, health, settings, connectionCount, lines } = given;
  const head = {
    writtenAt: new Date(atMs).toISOString(),
    platform,
    architecture: process.arch,
    host,
    keychain,
    connectionCount,
    startedAt: new Date(health.startedAtMs).toISOString(),
    isSafe: health.isSafe,
    versions: health.versions,
    memoryBytes: health.memoryBytes,
    cacheMode: health.cacheMode,
    engineThreads: health.engineThreads,
    engineMemoryBytes: health.engineMemoryBytes,
    freeBytes: health.freeBytes,
    files: health.files.map(({ name, bytes }) => ({ name: OWN_NAME.test(name) ? name : 'other', bytes })),
    settings: pickSettings(settings),
  };
  const log = lines.slice(-MAX_LINES).map((line) => JSON.stringify(line));
  return ['Channelscope diagnostics', JSON.stringify(head, null, 2), 'Log', ...log, ''].join('\n');
}

/** Of each of the last two days. */
const TAIL_BYTES = 256 * 1024;
const DAYS = 2;
/** An error's code, which holds nothing of what was being done. */
const CODE = /^(?:[a-z]+(?:\.[a-z-]+)+|E[A-Z0-9_]{2,40}|ERR_[A-Z0-9_]{2,60}|SQLITE_[A-Z_]{2,40})$/u;

/** What the application itself calls its operations, its tasks and their ends: such a text was written by nobody else. */
const OWN_WORDS: ReadonlySet<unknown> = new Set([
  ...Object.keys(OPERATIONS),
  ...Object.keys(ENDPOINTS),
  ...[...Task.properties.kind.anyOf, ...Task.properties.state.anyOf].map((word) => word.const),
  ...ERROR_CODES,
]);
const NAMED_BY_US = ['operation', 'kind', 'state', 'failure'];
/** Where in the window's own files something failed, and with which kind of error. */
const FAULT_PARTS: Readonly<Record<string, RegExp>> = {
  fault: /^[A-Za-z]{1,60}$/u,
  place: /^[\w.-]{1,80}\.js:\d{1,7}:\d{1,7}$/u,
};

function isOurs(name: string, value: unknown): boolean {
  if (NAMED_BY_US.includes(name)) return OWN_WORDS.has(value);
  return typeof value === 'string' && FAULT_PARTS[name]?.test(value) === true;
}

/** A line of the log, bare of everything that a person or a service wrote. */
interface BareLine {
  readonly time: string;
  readonly level: string;
  readonly part: string;
  readonly event: string;
  readonly code: string | null;
  /** Which operation or task it is about, and how that ended. */
  readonly words: Readonly<Record<string, string>>;
  /** Its numbers and answers of yes or no. */
  readonly figures: Readonly<Record<string, number | boolean>>;
}

async function readTail(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const start = Math.max(0, size - TAIL_BYTES);
    const { buffer, bytesRead } = await file.read({
      buffer: Buffer.alloc(Math.min(size, TAIL_BYTES)),
      position: start,
    });
    const text = buffer.toString('utf8', 0, bytesRead);
    // A line that is cut off at its start would be read as another one.
    return start === 0 ? text : text.slice(text.indexOf('\n') + 1);
  } finally {
    await file.close();
  }
}

function findCode(value: unknown, depth = 0): string | null {
  if (typeof value !== 'object' || value === null || depth > 3) return null;
  const { code } = value as { code?: unknown };
  if (typeof code === 'string' && CODE.test(code)) return code;
  for (const inner of Object.values(value)) {
    const found = findCode(inner, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

function toBareLine(line: string): BareLine | null {
  try {
    const { time, level, part, event, fields } = JSON.parse(line) as Record<string, unknown>;
    if (![time, level, part, event].every((one) => typeof one === 'string')) return null;
    const entries = Object.entries(fields ?? {});
    const words = entries.filter((entry): entry is [string, string] => isOurs(...entry));
    const figures = entries.filter(
      (entry): entry is [string, number | boolean] =>
        typeof entry[1] === 'number' || typeof entry[1] === 'boolean',
    );
    return {
      time: time as string,
      level: level as string,
      part: part as string,
      event: event as string,
      code: findCode(fields),
      words: Object.fromEntries(words),
      figures: Object.fromEntries(figures),
    };
  } catch {
    return null;
  }
}

/** Returns the last lines of the log, oldest first, of the last two days that have one. Lines that are damaged are left out. */
async function readLogTail(folder: string): Promise<BareLine[]> {
  const names = (await listLogs(folder)).slice(-DAYS);
  const texts = await Promise.all(names.map((name) => readTail(join(folder, name)).catch(() => '')));
  return texts.flatMap((text) => text.split('\n').flatMap((line) => toBareLine(line) ?? []));
}

/** Returns what went wrong, the newest first. */
function pickTroubles(lines: readonly BareLine[], maxCount: number): Trouble[] {
  return lines
    .flatMap(({ time, level, part, event, code }) =>
      level === 'warn' || level === 'error' ? [{ time, level, part, event, code }] : [],
    )
    .slice(-maxCount)
    .toReversed() as Trouble[];
}
