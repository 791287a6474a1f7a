import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Value } from 'typebox/value';
import type { OutcomeAdvice, OutcomeSuggestion } from '../../common/model/analysis/outcome-suggestion.ts';
import type { Connection } from '../../common/model/connections/connection.ts';
import {
  ConnectionOutcomes,
  OUTCOMES,
  toRules,
  type ConnectionOutcomes as Outcomes,
} from '../../common/reporting/outcome.ts';
import { DIRECTIONS, type Direction } from '../../common/reporting/reports.ts';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.ts';
import { countWords } from '../output/count-words.ts';
import { CONNECTION_OPTION, findConnection } from '../session/find-connections.ts';
import type { Session } from '../session/session.ts';
import { toUsageError, type Command, type CommandContext } from '../words/command.ts';

const toPercent = (share: number): string => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;

/** Why a rule is offered, in a sentence. */
function explain({
  reason,
  rule,
  share,
  othersShare,
  ofAll,
  count,
  path,
  examples,
}: OutcomeSuggestion): string {
  const codes = (rule.codes ?? [])
    .map((code) => (code === null ? 'no code' : `code ${String(code)}`))
    .join(', ');
  const who = codes === '' ? 'Records' : `Records with ${codes}`;
  const others = othersShare === null ? '' : ` (others in ${toPercent(othersShare)})`;
  const place = path === undefined ? '' : `${path.in === 'payload' ? 'Payload' : 'Response'}: ${path.at}`;
  const [example = ''] = examples;
  const says = {
    'error-text': `come with a text in Error in ${toPercent(share)}${others}, such as "${example}"`,
    body: `say "${example}" in ${place} in ${toPercent(share)}${others}`,
    'no-response': `have no response in ${toPercent(share)}${others}`,
    slow: `take ${Math.round(share)} times as long as others`,
    usual: `are ${toPercent(ofAll)} of all, without a sign of failure`,
    alike: 'read like those that are fine',
    steady: `are ${toPercent(ofAll)} of all requests on every day, and say the same`,
    'usual-text': `say "${example}" in Error in ${toPercent(share)} of all`,
  }[reason];
  return `${who} (${count.toLocaleString('en')}) ${says}: count them as ${rule.outcome}?`;
}

async function readRules(context: CommandContext, name: string): Promise<Outcomes> {
  const file = resolve(context.workFolder, name);
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new CommandError(EXIT.notFound, `${name} can't be read: ${(error as Error).message}`);
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw toUsageError(`${name} is no JSON: ${(error as Error).message}`, '');
  }
  if (Value.Check(ConnectionOutcomes, value)) return value;
  const [fault] = [...Value.Errors(ConnectionOutcomes, value)];
  throw toUsageError(
    `${name} holds no rules: ${fault === undefined ? '' : `${fault.instancePath || '/'} ${fault.message}`}.`,
    'It has the form that "outcome --connection NAME" prints.',
  );
}

/** The rules in use of both directions, as a file of rules has them. */
function listRules({ outcomes }: Connection): Required<Outcomes> {
  return { inbound: toRules(outcomes, 'inbound'), outbound: toRules(outcomes, 'outbound') };
}

async function printAdvice(
  { out }: CommandContext,
  direction: Direction,
  { suggestions, unclear, counts, recordCount }: OutcomeAdvice,
): Promise<void> {
  for (const suggestion of suggestions) await out.json({ direction, ...suggestion });
  for (const { code, count } of unclear) await out.json({ direction, unclear: code, count });
  if (recordCount === 0) return out.text(`${direction}: nothing is cached.`);
  const shares = OUTCOMES.map(
    (outcome, place) => `${toPercent((counts[place] ?? 0) / recordCount)} ${outcome}`,
  );
  await out.text(`${direction}: ${countWords(recordCount, 'record')}, ${shares.join(', ')}`);
  for (const suggestion of suggestions) await out.text(`  ${explain(suggestion)}`);
  for (const { code, count } of unclear)
    await out.text(
      `  It isn't clear what ${code === null ? 'no code' : `code ${code}`} means: ${countWords(count, 'record')} stay unknown.`,
    );
}

const advise = (session: Session, connectionId: string, direction: Direction): Promise<OutcomeAdvice> =>
  session.call('outcome/advise', { connectionId, direction });

export const outcomeCommand: Command = {
  name: 'outcome',
  summary: 'shows and changes which requests count as failed',
  operands: '',
  maxOperands: 0,
  options: [
    CONNECTION_OPTION,
    {
      name: 'suggest',
      value: null,
      summary: 'prints rules suggested by the cached records; changes nothing',
    },
    { name: 'accept', value: null, summary: 'accepts all suggestions' },
    { name: 'file', value: 'RULES.json', summary: 'replaces the rules with those of a file' },
    { name: 'defaults', value: null, summary: 'restores the default rules' },
  ],
  about: `Without --suggest the rules are printed as JSON, after changes by --accept, --file or --defaults:
{"inbound":[…],"outbound":[…]}. The first matching rule decides; a record without one is
unknown. A rule says "outcome": "ok", "failed", "expected" (a business answer: counted apart, never
a failure) or "unknown", and its conditions, all of which must match:
  "codes": [0, [400, 599], null]      codes, ranges with both ends, and null for no code
  "error": "present" or "absent", {"contains": "timeout"}, {"is": ["OK"]}, {"family": "…"}
  "path": {"in": "response", "at": "status", "is": ["failed"]}
                                      a value inside the payload or the response;
                                      without "is" anything but null, false, 0 and what is empty
  "channels", "services": [3]         "origins", "actions": ["-1"]`,
  async run(context): Promise<ExitCode> {
    const { args, out } = context;
    const wanted = args.require('connection');
    const file = args.find('file');
    const ways = [args.has('suggest'), args.has('accept'), args.has('defaults'), file !== null];
    if (ways.filter((isChosen) => isChosen).length > 1)
      throw toUsageError('--suggest, --accept, --file and --defaults exclude each other.');
    // Before anything is opened: a file with a mistake changes nothing.
    const given = file === null ? null : await readRules(context, file);
    const session = await context.open();
    const connection = await findConnection(session, wanted);
    const { id: connectionId } = connection;
    if (args.has('suggest')) {
      for (const direction of DIRECTIONS)
        await printAdvice(context, direction, await advise(session, connectionId, direction));
      return EXIT.done;
    }
    let outcomes = given ?? (args.has('defaults') ? {} : null);
    if (args.has('accept')) {
      const accepted: Outcomes = { ...connection.outcomes };
      for (const direction of DIRECTIONS) {
        const advice = await advise(session, connectionId, direction);
        for (const suggestion of advice.suggestions) out.note(`${direction}: ${explain(suggestion)} Taken.`);
        if (advice.suggestions.length > 0) accepted[direction] = advice.accepted;
      }
      outcomes = accepted;
    }
    const shown =
      outcomes === null
        ? connection
        : await session.call('outcome/save', { connectionId, outcomes, wait: true });
    await out.raw(`${JSON.stringify(listRules(shown), null, 2)}\n`);
    return EXIT.done;
  },
};
