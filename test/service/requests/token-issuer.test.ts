import { expect, it } from 'vitest';
import { createTokenIssuer } from '../../../src-main/service/http/token-issuer.ts';

it('S26: requests without end fill no memory: past 10,000 tokens the oldest end first', () => {
  const tokens = createTokenIssuer({ now: () => 0, elapsedMs: () => 0, lifetimeMs: 60_000 });
  const issued = Array.from({ length: 10_001 }, () => tokens.issue());
  expect(tokens.isValid(issued[0]!)).toBe(false);
  expect(tokens.isValid(issued[1]!)).toBe(true);
  const newest = tokens.issue();
  expect(tokens.isValid(issued[1]!)).toBe(false);
  expect(tokens.isValid(newest)).toBe(true);
});
