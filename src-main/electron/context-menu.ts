import { Menu, type BrowserWindow, type ContextMenuParams, type MenuItemConstructorOptions } from 'electron';
import type { Words } from '../common/words/words.ts';

type Clicked = Pick<ContextMenuParams, 'isEditable' | 'selectionText' | 'editFlags'>;

/** Returns what a right click offers: for a field what can be done to its text, elsewhere to copy what is selected. */
function buildContextMenu(
  { isEditable, selectionText, editFlags }: Clicked,
  { t }: Pick<Words, 't'>,
): MenuItemConstructorOptions[] {
  const copy: MenuItemConstructorOptions = {
    role: 'copy',
    label: t('desktop.menu.copy'),
    enabled: editFlags.canCopy,
  };
  if (!isEditable) return selectionText.trim() === '' ? [] : [copy];
  return [
    { role: 'undo', label: t('desktop.menu.undo'), enabled: editFlags.canUndo },
    { role: 'redo', label: t('desktop.menu.redo'), enabled: editFlags.canRedo },
    { type: 'separator' },
    { role: 'cut', label: t('desktop.menu.cut'), enabled: editFlags.canCut },
    copy,
    { role: 'paste', label: t('desktop.menu.paste'), enabled: editFlags.canPaste },
    { type: 'separator' },
    { role: 'selectAll', label: t('desktop.menu.selectAll'), enabled: editFlags.canSelectAll },
  ];
}

/** Shows the system's own menu at a right click, where the page has none of its own there. */
export function showContextMenus(window: BrowserWindow, readWords: () => Words): void {
  window.webContents.on('context-menu', (_event, clicked) => {
    const items = buildContextMenu(clicked, readWords());
    if (items.length > 0) Menu.buildFromTemplate(items).popup({ window });
  });
}
