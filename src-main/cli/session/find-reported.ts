import { REPORT_KINDS, REPORTS } from '../../common/reporting/reports.ts';
import { toPeriod } from '../../core/downloads/request-period.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { readPeriod } from '../words/period-options.ts';
import type { CommandContext } from '../words/command.ts';
import { findConnection } from './find-connection.ts';
import type { Session } from './session.ts';

/** The snapshot that was named, or the newest summary that was fetched of exactly the period. */
export async function findReported(context: CommandContext, session: Session): Promise<number> {
  const { args } = context;
  const given = args.whole('snapshot', 0, Number.MAX_SAFE_INTEGER);
  if (given !== null) return given;
  const report = `${REPORTS[args.choose('report', REPORT_KINDS)].direction}-summary`;
  const connection = await findConnection(session, args.require('connection'));
  const { fromMs, toMs } = readPeriod(context, connection.serviceZone);
  const period = toPeriod({ fromMs, toMs: toMs - 1_000 }, connection.serviceZone);
  const snapshots = await session.call('snapshots/list', { connectionId: connection.id });
  const found = snapshots.find(
    (each) =>
      each.report === report && each.period.fromMs === period.fromMs && each.period.toMs === period.toMs,
  );
  if (found !== undefined) return found.id;
  throw new CommandError(
    EXIT.notFound,
    `No ${report} of exactly this period is cached.`,
    `Fetch it with "fetch --report ${report}", or compute it of the records with --computed.`,
  );
}
