import {
  DETAIL_KINDS,
  type DetailKind,
  type Direction,
  type FieldName,
  listFields,
  type ReportField,
  type ReportFields,
} from '../../reporting/reports.ts';
import type { Outcome } from '../../reporting/outcome.ts';

/** What values a field takes in a query; those in bodies may be texts and numbers. */
export type QueryKind = 'code' | 'whole' | 'number' | 'text' | 'date' | 'any';

/** What `keyword:value` looks for in a text: a part of it, a part unless the value is in quotes, or all of it. */
export type TextMatch = 'part' | 'name' | 'whole';

type ReportedName = Exclude<FieldName<DetailKind>, 'dateText'>;
/** Fields that no report has under this name, and the one that each is made from; null for what only the application knows. */
const OWN_FIELDS = {
  dateMs: 'dateText',
  outcome: null,
  errorFamily: 'error',
  mark: null,
  note: null,
} as const satisfies Readonly<Record<string, FieldName<DetailKind> | null>>;

/**
 * What the application does with a field of detail records. A place is a number that orders a list; between two
 * places lies any number between them, and without a place the field isn't in the list.
 */
interface RecordFieldRow {
  /** How a query names it, and what else it is called in SQL and on screen; the service's own names are added. */
  readonly query: {
    readonly keyword: string;
    readonly otherNames?: readonly string[];
    readonly kind: QueryKind;
    /** `whole` by default. */
    readonly match?: TextMatch;
  };
  /** Place among the columns of the table, and the column's width in pixels. */
  readonly column?: { readonly place: number; readonly width: number };
  /** Rows can be sorted by it. */
  readonly sorted?: true;
  /** Place among the short fields of one record in the inspector. */
  readonly inspected?: number;
  /** Place among the fields whose values or times the panel beside the table lists. */
  readonly listed?: number;
  /** Place among what a search anywhere looks in; the long texts are last. */
  readonly searched?: number;
  /** Place among what records can be grouped by. */
  readonly grouped?: number;
  /** An alert can watch each of its values by itself. */
  readonly watched?: true;
  /** The name of its counts in `Facets`: a list of all values to choose from. */
  readonly counted?: string;
  /** Place among what a table of one's own can be joined by. */
  readonly joined?: number;
  /** A person can give its numbers names. */
  readonly named?: true;
  /** It may tell who a person is. */
  readonly personal?: true;
}

/** Every field of a detail record, in the order in which queries offer them: lists of fields follow from here. */
export const RECORD_FIELDS = {
  outcome: {
    query: { keyword: 'outcome', kind: 'text' },
    listed: 1,
    grouped: 7,
    counted: 'outcomes',
  },
  responseCode: {
    query: { keyword: 'code', kind: 'code', otherNames: ['responsecode', 'statuscode', 'status'] },
    column: { place: 2, width: 70 },
    sorted: true,
    listed: 2,
    grouped: 4,
    watched: true,
    counted: 'responseCodes',
    joined: 4,
  },
  channel: {
    query: { keyword: 'channel', kind: 'whole', otherNames: ['idchannel', 'channelid'] },
    column: { place: 5, width: 76 },
    sorted: true,
    inspected: 3,
    listed: 5,
    grouped: 1,
    watched: true,
    counted: 'channels',
    joined: 3,
    named: true,
  },
  service: {
    query: { keyword: 'service', kind: 'whole', otherNames: ['idservice', 'serviceid'] },
    column: { place: 6, width: 72 },
    sorted: true,
    inspected: 4,
    listed: 7,
    grouped: 2,
    watched: true,
    counted: 'services',
    joined: 2,
    named: true,
  },
  origin: {
    query: { keyword: 'origin', kind: 'text', match: 'name' },
    column: { place: 7, width: 80 },
    sorted: true,
    inspected: 6,
    listed: 6,
    searched: 4,
    grouped: 3,
    watched: true,
    counted: 'origins',
    joined: 5,
  },
  client: {
    query: { keyword: 'client', kind: 'text', otherNames: ['clientid', 'idclient'], match: 'name' },
    column: { place: 8, width: 126 },
    sorted: true,
    inspected: 5,
    listed: 8,
    searched: 1,
    grouped: 8,
    joined: 1,
    personal: true,
  },
  error: {
    query: { keyword: 'error', kind: 'text', otherNames: ['errormessage'], match: 'part' },
    column: { place: 3, width: 210 },
    sorted: true,
    searched: 2,
  },
  errorFamily: {
    query: { keyword: 'family', kind: 'text', otherNames: ['errorfamily'], match: 'name' },
    listed: 4,
    grouped: 6,
    watched: true,
    counted: 'errorFamilies',
  },
  responseTimeMs: {
    query: {
      keyword: 'responsetime',
      kind: 'number',
      otherNames: ['responsetimems', 'responsems', 'duration'],
    },
    column: { place: 4, width: 124 },
    sorted: true,
    inspected: 7,
    listed: 3,
  },
  botLatencyMs: {
    query: { keyword: 'botlatency', kind: 'number', otherNames: ['botlatencyms', 'latency'] },
    column: { place: 9, width: 112 },
    sorted: true,
    inspected: 8,
    listed: 10,
  },
  actionId: {
    query: { keyword: 'action', kind: 'text', otherNames: ['actionid', 'idaction'] },
    column: { place: 10, width: 110 },
    sorted: true,
    inspected: 9,
    listed: 9,
    searched: 5,
    grouped: 5,
    watched: true,
    joined: 6,
    named: true,
  },
  payload: {
    query: { keyword: 'payload', kind: 'text', otherNames: ['request'], match: 'part' },
    column: { place: 11, width: 320 },
    searched: 6,
  },
  response: {
    query: { keyword: 'response', kind: 'text', otherNames: ['responsetext'], match: 'part' },
    searched: 7,
  },
  sessionId: {
    query: { keyword: 'session', kind: 'text', otherNames: ['sessionid', 'idsession', 'id'] },
    column: { place: 12, width: 270 },
    inspected: 1,
    searched: 3,
    joined: 7,
  },
  dateMs: {
    query: { keyword: 'date', kind: 'date', otherNames: ['time', 'datetime', 'timestamp'] },
    column: { place: 1, width: 200 },
    sorted: true,
    inspected: 2,
  },
  /** A person's own mark and note. */
  mark: { query: { keyword: 'mark', kind: 'text' } },
  note: { query: { keyword: 'note', kind: 'text', match: 'part' } },
} as const satisfies Readonly<Record<ReportedName | keyof typeof OWN_FIELDS, RecordFieldRow>>;

type Rows = typeof RECORD_FIELDS;
export type RecordFieldName = keyof Rows;
type Trait = keyof RecordFieldRow;
/** The fields that have a trait. */
export type FieldsWith<Of extends Trait> = {
  [Name in RecordFieldName]: Rows[Name] extends Readonly<Record<Of, unknown>> ? Name : never;
}[RecordFieldName];

export const RECORD_FIELD_NAMES = Object.keys(RECORD_FIELDS) as readonly RecordFieldName[];

/** Returns what is known of a field. */
export function toFieldRow(name: RecordFieldName): RecordFieldRow {
  return RECORD_FIELDS[name];
}

/** Returns the fields that have a trait, by their places in it; without places in the order of the table. */
export function listFieldsWith<Of extends Trait>(trait: Of): readonly FieldsWith<Of>[] {
  const toPlace = (name: RecordFieldName): number => {
    const value = toFieldRow(name)[trait];
    if (typeof value === 'number') return value;
    return typeof value === 'object' && 'place' in value ? value.place : 0;
  };
  return RECORD_FIELD_NAMES.filter((name) => toFieldRow(name)[trait] !== undefined).sort(
    (a, b) => toPlace(a) - toPlace(b),
  ) as FieldsWith<Of>[];
}

/** Returns the field of the reports that a field is made from; null for what only the application knows. */
export function toReportedName(name: RecordFieldName): FieldName<DetailKind> | null {
  return name in OWN_FIELDS ? OWN_FIELDS[name as keyof typeof OWN_FIELDS] : (name as ReportedName);
}

/** Returns what the service calls a field in a direction, and how; null where its records don't have it. */
export function findReportField(name: RecordFieldName, direction: Direction): ReportField | null {
  const reported = toReportedName(name);
  return listFields(`${direction}-detail`).find(([own]) => own === reported)?.[1] ?? null;
}

/** True for a field that the records of a direction have; what only the application knows all of them have. */
export function hasField(name: RecordFieldName, direction: Direction): boolean {
  return toReportedName(name) === null || findReportField(name, direction) !== null;
}

type TimedName = {
  [Name in ReportedName]: FieldOf<Name> extends { readonly unit: 'ms' } ? Name : never;
}[ReportedName];
/** Times of requests, each in milliseconds. */
export const TIMED_FIELDS = RECORD_FIELD_NAMES.filter((name): name is TimedName =>
  DETAIL_KINDS.some((kind) => listFields(kind).some(([own, { unit }]) => own === name && unit === 'ms')),
);

type FieldOf<Name> = {
  [Kind in DetailKind]: Name extends keyof ReportFields<Kind> ? ReportFields<Kind>[Name] : never;
}[DetailKind];

/** A value of a field whose values are counted. */
type CountedValue<Name> = Name extends 'outcome'
  ? Outcome
  : Name extends ReportedName
    ? FieldOf<Name> extends { readonly type: 'integer' }
      ? number
      : string
    : string;

/** How many records have each value of the fields that are counted. */
export type ValueCounts = {
  [Name in FieldsWith<'counted'> as Rows[Name]['counted']]: { value: CountedValue<Name>; count: number }[];
};
