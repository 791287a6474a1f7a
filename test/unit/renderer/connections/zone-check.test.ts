import { mount } from '@vue/test-utils';
import { expect, test } from 'vitest';
import type { ZoneFinding } from '../../../../src-main/common/model/connections/connection.ts';
import { createMessages } from '../../../../src-renderer/messages/index.ts';
import ZoneCheck from '../../../../src-renderer/screens/connections/ZoneCheck.vue';

function mountWith(finding: ZoneFinding | null) {
  return mount(ZoneCheck, { props: { finding, busy: false }, global: { plugins: [createMessages()] } });
}

const wrong: ZoneFinding = {
  verdict: 'wrong',
  zone: 'UTC',
  proposedZone: '+05:45',
  evidence: [
    {
      code: 'newest-record',
      values: { record: '2026-11-20 15:59:00', now: '2026-11-20 10:15:00', offset: 'UTC' },
    },
    { code: 'in-future', values: { minutes: 344 } },
  ],
};

test('shows what was found and its evidence, and hands the proposal over', async () => {
  const check = mountWith(wrong);
  expect(check.text()).toContain("UTC doesn't match the service's times.");
  expect(check.text()).toContain('2026-11-20 15:59:00');
  expect(check.text()).toContain('344 minutes in the future');
  await check.findAll('button')[1]!.trigger('click');
  expect(check.emitted('accept')).toEqual([['+05:45']]);
});

test('proposes nothing where nothing is wrong', async () => {
  const check = mountWith({
    ...wrong,
    verdict: 'fits',
    proposedZone: null,
    evidence: [{ code: 'just-now', values: { minutes: 1 } }],
  });
  expect(check.findAll('button')).toHaveLength(1);
  expect(check.text()).toContain('1 minute old');
  await check.find('button').trigger('click');
  expect(check.emitted('check')).toHaveLength(1);
});

test.each([
  'no-records',
  'newest-record',
  'own-clock',
  'explicit-dates',
  'in-future',
  'just-now',
  'stopped',
  'quiet',
])('the evidence %s has words', (code) => {
  expect(createMessages().global.te(`connections.zoneCheck.evidence.${code}`)).toBe(true);
});
