import type { Input } from '../../common/contract/index.ts';
import {
  applyBuiltInPreset,
  findDecimalSign,
  toFirstChoices,
  toLayout,
  type ExportChoices,
} from '../../common/model/exports/export-choices.ts';
import {
  BUILT_IN_PRESETS,
  EXPORT_FORMATS,
  type BuiltInPreset,
} from '../../common/model/exports/export-options.ts';
import { findByName } from '../../common/model/exports/saved-preset.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { toUsageError, type CommandContext, type OptionSpec } from '../words/command.ts';
import type { Session } from './session.ts';

const FIELD_NAMES = ['original', 'corrected'] as const;
/** What the window calls the built-in presets in English. */
const WINDOW_NAMES: Readonly<Record<string, BuiltInPreset>> = {
  'excel in my region': 'excel',
  'rfc 4180': 'rfc4180',
  'rfc 4180, for programs': 'rfc4180',
  'for another channelscope': 'channelscope',
};

/** Options that say how a file is written. */
export const CHOICE_OPTIONS: readonly OptionSpec[] = [
  {
    name: 'preset',
    value: 'PRESET',
    summary: `a preset of your own, or ${BUILT_IN_PRESETS.join(', ')}; "preset list" lists them`,
  },
  { name: 'field-names', value: 'NAMES', summary: 'spelling of field names', choices: FIELD_NAMES },
  {
    name: 'manifest',
    value: null,
    summary: 'add FILE.manifest.json with contents and gaps',
  },
  { name: 'no-payload', value: null, summary: 'leave payloads and responses out' },
  { name: 'with-names', value: null, summary: 'add your own names of channels, services and actions' },
  { name: 'with-marks', value: null, summary: 'add your own marks and notes' },
];

/** Fails for options that can't be used, before anything is opened. */
export function checkChoiceOptions({ args }: Pick<CommandContext, 'args'>): void {
  if (args.find('preset') === null) args.require('format');
  if (args.find('field-names') !== null) args.choose('field-names', FIELD_NAMES);
}

/**
 * Reads how a file is written: as a preset says, or as at first, and then as the other options say. Throws a CommandError
 * for a preset that is not there, and for one of another format than `--format`.
 */
export async function readChoices(
  { args }: Pick<CommandContext, 'args'>,
  session: Session,
): Promise<ExportChoices> {
  const format = args.find('format') === null ? null : args.choose('format', EXPORT_FORMATS);
  const preset = args.find('preset');
  const chosen =
    preset === null ? toFirstChoices(format ?? 'csv') : await findPreset(session, preset, format);
  return {
    ...chosen,
    fieldNames:
      args.find('field-names') === null ? chosen.fieldNames : args.choose('field-names', FIELD_NAMES),
    manifest: args.has('manifest') ? true : chosen.manifest,
    includePayload: chosen.includePayload && !args.has('no-payload'),
    includeNames: chosen.includeNames || args.has('with-names'),
    includeMarks: chosen.includeMarks || args.has('with-marks'),
  };
}

/** Returns the part of an export's input that says how its file is written. */
export function toChoiceInput(
  choices: ExportChoices,
): Pick<Input<'exports/start'>, 'format' | 'includePayload' | 'includeNames' | 'includeMarks' | 'layout'> {
  const { format, includePayload, includeNames, includeMarks } = choices;
  return { format, includePayload, includeNames, includeMarks, layout: toLayout(choices, null) };
}

async function findPreset(
  session: Session,
  name: string,
  format: ExportChoices['format'] | null,
): Promise<ExportChoices> {
  const toBuiltIn = (builtIn: BuiltInPreset): ExportChoices => {
    const choices = applyBuiltInPreset(toFirstChoices('csv'), builtIn, findDecimalSign());
    return { ...choices, format: format ?? 'csv' };
  };
  const builtIn = BUILT_IN_PRESETS.find((each) => each === name.toLowerCase());
  if (builtIn !== undefined) return toBuiltIn(builtIn);
  const { presets } = await session.call('exports/read-choices', null);
  const found = findByName(presets, name);
  if (found === undefined) {
    const ofWindow = WINDOW_NAMES[name.toLowerCase()];
    if (ofWindow !== undefined) return toBuiltIn(ofWindow);
    const names = [...BUILT_IN_PRESETS, ...presets.map((preset) => `"${preset.name}"`)].join(', ');
    throw new CommandError(EXIT.notFound, `There is no preset "${name}".`, `There are: ${names}.`);
  }
  if (format !== null && format !== found.choices.format) {
    throw toUsageError(`The preset "${found.name}" writes ${found.choices.format}, not ${format}.`, '');
  }
  return found.choices;
}
