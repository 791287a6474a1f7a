import type { RulePath } from '../../../common/reporting/outcome.ts';
import { isPlainObject } from '../../../common/json.ts';

/** A value of bodies, with the sampled records that have it. */
interface BodyMark {
  readonly path: RulePath;
  readonly count: number;
  readonly examples: readonly string[];
}

/** What the bodies of some records say of how requests went. */
export interface BodyMarks {
  /** Records whose bodies were read. */
  readonly read: number;
  /** What speaks of failure, the most frequent first. */
  readonly failing: readonly BodyMark[];
  /** Other values of keys that tell how a request went. */
  readonly fine: readonly BodyMark[];
  /** Records that have what a path names. */
  countOf(path: RulePath): number;
}

const MAX_DEPTH = 4;
const MAX_MEMBERS = 60;
const MAX_BODY_CHARACTERS = 20_000;
const MAX_VALUE_CHARACTERS = 60;
/** A key with more different values than these tells no outcome. */
const MAX_VALUES = 12;

/** Keys whose values tell how a request went, in lower case and without signs. */
const TELLING_KEYS = new Set(
  'status result state outcome success ok succeeded successful accepted delivered delivery sent valid resultcode statuscode responsestatus deliverystatus messagestatus estado resultado exito situacao ergebnis erfolg zustand'.split(
    ' ',
  ),
);
/** Keys that are there where something went wrong. */
const ERROR_KEYS = new Set(
  'error errors err fault faults exception exceptions errormessage errormsg errordescription errordetail errordetails errorcode errorreason failure failures failurereason failed faultcode faultstring erro erros fehler falla fallo'.split(
    ' ',
  ),
);
/** Words of values that speak of failure. */
const FAILING_WORDS = new Set(
  'failed failure fail fails error errored errors refused rejected reject denied declined timeout timedout expired invalid undeliverable undelivered unavailable unreachable aborted blocked bounced dropped unsuccessful not ko nok ng fallido fallida fallo rechazado rechazada denegado caducado erro falha falhou rejeitado rejeitada recusado negado expirado fehler fehlgeschlagen abgelehnt abgewiesen verweigert ungueltig'.split(
    ' ',
  ),
);
/** Values of keys such as `success` that say no. */
const NEGATIONS = new Set(['false', 'no', 'n', 'nein', 'não', 'nao']);
const AFFIRMED_KEYS = /^(success|ok|succeeded|successful|accepted|delivered|sent|valid|exito|erfolg)$/;
const EMPTY = new Set(['null', 'false', '', '[]', '{}', '0']);

/** Reads what the payloads and responses of some records say. */
export function readBodyMarks(
  records: readonly { readonly payload: string; readonly response: string }[],
): BodyMarks {
  const counts = new Map<string, number>();
  const paths = new Map<string, { readonly in: RulePath['in']; readonly at: string; readonly key: string }>();
  const valuesOf = new Map<string, Map<string, number>>();
  const presentOf = new Map<string, number>();
  for (const { payload, response } of records) {
    for (const [body, text] of [
      ['payload', payload],
      ['response', response],
    ] as const) {
      for (const { at, key, value } of listMembers(text)) {
        const id = `${body} ${at}`;
        paths.set(id, { in: body, at, key });
        const values = valuesOf.get(id) ?? new Map<string, number>();
        if (values.size <= MAX_VALUES || values.has(value)) values.set(value, (values.get(value) ?? 0) + 1);
        valuesOf.set(id, values);
        if (!EMPTY.has(value.toLowerCase())) presentOf.set(id, (presentOf.get(id) ?? 0) + 1);
        const own = JSON.stringify([id, value.toLowerCase()]);
        counts.set(own, (counts.get(own) ?? 0) + 1);
      }
    }
  }
  const failing: BodyMark[] = [];
  const fine: BodyMark[] = [];
  for (const [id, { in: body, at, key }] of paths) {
    const values = [...(valuesOf.get(id) ?? [])];
    if (ERROR_KEYS.has(key)) {
      const present = values.filter(([value]) => !EMPTY.has(value.toLowerCase()));
      const count = presentOf.get(id) ?? 0;
      if (count > 0)
        failing.push({
          path: { in: body, at },
          count,
          examples: present.slice(0, 3).map(([value]) => value),
        });
      continue;
    }
    if (!TELLING_KEYS.has(key) || values.length > MAX_VALUES) continue;
    const bad = values.filter(([value]) => speaksOfFailure(key, value));
    const good = values.filter(([value]) => !speaksOfFailure(key, value));
    const toMark = (own: readonly (readonly [string, number])[]): BodyMark => ({
      path: { in: body, at, is: own.map(([value]) => value) },
      count: own.reduce((sum, [, count]) => sum + count, 0),
      examples: own.slice(0, 3).map(([value]) => value),
    });
    if (bad.length > 0) failing.push(toMark(bad));
    if (good.length > 0) fine.push(toMark(good));
  }
  const sort = (marks: BodyMark[]): BodyMark[] => marks.sort((a, b) => b.count - a.count);
  return {
    read: records.length,
    failing: sort(failing),
    fine: sort(fine),
    countOf({ in: body, at, is }) {
      const id = `${body} ${at}`;
      if (is !== undefined)
        return is.reduce(
          (sum, value) => sum + (counts.get(JSON.stringify([id, value.toLowerCase()])) ?? 0),
          0,
        );
      return presentOf.get(id) ?? 0;
    },
  };
}

function speaksOfFailure(key: string, value: string): boolean {
  const text = value.toLowerCase();
  if (AFFIRMED_KEYS.test(key) && NEGATIONS.has(text)) return true;
  return text.split(/[^\p{L}]+/u).some((word) => FAILING_WORDS.has(word));
}

interface Member {
  readonly at: string;
  /** The last key in lower case, without signs. */
  readonly key: string;
  readonly value: string;
}

/** The members of a JSON text with a short value; none for what isn't JSON, or is long. */
function listMembers(text: string): Member[] {
  if (text.length > MAX_BODY_CHARACTERS || !/^\s*[{[]/.test(text)) return [];
  let whole: unknown;
  try {
    whole = JSON.parse(text);
  } catch {
    return [];
  }
  const members: Member[] = [];
  const visit = (value: unknown, keys: readonly string[]): void => {
    if (members.length >= MAX_MEMBERS || keys.length > MAX_DEPTH) return;
    const last = (keys.at(-1) ?? '').toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
    if (ERROR_KEYS.has(last) && typeof value === 'object' && value !== null) {
      const isEmpty = Object.keys(value).length === 0;
      members.push({ at: keys.join('.'), key: last, value: isEmpty ? '{}' : shorten(JSON.stringify(value)) });
    }
    if (Array.isArray(value))
      value.slice(0, 1).forEach((item, place) => visit(item, [...keys, String(place)]));
    else if (isPlainObject(value)) {
      // A path joins keys by dots: one that has a dot itself can't be named.
      for (const [key, item] of Object.entries(value)) if (!key.includes('.')) visit(item, [...keys, key]);
    } else if (keys.length > 0 && !(ERROR_KEYS.has(last) && typeof value === 'object'))
      members.push({ at: keys.join('.'), key: last, value: shorten(String(value)) });
  };
  visit(whole, []);
  return members;
}

function shorten(text: string): string {
  return text.length > MAX_VALUE_CHARACTERS ? text.slice(0, MAX_VALUE_CHARACTERS) : text;
}
