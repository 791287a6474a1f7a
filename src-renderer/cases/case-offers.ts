import { inject } from 'vue';
import { useI18n } from 'vue-i18n';
import { useRouter } from 'vue-router';
import type { Finding } from '../../src-main/common/model/analysis/finding.ts';
import {
  MAX_PART_ROWS,
  type PartContent,
  type PartQuestion,
  type PartTable,
} from '../../src-main/common/model/cases/case.ts';
import type { Session } from '../../src-main/common/model/records/conversation.ts';
import type {
  FilterPart,
  RecordFilter,
  RecordScope,
} from '../../src-main/common/model/records/record-filter.ts';
import type { RecordDetail, RecordOrder, RecordRow } from '../../src-main/common/model/records/record.ts';
import type { SqlColumn } from '../../src-main/common/model/records/sql.ts';
import { createQueryClock } from '../../src-main/common/query/query-values.ts';
import { writeQuery } from '../../src-main/common/query/write-query.ts';
import { DETAIL_KINDS, type Direction } from '../../src-main/common/reporting/reports.ts';
import { SECOND_MS } from '../../src-main/common/time/durations.ts';
import { toIncident } from '../address/record-links.ts';
import { useBackend } from '../backend/backend.ts';
import { caseDoorKey } from '../composables/surroundings.ts';
import { NO_FILTER } from '../filters/filter.ts';
import { formatCount, formatExact } from '../format/formats.ts';
import { NO_CONTENT, toPartFacts, toPartTable, toPartTitle } from '../format/table-text.ts';
import { toRecordFields } from '../inspector/record-fields.ts';
import { useFindingWords } from '../messages/finding-words.ts';
import { useNames } from '../names/use-names.ts';
import { type PeriodEnds, toPeriodText } from '../period/period-selection.ts';
import { useConnectionsStore } from '../stores/connections/connections.ts';
import { DEFAULT_ORDER } from '../stores/records/records.ts';
import { useClockStore } from '../stores/window/times.ts';

const MAX_QUERY_CHARACTERS = 20_000;

interface Asked {
  /** The shown one where it is left out. */
  readonly connectionId?: string;
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
  readonly filter?: RecordFilter;
  /** Left out, the records of both directions in the time. */
  readonly scopes?: readonly RecordScope[];
  readonly zone?: string;
  /** Left out, the address of the screen. */
  readonly place?: string;
}

/** Returns a function that makes the question of a part: what is asked, and the address that shows it in its own period. */
export function usePartQuestion() {
  const router = useRouter();
  const connections = useConnectionsStore();
  const clock = useClockStore();

  function toPlace(fromMs: number, toMs: number): string {
    const { path, query, meta } = router.currentRoute.value;
    // A period that moves with the clock would show another time later.
    const period =
      meta['hasPeriod'] === true
        ? { period: toPeriodText({ kind: 'custom', fromMs, toMs: Math.max(fromMs, toMs - SECOND_MS) }) }
        : {};
    return router.resolve({ path, query: { ...query, ...period } }).fullPath;
  }

  return ({ filter = NO_FILTER, fromMs, toMs, ...asked }: Asked): PartQuestion | null => {
    const { connectionId = connections.active?.id, zone = clock.zone, place = toPlace(fromMs, toMs) } = asked;
    if (connectionId === undefined) return null;
    const scopes = asked.scopes ?? DETAIL_KINDS.map((report) => ({ connectionId, report, fromMs, toMs }));
    const query = writeQuery(filter, createQueryClock(zone)).slice(0, MAX_QUERY_CHARACTERS);
    return { connectionId, scopes: [...scopes], filter, query, fromMs, toMs, zone, place };
  };
}

/** What a person said of it, and the other times that it was there. */
interface Said {
  readonly name?: string;
  readonly note?: string;
  readonly times?: readonly Finding[];
}

/** Returns a function that offers an incident to a case: its words, and its records as the question. */
export function useFindingOffer(): (item: Finding, nowMs: number, said?: Said) => void {
  const { t } = useI18n();
  const router = useRouter();
  const clock = useClockStore();
  const connections = useConnectionsStore();
  const words = useFindingWords();
  const toQuestion = usePartQuestion();
  const offer = inject(caseDoorKey, null);

  return (item, nowMs, { name = '', note = '', times = [item] } = {}) => {
    const connectionId = connections.active?.id;
    if (connectionId === undefined) return;
    const span = { fromMs: item.sinceMs, toMs: item.endedMs ?? item.untilMs };
    const question = toQuestion({
      ...span,
      filter: item.filter,
      scopes: item.directions.map((direction) => ({
        connectionId,
        report: `${direction}-detail` as const,
        ...span,
      })),
      place: router.resolve(toIncident(item, nowMs)).fullPath,
    });
    if (question === null) return;
    const facts = toPartFacts([
      // Without a name of its own the title says it.
      { name: t('cases.finding.what'), value: name === '' ? '' : words.toTitle(item) },
      { name: t('cases.finding.how'), value: words.toDetail(item) },
      ...times.map((own, place) => ({
        name:
          times.length === 1
            ? t('cases.finding.when')
            : t('cases.finding.whenOf', {
                place: formatCount(place + 1),
                count: formatCount(times.length),
              }),
        value:
          own.endedMs === null ? words.toWhen(own, nowMs, clock.zone) : words.toSpan(own, nowMs, clock.zone),
      })),
      { name: t('cases.finding.family'), value: item.errorFamily ?? '' },
      { name: t('cases.finding.note'), value: note },
      {
        name: t('cases.finding.sessions'),
        value: item.examples.map(({ sessionId }) => sessionId).join(', '),
      },
    ]);
    offer?.({
      kind: 'finding',
      title: toPartTitle(name || words.toTitle(item)),
      question,
      readContent: () => ({ ...NO_CONTENT, facts }),
    });
  };
}

/** Columns of results that name a client, or hold what was said, whatever statement they are of. */
const ROLES: Readonly<Record<string, 'client' | 'body'>> = {
  client: 'client',
  Client: 'client',
  payload: 'body',
  response: 'body',
};

/** Returns functions that read what records, results and sessions show, as parts of a case keep it. */
export function useRecordParts() {
  const { t } = useI18n();
  const backend = useBackend();
  const clock = useClockStore();
  const names = useNames();
  const toCount = (value: number | null): string => (value === null ? '' : formatCount(value));
  const toName = (field: 'channel' | 'service', value: number | null): string =>
    value === null ? '' : names.toText(field, value);
  const toDate = ({ dateMs, dateText }: Pick<RecordRow, 'dateMs' | 'dateText'>): string =>
    dateMs === null ? dateText : formatExact(dateMs, clock.zone);

  /** Records, of each what its row shows. */
  function toRowsContent(rows: readonly RecordRow[], rowCount = rows.length): PartContent {
    const columns = [
      { name: t('detail.columns.dateMs'), isRight: false },
      { name: t('detail.columns.responseCode'), isRight: true },
      { name: t('detail.columns.channel'), isRight: false },
      { name: t('detail.columns.service'), isRight: false },
      { name: t('detail.columns.client'), isRight: false, role: 'client' as const },
      { name: t('detail.columns.responseTimeMs'), isRight: true },
      { name: t('detail.columns.error'), isRight: false },
      { name: t('detail.columns.payload'), isRight: false, role: 'body' as const },
      { name: t('detail.columns.sessionId'), isRight: false },
    ];
    const cells = rows.map((row) => [
      toDate(row),
      row.responseCode,
      toName('channel', row.channel),
      toName('service', row.service),
      row.client,
      toCount(row.responseTimeMs),
      row.error,
      row.payloadPreview,
      row.sessionId,
    ]);
    return { ...NO_CONTENT, table: toPartTable(columns, cells, rowCount) };
  }

  /** The first records that meet a filter, in their order; of each what its row shows. */
  async function readRecords(
    scope: RecordScope,
    filter: RecordFilter,
    order: RecordOrder = DEFAULT_ORDER,
  ): Promise<PartContent> {
    const { viewId } = await backend.call('records/open-view', { scope, filter, order });
    try {
      const { rowCount } = await backend.call('records/count-view', { viewId });
      const rows =
        rowCount === 0
          ? []
          : await backend.call('records/read-rows', { viewId, offset: 0, limit: MAX_PART_ROWS });
      return toRowsContent(rows, rowCount);
    } finally {
      backend.call('records/close-view', { viewId }).catch(() => undefined);
    }
  }

  /** The first rows of an open result. Its values stay as they came, so that asking again can tell which are new. */
  async function readResult(
    resultId: string,
    columns: readonly SqlColumn[],
    rowCount: number,
    statement: string | null,
  ): Promise<PartContent> {
    const rows =
      rowCount === 0
        ? []
        : await backend.call('sql/read-rows', { resultId, offset: 0, limit: MAX_PART_ROWS, whole: false });
    const shown = columns.map(({ name, kind }) => {
      const role = ROLES[name];
      return { name, isRight: kind === 'number', ...(role === undefined ? {} : { role }) };
    });
    return { ...NO_CONTENT, table: toPartTable(shown, rows, rowCount), statement };
  }

  /** One record: its fields by the names of the service, its error, and what was said. */
  function toRecordContent(record: RecordDetail, direction: Direction): PartContent {
    const fields = toRecordFields(record, direction, clock.zone).map(({ id, name, value, isPersonal }) => {
      const own = { name, value: value === '–' ? '' : value };
      if (id === 'client') return { ...own, role: 'client' as const };
      return isPersonal === true ? { ...own, role: 'body' as const } : own;
    });
    const facts = [
      { name: t('detail.columns.responseCode'), value: String(record.responseCode ?? '') },
      { name: t('detail.columns.error'), value: record.error },
      ...fields,
      { name: t('detail.columns.payload'), value: record.payload, role: 'body' as const },
      { name: t('detail.inspector.response'), value: record.response ?? '', role: 'body' as const },
    ];
    return { ...NO_CONTENT, facts: toPartFacts(facts) };
  }

  /** A session, request by request. */
  function toSessionContent({ requests }: Session): PartContent {
    const columns = [
      { name: t('detail.columns.dateMs'), isRight: false },
      { name: t('comparison.direction'), isRight: false },
      { name: t('detail.columns.responseCode'), isRight: true },
      { name: t('detail.columns.channel'), isRight: false },
      { name: t('detail.columns.service'), isRight: false },
      { name: t('detail.columns.actionId'), isRight: false },
      { name: t('detail.columns.responseTimeMs'), isRight: true },
      { name: t('detail.columns.client'), isRight: false, role: 'client' as const },
      { name: t('detail.columns.error'), isRight: false },
      { name: t('detail.columns.payload'), isRight: false, role: 'body' as const },
    ];
    const rows = requests.map((request) => [
      formatExact(request.dateMs, clock.zone),
      t(`casefile.reports.${request.direction}-detail`),
      request.responseCode,
      toName('channel', request.channel),
      toName('service', request.service),
      request.actionId,
      toCount(request.responseTimeMs),
      request.client,
      request.error,
      request.payloadPreview ?? '',
    ]);
    return { ...NO_CONTENT, table: toPartTable(columns, rows) };
  }

  return { readRecords, toRowsContent, readResult, toRecordContent, toSessionContent };
}

/** Of so many rows a question names each by its session and moment; of more, their sessions and the time that all lie in. */
const MAX_NAMED_ROWS = 20;
/** Sessions that a question names; of rows of more of them it is asked by their time alone. */
const MAX_SESSIONS = 100;

/** What the rows of a table are of. */
interface Shown {
  readonly scope: RecordScope | null;
  readonly filter: RecordFilter;
  readonly period: PeriodEnds | null;
}

/** Returns what offers selected records to a case. No field of a record is a key: they are found by sessions and time. */
export function useRowsOffer(readShown: () => Shown) {
  const { t } = useI18n();
  const toQuestion = usePartQuestion();
  const { toRowsContent } = useRecordParts();
  const offer = inject(caseDoorKey, null);
  const clock = useClockStore();

  function toTitle(rows: readonly RecordRow[]): string {
    const [{ dateMs, dateText } = { dateMs: null, dateText: '' }] = rows;
    if (rows.length > 1) return t('cases.add.rows', { count: formatCount(rows.length) }, rows.length);
    return t('cases.add.record', { time: dateMs === null ? dateText : formatExact(dateMs, clock.zone) });
  }

  function add(rows: readonly RecordRow[]): void {
    const { scope, filter, period } = readShown();
    if (rows.length === 0 || scope === null || period === null) return;
    const dates = rows.flatMap(({ dateMs }) => dateMs ?? []);
    const sessions = [...new Set(rows.map(({ sessionId }) => sessionId))];
    const conditions: FilterPart[] = [];
    let span = { fromMs: period.fromMs, toMs: period.toMs + SECOND_MS };
    if (dates.length === rows.length) {
      span = { fromMs: Math.min(...dates), toMs: Math.max(...dates) + 1 };
      conditions.push({ field: 'dateMs', min: span.fromMs, max: span.toMs });
    }
    const isNamed = rows.length > 1 && rows.length <= MAX_NAMED_ROWS && dates.length === rows.length;
    if (isNamed) conditions.push({ any: rows.map(toOwnFilter) });
    else if (sessions.length <= MAX_SESSIONS) conditions.push({ field: 'sessionId', values: sessions });
    const own = { conditions: [...filter.conditions, ...conditions] };
    // What else is missing of the table's period says nothing of these.
    const scopes = ['snapshotId' in scope ? scope : { ...scope, ...span }];
    const question = toQuestion({ ...span, filter: own, scopes });
    if (question === null) return;
    offer?.({
      kind: 'records',
      title: toPartTitle(toTitle(rows)),
      question,
      readContent: () => toRowsContent(rows),
    });
  }

  return { canAdd: offer !== null, add };
}

function toOwnFilter({ sessionId, dateMs }: RecordRow): RecordFilter {
  const at = dateMs ?? 0;
  return {
    conditions: [
      { field: 'sessionId', values: [sessionId] },
      { field: 'dateMs', min: at, max: at + 1 },
    ],
  };
}

/** What only a screen reader, or nobody, needs. */
const UNSEEN = '.sr-only, [aria-hidden="true"], svg, style';

/** Reads a table as it stands on the screen: the words of each cell. Null where there is none. */
export function readShownTable(around: Element | null): PartTable | null {
  const table = around instanceof HTMLTableElement ? around : around?.querySelector('table');
  const [above, own] = [...(table?.querySelectorAll('thead tr') ?? [])].slice(-2);
  const head = own ?? above;
  if (table === null || table === undefined || head === undefined) return null;
  // Columns of two groups may have one name.
  const groups = own === undefined || above === undefined ? [] : listCells(above).flatMap(spread);
  const columns = listCells(head).map((cell, place) => ({
    name: [groups[place] ?? '', readWords(cell)].filter((words) => words !== '').join(': '),
    isRight: ['right', 'end'].includes(getComputedStyle(cell).textAlign),
  }));
  const rows = [...table.querySelectorAll('tbody tr')].map((row) =>
    // A cell over several columns leaves the others empty.
    listCells(row).flatMap((cell) => [
      readWords(cell),
      ...Array.from({ length: Math.max(1, cell.colSpan) - 1 }, () => ''),
    ]),
  );
  // Columns of buttons and bars say nothing.
  const told = columns.flatMap((_column, place) =>
    rows.some((row) => (row[place] ?? '') !== '') ? [place] : [],
  );
  if (told.length === 0) return null;
  return toPartTable(
    told.flatMap((place) => columns[place] ?? []),
    rows.map((row) => told.map((place) => row[place] ?? '')),
  );
}

/** The words of a head over columns, line by line, for each of its columns. */
function spread(cell: HTMLTableCellElement): string[] {
  const lines = [...cell.childNodes].map((node) => (node.textContent ?? '').trim());
  const words = lines.filter((line) => line !== '').join(', ');
  return Array.from({ length: Math.max(1, cell.colSpan) }, () => words);
}

function listCells(row: Element): HTMLTableCellElement[] {
  return [...row.querySelectorAll<HTMLTableCellElement>(':scope > :is(th, td)')];
}

function readWords(cell: HTMLTableCellElement): string {
  const copy = cell.cloneNode(true) as HTMLElement;
  for (const unseen of copy.querySelectorAll(UNSEEN)) unseen.remove();
  return copy.textContent.replaceAll(/\s+/g, ' ').trim();
}
