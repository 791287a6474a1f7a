import { expect, it } from 'vitest';
import {
  AS_RECEIVED,
  DEFAULT_EVIDENCE,
  toContents,
  toFirstChoices,
  toNextChoices,
} from '../../../../src-main/common/model/exports/export-options.ts';

it('an evidence pack is masked as chosen, and as much as possible where nothing is', () => {
  const choices = toFirstChoices('evidence');
  expect(toContents(choices)).toEqual({ evidence: DEFAULT_EVIDENCE });
  const masking = { client: 'left-out', payload: 'masked', errors: 'received' } as const;
  expect(toContents({ ...choices, masking }, { sessionIds: ['one'] })).toEqual({
    evidence: { masking, sessionIds: ['one'], withFindingSessions: true },
  });
  expect(toContents({ ...toFirstChoices('csv'), masking })).toEqual({ masking });
  expect(toContents({ ...toFirstChoices('csv'), masking: AS_RECEIVED })).toEqual({});
  expect(toContents({ ...toFirstChoices('html'), isBrief: true })).toEqual({ isBrief: true });
  expect(toContents({ ...toFirstChoices('csv'), isBrief: true })).toEqual({});
});

it('what was written as received is masked again the next time', () => {
  const choices = toFirstChoices('evidence');
  const open = { client: 'received', payload: 'shortened', errors: 'received' } as const;
  expect(toNextChoices({ ...choices, preset: 'own', masking: open })).toEqual({
    ...choices,
    preset: null,
    masking: { client: 'pseudonym', payload: 'shortened', errors: 'folded' },
  });
  const masked = {
    ...choices,
    preset: 'own',
    masking: { ...open, client: 'left-out', errors: 'folded' },
  } as const;
  expect(toNextChoices(masked)).toBe(masked);
  expect(toNextChoices(choices)).toBe(choices);
});
