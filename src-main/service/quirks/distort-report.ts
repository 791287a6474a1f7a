import { correctWireName } from '../../common/reporting/wire-documents.ts';
import type { ReportResponse } from '../../common/reporting/wire-schemas.ts';
import type { QuirkName } from '../../common/model/connections/simulation.ts';

type JsonObject = Record<string, unknown>;

const MAX_TOTAL = 1_000;

/** Returns a report's response as a service with these quirks would send it; cursors are replaced elsewhere. */
export function distortReport(response: ReportResponse, quirks: ReadonlySet<QuirkName>): JsonObject {
  const { documents: exact, ...envelope } = response;
  let documents = exact.map((document): JsonObject => distortDocument(document, quirks));
  const [first] = documents;
  if (quirks.has('duplicate-records') && first !== undefined) documents = [first, ...documents];
  if (quirks.has('total-capped')) envelope.totalDocument = Math.min(envelope.totalDocument, MAX_TOTAL);
  const records = quirks.has('records-as-string') ? JSON.stringify(documents) : documents;
  return { ...envelope, [quirks.has('records-key-data') ? 'data' : 'documents']: records };
}

function distortDocument(document: JsonObject, quirks: ReadonlySet<QuirkName>): JsonObject {
  const entries = Object.entries(document).map(([name, value]): [string, unknown] => [
    quirks.has('corrected-spelling') ? correctWireName(name) : name,
    distortValue(name, value, quirks),
  ]);
  return Object.fromEntries(entries);
}

function distortValue(name: string, value: unknown, quirks: ReadonlySet<QuirkName>): unknown {
  if (name === 'Date' && typeof value === 'string') {
    if (quirks.has('dates-dotnet')) return `/Date(${Date.parse(value)})/`;
    if (quirks.has('dates-without-zone')) return value.replace('T', ' ').replace('Z', '');
  }
  return quirks.has('numbers-as-strings') && typeof value === 'number' ? String(value) : value;
}
