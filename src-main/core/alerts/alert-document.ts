import { Type, type Static } from 'typebox';
import { isPlainObject } from '../../common/json/is-plain-object.ts';
import { AlertMute, AlertRule } from '../../common/model/alerts/alert-rule.ts';
import { keepFitting, readEntries, type UnfitEntry } from '../documents/fitting-entries.ts';

/** Connections whose rules don't notify. */
export const ConnectionMute = Type.Object({ connectionId: Type.String(), mute: AlertMute });
export type ConnectionMute = Static<typeof ConnectionMute>;

/** What `alerts.json` holds: what is in use, and what this version can't use and keeps as it is. */
export interface AlertDocument {
  readonly rules: readonly AlertRule[];
  readonly mutes: readonly ConnectionMute[];
  readonly setAside: readonly UnfitEntry[];
}

/** The version that is written. */
export const ALERTS_VERSION = 1;

/** Returns the version of a document as it was read, or null for something else. */
export function findAlertsVersion(saved: unknown): number | null {
  if (!isPlainObject(saved) || !Array.isArray(saved['rules'])) return null;
  const version = saved['version'];
  return typeof version === 'number' && Number.isInteger(version) && version >= 1 ? version : null;
}

/** Reads a document of any version: what doesn't fit is set aside as it was found, and tried again another time. */
export function readAlertDocument(saved: unknown, version: number): AlertDocument {
  const { rules, mutes, setAside } = isPlainObject(saved) ? saved : {};
  const read = readEntries(AlertRule, { version, entries: rules, setAside });
  return { rules: read.entries, mutes: keepFitting(ConnectionMute, mutes), setAside: read.setAside };
}

/** Returns the document as it is written. */
export function toAlertDocument({ rules, mutes, setAside }: AlertDocument): object {
  return { version: ALERTS_VERSION, rules, mutes, ...(setAside.length === 0 ? {} : { setAside }) };
}
