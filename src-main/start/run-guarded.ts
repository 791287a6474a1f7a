import { fileURLToPath } from 'node:url';
import { toErrorText } from '../node/error-text.ts';

/** The project's folder. */
export const projectRoot = fileURLToPath(new URL('../../', import.meta.url));

/** Runs a command of package.json: what it throws becomes one message and exit code 1. */
export function runGuarded(command: () => Promise<void>): void {
  command().catch((error: unknown) => {
    process.stderr.write(`${toErrorText(error)}\n`);
    process.exit(1);
  });
}
