import { flushPromises, mount } from '@vue/test-utils';
import { expect, it } from 'vitest';
import type { Input } from '../../../../src-main/common/contract/index.ts';
import SharedFamilies from '../../../../src-renderer/screens/detail/errors/SharedFamilies.vue';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const AT_MS = Date.UTC(2026, 10, 27, 9, 12);
const toPart = (connectionId: string, count: number) => ({
  connectionId,
  count,
  sessionCount: 2,
  clientCount: 1,
  firstMs: AT_MS,
  lastMs: AT_MS,
});

it('shows each family with its connections, sums what adds up, and names what is missing', async () => {
  const asked: Input<'several/find-error-families'>[] = [];
  const backend = new ScriptedBackend({
    'connections/list': () => [
      makeConnection({ id: 'one', name: 'Bank', tenant: 1 }),
      makeConnection({ id: 'two', name: 'Shop', tenant: 1 }),
      makeConnection({ id: 'three', name: 'Airline', tenant: 3 }),
    ],
    'several/find-error-families': (input) => {
      asked.push(input);
      return {
        families: [
          {
            pattern: 'Queue <number> is full',
            responseCode: 500,
            count: 40,
            parts: [toPart('two', 30), toPart('one', 10)],
          },
          { pattern: 'Timed out', responseCode: null, count: 5, parts: [toPart('one', 5)] },
        ],
        familyCount: 2,
        connections: [
          { connectionId: 'one', missingMs: 0, counts: { recordCount: 100, errorCount: 15 } },
          { connectionId: 'two', missingMs: 3_600_000, counts: { recordCount: 60, errorCount: 30 } },
          { connectionId: 'three', missingMs: 7_200_000, counts: null },
        ],
      };
    },
  });
  const { global, router } = await provideApplication(backend, '/inbound/detail?tab=errors&connections=all');
  await useConnectionsStore().load();
  useConnectionsStore().show('one');
  const screen = mount(SharedFamilies, {
    global,
    props: {
      scope: { connectionId: 'one', report: 'inbound-detail', fromMs: 0, toMs: 7_200_000 },
      filter: { conditions: [{ field: 'channel', values: [3] }] },
    },
  });
  await flushPromises();
  expect(asked[0]).toMatchObject({ connectionIds: ['one', 'two', 'three'], report: 'inbound-detail' });
  const text = screen.text().replace(/\s+/gu, ' ');
  expect(text).toContain('2 families of errors, 45 errors in 2 of 3 connections');
  expect(text).toContain('Nothing of the period is cached: Airline.');
  expect(text).toContain('Not fully cached: Shop (1 h missing).');
  expect(text).toContain('Bank, Shop read the same tenant');
  const rows = screen.findAll('tbody tr').map((row) => row.text().replace(/\s+/gu, ' '));
  expect(rows).toHaveLength(3);
  expect(rows[0]).toContain('40in 2 of 2');
  expect(rows[0]).toMatch(/Shop.*30.*50/u);
  expect(rows[1]).toMatch(/^ ?Bank.*10.*10/u);
  // Each row leads to the records in its own connection, by the same filter.
  const { query } = router.resolve(screen.findAll('tbody a')[0]?.attributes('href')?.slice(1) ?? '');
  expect(query['connection']).toBe('two');
  expect(JSON.stringify(query)).toContain('Queue');
  expect(JSON.stringify(query)).toContain('channel');
});
