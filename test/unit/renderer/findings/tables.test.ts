import { mount } from '@vue/test-utils';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findingsCommand } from '../../../../src-main/cli/commands/findings.ts';
import type { CommandContext } from '../../../../src-main/cli/words/command.ts';
import {
  FINDING_KIND_ROWS,
  FINDING_KINDS,
} from '../../../../src-main/common/model/analysis/finding-kinds.ts';
import type { FindingsReport } from '../../../../src-main/common/model/analysis/finding.ts';
import { LANGUAGES } from '../../../../src-main/common/model/settings/language.ts';
import { createFindingSentences } from '../../../../src-main/common/words/finding-words.ts';
import { ENGLISH } from '../../../../src-main/common/words/words.ts';
import { SPOKEN_MESSAGES } from '../../../../src-main/common/words/messages.ts';
import { fromNewAlert, canAlert, toFindingAlert } from '../../../../src-renderer/alerts/alert-link.ts';
import { FINDING_ICONS } from '../../../../src-renderer/components/finding-icons.ts';
import FindingsPanel from '../../../../src-renderer/screens/overview/findings/FindingsPanel.vue';
import { exportCommand } from '../../../../src-main/cli/commands/exports.ts';
import { importCommand } from '../../../../src-main/cli/commands/imports.ts';
import { writeCommandHelp } from '../../../../src-main/cli/words/command.ts';
import {
  EXPORT_FORMATS,
  IMPORTED_EXTENSIONS,
  IMPORTED_FORMATS,
  type ImportedFormat,
  isDocumentFormat,
  toFormatRow,
} from '../../../../src-main/common/model/exports/export-options.ts';
import {
  findReportField,
  RECORD_FIELD_NAMES,
  toFieldRow,
} from '../../../../src-main/common/model/records/record-fields.ts';
import { findQueryField } from '../../../../src-main/common/query/query-fields.ts';
import { DIRECTIONS } from '../../../../src-main/common/reporting/reports.ts';
import { detectFormat } from '../../../../src-main/node/record-files.ts';
import FormatCards from '../../../../src-renderer/components/dialogs/export/FormatCards.vue';
import { toRecordFields } from '../../../../src-renderer/inspector/record-fields.ts';
import { createMessages } from '../../../../src-renderer/messages/index.ts';
import {
  listDefaultLayout,
  listSortable,
} from '../../../../src-renderer/screens/detail/grid/grid-columns.ts';
import { makeRecord } from '../../../support/samples/make-record.ts';
import { makeFinding } from '../../../support/findings/make-finding.ts';
import { provideApplication } from '../support/provide-application.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';
import { surround } from '../support/surround.ts';

const readGuide = (page: string): string => readFileSync(`resources/guide/${page}.md`, 'utf8');
const guide = readGuide('analysis');
const NOW_MS = Date.UTC(2026, 10, 26, 18);

const readKey = (tree: unknown, key: string): unknown =>
  key
    .split('.')
    .reduce<unknown>((found, name) => (found as Record<string, unknown> | undefined)?.[name], tree);

/** The window's words of a language for these keys are there. */
function expectWords(language: string, file: string, keys: readonly string[]): void {
  const words: unknown = JSON.parse(readFileSync(`src-renderer/messages/${language}/${file}.json`, 'utf8'));
  for (const key of keys) expect(readKey(words, key), `${file}: ${key}`).toEqual(expect.any(String));
}

/** What a command works with; keeps the rows that it writes. */
const makeContext = (report: FindingsReport, tables: unknown[][]): CommandContext =>
  ({
    args: { require: () => 'one', find: () => null, has: () => false, all: () => ['one'] },
    out: {
      json: () => Promise.resolve(),
      text: () => Promise.resolve(),
      note: () => undefined,
      table: (_head: unknown, cells: unknown[][]) => Promise.resolve(void tables.push(...cells)),
    },
    open: () =>
      Promise.resolve({
        call: (name: string) =>
          Promise.resolve(
            name === 'findings/list'
              ? report
              : [{ id: 'one', name: 'one', serviceZone: 'UTC', baseAddress: '', tenant: 1 }],
          ),
      }),
    now: () => NOW_MS,
  }) as unknown as CommandContext;

describe.each(FINDING_KINDS)('the kind %s', (kind) => {
  const row = FINDING_KIND_ROWS[kind];
  const isLess = kind === 'volume-down';
  const item = makeFinding({
    kind,
    part: kind === 'down' || kind === 'recovered-late' ? 'connector' : null,
    endedMs: null,
    recent: isLess ? 20 : 300,
    usual: 100,
  });

  it.each(LANGUAGES)('has its words in %s', (language) => {
    for (const key of Object.values(row.words))
      expect(readKey(SPOKEN_MESSAGES[language], key), key).toEqual(expect.any(String));
    expectWords(language, 'analysis/incidents', [`kind.${kind}`]);
  });

  it('is shown in the window with its own picture, sentences, and a way to an alert where one can watch for it', async () => {
    const { global, router } = await provideApplication(new ScriptedBackend({}));
    const panel = mount(FindingsPanel, {
      props: {
        report: { findings: [item], resolved: [], untilMs: NOW_MS, gaps: [] },
        error: null,
        period: null,
      },
      global: surround(global, { nowMs: NOW_MS }),
    });
    const sentences = createFindingSentences({ ...ENGLISH, toText: (_field, value) => String(value) });
    expect(panel.text()).toContain(sentences.toTitle(item));
    expect(panel.text()).toContain(sentences.toDetail(item));
    expect(panel.findComponent(FINDING_ICONS[row.icon]).exists()).toBe(true);
    const button = panel.find('button[aria-label^="Create alert"]');
    expect(button.exists()).toBe(row.alert !== null);
    expect(canAlert(item)).toBe(row.alert !== null);
    if (!canAlert(item)) return;
    const { query } = router.resolve(toFindingAlert(item));
    expect(fromNewAlert(query)?.subject).toBe(row.alert === 'status' ? 'connector' : row.alert);
  });

  it('is printed by the command line by its name', async () => {
    const tables: unknown[][] = [];
    const report = { findings: [item], resolved: [], untilMs: NOW_MS, gaps: [] };
    await findingsCommand.run(makeContext(report, tables));
    const unit = { outage: ' %', failing: ' %', family: ' %', times: ' ms', volume: '' }[row.measure];
    const share = unit === ' %' ? 100 : 1;
    expect(tables[0]?.[0]).toBe(row.name);
    expect(tables[0]?.slice(10, 12).map((cell) => parseFloat(String(cell)))).toEqual([
      item.recent * share,
      item.usual * share,
    ]);
    expect(String(tables[0]?.[10]).endsWith(unit)).toBe(true);
  });

  it('is explained in the guide', () => {
    expect(guide).toContain(`| ${row.name} `);
  });

  it('joins kinds that matter more, and goes on as one that is its own', () => {
    const place = FINDING_KINDS.indexOf(kind);
    for (const other of row.joins) expect(FINDING_KINDS.indexOf(other)).toBeLessThan(place);
    expect(FINDING_KIND_ROWS[row.sameAs].sameAs).toBe(row.sameAs);
  });
});

describe.each(EXPORT_FORMATS)('the format %s', (format) => {
  const row = toFormatRow(format);

  it.each(LANGUAGES)('has its words in %s', (language) => {
    expectWords(language, 'records/exports', [format, `${format}Note`]);
    if (!isDocumentFormat(format)) expectWords(language, 'records/exports', [`otherFieldsIn.${format}`]);
  });

  it('is offered in the window with a picture of its own', () => {
    const cards = mount(FormatCards, {
      props: { modelValue: format, formats: EXPORT_FORMATS, disabled: false },
      global: surround({ plugins: [createMessages()] }, {}),
    });
    const pictures = cards.findAll('button svg').map((picture) => picture.html());
    expect(pictures).toHaveLength(EXPORT_FORMATS.length);
    expect(new Set(pictures).size).toBe(EXPORT_FORMATS.length);
  });

  it('is offered by the command line', () => {
    expect(writeCommandHelp('channelscope-cli', exportCommand)).toMatch(new RegExp(`\\b${format}\\b`, 'u'));
  });

  it('is explained in the guide, also where it is read back', () => {
    expect(readGuide('exports')).toContain(isDocumentFormat(format) ? row.name : `| ${row.name} `);
    if (row.isImported) expect(readGuide('library-import')).toMatch(new RegExp(`\\b${row.name}\\b`, 'u'));
  });

  it('is offered by the command line and the dialog of files where it is read back', () => {
    const { about = '' } = importCommand;
    expect(new RegExp(`\\b${row.name}\\b`, 'u').test(about)).toBe(row.isImported);
    expect(IMPORTED_EXTENSIONS.includes(row.extension)).toBe(row.isImported);
  });
});

it('what is read back is recognised by what it holds', () => {
  const record = '{"Id":"a","Date":"2026-11-20T10:00:00Z"}';
  const beginnings: Readonly<Record<ImportedFormat, string>> = {
    csv: 'Id,Date\r\na,2026-11-20T10:00:00Z\r\n',
    json: `{"documents":[${record}]}`,
    ndjson: `${record}\n${record}\n`,
    parquet: 'PAR1',
  };
  for (const format of IMPORTED_FORMATS)
    expect(detectFormat(Buffer.from(beginnings[format]), (fault) => new Error(fault)).format.kind).toBe(
      format,
    );
});

describe.each(RECORD_FIELD_NAMES)('the field %s', (name) => {
  const row = toFieldRow(name);

  it.each(LANGUAGES)('has its words in %s', (language) => {
    const { column, grouped, watched, named } = row;
    expectWords(language, 'records/detail', [`fields.${name}`]);
    if (column !== undefined || named === true) expectWords(language, 'records/detail', [`columns.${name}`]);
    if (named === true) expectWords(language, 'connections/names', [`menu.${name}`]);
    if (watched === true)
      expectWords(language, 'analysis/alerts', [`choices.each.${name}`, `values.${name}`]);
    if (grouped === undefined) return;
    expectWords(
      language,
      'analysis/summary',
      ['by', 'then', 'no', 'countOf', 'columns'].map((list) => `${list}.${name}`),
    );
    expectWords(
      language,
      'records/comparison',
      ['groupBy', 'thenBy', 'fields', 'noValue', 'value'].map((list) => `${list}.${name}`),
    );
    if (name !== 'outcome') expectWords(language, 'window/settings', [`choices.histogramSplit.${name}`]);
  });

  it('is found by its name in a query, and by no name of another one', () => {
    for (const known of [row.query.keyword, ...(row.query.otherNames ?? [])])
      expect(findQueryField(known)?.field, known).toBe(name);
  });

  it('is named in the guide as queries name it', () => {
    expect(readGuide('filters')).toContain(`\`${row.query.keyword}\``);
  });

  it.each(DIRECTIONS)('is shown in the window as the service names it: %s', (direction) => {
    const field = findReportField(name, direction);
    const record = makeRecord();
    const layout = listDefaultLayout(direction);
    const shown = toRecordFields(record, direction, 'UTC').map((each) => each.name);
    expect(layout.some(({ id }) => id === name)).toBe(row.column !== undefined && field !== null);
    expect(listSortable(direction).some((own) => own === name)).toBe(row.sorted === true && field !== null);
    // The family of an error has the name of the error.
    if (field !== null && name !== 'errorFamily')
      expect(shown.includes(field.wireName)).toBe(row.inspected !== undefined);
  });
});

describe.each(LANGUAGES)('a finding of one origin and action, in %s', (language) => {
  const t = (key: string, values: Record<string, string>): string =>
    String(readKey(SPOKEN_MESSAGES[language], key)).replace(
      /\{(\w+)\}/g,
      (_, name: string) => values[name] ?? '',
    );
  const sentences = createFindingSentences({
    t,
    formats: ENGLISH.formats,
    toText: (field, value) => (field === 'actionId' ? `${value} (Pay)` : String(value)),
  });
  const within = [
    { field: 'origin' as const, value: 'web' },
    { field: 'actionId' as const, value: '12' },
  ];

  it('names them after its channel and service, the action by the name that a person gave it', () => {
    const title = sentences.toTitle(makeFinding({ within }));
    expect(title).toMatch(/3.*7, \S+ web, \S+ 12 \(Pay\):/);
  });

  it('is not told as one of all channels', () => {
    const place = { channel: null, service: null, count: 655, requests: 655, recent: 1 };
    expect(sentences.toTitle(makeFinding({ ...place, within }))).toContain('web');
  });
});
