import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toPlainText, type GuideBlock } from '../common/help/guide-page.ts';
import { readGuidePage } from './guide/read-guide-page.ts';

/** Returns what the guide says of the version in `package.json`, as plain text; empty when it says nothing. */
export async function readReleaseNotes(root: string): Promise<string> {
  const [description, news] = await Promise.all(
    ['package.json', 'resources/guide/news.md'].map((name) => readFile(join(root, name), 'utf8')),
  );
  const { version } = JSON.parse(description ?? '') as { version: string };
  const { blocks } = readGuidePage('news', news ?? '');
  const from = blocks.findIndex((block) => block.kind === 'heading' && toPlainText(block.line) === version);
  if (from < 0) return '';
  const after = blocks.slice(from + 1);
  const end = after.findIndex((block) => block.kind === 'heading' && block.level <= 2);
  return toLines(end < 0 ? after : after.slice(0, end)).join('\n');
}

function toLines(blocks: readonly GuideBlock[]): string[] {
  return blocks.flatMap((block) => {
    if (block.kind === 'list') return block.items.map((item) => `• ${toLines(item).join(' ')}`);
    return 'line' in block ? [toPlainText(block.line)] : [];
  });
}
