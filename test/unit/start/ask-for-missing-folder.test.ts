import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { DataLocation } from '../../../src-main/core/data-folder/locate-data-folder.ts';
import { askForMissingFolder } from '../../../src-main/start/run-web.ts';

const MISSING: DataLocation = {
  folder: '/home/ana/standard',
  defaultFolder: '/home/ana/standard',
  chosenBy: 'default',
  missingFolder: '/media/disk/data',
};
const FOUND: DataLocation = {
  ...MISSING,
  folder: '/media/disk/data',
  chosenBy: 'person',
  missingFolder: null,
};

/** A terminal in which a person types these lines, one for each question. */
function openTerminal(lines: readonly string[], isTTY = true) {
  const stdin = Object.assign(new PassThrough(), { isTTY });
  const stderr = Object.assign(new PassThrough(), { isTTY });
  const left = [...lines];
  let shown = '';
  stderr.on('data', (part: Buffer) => {
    shown += part.toString();
    if (part.toString().includes('> ')) setImmediate(() => stdin.write(`${left.shift() ?? 'quit'}\n`));
  });
  return { terminal: { stdin, stderr } as never, readShown: () => shown };
}
const answerInTurn = (...found: DataLocation[]) => {
  return () => found.shift() ?? MISSING;
};

describe('a data folder that is missing, in a terminal', () => {
  it('is looked for again until it is there', async () => {
    const { terminal, readShown } = openTerminal(['', '']);
    expect(await askForMissingFolder(answerInTurn(MISSING, MISSING, FOUND), terminal)).toEqual(FOUND);
    expect(readShown()).toContain("The data folder isn't there: /media/disk/data");
  });

  it('gives way to the standard folder only where the person says so', async () => {
    const { terminal } = openTerminal(['what?', ' Standard ']);
    expect(await askForMissingFolder(answerInTurn(MISSING, MISSING), terminal)).toEqual(MISSING);
  });

  it.each([
    ['the person ends it', openTerminal(['quit'])],
    ['nobody can be asked', openTerminal([], false)],
  ])('ends the start with what can be done where %s', async (_name, { terminal }) => {
    await expect(askForMissingFolder(answerInTurn(MISSING), terminal)).rejects.toThrow(
      '/media/disk/data. Connect its disk and start again, or use the standard folder with --data "/home/ana/standard".',
    );
  });
});

it('a folder that is there asks nobody', async () => {
  const { terminal, readShown } = openTerminal([]);
  expect(await askForMissingFolder(() => FOUND, terminal)).toEqual(FOUND);
  expect(readShown()).toBe('');
});
