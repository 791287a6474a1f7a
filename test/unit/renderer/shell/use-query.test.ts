import { flushPromises, mount } from '@vue/test-utils';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ref } from 'vue';
import type { EventName } from '../../../../src-main/common/contract/index.ts';
import { AppError } from '../../../../src-main/common/contract/errors.ts';
import { backendKey } from '../../../../src-renderer/backend/backend.ts';
import { useQuery, type Query } from '../../../../src-renderer/composables/use-query.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

/** A query whose answers are given by hand. */
function ask(events: readonly EventName[] = []) {
  const backend = new ScriptedBackend({});
  const key = ref('a');
  const stored = ref(0);
  const asked: { key: string; signal: AbortSignal; answer: (text: string) => void; fail: () => void }[] = [];
  let query!: Query<string>;
  const read = (signal: AbortSignal): Promise<string> =>
    new Promise((answer, reject) => {
      const fail = (): void => reject(new AppError('app.bug', 'Broken.'));
      asked.push({ key: key.value, signal, answer, fail });
    });
  const setup = (): void => {
    query = useQuery(key, read, { again: [stored], events });
  };
  const page = mount(
    { template: '<i />', setup },
    { global: { provide: { [backendKey as symbol]: backend } } },
  );
  return { backend, key, stored, asked, query, page };
}

describe('something that is read from the core', () => {
  afterEach(() => vi.useRealTimers());

  it('belongs to its key: of another one nothing is shown before it is known, and no late answer', async () => {
    const { key, asked, query } = ask();
    asked[0]?.answer('of a');
    await flushPromises();
    expect([query.value.value, query.isReading.value]).toEqual(['of a', false]);
    key.value = 'b';
    await flushPromises();
    expect([query.value.value, query.isReading.value]).toEqual([null, true]);
    key.value = 'c';
    await flushPromises();
    expect(asked[1]?.signal.aborted).toBe(true);
    asked[2]?.answer('of c');
    asked[1]?.answer('of b');
    await flushPromises();
    expect(query.value.value).toBe('of c');
  });

  it('stays while it is read again, also where that fails, and can be asked for once more', async () => {
    const { stored, asked, query } = ask();
    asked[0]?.answer('first');
    await flushPromises();
    stored.value += 1;
    await flushPromises();
    expect(query.value.value).toBe('first');
    asked[1]?.fail();
    await flushPromises();
    expect([query.value.value, query.error.value?.code]).toEqual(['first', 'app.bug']);
    query.reload();
    await flushPromises();
    asked[2]?.answer('second');
    await flushPromises();
    expect([query.value.value, query.error.value]).toEqual(['second', null]);
  });

  it('is read again after events of the core, however many come at once, until its screen is left', async () => {
    vi.useFakeTimers();
    const { backend, asked, query, page } = ask(['destinations/changed']);
    asked[0]?.answer('first');
    await vi.advanceTimersByTimeAsync(0);
    for (let count = 0; count < 20; count += 1) backend.emit('destinations/changed', null);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(asked).toHaveLength(2);
    asked[1]?.answer('second');
    await vi.advanceTimersByTimeAsync(0);
    expect(query.value.value).toBe('second');
    backend.emit('destinations/changed', null);
    page.unmount();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(asked).toHaveLength(2);
  });
});
