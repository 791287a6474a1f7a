import { expect, it } from 'vitest';
import { createEvents } from '../../../src-main/core/host.ts';

const removed = (snapshotId: number) => ({ snapshotIds: [snapshotId] });

it('notifies of one kind of event, or of every kind, until the listener stops', () => {
  const { emit, on, onAny, close } = createEvents();
  const ids: number[][] = [];
  const names: string[] = [];
  const stop = on('snapshots/removed', ({ snapshotIds }) => ids.push(snapshotIds));
  onAny((...[name]) => void names.push(name));
  emit('snapshots/removed', removed(1));
  emit('snapshots/purged', { snapshotIds: [2], freedBytes: 0 });
  stop();
  emit('snapshots/removed', removed(3));
  close();
  emit('snapshots/removed', removed(4));
  expect(ids).toEqual([[1]]);
  expect(names).toEqual(['snapshots/removed', 'snapshots/purged', 'snapshots/removed']);
});
