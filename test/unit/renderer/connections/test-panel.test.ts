import { mount } from '@vue/test-utils';
import { expect, test } from 'vitest';
import { createMessages, loadMessages } from '../../../../src-renderer/messages/index.ts';
import TestPanel from '../../../../src-renderer/screens/connections/TestPanel.vue';
import { makeTask } from '../support/samples.ts';

test.each([
  ['en', 'Platform up, connector down'],
  ['es', 'Plataforma en servicio, conector sin servicio'],
  ['pt', 'Plataforma no ar, conector fora do ar'],
] as const)('what the service reports is said in the words of the window: %s', async (language, expected) => {
  const messages = createMessages();
  await loadMessages(messages, language);
  messages.global.locale.value = language;
  const task = makeTask({
    kind: 'connection-test',
    steps: [
      {
        name: 'status',
        state: 'passed',
        durationMs: 6,
        detail: 'states',
        values: { platform: 'up', connector: 'down' },
        error: null,
      },
    ],
  });
  const panel = mount(TestPanel, { props: { task }, global: { plugins: [messages] } });
  expect(panel.text().replace(/[\u2066-\u2069]/g, '')).toContain(expected);
});

test('what a test that ended has not come to was not tried; it waits only while the test goes on', () => {
  const step = { durationMs: null, detail: '', values: {}, error: null };
  const steps = [
    { ...step, name: 'token' as const, state: 'failed' as const },
    { ...step, name: 'status' as const, state: 'waiting' as const },
  ];
  const show = (endedAtMs: number | null): string[] => {
    const state = endedAtMs === null ? 'running' : 'failed';
    const task = makeTask({ kind: 'connection-test', steps, state, endedAtMs });
    const panel = mount(TestPanel, { props: { task }, global: { plugins: [createMessages()] } });
    return panel.findAll('.step .sr-only').map((words) => words.text());
  };
  expect(show(null)).toEqual([', failed', ', waiting']);
  expect(show(7)).toEqual([', failed', ', not tried']);
});
