import { expect, it } from 'vitest';
import type { AlertCondition } from '../../../../src-main/common/model/alerts/alert-rule.ts';
import type { LevelTurn } from '../../../../src-main/core/alerts/judge-levels.ts';
import { ENGLISH } from '../../../../src-main/common/words/words.ts';
import { writeNote } from '../../../../src-main/core/alerts/send-notes.ts';

const FIRED: LevelTurn = {
  kind: 'fired',
  level: null,
  atMs: 0,
  sinceMs: 0,
  figures: { hits: 1, total: 1, peak: 1 },
};

it('a note counts whom failures hit', () => {
  const condition: AlertCondition = {
    kind: 'measure',
    measure: 'failed-clients',
    direction: 'inbound',
    filter: { conditions: [] },
    comparison: 'above',
    threshold: 10,
    minutes: 15,
    minRequests: 20,
  };
  const turn = { ...FIRED, figures: { hits: 12, total: 4000, peak: 12 } };
  expect(writeNote(ENGLISH, condition, turn, 'A name')).toBe(
    '12 clients with failures in 15 minutes, more than 10. A name.',
  );
});

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
