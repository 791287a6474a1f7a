import type { ErrorCode, ErrorInfo } from '../common/contract/errors.ts';

/** How a command ends; the guide lists them, and scripts depend on them. */
export const EXIT = {
  done: 0,
  unexpected: 1,
  usage: 2,
  refused: 3,
  unreachable: 4,
  incomplete: 5,
  notFound: 6,
  cancelled: 7,
  disk: 8,
  firing: 9,
  packRefused: 10,
  signerUnknown: 11,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A command that ends early; the message is for the person, the hint says what helps. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: ExitCode;
  readonly hint: string;

  constructor(exitCode: ExitCode, message: string, hint = '') {
    super(message);
    this.exitCode = exitCode;
    this.hint = hint;
  }
}

const BY_CODE: Partial<Record<ErrorCode, ExitCode>> = {
  'app.invalid-input': EXIT.usage,
  'app.cancelled': EXIT.cancelled,
  'connections.not-found': EXIT.notFound,
  'client.credentials-refused': EXIT.refused,
  'client.forbidden': EXIT.refused,
  'client.refused-connection': EXIT.unreachable,
  'client.host-not-found': EXIT.unreachable,
  'client.unreachable': EXIT.unreachable,
  'client.proxy': EXIT.unreachable,
  'client.tls': EXIT.unreachable,
  'client.timeout': EXIT.unreachable,
  'client.truncated': EXIT.unreachable,
  'client.rate-limited': EXIT.unreachable,
  'client.server-error': EXIT.unreachable,
  'client.redirected': EXIT.unreachable,
  'client.html': EXIT.unreachable,
  'client.not-found': EXIT.unreachable,
  'client.circuit-open': EXIT.unreachable,
  'local-service.start-failed': EXIT.unreachable,
  'local-service.crashed': EXIT.unreachable,
  'local-service.keeps-crashing': EXIT.unreachable,
  'local-service.not-running': EXIT.unreachable,
  'cache.snapshot-not-found': EXIT.notFound,
  'exports.no-preset': EXIT.notFound,
  'destinations.not-found': EXIT.notFound,
  'schedules.not-found': EXIT.notFound,
  'schedules.nothing-cached': EXIT.incomplete,
  'schedules.folder-gone': EXIT.disk,
  'schedules.query': EXIT.usage,
  'files.held': EXIT.disk,
  'own-tables.not-found': EXIT.notFound,
  'planned.not-found': EXIT.notFound,
  'cases.not-found': EXIT.notFound,
  'service-levels.not-found': EXIT.notFound,
  'service-levels.no-report': EXIT.notFound,
  'shared-work.folder-unfit': EXIT.disk,
  'shared-work.not-kept': EXIT.notFound,
};
const BY_PREFIX: Readonly<Record<string, ExitCode>> = {
  connections: EXIT.usage,
  secrets: EXIT.refused,
  cache: EXIT.disk,
  exports: EXIT.disk,
  imports: EXIT.usage,
  'own-tables': EXIT.usage,
  planned: EXIT.usage,
  'service-levels': EXIT.usage,
  'shared-work': EXIT.usage,
};

/** Returns the exit code of an error of the core. */
export function toExitCode({ code, details }: Pick<ErrorInfo, 'code' | 'details'>): ExitCode {
  // A call that was not tried after earlier failures carries their reason; a run without records, that of its download.
  const hasCause = code === 'client.circuit-open' || code === 'schedules.nothing-cached';
  const cause = hasCause ? ((details['reason'] as ErrorCode | undefined) ?? code) : code;
  return BY_CODE[cause] ?? BY_PREFIX[cause.split('.')[0] ?? ''] ?? EXIT.unexpected;
}

const HINTS: Partial<Record<ErrorCode, string>> = {
  'client.credentials-refused': 'Check the access token and its secret, and the tenant.',
  'client.forbidden': 'The credentials are valid, and may not read this.',
  'client.refused-connection': 'Nothing listens at the address of the connection.',
  'client.host-not-found': "The connection's address has a name that is not known here. Is there a network?",
  'client.unreachable': 'Is there a network?',
  'client.proxy': 'Check HTTPS_PROXY.',
  'client.not-found': 'Check address, tenant and report identifiers of the connection.',
  'secrets.missing': 'Give --token-env and --secret-env the names of environment variables that hold them.',
  'secrets.no-keychain':
    'Give --token-env and --secret-env the names of environment variables that hold the credentials.',
  'secrets.locked': 'Unlock the keychain, or give --token-env and --secret-env.',
  'secrets.file-locked':
    'Name a file with its passphrase by --passphrase-file, or give --token-env and --secret-env.',
  'secrets.wrong-passphrase': 'Nothing was changed.',
  'secrets.file-damaged': 'It was kept aside. Enter the credentials again with "connection add --replace".',
  'secrets.other-origin': 'Save the connection anew, with the credentials for its address.',
  'connections.plain-http': 'Add --allow-plain-http where credentials may go there unencrypted.',
  'imports.dates-ambiguous':
    'Say with --dates which comes first: day-month for 20.11.2026, month-day for 11/20/2026, year-month for 26/11/20.',
  'cache.newer': 'Install the newer version, or give another folder with --data.',
  'cache.locked': 'Close the other Channelscope, or give another folder with --data.',
  'cache.folder-gone': 'Put the data folder back, and start again.',
  'cache.disk-full': 'Make room on the disk; what was fetched is kept.',
  'exports.no-sandbox': 'Run the command as another user than root, or export HTML and print that elsewhere.',
  'app.bug': 'The folder logs in the data folder has more.',
};

/** Errors whose reason is a sentence that says what to do. */
const SAYS_REASON: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'imports.unreadable',
  'exports.not-portable',
]);

/** Returns the end of a command for an error of the core. */
export function toCommandError(error: ErrorInfo): CommandError {
  const { message, code, details } = error;
  const reason =
    typeof details['reason'] === 'string' && SAYS_REASON.has(code) ? ` ${details['reason']}` : '';
  const fault = typeof details['fault'] === 'string' ? ` (${details['fault'].trim()})` : '';
  const system = typeof details['systemCode'] === 'string' ? ` (${details['systemCode']})` : '';
  return new CommandError(toExitCode(error), `${message}${reason}${fault}${system}`, HINTS[code] ?? '');
}
