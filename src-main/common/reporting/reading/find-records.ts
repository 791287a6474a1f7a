import { resolveFields, type FieldNames } from '../field-names.ts';
import { isJsonObject, type JsonObject, type ParseJson } from './read-json.ts';

export interface FoundRecords {
  readonly entries: readonly unknown[];
  /** Name of the array as the service gives it; empty where the body itself is the array. */
  readonly name: string;
  /** Name at the top level: of the array, or of the object that holds it. */
  readonly place: string;
  /** The array came as a JSON string. */
  readonly isText: boolean;
  /** The object that holds the array, where it lies one level down. */
  readonly holder: JsonObject | null;
}

interface Candidate extends FoundRecords {
  readonly score: number;
}

/** Arrays of these names tell of faults; they are never records, even where nothing else is there. */
const FAULT_LIKE = /error|fault|warning|problem|violation|validation|issue|exception/i;
const USUAL_NAMES = /^(documents?|data|records?|results?|items?|list|rows?|values?|entries|value)$/i;

/**
 * Finds the records of an answer (decision 1): the array of objects at the top level or one level down,
 * also as a JSON string. Of several the one whose objects have most of the report's fields. Null when
 * there is none.
 */
export function findRecords(
  body: JsonObject,
  names: FieldNames<string>,
  envelopeKeys: ReadonlySet<string>,
  parse: ParseJson,
): FoundRecords | null {
  const toCandidate = (value: unknown, found: Omit<FoundRecords, 'entries'>): Candidate[] => {
    if (!Array.isArray(value)) return [];
    const score = scoreEntries(value, names) + (USUAL_NAMES.test(found.name) ? 0.5 : 0);
    return value.length === 0 || score > 0 ? [{ ...found, entries: value, score }] : [];
  };
  const candidates: Candidate[] = [];
  for (const [name, given] of Object.entries(body)) {
    if (envelopeKeys.has(name) || FAULT_LIKE.test(name)) continue;
    const isText = typeof given === 'string';
    const value = isText ? tryParse(given, parse) : given;
    candidates.push(...toCandidate(value, { place: name, name, holder: null, isText }));
    if (!isJsonObject(value)) continue;
    for (const [innerName, inner] of Object.entries(value)) {
      if (FAULT_LIKE.test(innerName)) continue;
      const innerIsText = typeof inner === 'string' && !/^(lastDocument)$/i.test(innerName);
      const innerValue = innerIsText ? tryParse(inner, parse) : inner;
      const found = { place: name, name: innerName, holder: value, isText: isText || innerIsText };
      candidates.push(...toCandidate(innerValue, found));
    }
  }
  return candidates.reduce<Candidate | null>(
    (best, candidate) => (best === null || candidate.score > best.score ? candidate : best),
    null,
  );
}

/** How many of the report's fields the first object of the array has. */
function scoreEntries(entries: readonly unknown[], names: FieldNames<string>): number {
  const first = entries.find(isJsonObject);
  if (first === undefined) return 0;
  return Object.values(resolveFields(Object.keys(first), names).keyOf).filter((key) => key !== undefined)
    .length;
}

function tryParse(text: string, parse: ParseJson): unknown {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    return parse(text);
  } catch {
    return null;
  }
}
