/**
 * Every error code that can reach the window. For each, the window's messages state what happened and what the
 * user can do; nothing branches on the text of a message.
 */
export const ERROR_CODES = [
  'app.bug',
  'app.invalid-input',
  'app.unknown-operation',
  'app.cancelled',
  'app.host-gone',
  'connections.not-found',
  'connections.address-invalid',
  'connections.address-has-credentials',
  'connections.address-has-query',
  'connections.zone-unknown',
  'connections.identifier-invalid',
  'connections.names-invalid',
  'connections.plain-http',
  'connections.imported',
  'secrets.missing',
  'secrets.other-origin',
  'secrets.no-keychain',
  'secrets.locked',
  'secrets.denied',
  'secrets.too-large',
  'secrets.timeout',
  'secrets.file-locked',
  'secrets.wrong-passphrase',
  'secrets.file-damaged',
  'secrets.file-failed',
  'secrets.no-file',
  'secrets.has-keychain',
  'client.refused-connection',
  'client.host-not-found',
  'client.unreachable',
  'client.proxy',
  'client.tls',
  'client.timeout',
  'client.truncated',
  'client.too-large',
  'client.unknown-encoding',
  'client.not-json',
  'client.html',
  'client.unexpected-shape',
  'client.credentials-refused',
  'client.report-refused',
  'client.invalid-request',
  'client.forbidden',
  'client.not-found',
  'client.rate-limited',
  'client.server-error',
  'client.redirected',
  'client.http-status',
  'client.circuit-open',
  'client.queue-full',
  'cache.disk-full',
  'cache.folder-gone',
  'cache.damaged',
  'cache.page-damaged',
  'cache.newer',
  'cache.locked',
  'cache.read-only',
  'cache.io-failed',
  'cache.snapshot-not-found',
  'cache.view-closed',
  'cache.too-many-marks',
  'cases.no-part',
  'cases.no-revision',
  'cases.not-askable',
  'cases.not-found',
  'cases.query-failed',
  'cases.too-many',
  'cases.too-many-parts',
  'alerts.not-found',
  'alerts.too-many',
  'analysis.stopped',
  'analysis.failed',
  'analysis.out-of-memory',
  'analysis.too-slow',
  'own-tables.not-found',
  'own-tables.too-many',
  'own-tables.name-taken',
  'own-tables.unreadable',
  'own-tables.unknown',
  'planned.not-found',
  'planned.invalid',
  'planned.too-many',
  'planned.no-calendar',
  'planned.calendar-too-large',
  'planned.too-many-events',
  'planned.calendar-zone',
  'planned.no-events',
  'service-levels.not-found',
  'service-levels.invalid',
  'service-levels.too-many',
  'service-levels.no-file',
  'service-levels.no-report',
  'families.not-found',
  'families.no-name',
  'families.name-taken',
  'families.no-part',
  'families.too-many-parts',
  'families.too-many',
  'families.not-last',
  'families.already-undone',
  'incidents.too-many',
  'downloads.already-running',
  'downloads.changed-meanwhile',
  'downloads.not-resumable',
  'downloads.other-tenant',
  'downloads.other-service',
  'exports.write-failed',
  'exports.target-exists',
  'exports.file-gone',
  'exports.no-preset',
  'exports.preset-taken',
  'exports.too-many-presets',
  'data-folder.moving',
  'data-folder.unfit',
  'data-folder.copy-failed',
  'datasets.not-found',
  'destinations.not-found',
  'destinations.address',
  'destinations.mail',
  'destinations.command',
  'destinations.login',
  'destinations.too-many',
  'exports.no-browser',
  'exports.no-sandbox',
  'exports.print-failed',
  'exports.not-portable',
  'files.held',
  'schedules.not-found',
  'schedules.query',
  'schedules.too-many',
  'schedules.folder-gone',
  'schedules.nothing-cached',
  'imports.unreadable',
  'imports.dates-ambiguous',
  'imports.upload-gone',
  'settings.unfit',
  'settings.no-certificate',
  'shared-work.changed',
  'shared-work.folder-unfit',
  'shared-work.not-kept',
  'shared-work.too-many',
  'tasks.not-found',
  'updates.unreachable',
  'updates.refused',
  'local-service.start-failed',
  'local-service.crashed',
  'local-service.keeps-crashing',
  'local-service.not-running',
  'local-service.import-running',
  'local-service.import-failed',
  'local-service.upload-gone',
  'local-service.file-too-large',
  'local-service.disk-full',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** An error as it crosses to the window; its schema is in `common/model/error-info.ts`, for what starts needs none. */
export type ErrorInfo = {
  code: ErrorCode;
  /** For the log and for support, in English; the window shows its own message for the code. */
  message: string;
  /** What fills its messages: address, status, body, field. */
  details: Record<string, string | number>;
};

/** An expected failure: it has a code, often a cause, and something that the user can do. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, string | number>>;

  constructor(
    code: ErrorCode,
    message: string,
    details: Readonly<Record<string, string | number>> = {},
    cause?: unknown,
  ) {
    super(message, { cause });
    this.code = code;
    this.details = details;
  }
}

/** Converts whatever was thrown to what may cross to the window; unknown errors become `app.bug`, without their text. */
export function toErrorInfo(error: unknown): ErrorInfo {
  if (error instanceof AppError) {
    return { code: error.code, message: error.message, details: { ...error.details } };
  }
  return { code: 'app.bug', message: 'An unexpected error. The log has more.', details: {} };
}

/** An AppError `imports.unreadable` that says why a file can't be imported; `reason` is a sentence. */
export function toUnreadable(reason: string, cause?: unknown): AppError {
  return new AppError('imports.unreadable', 'The file could not be imported.', { reason }, cause);
}
