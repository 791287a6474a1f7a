import { describe, expect, it } from 'vitest';
import { collectTitles } from '../support/checks/collect-titles.ts';
import { readDecisions, readTitledSides, type Decision } from '../support/checks/read-decisions.ts';

/** Sides that are settled and not built yet. Each leaves this list with the first test that is named after it. */
const OPEN = ['34, client', '35, client'];

function compare(decisions: readonly Decision[], titles: readonly string[]) {
  const settled = decisions.flatMap(({ number, sides }) => sides.map((side) => `${String(number)}, ${side}`));
  const titled = new Set(titles.flatMap(readTitledSides));
  return {
    untested: settled.filter((side) => !titled.has(side)),
    unknown: [...titled].filter((side) => !settled.includes(side)),
  };
}

describe('DECISIONS.md', () => {
  const decisions = readDecisions();
  const titles = collectTitles().map(({ title }) => title);

  it('numbers its decisions from 1 without a gap', () => {
    expect(decisions.length).toBeGreaterThanOrEqual(41);
    expect(decisions.map(({ number }) => number)).toEqual(decisions.map((_, index) => index + 1));
  });

  it('has a test named after each side that a decision concerns, but for those that are open', () => {
    expect(compare(decisions, titles).untested).toEqual(OPEN);
  });

  it('has each decision and side that a test is named after', () => {
    expect(compare(decisions, titles).unknown).toEqual([]);
  });
});

describe('the check of titles', () => {
  const decisions = readDecisions(
    ['| # | Gap | Service | Client |', '| --- | --- | --- | --- |', '| 1 | a | b | c |']
      .concat('| 2 | d | does not apply | e |', '| 3 | f | g | h |')
      .join('\n'),
  );

  it('reports a side that no title names, and a title that names no side', () => {
    const titles = ['decision 1, service: a', 'decisions 1 and 3, client: b', 'decision 2, service: c'];
    expect(compare(decisions, titles)).toEqual({
      untested: ['2, client', '3, service'],
      unknown: ['2, service'],
    });
  });

  it('counts neither a number in passing nor a decision without its side', () => {
    const titles = ['as decision 1 says', 'decision 2: e', 'decision 33, client: f', 'decision 3, client'];
    expect(compare(decisions, titles).untested).toHaveLength(5);
  });
});
