import type { Logger } from '../../logging/logger.ts';
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

/** Starts the writer, and the readers once it has opened the file. Rejects with the AppError of whichever fails. */
export async function startThreads(
  workerUrl: URL,
  start: Omit<ThreadStart, 'role'>,
  logger: Logger,
): Promise<ThreadSet> {
  const running: RunningThread[] = [];
  const startRole = (role: ThreadRole): RunningThread => {
    const thread = startThread(workerUrl, { ...start, role }, logger);
    running.push(thread);
    return thread;
  };
  try {
    const writer = startRole('writer');
    const { names: writerNames, opening } = await writer.started;
    if (opening === null) throw new Error('The writer did not report its opening.');
    const views = startRole('views');
    const scans = startRole('scans');
    const [{ names: viewNames }, { names: scanNames }] = await Promise.all([views.started, scans.started]);
    const names = { writer: writerNames, views: viewNames, scans: scanNames };
    return { generation: start.generation, opening, names, writer, views, scans };
  } catch (error) {
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
