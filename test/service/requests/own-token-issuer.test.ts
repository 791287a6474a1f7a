import { expect, it } from 'vitest';
import { createOwnTokenIssuer } from '../../../src-main/service/tokens/open-token-issuer.ts';

it('S26: requests without end fill no memory: past 10,000 tokens the oldest end first', async () => {
  const tokens = createOwnTokenIssuer({ now: () => 0, elapsedMs: () => 0, lifetimeMs: 60_000 });
  const issued = await Promise.all(Array.from({ length: 10_001 }, () => tokens.issue()));
  expect(await tokens.isValid(issued[0]!)).toBe(false);
  expect(await tokens.isValid(issued[1]!)).toBe(true);
  const newest = await tokens.issue();
  expect(await tokens.isValid(issued[1]!)).toBe(false);
  expect(await tokens.isValid(newest)).toBe(true);
});
