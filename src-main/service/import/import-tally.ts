import type { ImportFault } from '../../common/model/connections/import-fault.ts';
import type { ImportReport } from '../../common/model/connections/local-service.ts';
import type { ImportResult } from '../store/record-store.ts';

const MAX_PROBLEMS = 1_000;

/** Counts what an import does, and keeps its first problems. */
export interface ImportTally {
  addLine(): void;
  addProblem(line: number, faults: readonly ImportFault[]): void;
  addResult(result: ImportResult): void;
  toReport(): ImportReport;
}

/** Creates a tally of nothing yet. */
export function createImportTally(): ImportTally {
  const counts = { lines: 0, added: 0, known: 0, rejected: 0 };
  const problems: ImportReport['problems'] = [];
  return {
    addLine: () => {
      counts.lines += 1;
    },
    addProblem: (line, faults) => {
      counts.rejected += 1;
      if (problems.length < MAX_PROBLEMS) problems.push({ line, faults: [...faults] });
    },
    addResult: ({ added, known }) => {
      counts.added += added;
      counts.known += known;
    },
    toReport: () => ({ ...counts, problems: [...problems] }),
  };
}
