import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { replaceFile, writeFileAtomically, writeFileAtomicallySync } from '../../../src-main/node/files.ts';
import { isPosix } from '../../support/skips/posix.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'atomic-'));
  path = join(folder, 'settings.json');
});
afterEach(() => rm(folder, { recursive: true }));

describe.each([
  ['writeFileAtomically', writeFileAtomically],
  [
    'writeFileAtomicallySync',
    (target: string, content: string) =>
      new Promise<void>((resolve) => {
        writeFileAtomicallySync(target, content);
        resolve();
      }),
  ],
])('%s', (_name, write) => {
  it('replaces the content, for the owner only, and leaves nothing beside it', async () => {
    await writeFile(path, 'old');
    await chmod(path, 0o644);
    await write(path, 'new');
    expect(await readFile(path, 'utf8')).toBe('new');
    expect(await readdir(folder)).toEqual(['settings.json']);
    if (isPosix) expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('keeps the old content when the file can not be replaced', async () => {
    await mkdir(path);
    await writeFile(join(path, 'inside'), 'old');
    await expect(write(path, 'new')).rejects.toMatchObject({
      code: expect.stringMatching(/^(EISDIR|ENOTEMPTY|EEXIST|EPERM)$/u) as string,
    });
    expect(await readFile(join(path, 'inside'), 'utf8')).toBe('old');
  });
});

it('replaceFile fails without touching the target when there is no finished file', async () => {
  await writeFile(path, 'old');
  await expect(replaceFile(`${path}.part`, path)).rejects.toMatchObject({ code: 'ENOENT' });
  expect(await readFile(path, 'utf8')).toBe('old');
});
