import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  listTicks,
  markup,
  own,
  type ReportContent,
} from '../../../../src-main/core/exports/report/report-content.ts';
import { writeFindings } from '../../../../src-main/core/exports/report/sections/write-findings.ts';
import { ENGLISH } from '../../../../src-main/common/words/words.ts';
import {
  DARK_TOKENS,
  LIGHT_TOKENS,
  writeStyle,
} from '../../../../src-main/core/exports/report/report-style.ts';

describe('markup', () => {
  it('escapes every text, in content and in attributes', () => {
    const hostile = `<b a='1' c="2">&amp;`;
    const escaped = '&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;amp;';
    expect(markup`<p title="${hostile}">${hostile}</p>`.text).toBe(`<p title="${escaped}">${escaped}</p>`);
    expect(own(hostile).text).toBe(`<bdi>${escaped}</bdi>`);
  });

  it('takes markup as it is, lists one after the other, and nothing for null', () => {
    expect(markup`<ul>${['a', '<', 1].map((each) => markup`<li>${each}</li>`)}${null}</ul>`.text).toBe(
      '<ul><li>a</li><li>&lt;</li><li>1</li></ul>',
    );
  });

  it('shows what no page can hold', () => {
    expect(own('\0\ud800').text).toBe('<bdi>␀\ufffd</bdi>');
  });
});

it.each([
  [0, Infinity, [0, 0.25, 0.5, 0.75, 1]],
  [1, 1, [0, 0.25, 0.5, 0.75, 1]],
  [0.97, 1, [0, 0.25, 0.5, 0.75, 1]],
  [7, Infinity, [0, 2, 4, 6, 8]],
  [1200, Infinity, [0, 500, 1000, 1500]],
  [0.01, 1, [0, 0.0025, 0.005, 0.0075, 0.01]],
])('an axis up to %d, at most %d, has round values', (max, limit, ticks) => {
  expect(listTicks(max, limit)).toEqual(ticks);
});

it('a report in which nothing stands out says how large something would have been', () => {
  const size = { size: 0.04, hours: 24 };
  const noticed = { minutes: 15, hours: 24, channels: [{ channel: 1, failing: size, fewer: null }] };
  const write = (findings: Partial<ReportContent['findings']>): string =>
    writeFindings({
      findings: { list: [], fromMs: 0, toMs: 86_400_000, gaps: [], ...findings },
      names: [{ field: 'channel', value: '1', name: 'Web' }],
      zone: 'UTC',
      about: {},
      words: ENGLISH,
    } as unknown as ReportContent).text;
  expect(write({ noticed })).toContain(
    'Nothing stands out. An error rate above 4.0% for 15 min would have been noticed on channel Web 1',
  );
  expect(write({})).toContain('Nothing stands out.</p>');
});

describe('the style of a report', () => {
  it('has the colours of the window', async () => {
    const path = fileURLToPath(new URL('../../../../src-renderer/styles/tokens.css', import.meta.url));
    const [light = '', dark = ''] = (await readFile(path, 'utf8')).split('.dark {');
    for (const [name, colour] of Object.entries(LIGHT_TOKENS))
      expect(light).toContain(`--cs-${name}: ${colour};`);
    for (const [name, colour] of Object.entries(DARK_TOKENS))
      expect(dark).toContain(`--cs-${name}: ${colour};`);
  });

  it('is ended by no text that stands in it', () => {
    const style = writeStyle('a"}</style><script>\\', '"{page}</style>');
    expect(style).not.toContain('</style');
    expect(style.match(/"/g)!.length % 2).toBe(0);
  });
});
