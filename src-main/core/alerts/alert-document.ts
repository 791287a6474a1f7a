import { Type, type Static, type TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { isPlainObject } from '../../common/json/is-plain-object.ts';
import { AlertMute, AlertRule } from '../../common/model/alerts/alert-rule.ts';

/** Connections whose rules don't notify. */
export const ConnectionMute = Type.Object({ connectionId: Type.String(), mute: AlertMute });
export type ConnectionMute = Static<typeof ConnectionMute>;

/** A rule that can't be used, as it was found in a document of `version`. */
interface SetAsideRule {
  readonly version: number;
  readonly entry: unknown;
}

/** What `alerts.json` holds: what is in use, and what this version can't use and keeps as it is. */
export interface AlertDocument {
  readonly rules: readonly AlertRule[];
  readonly mutes: readonly ConnectionMute[];
  readonly setAside: readonly SetAsideRule[];
}

type Entry = Readonly<Record<string, unknown>>;

/** Each takes a rule from its version to the next, the first one from version 1; append-only. */
const UPGRADES: readonly ((entry: Entry) => Entry)[] = [];

/** The version that is written. */
export const ALERTS_VERSION = UPGRADES.length + 1;

/** Returns the version of a document as it was read, or null for something else. */
export function findAlertsVersion(saved: unknown): number | null {
  if (!isPlainObject(saved) || !Array.isArray(saved['rules'])) return null;
  const version = saved['version'];
  return typeof version === 'number' && Number.isInteger(version) && version >= 1 ? version : null;
}

/** Reads a document of any version: what doesn't fit is set aside as it was found, and tried again another time. */
export function readAlertDocument(saved: unknown, version: number): AlertDocument {
  const document = isPlainObject(saved) ? saved : {};
  const rules: AlertRule[] = [];
  const setAside: SetAsideRule[] = [];
  const read = (found: SetAsideRule): void => {
    const entry = isPlainObject(found.entry)
      ? UPGRADES.slice(found.version - 1).reduce((known, step) => step(known), found.entry)
      : found.entry;
    const isKnown = isPlainObject(entry) && rules.some(({ id }) => id === entry['id']);
    if (!isKnown && Value.Check(AlertRule, entry)) rules.push(entry);
    else setAside.push(found);
  };
  for (const entry of toList(document['rules'])) read({ version, entry });
  for (const kept of toList(document['setAside'])) {
    const own = isPlainObject(kept) && typeof kept['version'] === 'number' ? kept['version'] : null;
    read(own === null ? { version, entry: kept } : { version: own, entry: (kept as Entry)['entry'] });
  }
  return { rules, mutes: keepFitting(ConnectionMute, document['mutes']), setAside };
}

/** Returns the document as it is written. */
export function toAlertDocument({ rules, mutes, setAside }: AlertDocument): object {
  return { version: ALERTS_VERSION, rules, mutes, ...(setAside.length === 0 ? {} : { setAside }) };
}

/** Returns the entries of a list that fit a schema; none where it is no list. */
export function keepFitting<Schema extends TSchema>(schema: Schema, list: unknown): Static<Schema>[] {
  return toList(list).filter((entry): entry is Static<Schema> => Value.Check(schema, entry));
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
