import { formatExact } from '../../../../common/words/dates.ts';
import { markup, type Markup } from '../markup.ts';
import type { ReportContent } from '../report-content.ts';
import { writeFindingDetail, writeFindingTitle, writeSpan } from './finding-words.ts';
import { writePattern } from './write-families.ts';

/** What stood out in the period, in sentences. */
export function writeFindings({ findings, names, zone, about }: ReportContent): Markup {
  const { list, fromMs, toMs, gaps } = findings;
  const items = list.map(
    (finding) =>
      markup`<li>
        <h3>${writeFindingTitle(finding, names)}</h3>
        <p class="quiet num">${writeFindingDetail(finding)}</p>
        ${finding.errorFamily === null ? null : markup`<p>${writePattern(finding.errorFamily)}</p>`}
        <p class="micro faint num">${writeSpan(finding, zone)}</p>
      </li>`,
  );
  const looked = `${formatExact(fromMs, zone)} to ${formatExact(toMs, zone)}`;
  const scope =
    about.filter === undefined
      ? 'against the same hours of earlier days, or the hours before'
      : 'of all traffic of the connection, whatever the filter';
  const unsure = gaps.map(({ reason, fromMs: gapFromMs, toMs: gapToMs }) => {
    const span = `${formatExact(gapFromMs, zone)} to ${formatExact(gapToMs, zone)}`;
    return reason === 'not-cached'
      ? markup`<p>Records are missing between ${span}: more may stand out.</p>`
      : markup`<p>Too little is cached of earlier hours or days to compare with: more may stand out.</p>`;
  });
  const none =
    gaps.length === 0
      ? markup`<p class="quiet">Nothing stands out.</p>`
      : markup`<p class="quiet">It is not known whether anything stands out.</p>`;
  return markup`<section class="panel" aria-labelledby="findings">
    <header>
      <h2 id="findings">Findings</h2>
      <span class="micro faint num">${looked}, ${scope}</span>
    </header>
    ${
      list.length === 0
        ? none
        : markup`<ul class="list">
            ${items}
          </ul>`
    }${unsure.length === 0 ? null : markup`<div class="notes quiet">${unsure}</div>`}
  </section>`;
}
