import type { DetailKind } from '../../common/reporting/reports.ts';
import type { RunningService } from '../start-service.ts';
import { describeFaults } from './import-fault.ts';
import type { ImportOutcome } from './import-file.ts';

/**
 * Imports one file after the other and writes what became of each. False when one could not be read to its
 * end; those after it are left. Lines that are no records are reported, and hold nothing up.
 */
export async function importFiles(
  service: Pick<RunningService, 'importFile'>,
  paths: readonly string[],
  stated: DetailKind | null,
  write: (text: string) => void,
): Promise<boolean> {
  for (const path of paths) {
    const outcome = await service.importFile({
      path,
      stated,
      signal: new AbortController().signal,
      onProgress: () => undefined,
    });
    write(describeOutcome(path, outcome));
    if (outcome.cancelled || outcome.failure !== null) return false;
  }
  return true;
}

function describeOutcome(path: string, { report, cancelled, failure }: ImportOutcome): string {
  const { lines, added, known, rejected, problems } = report;
  const text = [
    `${path}: ${lines} read, ${added} added, ${known} known already, ${rejected} rejected`,
    ...problems.map(({ line, faults }) => `  line ${line}: ${describeFaults(faults)}`),
  ];
  if (rejected > problems.length) text.push(`  and ${rejected - problems.length} more`);
  if (cancelled) text.push('  cancelled; what was added stays');
  if (failure !== null) text.push(`  ended early: ${failure}`);
  return `${text.join('\n')}\n`;
}
