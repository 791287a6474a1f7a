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
