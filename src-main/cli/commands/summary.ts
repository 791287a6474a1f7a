import { DETAIL_KINDS, REPORT_KINDS, SUMMARY_KINDS, toDetailKind } from '../../common/reporting/reports.ts';
import { EXIT } from '../exit-codes.ts';
import { countWords } from '../output/count-words.ts';
import {
  checkRecordOptions,
  findRecords,
  judgeRecords,
  RECORD_OPTIONS,
  findReported,
  type FoundRecords,
} from '../session/find-records.ts';
import type { Session } from '../session/session.ts';
import type { Command, CommandContext } from '../words/command.ts';

async function findOfRecords(context: CommandContext, session: Session): Promise<FoundRecords> {
  if (context.args.find('snapshot') !== null) return findRecords(context, session, DETAIL_KINDS);
  const report = toDetailKind(context.args.choose('report', REPORT_KINDS));
  const args = { ...context.args, choose: () => report as never };
  return findRecords({ ...context, args }, session, DETAIL_KINDS);
}

export const summaryCommand: Command = {
  name: 'summary',
  summary: 'shows a summary as reported by the service, or computed from cached records',
  operands: '',
  maxOperands: 0,
  options: [
    ...RECORD_OPTIONS,
    { name: 'report', value: 'REPORT', summary: 'the report', choices: SUMMARY_KINDS },
    { name: 'computed', value: null, summary: 'compute it from cached detail records' },
  ],
  async run(context) {
    const { args, out } = context;
    checkRecordOptions(context);
    if (args.find('snapshot') === null) args.choose('report', REPORT_KINDS);
    const session = await context.open();
    const found = args.has('computed') ? await findOfRecords(context, session) : null;
    const summary =
      found === null
        ? await session.call('summaries/read', { snapshotId: await findReported(context, session) })
        : await session.call('summaries/compute', found.scope);
    const { groups } = summary;
    for (const group of groups) {
      await out.json({ ...group, source: summary.source });
    }
    await out.table(
      ['channel', 'service', 'origin', 'code', 'requests', 'response ms', 'bot ms'],
      groups.map((group) => [
        group.channel,
        group.service,
        group.origin,
        group.responseCode,
        group.count,
        round(group.averageResponseTimeMs),
        round(group.averageBotLatencyMs),
      ]),
    );
    await out.text(`${countWords(summary.requestCount, 'request')}, ${summary.source}`);
    if (found !== null) return judgeRecords(context, found);
    const { state } = await session.call('snapshots/get', { snapshotId: summary.snapshotId ?? 0 });
    if (state === 'complete') return EXIT.done;
    out.note('Incomplete: the summary did not arrive to its end.');
    return args.has('allow-gaps') ? EXIT.done : EXIT.incomplete;
  },
};

function round(value: number | null): number | null {
  return value === null ? null : Math.round(value * 10) / 10;
}
