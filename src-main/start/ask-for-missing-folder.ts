import { createInterface } from 'node:readline/promises';
import { describeMissingFolder, type DataLocation } from '../core/data-folder/locate-data-folder.ts';

/**
 * Finds the data folder and, while the one that the person chose is missing, asks in the terminal what to do: look again,
 * or go on with the standard folder this time. Throws an Error that says what can be done when the person ends it, and
 * where there is no terminal to ask in.
 */
export async function askForMissingFolder(
  locate: () => DataLocation,
  { stdin: input, stderr: output }: Pick<NodeJS.Process, 'stdin' | 'stderr'>,
): Promise<DataLocation> {
  for (;;) {
    const location = locate();
    const { missingFolder, defaultFolder } = location;
    if (missingFolder === null) return location;
    if (!input.isTTY || !output.isTTY) throw new Error(describeMissingFolder(location));
    output.write(`The data folder isn't there: ${missingFolder}\n`);
    output.write('Connect its disk and press Enter to look again.\n');
    output.write(`"standard" goes on with ${defaultFolder} this time; "quit" ends.\n`);
    const lines = createInterface({ input, output });
    const answer = (await lines.question('> ').finally(() => lines.close())).trim().toLowerCase();
    if (answer === 'standard') return location;
    if (answer === 'quit') throw new Error(describeMissingFolder(location));
  }
}
