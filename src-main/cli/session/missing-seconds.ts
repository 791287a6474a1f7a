import type { ReportKind } from '../../common/reporting/reports.ts';
import { formatMoment } from '../../common/time/format-moment.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { CommandContext } from '../words/command.ts';
import type { OptionSpec } from '../words/option.ts';
import type { GivenPeriod } from '../words/period-options.ts';
import type { Session } from './session.ts';

export const GAPS_OPTION: OptionSpec = {
  name: 'allow-gaps',
  value: null,
  summary: 'exit with 0 also where something of the period is not cached',
};

/** What of a period is not cached, up to now. Records that may still arrive late don't count. */
export interface Missing {
  readonly seconds: number;
  /** The first spans of it; exclusive ends. */
  readonly spans: readonly { readonly fromMs: number; readonly toMs: number }[];
}

const SHOWN_SPANS = 3;

/** Reads what of a period is missing. */
export async function readMissing(
  session: Session,
  place: { readonly connectionId: string; readonly report: ReportKind } & Pick<
    GivenPeriod,
    'fromMs' | 'toMs'
  >,
  nowMs: number,
): Promise<Missing> {
  const toMs = Math.min(place.toMs, Math.floor(nowMs / 1_000) * 1_000);
  if (toMs <= place.fromMs) return { seconds: 0, spans: [] };
  const { gaps } = await session.call('coverage/read', {
    connectionId: place.connectionId,
    report: place.report,
    fromMs: place.fromMs,
    toMs,
    buckets: 1,
  });
  const spans: { fromMs: number; toMs: number }[] = [];
  for (const gap of gaps) {
    if (gap.state === 'open') continue;
    const last = spans.at(-1);
    if (last !== undefined && last.toMs === gap.fromMs) last.toMs = gap.toMs;
    else spans.push({ fromMs: gap.fromMs, toMs: gap.toMs });
  }
  const missingMs = spans.reduce((sum, span) => sum + span.toMs - span.fromMs, 0);
  return { seconds: Math.ceil(missingMs / 1_000), spans };
}

/** Says on standard error what is missing, and returns the exit code that follows. */
export function judgeMissing(
  { args, out }: Pick<CommandContext, 'args' | 'out'>,
  { seconds, spans }: Missing,
  zone: string,
): ExitCode {
  if (seconds === 0) return EXIT.done;
  const listed = spans
    .slice(0, SHOWN_SPANS)
    .map(({ fromMs, toMs }) => `${formatMoment(fromMs, zone)} to ${formatMoment(toMs, zone)}`);
  const more = spans.length > SHOWN_SPANS ? `, and ${spans.length - SHOWN_SPANS} more` : '';
  out.note(
    `Incomplete: ${seconds.toLocaleString('en')} s of the period are not cached (${zone}: ${listed.join(', ')}${more}).`,
  );
  return args.has('allow-gaps') ? EXIT.done : EXIT.incomplete;
}
