import type { Finding } from '../../../common/model/analysis/finding.ts';
import { ENGLISH } from '../../../common/words/english.ts';
import { createFindingSentences } from '../../../common/words/finding-words.ts';
import type { ReportContent } from '../report/report-content.ts';
import { toNamedText } from '../report/sections/value-names.ts';

/** Writes what stood out, as JSON: in English words and in figures. Takes a report's content that is masked. */
export function writeFindingsText({ findings, names }: Pick<ReportContent, 'findings' | 'names'>): string {
  const { list, fromMs, toMs, gaps } = findings;
  const content = {
    from: toIso(fromMs),
    to: toIso(toMs),
    findings: list.map((finding) => describeFinding(finding, names)),
    // Why more may stand out than is listed.
    notJudged: gaps.map(({ direction, reason, fromMs: gapFromMs, toMs: gapToMs }) => ({
      direction,
      reason,
      from: toIso(gapFromMs),
      to: toIso(gapToMs),
    })),
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

function describeFinding(finding: Finding, names: ReportContent['names']): Readonly<Record<string, unknown>> {
  const { kind, also, part, directions, channel, service, sinceMs, endedMs, requests, count } = finding;
  const { recent, usual, source, errorFamily, isNewFamily, examples } = finding;
  const sentences = createFindingSentences({
    ...ENGLISH,
    toText: (field, value) => toNamedText(names, field, value),
  });
  return {
    title: sentences.toTitle(finding),
    detail: sentences.toDetail(finding),
    kind,
    also,
    part,
    directions,
    channel,
    service,
    since: toIso(sinceMs),
    ended: endedMs === null ? null : toIso(endedMs),
    requests,
    count,
    affectedSessions: finding.sessionCount,
    affectedClients: finding.clientCount,
    recent,
    usual,
    usualFrom: source,
    errorFamily,
    isNewFamily,
    sessions: examples,
  };
}

function toIso(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
