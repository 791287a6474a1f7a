import { flushPromises, mount } from '@vue/test-utils';
import { expect, it } from 'vitest';
import type { Input } from '../../../../src-main/common/contract/index.ts';
import SeveralOverview from '../../../../src-renderer/screens/overview/SeveralOverview.vue';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const toFigures = (count: number, failures: number) => ({
  count,
  failures,
  unknown: 0,
  failedSessions: 1,
  failedClients: 1,
  medianMs: 100,
  p95Ms: 400,
  sameErrors: null,
});

it('has a row for each connection, adds up counts alone, and takes nothing uncached for zero', async () => {
  const asked: Input<'several/read-figures'>[] = [];
  const backend = new ScriptedBackend({
    'connections/list': () => [
      makeConnection({ id: 'one', name: 'Bank', tenant: 1 }),
      makeConnection({ id: 'two', name: 'Shop', tenant: 2 }),
      makeConnection({ id: 'three', name: 'Airline', tenant: 3 }),
    ],
    'several/read-figures': (input) => {
      asked.push(input);
      const isInbound = input.report === 'inbound-detail';
      return [
        { connectionId: 'one', missingMs: 0, figures: toFigures(1000, 50) },
        { connectionId: 'two', missingMs: 3_600_000, figures: isInbound ? toFigures(3000, 30) : null },
        { connectionId: 'three', missingMs: 7_200_000, figures: null },
      ];
    },
  });
  const { global, router } = await provideApplication(backend, '/overview?connections=all');
  await useConnectionsStore().load();
  useConnectionsStore().show('one');
  const screen = mount(SeveralOverview, { global, props: { span: { fromMs: 0, toMs: 7_200_000 } } });
  await flushPromises();
  expect(asked.map(({ report }) => report)).toEqual(['inbound-detail', 'outbound-detail']);
  expect(asked[0]).toMatchObject({ connectionIds: ['one', 'two', 'three'], fromMs: 0, toMs: 7_200_000 });
  const cellsOf = (row: number): string[] =>
    screen
      .findAll('tbody tr')
      [row]!.findAll('td')
      .map((cell) => cell.text());
  expect(cellsOf(0)).toEqual(['Bank', '1,000', '50', '5.0%', '400 ms', '1,000', '50', '5.0%', '400 ms', '–']);
  expect(cellsOf(1).slice(5)).toEqual(['Not cached', '–', '–', '–', '1 h']);
  const none = ['Not cached', '–', '–', '–'];
  expect(cellsOf(2).slice(1, 9)).toEqual([...none, ...none]);
  const groups = screen.findAll('thead tr')[0]!.text();
  expect(groups).toContain('Inbound');
  expect(groups).toContain('Outbound');
  const total = screen.findAll('tfoot td').map((cell) => cell.text());
  expect(total).toEqual(['In all', '4,000', '80', '2.0%', '–', '1,000', '50', '5.0%', '–', '']);
  const text = screen.text();
  expect(text).toContain('Nothing of the period is cached: Airline.');
  expect(text).toContain('Not fully cached: Shop (1 h missing).');
  // Each leads to the overview of its own connection alone.
  const { path, query } = router.resolve(screen.findAll('tbody a')[1]?.attributes('href')?.slice(1) ?? '');
  expect([path, query['connection'], query['connections']]).toEqual(['/overview', 'two', undefined]);
});
