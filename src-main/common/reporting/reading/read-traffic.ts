import { resolveFields } from '../field-names.ts';
import { isJsonObject, type JsonObject } from './read-json.ts';
import { readInteger } from './read-value.ts';
import type { TrafficGroup } from '../wire-schemas.ts';

interface ReadTraffic {
  readonly groups: readonly TrafficGroup[];
  /** What is not groups, as text. */
  readonly text: string;
}

const GROUP_FIELDS = {
  Division: ['Division'],
  Channel: ['Channel'],
  Service: ['Service'],
  Sessions: ['Sessions', 'Session', 'Count'],
} as const;
const TEXT_CHARACTERS = 10_000;
const DEPTH_LIMIT = 3;

/**
 * Reads groups of sessions (decision 2): an array, one object, objects by name, or a JSON string of these.
 * Where any part is no group, `text` keeps the whole as it came.
 */
export function readTraffic(value: unknown): ReadTraffic {
  if (value === undefined || value === null || typeof value === 'number') return { groups: [], text: '' };
  const parsed = typeof value === 'string' ? tryParse(value) : value;
  if (parsed === undefined) return { groups: [], text: toText(value) };
  const groups: TrafficGroup[] = [];
  const isWhole = collectGroups(parsed, groups, 0);
  return { groups, text: isWhole ? '' : toText(value) };
}

/** Adds the groups found; false when something was no group. */
function collectGroups(value: unknown, groups: TrafficGroup[], depth: number): boolean {
  if (depth > DEPTH_LIMIT) return false;
  if (Array.isArray(value)) return value.map((item) => collectGroups(item, groups, depth + 1)).every(Boolean);
  if (!isJsonObject(value)) return false;
  const read = readGroup(value);
  if (read !== null) {
    groups.push(read.group);
    return read.isWhole;
  }
  const children = Object.values(value);
  return (
    children.length > 0 && children.map((child) => collectGroups(child, groups, depth + 1)).every(Boolean)
  );
}

/** Not whole where the group has fields of which nothing else tells. */
function readGroup(value: JsonObject): { readonly group: TrafficGroup; readonly isWhole: boolean } | null {
  const { keyOf, unknownKeys } = resolveFields<keyof typeof GROUP_FIELDS>(Object.keys(value), GROUP_FIELDS);
  const read = (field: keyof typeof GROUP_FIELDS): number | null => {
    const key = keyOf[field];
    return key === undefined ? null : readInteger(value[key], { bits: 0, isLossy: false });
  };
  const [Division, Channel, Service, Sessions] = [
    read('Division'),
    read('Channel'),
    read('Service'),
    read('Sessions'),
  ];
  if (Division === null || Channel === null || Service === null || Sessions === null) return null;
  return { group: { Division, Channel, Service, Sessions }, isWhole: unknownKeys.length === 0 };
}

function tryParse(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function toText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.slice(0, TEXT_CHARACTERS);
}
