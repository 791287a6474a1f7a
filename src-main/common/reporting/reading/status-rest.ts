import type { StatusExtra } from '../../model/connections/status.ts';
import type { STATUS_FIELD_NAMES } from '../field-names.ts';
import { isTooDeep } from './read-json.ts';

export type StatusField = keyof typeof STATUS_FIELD_NAMES;

/** Collects what of a status is no field of it, or could not be read, under the path at which it stands. */
export interface StatusRest {
  /** The same, for what lies below a key. */
  at(key: string): StatusRest;
  /** A rest that counts only once it is kept. */
  branch(): StatusRest & { keep(): void };
  /** Adds what stands here; `field` where it is a further value of a known field. */
  add(value: unknown, field?: StatusField): void;
  /** Remembers where the value of a field was found: below a key, or here. */
  name(field: StatusField, key?: string): void;
  /** Adds the value of a field that could not be read; nothing where the service gave none. */
  addField(field: StatusField, value: unknown): void;
  /** Everything but further values of some fields; null for nothing. */
  finish(without: readonly StatusField[]): StatusExtra | null;
}

interface Kept {
  readonly path: string;
  /** Null where it is nested too deep. */
  readonly text: string | null;
  readonly field: StatusField | undefined;
}

/** Every sample is kept, so a service that tells everything must not fill the cache. */
const MAX_CHARACTERS = 20_000;

/** Begins the collecting at the outermost level. */
export function createStatusRest(): StatusRest {
  return createAt('', [], new Map());
}

function createAt(path: string, kept: Kept[], paths: Map<StatusField, string>): StatusRest {
  const join = (key: string): string =>
    path === '' || key.startsWith('[') ? `${path}${key}` : `${path}.${key}`;
  return {
    at: (key) => createAt(join(key), kept, paths),
    branch() {
      const own: Kept[] = [];
      return { ...createAt(path, own, paths), keep: () => void kept.push(...own) };
    },
    add: (value, field) => void kept.push({ path, text: toText(value), field }),
    name: (field, key) => void paths.set(field, key === undefined ? path : join(key)),
    addField(field, value) {
      if (value === undefined || value === null || value === '') return;
      kept.push({ path: paths.get(field) ?? field, text: toText(value), field: undefined });
    },
    finish(without) {
      const all = kept.filter(({ field }) => field === undefined || !without.includes(field));
      if (all.length === 0) return null;
      const fields: Record<string, string> = {};
      let characters = 0;
      let leftOut = 0;
      for (const { path: name, text } of all) {
        const size = name.length + (text?.length ?? 0);
        if (text === null || characters + size > MAX_CHARACTERS || Object.hasOwn(fields, name)) leftOut += 1;
        else {
          characters += size;
          // Also a name such as `__proto__`.
          Object.defineProperty(fields, name, { value: text, enumerable: true });
        }
      }
      return { fields, leftOut };
    },
  };
}

function toText(value: unknown): string | null {
  return isTooDeep(value) ? null : JSON.stringify(value);
}
