import { expect, test } from 'vitest';
import { readDraft, toDraft } from '../../../../src-renderer/period/period-selection.ts';

const draft = { fromDay: '2026-11-19', fromTime: '15:52:06', toDay: '2026-11-20', toTime: '15:52:06' };

test('a draft reads back to the instants that it was written from', () => {
  const instants = { fromMs: Date.UTC(2026, 10, 19, 20, 52, 6), toMs: Date.UTC(2026, 10, 20, 20, 52, 6) };
  expect(toDraft(instants, 'America/Bogota')).toEqual(draft);
  expect(readDraft(draft, 'America/Bogota')).toEqual(instants);
});

test('seconds may be left out', () => {
  expect(readDraft({ ...draft, fromTime: '15:52' }, 'UTC')).toMatchObject({
    fromMs: Date.UTC(2026, 10, 19, 15, 52),
  });
});

test('a day or time that does not exist is unreadable, never shifted', () => {
  expect(readDraft({ ...draft, fromDay: '2026-02-30' }, 'UTC')).toBe('unreadable');
  expect(readDraft({ ...draft, toTime: '24:00:00' }, 'UTC')).toBe('unreadable');
  expect(readDraft({ ...draft, toDay: '20/11/2026' }, 'UTC')).toBe('unreadable');
});

test('a start after the end is reported', () => {
  expect(readDraft({ ...draft, fromDay: '2026-11-21' }, 'UTC')).toBe('reversed');
});
