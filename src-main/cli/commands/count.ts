import { DETAIL_KINDS } from '../../common/reporting/reports.ts';
import { countWords } from '../output/count-words.ts';
import { checkRecordOptions, findRecords, judgeRecords, RECORD_OPTIONS } from '../session/find-records.ts';
import { QUERY_OPTION, readQuery } from '../words/query-option.ts';
import type { Command } from '../words/command.ts';

export const countCommand: Command = {
  name: 'count',
  summary: 'counts cached records',
  operands: '',
  maxOperands: 0,
  options: [
    ...RECORD_OPTIONS,
    { name: 'report', value: 'REPORT', summary: 'the report', choices: DETAIL_KINDS },
    QUERY_OPTION,
  ],
  about: `Each moment counts once, even if fetched several times. With --json it writes {"records","missingSeconds"}.`,
  async run(context) {
    checkRecordOptions(context);
    readQuery(context, 'UTC', []);
    const session = await context.open();
    const found = await findRecords(context, session, DETAIL_KINDS);
    const filter = readQuery(context, found.zone, found.connection?.names ?? []);
    const { viewId } = await session.call('records/open-view', {
      scope: found.scope,
      filter,
      order: [{ column: 'received', descending: false }],
    });
    const { rowCount: records } = await session.call('records/count-view', { viewId });
    await session.call('records/close-view', { viewId });
    await context.out.json({ records, missingSeconds: found.missing?.seconds ?? 0 });
    await context.out.text(countWords(records, 'record'));
    return judgeRecords(context, found);
  },
};
