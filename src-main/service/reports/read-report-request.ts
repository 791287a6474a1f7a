import { Compile } from 'typebox/compile';
import { ReportRequest, type RequestFault } from '../../common/reporting/wire-schemas.ts';
import { fromWireDate } from '../../common/reporting/wire-dates.ts';
import { tryReadJsonBody } from '../../node/http/read-json-body.ts';

/** A valid report request: records with fromMs <= date < toMs. `size` is already capped. */
export interface ReportQuery {
  readonly fromMs: number;
  readonly toMs: number;
  readonly size: number;
  /** Empty for the first page. */
  readonly lastDocument: string;
}

export type ReadRequest =
  | { readonly ok: true; readonly query: ReportQuery }
  | { readonly ok: false; readonly errors: readonly RequestFault[] };

export const DEFAULT_SIZE = 100;
/** Documents in a page whatever is requested (decision 7). */
export const MAXIMUM_PAGE_SIZE = 10_000;

const BODY_FAULT: RequestFault = {
  field: 'body',
  message: 'The body is not a JSON object, or names a field twice.',
};
// The schemas are those of the service's description; compiled, as every request is checked by them.
const { properties } = ReportRequest;
const fields = {
  startDate: Compile(properties.startDate),
  endDate: Compile(properties.endDate),
  size: Compile(properties.size),
  lastDocument: Compile(properties.lastDocument),
};

/**
 * Reads a report request body (specification, "Report request body"; decisions 4 to 7). Never throws: what
 * is wrong is listed by field. Fields that the specification doesn't name are ignored.
 */
export function readReportRequest(body: unknown, timeZone: string): ReadRequest {
  const content = tryParseObject(body);
  if (content === undefined) {
    return { ok: false, errors: [BODY_FAULT] };
  }
  const errors: RequestFault[] = [];
  const startMs = readDate(content, 'startDate', timeZone, errors);
  const endMs = readDate(content, 'endDate', timeZone, errors);
  if (startMs !== undefined && endMs !== undefined && startMs > endMs) {
    errors.push({ field: 'startDate', message: 'The start is after the end.' });
  }
  const size = readSize(content, errors);
  const lastDocument = readLastDocument(content, errors);
  if (errors.length > 0 || startMs === undefined || endMs === undefined) return { ok: false, errors };
  // Both ends are included at whole seconds (decision 5).
  return { ok: true, query: { fromMs: startMs, toMs: endMs + 1000, size, lastDocument } };
}

function tryParseObject(body: unknown): ReadonlyMap<string, unknown> | undefined {
  const content = tryReadJsonBody(body);
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return undefined;
  return new Map(Object.entries(content));
}

function readDate(
  content: ReadonlyMap<string, unknown>,
  field: 'startDate' | 'endDate',
  timeZone: string,
  errors: RequestFault[],
): number | undefined {
  const text = content.get(field);
  if (text === undefined || text === null || text === '') {
    errors.push({ field, message: 'The date is missing.' });
    return undefined;
  }
  const instant = fields[field].Check(text) ? fromWireDate(text, timeZone) : 'misformed';
  if (typeof instant === 'number') return instant;
  errors.push({
    field,
    message:
      instant === 'impossible'
        ? 'The date does not exist.'
        : 'The date is not written as YYYY-MM-DD HH:MM:SS.',
  });
  return undefined;
}

function readSize(content: ReadonlyMap<string, unknown>, errors: RequestFault[]): number {
  const size = content.get('size');
  if (size === undefined) return DEFAULT_SIZE;
  if (fields.size.Check(size)) return Math.min(size, MAXIMUM_PAGE_SIZE);
  errors.push({ field: 'size', message: 'The size is not a whole number from 1.' });
  return DEFAULT_SIZE;
}

function readLastDocument(content: ReadonlyMap<string, unknown>, errors: RequestFault[]): string {
  const lastDocument = content.get('lastDocument');
  if (lastDocument === undefined) return '';
  if (fields.lastDocument.Check(lastDocument)) return lastDocument;
  errors.push(LAST_DOCUMENT_FAULT);
  return '';
}

/** For a `lastDocument` that this report did not issue for this period. */
export const LAST_DOCUMENT_FAULT: RequestFault = {
  field: 'lastDocument',
  message: 'This report did not issue this lastDocument for this period.',
};
