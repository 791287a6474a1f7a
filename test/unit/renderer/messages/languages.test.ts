import { describe, expect, it, onTestFinished, test } from 'vitest';
import { LANGUAGES, toLanguage, toLocale } from '../../../../src-main/common/model/settings/language.ts';
import { createFormats } from '../../../../src-main/common/words/formats.ts';
import { createWords } from '../../../../src-main/common/words/words.ts';
import { formatAxisCount } from '../../../../src-renderer/charts/chart-style.ts';
import { setFormats } from '../../../../src-renderer/format/formats.ts';
import { createMessages, loadMessages } from '../../../../src-renderer/messages/index.ts';
import { toPseudo } from '../../../support/languages/pseudo-messages.ts';
import { compareMessages, findFault, readMessages } from '../../../support/checks/compare-messages.ts';

const FOLDERS = ['src-renderer/messages', 'src-main/common/words'];
/** Words that are written the same in another language, and what no language translates. */
const MAX_SAME_SHARE = 0.12;

describe.each(FOLDERS)('%s', (folder) => {
  const english = readMessages(folder, 'en');

  it.each(LANGUAGES.slice(1))('says in %s what it says in English, and nothing else', (language) => {
    expect(english.size).toBeGreaterThan(50);
    expect(compareMessages(english, readMessages(folder, language))).toEqual({
      missing: [],
      unknown: [],
      unequal: [],
    });
  });

  it.each(LANGUAGES.slice(1))('is translated into %s', (language) => {
    const other = readMessages(folder, language);
    const words = [...english].filter(([, text]) => /[a-z]{3}/i.test(text.replace(/\{[^}]*\}/g, '')));
    const same = words.filter(([key, text]) => other.get(key) === text);
    expect(same.length / words.length).toBeLessThan(MAX_SAME_SHARE);
  });
});

test.each([
  ['{count} record | {count} records', '{count} registros', '1 plural forms, not 2'],
  ['Until {time}', 'Hasta {hora}', 'placeholders {hora}, not {time}'],
  ['Until {time}', 'Hasta', 'placeholders none, not {time}'],
  ['Save', ' ', 'empty'],
  [' or ', 'o', 'spaces at its ends'],
  ['Until {time}', 'Hasta {time}', null],
])('"%s" for "%s": %s', (english, translated, fault) => {
  expect(findFault(english, translated)).toBe(fault);
});

describe('the language of a choice', () => {
  it.each([
    ['system', ['de-AT', 'en-US'], 'de', 'de-AT'],
    ['system', ['fr-FR', 'pt-PT'], 'pt', 'pt-PT'],
    ['system', ['ja'], 'en', 'en-GB'],
    ['system', [], 'en', 'en-GB'],
    ['system', ['en-US', 'de'], 'en', 'en-GB'],
    ['es', ['de'], 'es', 'es'],
    ['es', ['en-US', 'es-MX'], 'es', 'es-MX'],
    ['system', ['de_DE.UTF-8', 'es-ES'], 'es', 'es-ES'],
  ] as const)('%s with %j is %s, written as %s', (choice, system, language, locale) => {
    expect(toLanguage(choice, system)).toBe(language);
    expect(toLocale(language, system)).toBe(locale);
  });
});

test.each([
  [
    'en-GB',
    '412,331',
    '12.5%',
    '<0.1%',
    '20 Nov',
    '20 Nov 2026',
    'Nov 2026',
    '1,000.5',
    'a, b and c',
    '2.5%',
  ],
  [
    'es',
    '412.331',
    '12,5\u00a0%',
    '<0,1\u00a0%',
    '20 nov',
    '20 nov 2026',
    'nov 2026',
    '1000,5',
    'a, b y c',
    '2,5\u00a0%',
  ],
  [
    'pt-BR',
    '412.331',
    '12,5%',
    '<0,1%',
    '20 nov.',
    '20 nov. 2026',
    'nov. 2026',
    '1.000,5',
    'a, b e c',
    '2,5%',
  ],
  [
    'de',
    '412.331',
    '12,5\u00a0%',
    '<0,1\u00a0%',
    '20. Nov.',
    '20. Nov. 2026',
    'Nov. 2026',
    '1.000,5',
    'a, b und c',
    '2,5\u00a0%',
  ],
])('%s writes numbers, dates and lists its own way', (locale, ...expected) => {
  const formats = createFormats(locale);
  const atMs = Date.UTC(2026, 10, 20, 15, 52);
  expect([
    formats.formatCount(412_331),
    formats.formatPercent(0.125),
    formats.formatPercent(0.0001),
    formats.formatDay(atMs, 'UTC'),
    formats.formatFullDay(atMs, 'UTC'),
    formats.formatMonth(11, 2026),
    formats.formatMeasure(1000.5),
    formats.formatList(['a', 'b', 'c']),
    formats.formatExactPercent(0.025),
  ]).toEqual(expected);
  // What requests and files are written with is the same everywhere.
  expect(formats.formatExact(atMs, 'UTC')).toBe('2026-11-20 15:52:00');
  expect(formats.formatClock(atMs, 'UTC')).toBe('15:52');
});

test.each([
  ['en-GB', 'June', 'October – November 2026', 'December 2026 – January 2027'],
  ['es', 'junio', 'octubre–noviembre de 2026', 'diciembre de 2026 – enero de 2027'],
  ['pt-BR', 'junho', 'outubro – novembro de 2026', 'dezembro de 2026 – janeiro de 2027'],
  ['de', 'Juni', 'Oktober–November 2026', 'Dezember 2026 – Januar 2027'],
])('%s names months in full', (locale, june, months, monthsOfTwoYears) => {
  const formats = createFormats(locale);
  // Which kind of space stands round the dash is left to the language.
  const name = (fromMs: number, toMs: number): string =>
    formats.formatMonths(fromMs, toMs).replaceAll(/\s/gu, ' ');
  expect(formats.formatMonthName(6)).toBe(june);
  expect(name(Date.UTC(2026, 9), Date.UTC(2026, 10))).toBe(months);
  expect(name(Date.UTC(2026, 11), Date.UTC(2027, 0))).toBe(monthsOfTwoYears);
});

test('counts on an axis have the decimal sign of the language', () => {
  setFormats('de');
  onTestFinished(() => {
    setFormats('en-GB');
  });
  expect(formatAxisCount(2500)).toBe('2,5k');
});

test('texts are sorted as a dictionary of the language does, and numbers in them by size', () => {
  const names = ['Zebra', 'Öl', 'Oper', 'Kanal 10', 'Kanal 9'];
  expect(names.toSorted(createFormats('de').compareTexts)).toEqual([
    'Kanal 9',
    'Kanal 10',
    'Öl',
    'Oper',
    'Zebra',
  ]);
});

test('the pseudo-language keeps what is replaced and every plural form, and is two fifths longer', () => {
  const english = readMessages('src-renderer/messages', 'en');
  const unfit = [...english].filter(([, text]) => findFault(text, toPseudo(text)) !== null);
  expect(unfit).toEqual([]);
  const growths = [...english.values()]
    .filter((text) => text.length > 40 && !text.includes('{'))
    .map((text) => toPseudo(text).length / text.length);
  expect(Math.min(...growths)).toBeGreaterThan(1.38);
  expect(toPseudo('{count} record | {count} records')).toBe('⟦{count} ŕéçöŕđ õñé⟧ | ⟦{count} ŕéçöŕđš õñé⟧');
  expect(toPseudo('≥ {value}')).toBe('≥ {value}');
});

test('the window says a message in each language once it is loaded, in English before', async () => {
  const messages = createMessages();
  const words = messages.global;
  words.locale.value = 'de';
  expect(words.t('common.close')).toBe('Close');
  for (const [language, expected] of [
    ['de', 'Schließen'],
    ['es', 'Cerrar'],
    ['pt', 'Fechar'],
    ['en', 'Close'],
  ] as const) {
    await loadMessages(messages, language);
    words.locale.value = language;
    expect(words.t('common.close')).toBe(expected);
  }
});

test('what is said outside of the window follows its plurals, and turns nothing beside a value', () => {
  const { t } = createWords('es', []);
  expect(t('notes.requests', { count: '1' }, 1)).toBe('1 solicitud');
  expect(t('notes.requests', { count: '0' }, 0)).toBe('0 solicitudes');
  expect(t('notes.ended', { name: 'Error\u202egpj' })).toBe('\u2068Error\u202egpj\u2069: finalizada');
});

test.each([
  ['es', 'library.table.selected', '1 seleccionada', '2 seleccionadas'],
  ['pt', 'library.table.selected', '1 selecionado', '2 selecionados'],
  ['es', 'local-service.quirks.on', '1 activa', '2 activas'],
  ['pt', 'glance.counts.unreachable', '1 inacessível', '2 inacessíveis'],
] as const)('%s: what is counted by %s agrees in number', async (language, key, one, two) => {
  const messages = createMessages();
  await loadMessages(messages, language);
  messages.global.locale.value = language;
  expect([1, 2].map((count) => messages.global.t(key, { count }, count))).toEqual([one, two]);
});
