/**
 * Exports in every format into a folder, again and again and side by side, and keeps a dataset while its days change, until
 * it is killed. Arguments: the data folder, the folder for files, that of the dataset, and how often it was killed before.
 * It prints `ready` once it has started, begins at the first input, and prints the name of each file that is written.
 */
import { once } from 'node:events';
import { join } from 'node:path';
import { DAYS, FORMATS, openExports } from './exports-rig.ts';

const [folder = '', files = '', dataset = '', kills = ''] = process.argv.slice(2);
const rig = await openExports(folder);
process.stdout.write('ready\n');
await once(process.stdin, 'data');

async function exportOn(name: string): Promise<never> {
  for (let turn = 0; ; turn += 1) {
    const { ended } = await rig.start(name, join(files, `${name} round ${kills} ${turn}`));
    const { state, error } = await ended;
    if (state !== 'done') throw new Error(`${name}: ${state} ${JSON.stringify(error)}`);
    process.stdout.write(`${name}\n`);
  }
}

async function keepDataset(): Promise<never> {
  for (let turn = 1; ; turn += 1) {
    await rig.fillDay((Number(kills) + turn) % DAYS, 10 * (Number(kills) + 1) + turn);
    await rig.updateDataset(dataset);
  }
}

await Promise.all([...[...FORMATS.keys()].map(exportOn), keepDataset()]);
