import { flushPromises, mount } from '@vue/test-utils';
import { afterEach, expect, it, vi } from 'vitest';
import { shallowRef, type WritableComputedRef } from 'vue';
import { useAddressChoice } from '../../../../src-renderer/address/window-address.ts';
import { useNamedRecord } from '../../../../src-renderer/screens/detail/detail-address.ts';
import { provideApplication } from '../support/provide-application.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

afterEach(() => void vi.useRealTimers());

it('a choice is a step of the address, which back and forward undo and redo', async () => {
  const { global, router } = await provideApplication(
    new ScriptedBackend({}),
    '/inbound/detail?tab=other&q=a',
  );
  let tab!: WritableComputedRef<'records' | 'errors' | null>;
  mount(
    { template: '<i />', setup: () => void (tab = useAddressChoice('tab', ['records', 'errors'])) },
    { global },
  );
  expect(tab.value).toBeNull();
  tab.value = 'errors';
  await flushPromises();
  expect([tab.value, router.currentRoute.value.query]).toEqual(['errors', { tab: 'errors', q: 'a' }]);
  router.back();
  await flushPromises();
  expect(tab.value).toBeNull();
  router.forward();
  await flushPromises();
  expect(tab.value).toBe('errors');
});

it('a record that the address names is shown, one that is selected is named, and another place shows none', async () => {
  vi.useFakeTimers();
  const { global, router } = await provideApplication(new ScriptedBackend({}), '/inbound/detail?record=7:12');
  const place = shallowRef(1);
  const shown: unknown[] = [];
  let named!: ReturnType<typeof useNamedRecord>;
  const setup = () =>
    void (named = useNamedRecord(
      () => [place.value],
      (record) => shown.push(record),
    ));
  mount({ template: '<i />', setup }, { global });
  expect(shown).toEqual([{ snapshotId: 7, seq: 12 }]);
  for (const seq of [13, 14, 15]) named.name({ snapshotId: 7, seq });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(router.currentRoute.value.query).toEqual({ record: '7:15' });
  expect(shown).toHaveLength(1);
  await router.push('/outbound/detail');
  place.value = 2;
  await vi.advanceTimersByTimeAsync(0);
  expect(shown.at(-1)).toBeNull();
  router.back();
  await vi.advanceTimersByTimeAsync(0);
  expect(shown.at(-1)).toEqual({ snapshotId: 7, seq: 15 });
});
