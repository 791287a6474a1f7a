import { StateEffect, StateField, type Extension } from '@codemirror/state';
import { Decoration, EditorView, type DecorationSet } from '@codemirror/view';

const setFault = StateEffect.define<number | null>();
const mark = Decoration.mark({ class: 'cm-sql-fault' });

const field = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setFault)) return toMarks(effect.value, transaction.state.doc.toString());
    }
    // What was wrong may not be after an edit.
    return transaction.docChanged ? Decoration.none : marks;
  },
  provide: (own) => EditorView.decorations.from(own),
});

/** Underlines a place of the statement until it is edited. */
export const FAULT_MARK: Extension = field;

/** Returns the effect that marks a place, or (null) none. */
export function markFault(offset: number | null): StateEffect<number | null> {
  return setFault.of(offset);
}

function toMarks(offset: number | null, text: string): DecorationSet {
  if (offset === null || text === '') return Decoration.none;
  // At the end of the text the last character stands for what is missing.
  const start = Math.max(0, Math.min(offset, text.length - 1));
  const word = /^\w+/.exec(text.slice(start))?.[0].length ?? 1;
  return Decoration.set([mark.range(start, Math.min(start + word, text.length))]);
}
