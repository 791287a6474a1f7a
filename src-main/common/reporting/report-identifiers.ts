/** The four reports of the service, named as this application names them. */
export const REPORT_KINDS = [
  'inbound-detail',
  'inbound-summary',
  'outbound-detail',
  'outbound-summary',
] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];
export type DetailKind = 'inbound-detail' | 'outbound-detail';
export type SummaryKind = 'inbound-summary' | 'outbound-summary';
export type Direction = 'inbound' | 'outbound';

/**
 * Report identifiers as the specification gives them (section Endpoints, operations 3 to 6).
 * Both summaries carry the same identifier there; see decision 11.
 */
export const SPECIFIED_REPORT_IDENTIFIERS: Readonly<Record<ReportKind, string>> = {
  'inbound-detail': '29CDB989-6221-4742-96CA-1A878545B5A3',
  'inbound-summary': '7B9D4B85-0176-428B-BFED-9618940D473A',
  'outbound-detail': '69FD4E08-7BD1-45B3-9370-1EF0DC774EB5',
  'outbound-summary': '7B9D4B85-0176-428B-BFED-9618940D473A',
};

/** True for the canonical 8-4-4-4-12 form of a GUID, in any letter case. */
export function isGuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
