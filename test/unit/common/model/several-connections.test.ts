import { expect, it } from 'vitest';
import { compareConnections } from '../../../../src-main/common/model/connections/connection.ts';

const make = (id: string, change: object = {}) => ({
  id,
  name: id,
  kind: 'remote' as const,
  baseAddress: 'https://reports.example',
  tenant: Number(id),
  serviceZone: 'UTC',
  ...change,
});

it('says in what connections differ, and which read the same', () => {
  const alike = [make('1'), make('2')];
  expect(compareConnections(alike)).toEqual({ zonesDiffer: false, rulesDiffer: false, sameTenant: [] });
  const rules = [{ codes: [500], outcome: 'failed' as const }];
  const others = [
    ...alike,
    make('3', { serviceZone: 'Europe/Madrid', outcomes: { inbound: rules } }),
    make('4', { tenant: 1, baseAddress: 'https://REPORTS.example' }),
    // Imported records are of no service.
    make('5', { tenant: 2, kind: 'imported' }),
  ];
  const found = compareConnections(others);
  expect(found).toMatchObject({ zonesDiffer: true, rulesDiffer: true });
  expect(found.sameTenant.map((own) => own.map(({ id }) => id))).toEqual([['1', '4']]);
});

it('takes rules that say the same as the ones that count without any for the same', () => {
  const own = { inbound: [], outbound: [] };
  expect(compareConnections([make('1', { outcomes: own }), make('2')]).rulesDiffer).toBe(true);
  expect(compareConnections([make('1', { outcomes: {} }), make('2')]).rulesDiffer).toBe(false);
});
