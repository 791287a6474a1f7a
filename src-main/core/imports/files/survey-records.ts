import { isSensibleInstant } from '../../../common/model/period.ts';
import { AppError } from '../../../common/contract/errors.ts';
import { createDecimalSignFinder, type DecimalSign } from '../../../common/csv-habits.ts';
import {
  createDateReader,
  createOrderFinder,
  type DateOrder,
  type FoundOrders,
  isEmptyDate,
  readSpreadsheetDate,
} from '../../../common/reporting/reading/read-date.ts';
import { DETAIL_KINDS, type ReportKind } from '../../../common/reporting/reports.ts';
import { toUnreadable } from '../../../common/words/to-unreadable.ts';
import type { ImportFault } from '../../../common/words/unreadable-file.ts';
import type { ReadParquet } from '../../analysis/parquet/create-parquet-reader.ts';
import {
  type CsvFindings,
  type CsvHead,
  detectReport,
  readCsvHead,
  readCsvRecords,
} from './read-csv-records.ts';
import {
  NOTHING_STATED,
  readStatedHead,
  readStatedParquet,
  readText,
  type RecordFile,
  type StatedFacts,
} from './open-record-file.ts';
import { readJsonHead, readJsonRecords, type FileRecords, type RecordFindings } from './read-json-records.ts';
import { createWireRecordWriter, type WireRecord } from './write-imported-pages.ts';

/** What a person said about a file. */
export interface SaidOfFile {
  readonly report: ReportKind | null;
  /** Zone of dates that carry none, where the file doesn't say it. */
  readonly zone: string;
  /** How a spreadsheet wrote its dates, where they don't tell. */
  readonly dateOrder: DateOrder | null;
}

/** A file whose records are read; those of Parquet from the lines that were written of them. */
export interface SurveyedFile extends RecordFile {
  readonly parquet: ReadParquet | null;
}

/** All that is known of a file once it was read from its beginning to its end. */
export interface Survey {
  readonly facts: StatedFacts;
  readonly report: ReportKind;
  readonly recordCount: number;
  /** Zone of dates that carry none. */
  readonly zone: string;
  /** The zone is the one that a person said, or the default, and there are dates that need it. */
  readonly isZoneAssumed: boolean;
  /** Dates of the first and the last record by time; null where none could be read that a period may name. */
  readonly firstMs: number | null;
  readonly lastMs: number | null;
  /** Records dated outside the period that the file states, or outside any that there could be. */
  readonly outsideCount: number;
  /** How dates that the service wouldn't have written so were read; null where there are none. */
  readonly dates: SpreadsheetDates | null;
  /** Apostrophes before formulas are taken off, though no manifest says that they were put there. */
  readonly isGuardAssumed: boolean;
  readonly leftOut: readonly string[];
  readonly findings: RecordFindings;
}

/** What a spreadsheet made of a file's dates. */
export interface SpreadsheetDates extends Pick<FoundOrders, 'readCount' | 'unreadCount' | 'unreadSample'> {
  /** Null where none of them could be read. */
  readonly order: DateOrder | null;
  /** One of them as it stands in the file, and as it was read. */
  readonly sample: string | null;
  readonly sampleIso: string | null;
}

/** A file that was surveyed. */
export interface Surveyed {
  readonly survey: Survey;
  /** Reads the records once more, as the service would have sent them. */
  read(signal: AbortSignal, onBytes: (bytes: number) => void): AsyncGenerator<WireRecord>;
}

/**
 * Reads a whole file without keeping anything, so that one which is damaged brings nothing. Throws `imports.unreadable`,
 * and `imports.dates-ambiguous` where day and month can't be told apart and nobody said which is which.
 */
export async function surveyRecords(
  file: SurveyedFile,
  said: SaidOfFile,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<Surveyed> {
  const { manifest, parquet } = file;
  const path = parquet?.path ?? file.path;
  const chunks = (...reading: [AbortSignal, ((bytes: number) => void)?]): AsyncGenerator<Buffer> =>
    readText(path, file.encoding, ...reading);
  const facts = manifest?.facts ?? (await readFacts(file, () => chunks(signal)));
  if (facts.isDerived) {
    throw toUnreadable('computed');
  }
  const head = file.csv === null ? null : await readCsvHead(chunks(signal), file.csv);
  const known = head?.names ?? parquet?.names;
  const names = known ?? (await readFirstNames(openRecords(file, null, chunks(signal), createFindings())));
  const report = detectReport(names, said.report ?? facts.report);
  const csvFindings: CsvFindings = {
    hasBareFormula: false,
    hasGuard: false,
    signs: createDecimalSignFinder(),
  };
  const findings = createFindings();
  const guard = facts.csv?.guard ?? null;
  const toCsv = (isGuarded: boolean, decimalSign: DecimalSign): CsvReading | null =>
    head === null
      ? null
      : { head, report, own: facts.columns, isGuarded, decimalSign, findings: csvFindings };

  const writer = createWireRecordWriter(report, { own: facts.columns, findings, dateOrder: null });
  const zoneOf = (): string => writer.findZone() ?? facts.zone ?? said.zone;
  const dates = createDateSpan(zoneOf, facts.period);
  let recordCount = 0;
  // How numbers are written, and whether the guard was on, is known at the end only; no date depends on it.
  for await (const record of openRecords(file, toCsv(false, '.'), chunks(signal, onBytes), findings)) {
    recordCount += 1;
    dates.add(writer.write(record).date);
  }
  if (recordCount === 0) throw toUnreadable('no-records');
  if (facts.recordCount !== null && facts.recordCount !== recordCount) {
    throw toUnreadable('other-total', { count: recordCount, said: facts.recordCount });
  }
  const found = dates.findOrders();
  const order = chooseOrder(found, said.dateOrder, dates.readCount());
  const hasDates = dates.readCount() + found.readCount > 0;
  if (!hasDates && facts.period === null && DETAIL_KINDS.some((kind) => kind === report)) {
    throw toUnreadable('no-dates');
  }
  const decimalSign = facts.csv?.decimalSign ?? chooseSign(csvFindings.signs.find(file.csv?.separator ?? ''));
  const isGuarded = guard ?? (csvFindings.hasGuard && !csvFindings.hasBareFormula);
  async function* read(
    signalAgain: AbortSignal,
    onRead: (bytes: number) => void,
  ): AsyncGenerator<WireRecord> {
    const anew = createFindings();
    const writing = createWireRecordWriter(report, {
      own: facts.columns,
      findings: anew,
      dateOrder: order,
    });
    for await (const record of openRecords(
      file,
      toCsv(isGuarded, decimalSign),
      chunks(signalAgain, onRead),
      anew,
    )) {
      yield writing.write(record);
    }
  }
  const survey = {
    facts,
    report,
    recordCount,
    zone: zoneOf(),
    isZoneAssumed: dates.needsZone(order) && writer.findZone() === null && facts.zone === null,
    ...dates.read(order),
    dates: describeDates(found, order),
    isGuardAssumed: guard === null && isGuarded,
    leftOut: writer.listLeftOut(),
    findings,
  };
  return { survey, read };
}

/** What a file says of itself. */
async function readFacts(
  { format, parquet }: SurveyedFile,
  chunks: () => AsyncGenerator<Buffer>,
): Promise<StatedFacts> {
  if (parquet !== null) return readStatedParquet(parquet);
  return format === 'json' ? readStatedHead(await readJsonHead(chunks())) : NOTHING_STATED;
}

interface CsvReading {
  readonly head: CsvHead;
  readonly report: ReportKind;
  readonly own: readonly string[] | null;
  readonly isGuarded: boolean;
  readonly decimalSign: DecimalSign;
  readonly findings: CsvFindings;
}

function chooseSign(found: DecimalSign | readonly string[]): DecimalSign {
  if (typeof found === 'string') return found;
  const [one = '', other] = found;
  throw other === undefined ? toUnreadable('comma', { one }) : toUnreadable('two-signs', { one, other });
}

function openRecords(
  { format, parquet }: SurveyedFile,
  csv: CsvReading | null,
  chunks: AsyncGenerator<Buffer>,
  found: RecordFindings,
): FileRecords {
  if (csv !== null) {
    const { head, report, ...reading } = csv;
    return readCsvRecords(chunks, head, report, reading);
  }
  if (parquet !== null) return readParquetRecords(chunks, parquet.fractions, found);
  return readJsonRecords(chunks, format === 'json' ? 'json' : 'ndjson', found);
}

function createFindings(): RecordFindings {
  return { doubled: null, notNumbers: null };
}

async function readFirstNames(records: FileRecords): Promise<readonly string[]> {
  for await (const record of records) return Object.keys(record);
  throw toUnreadable('no-records');
}

/** Sums up the dates of records; those that only a spreadsheet writes so by each order in which they can be read. */
function createDateSpan(
  zoneOf: () => string,
  period: { readonly fromMs: number; readonly toMs: number } | null,
) {
  const finder = createOrderFinder();
  const plain = createInstantSpan(period);
  const spans = new Map<DateOrder, ReturnType<typeof createInstantSpan>>();
  const spanOf = (order: DateOrder): ReturnType<typeof createInstantSpan> => {
    const known = spans.get(order) ?? createInstantSpan(period);
    spans.set(order, known);
    return known;
  };
  let zone = '';
  let readDate = createDateReader('UTC');
  const readElsewhere = createDateReader('Etc/GMT-14');
  const add = (span: ReturnType<typeof createInstantSpan>, value: unknown): boolean => {
    const dateMs = readDate(value);
    if (dateMs === null) return false;
    span.add(dateMs, zone !== 'Etc/GMT-14' && readElsewhere(value) !== dateMs);
    return true;
  };
  const spansOf = (order: DateOrder | null) => (order === null ? [plain] : [plain, spanOf(order)]);
  return {
    add(date: string | null): void {
      if (date === null) return;
      if (zone !== zoneOf()) {
        zone = zoneOf();
        readDate = createDateReader(zone);
      }
      const value = tryParse(date);
      if (add(plain, value) || isEmptyDate(value)) return;
      for (const [order, iso] of finder.add(typeof value === 'string' ? value : date))
        add(spanOf(order), iso);
    },
    findOrders: () => finder.find(),
    /** Dates that need nobody to say how they are written. */
    readCount: () => plain.read().count,
    needsZone: (order: DateOrder | null) => spansOf(order).some((span) => span.read().needsZone),
    read: (order: DateOrder | null) => {
      const parts = spansOf(order).map((span) => span.read());
      const ends = parts.flatMap(({ firstMs, lastMs }) => [firstMs, lastMs]).filter((ms) => ms !== null);
      return {
        firstMs: ends.length === 0 ? null : Math.min(...ends),
        lastMs: ends.length === 0 ? null : Math.max(...ends),
        outsideCount: parts.reduce((sum, { outsideCount }) => sum + outsideCount, 0),
      };
    },
  };
}

/** First and last of instants, and how many lie outside of a period, or of any that there could be. */
function createInstantSpan(period: { readonly fromMs: number; readonly toMs: number } | null) {
  let count = 0;
  let firstMs: number | null = null;
  let lastMs: number | null = null;
  let outsideCount = 0;
  let needsZone = false;
  return {
    add(dateMs: number, isZoneNeeded: boolean): void {
      count += 1;
      const isSensible = isSensibleInstant(dateMs);
      if (isSensible) {
        firstMs = Math.min(firstMs ?? dateMs, dateMs);
        lastMs = Math.max(lastMs ?? dateMs, dateMs);
      }
      needsZone ||= isZoneNeeded;
      const isOutside = period !== null && (dateMs < period.fromMs || dateMs >= period.toMs + 1000);
      if (isOutside || !isSensible) outsideCount += 1;
    },
    read: () => ({ count, firstMs, lastMs, outsideCount, needsZone }),
  };
}

/**
 * The order in which dates of a spreadsheet's form are read; null where there are none. Throws where it can't be told, and
 * where no date of the file is one: such records would have no place in time.
 */
function chooseOrder(found: FoundOrders, said: DateOrder | null, plainCount: number): DateOrder | null {
  const { orders, readCount, unreadCount, sample, unreadSample } = found;
  if (readCount === 0) {
    if (plainCount > 0 || unreadCount === 0) return null;
    throw toUnreadable(toDateFault(unreadSample ?? ''), { count: unreadCount, sample: unreadSample ?? '' });
  }
  const [only, ...more] = orders;
  if (only === undefined) {
    throw toUnreadable('mixed-orders', { sample: sample ?? '' });
  }
  if (said !== null && !orders.includes(said)) {
    throw toUnreadable('wrong-order', { sample: sample ?? '' });
  }
  if (said === null && more.length > 0) {
    const show = (order: DateOrder): string => readSpreadsheetDate(sample ?? '', order)?.iso ?? '';
    const shown = orders.map((order) => [order, show(order)] as const);
    throw new AppError('imports.dates-ambiguous', 'The dates of the file can be read in more than one way.', {
      sample: sample ?? '',
      ...Object.fromEntries(shown),
    });
  }
  return said ?? only;
}

/** What to do about dates that a spreadsheet showed in a way that nobody can read back. */
function toDateFault(sample: string): ImportFault {
  if (/^\d{5}(?:[.,]\d+)?$/.test(sample)) return 'day-numbers';
  if (/^\d{1,2}:\d{2}(?:[.:,]\d+)*$/.test(sample)) return 'times-only';
  return 'unread-dates';
}

function describeDates(found: FoundOrders, order: DateOrder | null): SpreadsheetDates | null {
  const { readCount, unreadCount, sample, unreadSample } = found;
  if (readCount + unreadCount === 0) return null;
  const read = order === null || sample === null ? null : readSpreadsheetDate(sample, order);
  return { order, readCount, unreadCount, sample, sampleIso: read?.iso ?? null, unreadSample };
}

/** NaN is no JSON: whoever wrote it for a date gave none. */
function tryParse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

/** Reads the lines that were written of a Parquet file; numbers are spelled as everywhere else. */
async function* readParquetRecords(
  chunks: AsyncIterable<Buffer>,
  fractions: readonly string[],
  findings: RecordFindings,
): FileRecords {
  for await (const record of readJsonRecords(chunks, 'ndjson', findings, 'row')) {
    const respelled = fractions.filter((name) => isOtherwiseSpelled(record[name]));
    if (respelled.length === 0) yield record;
    else {
      const spelled = respelled.map((name) => [name, JSON.stringify(Number(record[name]))] as const);
      yield { ...record, ...Object.fromEntries(spelled) };
    }
  }
}

/** DuckDB writes 12 as `12.0`, and puts an exponent where JavaScript does not. */
function isOtherwiseSpelled(text: string | undefined): boolean {
  if (text === undefined || text.startsWith('"')) return false;
  return text.endsWith('.0') || text.includes('e');
}
