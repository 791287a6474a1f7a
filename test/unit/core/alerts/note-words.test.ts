import { expect, it } from 'vitest';
import type { Turn } from '../../../../src-main/core/alerts/evaluate/judge-minutes.ts';
import { ENGLISH } from '../../../../src-main/common/words/english.ts';
import { writeNote } from '../../../../src-main/core/alerts/note-words.ts';

const FIRED: Turn = { kind: 'fired', atMs: 0, sinceMs: 0, figures: { hits: 1, total: 1, peak: 1 } };

it.each([
  [1, '1 minute'],
  [45, '45 minutes'],
  [60, '1 hour'],
  [90, '90 minutes'],
  [240, '4 hours'],
])('a note names %i minutes as its rule does', (minutes, words) => {
  const note = writeNote(ENGLISH, { kind: 'down', part: 'platform', minutes }, FIRED, 'A name');
  expect(note).toBe(`Platform reported down for ${words}. A name.`);
});
