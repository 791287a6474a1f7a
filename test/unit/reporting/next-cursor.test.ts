import { describe, expect, it } from 'vitest';
import { judgeEnd, type ReceivedPage } from '../../../src-main/common/reporting/next-cursor.ts';

const page: ReceivedPage = {
  recordCount: 100,
  lastDocument: 'b',
  cursorSent: 'a',
  seenCursors: (cursor) => cursor === 'a' || cursor === 'earlier',
  receivedBefore: 100,
  totalDocument: 1000,
};

describe('decision 8, client: the end of a walk', () => {
  it.each<[string, Partial<ReceivedPage>, ReturnType<typeof judgeEnd>]>([
    ['goes on with a new cursor', {}, { nextCursor: 'b', end: null }],
    ['goes on after a short page', { recordCount: 1 }, { nextCursor: 'b', end: null }],
    ['goes on without a total', { totalDocument: null }, { nextCursor: 'b', end: null }],
    ['takes a total of zero for none', { totalDocument: 0 }, { nextCursor: 'b', end: null }],
    [
      'ends with an empty page, whatever its cursor',
      { recordCount: 0 },
      { nextCursor: null, end: 'empty-page' },
    ],
    ['ends without a cursor', { lastDocument: null }, { nextCursor: null, end: 'no-cursor' }],
    ['never sends an empty cursor back', { lastDocument: '' }, { nextCursor: null, end: 'no-cursor' }],
    ['ends with the total', { receivedBefore: 900 }, { nextCursor: null, end: 'total-reached' }],
    ['ends beyond the total', { receivedBefore: 950 }, { nextCursor: null, end: 'total-reached' }],
    ['ends at the cursor that was sent', { lastDocument: 'a' }, { nextCursor: null, end: 'cursor-repeated' }],
    [
      'ends at any cursor seen before',
      { lastDocument: 'earlier' },
      { nextCursor: null, end: 'cursor-repeated' },
    ],
    [
      'calls a repeat with all records complete',
      { lastDocument: 'a', receivedBefore: 900 },
      { nextCursor: null, end: 'total-reached' },
    ],
    ['sends a cursor of spaces as it is', { lastDocument: ' ' }, { nextCursor: ' ', end: null }],
  ])('decision 8, client: %s', (_name, change, expected) => {
    expect(judgeEnd({ ...page, ...change })).toEqual(expected);
  });
});
