import { extname, resolve } from 'node:path';
import type { CaseFormat, CaseSummary } from '../../common/model/cases/case.ts';
import { formatMoment } from '../../common/time/civil-time.ts';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.ts';
import { countWords } from '../output.ts';
import type { Session } from '../session/session.ts';
import { requireDone, waitForTask } from '../session/wait-for-task.ts';
import { toUsageError, type Command, type CommandContext } from '../words/command.ts';

const FORMATS: Readonly<Record<string, CaseFormat>> = {
  '.html': 'html',
  '.pdf': 'pdf',
  '.md': 'markdown',
  '.zip': 'evidence',
};

/** Finds a case by its id or its title. */
function findCase(cases: readonly CaseSummary[], wanted: string): CaseSummary {
  const found = cases.filter(({ id, title }) => id === wanted || title === wanted);
  const [only] = found;
  if (only === undefined)
    throw new CommandError(EXIT.notFound, `There is no case "${wanted}".`, '"cases" lists them.');
  if (found.length > 1) throw toUsageError(`Several cases are called "${wanted}".`, 'Name one by its id.');
  return only;
}

async function write(
  context: CommandContext,
  session: Session,
  { id: caseId, title }: CaseSummary,
): Promise<void> {
  const { args, out, workFolder } = context;
  const target = resolve(workFolder, args.require('out'));
  const format = FORMATS[extname(target).toLowerCase()];
  if (format === undefined)
    throw toUsageError('--out takes a file that ends in .html, .pdf, .md or .zip.', '');
  const isMasked =
    args.find('clients') === null || args.choose('clients', ['pseudonym', 'received']) === 'pseudonym';
  const { taskId } = await session.call(
    'exports/start-case',
    { caseId, format, isMasked, isBrief: args.has('short') },
    { exportTarget: target },
  );
  if (taskId === null) throw new CommandError(EXIT.cancelled, 'Cancelled.');
  const task = await waitForTask(context, session, taskId, { doing: 'Writing', unit: 'parts' });
  requireDone(task);
  await out.json({ file: target, case: title, bytes: task.fileBytes, sha256: task.fileSha256 });
  await out.text(`${target}: ${countWords(task.fileBytes ?? 0, 'byte')}`);
}

export const casesCommand: Command = {
  name: 'cases',
  summary: 'lists cases, and exports one',
  operands: '[CASE]',
  maxOperands: 1,
  options: [
    {
      name: 'out',
      value: 'FILE',
      summary: 'writes CASE as .html, .pdf, .md, or .zip: an evidence pack',
      isPath: true,
    },
    {
      name: 'clients',
      value: 'HOW',
      summary: 'how clients are written (default: pseudonym)',
      choices: ['pseudonym', 'received'],
    },
    { name: 'short', value: null, summary: 'cut tables after five rows, leave folded parts out' },
  ],
  about: `CASE is a title or an id, as the list has them. With pseudonyms, contents of records are left out.`,
  async run(context): Promise<ExitCode> {
    const { args, out } = context;
    const [wanted] = args.operands;
    const hasTarget = args.find('out') !== null;
    if (hasTarget !== (wanted !== undefined))
      throw toUsageError('A case and --out go together.', 'Without both, the cases are listed.');
    const session = await context.open();
    const cases = await session.call('cases/list', null);
    if (wanted !== undefined) {
      await write(context, session, findCase(cases, wanted));
      return EXIT.done;
    }
    if (cases.length === 0) await out.text('There is no case.');
    for (const { createdAtMs, savedAtMs, ...summary } of cases)
      await out.json({
        ...summary,
        created: new Date(createdAtMs).toISOString(),
        saved: new Date(savedAtMs).toISOString(),
      });
    if (cases.length > 0)
      await out.table(
        ['id', 'parts', 'saved', 'title'],
        cases.map(({ id, partCount, savedAtMs, title }) => [
          id,
          String(partCount),
          formatMoment(savedAtMs, 'UTC'),
          title,
        ]),
      );
    return EXIT.done;
  },
};
