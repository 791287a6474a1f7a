import type { Health } from '../../common/contract/operations/diagnostics.ts';
import type { Settings } from '../../common/model/settings/settings.ts';
import type { BareLine } from './read-log-tail.ts';

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
export function writeBundle(given: {
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
