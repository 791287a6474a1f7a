import { mount } from '@vue/test-utils';
import { expect, test } from 'vitest';
import announcements from '../../../../resources/deprecations.json';
import words from '../../../../src-renderer/messages/en/connections/deprecations.json';
import { createMessages, loadMessages } from '../../../../src-renderer/messages/index.ts';
import DeprecationTable from '../../../../src-renderer/screens/deprecations/DeprecationTable.vue';
import {
  countMonths,
  findRowOrder,
  placeTimeline,
  readDeprecations,
  readGivenDate,
} from '../../../../src-renderer/deprecations/read-deprecations.ts';

const TODAY = Date.UTC(2026, 10, 20);

test('decision 25, client: a date that reads in one order only is clear', () => {
  expect(readGivenDate('09/30/2022')).toMatchObject({
    kind: 'clear',
    readings: [{ order: 'month-first', dayMs: Date.UTC(2022, 8, 30) }],
  });
  expect(readGivenDate('25/10/2023')).toMatchObject({ kind: 'clear', readings: [{ order: 'day-first' }] });
});

test('decision 25, client: a date that reads in both orders keeps both readings', () => {
  const date = readGivenDate('10/01/2025');
  expect(date.kind).toBe('ambiguous');
  expect(date.readings.map((reading) => reading.dayMs)).toEqual([
    Date.UTC(2025, 9, 1),
    Date.UTC(2025, 0, 10),
  ]);
});

test('the same number twice reads the same in both orders', () => {
  expect(readGivenDate('05/05/2024').kind).toBe('clear');
});

test('decision 25, client: 31/06/2024 is impossible, and June is said to have 30 days', () => {
  expect(readGivenDate('31/06/2024')).toEqual({
    kind: 'impossible',
    text: '31/06/2024',
    readings: [],
    month: { number: 6, days: 30 },
  });
  expect(readGivenDate('soon')).toMatchObject({ kind: 'impossible', month: null });
});

test('the other date of a row settles the order only where it is clear itself', () => {
  const ambiguous = readGivenDate('01/03/2025');
  expect(findRowOrder(ambiguous, readGivenDate('25/10/2023'))).toBe('day-first');
  expect(findRowOrder(ambiguous, readGivenDate('10/07/2023'))).toBeNull();
  expect(findRowOrder(ambiguous, readGivenDate('05/05/2024'))).toBeNull();
});

test('on 20 November 2026 all five are in effect under every reading', () => {
  const rows = readDeprecations(announcements, TODAY);
  expect(rows.map((row) => row.state)).toEqual(Array(5).fill('in-effect'));
  expect(rows.filter((row) => row.applicable.kind === 'ambiguous')).toHaveLength(3);
  expect(rows.filter((row) => row.announced.kind === 'ambiguous')).toHaveLength(2);
  expect(rows.filter((row) => row.applicable.kind === 'impossible')).toHaveLength(1);
});

test('between two readings of its date a deprecation is undecided', () => {
  const states = (day: number) => readDeprecations(announcements, day).map((row) => row.state);
  expect(states(Date.UTC(2025, 1, 1))[0]).toBe('undecided');
  expect(states(Date.UTC(2024, 0, 1))[0]).toBe('upcoming');
  // The impossible date gives way to the one that the text names.
  expect(states(Date.UTC(2024, 6, 14))[4]).toBe('upcoming');
  expect(states(Date.UTC(2024, 6, 15))[4]).toBe('in-effect');
});

test('the timeline places every date between its ends, and today where nothing is later', () => {
  const { rows, today, years } = placeTimeline(readDeprecations(announcements, TODAY), TODAY);
  const places = rows.flatMap((row) => [...row.announced, ...row.applicable, row.fromText ?? 0.5]);
  expect(places.every((place) => place > 0 && place < today)).toBe(true);
  expect(years.map((item) => item.year)).toEqual([2023, 2024, 2025, 2026]);
  expect(rows[4]!.fromText).not.toBeNull();
});

test('months are whole months', () => {
  expect(countMonths(Date.UTC(2025, 9, 1), TODAY)).toEqual({ years: 1, months: 1 });
  expect(countMonths(Date.UTC(2024, 9, 31), TODAY)).toEqual({ years: 2, months: 0 });
});

test('each announcement has a short name for the timeline', () => {
  expect(Object.keys(words.short)).toEqual(announcements.map((item) => item.id));
});

test.each([
  ['en', ['for at least 1 year and 1 month', 'for 2 years']],
  ['es', ['desde hace al menos 1 año y 1 mes', 'desde hace 2 años']],
] as const)('how long a change is in effect is written out: %s', async (language, expected) => {
  const messages = createMessages();
  await loadMessages(messages, language);
  messages.global.locale.value = language;
  const deprecations = readDeprecations(announcements, TODAY);
  const table = mount(DeprecationTable, {
    props: { deprecations, todayMs: TODAY },
    global: { plugins: [messages] },
  });
  const texts = table.findAll('td:last-child').map((cell) => cell.text().replace(/[\u2066-\u2069]/g, ''));
  for (const words of expected) expect(texts.some((text) => text.endsWith(words))).toBe(true);
});
