import type { Connection } from '../../src-main/common/model/connections/connection.ts';
import { ADDRESS_NOT_STATED } from '../../src-main/common/model/cache/snapshot.ts';

/** The address of a connection without its protocol; empty for imported records whose file names none. */
export function formatAddress({ kind, baseAddress }: Pick<Connection, 'kind' | 'baseAddress'>): string {
  if (kind === 'imported' && baseAddress === ADDRESS_NOT_STATED) return '';
  return baseAddress.replace(/^https?:\/\//, '');
}
