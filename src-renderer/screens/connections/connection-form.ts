import { AppError } from '../../../src-main/common/contract/errors.ts';
import {
  areAtHand,
  tidySecret,
  tidySecrets,
  toFollowOptions,
  type Connection,
  type ConnectionDraft,
  type ConnectionSecrets,
  type ReportIdentifiers,
} from '../../../src-main/common/model/connections/connection.ts';
import { normaliseBaseAddress, toOrigin } from '../../../src-main/common/reporting/base-address.ts';
import {
  isGuid,
  REPORT_KINDS,
  SPECIFIED_REPORT_IDENTIFIERS,
  type ReportKind,
} from '../../../src-main/common/reporting/reports.ts';
import { isTimeZone } from '../../../src-main/common/time/civil-time.ts';

/** The form's fields, as typed. Secrets are only written here: nothing reads stored ones. */
export interface ConnectionFields {
  readonly name: string;
  readonly tenant: string;
  readonly baseAddress: string;
  /** Ticked by the person for the address as it stands. */
  readonly allowsPlainHttp: boolean;
  readonly accessToken: string;
  readonly accessTokenSecret: string;
  readonly serviceZone: string;
  readonly pageSize: number;
  readonly reportIdentifiers: ReportIdentifiers;
  readonly followed: boolean;
  readonly followSeconds: number;
  readonly lookBackMinutes: number;
  /** Slices of a download that are read at once; 0 for automatic. */
  readonly walks: number;
}

type FieldName =
  | 'name'
  | 'tenant'
  | 'baseAddress'
  | 'allowsPlainHttp'
  | 'serviceZone'
  | 'accessToken'
  | 'accessTokenSecret';
/** Message keys of what is wrong, by field and by report. */
export interface FieldFaults {
  readonly fields: Readonly<Partial<Record<FieldName, string>>>;
  readonly identifiers: Readonly<Partial<Record<ReportKind, string>>>;
}

const DEFAULT_PAGE_SIZE = 5000;

/** The fields of a saved connection, or of a new one; secrets always begin empty. */
export function toFields(connection: Connection | null): ConnectionFields {
  return {
    name: connection?.name ?? '',
    tenant: connection === null ? '' : String(connection.tenant),
    baseAddress: connection?.baseAddress ?? '',
    allowsPlainHttp: connection?.allowsPlainHttp ?? false,
    accessToken: '',
    accessTokenSecret: '',
    serviceZone: connection?.serviceZone ?? 'UTC',
    pageSize: connection?.pageSize ?? DEFAULT_PAGE_SIZE,
    reportIdentifiers: { ...(connection?.reportIdentifiers ?? SPECIFIED_REPORT_IDENTIFIERS) },
    ...toFollowOptions(connection ?? {}),
    walks: connection?.walks ?? 0,
  };
}

/** The fields with another address; what was agreed to for one service isn't agreed to for the next. */
export function withAddress(fields: ConnectionFields, baseAddress: string): ConnectionFields {
  const isSame = toOrigin(baseAddress) === toOrigin(fields.baseAddress);
  return { ...fields, baseAddress, allowsPlainHttp: isSame && fields.allowsPlainHttp };
}

/** Returns an address as it will be called, without what Channelscope appends itself; one that can't be read as it is. */
export function tidyAddress(baseAddress: string): string {
  try {
    return normaliseBaseAddress(baseAddress).address;
  } catch {
    return baseAddress;
  }
}

/** Where the secrets for the address as typed are; `elsewhere` where they were saved for another one. */
export type StoredSecrets = Connection['secrets'] | 'elsewhere';

export function findStored(connection: Connection | null, { baseAddress }: ConnectionFields): StoredSecrets {
  if (connection === null) return 'missing';
  const { secrets, secretsOrigin } = connection;
  const origin = toOrigin(baseAddress);
  const isElsewhere = origin !== '' && secretsOrigin !== undefined && secretsOrigin !== origin;
  return secrets !== 'missing' && isElsewhere ? 'elsewhere' : secrets;
}

/** Finds everything that keeps the fields from being saved, given where the secrets for their address are. */
export function findFaults(fields: ConnectionFields, stored: StoredSecrets): FieldFaults {
  const needsSecrets = stored === 'elsewhere' || !areAtHand(stored);
  const missing = stored === 'elsewhere' ? 'secretElsewhere' : 'secretMissing';
  const found: Partial<Record<FieldName, string>> = {};
  const identifiers: Partial<Record<ReportKind, string>> = {};
  if (fields.name.trim() === '') found.name = 'nameMissing';
  if (!/^\d{1,15}$/.test(fields.tenant.trim())) found.tenant = 'tenantNotNumber';
  const address = findAddressFault(fields.baseAddress);
  if (address !== null) found.baseAddress = address;
  if (isPlainHttp(fields.baseAddress) && !fields.allowsPlainHttp)
    found.allowsPlainHttp = 'plainHttpNotAllowed';
  if (!isTimeZone(fields.serviceZone)) found.serviceZone = 'zoneUnknown';
  if (needsSecrets && tidySecret(fields.accessToken) === '') found.accessToken = missing;
  if (needsSecrets && tidySecret(fields.accessTokenSecret) === '') found.accessTokenSecret = missing;
  for (const kind of REPORT_KINDS) {
    if (!isGuid(fields.reportIdentifiers[kind].trim())) identifiers[kind] = 'notGuid';
  }
  return { fields: found, identifiers };
}

export function hasFaults(faults: FieldFaults): boolean {
  return Object.keys(faults.fields).length + Object.keys(faults.identifiers).length > 0;
}

/** True for a secret that isn't taken as it was typed or pasted. */
export function isSecretTrimmed(secret: string): boolean {
  return secret !== '' && tidySecret(secret) !== secret;
}

/** True when the address would send the credentials unencrypted over a network. */
export function isPlainHttp(baseAddress: string): boolean {
  try {
    return normaliseBaseAddress(baseAddress).warnings.includes('plain-http');
  } catch {
    return false;
  }
}

/** True while both summaries are requested under one identifier (decision 11). */
export function sharesSummaryIdentifier({ reportIdentifiers }: ConnectionFields): boolean {
  return (
    reportIdentifiers['inbound-summary'].trim().toLowerCase() ===
    reportIdentifiers['outbound-summary'].trim().toLowerCase()
  );
}

/** The input of an operation. Secrets that were not typed are left out, which keeps the stored ones. */
export function toInput(fields: ConnectionFields): { draft: ConnectionDraft; secrets: ConnectionSecrets } {
  const ids = fields.reportIdentifiers;
  return {
    draft: {
      name: fields.name.trim(),
      tenant: Number(fields.tenant.trim()),
      baseAddress: fields.baseAddress.trim(),
      allowsPlainHttp: fields.allowsPlainHttp,
      serviceZone: fields.serviceZone,
      pageSize: fields.pageSize,
      ...toFollowOptions(fields),
      walks: fields.walks,
      reportIdentifiers: {
        'inbound-detail': ids['inbound-detail'].trim(),
        'inbound-summary': ids['inbound-summary'].trim(),
        'outbound-detail': ids['outbound-detail'].trim(),
        'outbound-summary': ids['outbound-summary'].trim(),
      },
    },
    secrets: tidySecrets(fields),
  };
}

function findAddressFault(text: string): string | null {
  if (text.trim() === '') return 'addressMissing';
  try {
    normaliseBaseAddress(text);
    return null;
  } catch (error) {
    const code = error instanceof AppError ? error.code : '';
    if (code === 'connections.address-has-credentials') return 'addressCredentials';
    return code === 'connections.address-has-query' ? 'addressQuery' : 'addressInvalid';
  }
}
