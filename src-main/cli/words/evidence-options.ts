import { toEvidence, type ExportChoices } from '../../common/model/exports/export-choices.ts';
import {
  CLIENT_MASKS,
  DEFAULT_EVIDENCE,
  ERROR_MASKS,
  MAX_EVIDENCE_SESSIONS,
  PAYLOAD_MASKS,
} from '../../common/model/exports/evidence-options.ts';
import { toUsageError } from './arguments.ts';
import type { CommandContext } from './command.ts';
import type { OptionSpec } from './option.ts';

/** Options of `--format evidence`. */
export const EVIDENCE_OPTIONS: readonly OptionSpec[] = [
  { name: 'client', value: 'HOW', summary: 'evidence: how clients are written', choices: CLIENT_MASKS },
  {
    name: 'payload',
    value: 'HOW',
    summary: 'evidence: how payloads and responses are written',
    choices: PAYLOAD_MASKS,
  },
  { name: 'errors', value: 'HOW', summary: 'evidence: how error texts are written', choices: ERROR_MASKS },
  { name: 'sessions', value: 'IDS', summary: 'evidence: sessions to add, with commas between' },
  { name: 'no-finding-sessions', value: null, summary: 'evidence: leave the sessions of findings out' },
];

/** What a pack has its own way of. */
const REFUSED = ['field-names', 'manifest', 'computed', 'no-payload'];

/** Fails for options of evidence with another format, and for those that evidence has no use for. */
export function checkEvidenceOptions({ args }: Pick<CommandContext, 'args'>, format: string): void {
  const isGiven = (name: string): boolean => args.has(name) || args.find(name) !== null;
  const wrong = (format === 'evidence' ? REFUSED : EVIDENCE_OPTIONS.map(({ name }) => name)).find(isGiven);
  if (wrong === undefined) return;
  if (format !== 'evidence') throw toUsageError(`--${wrong} belongs to --format evidence.`);
  throw toUsageError(
    `--format evidence and --${wrong} exclude each other.`,
    'It is said with --client, --payload and --errors what of the records is written.',
  );
}

/** Reads the options of evidence, over what a preset says; nothing for other formats. Throws a CommandError. */
export function readEvidence(
  { args }: Pick<CommandContext, 'args'>,
  choices: Pick<ExportChoices, 'format' | 'masking'>,
): ReturnType<typeof toEvidence> {
  if (choices.format !== 'evidence') return {};
  const { masking = DEFAULT_EVIDENCE.masking } = choices;
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
  return toEvidence({ format: choices.format, masking: given }, sessions);
}
