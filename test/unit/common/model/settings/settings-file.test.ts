import { expect, test } from 'vitest';
import {
  readSettingsFile,
  toSettingsChange,
  writeSettingsFile,
  type SettingsImport,
} from '../../../../../src-main/common/model/settings/settings-file.ts';
import type { Settings } from '../../../../../src-main/common/model/settings/settings.ts';
import { makeSettings } from '../../../renderer/support/samples.ts';

function read(text: string, settings: Settings = makeSettings()): SettingsImport {
  const found = readSettingsFile(text, settings);
  if (typeof found === 'string') throw new Error(found);
  return found;
}
const toFile = (settings: object): string =>
  JSON.stringify({ kind: 'channelscope-settings', version: 1, settings });

test('a file takes the settings of the screen along, and nothing else', () => {
  const text = writeSettingsFile(
    makeSettings({
      theme: 'dark',
      lastConnectionId: 'connection-1',
      clocks: { 'connection-1': 'utc' },
      savedViews: [{ name: 'A client', direction: 'inbound', query: 'client:"A person"' }],
      savedStatements: [{ name: 'Mine', text: 'select 1' }],
      certificateAuthorities: ['-----BEGIN CERTIFICATE-----'],
    }),
  );
  expect(text).toContain('"theme": "dark"');
  for (const word of ['connection-1', 'A person', 'select 1', 'CERTIFICATE'])
    expect(text).not.toContain(word);
  expect(read(text).changes).toEqual([{ name: 'theme', from: 'system', to: 'dark' }]);
});

test('reading says what would change, what is the same, and what is left out', () => {
  const found = read(
    toFile({
      theme: 'dark',
      density: 'standard',
      engineMemoryMb: 1,
      unheardOf: true,
      lastConnectionId: 'other',
      certificateAuthorities: ['x'],
    }),
  );
  expect(found).toEqual({
    changes: [{ name: 'theme', from: 'system', to: 'dark' }],
    sameCount: 1,
    leftOut: [
      { name: 'engineMemoryMb', fault: { code: 'too-small', limit: 128 } },
      { name: 'unheardOf', fault: null },
      { name: 'lastConnectionId', fault: null },
      { name: 'certificateAuthorities', fault: null },
    ],
  });
  expect(toSettingsChange(found)).toEqual({ theme: 'dark' });
});

test.each([
  ['', 'no-settings'],
  ['{"theme":"dark"}', 'no-settings'],
  ['[]', 'no-settings'],
  ['{"kind":"channelscope-settings","version":2,"settings":{}}', 'newer'],
])('what is no file of settings is refused: %s', (text, fault) => {
  expect(readSettingsFile(text, makeSettings())).toBe(fault);
});
