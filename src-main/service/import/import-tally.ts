import type { ImportReport } from '../../common/model/local-service.ts';
import type { BatchResult } from './import-batch.ts';

const MOST_PROBLEMS = 1_000;

/** Counts what an import does, and keeps its first problems. */
export class ImportTally {
  #lines = 0;
  #added = 0;
  #known = 0;
  #rejected = 0;
  readonly #problems: { line: number; reason: string }[] = [];

  addLine(): void {
    this.#lines += 1;
  }

  addProblem(line: number, reason: string): void {
    this.#rejected += 1;
    if (this.#problems.length < MOST_PROBLEMS) this.#problems.push({ line, reason });
  }

  addBatch({ added, known }: BatchResult): void {
    this.#added += added;
    this.#known += known;
  }

  toReport(): ImportReport {
    return {
      lines: this.#lines,
      added: this.#added,
      known: this.#known,
      rejected: this.#rejected,
      problems: [...this.#problems],
    };
  }
}
