import { AppError } from '../../common/contract/errors.ts';
import type { ConnectionDraft } from '../../common/model/connections/connection.ts';
import { findNameFault, tidyName, type ValueName } from '../../common/model/records/value-name.ts';
import { normaliseBaseAddress } from '../../common/reporting/base-address.ts';
import { isGuid, REPORT_KINDS } from '../../common/reporting/reports.ts';
import { isTimeZone } from '../../common/time/time-zones.ts';

/**
 * A draft with its name trimmed and its address normalised (decision 30). Throws `connections.address-*`,
 * `connections.plain-http`, `connections.zone-unknown` or `connections.identifier-invalid`.
 */
export function checkDraft(draft: ConnectionDraft): ConnectionDraft {
  const { address, warnings } = normaliseBaseAddress(draft.baseAddress);
  requireAgreement(draft);
  requireName(draft);
  if (!isTimeZone(draft.serviceZone)) {
    throw new AppError('connections.zone-unknown', 'Unknown time zone.', { zone: draft.serviceZone });
  }
  for (const report of REPORT_KINDS) {
    if (!isGuid(draft.reportIdentifiers[report])) {
      throw new AppError('connections.identifier-invalid', 'A report identifier is not a GUID.', { report });
    }
  }
  // Agreed for a plain address only: whoever comes back to one is asked again.
  const allowsPlainHttp = warnings.includes('plain-http');
  return { ...draft, name: draft.name.trim(), baseAddress: address, allowsPlainHttp };
}

/** Throws `app.invalid-input` for a name of blanks, which could not be read again. */
export function requireName({ name }: Pick<ConnectionDraft, 'name'>): void {
  if (name.trim() === '') throw new AppError('app.invalid-input', 'A connection needs a name.', { name });
}

/** Throws `connections.plain-http` where nobody agreed to an address that isn't encrypted. */
export function requireAgreement({
  baseAddress,
  allowsPlainHttp = false,
}: Pick<ConnectionDraft, 'baseAddress' | 'allowsPlainHttp'>): void {
  if (allowsPlainHttp || !normaliseBaseAddress(baseAddress).warnings.includes('plain-http')) return;
  throw new AppError('connections.plain-http', 'The address is not encrypted.', { address: baseAddress });
}

/** Names without blanks at their ends. Throws `connections.names-invalid`, also where a number has two. */
export function checkNames(names: readonly ValueName[]): ValueName[] {
  const tidy = names.map((entry) => ({ ...entry, name: tidyName(entry.name) }));
  for (const [index, entry] of tidy.entries()) {
    const fault = findNameFault(entry, tidy.slice(0, index));
    if (fault !== null) {
      throw new AppError('connections.names-invalid', 'A name can not be kept.', {
        value: entry.value,
        fault,
      });
    }
  }
  return tidy;
}
