import { mount } from '@vue/test-utils';
import { expect, test } from 'vitest';
import type { Summary } from '../../../../src-main/common/model/records/histogram.ts';
import { createMessages } from '../../../../src-renderer/messages/index.ts';
import ClassPanel from '../../../../src-renderer/screens/summary/charts/ClassPanel.vue';
import MeasurePanel from '../../../../src-renderer/screens/summary/charts/MeasurePanel.vue';
import { joinFigures } from '../../../../src-renderer/screens/summary/groups/group-figures.ts';
import SummaryBar from '../../../../src-renderer/screens/summary/SummaryBar.vue';
import { provideApplication } from '../support/provide-application.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';
import { surround } from '../support/surround.ts';

const makeGroup = (channel: number, count: number): Summary['groups'][number] => ({
  channel,
  service: 7,
  origin: 'web',
  responseCode: 200,
  count,
  sessionId: '',
  averageResponseTimeMs: 1,
  averageBotLatencyMs: 1,
});

test('the totals beside a filter were those of all groups: they are of what it leaves', async () => {
  const { global } = await provideApplication(new ScriptedBackend({}));
  const groups = [makeGroup(1, 300), makeGroup(3, 40), makeGroup(3, 2)];
  const bar = mount(SummaryBar, {
    props: {
      source: 'computed' as const,
      reportName: '',
      filter: { conditions: [] },
      summary: { source: 'computed', snapshotId: 0, requestCount: 342, groups },
    },
    global,
  });
  expect(bar.get('.totals').text()).toBe('3 groups · 342 requests');
  await bar.setProps({ filter: { conditions: [{ field: 'channel', values: [3] }] } });
  expect(bar.get('.totals').text()).toBe('2 groups · 42 requests');
  bar.unmount();
});

test('a chart of nothing was axes without bars: it says that no groups match', () => {
  const common = { isComputed: true, about: [], rows: 0 };
  const global = { plugins: [createMessages()] };
  const classes = mount(ClassPanel, { props: { ...common, channels: [] }, global });
  const measures = mount(MeasurePanel, {
    props: { ...common, groups: [], field: 'service', measure: 'response' },
    global: surround(global, {}),
  });
  for (const panel of [classes, measures]) {
    expect(panel.find('canvas').exists()).toBe(false);
    expect(panel.text()).toContain('No groups match.');
    panel.unmount();
  }
});

test('a legend names the classes of codes that some request has, and what is usual', () => {
  const toChannel = (classCounts: number[]) => ({
    ...joinFigures([]),
    values: { channel: 1 },
    count: 12,
    failures: 2,
    classCounts,
  });
  const global = { plugins: [createMessages()] };
  const mountWith = (classCounts: number[]) =>
    mount(ClassPanel, {
      props: {
        isComputed: true,
        about: [],
        rows: 0,
        channels: [toChannel(classCounts)],
      },
      global,
    });
  const plain = mountWith([10, 0, 1, 1, 0]);
  expect(plain.text()).toContain('Failed, 4xx');
  expect(plain.text()).not.toContain('OK, redirected');
  expect(plain.text()).not.toContain('Expected or unknown');
  plain.unmount();
  const redirected = mountWith([8, 2, 1, 1, 0]);
  expect(redirected.text()).toContain('OK, redirected');
  redirected.unmount();
});
