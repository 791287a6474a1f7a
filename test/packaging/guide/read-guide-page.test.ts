import { expect, test } from 'vitest';
import { readGuidePage } from '../../../src-main/packaging/guide/compile-guide.ts';

test('Markdown becomes data: headings with ids, links to pages, headings and screens', () => {
  const page = readGuidePage(
    'sample',
    [
      '# A `small` sample',
      'See [exports](exports.md#parquet), [above](#again),\n[Library](channelscope://open/library) & _all_.',
      '## Again',
      '1. one\n2. **two**',
      '## Again',
      '| a | b |\n| - | - |\n| `c|d` | 2 < 3 |'.replace('c|d', String.raw`c\|d`),
      '```sh\nrun --it\n```',
    ].join('\n\n'),
  );
  expect(page.title).toBe('A small sample');
  expect(page.blocks.map(({ kind }) => kind)).toEqual([
    'heading',
    'paragraph',
    'heading',
    'list',
    'heading',
    'table',
    'code',
  ]);
  expect(page.blocks.flatMap((block) => (block.kind === 'heading' ? [block.id] : []))).toEqual([
    'a-small-sample',
    'again',
    'again-1',
  ]);
  const [, paragraph] = page.blocks;
  const links = paragraph?.kind === 'paragraph' ? paragraph.line.filter(({ kind }) => kind === 'link') : [];
  expect(links.map((link) => ('to' in link ? link.to : ''))).toEqual([
    '/help/exports/parquet',
    '/help/sample/again',
    '/library',
  ]);
  expect(page.blocks.at(-2)).toMatchObject({
    rows: [[[{ kind: 'code', text: 'c|d' }], [{ kind: 'text', text: '2 < 3' }]]],
  });
});

test('a link out of the guide stays words: to a file of the repository, to a page of others, to a script', () => {
  for (const target of ['../../README.md', 'https://example.com/', 'javascript:alert(1)']) {
    expect(readGuidePage('sample', `# Title\n\n[words](${target})`).blocks[1]).toEqual({
      kind: 'paragraph',
      line: [{ kind: 'text', text: 'words' }],
    });
  }
});

test('a paragraph of codes alone says which errors its heading is about', () => {
  const page = readGuidePage(
    'sample',
    '# Title\n\n## Slow\n\n`client.timeout`,\n`client.truncated`\n\nWait.\n',
  );
  expect(page.errors).toEqual({ 'client.timeout': 'slow', 'client.truncated': 'slow' });
  expect(() => readGuidePage('sample', '# Title\n\n`client.gone`')).toThrow(
    'client.gone, which is no error code',
  );
});

test('a picture stands alone, has words for those who cannot see it, and lies beside the guide', () => {
  expect(readGuidePage('sample', '# Title\n\n![A day](pictures/a-day.webp)').blocks[1]).toEqual({
    kind: 'picture',
    file: 'a-day.webp',
    alt: 'A day',
  });
  for (const markdown of [
    '![](pictures/a-day.webp)',
    '![A day](https://example.com/a-day.webp)',
    '![A day](../icons/a-day.webp)',
    'Look: ![A day](pictures/a-day.webp)',
  ]) {
    expect(() => readGuidePage('sample', `# Title\n\n${markdown}`)).toThrow("what Help can't show");
  }
});

test('what Help has no way to show ends the build', () => {
  expect(() => readGuidePage('sample', '# Title\n\n<b>bold</b>')).toThrow("what Help can't show");
  expect(() => readGuidePage('sample', '# Title\n\n<div>\n</div>')).toThrow("what Help can't show");
  expect(() => readGuidePage('sample', 'No title')).toThrow('begins with no title');
});
