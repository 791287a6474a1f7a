import { AppError } from '../../../common/contract/errors.ts';
import type { Input } from '../../../common/contract/index.ts';
import type { LevelReport } from '../../../common/model/connections/service-level.ts';
import { nameConnection, type Words } from '../../../common/words/words.ts';
import { createLevelSentences } from '../../../common/words/level-words.ts';
import type { SpokenKey } from '../../../common/words/messages.ts';
import type { Host } from '../../host.ts';
import { readLevels } from '../../service-levels/service-levels.ts';
import type { PreparedDocument } from '../export-subject.ts';
import { toSafeFileName } from '../partial-file.ts';
import { markup, type Markup, type MarkupPart, own } from './report-content.ts';
import { printReport, type ReportParts } from './read-report.ts';
import { writeTable } from './sections/write-table.ts';
import { writePage } from './write-report.ts';

/** Gaps and planned times that are listed one by one; the others are added up. */
const MAX_LISTED = 20;

/**
 * Prepares a month's report of service levels. Throws `connections.not-found`, and `service-levels.no-report` where there
 * is none of those that are named.
 */
export function prepareLevels(
  parts: ReportParts & {
    readonly host: Pick<Host, 'printPdf'>;
    findTenant(connectionId: string): number | null;
  },
  { connectionId, month, levelIds, format }: Input<'exports/start-service-levels'>,
): Omit<PreparedDocument, 'preview'> {
  const tenant = parts.findTenant(connectionId);
  const connection = parts.findConnection(connectionId);
  const serviceLevels = (connection?.serviceLevels ?? []).filter(
    ({ id }) => levelIds.length === 0 || levelIds.includes(id),
  );
  if (connection === undefined || serviceLevels.length === 0)
    throw new AppError('service-levels.no-report', 'There is no service level to report on.');
  const nameParts = ['service-levels', tenant, month].filter((part) => part !== null);
  return {
    format,
    connectionId,
    snapshotId: null,
    recordCount: null,
    missing: [],
    suggestedName: toSafeFileName(nameParts.join('_'), format),
    async write(file, { signal }) {
      const reports = await readLevels(parts, connectionId, { ...connection, serviceLevels }, month);
      const words = parts.readWords();
      const text = writeLevels({
        reports,
        month,
        words,
        nowMs: parts.now(),
        applicationVersion: parts.version,
        facts: [
          [words.t('report.facts.connection'), own(nameConnection(connection, words))],
          [words.t('report.facts.address'), own(connection.baseAddress)],
          [words.t('report.facts.tenant'), tenant ?? words.t('report.facts.noTenant')],
        ],
      });
      signal.throwIfAborted();
      await file.write(format === 'pdf' ? await printReport(parts.host, text, signal) : text);
      return { recordCount: reports.length };
    },
  };
}

interface LevelsContent {
  readonly reports: readonly LevelReport[];
  readonly month: string;
  readonly words: Words;
  readonly nowMs: number;
  readonly applicationVersion: string;
  readonly facts: readonly (readonly [name: string, value: MarkupPart])[];
}

function toSentences({ t, formats }: Words): ReturnType<typeof createLevelSentences> {
  return createLevelSentences({
    t: (key, values, count) => t(key as SpokenKey, values ?? {}, count),
    formats,
  });
}

/** Writes a month's report of service levels as a page. */
function writeLevels(content: LevelsContent): string {
  const { reports, month, words, nowMs, applicationVersion, facts } = content;
  const { t, formats } = words;
  const { zone } = reports[0]?.level ?? { zone: 'UTC' };
  const name = toSentences(words).toMonthName(month);
  const title = t('levels.document.title', { month: name });
  const isOver = reports.every((report) => report.isOver);
  const made = t('report.facts.madeBy', {
    time: `${formats.formatExact(nowMs, zone)} (${zone})`,
    version: applicationVersion,
  });
  const items = [...facts, [t('report.facts.made'), made] as const].map(
    ([term, value]) =>
      markup`<div>
        <dt>${term}</dt>
        <dd>${value}</dd>
      </div>`,
  );
  const body = markup`<section class="panel" aria-labelledby="title">
      <div class="brand">
        <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
          <rect width="14" height="14" rx="3" /></svg
        >${t('report.brand')}
      </div>
      <h1 id="title">${title}</h1>
      ${isOver ? null : markup`<p class="quiet">${t('levels.document.soFar', { time: formats.formatExact(nowMs, zone) })}</p>`}
      <dl class="facts">${items}</dl>
    </section>
    ${reports.map((report, place) => writeLevel(report, words, place))}
    <footer>${t('levels.basis')} ${writeKept(reports[0], words)}</footer>`;
  return writePage({ title, words, applicationVersion, body });
}

/** Since when checks are kept, where that is later than the beginning of the month. */
function writeKept(report: LevelReport | undefined, { t, formats }: Words): string {
  if (report === undefined) return '';
  const { checkedSinceMs, fromMs, level } = report;
  if (checkedSinceMs === null) return t('levels.noChecks');
  return checkedSinceMs <= fromMs
    ? ''
    : t('levels.kept', { time: formats.formatExact(checkedSinceMs, level.zone) });
}

function writeLevel(report: LevelReport, words: Words, place: number): Markup {
  const { t } = words;
  const { level, state, isOver } = report;
  const sentences = toSentences(words);
  const text = sentences.toText(report);
  const tone = state === 'missed' ? 'bad' : state === 'at-risk' || state === 'not-known' ? 'warn' : '';
  const figures: readonly (readonly [name: string, value: string, unit: string, note: string])[] = [
    [
      t(isOver ? 'levels.figures.reached' : 'levels.figures.reachedSoFar'),
      ...([text.share, text.ofTarget, text.least] as const),
    ],
    [t('levels.figures.used'), text.used, text.ofBudget, text.left],
    [t('levels.figures.watched'), text.watched, text.watchedOf, text.gaps],
    [t('levels.figures.planned'), text.planned, '', text.plannedNote],
  ];
  const cards = figures.map(
    ([name, value, unit, note]) =>
      markup`<div class="panel">
        <p class="micro faint">${name}</p>
        <p class="figure num">${value} <small>${unit}</small></p>
        <p class="micro quiet num">${note}</p>
      </div>`,
  );
  const id = `level-${place}`;
  return markup`<section aria-labelledby="${id}" class="level">
    <div class="panel">
      <header><h2 id="${id}">${own(level.name)}</h2><p class="${tone}">${t(`levels.states.${state}`)}</p></header>
      <p>${sentences.toAgreement(level)}</p>
      <p class="quiet">${t(`levels.stateHelp.${state}`)}</p>
    </div>
    <div class="figures levels">${cards}</div>
    ${writeOutages(report, words)} ${writeGaps(report, words)} ${writePlanned(report, words)}
  </section>`;
}

function writePanel(title: string, content: Markup): Markup {
  return markup`<div class="panel">
    <header><h3>${title}</h3></header>
    ${content}
  </div>`;
}

function writeOutages(report: LevelReport, words: Words): Markup {
  const { t, formats } = words;
  const { zone } = report.level;
  const sentences = toSentences(words);
  const { figures, used } = sentences.toText(report);
  const title = t('levels.outages.title');
  if (report.outages.length === 0) return writePanel(title, markup`<p>${t('levels.outages.none')}</p>`);
  const rows = report.outages.map(({ fromMs, toMs, downMs, isOngoing }, place) => [
    formats.formatExact(fromMs, zone),
    isOngoing ? t('levels.outages.ongoing') : formats.formatExact(toMs, zone),
    sentences.toMinutes(figures.outageMinutes[place] ?? 0),
    toMs - fromMs > downMs ? t('levels.outages.unsure') : '',
  ]);
  const columns = [
    { name: t('report.from'), kind: 'time' },
    { name: t('report.toExcluded'), kind: 'time' },
    { name: t('levels.outages.minutes'), kind: 'number' },
    { name: '' },
  ] as const;
  return writePanel(title, writeTable(title, columns, [...rows, [t('levels.outages.total'), '', used, '']]));
}

function writeGaps({ gaps, gapCount, unwatchedMs, level }: LevelReport, words: Words): Markup {
  const { t, formats } = words;
  const title = t('levels.gaps.title');
  if (gapCount === 0) return writePanel(title, markup`<p>${t('levels.gaps.none')}</p>`);
  const longest = gaps
    .toSorted((a, b) => b.toMs - b.fromMs - (a.toMs - a.fromMs))
    .slice(0, MAX_LISTED)
    .sort((a, b) => a.fromMs - b.fromMs);
  const listedMs = longest.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  const rows = longest.map(({ fromMs, toMs }) => [
    formats.formatExact(fromMs, level.zone),
    formats.formatExact(toMs, level.zone),
    formats.formatSpan(toMs - fromMs),
  ]);
  const columns = [
    { name: t('report.from'), kind: 'time' },
    { name: t('report.toExcluded'), kind: 'time' },
    { name: t('levels.gaps.length'), kind: 'number' },
  ] as const;
  const rest = gapCount - longest.length;
  const more = t(
    'levels.gaps.more',
    { count: formats.formatCount(rest), span: formats.formatSpan(unwatchedMs - listedMs) },
    rest,
  );
  return writePanel(
    title,
    markup`${writeTable(title, columns, rows)}${rest === 0 ? null : markup`<p class="notes quiet">${more}</p>`}`,
  );
}

function writePlanned({ planned, level }: LevelReport, words: Words): Markup | null {
  const { t, formats } = words;
  if (planned.length === 0) return null;
  const title = t('levels.planned.title');
  const listed = planned.slice(0, MAX_LISTED);
  const rest = planned.length - listed.length;
  const columns = [
    { name: t('report.from'), kind: 'time' },
    { name: t('report.toExcluded'), kind: 'time' },
    { name: '', kind: 'long' },
  ] as const;
  const table = writeTable(
    title,
    columns,
    listed.map(({ fromMs, toMs, name }) => [
      formats.formatExact(fromMs, level.zone),
      formats.formatExact(toMs, level.zone),
      own(name),
    ]),
  );
  const more = t('levels.planned.more', { count: formats.formatCount(rest) }, rest);
  return writePanel(title, markup`${table}${rest === 0 ? null : markup`<p class="notes quiet">${more}</p>`}`);
}
