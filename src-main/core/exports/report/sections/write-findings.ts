import type { Finding } from '../../../../common/model/analysis/finding.ts';
import { createFindingSentences } from '../../../../common/words/finding-words.ts';
import { markup, type Markup } from '../markup.ts';
import { writeNoticed } from '../../../../common/words/noticed-words.ts';
import type { ReportContent } from '../report-content.ts';
import { toNamedText } from './value-names.ts';
import { writePattern } from './write-families.ts';

/** What stood out in the period, in sentences; the first `most` findings. */
export function writeFindings(content: ReportContent, most = Infinity): Markup {
  const { findings, names, zone, about, words } = content;
  const { t, formats } = words;
  const { formatExact } = formats;
  const sentences = createFindingSentences({
    t,
    formats,
    toText: (field, value) => toNamedText(names, field, value),
  });
  const toSpan = (finding: Finding): string => {
    const { sinceMs, endedMs } = finding;
    const direction = sentences.toDirections(finding);
    const from = formatExact(sinceMs, zone);
    return endedMs === null
      ? t('report.findings.going', { time: from, direction })
      : t('report.findings.over', { from, to: formatExact(endedMs, zone), direction });
  };
  const items = findings.list.slice(0, most).map(
    (finding) =>
      markup`<li>
        <h3>${sentences.toTitle(finding)}</h3>
        <p class="quiet num">${sentences.toDetail(finding)}</p>
        ${finding.errorFamily === null ? null : markup`<p>${writePattern(finding.errorFamily)}</p>`}
        <p class="micro faint num">${toSpan(finding)}</p>
      </li>`,
  );
  const toRange = (fromMs: number, toMs: number): { from: string; to: string } => ({
    from: formatExact(fromMs, zone),
    to: formatExact(toMs, zone),
  });
  const looked = t('report.fromTo', toRange(findings.fromMs, findings.toMs));
  const { leftOut } = findings;
  const ofAll = about.filter === undefined ? 'report.findings.againstEarlier' : 'report.findings.ofAll';
  const scope = t(leftOut === undefined ? ofAll : 'report.findings.within');
  const unsure = findings.gaps.map(({ reason, fromMs, toMs }) =>
    reason === 'not-cached'
      ? markup`<p>${t('report.findings.notCached', toRange(fromMs, toMs))}</p>`
      : markup`<p>${t('report.findings.notLearned')}</p>`,
  );
  const known = findings.gaps.length === 0 ? 'report.findings.calm' : 'report.findings.unsure';
  const others = formats.formatCount(leftOut ?? 0);
  const unlisted = findings.list.length - items.length;
  const brief =
    unlisted === 0
      ? []
      : [markup`<p>${t('report.findings.brief', { count: formats.formatCount(unlisted) }, unlisted)}</p>`];
  const rest =
    leftOut === undefined || leftOut === 0
      ? []
      : [markup`<p>${t('report.findings.beyond', { count: others }, leftOut)}</p>`];
  const calm = rest.length === 0 ? t(known) : t('report.findings.noneWithin');
  const noticed = writeNoticed(findings.noticed, {
    t,
    formats,
    toText: (field, value) => toNamedText(names, field, value),
  });
  const none = `${calm} ${noticed}`.trim();
  return markup`<section class="panel" aria-labelledby="findings">
    <header>
      <h2 id="findings">${t('report.findings.title')}</h2>
      <span class="micro faint num">${looked}, ${scope}</span>
    </header>
    ${
      items.length === 0
        ? markup`<p class="quiet">${none}</p>`
        : markup`<ul class="list">
            ${items}
          </ul>`
    }${brief.length + unsure.length + rest.length === 0 ? null : markup`<div class="notes quiet">${[...brief, ...rest, ...unsure]}</div>`}
  </section>`;
}
