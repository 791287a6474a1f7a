import { CODE_CLASSES, type CodeClass } from '../../src-main/common/model/record.ts';
import type { FieldCondition, RecordFilter } from '../../src-main/common/model/record-filter.ts';

/** What the filter chips and the address of a screen can restrict. Times in milliseconds; `toMs` is exclusive. */
export interface ChipFilter {
  readonly search?: string;
  readonly codeClasses?: CodeClass[];
  readonly responseCodes?: number[];
  readonly channels?: number[];
  readonly services?: number[];
  readonly origins?: string[];
  readonly sessionId?: string;
  readonly minResponseTimeMs?: number;
  readonly fromMs?: number;
  readonly toMs?: number;
}

/** The chips as conditions on records. */
export function toRecordFilter(chips: ChipFilter): RecordFilter {
  const { search, codeClasses, responseCodes, channels, services, origins, sessionId } = chips;
  const { minResponseTimeMs, fromMs, toMs } = chips;
  const conditions: FieldCondition[] = [];
  if (search !== undefined && search !== '') conditions.push({ field: 'anywhere', text: search });
  if (codeClasses !== undefined) conditions.push({ field: 'responseCode', classes: codeClasses });
  if (responseCodes !== undefined) conditions.push({ field: 'responseCode', values: responseCodes });
  if (channels !== undefined) conditions.push({ field: 'channel', values: channels });
  if (services !== undefined) conditions.push({ field: 'service', values: services });
  if (origins !== undefined) conditions.push({ field: 'origin', values: origins });
  if (sessionId !== undefined) conditions.push({ field: 'sessionId', values: [sessionId] });
  if (minResponseTimeMs !== undefined) conditions.push({ field: 'responseTimeMs', min: minResponseTimeMs });
  if (fromMs !== undefined || toMs !== undefined) {
    conditions.push({
      field: 'dateMs',
      ...(fromMs === undefined ? {} : { min: fromMs }),
      ...(toMs === undefined ? {} : { max: toMs }),
    });
  }
  return { conditions };
}

type QueryValue = string | null | undefined | readonly (string | null)[];
type FilterQuery = Record<string, string | string[]>;

/** Parts of a filter to change; undefined or empty removes the restriction. */
export type FilterChange = { readonly [Key in keyof ChipFilter]?: ChipFilter[Key] | undefined };

function toTexts(value: QueryValue): string[] {
  const values = typeof value === 'string' ? [value] : (value ?? []);
  return values.filter((part): part is string => part !== null && part !== '');
}

function toText(value: QueryValue): string {
  return toTexts(value)[0] ?? '';
}

/** Values that can't hold a comma may also be written as one list. */
function toList(value: QueryValue): string[] {
  return toTexts(value).flatMap((part) => part.split(','));
}

function toIntegers(value: QueryValue): number[] {
  return toList(value)
    .map(Number)
    .filter((number) => Number.isSafeInteger(number));
}

function toNumber(value: QueryValue): number | undefined {
  const text = toText(value);
  const number = Number(text);
  return text === '' || !Number.isFinite(number) ? undefined : number;
}

function isCodeClass(text: string): text is CodeClass {
  return (CODE_CLASSES as readonly string[]).includes(text);
}

/** Leaves out what does not restrict, so that an empty filter is `{}`. */
function compact(filter: FilterChange): ChipFilter {
  return Object.fromEntries(
    Object.entries(filter).filter(
      ([, value]) => value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0),
    ),
  );
}

/** Reads the filter of an address; leaves out what can't be read. */
export function fromQuery(query: Readonly<Record<string, QueryValue>>): ChipFilter {
  const integer = (value: QueryValue) => {
    const number = toNumber(value);
    return number === undefined ? undefined : Math.trunc(number);
  };
  return compact({
    search: toText(query['search']).slice(0, 500),
    codeClasses: toList(query['codeClasses']).filter(isCodeClass),
    responseCodes: toIntegers(query['responseCodes']),
    channels: toIntegers(query['channels']),
    services: toIntegers(query['services']),
    origins: toTexts(query['origins']),
    sessionId: toText(query['sessionId']).slice(0, 200),
    minResponseTimeMs: toNumber(query['minResponseTimeMs']),
    fromMs: integer(query['fromMs']),
    toMs: integer(query['toMs']),
  });
}

/** Writes a filter as the query of an address; lists are repeated keys. */
export function toQuery(filter: ChipFilter): FilterQuery {
  const query: FilterQuery = {};
  for (const [key, value] of Object.entries(compact(filter))) {
    query[key] = Array.isArray(value) ? value.map(String) : String(value);
  }
  return query;
}

/** True when nothing is restricted. */
export function isUnfiltered(filter: ChipFilter): boolean {
  return Object.keys(compact(filter)).length === 0;
}

/** The number of chips that a filter sets; the search, which has a field of its own, is not counted. */
export function countRestrictions(filter: ChipFilter): number {
  const { codeClasses, responseCodes, channels, services, origins } = filter;
  const lists = [codeClasses ?? responseCodes, channels, services, origins];
  const rest = [filter.minResponseTimeMs, filter.fromMs, filter.sessionId];
  return [...lists, ...rest].filter((part) => part !== undefined).length;
}

/** Returns the filter with some parts changed. */
export function changeFilter(filter: ChipFilter, change: FilterChange): ChipFilter {
  return compact({ ...filter, ...change });
}
