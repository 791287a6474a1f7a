import { COMMANDS } from '../shell/palette/palette-entries.ts';
import { MAX_VIEW_KEYS, VIEWS } from '../shell/views.ts';

/** A key of the application, as the list of keys shows it. */
interface KeyLine {
  /** Message key below `shortcuts.does`. */
  readonly does: string;
  /** Keys pressed together; several ways where there are. `Mod` is Ctrl, or Cmd on macOS. */
  readonly ways: readonly (readonly string[])[];
}

interface KeyGroup {
  /** Message key below `shortcuts.groups`. */
  readonly name: string;
  readonly lines: readonly KeyLine[];
}

const line = (does: string, ...ways: (readonly string[])[]): KeyLine => ({ does, ways });

/** Every key that the application gives a meaning of its own, by the place where it works. */
export const KEY_GROUPS: readonly KeyGroup[] = [
  {
    name: 'anywhere',
    lines: [
      line('views', ['Mod', `1…${Math.min(VIEWS.length, MAX_VIEW_KEYS)}`]),
      ...[...Map.groupBy(COMMANDS, ({ line: does }) => does)].flatMap(([does, commands]) =>
        does === undefined ? [] : [line(does, ...commands.flatMap(({ ways = [] }) => ways))],
      ),
    ],
  },
  {
    name: 'records',
    lines: [
      line('row', ['↑'], ['↓']),
      line('ends', ['Home'], ['End']),
      line('moreRows', ['Shift', '↑'], ['Shift', '↓']),
      line('cell', ['←'], ['→']),
      line('copyRows', ['Mod', 'C']),
      line('copyCell', ['Mod', 'Shift', 'C']),
      line('cellMenu', ['.'], ['Shift', 'F10'], ['Menu']),
      line('mark', ['M']),
      line('note', ['N']),
      line('compare', ['C']),
      line('inspector', ['Mod', 'I']),
      line('fields', ['Mod', 'J']),
    ],
  },
  {
    name: 'fields',
    lines: [
      line('fieldValue', ['↑'], ['↓']),
      line('fieldOnly', ['Enter']),
      line('fieldWay', ['→'], ['←']),
      line('foldField', ['←'], ['→']),
    ],
  },
  {
    name: 'headers',
    lines: [
      line('sort', ['Enter']),
      line('sortMore', ['Shift', 'Enter'], ['Shift', 'Click']),
      line('moveColumn', ['Shift', '←'], ['Shift', '→']),
      line('columnWidth', ['Alt', '←'], ['Alt', '→']),
    ],
  },
  {
    name: 'inspector',
    lines: [
      line('step', ['Alt', '↑'], ['Alt', '↓']),
      line('searchRecord', ['Mod', 'Shift', 'F']),
      line('match', ['Enter'], ['Shift', 'Enter']),
      line('fold', ['←'], ['→']),
    ],
  },
  {
    name: 'histogram',
    lines: [
      line('brush', ['←'], ['→']),
      line('brushWider', ['Shift', '←'], ['Shift', '→']),
      line('applyBrush', ['Enter']),
      line('clearBrush', ['Esc']),
    ],
  },
  {
    name: 'heatMap',
    lines: [
      line('moveCell', ['←'], ['→'], ['↑'], ['↓']),
      line('widerArea', ['Shift', '←'], ['Shift', '→'], ['Shift', '↑'], ['Shift', '↓']),
      line('offerArea', ['Enter']),
      line('clearArea', ['Esc']),
    ],
  },
  {
    name: 'sql',
    lines: [
      line('runStatement', ['Mod', 'Enter']),
      line('complete', ['Ctrl', 'Space']),
      line('copyCell', ['Mod', 'C']),
      line('wholeValue', ['Enter']),
    ],
  },
  {
    name: 'library',
    lines: [
      line('openSnapshot', ['Enter']),
      line('details', ['Alt', 'Enter']),
      line('moreRows', ['Shift', '↑'], ['Shift', '↓']),
      line('all', ['Mod', 'A']),
      line('remove', ['Delete']),
      line('undo', ['Mod', 'Z']),
      line('zoom', ['Enter'], ['Esc']),
    ],
  },
];
