import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { calls, FakeEvent, windows } from '../support/electron/fake-electron.ts';
import { makeDesktopFolder, removeDesktopFolder } from '../support/electron/desktop-folder.ts';
import { startStubDesktop } from '../support/electron/start-stub-desktop.ts';
import { createStubCore } from '../support/fakes/stub-core.ts';

const EDIT_FLAGS = {
  canUndo: false,
  canRedo: false,
  canCut: true,
  canCopy: true,
  canPaste: true,
  canSelectAll: true,
};

let folder: string;
beforeEach(async () => {
  folder = await makeDesktopFolder();
  await startStubDesktop({
    folder,
    creation: Promise.resolve(createStubCore()),
    errors: new EventEmitter(),
  });
});
afterEach(() => removeDesktopFolder(folder));

/** Clicks with the right button where the page has no menu of its own; returns the items of the system's menu. */
function rightClick(what: { isEditable: boolean; selectionText: string }): Record<string, unknown>[] | null {
  windows[0]!.webContents.emit('context-menu', new FakeEvent(), { ...what, editFlags: EDIT_FLAGS });
  const shown = calls.find(({ name }) => name === 'Menu.popup');
  return (shown?.args[0] as Record<string, unknown>[] | undefined) ?? null;
}

describe('a right click', () => {
  it('in a field offers what can be done to its text, and nothing about its spelling', () => {
    const items = rightClick({ isEditable: true, selectionText: '' }) ?? [];
    expect(items.map(({ role }) => role).filter((role) => role !== undefined)).toEqual([
      'undo',
      'redo',
      'cut',
      'copy',
      'paste',
      'selectAll',
    ]);
    expect(items.find(({ role }) => role === 'paste')).toMatchObject({ label: 'Paste', enabled: true });
    expect(items.find(({ role }) => role === 'undo')).toMatchObject({ enabled: false });
  });

  it('on selected text offers to copy it, and elsewhere nothing', () => {
    expect(rightClick({ isEditable: false, selectionText: ' ' })).toBeNull();
    expect(rightClick({ isEditable: false, selectionText: 'abc' })?.map(({ role }) => role)).toEqual([
      'copy',
    ]);
  });
});
