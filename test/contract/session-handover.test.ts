import { afterEach, describe, expect, it } from 'vitest';
import { askForSession, shareSession } from '../../src-renderer/backend/choose-backend.ts';

// A channel of its own: other tests may run in the same process.
const openChannel = (name: string): BroadcastChannel => new BroadcastChannel(`${name}.handover-test`);

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

describe('a tab without a session', () => {
  it('gets that of a tab beside it', async () => {
    stops.push(shareSession(openChannel, () => 'token'));
    expect(await askForSession(openChannel)).toBe('token');
  });

  it('gets none where no other tab is open', async () => {
    expect(await askForSession(openChannel)).toBeNull();
  });

  it('gets none from a tab that is not certain who serves its place', async () => {
    stops.push(shareSession(openChannel, () => null));
    expect(await askForSession(openChannel)).toBeNull();
  });
});
