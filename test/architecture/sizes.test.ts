import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const SOURCE = /\.(?:ts|vue|css|cjs|js|html)$/u;
/** A folder with more wants rooms, a file with more wants to be two. */
const MAX_FOLDER_FILES = 24;
const MAX_FILE_LINES = 260;

/** The folders and files of a tree's sources that are over a limit, each with its size. */
async function findTooLarge(tree: string): Promise<string[]> {
  const found: string[] = [];
  const fileCounts = new Map<string, number>();
  for (const top of ['src-main', 'src-renderer']) {
    const entries = await readdir(join(tree, top), { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((each) => each.isFile() && SOURCE.test(each.name))) {
      const folder = relative(tree, entry.parentPath).replaceAll('\\', '/');
      fileCounts.set(folder, (fileCounts.get(folder) ?? 0) + 1);
      const text = await readFile(join(entry.parentPath, entry.name), 'utf8');
      const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
      if (lines > MAX_FILE_LINES) found.push(`${folder}/${entry.name}: ${String(lines)} lines`);
    }
  }
  const folders = [...fileCounts].filter(([, count]) => count > MAX_FOLDER_FILES);
  return [...found, ...folders.map(([folder, count]) => `${folder}: ${String(count)} files`)].toSorted();
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sizes-'));
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  const writeMany = async (place: string, count: number): Promise<void> => {
    for (let number = 0; number < count; number += 1) await write(`${place}/part-${number}.ts`, '');
  };
  await writeMany('src-main/core/full', MAX_FOLDER_FILES);
  await write('src-main/core/full/inside/part.ts', '');
  await write('src-main/core/full/NOTES.md', '\n'.repeat(MAX_FILE_LINES + 1));
  await writeMany('src-main/core/over', MAX_FOLDER_FILES + 1);
  await write('src-renderer/screens/LongScreen.vue', '\n'.repeat(MAX_FILE_LINES));
  await write('src-renderer/screens/LongerScreen.vue', '\n'.repeat(MAX_FILE_LINES + 1));
  await write('src-renderer/screens/unended.ts', `${'\n'.repeat(MAX_FILE_LINES)}end`);
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

it('no folder holds more than 24 source files directly, and no source file has more than 260 lines', async () => {
  expect(await findTooLarge(root)).toEqual([]);
});

it('what tests share is in rooms named after their jobs, none of it beside them', async () => {
  const entries = await readdir(join(root, 'test/support'), { withFileTypes: true });
  expect(entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name)).toEqual([]);
});

it('a folder and files over a limit are reported, those at it are not', async () => {
  expect(await findTooLarge(folder)).toEqual([
    'src-main/core/over: 25 files',
    'src-renderer/screens/LongerScreen.vue: 261 lines',
    'src-renderer/screens/unended.ts: 261 lines',
  ]);
});
