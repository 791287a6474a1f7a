import { createHash } from 'node:crypto';
import type { Words } from '../../../common/words/words.ts';
import { markup, Markup } from './markup.ts';
import type { ReportContent } from './report-content.ts';
import { writeStyle } from './report-style.ts';
import { writeCertificates } from './sections/write-certificates.ts';
import { writeCharts } from './sections/write-charts.ts';
import { writeMissing } from './sections/write-coverage.ts';
import { writeFamilies } from './sections/write-families.ts';
import { writeFigures } from './sections/write-figures.ts';
import { writeFindings } from './sections/write-findings.ts';
import { writeCodes, writePairs } from './sections/write-groups.ts';
import { writeHead, writeTitle } from './sections/write-head.ts';

const HATCHING = markup`<svg class="definitions" aria-hidden="true">
  <defs>
    <pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <path class="hatching" d="M0 0V5" />
    </pattern>
  </defs>
</svg>`;

/** A page of its own: what stands in its head, and what it shows. */
interface PageContent {
  readonly title: string;
  readonly words: Words;
  readonly applicationVersion: string;
  readonly body: Markup;
  /** It holds pictures, as data. */
  readonly hasPictures?: boolean;
}

/**
 * Writes a page as one HTML file: no script, no request, nothing that is loaded. Its policy allows its own style sheet
 * and nothing else, by the sheet's hash, so that markup could do nothing even if a value became some.
 */
export function writePage(content: PageContent): string {
  const { title, words, applicationVersion, body, hasPictures = false } = content;
  const { t, formats } = words;
  const style = writeStyle(`Channelscope · ${title}`, t('report.page'));
  const hash = createHash('sha256').update(style).digest('base64');
  const pictures = hasPictures ? ' img-src data:;' : '';
  const policy = `default-src 'none'; style-src 'sha256-${hash}';${pictures} base-uri 'none'; form-action 'none'`;
  const page = markup`<!doctype html>
    <html lang="${formats.locale}">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <meta name="color-scheme" content="light dark" />
        <meta name="generator" content="Channelscope ${applicationVersion}" />
        <title>${title}</title>
        ${new Markup(`<style>${style}</style>`)}
      </head>
      <body>
        ${HATCHING}
        <main>${body}</main>
      </body>
    </html> `;
  return page.text;
}

/** What a brief report, which fits on a page, tells of findings and of errors. */
const BRIEF = { findings: 3, families: 5 } as const;

/** Writes a report of records as a page: what went wrong first, the numbers behind it after. */
export function writeReport(content: ReportContent, isBrief = false): string {
  const { words, applicationVersion, hasOwnRules } = content;
  const own = writeTitle(content);
  const { tenant } = content.about;
  const title = tenant === undefined ? own : words.t('report.title', { title: own, tenant });
  const numbers = isBrief
    ? markup`${writeFigures(content)} ${writeCharts(content, isBrief)}`
    : markup`${writeFigures(content)} ${writeCharts(content)} ${writePairs(content)} ${writeCodes(content)}
        ${writeMissing(content)} ${writeCertificates(content)}`;
  const body = markup`${writeHead(content)} ${writeFindings(content, isBrief ? BRIEF.findings : undefined)}
    ${writeFamilies(content, isBrief ? BRIEF.families : undefined)} ${numbers}
    <footer>
      ${words.t(hasOwnRules ? 'report.basis.own' : 'report.basis.standard')} ${words.t('report.basis.figures')}
    </footer>`;
  return writePage({ title, words, applicationVersion, body });
}
