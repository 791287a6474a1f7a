import { describe, expect, it } from 'vitest';
import {
  escapeHtmlIn,
  readFirstWords,
  readMarkdown,
} from '../../../src-main/common/markdown/read-markdown.ts';

const PLAIN = { kind: 'text' } as const;

describe('Markdown that a person wrote', () => {
  it('is read as headings, paragraphs, lists, tables, quotes and code', () => {
    const blocks = readMarkdown(
      '# One\n\ntwo **three** *four* `five`\n\n- a\n- b\n\n> said\n\n```\ncode\n```\n\n|x|y|\n|-|-|\n|1|2|',
    );
    expect(blocks.map(({ kind }) => kind)).toEqual([
      'heading',
      'paragraph',
      'list',
      'quote',
      'code',
      'table',
    ]);
    expect(blocks[1]).toEqual({
      kind: 'paragraph',
      line: [
        { ...PLAIN, text: 'two ' },
        { kind: 'strong', parts: [{ ...PLAIN, text: 'three' }] },
        { ...PLAIN, text: ' ' },
        { kind: 'emphasis', parts: [{ ...PLAIN, text: 'four' }] },
        { ...PLAIN, text: ' ' },
        { kind: 'code', text: 'five' },
      ],
    });
  });

  it.each([
    ['a block of HTML', '<script>alert(1)</script>', '<script>alert(1)</script>'],
    ['HTML within a line', 'a <b onclick="x()">b</b>', '<b onclick="x()">'],
  ])('keeps %s as the text that it is', (_what, text, shown) => {
    expect(JSON.stringify(readMarkdown(text))).toContain(JSON.stringify(shown).slice(1, -1));
    expect(readMarkdown(text).every(({ kind }) => kind === 'paragraph')).toBe(true);
  });

  it.each([
    ['javascript:alert(1)', null],
    ['data:text/html,<p>', null],
    ['file:///etc/passwd', null],
    ['//elsewhere.example', null],
    ['https://example.com/a', 'https://example.com/a'],
    ['mailto:a@example.com', 'mailto:a@example.com'],
    ['channelscope://open/incidents', '/incidents'],
  ])('a link to %s leads to %s', (href, to) => {
    const [block] = readMarkdown(`[words](${href})`);
    const [piece] = block?.kind === 'paragraph' ? block.line : [];
    expect(piece).toEqual(
      to === null ? { ...PLAIN, text: 'words' } : { kind: 'link', to, parts: [{ ...PLAIN, text: 'words' }] },
    );
  });

  it('gives each heading an id of its own, and a picture no place but its description', () => {
    const blocks = readMarkdown('## a\n\n## a\n\n![seen](https://example.com/x.png)', 'part-');
    expect(blocks.map((block) => ('id' in block ? block.id : ''))).toEqual(['part-1', 'part-2', '']);
    expect(blocks[2]).toEqual({ kind: 'paragraph', line: [{ ...PLAIN, text: 'seen' }] });
  });

  it.each([
    ['a <b>c</b> `<i>`', String.raw`a \<b>c\</b> ` + '`<i>`'],
    ['<script>x</script>\n\n1 < 2', String.raw`\<script>x\</script>` + '\n\n1 < 2'],
  ])('%j without HTML is %j', (text, escaped) => {
    expect(escapeHtmlIn(text)).toBe(escaped);
    expect(JSON.stringify(readMarkdown(escaped))).not.toContain('\\\\');
  });

  it.each([
    ['', ''],
    ['\n\n# Paused **templates**\n\nmore', 'Paused templates'],
    ['- one\n- two', 'one'],
    ['```\nSELECT 1\n```', 'SELECT 1'],
  ])('the first words of %j are %j', (text, words) => expect(readFirstWords(text)).toBe(words));
});
