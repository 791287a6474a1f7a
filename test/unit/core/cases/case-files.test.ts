import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { CaseChange, CaseRevision } from '../../../../src-main/common/model/cases/case.ts';
import {
  type CaseFiles,
  changePage,
  openCaseFiles,
} from '../../../../src-main/core/cases/open-case-files.ts';
import { createSilentLogger } from '../../../support/fakes/silent-logger.ts';

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
let dataFolder: string;
let nowMs: number;
let count: number;

beforeEach(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'channelscope-cases-'));
  nowMs = Date.UTC(2026, 10, 28, 9);
  count = 0;
});
afterEach(() => rm(dataFolder, { recursive: true, force: true, maxRetries: 5 }));

const newId = (): string => `id-${(count += 1)}`;
const open = (): Promise<CaseFiles> =>
  openCaseFiles({ dataFolder, logger: createSilentLogger(), newId, now: () => nowMs });

/** Changes a case as the window does, two minutes after what was before. */
function change(files: CaseFiles, caseId: string, made: CaseChange): Promise<CaseRevision> {
  nowMs += 2 * MINUTE;
  return files.change(caseId, (page) => changePage(page, made, newId));
}
const listTexts = ({ parts }: CaseRevision): string[] =>
  parts.map((part) => (part.kind === 'text' ? part.text : part.title));

async function openWithTexts(...texts: string[]): Promise<{ files: CaseFiles; caseId: string }> {
  const files = await open();
  const caseId = await files.create('Paused templates');
  for (const text of texts) {
    const { parts } = await change(files, caseId, { kind: 'add-text', place: 99 });
    await change(files, caseId, { kind: 'set-text', partId: parts.at(-1)?.id ?? '', text, over: '' });
  }
  return { files, caseId };
}

it('parts are written, moved, folded and removed, and are the same after the next start', async () => {
  const { files, caseId } = await openWithTexts('one', 'two', 'three');
  const [first, , third] = files.read(caseId).parts;
  await change(files, caseId, { kind: 'move', partId: third?.id ?? '', place: 0 });
  await change(files, caseId, { kind: 'fold', partId: third?.id ?? '', isFolded: true });
  await change(files, caseId, { kind: 'remove', partId: first?.id ?? '' });
  const saved = await change(files, caseId, { kind: 'rename', title: 'Templates' });
  expect(listTexts(saved)).toEqual(['three', 'two']);
  const again = (await open()).read(caseId);
  expect(again).toEqual(saved);
  expect(again.parts[0]).toMatchObject({ text: 'three', isFolded: true });
});

it('every change can be undone and redone, in order, also after the next start', async () => {
  const { files, caseId } = await openWithTexts('one', 'two');
  await files.step(caseId, 'undo');
  await files.step(caseId, 'undo');
  expect(listTexts(files.read(caseId))).toEqual(['one']);
  const next = await open();
  expect(listTexts(await next.step(caseId, 'undo'))).toEqual(['']);
  await next.step(caseId, 'redo');
  await next.step(caseId, 'redo');
  expect(listTexts(await next.step(caseId, 'redo'))).toEqual(['one', 'two']);
  expect(await next.step(caseId, 'redo')).toMatchObject({ redo: null });
  // A new change ends what could be redone.
  await next.step(caseId, 'undo');
  expect(await change(next, caseId, { kind: 'rename', title: 'Other' })).toMatchObject({ redo: null });
});

it('what is typed in one go is undone in one go, and an earlier version can be read', async () => {
  const { files, caseId } = await openWithTexts('one');
  const partId = files.read(caseId).parts[0]?.id ?? '';
  const before = files.read(caseId).number;
  nowMs += 2 * MINUTE;
  let over = 'one';
  for (const text of ['one a', 'one ab', 'one abc']) {
    nowMs += 800;
    const typed = { kind: 'set-text', partId, text, over } as const;
    await files.change(caseId, (page) => changePage(page, typed, newId));
    over = text;
  }
  expect(listTexts(await files.readRevision(caseId, before))).toEqual(['one']);
  expect(listTexts(await files.step(caseId, 'undo'))).toEqual(['one']);
  await expect(files.readRevision(caseId, 9_999)).rejects.toMatchObject({ code: 'cases.no-revision' });
});

it('what two windows type into one text at a time is lost in neither', async () => {
  const { files, caseId } = await openWithTexts('one');
  const partId = files.read(caseId).parts[0]?.id ?? '';
  nowMs += 2 * MINUTE;
  const type = (text: string, over: string): Promise<CaseRevision> => {
    nowMs += 800;
    return files.change(caseId, (page) => changePage(page, { kind: 'set-text', partId, text, over }, newId));
  };
  await type('one, a', 'one');
  await type('one, b', 'one');
  await type('one, a and more', 'one, a');
  expect(listTexts(await files.step(caseId, 'undo'))).toEqual(['one, b']);
  expect(listTexts(await files.step(caseId, 'undo'))).toEqual(['one, a']);
  expect(listTexts(await files.step(caseId, 'undo'))).toEqual(['one']);
});

it('a deleted case comes back for 30 days, and is gone after them', async () => {
  const { files, caseId } = await openWithTexts('kept');
  const remove = (page: CaseRevision) => ({
    act: 'delete' as const,
    partId: null,
    page: { ...page, isDeleted: true },
  });
  await files.change(caseId, remove);
  nowMs += 29 * DAY;
  const later = await open();
  expect(await later.step(caseId, 'undo')).toMatchObject({ isDeleted: false, title: 'Paused templates' });
  await later.change(caseId, remove);
  nowMs += 31 * DAY;
  expect((await open()).list()).toEqual([]);
});

it('a damaged newest version is kept aside, and the one before is shown', async () => {
  const { files, caseId } = await openWithTexts('one', 'two');
  const { number } = files.read(caseId);
  const folder = join(dataFolder, 'cases', caseId);
  await writeFile(join(folder, `page-${String(number).padStart(8, '0')}.json`), '{"number": 4');
  const next = await open();
  expect(next.read(caseId).number).toBe(number - 1);
  expect(await readdir(folder)).toContainEqual(expect.stringContaining('.damaged-'));
  // What comes next takes no name that was used.
  expect((await change(next, caseId, { kind: 'rename', title: 'Again' })).number).toBe(number);
});

it('versions that are too many go, the newest stay', async () => {
  const { files, caseId } = await openWithTexts('text');
  for (let at = 0; at < 410; at += 1)
    await change(files, caseId, { kind: 'rename', title: `Title ${String(at)}` });
  const kept = await files.listRevisions(caseId);
  expect(kept.length).toBeGreaterThanOrEqual(300);
  expect(kept.length).toBeLessThan(411);
  expect((await open()).read(caseId).title).toBe('Title 409');
});

it.each([1, 2, 3, 4, 5])('a crash loses nothing that was acknowledged (%i)', async (round) => {
  const { files, caseId } = await openWithTexts('begin');
  const partId = files.read(caseId).parts[0]?.id ?? '';
  const script = fileURLToPath(new URL('./write-until-killed.ts', import.meta.url));
  const child = spawn(process.execPath, [script, dataFolder, caseId, partId], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (data: Buffer) => (said += String(data)));
  await expect.poll(() => said.split('\n').length, { timeout: 60_000 }).toBeGreaterThan(3 * round);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
  const last = Number(said.trim().split('\n').at(-1));
  const [text = ''] = listTexts((await open()).read(caseId));
  expect(Number(text.split(' ')[0])).toBeGreaterThanOrEqual(last);
  expect(text).toMatch(/^\d+ x{5000}$/u);
});
