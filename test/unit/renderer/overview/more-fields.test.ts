import { mount } from '@vue/test-utils';
import { expect, test } from 'vitest';
import type { StatusSample } from '../../../../src-main/common/model/connections/status.ts';
import { createMessages } from '../../../../src-renderer/messages/index.ts';
import MoreFields from '../../../../src-renderer/screens/overview/sessions/MoreFields.vue';
import { makeSample } from '../support/samples.ts';

const traffic = [{ Division: 1, Channel: 2, Service: 3, Sessions: 4 }];

function readRows(change: Partial<StatusSample>): string[][] {
  const view = mount(MoreFields, {
    props: { sample: makeSample(change) },
    global: { plugins: [createMessages()] },
  });
  return view.findAll('dt').map((name, at) => [name.text(), view.findAll('dd')[at]!.text()]);
}

test('what a status says beside its fields stands there as received, text as text', () => {
  const fields = { Division: '9', 'Connector.Reason': '"<b>restart</b>"', Big: '12345678901234567890' };
  expect(readRows({ extra: { fields, leftOut: 0 } })).toEqual([
    ['Division', '9'],
    ['Connector.Reason', '<b>restart</b>'],
    ['Big', '12345678901234567890'],
  ]);
});

test('the text of the traffic stands beside its groups, and nothing is there where nothing was said', () => {
  const text = '[{"Agents":3}]';
  expect(readRows({ traffic, trafficText: text })).toEqual([['TrafficInformation', text]]);
  expect(readRows({ traffic: [], trafficText: text })).toEqual([]);
  expect(readRows({ traffic, trafficText: '' })).toEqual([]);
});

test('what was too long to keep is said', () => {
  const sample = makeSample({
    traffic,
    trafficText: 'x'.repeat(10_000),
    extra: { fields: { A: '1' }, leftOut: 2 },
  });
  const view = mount(MoreFields, { props: { sample }, global: { plugins: [createMessages()] } });
  expect(view.text()).toContain('The traffic information was cut after 10,000 characters.');
  expect(view.text()).toContain('2 more fields were too long to keep.');
});
