import { afterEach, expect, test, vi } from 'vitest';
import { pressControl, toShellCommand } from '../../../../src-renderer/shell/palette/palette-entries.ts';
import { VIEWS } from '../../../../src-renderer/shell/views.ts';

const key = (name: string, change: Partial<KeyboardEvent> = {}) => ({
  key: name,
  ctrlKey: true,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  ...change,
});

afterEach(() => document.body.replaceChildren());

test('Ctrl is the modifier on Windows and Linux, Cmd on macOS', () => {
  expect(toShellCommand(key('k'), false, false)).toEqual({ kind: 'palette' });
  expect(toShellCommand(key('k'), true, false)).toBeNull();
  expect(toShellCommand(key('k', { ctrlKey: false, metaKey: true }), true, false)).toEqual({
    kind: 'palette',
  });
});

test('digits open the views in the order of the sidebar, and no other digit does anything', () => {
  expect(toShellCommand(key('3'), false, false)).toEqual({ kind: 'go', path: VIEWS[2]?.path });
  expect(toShellCommand(key('9'), false, false)).toEqual({ kind: 'go', path: VIEWS[8]?.path });
  expect(toShellCommand(key('0'), false, false)).toBeNull();
});

test('a slash searches, but not while typing', () => {
  const slash = key('/', { ctrlKey: false });
  expect(toShellCommand(slash, false, false)).toEqual({ kind: 'control', control: 'search' });
  expect(toShellCommand(slash, false, true)).toBeNull();
});

test('brackets go back and forward, and indent in an editor', () => {
  expect(toShellCommand(key('['), false, false)).toEqual({ kind: 'history', by: -1 });
  expect(toShellCommand(key('['), false, true)).toBeNull();
  expect(toShellCommand(key(']'), false, true)).toBeNull();
});

test('keys with Alt belong to somebody else', () => {
  expect(toShellCommand(key('k', { altKey: true }), false, false)).toBeNull();
});

test('a key presses the control that the screen marks, or focuses its field', () => {
  const button = document.createElement('button');
  button.dataset['shortcut'] = 'export';
  const pressed = vi.fn();
  button.addEventListener('click', pressed);
  const field = document.createElement('div');
  field.dataset['shortcut'] = 'search';
  field.append(document.createElement('input'));
  document.body.append(button, field);
  expect(pressControl('export')).toBe(true);
  expect(pressed).toHaveBeenCalledOnce();
  expect(pressControl('search')).toBe(true);
  expect(document.activeElement).toBe(field.firstChild);
  expect(pressControl('period')).toBe(false);
});
