import { describe, expect, it } from 'vitest';
import { judgeEnd, type ReceivedPage } from '../../../../src-main/common/reporting/reading/read-envelope.ts';

const page: ReceivedPage = {
  recordCount: 100,
  lastDocument: 'b',
  cursorSent: 'a',
  seenCursors: (cursor) => cursor === 'a' || cursor === 'earlier',
  isAfterEmpty: false,
  hasAll: () => false,
};

const hasAll = (): boolean => true;
const emptyPage = { nextCursor: null, end: 'empty-page' } as const;

describe('decision 8, client: the end of a walk', () => {
  it.each<[string, Partial<ReceivedPage>, ReturnType<typeof judgeEnd>]>([
    ['goes on with a new cursor', {}, { nextCursor: 'b', end: null }],
    ['goes on after a short page', { recordCount: 1 }, { nextCursor: 'b', end: null }],
    ['goes on with a new cursor when all announced came', { hasAll }, { nextCursor: 'b', end: null }],
    ['ends with an empty page when all announced came', { recordCount: 0, hasAll }, emptyPage],
    ['ends with an empty page without a cursor', { recordCount: 0, lastDocument: null }, emptyPage],
    [
      'asks once more after an empty page with records missing',
      { recordCount: 0 },
      { nextCursor: 'b', end: null },
    ],
    ['ends with a second empty page', { recordCount: 0, isAfterEmpty: true }, emptyPage],
    ['ends with an empty page whose cursor repeats', { recordCount: 0, lastDocument: 'a' }, emptyPage],
    ['ends without a cursor', { lastDocument: null }, { nextCursor: null, end: 'no-cursor' }],
    ['never sends an empty cursor back', { lastDocument: '' }, { nextCursor: null, end: 'no-cursor' }],
    ['ends at the cursor that was sent', { lastDocument: 'a' }, { nextCursor: null, end: 'cursor-repeated' }],
    [
      'ends at any cursor seen before',
      { lastDocument: 'earlier' },
      { nextCursor: null, end: 'cursor-repeated' },
    ],
    [
      'calls a repeat with all records complete',
      { lastDocument: 'a', hasAll },
      { nextCursor: null, end: 'total-reached' },
    ],
    ['sends a cursor of spaces as it is', { lastDocument: ' ' }, { nextCursor: ' ', end: null }],
  ])('decision 8, client: %s', (_name, change, expected) => {
    expect(judgeEnd({ ...page, ...change })).toEqual(expected);
  });
});
