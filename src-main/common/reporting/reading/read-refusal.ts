import { isJsonObject, toFirstLine } from './read-json.ts';

/** What a service says about a request that it refuses (decision 6); both may be empty. */
interface Refusal {
  readonly words: string;
  /** The first field that it names. */
  readonly field: string;
}

/** What was collected so far. */
interface Said {
  readonly lines: string[];
  readonly fields: string[];
}

const WORDS_CHARACTERS = 2000;
const FIELD_NAMES = /^(field|property|propertyName|member|name|key)$/i;
const WORD_NAMES =
  /^(message|errorMessage|detail|details|description|reason|text|title|error|error_description)$/i;
const FAULT_NAMES = /error|fault|problem|violation|validation|issue|exception|message|detail|title|reason/i;
const DEPTH_LIMIT = 4;

/**
 * Collects the words of a refusal from any usual shape: `errors` as `{field, message}`, texts, or lists by
 * field; `message`, `title`, `detail`. At most 2,000 characters.
 */
export function readRefusal(body: unknown): Refusal {
  if (typeof body === 'string') return { words: toFirstLine(body), field: '' };
  if (!isJsonObject(body)) return { words: '', field: '' };
  const said: Said = { lines: [], fields: [] };
  for (const [name, value] of Object.entries(body)) {
    if (FAULT_NAMES.test(name)) collect(value, '', said, 0);
  }
  const words = [...new Set(said.lines)].join('\n').slice(0, WORDS_CHARACTERS);
  return { words, field: said.fields[0] ?? '' };
}

function collect(value: unknown, field: string, said: Said, depth: number): void {
  if (depth > DEPTH_LIMIT || value === null) return;
  if (typeof value === 'string' || typeof value === 'number') {
    const text = String(value).trim();
    if (text === '') return;
    said.lines.push(field === '' ? text : `${field}: ${text}`);
    if (field !== '') said.fields.push(field);
    return;
  }
  if (Array.isArray(value)) {
    for (const item of value) collect(item, field, said, depth + 1);
    return;
  }
  if (!isJsonObject(value)) return;
  const entries = Object.entries(value);
  const named = entries.find(([name, text]) => FIELD_NAMES.test(name) && typeof text === 'string');
  const worded = entries.filter(([name]) => WORD_NAMES.test(name));
  if (worded.length === 0) {
    // Lists by field, as ASP.NET writes them: {"startDate": ["is required"]}.
    for (const [name, text] of entries) collect(text, name, said, depth + 1);
    return;
  }
  for (const [, text] of worded) {
    collect(text, named === undefined ? field : String(named[1]), said, depth + 1);
  }
}
