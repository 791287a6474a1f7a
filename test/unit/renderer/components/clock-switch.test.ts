import { mount } from '@vue/test-utils';
import { expect, it, vi } from 'vitest';
import { ref } from 'vue';
import ScreenFrame from '../../../../src-renderer/components/ScreenFrame.vue';
import { type ShellClock, shellKey } from '../../../../src-renderer/composables/surroundings.ts';
import { createMessages } from '../../../../src-renderer/messages/index.ts';

const clock = ref<ShellClock | null>({
  choice: 'service',
  zones: { service: 'Europe/Berlin', local: '-03:30', utc: 'UTC' },
  nowMs: Date.UTC(2026, 10, 20),
});
const chooseClock = vi.fn();
const shell = {
  theme: ref('system'),
  isMac: ref(false),
  clock,
  chooseClock,
  cycleTheme: () => undefined,
  unknownConnection: ref(false),
  keepConnection: () => undefined,
  nameScreen: () => undefined,
  openPalette: () => undefined,
};

const show = (hasTimes: boolean) =>
  mount(ScreenFrame, {
    props: { title: 'Detail', hasTimes },
    global: { plugins: [createMessages()], provide: { [shellKey as symbol]: shell } },
  });

it('is in the header of a screen with times, says what each clock is, and switches', async () => {
  const screen = show(true);
  const choices = screen.get('[role=radiogroup][aria-label="Times"]').findAll('[role=radio]');
  expect(choices.map((choice) => [choice.text(), choice.attributes('title')])).toEqual([
    ['Service', 'Service time, Europe/Berlin (UTC+01:00). The zone is set with the connection.'],
    ['Local', "Local time, UTC−03:30. The zone is this computer's."],
    ['UTC', 'Coordinated Universal Time'],
  ]);
  expect(choices.map((choice) => choice.attributes('aria-checked'))).toEqual(['true', 'false', 'false']);
  await choices[2]?.trigger('click');
  expect(chooseClock.mock.calls).toEqual([['utc']]);
});

it('is not there without times, or without a connection', () => {
  expect(show(false).find('[role=radiogroup]').exists()).toBe(false);
  clock.value = null;
  expect(show(true).find('[role=radiogroup]').exists()).toBe(false);
});
