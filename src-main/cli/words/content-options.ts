import { toContents, type ExportChoices } from '../../common/model/exports/export-choices.ts';
import {
  AS_RECEIVED,
  CLIENT_MASKS,
  DEFAULT_EVIDENCE,
  ERROR_MASKS,
  MAX_EVIDENCE_SESSIONS,
  PAYLOAD_MASKS,
} from '../../common/model/exports/evidence-options.ts';
import { toUsageError, type CommandContext, type OptionSpec } from './command.ts';

/** What is masked in a file, and what an evidence pack or a report holds. */
export const CONTENT_OPTIONS: readonly OptionSpec[] = [
  { name: 'client', value: 'HOW', summary: 'how clients are written', choices: CLIENT_MASKS },
  {
    name: 'payload',
    value: 'HOW',
    summary: 'how payloads and responses are written',
    choices: PAYLOAD_MASKS,
  },
  { name: 'errors', value: 'HOW', summary: 'how error texts are written', choices: ERROR_MASKS },
  { name: 'sessions', value: 'IDS', summary: 'evidence: sessions to add, with commas between' },
  { name: 'no-finding-sessions', value: null, summary: 'evidence: leave the sessions of findings out' },
  { name: 'short', value: null, summary: 'html, pdf: one page, in place of all' },
];

/** What each format has its own way of, or no use for. */
const OF_EVIDENCE = ['sessions', 'no-finding-sessions'];
const NOT_OF_EVIDENCE = ['field-names', 'manifest', 'computed', 'no-payload'];
const MASKED = ['client', 'payload', 'errors'];

/** Fails for options that belong to another format. */
export function checkContentOptions({ args }: Pick<CommandContext, 'args'>, format: string): void {
  const isGiven = (name: string): boolean => args.has(name) || args.find(name) !== null;
  const isReport = format === 'html' || format === 'pdf';
  const refuse = (name: string | undefined, of: string): void => {
    if (name !== undefined) throw toUsageError(`--${name} belongs to --format ${of}.`);
  };
  if (!isReport) refuse(['short'].find(isGiven), 'html or pdf');
  if (format !== 'evidence') refuse(OF_EVIDENCE.find(isGiven), 'evidence');
  const wrong = format === 'evidence' ? NOT_OF_EVIDENCE.find(isGiven) : undefined;
  if (wrong !== undefined)
    throw toUsageError(
      `--format evidence and --${wrong} exclude each other.`,
      'It is said with --client, --payload and --errors what of the records is written.',
    );
  const masked = args.has('computed') || format === 'portable' ? MASKED.find(isGiven) : undefined;
  if (masked !== undefined)
    throw toUsageError(
      `--${masked} is for records.`,
      'A summary names nobody, and a portable file is proven by what was received.',
    );
}

/**
 * Reads what a file masks, and what a pack or a report holds, over what a preset says: what isn't named is masked in a
 * pack, and as received in all others. Throws a CommandError.
 */
export function readContents(
  { args }: Pick<CommandContext, 'args'>,
  choices: Pick<ExportChoices, 'format' | 'masking' | 'isBrief'>,
): ReturnType<typeof toContents> {
  const { format, isBrief = false } = choices;
  const { masking = format === 'evidence' ? DEFAULT_EVIDENCE.masking : AS_RECEIVED } = choices;
  const choose = <Value extends string>(name: string, values: readonly Value[], otherwise: Value): Value =>
    args.find(name) === null ? otherwise : args.choose(name, values);
  const sessionIds = (args.find('sessions') ?? '')
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
  if (sessionIds.length > MAX_EVIDENCE_SESSIONS) {
    throw toUsageError(`--sessions takes at most ${MAX_EVIDENCE_SESSIONS} sessions.`, '');
  }
  const given = {
    client: choose('client', CLIENT_MASKS, masking.client),
    payload: choose('payload', PAYLOAD_MASKS, masking.payload),
    errors: choose('errors', ERROR_MASKS, masking.errors),
  };
  const sessions = { sessionIds, withFindingSessions: !args.has('no-finding-sessions') };
  return toContents({ format, masking: given, isBrief: isBrief || args.has('short') }, sessions);
}
