import { expect, test } from 'vitest';
import { createListReader } from '../../../../src-renderer/backend/backend.ts';
import { useDatasetsStore } from '../../../../src-renderer/screens/library/datasets/use-datasets-store.ts';
import { useScheduleStore } from '../../../../src-renderer/stores/records/exports.ts';
import { HeldBackend } from '../support/held-backend.ts';
import { installStores } from '../support/scripted-backend.ts';

test('an event counts for each list that is being read, and for none that is read later', async () => {
  const answers: ((list: readonly { id: number; done: number }[]) => void)[] = [];
  const reader = createListReader(
    () => new Promise<readonly { id: number; done: number }[]>((resolve) => answers.push(resolve)),
    ({ id }) => id,
  );
  const first = reader.read();
  reader.note(1, { id: 1, done: 2 });
  const second = reader.read();
  reader.note(2, null);
  reader.note(3, { id: 3, done: 1 });
  reader.note(4, { id: 4, done: 1 });
  const old = [
    { id: 1, done: 1 },
    { id: 2, done: 1 },
  ];
  answers[1]?.(old);
  answers[0]?.(old);
  const toText = (list: readonly { id: number; done: number }[]) =>
    list.map(({ id, done }) => `${id}:${done}`);
  expect(toText(await first)).toEqual(['4:1', '3:1', '1:2']);
  expect(toText(await second)).toEqual(['4:1', '3:1', '1:1']);
  const third = reader.read();
  answers[2]?.(old);
  expect(toText(await third)).toEqual(['1:1', '2:1']);
});

test.each([
  ['schedules', 'schedules/list', useScheduleStore],
  ['datasets', 'datasets/list', useDatasetsStore],
] as const)(
  'of two lists of %s that are read at once the one asked for later stays',
  async (_of, name, use) => {
    const backend = new HeldBackend();
    installStores(backend);
    const store = use();
    const both = Promise.all([store.load(), store.load()]);
    const [first, second] = backend.of(name);
    const item = { connectionId: 'a', schedule: { name: 'Night', connectionId: 'a' } };
    await second!.answer(name === 'schedules/list' ? { schedules: [item] } : [item]);
    await first!.refuse('app.bug');
    await both;
    expect(store.error).toBeNull();
  },
);
