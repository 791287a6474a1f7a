import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CaseRevision } from '../../../src-main/common/model/cases/case.ts';
import { openCaseFiles } from '../../../src-main/core/cases/open-case-files.ts';
import { createSilentLogger } from '../../support/fakes/silent-logger.ts';
import { createCommandRunner, type CommandRunner } from './run-command.ts';

let folder: string;
let cli: CommandRunner;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'channelscope-cases-cli-'));
  cli = createCommandRunner(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

/** Writes a case with one text, as the window does. */
async function addCase(id: string, title: string, text: string): Promise<void> {
  const files = await openCaseFiles({
    dataFolder: folder,
    logger: createSilentLogger(),
    newId: () => id,
    now: Date.now,
  });
  await files.create(title);
  const part = { kind: 'text' as const, id: 't', text, isFolded: false };
  await files.change(id, (page: CaseRevision) => ({
    act: 'add-text',
    partId: 't',
    page: { ...page, parts: [part] },
  }));
}

it('cases are listed, and one is written in the format of its file', async () => {
  expect((await cli.run('cases')).output).toContain('There is no case.');
  await addCase('one', 'Paused templates', '# Paused\n\n**since** 16:04');
  const listed = await cli.run('cases', '--json');
  expect(listed.objects).toMatchObject([{ id: 'one', title: 'Paused templates', partCount: 1 }]);
  const [html, markdown] = [join(folder, 'case.html'), join(folder, 'case.md')];
  const written = await cli.run('cases', 'Paused templates', '--out', html, '--json');
  expect(written.code, written.errors).toBe(0);
  expect(written.objects).toMatchObject([{ file: html, case: 'Paused templates' }]);
  expect(await readFile(html, 'utf8')).toContain('<strong><bdi>since</bdi></strong>');
  expect((await cli.run('cases', 'one', '--out', markdown, '--clients', 'received', '--short')).code).toBe(0);
  expect(await readFile(markdown, 'utf8')).toContain('# Paused\n\n**since** 16:04');
  const pack = join(folder, 'case.zip');
  expect((await cli.run('cases', 'one', '--out', pack)).code).toBe(0);
  const checked = await cli.run('evidence', 'check', pack, '--json');
  expect(checked.objects).toMatchObject([{ file: pack, verdict: 'unaltered' }]);
});

it.each([
  [['cases', 'none', '--out', 'x.html'], 'There is no case "none".'],
  [['cases', 'one'], 'A case and --out go together.'],
  [['cases', 'one', '--out', 'x.docx'], 'ends in .html, .pdf, .md or .zip'],
])('%j is refused with words that help', async (words, said) => {
  const refused = await cli.run(...words);
  expect(refused.code).not.toBe(0);
  expect(refused.errors).toContain(said);
});
