import type { OutcomeSuggestion } from '../../../../src-main/common/model/analysis/outcome-suggestion.ts';
import type { Outcome, OutcomeRule } from '../../../../src-main/common/reporting/outcome.ts';

/** What a rule's fields hold as they are typed; empty texts ask for nothing. */
export interface RuleRow {
  readonly key: number;
  codes: string;
  error: 'any' | 'present' | 'absent' | 'contains' | 'is' | 'family';
  errorText: string;
  body: 'any' | 'payload' | 'response';
  path: string;
  values: string;
  channels: string;
  services: string;
  outcome: Outcome;
  /** What the form has no field for: it is kept as it is. */
  readonly rest: Pick<OutcomeRule, 'origins' | 'actions'>;
}

/** Why a row is no rule. */
export type RuleFault = 'invalidCodes' | 'invalidText' | 'invalidPath' | 'invalidNumbers';

let nextKey = 0;

/** Gives rows the keys that tell them apart in this window. */
export function renewKeys(rows: readonly RuleRow[]): RuleRow[] {
  return rows.map((row) => ({ ...row, key: nextKey++ }));
}

/** A rule as its fields show it. */
export function toRow(rule: OutcomeRule): RuleRow {
  const { codes = [], error, path, channels = [], services = [], origins, actions, outcome } = rule;
  const list = (values: readonly (number | string | null)[]): string =>
    values.map((value) => value ?? 'none').join(', ');
  const told: readonly [string, string | string[]] | undefined =
    typeof error === 'object' ? Object.entries(error)[0] : undefined;
  const [way, text] = told ?? [typeof error === 'string' ? error : 'any', ''];
  return {
    key: nextKey++,
    codes: list(codes.map((code) => (Array.isArray(code) ? code.join('-') : code))),
    error: way as RuleRow['error'],
    // Each exact text has a line of its own where there are several.
    errorText: Array.isArray(text) ? text.join('\n') : text,
    body: path?.in ?? 'any',
    path: path?.at ?? '',
    values: (path?.is ?? []).join(', '),
    channels: list(channels),
    services: list(services),
    outcome,
    rest: { ...(origins === undefined ? {} : { origins }), ...(actions === undefined ? {} : { actions }) },
  };
}

/** The rule that fields say, or why they say none. */
export function readRow(row: RuleRow): OutcomeRule | RuleFault {
  const codes = readCodes(row.codes);
  if (codes === null) return 'invalidCodes';
  const channels = readNumbers(row.channels);
  const services = readNumbers(row.services);
  if (channels === null || services === null) return 'invalidNumbers';
  const takesText = row.error === 'contains' || row.error === 'is' || row.error === 'family';
  if (takesText && row.errorText.trim() === '') return 'invalidText';
  if (row.body !== 'any' && row.path.trim() === '') return 'invalidPath';
  const values = split(row.values);
  return {
    ...(codes.length > 0 ? { codes } : {}),
    ...(row.error === 'any' ? {} : { error: toError(row) }),
    ...(row.body === 'any'
      ? {}
      : { path: { in: row.body, at: row.path.trim(), ...(values.length > 0 ? { is: values } : {}) } }),
    ...(channels.length > 0 ? { channels } : {}),
    ...(services.length > 0 ? { services } : {}),
    ...row.rest,
    outcome: row.outcome,
  };
}

function toError({ error, errorText }: RuleRow): NonNullable<OutcomeRule['error']> {
  if (error === 'contains') return { contains: errorText };
  if (error === 'family') return { family: errorText };
  if (error === 'is') return { is: errorText.split('\n').filter((line) => line !== '') };
  return error === 'absent' ? 'absent' : 'present';
}

function split(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function readCodes(text: string): NonNullable<OutcomeRule['codes']> | null {
  const codes: NonNullable<OutcomeRule['codes']> = [];
  for (const part of split(text)) {
    const range = /^(-?\d{1,15})\s*(?:-|–|\.\.)\s*(-?\d{1,15})$/.exec(part);
    if (/^none$/i.test(part)) codes.push(null);
    else if (/^-?\d{1,15}$/.test(part)) codes.push(Number(part));
    else if (range !== null && Number(range[1]) <= Number(range[2]))
      codes.push([Number(range[1]), Number(range[2])]);
    else return null;
  }
  return codes;
}

function readNumbers(text: string): (number | null)[] | null {
  const parts = split(text);
  if (parts.some((part) => !/^(none|-?\d{1,15})$/i.test(part))) return null;
  return parts.map((part) => (/^none$/i.test(part) ? null : Number(part)));
}

/** Puts a suggested rule where it decides: what most records say in Error before the first rule about texts. */
export function insertSuggestion(rows: readonly RuleRow[], { rule, reason }: OutcomeSuggestion): RuleRow[] {
  const at = reason === 'usual-text' ? rows.findIndex(({ error }) => error !== 'any') : 0;
  const place = at === -1 ? rows.length : at;
  return [...rows.slice(0, place), toRow(rule), ...rows.slice(place)];
}
