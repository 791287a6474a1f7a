import { randomUUID } from 'node:crypto';
import { AppError, toErrorInfo } from '../../common/contract/errors.ts';
import type { ImportReport, RecordImport } from '../../common/model/connections/local-service.ts';
import type { ImportFile } from '../host.ts';
import type { TaskHandle, TaskRegistry } from '../tasks/task-registry.ts';
import { createThrottle } from '../tasks/throttle.ts';
import type { ImportMessage, ServiceThread } from './service-thread-client.ts';

const EVENT_INTERVAL_MS = 100;
/** A service that doesn't end a cancelled import in this time is not waited for. */
const MAX_CANCEL_MS = 10_000;

const EMPTY_REPORT: ImportReport = { lines: 0, added: 0, known: 0, rejected: 0, problems: [] };

type ImportEnd = Extract<ImportMessage, { kind: 'import-ended' }>;

/** Imports of records into the running service, one at a time. */
export interface RecordImports {
  /** The running one, or the last one of this run. */
  current(): RecordImport | null;
  /** Starts an import and releases the file when it has ended. Throws `local-service.import-running`. */
  start(thread: Pick<ServiceThread, 'send'>, file: ImportFile): RecordImport;
  hear(message: ImportMessage): void;
  /** Cancels the running one, if any. */
  cancel(): void;
  /** The service has ended: so has the import. */
  abandon(error: AppError): void;
}

interface RunningImport {
  readonly importId: string;
  readonly task: TaskHandle;
  readonly ended: PromiseWithResolvers<ImportEnd>;
}

/** Runs imports as tasks and reports their progress at most ten times a second. */
export function createRecordImports(options: {
  tasks: TaskRegistry;
  tell: (recordImport: RecordImport) => void;
}): RecordImports {
  let current: RecordImport | null = null;
  let running: RunningImport | null = null;
  const announce = createThrottle(EVENT_INTERVAL_MS, () => {
    if (current !== null) options.tell(current);
  });
  const change = (next: Partial<RecordImport>): void => {
    if (current === null) return;
    current = { ...current, ...next };
    announce.request();
  };
  const end = (state: RecordImport['state'], error: RecordImport['error'] = null): void => {
    change({ state, error });
    announce.flush();
  };

  const run = async (task: TaskHandle, thread: Pick<ServiceThread, 'send'>, path: string): Promise<void> => {
    const importId = randomUUID();
    const ended = Promise.withResolvers<ImportEnd>();
    running = { importId, task, ended };
    let limit: NodeJS.Timeout | undefined;
    const cancel = (): void => {
      thread.send({ kind: 'cancel-import', importId });
      limit = setTimeout(() => ended.reject(toCancelled()), MAX_CANCEL_MS);
    };
    try {
      task.signal.throwIfAborted();
      task.signal.addEventListener('abort', cancel, { once: true });
      thread.send({ kind: 'import', importId, path });
      const { report, cancelled, failure, details } = await ended.promise;
      change({ report });
      if (failure !== null) {
        throw new AppError('local-service.import-failed', 'The rest of the file could not be read.', {
          reason: failure,
          ...details,
        });
      }
      if (cancelled) throw toCancelled();
      end('done');
    } catch (error) {
      const info = toErrorInfo(error);
      if (info.code === 'app.cancelled') end('cancelled');
      else end('failed', info);
      throw error;
    } finally {
      clearTimeout(limit);
      running = null;
    }
  };

  return {
    current: () => current,
    start: (thread, file) => {
      if (current?.state === 'running') {
        throw new AppError('local-service.import-running', 'An import is running already.');
      }
      const { id } = options.tasks.start({ kind: 'import' }, (task) =>
        run(task, thread, file.path).finally(() => file.release()),
      );
      current = {
        taskId: id,
        fileName: file.name,
        state: 'running',
        bytesRead: 0,
        totalBytes: 0,
        report: EMPTY_REPORT,
        error: null,
      };
      announce.request();
      return current;
    },
    hear: (message) => {
      if (running?.importId !== message.importId) return;
      if (message.kind === 'import-ended') {
        running.ended.resolve(message);
        return;
      }
      const { bytesRead, totalBytes, report } = message;
      running.task.progress(bytesRead, totalBytes);
      // Up to a thousand reasons, ten times a second, are nothing that the window could show.
      change({ bytesRead, totalBytes, report: { ...report, problems: [] } });
    },
    cancel: () => {
      if (running !== null) options.tasks.cancel(running.task.id);
    },
    abandon: (error) => running?.ended.reject(error),
  };
}

function toCancelled(): AppError {
  return new AppError('app.cancelled', 'The import was cancelled.');
}
