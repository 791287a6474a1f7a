import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { holdCalls } from '../../../../src-renderer/backend/choose-backend.ts';
import type { Backend } from '../../../../src-renderer/backend/backend.ts';

const asked: string[] = [];
const carrier: Backend = {
  call: (name) => {
    asked.push(name);
    return Promise.resolve(`answer of ${name}` as never);
  },
  on: () => () => undefined,
};

beforeEach(() => {
  asked.length = 0;
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

it('asks at once for what the first picture needs, and for all else once it is there', async () => {
  const { backend, release } = holdCalls(carrier);
  const tasks = backend.call('tasks/list', null);
  await expect(backend.call('settings/get', null)).resolves.toBe('answer of settings/get');
  await backend.call('connections/list', null);
  expect(asked).toEqual(['settings/get', 'connections/list']);
  release();
  await vi.advanceTimersByTimeAsync(0);
  await expect(tasks).resolves.toBe('answer of tasks/list');
  await backend.call('downloads/list', { connectionId: null });
  expect(asked).toEqual(['settings/get', 'connections/list', 'tasks/list', 'downloads/list']);
});

it('does not wait for a picture that never comes', async () => {
  const { backend } = holdCalls(carrier);
  const tasks = backend.call('tasks/list', null);
  await vi.advanceTimersByTimeAsync(999);
  expect(asked).toEqual([]);
  await vi.advanceTimersByTimeAsync(2);
  await expect(tasks).resolves.toBe('answer of tasks/list');
});

it('asks for what shows no figure once the first figures are there, or take long', async () => {
  const { promise: counted, resolve: count } = Promise.withResolvers<never>();
  const slow: Backend = {
    ...carrier,
    call: (name, input) => {
      const answer = carrier.call(name, input);
      return name === 'overview/read-volume' ? answer.then(() => counted) : answer;
    },
  };
  const answer = (): Promise<void> => {
    count('volume' as never);
    return Promise.resolve();
  };
  for (const end of [answer, () => vi.advanceTimersByTimeAsync(1000)]) {
    asked.length = 0;
    const { backend, release } = holdCalls(slow);
    const findings = backend.call('findings/list', { connectionId: 'a' });
    const span = { connectionId: 'a', fromMs: 0, toMs: 1, buckets: 1 };
    void backend.call('overview/read-volume', span);
    release();
    await vi.advanceTimersByTimeAsync(0);
    expect(asked).toContain('overview/read-volume');
    await end();
    await expect(findings).resolves.toBe('answer of findings/list');
  }
});
