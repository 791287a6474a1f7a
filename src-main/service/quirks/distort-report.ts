import { correctWireName } from '../../common/reporting/wire-documents.ts';
import type { ReportResponse } from '../../common/reporting/wire-schemas.ts';
import { toOffsetMs } from '../../common/time/time-zones.ts';
import { applyConventions } from './apply-convention.ts';
import type { QuirkName } from '../../common/model/connections/simulation.ts';

type JsonObject = Record<string, unknown>;

const MAX_TOTAL = 1_000;

/** How a service misbehaves, and the zone of its clock. */
interface Distortion {
  readonly quirks: ReadonlySet<QuirkName>;
  readonly zone: string;
}

/** Returns a report's response as a service with these quirks would send it; cursors are replaced elsewhere. */
export function distortReport(response: ReportResponse, distortion: Distortion): JsonObject {
  const { quirks } = distortion;
  const { documents: exact, ...envelope } = response;
  const own = applyConventions(exact, quirks);
  envelope.totalDocument -= exact.length - own.length;
  let documents = own.map((document): JsonObject => distortDocument(document, distortion));
  const [first] = documents;
  if (quirks.has('duplicate-records') && first !== undefined) documents = [first, ...documents];
  if (quirks.has('total-capped')) envelope.totalDocument = Math.min(envelope.totalDocument, MAX_TOTAL);
  const records = quirks.has('records-as-string') ? JSON.stringify(documents) : documents;
  return { ...envelope, [quirks.has('records-key-data') ? 'data' : 'documents']: records };
}

function distortDocument(document: JsonObject, distortion: Distortion): JsonObject {
  const entries = Object.entries(document).map(([name, value]): [string, unknown] => [
    distortion.quirks.has('corrected-spelling') ? correctWireName(name) : name,
    distortValue(name, value, distortion),
  ]);
  return Object.fromEntries(entries);
}

function distortValue(name: string, value: unknown, { quirks, zone }: Distortion): unknown {
  if (name === 'Date' && typeof value === 'string') {
    if (quirks.has('dates-dotnet')) return `/Date(${Date.parse(value)})/`;
    if (quirks.has('dates-without-zone')) return toCivilText(Date.parse(value), zone);
  }
  return quirks.has('numbers-as-strings') && typeof value === 'number' ? String(value) : value;
}

/** What the clock shows, without saying whose it is. */
function toCivilText(epochMs: number, zone: string): string {
  const shown = new Date(epochMs + toOffsetMs(epochMs, zone));
  return shown.toISOString().replace('T', ' ').replace('Z', '');
}
