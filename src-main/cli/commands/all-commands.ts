import { EXIT } from '../exit-codes.ts';
import { type Command, COMMON_OPTIONS, type OptionSpec, toUsageError } from '../words/command.ts';
import { ALERT_COMMANDS } from './alerts.ts';
import { casesCommand } from './cases.ts';
import { CONNECTION_COMMANDS, SECRET_COMMANDS } from './connections.ts';
import { fetchCommand, followCommand, SNAPSHOT_COMMANDS } from './downloads.ts';
import { errorsCommand } from './errors.ts';
import { evidenceCommand, exportCommand, PRESET_COMMANDS } from './exports.ts';
import { statusCommand, summaryCommand, timesCommand } from './figures.ts';
import { findingsCommand, incidentsCommand } from './findings.ts';
import { importCommand, ownTablesCommand } from './imports.ts';
import { plannedCommand } from './planned.ts';
import { conversationsCommand, countCommand, sqlCommand } from './records.ts';
import { datasetCommand, SCHEDULE_COMMANDS } from './schedules.ts';
import { outcomeCommand, serviceLevelsCommand } from './service-levels.ts';
import { SHARED_COMMANDS } from './shared.ts';

/** Writes what makes a shell complete the commands. */
function createCompletionCommand(listCommands: () => readonly Command[]): Command {
  return {
    name: 'completion',
    summary: "prints a shell's completion script",
    operands: SHELLS.join('|'),
    choices: SHELLS,
    maxOperands: 1,
    options: [{ name: 'command', value: 'WORD', summary: 'the command that you type (channelscope)' }],
    about: `The command is your alias or function for "npm --prefix FOLDER run --silent cli --", or the packaged
application.`,
    async run({ args, out }) {
      const shell = SHELLS.find((each) => each === args.operands[0]);
      if (shell === undefined) throw toUsageError(`The shell is one of ${SHELLS.join(', ')}.`);
      const word = args.find('command') ?? 'channelscope';
      if (!/^[A-Za-z][\w.-]{0,60}$/.test(word)) throw toUsageError('--command is a plain word.', '');
      await out.raw(writeCompletion(shell, word, listCommands()));
      return EXIT.done;
    },
  };
}

export const SHELLS = ['bash', 'zsh', 'powershell'] as const;

interface Entry {
  /** What was typed so far, without options. */
  readonly path: string;
  readonly words: readonly string[];
}

/** The first words of commands that consist of two. */
function listGroups(commands: readonly Command[]): string[] {
  const firsts = commands.map(({ name }) => name.split(' ')).filter(({ length }) => length > 1);
  return [...new Set(firsts.map(([first = '']) => first))];
}

/** For each command, and each beginning of one, the words that may follow. */
function listEntries(commands: readonly Command[]): Entry[] {
  const groups = new Map<string, Set<string>>([['', new Set()]]);
  for (const { name } of commands) {
    const [first = '', second] = name.split(' ');
    groups.get('')?.add(first);
    if (second === undefined) continue;
    const group = groups.get(first) ?? new Set();
    groups.set(first, group.add(second));
  }
  return [
    ...[...groups].map(([path, words]) => ({ path, words: [...words, '--help'] })),
    ...commands.map(({ name, options, choices = [] }) => ({
      path: name,
      words: [...choices, ...[...options, ...COMMON_OPTIONS].map((option) => `--${option.name}`)],
    })),
  ];
}

/** The values of options that have few, each with the command that it belongs to. */
function listChoices(commands: readonly Command[]): { key: string; words: readonly string[] }[] {
  return commands.flatMap(({ name, options }) =>
    options.flatMap((option) =>
      option.choices === undefined ? [] : [{ key: `${name} --${option.name}`, words: option.choices }],
    ),
  );
}

function listNames(commands: readonly Command[], isWanted: (option: OptionSpec) => boolean): string[] {
  const options = [...commands.flatMap((command) => command.options), ...COMMON_OPTIONS];
  return [...new Set(options.filter(isWanted).map(({ name }) => `--${name}`))];
}

function writeBash(word: string, commands: readonly Command[]): string {
  const name = `_${word.replace(/\W/g, '_')}_complete`;
  const cases = listEntries(commands).map(
    ({ path, words }) => `    '${path}') words='${words.join(' ')}' ;;`,
  );
  const choices = listChoices(commands).map(
    ({ key, words }) => `    '${key}') words='${words.join(' ')}' ;;`,
  );
  const paths = listNames(commands, ({ isPath }) => isPath === true);
  const taking = listNames(commands, ({ value }) => value !== null);
  return `${name}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path='' words='' index skip=''
  for ((index = 1; index < COMP_CWORD; index++)); do
    if [ -n "$skip" ]; then skip=''; continue; fi
    case "\${COMP_WORDS[index]}" in
      ${taking.join('|')}) skip=1 ;;
      -*) ;;
      *) case "$path" in
        '') path="\${COMP_WORDS[index]}" ;;
        ${listGroups(commands).join('|')}) path="$path \${COMP_WORDS[index]}" ;;
      esac ;;
    esac
  done
  case "$previous" in
    ${paths.join('|')}) COMPREPLY=($(compgen -f -- "$current")); return ;;
  esac
  case "$path $previous" in
${choices.join('\n')}
  esac
  if [ -z "$words" ]; then
    case "$previous" in ${taking.join('|')}) return ;; esac
    case "$path" in
${cases.join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
`;
}

/** zsh completes with the same function. */
function writeZsh(word: string, commands: readonly Command[]): string {
  return `#compdef ${word}
autoload -U +X bashcompinit && bashcompinit
${writeBash(word, commands)}complete -F _${word.replace(/\W/g, '_')}_complete ${word}
`;
}

function toPowerShellTable(entries: readonly { key: string; words: readonly string[] }[]): string {
  return entries
    .map(({ key, words }) => `    '${key}' = @(${words.map((each) => `'${each}'`).join(', ')})`)
    .join('\n');
}

function writePowerShell(word: string, commands: readonly Command[]): string {
  const taking = listNames(commands, ({ value }) => value !== null);
  const groups = listGroups(commands).map((each) => `'${each}'`);
  return `Register-ArgumentCompleter -Native -CommandName '${word}' -ScriptBlock {
  param($current, $ast, $position)
  $commands = @{
${toPowerShellTable(listEntries(commands).map(({ path, words }) => ({ key: path, words })))}
  }
  $choices = @{
${toPowerShellTable(listChoices(commands))}
  }
  $taking = @(${taking.map((each) => `'${each}'`).join(', ')})
  $path = ''
  $previous = ''
  $skip = $false
  $typed = @($ast.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $position } | ForEach-Object { $_.ToString() })
  foreach ($each in $typed) {
    $previous = $each
    if ($skip) { $skip = $false; continue }
    if ($taking -contains $each) { $skip = $true; continue }
    if ($each.StartsWith('-')) { continue }
    if ($path -eq '') { $path = $each } elseif (@(${groups.join(', ')}) -contains $path) { $path = "$path $each" }
  }
  if ($choices.ContainsKey("$path $previous")) { $words = $choices["$path $previous"] }
  elseif ($skip) { $words = @() }
  else { $words = $commands[$path] }
  $words | Where-Object { $_ -like "$current*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`;
}

/** Returns a script that makes a shell complete what follows the word. */
export function writeCompletion(
  shell: (typeof SHELLS)[number],
  word: string,
  commands: readonly Command[],
): string {
  if (shell === 'powershell') return writePowerShell(word, commands);
  if (shell === 'zsh') return writeZsh(word, commands);
  return `${writeBash(word, commands)}complete -F _${word.replace(/\W/g, '_')}_complete ${word}\n`;
}

const mcpCommand: Command = {
  name: 'mcp',
  summary: 'serves an assistant over standard input and output (Model Context Protocol), read-only',
  operands: '',
  maxOperands: 0,
  options: [
    {
      name: 'clients',
      value: 'HOW',
      summary: 'how clients are written (default: pseudonym)',
      choices: ['pseudonym', 'received'],
    },
  ],
  about: `The assistant's program starts and ends it. It changes and fetches nothing. It has
the tools connections, coverage, count, records, summary, incidents, errors and sql; each answer says what of its
period is cached, and where it was cut. With pseudonyms, payloads are left out, and sql has no columns with texts.
Each call is in the log. Start the application first: without it, this holds the data folder until it ends.`,
  async run(context) {
    const { args } = context;
    const isMasked =
      args.find('clients') === null || args.choose('clients', ['pseudonym', 'received']) === 'pseudonym';
    const session = await context.open();
    // No other command needs the protocol.
    const { serveAssistant } = await import('../mcp/serve-assistant.ts');
    await serveAssistant(context, session, isMasked);
    return EXIT.done;
  },
};

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  ...CONNECTION_COMMANDS,
  ...SECRET_COMMANDS,
  statusCommand,
  fetchCommand,
  followCommand,
  ...SNAPSHOT_COMMANDS,
  countCommand,
  summaryCommand,
  outcomeCommand,
  ownTablesCommand,
  plannedCommand,
  serviceLevelsCommand,
  errorsCommand,
  conversationsCommand,
  timesCommand,
  findingsCommand,
  incidentsCommand,
  ...ALERT_COMMANDS,
  sqlCommand,
  exportCommand,
  evidenceCommand,
  casesCommand,
  ...PRESET_COMMANDS,
  importCommand,
  datasetCommand,
  ...SCHEDULE_COMMANDS,
  ...SHARED_COMMANDS,
  mcpCommand,
  createCompletionCommand(() => COMMANDS),
];
