import { hash } from 'node:crypto';
import { isPlainObject } from '../../common/json.ts';
import { SHARED_KINDS, type FileFault, type SharedKind } from '../../common/model/shared/shared-work.ts';

/** A value as JSON carries it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** An item, as its file holds it. */
export interface SharedItem {
  readonly kind: SharedKind;
  /** The connection that it belongs to, by its id in the folder; null for none. */
  readonly connection: string | null;
  /** The same on every computer, and for one item of its kind and connection alone. */
  readonly key: string;
  readonly value: Json;
}

/** A connection, as the folder describes it to other computers. */
export interface ConnectionNote {
  readonly sharedId: string;
  readonly name: string;
  readonly origin: string;
  readonly tenant: number | null;
}

const FORMAT = 'channelscope-shared';
const VERSION = 1;
const CONNECTION = 'connection';
/** Leaves room for what sync programs add: 40 characters are at most 160 bytes. */
const MAX_STEM_CHARACTERS = 40;
const MARK_CHARACTERS = 10;
/** Longest line of a list of plain values, such as a row of a table. */
const MAX_LINE_CHARACTERS = 20_000;

/** Returns what an item is, whatever its contents: the same on every computer. */
export function toIdentity({ kind, connection, key }: Omit<SharedItem, 'value'>): string {
  return `${kind}/${connection ?? ''}/${key}`;
}

/** Returns the digest of a value: two values that are written alike have the same one. */
export function toDigest(value: Json): string {
  return hash('sha256', write(value, ''), 'base64url').slice(0, 32);
}

/**
 * Returns the name of an item's file: readable, the same on every computer, safe on Windows, macOS and Linux, and another
 * one for every other item, letter case aside.
 */
export function toFileName(identity: string, label: string): string {
  const stem = Array.from(
    label
      .normalize('NFC')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, '-')
      .replace(/^-+|-+$/gu, ''),
  )
    .slice(0, MAX_STEM_CHARACTERS)
    .join('')
    .replace(/-+$/u, '');
  const mark = hash('sha256', identity, 'hex').slice(0, MARK_CHARACTERS);
  return `${stem === '' ? 'item' : stem}--${mark}.json`;
}

/** Writes the file of an item: sorted keys and a line for each value, so that a change is a few lines of a comparison. */
export function writeItem({ kind, connection, key, value }: SharedItem): string {
  const owner = connection === null ? {} : { connection };
  return toLines({ kind, id: key, ...owner, value });
}

/** Writes the file that describes a connection. */
export function writeConnection({ sharedId, name, origin, tenant }: ConnectionNote): string {
  return toLines({ kind: CONNECTION, id: sharedId, value: { name, origin, tenant } });
}

/** Writes the file by which a folder is known as one of shared work. */
export function writeMarker(): string {
  return toLines({});
}

/** What a file holds, or why it is left alone. */
export type ReadFile =
  | { readonly is: 'item'; readonly item: SharedItem }
  | { readonly is: 'connection'; readonly note: ConnectionNote }
  | { readonly is: 'marker' }
  | { readonly is: 'fault'; readonly fault: FileFault };

/** Reads the text of a file. */
export function readItem(text: string): ReadFile {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return { is: 'fault', fault: 'cut' };
  }
  if (!isPlainObject(found) || found['format'] !== FORMAT) return { is: 'fault', fault: 'foreign' };
  const { version, kind, id, connection = null, value } = found;
  if (typeof version === 'number' && version > VERSION) return { is: 'fault', fault: 'newer' };
  if (version !== VERSION) return { is: 'fault', fault: 'foreign' };
  if (kind === undefined) return { is: 'marker' };
  if (typeof id !== 'string' || id === '') return { is: 'fault', fault: 'foreign' };
  if (kind === CONNECTION) {
    const { name, origin, tenant } = isPlainObject(value) ? value : {};
    if (typeof name !== 'string' || typeof origin !== 'string') return { is: 'fault', fault: 'unfit' };
    return {
      is: 'connection',
      note: { sharedId: id, name, origin, tenant: typeof tenant === 'number' ? tenant : null },
    };
  }
  const known = SHARED_KINDS.find((name) => name === kind);
  if (known === undefined || value === undefined) return { is: 'fault', fault: 'newer' };
  if (connection !== null && typeof connection !== 'string') return { is: 'fault', fault: 'foreign' };
  return { is: 'item', item: { kind: known, connection, key: id, value: value as Json } };
}

function toLines(content: Readonly<Record<string, Json>>): string {
  const { value, ...head } = content;
  const parts: [string, Json][] = [['format', FORMAT], ['version', VERSION], ...Object.entries(head)];
  if (value !== undefined) parts.push(['value', value]);
  const lines = parts.map(([name, part]) => `  ${JSON.stringify(name)}: ${write(part, '  ')}`);
  return `{\n${lines.join(',\n')}\n}\n`;
}

/** JSON with sorted keys; a list of plain values is on one line, as long as that is none too long to compare. */
function write(value: Json, indent: string): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const list: readonly Json[] = value;
    const isPlain = list.every((entry) => entry === null || typeof entry !== 'object');
    const line = isPlain ? `[${list.map((entry) => JSON.stringify(entry)).join(', ')}]` : '';
    if (isPlain && line.length <= MAX_LINE_CHARACTERS) return line;
    return `[\n${list.map((entry) => `${inner}${write(entry, inner)}`).join(',\n')}\n${indent}]`;
  }
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  if (fields.length === 0) return '{}';
  const lines = fields.map(([name, part]) => `${inner}${JSON.stringify(name)}: ${write(part, inner)}`);
  return `{\n${lines.join(',\n')}\n${indent}}`;
}
