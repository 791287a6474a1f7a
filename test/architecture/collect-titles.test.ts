import { expect, it } from 'vitest';
import { readTitles } from '../support/checks/collect-titles.ts';

it('titles are those of tests, behind the groups around them', () => {
  const text = `
    describe('C01: a group', () => {
      it('plain', () => {});
      it.each([1, 2])('of %i', () => {});
      describe.each(['x'])('within', () => { test(\`with \${value} filled in\`, () => {}); });
    });
    test.skipIf(isWindows)('sometimes', () => {});
    describe('a group without a test', () => {});
  `;
  expect(readTitles(text)).toEqual([
    'C01: a group › plain',
    'C01: a group › of %i',
    'C01: a group › within › with … filled in',
    'sometimes',
  ]);
});

it('neither comments, strings nor tests that never run have titles', () => {
  const text = `
    // it('decision 1, client: in a comment', () => {});
    const words = "it('decision 1, client: in a string')";
    it.skip('decision 1, client: never', () => {});
    it.todo('decision 1, client: later');
    describe.skip('never', () => { it('within', () => {}); });
    submit('decision 1, client: another function');
  `;
  expect(readTitles(text)).toEqual([]);
});
