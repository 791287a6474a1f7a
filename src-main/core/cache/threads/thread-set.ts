import type { Logger } from '../../logging/logger.ts';
import { createFileGate } from './file-gate.ts';
import { startThread, type RunningThread } from './start-thread.ts';
import type { Opening, ThreadStart } from './thread-messages.ts';

export type ThreadRole = 'writer' | 'views' | 'scans';

/** The three threads over one opening of the file. */
export interface ThreadSet extends Readonly<Record<ThreadRole, RunningThread>> {
  readonly generation: number;
  readonly opening: Opening;
  /** Names of the operations that each thread serves. */
  readonly names: Readonly<Record<ThreadRole, readonly string[]>>;
}

/** Starts the writer, and the readers, which open the file once it has. Rejects with the AppError of whichever fails. */
export async function startThreads(
  workerUrl: URL,
  start: Omit<ThreadStart, 'role' | 'gate'>,
  logger: Logger,
): Promise<ThreadSet> {
  const running: RunningThread[] = [];
  const gate = createFileGate();
  const startRole = (role: ThreadRole): RunningThread => {
    const thread = startThread(workerUrl, { ...start, role, gate: gate.shared }, logger);
    running.push(thread);
    return thread;
  };
  const writer = startRole('writer');
  const views = startRole('views');
  const scans = startRole('scans');
  const readers = Promise.all([views.started, scans.started]);
  // Where the writer fails, its error is the one to report.
  readers.catch(() => undefined);
  try {
    const { names: writerNames, opening } = await writer.started;
    if (opening === null) throw new Error('The writer did not report its opening.');
    gate.settle(true);
    const [{ names: viewNames }, { names: scanNames }] = await readers;
    const names = { writer: writerNames, views: viewNames, scans: scanNames };
    return { generation: start.generation, opening, names, writer, views, scans };
  } catch (error) {
    gate.settle(false);
    await Promise.all(running.map((thread) => thread.end()));
    throw error;
  }
}

/** Ends threads over a file that may be damaged: nothing more is written to it. */
export async function endThreads({ writer, views, scans }: ThreadSet): Promise<void> {
  await Promise.allSettled([scans.close(), views.close(), writer.close(true)]);
  await Promise.all([scans.end(), views.end(), writer.end()]);
}

/** Ends threads over a sound file. The writer is last: it copies the log into the file once nobody reads. */
export async function closeThreads({ writer, views, scans }: ThreadSet): Promise<void> {
  try {
    await Promise.all([scans.close(), views.close()]);
    await writer.close();
  } finally {
    await Promise.all([scans.end(), views.end(), writer.end()]);
  }
}
