import { resolve } from 'node:path';
import type { Connection } from '../../common/model/connections/connection.ts';
import {
  CONFLICT_CHOICES,
  SHARED_KINDS,
  type ForeignConnection,
  type SharedChoice,
  type SharedKind,
  type SharedOutcome,
  type SharedPlan,
  type SharedProblem,
  type SharedWork,
} from '../../common/model/shared/shared-work.ts';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.ts';
import { countWords } from '../output.ts';
import type { Session } from '../session/session.ts';
import { toUsageError, type Command, type CommandContext, type OptionSpec } from '../words/command.ts';

const CHOICE_OPTIONS: readonly OptionSpec[] = [
  { name: 'kinds', value: 'KINDS', summary: 'kinds, separated by commas (default: all)' },
  { name: 'map', value: 'PAIRS', summary: 'connections, such as "Here=There, Other=There 2"' },
];
const MAP_ABOUT = `KINDS are ${SHARED_KINDS.slice(0, 6).join(', ')},
${SHARED_KINDS.slice(6).join(', ')}. A connection with the address and tenant
of one in the folder is that one; --map names others, by name or id. No secret and no record is ever written.`;

const FAULTS: Readonly<Record<SharedProblem['fault'], string>> = {
  cut: 'is cut short or is no JSON',
  newer: 'was written by a newer version',
  foreign: 'is no file of shared work',
  unfit: "can't be used here",
  unreadable: "can't be opened",
  lost: "has lost its rows on this computer, and isn't in the folder",
};

function readKinds({ args }: CommandContext): SharedKind[] {
  const given = args.find('kinds');
  if (given === null) return [...SHARED_KINDS];
  return given.split(',').map((word) => {
    const kind = SHARED_KINDS.find((name) => name === word.trim());
    if (kind === undefined)
      throw toUsageError(`"${word.trim()}" is no kind.`, `There are: ${SHARED_KINDS.join(', ')}.`);
    return kind;
  });
}

function readFolder({ args, workFolder }: CommandContext): string {
  const [folder] = args.operands;
  if (folder === undefined) throw toUsageError('The folder is missing.');
  return resolve(workFolder, folder);
}

function findNamed<Named extends { readonly name: string }>(
  list: readonly Named[],
  wanted: string,
  toId: (each: Named) => string,
): Named {
  const found = list.find((each) => toId(each) === wanted) ?? list.find(({ name }) => name === wanted);
  if (found !== undefined) return found;
  const names = list.map(({ name }) => `"${name}"`).join(', ');
  throw new CommandError(
    EXIT.notFound,
    `There is no connection "${wanted}".`,
    `There are: ${names || 'none'}.`,
  );
}

/** What is shared: connections by --map, as they were linked before, or those that are alike; others under their own id. */
async function readChoice(
  context: CommandContext,
  session: Session,
  { takesOwn }: { readonly takesOwn: boolean },
): Promise<SharedChoice> {
  const folder = readFolder(context);
  const kinds = readKinds(context);
  const saved: readonly Connection[] = await session.call('connections/list', null);
  const { foreign } = await session.call('shared-work/plan-import', { folder, kinds, connections: [] });
  const { choice } = await session.call('shared-work/read', null);
  const before = choice?.folder === folder ? choice.connections : [];
  const named = new Map<string, string>();
  for (const pair of context.args.find('map')?.split(',') ?? []) {
    const [here = '', there = ''] = pair.split('=').map((part) => part.trim());
    const own = findNamed(saved, here, ({ id }) => id);
    named.set(own.id, findNamed(foreign, there, ({ sharedId }) => sharedId).sharedId);
  }
  const taken = new Set(named.values());
  const connections = saved.flatMap(({ id: connectionId }) => {
    const wanted =
      named.get(connectionId) ??
      before.find((each) => each.connectionId === connectionId)?.sharedId ??
      foreign.find(({ suggestedId }) => suggestedId === connectionId)?.sharedId ??
      (takesOwn ? connectionId : null);
    if (wanted === null || (taken.has(wanted) && named.get(connectionId) !== wanted)) return [];
    taken.add(wanted);
    return [{ connectionId, sharedId: wanted }];
  });
  return { folder, kinds, connections };
}

async function printProblems({ out }: CommandContext, problems: readonly SharedProblem[]): Promise<void> {
  for (const { file, fault, error } of problems) {
    await out.json({ file, fault, error: error?.code ?? null });
    out.note(`${file} ${FAULTS[fault]}${error === null ? '' : ` (${error.message})`}: it was left alone.`);
  }
}

function noteForeign({ out }: CommandContext, foreign: readonly ForeignConnection[]): void {
  for (const { name, sharedId, count } of foreign)
    out.note(
      `${countWords(count, 'item')} of the connection "${name}" (${sharedId}) left out: name it with --map.`,
    );
}

async function printPlan(context: CommandContext, { items, problems, foreign }: SharedPlan): Promise<void> {
  const { out } = context;
  for (const { id, kind, label, connection, state } of items)
    await out.json({ id, kind, label, connection, state });
  await out.table(
    ['state', 'kind', 'name', 'connection'],
    items.map(({ state, kind, label, connection }) => [state, kind, label, connection ?? '']),
  );
  await printProblems(context, problems);
  noteForeign(context, foreign);
}

async function printOutcome(
  context: CommandContext,
  { done, same, left, problems }: SharedOutcome,
  { folder, replaceWord }: { readonly folder: string; readonly replaceWord: string },
): Promise<ExitCode> {
  const { out } = context;
  await out.json({ folder, done, same, left });
  await out.text(
    `${folder}: ${countWords(done, 'item')} carried, ${same} the same, ${left} left as they are.`,
  );
  if (left > 0)
    out.note(`Items with other contents are only replaced with ${replaceWord}; what they replace is kept.`);
  await printProblems(context, problems);
  return EXIT.done;
}

const exportCommand: Command = {
  name: 'shared export',
  summary: 'writes filters, alerts, names and other work to a folder, one file each',
  operands: 'FOLDER',
  maxOperands: 1,
  options: [
    ...CHOICE_OPTIONS,
    { name: 'dry-run', value: null, summary: 'only list the changes' },
    { name: 'replace', value: null, summary: 'replace differing items in the folder' },
  ],
  about: MAP_ABOUT,
  async run(context) {
    const { args } = context;
    const session = await context.open();
    const choice = await readChoice(context, session, { takesOwn: true });
    const plan = await session.call('shared-work/plan-export', choice);
    if (args.has('dry-run')) {
      await printPlan(context, plan);
      return EXIT.done;
    }
    const replace = args.has('replace') ? plan.items.map(({ id }) => id) : [];
    const outcome = await session.call('shared-work/export', { choice, replace });
    return printOutcome(context, outcome, { folder: choice.folder, replaceWord: '--replace' });
  },
};

const importCommand: Command = {
  name: 'shared import',
  summary: 'imports what "shared export" wrote to a folder',
  operands: 'FOLDER',
  maxOperands: 1,
  options: [
    ...CHOICE_OPTIONS,
    { name: 'dry-run', value: null, summary: 'only list the changes' },
    { name: 'replace', value: null, summary: 'replace differing items here' },
  ],
  about: `${MAP_ABOUT}
Schedules arrive switched off and without a folder.`,
  async run(context) {
    const { args } = context;
    const session = await context.open();
    const choice = await readChoice(context, session, { takesOwn: false });
    const plan = await session.call('shared-work/plan-import', choice);
    if (args.has('dry-run')) {
      await printPlan(context, plan);
      return EXIT.done;
    }
    const wanted = plan.items.filter(
      ({ state }) => state === 'new' || (state === 'other' && args.has('replace')),
    );
    const take = wanted.map(({ id }) => id);
    const outcome = await session.call('shared-work/import', { choice, take });
    noteForeign(context, plan.foreign);
    return printOutcome(context, outcome, { folder: choice.folder, replaceWord: '--replace' });
  },
};

async function printStatus(context: CommandContext, work: SharedWork): Promise<ExitCode> {
  const { out } = context;
  const { choice, state, count, waiting, conflicts, problems, foreign, removals, keptCount, error } = work;
  const folder = choice?.folder ?? null;
  await out.json({ folder, state, count, waiting, conflicts: conflicts.length, removals, keptCount });
  if (folder === null) {
    await out.text('No folder is linked.');
    return EXIT.done;
  }
  const states: Readonly<Record<SharedWork['state'], string>> = {
    none: 'not linked',
    looking: 'not looked at yet',
    'in-step': 'in step',
    waiting: 'not in step',
    gone: 'the folder is not there; nothing is deleted because of it',
    emptied: 'the folder holds no shared work any more; nothing is deleted because of it',
    failed: `it failed: ${error?.message ?? ''}`,
  };
  await out.text(`${folder}: ${states[state]}, ${countWords(count, 'item')}, ${waiting} waiting.`);
  for (const { id, kind, label, differences, isMine, isTheirs } of conflicts) {
    await out.json({ conflict: id, kind, label, isMine, isTheirs, differences });
    await out.text(`Conflict ${id}: ${kind} "${label}"`);
    if (!isMine || !isTheirs) await out.text(isMine ? '  deleted in the folder' : '  deleted here');
    await out.table(
      ['field', 'here', 'in the folder'],
      differences.map(({ path, mine, theirs }) => [path, mine ?? '', theirs ?? '']),
    );
  }
  const gone = removals.here + removals.folder;
  if (gone > 0)
    out.note(
      `${countWords(gone, 'item')} gone at once ${removals.here > 0 ? 'here' : 'in the folder'}: answer with "shared removals".`,
    );
  await printProblems(context, problems);
  noteForeign(context, foreign);
  return state === 'in-step' ? EXIT.done : EXIT.incomplete;
}

const linkCommand: Command = {
  name: 'shared link',
  summary: 'links a folder of Git or a synced drive, and keeps both sides equal',
  operands: 'FOLDER',
  maxOperands: 1,
  options: CHOICE_OPTIONS,
  about: `${MAP_ABOUT}
It follows while Channelscope is open; "shared status" looks once.`,
  async run(context) {
    const session = await context.open();
    const choice = await readChoice(context, session, { takesOwn: true });
    return printStatus(context, await session.call('shared-work/link', choice));
  },
};

const unlinkCommand: Command = {
  name: 'shared unlink',
  summary: 'unlinks the folder; both sides stay as they are',
  operands: '',
  maxOperands: 0,
  options: [],
  async run(context) {
    const session = await context.open();
    return printStatus(context, await session.call('shared-work/unlink', null));
  },
};

const statusCommand: Command = {
  name: 'shared status',
  summary: 'syncs the linked folder once, and lists conflicts',
  operands: '',
  maxOperands: 0,
  options: [],
  about: 'Ends with 0 if both sides are equal, and as incomplete if something waits for you.',
  async run(context) {
    const session = await context.open();
    const { choice } = await session.call('shared-work/read', null);
    const work = await session.call(choice === null ? 'shared-work/read' : 'shared-work/look', null);
    return printStatus(context, work);
  },
};

const resolveCommand: Command = {
  name: 'shared resolve',
  summary: 'chooses a version of a conflict that "shared status" lists',
  operands: 'CONFLICT',
  maxOperands: 1,
  options: [{ name: 'keep', value: 'WHICH', summary: 'the version to keep', choices: CONFLICT_CHOICES }],
  about:
    'The other version is kept: "shared kept" lists it. With both, the version from here gets another name.',
  async run(context) {
    const { args } = context;
    const [conflictId] = args.operands;
    if (conflictId === undefined) throw toUsageError('The id of the conflict is missing.');
    const choice = args.choose('keep', CONFLICT_CHOICES);
    const session = await context.open();
    await session.call('shared-work/look', null);
    return printStatus(context, await session.call('shared-work/resolve', { conflictId, choice }));
  },
};

const removalsCommand: Command = {
  name: 'shared removals',
  summary: 'decides about many items that disappeared at once',
  operands: 'ANSWER',
  choices: ['delete', 'restore'],
  maxOperands: 1,
  options: [],
  about: '"delete" deletes them on the other side, too (versions are kept); "restore" restores them.',
  async run(context) {
    const [word] = context.args.operands;
    const answer = (['delete', 'restore'] as const).find((each) => each === word);
    if (answer === undefined) throw toUsageError('ANSWER is delete or restore.');
    const session = await context.open();
    await session.call('shared-work/look', null);
    return printStatus(context, await session.call('shared-work/answer-removals', { answer }));
  },
};

const keptCommand: Command = {
  name: 'shared kept',
  summary: 'lists replaced and deleted versions, and restores one',
  operands: '',
  maxOperands: 0,
  options: [{ name: 'restore', value: 'ID', summary: 'restores this version' }],
  async run(context) {
    const { args, out } = context;
    const session = await context.open();
    const keptId = args.find('restore');
    if (keptId !== null) return printStatus(context, await session.call('shared-work/restore', { keptId }));
    const kept = await session.call('shared-work/list-kept', null);
    for (const { id, kind, label, reason, keptAtMs } of kept)
      await out.json({ id, kind, label, reason, keptAt: new Date(keptAtMs).toISOString() });
    await out.table(
      ['id', 'kind', 'name', 'why'],
      kept.map(({ id, kind, label, reason }) => [id, kind ?? '', label, reason]),
    );
    return EXIT.done;
  },
};

export const SHARED_COMMANDS: readonly Command[] = [
  linkCommand,
  unlinkCommand,
  statusCommand,
  resolveCommand,
  removalsCommand,
  keptCommand,
  exportCommand,
  importCommand,
];
