import { expect, it } from 'vitest';
import { TokenKeeper } from '../../../src-main/service/http/token-keeper.ts';

it('S26: requests without end fill no memory: past 10,000 tokens the oldest end first', () => {
  const tokens = new TokenKeeper(
    () => 0,
    () => 0,
    60_000,
  );
  const issued = Array.from({ length: 10_001 }, () => tokens.issue());
  expect(tokens.accepts(issued[0]!)).toBe(false);
  expect(tokens.accepts(issued[1]!)).toBe(true);
  const newest = tokens.issue();
  expect(tokens.accepts(issued[1]!)).toBe(false);
  expect(tokens.accepts(newest)).toBe(true);
});
