import { expect, test } from 'vitest';
import { toFirstChoices } from '../../../../src-main/common/model/exports/export-options.ts';
import { AppError } from '../../../../src-main/common/contract/errors.ts';
import { useExportMemoryStore } from '../../../../src-renderer/components/dialogs/export/export-choices.ts';
import { installStores, ScriptedBackend } from '../support/scripted-backend.ts';

test('presets that could not be read before an export are there after it', async () => {
  const preset = { id: 'p1', name: 'Night', choices: toFirstChoices('csv') };
  let isBroken = true;
  const backend = new ScriptedBackend({
    'exports/keep-choices': () => null,
    'exports/read-choices': () => {
      if (isBroken) throw new AppError('app.bug', 'It failed.');
      return { choices: [toFirstChoices('xlsx')], presets: [preset] };
    },
  });
  installStores(backend);
  const store = useExportMemoryStore();
  await expect(store.load()).rejects.toThrow();
  await store.keep(toFirstChoices('xlsx'));
  isBroken = false;
  await store.load();
  expect(store.memory?.presets.map(({ name }) => name)).toEqual(['Night']);
  await store.keep(toFirstChoices('csv'));
  expect(store.memory?.choices.map(({ format }) => format)).toEqual(['csv', 'xlsx']);
});
