import { expect, test } from 'vitest';
import { createMessages } from '../../../../src-renderer/messages/index.ts';
import { KEY_GROUPS } from '../../../../src-renderer/keys/key-list.ts';
import { toShellCommand } from '../../../../src-renderer/shell/palette/palette-entries.ts';

const { t, te } = createMessages().global;

test('every key of the list has words', () => {
  for (const { name, lines } of KEY_GROUPS) {
    expect(te(`shortcuts.groups.${name}`), name).toBe(true);
    for (const { does } of lines) expect(t(`shortcuts.does.${does}`), does).not.toContain('shortcuts.');
  }
});

test('every key that is said to work anywhere does something', () => {
  const anywhere = KEY_GROUPS.find(({ name }) => name === 'anywhere')?.lines ?? [];
  for (const { does, ways } of anywhere) {
    for (const keys of ways) {
      const event = {
        // One key stands for several: 1…8.
        key: keys.at(-1)?.split('…')[0] ?? '',
        ctrlKey: keys.includes('Mod'),
        shiftKey: keys.includes('Shift'),
        altKey: keys.includes('Alt'),
        metaKey: false,
      };
      expect(toShellCommand(event, false, false), does).not.toBeNull();
    }
  }
});
