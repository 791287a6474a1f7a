import type { PartAnswer, PartCoverage, PartFigures, PinnedContent } from '../model/cases/case.ts';
import type { Formats } from './formats.ts';

type Values = Readonly<Record<string, string | number>>;

/** What sentences about the parts of a case need: messages of `casefile.json` by their keys, and how numbers are written. */
interface CaseLanguage {
  t(key: string, values?: Values, count?: number): string;
  readonly formats: Pick<Formats, 'formatCount' | 'formatExact' | 'formatSpan'>;
}

type Taken = Pick<
  PinnedContent,
  'question' | 'connectionName' | 'takenAtMs' | 'coverage' | 'figures' | 'content'
>;

/** What asking again found, in words. */
interface AnswerText {
  readonly isSame: boolean;
  /** For a mark beside the title. */
  readonly short: string;
  readonly sentences: readonly string[];
}

/** Returns functions that put the parts of cases into words, the same in the window and in what is exported. */
export function createCaseSentences({ t, formats }: CaseLanguage) {
  const { formatCount, formatExact, formatSpan } = formats;

  const toReport = (report: PartCoverage['report']): string => t(`casefile.reports.${report}`);

  /** How much of the period was cached; empty for a part that no record was counted for. */
  function toCoverage(coverage: readonly PartCoverage[]): string {
    const [only] = coverage;
    if (only === undefined) return '';
    const lacking = coverage.filter(({ missingMs }) => missingMs > 0);
    const [first] = lacking;
    if (first !== undefined) {
      const isOne = coverage.length === 1 || lacking.every(({ missingMs }) => missingMs === first.missingMs);
      if (isOne && lacking.length === coverage.length)
        return t('casefile.line.missing', { span: formatSpan(first.missingMs) });
      return lacking
        .map(({ report, missingMs }) =>
          t('casefile.line.missingOf', { span: formatSpan(missingMs), report: toReport(report) }),
        )
        .join(', ');
    }
    return t(
      coverage.some(({ state }) => state === 'open') ? 'casefile.line.open' : 'casefile.line.complete',
    );
  }

  /** How many records a question found, and how many of them failed; empty where it counted none. */
  function toFigures(figures: PartFigures | null): string {
    if (figures === null || figures.records === null) return '';
    const { records, failures } = figures;
    const values = { count: formatCount(records), failures: formatCount(failures ?? 0) };
    return t('casefile.line.records', values, records);
  }

  /** Where a part is from, piece by piece: connection, direction, period, filter, coverage, figures, moment. */
  function toLine({ question, connectionName, takenAtMs, coverage, figures, content }: Taken): string[] {
    const { zone, fromMs, toMs, query } = question;
    const reports = [...new Set(coverage.map(({ report }) => report))];
    const [from, to] = [fromMs, Math.max(fromMs, toMs - 1_000)].map((atMs) => formatExact(atMs, zone));
    const period = `${from === to ? from : `${from} – ${to}`} ${zone}`;
    return [
      connectionName === '' ? t('casefile.line.removed') : connectionName,
      reports.map(toReport).join(', '),
      period,
      query,
      figures === null ? t('casefile.line.notOfRecords') : toCoverage(coverage),
      toFigures(figures),
      content.table === null || content.table.rowCount <= content.table.rows.length
        ? ''
        : t(
            'casefile.line.firstRows',
            {
              shown: formatCount(content.table.rows.length),
              count: formatCount(content.table.rowCount),
            },
            content.table.rowCount,
          ),
      t('casefile.line.asOf', { time: formatExact(takenAtMs, zone) }),
    ].filter((piece) => piece !== '');
  }

  /** What has changed since a part was taken. */
  function toAnswer(part: Taken, answer: PartAnswer): AnswerText {
    const asked = t('casefile.answer.asked', { time: formatExact(answer.askedAtMs, part.question.zone) });
    const before = toCoverage(part.coverage);
    const after = toCoverage(answer.coverage);
    const coverage = before === after ? [] : [t('casefile.answer.coverage', { then: before, now: after })];
    const { figures } = answer;
    if (figures.records === null) {
      const then = part.figures?.rows ?? 0;
      const now = figures.rows ?? 0;
      const [added, gone] = [answer.newRows ?? 0, answer.goneRows ?? 0];
      const isSame = then === now && added + gone === 0;
      return {
        isSame,
        short: t(isSame ? 'casefile.answer.shortRowsSame' : 'casefile.answer.shortRowsChanged'),
        sentences: [
          ...(isSame
            ? [t('casefile.answer.rowsSame')]
            : [
                t('casefile.answer.rows', { then: formatCount(then), now: formatCount(now) }),
                t('casefile.answer.rowsChanged', { new: formatCount(added), gone: formatCount(gone) }),
              ]),
          ...coverage,
          asked,
        ],
      };
    }
    const { records: then = 0, failures: failedThen = 0 } = part.figures ?? {};
    const by = figures.records - (then ?? 0);
    const failed = { then: formatCount(failedThen ?? 0), now: formatCount(figures.failures ?? 0) };
    const isFailedSame = failed.then === failed.now;
    const values = {
      then: formatCount(then ?? 0),
      now: formatCount(figures.records),
      count: formatCount(Math.abs(by)),
    };
    const isSame = by === 0 && isFailedSame;
    const main = (): string => {
      if (by === 0 && !isFailedSame)
        return t('casefile.answer.failuresOnly', { count: values.now, ...failed }, figures.records ?? 0);
      if (by === 0) return t('casefile.answer.recordsSame', values, figures.records ?? 0);
      return t(by > 0 ? 'casefile.answer.recordsMore' : 'casefile.answer.recordsFewer', values);
    };
    return {
      isSame,
      short: by === 0 ? t('casefile.answer.shortSame', values) : t('casefile.answer.short', values),
      sentences: [
        main(),
        ...(by === 0 || isFailedSame ? [] : [t('casefile.answer.failures', failed)]),
        ...coverage,
        asked,
      ],
    };
  }

  return { toLine, toFigures, toAnswer };
}
