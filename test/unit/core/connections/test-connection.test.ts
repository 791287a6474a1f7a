import { expect, test } from 'vitest';
import type { TestStep } from '../../../../src-main/common/model/cache/task.ts';
import {
  type ConnectionTest,
  testConnection,
} from '../../../../src-main/core/connections/connections-handlers.ts';

async function runTest(
  documents: readonly object[],
  pageLength = documents.length,
): Promise<readonly TestStep[]> {
  let steps: readonly TestStep[] = [];
  const toBytes = (from: number) => {
    const until = from + pageLength;
    const lastDocument = until < documents.length ? String(until) : '';
    const page = { lastDocument, documents: documents.slice(from, until) };
    const envelope = { isValid: true, totalDocument: documents.length, ...page };
    return new TextEncoder().encode(JSON.stringify(envelope)).buffer;
  };
  const client = {
    createToken: () => Promise.resolve(),
    fetchStatus: () => Promise.resolve({ reading: { platform: 'up', connector: 'up' }, roundTripMs: 1 }),
    fetchPage: ({ lastDocument }: { lastDocument: string }) =>
      Promise.resolve({ bytes: toBytes(Number(lastDocument)), status: 200 }),
  };
  await testConnection(
    {
      draft: { serviceZone: 'UTC' },
      client,
      now: () => Date.UTC(2026, 10, 20),
      reach: () => Promise.resolve(404),
    } as unknown as ConnectionTest,
    {
      id: 'test',
      signal: new AbortController().signal,
      begin: () => undefined,
      progress: () => undefined,
      update: (change) => {
        steps = change.steps ?? steps;
      },
    },
  );
  return steps;
}

test('a test that found no records says that the fields were not checked', async () => {
  const steps = await runTest([]);
  const reports = steps.slice(3).map(({ state, detail }) => [state, detail]);
  expect(reports).toEqual(Array.from({ length: 4 }, () => ['warned', 'no-records']));
  expect(steps.slice(0, 3).map(({ state }) => state)).toEqual(['passed', 'passed', 'passed']);
});

test('a shared identifier answers both summaries, and neither is counted twice', async () => {
  // With a name in it, details are answered too.
  const group = { Id: 'a', Client: 'b', ReponseCode: 200, Channel: 1, Count: '3', AvegareReponseTime: 5 };
  const inbound = { ...group, Origin: 'web', AvegareBotLatency: 7 };
  const steps = await runTest([inbound, inbound, group]);
  const totals = steps
    .filter(({ name }) => name.endsWith('summary'))
    .map(({ name, values }) => [name, values['total']]);
  expect(totals).toEqual([
    ['inbound-summary', 2],
    ['outbound-summary', 1],
  ]);
});

test('outbound groups that come pages after the inbound ones are found', async () => {
  const group = { Id: 'a', Client: 'b', ReponseCode: 200, Channel: 1, Count: '3', AvegareReponseTime: 5 };
  const inbound = { ...group, Origin: 'web', AvegareBotLatency: 7 };
  const readLast = async (documents: readonly object[]) => {
    const last = (await runTest(documents, 2)).at(-1);
    return [last?.state, last?.detail, last?.values['total']];
  };
  expect(await readLast([inbound, inbound, inbound, inbound, group])).toEqual(['passed', 'groups', 1]);
  expect(await readLast([inbound, inbound, inbound])).toEqual(['warned', 'inbound-columns', undefined]);
});
