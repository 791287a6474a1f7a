import type { ServiceOptions } from '../service-options.ts';

/** Ways in which the service can be told to misbehave as other people's services do. */
export const QUIRK_NAMES = [
  'corrected-spelling',
  'cursor-cycles',
  'cursor-expires',
  'cursor-never-empty',
  'cursor-repeats',
  'cut-body',
  'dates-dotnet',
  'dates-without-zone',
  'duplicate-records',
  'html-page',
  'invalid-with-400',
  'late-records',
  'numbers-as-strings',
  'rate-limited',
  'records-as-string',
  'records-key-data',
  'require-token',
  'separate-outbound-summary',
  'slow',
  'small-pages',
  'stalls',
  'status-nested',
  'status-text',
  'token-30s',
  'total-capped',
  'unauthorised-mid-page',
] as const;
export type QuirkName = (typeof QUIRK_NAMES)[number];

const SEPARATE_OUTBOUND_SUMMARY_ID = 'C0FFEE00-0B0E-4D5A-9C1E-0D7B0A5E0001';

/** True for a name that the service knows. */
export function isQuirkName(name: string): name is QuirkName {
  return (QUIRK_NAMES as readonly string[]).includes(name);
}

/** The quirks that are nothing but options. */
export function applyOptionQuirks(options: ServiceOptions): ServiceOptions {
  const has = (name: QuirkName): boolean => options.quirks.includes(name);
  return {
    ...options,
    requireToken: options.requireToken || has('require-token'),
    tokenMinutes: has('token-30s') ? 0.5 : options.tokenMinutes,
    outboundSummaryId:
      options.outboundSummaryId ?? (has('separate-outbound-summary') ? SEPARATE_OUTBOUND_SUMMARY_ID : null),
  };
}
