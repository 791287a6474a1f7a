import { describe, expect, test } from 'vitest';
import { ERROR_CODES } from '../../../../src-main/common/contract/errors.ts';
import { NOTE_BITS } from '../../../../src-main/common/reporting/reading/read-record.ts';
import { createMessages } from '../../../../src-renderer/messages/index.ts';
import { toErrorLike } from '../../../../src-renderer/messages/error-like.ts';

const SHAPE_REMARKS = [
  'shape-new-fields',
  'shape-lost-fields',
  'shape-new-types',
  'shape-new-dates',
  'shape-new-cursor',
  'shape-smaller-pages',
  'dates-outside-period',
];
const { t, te, messages } = createMessages().global;

function listWords(tree: object, path: string): [string, string][] {
  return Object.entries(tree).flatMap(([name, value]: [string, unknown]): [string, string][] => {
    const key = path === '' ? name : `${path}.${name}`;
    return typeof value === 'string' ? [[key, value]] : listWords(value as object, key);
  });
}
const allWords = listWords((messages.value as unknown as { en: object }).en, '');

describe('words', () => {
  test.each(ERROR_CODES)('%s says what happened and what to do', (code) => {
    for (const part of ['title', 'text', 'action']) {
      const key = `errors.${code}.${part}`;
      expect(te(key), key).toBe(true);
      expect(t(key, { body: 'x', zone: 'x' })).not.toMatch(/[{}]|^errors\./);
    }
  });

  test.each([...Object.keys(NOTE_BITS), ...SHAPE_REMARKS])('the remark %s has words', (code) => {
    expect(te(`remarks.${code}`)).toBe(true);
  });
});

test('a number stands beside a noun in the singular and in the plural', () => {
  const nouns =
    'entries|records|pages|groups|requests|rows|snapshots|reports|minutes|days|periods|gaps|fields|lines|characters|saved views|seconds|columns|sessions|values';
  const plural = new RegExp(`\\{\\w+\\} (${nouns})\\b`);
  // Limits, what is cut because it is long, the map's thirty days, and the days of a month.
  const alwaysMany = [
    'alerts.values.more',
    'library.coverage.lastDays',
    'deprecations.monthHas',
    'detail.saved.faults.name-long',
    'detail.saved.faults.too-many',
    'detail.inspector.cutCharacters',
    'detail.inspector.cutLines',
    'errors.cache.too-many-marks.text',
    'errors.local-service.import-failed.reasons.columns',
    'local-service.import.faults.text-too-long',
    'secrets.hint',
    'secrets.strength.short',
    'sql.chart.faults.too-many',
    'sql.saved.faults.name-long',
    'sql.faults.timeout',
  ];
  const withoutSingular = allWords.filter(
    ([key, words]) => plural.test(words) && !words.includes(' | ') && !alwaysMany.includes(key),
  );
  expect(withoutSingular).toEqual([]);
  expect(t('summary.groups', { count: '1' }, 1)).toBe('1 group');
  expect(t('summary.groups', { count: '1,200' }, 1200)).toBe('1,200 groups');
});

test('no message holds the keys of its neighbours', () => {
  expect(allWords.filter(([, words]) => /'[,:]\s*'|"[,:]\s*"/.test(words))).toEqual([]);
});

test('the words are those of the trade', () => {
  const dialect = /\b(answered|told|hears?|holes?|set aside|tolerated|anew|nobody|fits)\b/i;
  expect(allWords.filter(([, words]) => dialect.test(words))).toEqual([]);
});

test('what is thrown keeps its code and details, and anything else is an unexpected error', () => {
  expect(toErrorLike({ code: 'client.tls', details: { address: 'x' } })).toEqual({
    code: 'client.tls',
    details: { address: 'x' },
  });
  expect(toErrorLike(new Error('x'))).toEqual({ code: 'app.bug', details: {} });
  expect(toErrorLike(null)).toEqual({ code: 'app.bug', details: {} });
});
