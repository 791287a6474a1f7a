/** Claims a data folder until it is killed. Argument: the folder. Prints `held` once it has it, or the error's code. */
import { AppError } from '../../../src-main/common/contract/errors.ts';
import { claimFolder } from '../../../src-main/node/claim-folder.ts';

try {
  const release = claimFolder(process.argv[2] ?? '');
  // A claim that nothing refers to ends with the next tidying of memory.
  process.once('SIGTERM', release);
  process.stdout.write('held\n');
  setInterval(() => undefined, 60_000);
} catch (error) {
  process.stdout.write(`${error instanceof AppError ? error.code : String(error)}\n`);
}
