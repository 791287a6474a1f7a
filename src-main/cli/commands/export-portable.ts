import { CommandError, EXIT, type ExitCode } from '../exit-codes.ts';
import { countWords } from '../output/count-words.ts';
import type { FoundRecords } from '../session/find-records.ts';
import type { Session } from '../session/session.ts';
import { requireDone, waitForTask } from '../session/wait-for-task.ts';
import { toUsageError } from '../words/arguments.ts';
import type { CommandContext } from '../words/command.ts';

/** Options that make no sense for a portable file, which holds whole snapshots as they were received. */
const REFUSED = [
  'query',
  'preset',
  'field-names',
  'manifest',
  'computed',
  'no-payload',
  'with-names',
  'with-marks',
];

/** Fails for options that a portable file has no use for. */
export function checkPortableOptions({ args }: CommandContext): void {
  const other = REFUSED.find((name) => args.has(name) || args.find(name) !== null);
  if (other === undefined) return;
  throw toUsageError(
    `--format portable and --${other} exclude each other.`,
    'It holds whole snapshots as received.',
  );
}

/** Writes a portable file of a snapshot, or of every snapshot that a period touches. */
export async function exportPortable(
  context: CommandContext,
  session: Session,
  { scope }: FoundRecords,
  target: string,
): Promise<ExitCode> {
  const { out } = context;
  const snapshotIds = await findSnapshots(session, scope);
  const { taskId } = await session.call('exports/start-portable', { snapshotIds }, { exportTarget: target });
  if (taskId === null) throw new CommandError(EXIT.cancelled, 'Cancelled.');
  const task = await waitForTask(context, session, taskId, { doing: 'Writing', unit: 'records' });
  requireDone(task);
  const { done: records, fileBytes: bytes, fileSha256: sha256 = '' } = task;
  await out.json({ file: target, records, bytes, sha256 });
  await out.text(
    `${target}: ${countWords(snapshotIds.length, 'snapshot')}, ${countWords(records, 'record')}, ${countWords(bytes ?? 0, 'byte')}`,
  );
  await out.text(`SHA-256 ${sha256}`);
  return EXIT.done;
}

async function findSnapshots(session: Session, scope: FoundRecords['scope']): Promise<number[]> {
  if ('snapshotId' in scope) return [scope.snapshotId];
  const { connectionId, report, fromMs, toMs } = scope;
  const all = await session.call('snapshots/list', { connectionId });
  const within = all.filter(
    ({ report: of, period }) => of === report && period.fromMs < toMs && period.toMs + 1000 > fromMs,
  );
  if (within.length === 0) throw new CommandError(EXIT.notFound, 'Nothing is cached of the period.');
  return within.map(({ id }) => id);
}
