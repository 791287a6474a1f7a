import { afterEach, expect, it } from 'vitest';
import type { ExportMemory } from '../../../../src-main/common/contract/operations/files.ts';
import { toFirstChoices } from '../../../../src-main/common/model/exports/export-options.ts';
import type { ScheduleBoard } from '../../../../src-main/common/model/schedules/schedule.ts';
import { useExportMemoryStore } from '../../../../src-renderer/components/dialogs/export/export-choices.ts';
import { setFormats } from '../../../../src-renderer/format/formats.ts';
import { useScheduleStore } from '../../../../src-renderer/stores/records/exports.ts';
import { installStores, ScriptedBackend } from '../support/scripted-backend.ts';

// As the core gives them, which sorts as English does.
const NAMES = ['Ñu', 'Nube', 'Tag 10', 'Tag 2', 'Zoo'];
/** Spanish has a letter of its own after n; in English it is an n with a mark. */
const SPANISH = ['Nube', 'Ñu', 'Tag 2', 'Tag 10', 'Zoo'];
const ENGLISH = ['Ñu', 'Nube', 'Tag 2', 'Tag 10', 'Zoo'];

afterEach(() => setFormats('en-GB'));

it('schedules and presets stand in the order of the window’s language, also once it changes', async () => {
  const presets = NAMES.map((name) => ({ id: name, name, choices: toFirstChoices('csv') }));
  const memory: ExportMemory = { choices: [], presets };
  const schedules = NAMES.map((name) => ({ schedule: { id: name, name, connectionId: 'c' } }));
  const backend = new ScriptedBackend({
    'exports/read-choices': () => memory,
    'schedules/list': () => ({ schedules }) as unknown as ScheduleBoard,
  });
  installStores(backend);
  const scheduleStore = useScheduleStore();
  const presetStore = useExportMemoryStore();
  await Promise.all([scheduleStore.load(), presetStore.load()]);
  const listNames = (): string[][] => [
    scheduleStore.sorted.map(({ schedule }) => schedule.name),
    (presetStore.memory?.presets ?? []).map(({ name }) => name),
  ];
  expect(listNames()).toEqual([ENGLISH, ENGLISH]);
  setFormats('es');
  expect(listNames()).toEqual([SPANISH, SPANISH]);
  backend.emit('exports/presets-changed', presets.toReversed());
  expect(listNames()[1]).toEqual(SPANISH);
});
