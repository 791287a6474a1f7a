import { expect, test } from 'vitest';
import type { TestStep } from '../../../../src-main/common/model/cache/task.ts';
import {
  testConnection,
  type ConnectionTest,
} from '../../../../src-main/core/connections/test-connection.ts';

async function runTest(documents: readonly object[]): Promise<readonly TestStep[]> {
  let steps: readonly TestStep[] = [];
  const envelope = { isValid: true, totalDocument: documents.length, lastDocument: '', documents };
  const bytes = new TextEncoder().encode(JSON.stringify(envelope)).buffer;
  const client = {
    createToken: () => Promise.resolve(),
    fetchStatus: () => Promise.resolve({ reading: { platform: 'up', connector: 'up' }, roundTripMs: 1 }),
    fetchPage: () => Promise.resolve({ bytes, status: 200 }),
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
