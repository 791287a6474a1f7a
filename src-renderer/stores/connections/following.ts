import { defineStore } from 'pinia';
import { computed, shallowRef } from 'vue';
import type { Following } from '../../../src-main/common/contract/operations/unattended/following.ts';
import { useBackend } from '../../backend/backend.ts';
import { createListReader } from '../../backend/list-reader.ts';
import { useConnectionsStore } from './connections.ts';

/** How following each connection is going. */
export const useFollowingStore = defineStore('following', () => {
  const backend = useBackend();
  const connections = useConnectionsStore();
  const byConnection = shallowRef<ReadonlyMap<string, Following>>(new Map());
  /** That of the connection that every screen looks at; null before it is known. */
  const active = computed<Following | null>(
    () => byConnection.value.get(connections.active?.id ?? '') ?? null,
  );
  /** What appears is fetched without being asked for. */
  const isActive = computed(
    () => active.value !== null && !['off', 'paused', 'refused'].includes(active.value.state),
  );

  const reader = createListReader(
    () => backend.call('following/list', null),
    (following: Following) => following.connectionId,
  );
  backend.on('following/changed', put);

  function put(following: Following): void {
    reader.note(following.connectionId, following);
    byConnection.value = new Map([...byConnection.value, [following.connectionId, following]]);
  }

  async function load(): Promise<void> {
    const list = await reader.read();
    byConnection.value = new Map(list.map((following) => [following.connectionId, following]));
  }

  /** Rejects with the core's error. On begins a turn at once, also after a refusal. */
  async function follow(connectionId: string, followed: boolean): Promise<void> {
    put(await backend.call('following/switch', { connectionId, followed }));
  }

  return { active, isActive, load, follow } as const;
});
