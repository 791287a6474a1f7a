import { QUIRK_NAMES, type QuirkName } from '../../common/model/connections/simulation.ts';
import type { ServiceOptions } from '../service-options.ts';

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
