import { expect, it } from 'vitest';
import type { Engine } from '../../../../../src-main/core/analysis/engine/create-engine.ts';
import { prepareResult } from '../../../../../src-main/core/exports/prepare-records.ts';

it('a masked result of several connections hides the clients of each of them', async () => {
  const clients: Readonly<Record<string, string>> = { one: 'Anna Meier', two: 'Luis Prado' };
  const listClients: Engine['listClients'] = ({ scope }) =>
    Promise.resolve('connectionId' in scope ? [clients[scope.connectionId] ?? ''] : []);
  const { masked } = prepareResult(
    { engine: { listClients } as never, findTenant: () => 1 },
    {
      resultId: 'r',
      connectionId: 'one',
      otherConnectionIds: ['two'],
      columns: [{ name: 'note', type: 'VARCHAR', kind: 'text' }],
      rowCount: 1,
      hasMore: false,
      statement: 'SELECT 1',
      fromMs: 0,
      toMs: 1000,
      zone: 'UTC',
      format: 'csv',
      masking: { client: 'pseudonym', payload: 'received', errors: 'received' },
    },
    new Uint8Array(32),
  );
  const known = await masked?.masks.openKnown(new AbortController().signal);
  expect(known?.find('Luis Prado wrote to Anna Meier', '')).toHaveLength(2);
  expect(known?.find('Eva Klein wrote', '')).toHaveLength(0);
});
