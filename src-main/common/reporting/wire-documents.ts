import {
  listFields,
  mapKinds,
  REPORT_KINDS,
  REPORTS,
  STATUS_FIELDS,
  type FieldName,
  type ReportFields,
  type ReportKind,
  type WireField,
} from './reports.ts';
import type { StatusResponse, WireDocument } from './wire-schemas.ts';

/** Values of a wire object by their names inside. */
type WireValues<Fields, Wire> = {
  readonly [Name in keyof Fields]: Fields[Name] extends {
    readonly wireName: infer WireName extends keyof Wire;
  }
    ? Wire[WireName]
    : never;
};

/** A document of a report, in the spelling and order of the specification, from values by their names inside. */
export function toWireDocument<Kind extends ReportKind>(
  kind: Kind,
  values: WireValues<ReportFields<Kind>, WireDocument<Kind>>,
): WireDocument<Kind> {
  return rename(REPORTS[kind].fields, values) as WireDocument<Kind>;
}

/** A tenant status, in the spelling and order of the specification. Times in milliseconds. */
export function toWireStatus(values: WireValues<typeof STATUS_FIELDS, StatusResponse>): StatusResponse {
  return rename(STATUS_FIELDS, values) as StatusResponse;
}

const { division, channel, service, sessions } = STATUS_FIELDS;
const TRAFFIC_FIELDS = { division, channel, service, sessions };

/** Returns groups of sessions as the text of a tenant status (decision 2). */
export function writeTraffic(
  groups: readonly Readonly<Record<keyof typeof TRAFFIC_FIELDS, number>>[],
): string {
  return JSON.stringify(groups.map((group) => rename(TRAFFIC_FIELDS, group)));
}

function rename(
  fields: Readonly<Record<string, WireField>>,
  values: Readonly<Record<string, unknown>>,
): object {
  return Object.fromEntries(Object.entries(fields).map(([name, { wireName }]) => [wireName, values[name]]));
}

/**
 * What stands before the value of each field in the JSON text of a document: `{"Id":`, then `,"Date":`.
 * For writers that never build a document as an object.
 */
export const DOCUMENT_PREFIXES = mapKinds(REPORT_KINDS, toPrefixes) as {
  readonly [Kind in ReportKind]: Readonly<Record<FieldName<Kind>, string>>;
};

function toPrefixes(kind: ReportKind): Readonly<Record<string, string>> {
  const prefixes = listFields(kind).map(([name, { wireName }], place) => [
    name,
    `${place === 0 ? '{' : ','}${JSON.stringify(wireName)}:`,
  ]);
  return Object.fromEntries(prefixes) as Record<string, string>;
}

/** The corrected spelling of a wire name, or the name itself where the specification spells it right. */
export function correctWireName(wireName: string): string {
  return CORRECTED_NAMES.get(wireName) ?? wireName;
}

const CORRECTED_NAMES = new Map<string, string>();
for (const fields of [...REPORT_KINDS.map((kind) => REPORTS[kind].fields), STATUS_FIELDS]) {
  for (const { wireName, otherNames } of Object.values<WireField>(fields)) {
    const corrected = otherNames?.[0];
    if (corrected !== undefined) CORRECTED_NAMES.set(wireName, corrected);
  }
}
