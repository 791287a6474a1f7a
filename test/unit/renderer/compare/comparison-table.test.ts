import { mount } from '@vue/test-utils';
import { expect, it } from 'vitest';
import ComparisonTable from '../../../../src-renderer/screens/compare/table/ComparisonTable.vue';
import { readChoice, toSide } from '../../../../src-renderer/screens/compare/compare-choice.ts';
import { provideApplication } from '../support/provide-application.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';
import { makeComparison } from './make-comparison.ts';

it('has open what contributes most once more records are there, until the person decides', async () => {
  const { global } = await provideApplication(new ScriptedBackend({}));
  const whole = makeComparison();
  const [seven, five] = whole.groups;
  const source = { connectionId: 'one', direction: 'inbound' as const, snapshot: null };
  const side = toSide({ ...source, ends: { fromMs: 0, toMs: 999_000 } }, null);
  const table = mount(ComparisonTable, {
    props: {
      comparison: { ...whole, groups: [five!, seven!] },
      before: side,
      after: side,
      choice: readChoice({}),
      names: { kind: 'periods', before: '', after: '' },
      text: '',
      cached: { before: 'whole', after: 'whole' },
    },
    global,
  });
  const open = (): string[] => table.findAll('[aria-expanded=true]').map((button) => button.text());
  expect(open()).toEqual(['Service 5']);
  await table.setProps({ comparison: whole });
  expect(open()).toEqual(['Service 7']);
  await table.findAll('[aria-expanded]')[1]!.trigger('click');
  await table.setProps({ comparison: makeComparison() });
  expect(open()).toEqual(['Service 7', 'Service 5']);
  table.unmount();
});
