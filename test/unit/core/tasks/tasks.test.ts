import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AppError } from '../../../../src-main/common/contract/errors.ts';
import type { Task } from '../../../../src-main/common/model/cache/task.ts';
import { createTaskRegistry, type TaskHandle } from '../../../../src-main/core/tasks/task-registry.ts';
import { createSilentLogger } from '../../../support/fakes/silent-logger.ts';

const about = { kind: 'download', connectionId: 'c', snapshotId: 1, total: null } as const;

beforeEach(() => vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => vi.useRealTimers());

function createRegistry() {
  const events: Task[] = [];
  let ids = 0;
  const registry = createTaskRegistry({
    now: () => Date.now(),
    emit: (_name, payload) => events.push(payload as Task),
    newId: () => `t${(ids += 1)}`,
    logger: createSilentLogger(),
  });
  return { registry, events };
}

/** Work that continues until it is ended. */
function createWork() {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const handles: TaskHandle[] = [];
  const work = (task: TaskHandle): Promise<undefined> => {
    handles.push(task);
    return promise;
  };
  return { work, handles, resolve, reject };
}

describe('task registry', () => {
  it('ends a task as done, failed or cancelled by how its work settles', async () => {
    const { registry } = createRegistry();
    const done = registry.start(about, () => Promise.resolve());
    expect(done.state).toBe('running');
    const failed = registry.start(about, () =>
      Promise.reject(new AppError('client.tls', 'No.', { host: 'h' })),
    );
    const bug = registry.start(about, () => Promise.reject(new Error('inner words')));
    const thrown = registry.start(about, () => {
      throw new AppError('app.cancelled', 'Gave up.');
    });
    expect(await registry.whenEnded(done.id)).toMatchObject({
      state: 'done',
      error: null,
      endedAtMs: 1_000_000,
    });
    expect(await registry.whenEnded(failed.id)).toMatchObject({
      state: 'failed',
      error: { code: 'client.tls', details: { host: 'h' } },
    });
    const bugError = (await registry.whenEnded(bug.id)).error;
    expect(bugError?.code).toBe('app.bug');
    expect(JSON.stringify(bugError)).not.toContain('inner words');
    expect(await registry.whenEnded(thrown.id)).toMatchObject({ state: 'cancelled', error: null });
  });

  it('cancels by aborting, and leaves an ended task as it is', async () => {
    const { registry } = createRegistry();
    const task = registry.start(
      about,
      (handle) =>
        new Promise((_resolve, reject) => {
          handle.signal.addEventListener('abort', () => reject(new Error('socket closed')));
        }),
    );
    await vi.advanceTimersByTimeAsync(1);
    registry.cancel(task.id);
    expect(await registry.whenEnded(task.id)).toMatchObject({ state: 'cancelled', error: null });
    registry.cancel(task.id);
    expect(registry.get(task.id).state).toBe('cancelled');
  });

  it('a resumed task has no rate of what was done before, however late it reports', async () => {
    const { registry } = createRegistry();
    const { work, handles } = createWork();
    const { id } = registry.start({ ...about, total: 1_000_000, isQueued: true }, work);
    await vi.advanceTimersByTimeAsync(3_000);
    handles[0]?.begin(611_000);
    expect(registry.get(id)).toMatchObject({ done: 611_000, ratePerSecond: null, remainingMs: null });
    await vi.advanceTimersByTimeAsync(50);
    handles[0]?.progress(611_100, 1_000_000);
    await vi.advanceTimersByTimeAsync(950);
    handles[0]?.progress(612_000, 1_000_000);
    const { ratePerSecond, remainingMs } = registry.get(id);
    expect(ratePerSecond).toBe(1_000);
    expect(remainingMs).toBe(388_000);
  });

  it('says tasks.not-found for an unknown task', async () => {
    const { registry } = createRegistry();
    const notFound = { code: 'tasks.not-found' };
    expect(() => registry.get('x')).toThrow(expect.objectContaining(notFound) as Error);
    expect(() => registry.cancel('x')).toThrow(expect.objectContaining(notFound) as Error);
    await expect(registry.whenEnded('x')).rejects.toMatchObject(notFound);
  });

  it('works out rate and time left from the last five seconds', async () => {
    const { registry } = createRegistry();
    const { work, handles, resolve } = createWork();
    const { id } = registry.start(about, work);
    await vi.advanceTimersByTimeAsync(1);
    handles[0]!.progress(500_000, 1_000_000);
    expect(registry.get(id)).toMatchObject({ done: 500_000, ratePerSecond: null, remainingMs: null });
    for (let step = 1; step <= 100; step += 1) {
      await vi.advanceTimersByTimeAsync(100);
      handles[0]!.progress(500_000 + step * 1000, 1_000_000);
    }
    const running = registry.get(id);
    expect(running.ratePerSecond).toBeGreaterThan(9_500);
    expect(running.ratePerSecond).toBeLessThan(10_500);
    expect(running.remainingMs).toBeGreaterThan(38_000);
    expect(running.remainingMs).toBeLessThan(42_500);
    await vi.advanceTimersByTimeAsync(5000);
    expect(registry.get(id)).toMatchObject({ ratePerSecond: 0, remainingMs: null });
    resolve(undefined);
    await registry.whenEnded(id);
    expect(registry.get(id)).toMatchObject({ state: 'done', ratePerSecond: null, remainingMs: null });
  });

  it('sends at most ten events a second for a task, and the last state always', async () => {
    const { registry, events } = createRegistry();
    const { work, handles, resolve } = createWork();
    const { id } = registry.start(about, work);
    for (let step = 0; step < 1000; step += 1) {
      await vi.advanceTimersByTimeAsync(1);
      handles[0]!.progress(step, 1000);
    }
    expect(events.length).toBeGreaterThan(8);
    expect(events.length).toBeLessThanOrEqual(11);
    handles[0]!.update({ fileName: 'a.csv' });
    resolve(undefined);
    await registry.whenEnded(id);
    await vi.advanceTimersByTimeAsync(200);
    expect(events.at(-1)).toMatchObject({ state: 'done', done: 999, fileName: 'a.csv' });
    expect(vi.getTimerCount()).toBe(0);
    handles[0]!.progress(5, 5);
    expect(registry.get(id).done).toBe(999);
  });

  it('keeps the last 50 ended tasks and every running one, newest first', async () => {
    const { registry } = createRegistry();
    const { work, resolve } = createWork();
    const running = registry.start(about, work);
    for (let count = 0; count < 60; count += 1) {
      const { id } = registry.start(about, () => Promise.resolve());
      await registry.whenEnded(id);
    }
    const tasks = registry.list();
    expect(tasks).toHaveLength(51);
    expect(tasks[0]?.id).toBe('t61');
    expect(tasks.at(-1)?.id).toBe(running.id);
    resolve(undefined);
  });

  it('stops by cancelling everything, waiting, and sending the last states', async () => {
    const { registry, events } = createRegistry();
    let cleaned = false;
    const { id } = registry.start(about, async (handle) => {
      await new Promise<void>((resolve) => handle.signal.addEventListener('abort', () => resolve()));
      await new Promise((resolve) => setTimeout(resolve, 300));
      cleaned = true;
      handle.signal.throwIfAborted();
    });
    await vi.advanceTimersByTimeAsync(1);
    const stopped = registry.stop();
    await vi.advanceTimersByTimeAsync(400);
    await stopped;
    expect(cleaned).toBe(true);
    expect(events.at(-1)).toMatchObject({ id, state: 'cancelled' });
    expect(() => registry.start(about, () => Promise.resolve())).toThrow(AppError);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("continues when an event can't be sent", async () => {
    const registry = createTaskRegistry({
      now: () => Date.now(),
      emit: () => {
        throw new Error('window gone');
      },
      logger: createSilentLogger(),
    });
    const { id } = registry.start(about, () => Promise.resolve());
    expect((await registry.whenEnded(id)).state).toBe('done');
  });
});
