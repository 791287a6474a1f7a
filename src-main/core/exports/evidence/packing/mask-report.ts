import type { ReportContent } from '../../report/report-content.ts';
import type { Masks } from '../masking/masks.ts';

/** What of a report's content tells of texts of records. */
export type MaskedReport = Pick<ReportContent, 'families' | 'findings'>;

/** Returns a report's content as a pack has it. What it is filtered by is masked by whoever describes it. */
export function maskReport({ families, findings }: MaskedReport, masks: Masks): MaskedReport {
  return {
    families: {
      ...families,
      families: families.families.map((family) => ({
        ...family,
        pattern: masks.errorFamily(family.pattern),
        // Texts in full; a report lists none.
        examples: [],
      })),
    },
    findings: {
      ...findings,
      list: findings.list.map((finding) => ({
        ...finding,
        errorFamily: finding.errorFamily === null ? null : masks.errorFamily(finding.errorFamily),
        examples: finding.examples.map(({ direction, sessionId }) => ({
          direction,
          sessionId: masks.sessionId(sessionId),
        })),
      })),
    },
  };
}
