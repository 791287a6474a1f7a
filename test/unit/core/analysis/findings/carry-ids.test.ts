import { expect, it } from 'vitest';
import { carryIds, type Identified } from '../../../../../src-main/core/analysis/findings/carry-ids.ts';

const MINUTE_MS = 60_000;
const NOON_MS = Date.UTC(2026, 10, 20, 12);
const told: Identified = {
  id: 'first',
  kind: 'errors-up',
  part: null,
  channel: 1,
  service: 7,
  sinceMs: NOON_MS,
};
const carry = (changes: Partial<Identified>, before: readonly Identified[] = [told]) =>
  carryIds(before, [{ ...told, id: 'new', ...changes }]).map(({ id }) => id);

it.each<[what: string, changes: Partial<Identified>]>([
  ['an onset some minutes off', { sinceMs: NOON_MS + 4 * MINUTE_MS }],
  ['a larger place', { service: null }],
  ['a new error', { kind: 'new-errors', sinceMs: NOON_MS - MINUTE_MS }],
])('the same incident seen with %s keeps its id', (_what, changes) => {
  expect(carry(changes)).toEqual(['first']);
});

it.each<[what: string, changes: Partial<Identified>]>([
  ['at another time', { sinceMs: NOON_MS + 40 * MINUTE_MS }],
  ['at another place', { channel: 2 }],
  ['of another kind', { kind: 'slower' }],
  ['of another part', { kind: 'down', part: 'platform' }],
])('an incident %s has its own', (_what, changes) => {
  expect(carry(changes)).toEqual(['new']);
});

it('an id is given once, to the nearest, and never twice', () => {
  const near = { ...told, id: 'near', sinceMs: NOON_MS + MINUTE_MS };
  const far = { ...told, id: 'far', sinceMs: NOON_MS + 9 * MINUTE_MS };
  expect(carryIds([told], [far, near]).map(({ id }) => id)).toEqual(['far', 'first']);
  const ids = carryIds([told], [near, { ...far, id: 'first', sinceMs: NOON_MS + 90 * MINUTE_MS }]);
  expect(new Set(ids.map(({ id }) => id)).size).toBe(2);
});
