import { describe, expect, it } from 'vitest';
import {
  describeShape,
  findOutside,
  type LearnedShape,
  type PageToDescribe,
  watchShape,
} from '../../../../../src-main/core/analysis/pages/describe-shape.ts';
import { createDocument, toNewSnapshot } from '../../../../integration/cache/cache-fixture.ts';

type Entry = Record<string, unknown>;
const toEntries = (change: Entry = {}, count = 20): Entry[] =>
  Array.from({ length: count }, (_entry, index) => ({ ...createDocument(index), ...change }));
const toPage = (entries: readonly unknown[], change: Partial<PageToDescribe> = {}) =>
  describeShape({ report: 'inbound-detail', entries, nextCursor: 'after 20', sizeAsked: 20, ...change });

/** What a page gives rise to after four usual ones. */
function watchAfterUsual(entries: readonly unknown[], change: Partial<PageToDescribe> = {}) {
  let learned: LearnedShape | null = null;
  for (let page = 0; page < 4; page += 1) {
    const watched = watchShape(learned, toPage(toEntries()));
    expect(watched.departures).toEqual([]);
    learned = watched.learned;
  }
  const page = toPage(entries, change);
  const { learned: after, departures } = watchShape(learned, page);
  // What was noted once is known from then on.
  expect(watchShape(after, page).departures).toEqual([]);
  return departures;
}

describe('the shape of a report', () => {
  it('says nothing while it stays as it was', () => {
    expect(watchAfterUsual(toEntries())).toEqual([]);
    expect(watchAfterUsual(toEntries().slice(0, 3), { nextCursor: null })).toEqual([]);
    expect(watchAfterUsual([])).toEqual([]);
  });

  it.each<[string, readonly unknown[], Partial<PageToDescribe>, string, string]>([
    ['a new field', toEntries({ Region: 'north' }), {}, 'shape-new-fields', 'Region'],
    ['a field of another type', toEntries({ Channel: '3' }), {}, 'shape-new-types', 'Channel: number → text'],
    [
      'dates written otherwise',
      toEntries({ Date: '/Date(1732097730123)/' }),
      {},
      'shape-new-dates',
      '2026-11-20T10:00:00.000Z → /Date(1732097730123)/',
    ],
    ['a number for a cursor', toEntries(), { nextCursor: '20' }, 'shape-new-cursor', 'after 20 → 20'],
    ['pages cut short', toEntries().slice(0, 12), {}, 'shape-smaller-pages', '20 → 12'],
  ])('notes %s', (_name, entries, change, code, detail) => {
    expect(watchAfterUsual(entries, change)).toEqual([{ code, count: 1, detail }]);
  });

  it('notes every field that is gone', () => {
    const entries = toEntries().map((entry) =>
      Object.fromEntries(Object.entries(entry).filter(([name]) => name !== 'Origin' && name !== 'Client')),
    );
    expect(watchAfterUsual(entries)).toEqual([
      { code: 'shape-lost-fields', count: 2, detail: 'Client, Origin' },
    ]);
  });

  it('takes no offence at fields that come and go, at nulls, or at parts of a second', () => {
    const sometimes = (change: Entry): Entry[] =>
      toEntries().map((entry, index) => (index % 2 === 0 ? { ...entry, ...change } : entry));
    let learned: LearnedShape | null = null;
    for (let page = 0; page < 4; page += 1)
      learned = watchShape(learned, toPage(sometimes({ Note: 'x' }))).learned;
    expect(watchShape(learned, toPage(toEntries({ Error: null }))).departures).toEqual([]);
    expect(watchShape(learned, toPage(toEntries({ Date: '2026-11-20T10:00:00Z' }))).departures).toEqual([]);
  });

  it('is not swollen by a service that names fields after its data', () => {
    let learned: LearnedShape | null = null;
    for (let page = 0; page < 50; page += 1) {
      const entries = toEntries().map((entry, index) => ({ ...entry, [`field ${page} ${index}`]: 1 }));
      learned = watchShape(learned, toPage(entries)).learned;
    }
    expect(Object.keys(learned!.fields).length).toBeLessThanOrEqual(300);
  });

  it('looks at entries that are no records without complaint', () => {
    expect(toPage([1, null, 'x', []]).fields).toEqual({});
    expect(watchShape(null, toPage([1])).departures).toEqual([]);
  });
});

describe('dates outside the period', () => {
  const { period } = toNewSnapshot({}, 60);

  it('are counted, both ends and the last second being inside', () => {
    const inside = [period.fromMs, period.toMs, period.toMs + 999, null].map((dateMs) => ({ dateMs }));
    expect(findOutside(inside, period)).toEqual([]);
    const outside = [period.fromMs - 1, period.toMs + 1000].map((dateMs) => ({ dateMs }));
    expect(findOutside([...inside, ...outside], period)).toEqual([
      { code: 'dates-outside-period', count: 2 },
    ]);
  });
});

it('lets free texts for dates fill neither the memory nor the remarks', () => {
  let known: LearnedShape | null = null;
  let told = 0;
  for (let number = 0; number < 200; number += 1) {
    const text = `free ${'x'.repeat(number % 30)} text ${'y'.repeat(number % 7)}`;
    const page = describeShape({
      report: 'inbound-detail',
      entries: [{ Date: text, Id: 'a' }],
      nextCursor: null,
      sizeAsked: null,
    });
    const { learned, departures } = watchShape(known, page);
    known = learned;
    told += departures.length;
  }
  expect(Object.keys(known!.dateForms)).toHaveLength(50);
  expect(told).toBeLessThanOrEqual(50);
});
