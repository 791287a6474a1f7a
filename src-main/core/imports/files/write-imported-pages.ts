import { joinJsonTexts, type JsonTexts, toJsonTexts } from '../../../common/json.ts';
import { OTHER_FIELDS_NAME } from '../../../common/model/exports/export-options.ts';
import {
  type DateOrder,
  readDate,
  readSpreadsheetDate,
} from '../../../common/reporting/reading/read-date.ts';
import { listFields, type ReportKind } from '../../../common/reporting/reports.ts';
import { describeColumns, type FileColumn } from './read-csv-records.ts';
import { tryParseFields, noteDoubled, type RecordFindings } from './read-json-records.ts';

/** A page holds no more records, and is ended by the record that makes it this long. */
const MAX_PAGE_RECORDS = 1_000;
const MAX_PAGE_CHARACTERS = 4 * 1024 * 1024;

/** What the pages of an import say of where they came from. */
export interface PageOrigin {
  readonly fileName: string;
  readonly fileSha256: string;
  /** Records of the whole file. */
  readonly total: number;
}

/** One page of an import: its cursor, and its bytes. */
export interface WrittenPage {
  readonly cursorSent: string;
  readonly bytes: ArrayBuffer;
}

/**
 * Writes records as pages in the envelope of the service (specification, section "Report response envelope"), so that
 * everything reads them as it reads what was received. Each says that it was imported, and of which file.
 */
export async function* writeImportedPages(
  records: AsyncIterable<WireRecord>,
  { fileName, fileSha256, total }: PageOrigin,
): AsyncGenerator<WrittenPage> {
  let documents: string[] = [];
  let characters = 0;
  let done = 0;
  let pages = 0;
  for await (const record of records) {
    const text = record.toText();
    documents.push(text);
    characters += text.length;
    done += 1;
    const isLast = done === total;
    if (!isLast && documents.length < MAX_PAGE_RECORDS && characters < MAX_PAGE_CHARACTERS) continue;
    yield {
      cursorSent: toCursor(pages),
      bytes: toBytes(
        JSON.stringify({
          isValid: true,
          idReport: '',
          nameVisualization: '',
          totalDocument: total,
          pageCount: null,
          lastDocument: isLast ? '' : toCursor(pages + 1),
          importedFile: fileName,
          importedFileSha256: fileSha256,
        }),
        documents,
      ),
    };
    pages += 1;
    documents = [];
    characters = 0;
  }
}

function toCursor(page: number): string {
  return page === 0 ? '' : `imported-${page}`;
}

function toBytes(envelope: string, documents: readonly string[]): ArrayBuffer {
  const text = `${envelope.slice(0, -1)},"documents":[${documents.join(',')}]}`;
  // A buffer of its own: it is handed over to another thread.
  return new TextEncoder().encode(text).buffer;
}

/** Shapes of records that are remembered; a file of ours has one, or few. */
const MAX_SHAPES = 200;

/** A record as the service would have sent it, and its date. */
export interface WireRecord {
  /** Writes the JSON of it. */
  toText(): string;
  /** The JSON of its date; null where it has none. */
  readonly date: string | null;
}

/** Turns records of files into the service's own spelling and order. */
interface WireRecordWriter {
  write(fields: JsonTexts): WireRecord;
  /** Names of what was left out: a person's own words. */
  listLeftOut(): readonly string[];
  /** The zone in which the dates of the records are written, where the file says it with them; null elsewhere. */
  findZone(): string | null;
}

/**
 * Makes a writer for records of a report; `own` are the file's own columns where a manifest lists them. What comes twice
 * among other fields is noted in `findings`. Dates in a spreadsheet's form are written in ISO where `dateOrder` says how.
 */
export function createWireRecordWriter(
  report: ReportKind,
  {
    own,
    findings,
    dateOrder,
  }: {
    readonly own: readonly string[] | null;
    readonly findings: RecordFindings;
    readonly dateOrder: DateOrder | null;
  },
): WireRecordWriter {
  const order = listFields(report).map(([, { wireName }]) => wireName);
  const counts = new Set(
    listFields(report).flatMap(([, { wireName, type }]) => (type === 'count' ? wireName : [])),
  );
  const shapes = new Map<string, ReadonlyMap<string, FileColumn>>();
  const leftOut = new Set<string>();
  let zone: string | null = null;

  const toShape = (names: readonly string[]): ReadonlyMap<string, FileColumn> => {
    const key = names.join('\n');
    const known = shapes.get(key);
    if (known !== undefined) return known;
    const shape = describeColumns(names, report, own);
    if (shapes.size < MAX_SHAPES) shapes.set(key, shape);
    return shape;
  };

  return {
    write(fields) {
      const names = Object.keys(fields);
      const shape = toShape(names);
      const values = new Map<string, string>();
      const extras = new Map<string, string>();
      let others: string | null = null;
      let zonedDate: { readonly text: string; readonly zone: string } | null = null;
      for (const name of names) {
        const column = shape.get(name);
        const text = fields[name] ?? 'null';
        switch (column?.kind) {
          case 'field':
            values.set(column.wireName, text);
            break;
          case 'others':
            others = text;
            break;
          case 'zoned-date':
            zonedDate = { text, zone: column.zone };
            break;
          case 'own':
            leftOut.add(name);
            break;
          default:
            extras.set(name, text);
        }
      }
      if (zonedDate !== null && !values.has('Date')) {
        values.set('Date', zonedDate.text);
        zone = zonedDate.zone;
      }
      const date = values.get('Date');
      if (dateOrder !== null && date?.startsWith('"') === true) {
        values.set('Date', toIsoDate(date, dateOrder));
      }
      if (others !== null && others !== 'null' && others !== '""') {
        const found = readObject(others, (doubled) => noteDoubled(findings, doubled));
        if (found === null) extras.set(OTHER_FIELDS_NAME, others);
        else spread(found, values, extras);
      }
      for (const name of counts) {
        const digits = values.get(name);
        // The service writes counts as text.
        if (digits !== undefined && /^\d+$/.test(digits)) values.set(name, `"${digits}"`);
      }
      return {
        date: values.get('Date') ?? null,
        toText() {
          const known = order.flatMap((name) => {
            const text = values.get(name);
            return text === undefined ? [] : [[name, text] as const];
          });
          return joinJsonTexts([...known, ...extras]);
        },
      };
    },
    listLeftOut: () => [...leftOut],
    findZone: () => zone,
  };
}

/** The JSON of a date in ISO, where it is one that only a spreadsheet writes so. */
function toIsoDate(json: string, order: DateOrder): string {
  const text = String(JSON.parse(json));
  const read = readDate(text, 'UTC') === null ? readSpreadsheetDate(text, order) : null;
  return read === null ? json : JSON.stringify(read.iso);
}

/** Puts fields that a file holds together back among the record's own; numbers that could not be read have no other place. */
function spread(found: JsonTexts, values: Map<string, string>, extras: Map<string, string>): void {
  const kept: [string, string][] = [];
  for (const [name, text] of Object.entries(found)) {
    const taken = values.get(name);
    if (taken === 'null') values.set(name, text);
    else if (taken === undefined && !extras.has(name) && name !== OTHER_FIELDS_NAME) extras.set(name, text);
    else kept.push([name, text]);
  }
  if (kept.length > 0) extras.set(OTHER_FIELDS_NAME, joinJsonTexts(kept));
}

/** An object, or the text of one, as it stands in a cell; null for anything else. */
function readObject(json: string, onDoubled: (name: string) => void): JsonTexts | null {
  if (!json.startsWith('"')) {
    // What comes twice in it was found with the record.
    const own = tryParseFields(json, () => undefined);
    return own === null ? null : toJsonTexts(own);
  }
  const inner = tryParseFields(String(JSON.parse(json)), onDoubled);
  return inner === null ? null : toJsonTexts(inner);
}
