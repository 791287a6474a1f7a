import { findProxyFault, type ProxyFault } from './proxy-address.ts';
import type { ShownSetting } from './setting-sections.ts';
import { Settings } from './settings.ts';

/** Why a value can't be that of a setting; the window has words for each. */
export interface SettingFault {
  readonly code: 'unfit' | 'no-number' | 'too-small' | 'too-large' | 'too-long' | ProxyFault;
  /** The limit that was passed, where there is one. */
  readonly limit?: number;
}

/** What the schemas of the shown settings say, whatever their kind. */
interface SettingSchema {
  readonly type?: string;
  readonly anyOf?: readonly { readonly const?: unknown; readonly pattern?: string }[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly items?: SettingSchema;
}

/** The schema of a setting, as far as the window draws and checks with it. */
export function readSettingSchema(name: ShownSetting): SettingSchema {
  const schema: object = Settings.properties[name];
  return schema;
}

/**
 * Returns what is wrong with a value for a setting, or null. It says the same as the schema, in a form for words; an
 * address of a proxy must be one besides.
 */
export function findSettingFault(name: ShownSetting, value: unknown): SettingFault | null {
  const fault = findFault(readSettingSchema(name), value);
  if (fault !== null || name !== 'proxyAddress') return fault;
  const code = findProxyFault(value as string);
  return code === null ? null : { code };
}

function findFault(schema: SettingSchema, value: unknown): SettingFault | null {
  if (schema.anyOf !== undefined) {
    const fits = schema.anyOf.some(({ const: word, pattern }) =>
      pattern === undefined ? word === value : typeof value === 'string' && new RegExp(pattern).test(value),
    );
    return fits ? null : { code: 'unfit' };
  }
  switch (schema.type) {
    case 'boolean':
      return typeof value === 'boolean' ? null : { code: 'unfit' };
    case 'integer':
      return findNumberFault(schema, value);
    case 'string':
      if (typeof value !== 'string') return { code: 'unfit' };
      return isWithin(value.length, schema.maxLength) ? null : toFault('too-long', schema.maxLength);
    case 'array':
      return findListFault(schema, value);
    default:
      return { code: 'unfit' };
  }
}

function findNumberFault({ minimum, maximum }: SettingSchema, value: unknown): SettingFault | null {
  if (typeof value !== 'number' || !Number.isInteger(value)) return { code: 'no-number' };
  if (minimum !== undefined && value < minimum) return toFault('too-small', minimum);
  return isWithin(value, maximum) ? null : toFault('too-large', maximum);
}

function findListFault({ items, maxItems }: SettingSchema, value: unknown): SettingFault | null {
  if (!Array.isArray(value) || items === undefined) return { code: 'unfit' };
  if (!isWithin(value.length, maxItems)) return toFault('too-long', maxItems);
  if (new Set(value).size < value.length) return { code: 'unfit' };
  return value.some((item) => findFault(items, item) !== null) ? { code: 'unfit' } : null;
}

function isWithin(value: number, limit: number | undefined): boolean {
  return limit === undefined || value <= limit;
}

function toFault(code: SettingFault['code'], limit: number | undefined): SettingFault {
  return limit === undefined ? { code } : { code, limit };
}
