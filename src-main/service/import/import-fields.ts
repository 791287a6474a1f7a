import { DETAIL_FIELD_NAMES, SUMMARY_FIELD_NAMES } from '../../common/reporting/field-names.ts';
import type { ImportFault } from '../../common/model/connections/import-fault.ts';
import type { DetailKind, Direction } from '../../common/reporting/reports.ts';
import { toFault } from './import-error.ts';

/** Names of everything that a file of detail records may hold; `count` is what only a summary has. */
export const IMPORT_FIELDS = {
  ...DETAIL_FIELD_NAMES,
  count: SUMMARY_FIELD_NAMES.count,
} as const;

export type ImportField = keyof typeof IMPORT_FIELDS;

/** What an entry holds for a field; undefined when it has no such field. */
export type ReadField = (field: ImportField) => unknown;

type KeyOf = Readonly<Record<ImportField, string | undefined>>;

export type DetectedDirection =
  | { readonly direction: Direction; readonly fault: null }
  | { readonly direction: null; readonly fault: ImportFault };

/**
 * Detects the direction by the fields that only one of them has, or takes it as stated, by the file itself or
 * by the import's request. A statement that the fields contradict is a fault.
 */
export function detectDirection(keyOf: KeyOf, stated: DetailKind | null): DetectedDirection {
  const isInbound = keyOf.botLatencyMs !== undefined;
  const isOutbound = keyOf.actionId !== undefined || keyOf.response !== undefined;
  if (keyOf.count !== undefined && keyOf.dateText === undefined) {
    return { direction: null, fault: toFault('summary-group') };
  }
  if (stated === null && isInbound === isOutbound) {
    const [inbound, outbound] = [IMPORT_FIELDS.botLatencyMs[0], IMPORT_FIELDS.actionId[0]];
    const fault = toFault(isInbound ? 'both-directions' : 'no-direction', { inbound, outbound });
    return { direction: null, fault };
  }
  const direction = stated === null ? (isInbound ? 'inbound' : 'outbound') : toDirection(stated);
  const contradicts = direction === 'inbound' ? isOutbound && !isInbound : isInbound && !isOutbound;
  return contradicts
    ? { direction: null, fault: toFault('other-direction', { direction }) }
    : { direction, fault: null };
}

function toDirection(report: DetailKind): Direction {
  return report === 'inbound-detail' ? 'inbound' : 'outbound';
}

/** The detail report that a text names, or null. */
export function tryReadReport(name: unknown): DetailKind | null {
  return name === 'inbound-detail' || name === 'outbound-detail' ? name : null;
}
