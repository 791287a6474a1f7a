import { join } from 'node:path';
import type { HandlersOf } from '../../common/contract/index.ts';
import type { Parts } from '../create-parts.ts';
import { readHealth } from './read-health.ts';
import { readLogTail } from './read-log-tail.ts';
import { testSelf } from './test-self.ts';
import { writeBundle } from './write-bundle.ts';

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
