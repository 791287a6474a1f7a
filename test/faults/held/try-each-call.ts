import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { createFileFaults, FileCall } from '../../support/files/file-faults.ts';

const CODES = ['EPERM', 'EBUSY'] as const;

/** What is done to the files of a folder, and what has to be true of them afterwards. */
export interface HeldFilesTrial<Result> {
  /** Files to begin with; copied for each fault. */
  readonly model: string;
  work(folder: string): Promise<Result>;
  /** With the fault still there: nothing may be lost or half done. `outcome` is the result, or what was thrown. */
  checkAfterFault(folder: string, outcome: { result: Result } | { error: unknown }): Promise<void> | void;
  /** Without the fault, and the work done once more: everything is as it should be. */
  checkInTheEnd(folder: string, result: Result): Promise<void> | void;
}

/** How often the work failed, by the code of the error; `none` counts the faults that it got over. */
export type Outcomes = Readonly<Record<string, number>>;

/**
 * Does a work once for each of its calls of the file system, with an error that a file has while another program holds
 * it: `once` for a scanner that lets go, `for good` for a program that doesn't. Then does it again without a fault.
 */
export async function tryEachCall<Result>(
  faults: ReturnType<typeof createFileFaults>,
  trial: HeldFilesTrial<Result>,
  duration: 'once' | 'for good',
): Promise<Outcomes> {
  const parent = await mkdtemp(join(tmpdir(), 'held-files-'));
  const outcomes: Record<string, number> = {};
  let runs = 0;
  const copyModel = async (): Promise<string> => {
    runs += 1;
    const folder = join(parent, String(runs));
    await cp(trial.model, folder, { recursive: true });
    return folder;
  };
  try {
    const first = await copyModel();
    faults.begin(first);
    const undisturbed = await trial.work(first);
    const { calls } = faults.end();
    await trial.checkInTheEnd(first, undisturbed);
    expect(calls.length).toBeGreaterThan(0);
    for (const [index, planned] of calls.entries()) {
      // Each call meets one error for a moment, and the other for good.
      const systemCode = CODES[(index + (duration === 'once' ? 0 : 1)) % 2]!;
      const folder = await copyModel();
      let held: FileCall | null = null;
      const matches = (met: FileCall, number: number): boolean => {
        if (held === null && number === index + 1) held = met;
        else if (duration === 'once') return false;
        return held?.path === met.path && held.call === met.call;
      };
      faults.begin(folder, { systemCode, matches });
      const outcome = await trial.work(folder).then(
        (result) => ({ result }),
        (error: unknown) => ({ error }),
      );
      faults.end();
      const label = `${systemCode} ${duration} at ${planned.call} of ${planned.path.slice(first.length)}`;
      try {
        await trial.checkAfterFault(folder, outcome);
        await trial.checkInTheEnd(folder, await trial.work(folder));
      } catch (error) {
        throw new Error(`after ${label}`, { cause: error });
      }
      const code = 'error' in outcome ? String((outcome.error as { code?: unknown }).code) : 'none';
      outcomes[code] = (outcomes[code] ?? 0) + 1;
      await rm(folder, { recursive: true });
    }
    return outcomes;
  } finally {
    faults.end();
    await rm(parent, { recursive: true, force: true, maxRetries: 5 });
  }
}
