import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView, Decoration, type DecorationSet } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { StateEffect, StateField, type Extension } from '@codemirror/state';

const highlights = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: 'var(--cs-accent)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--cs-2xx-ink)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--cs-3xx-ink)' },
  { tag: tags.comment, color: 'var(--cs-text-3)' },
  { tag: tags.typeName, color: 'var(--cs-text-2)' },
]);

const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--cs-text-1)', backgroundColor: 'var(--cs-surface)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: 'var(--cs-mono)',
    fontSize: '13px',
    lineHeight: '20px',
    fontVariantLigatures: 'none',
  },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--cs-text-1)' },
  '.cm-cursor': { borderLeftColor: 'var(--cs-text-1)', borderLeftWidth: '2px' },
  '.cm-gutters': { color: 'var(--cs-text-3)', backgroundColor: 'var(--cs-surface)', border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '32px', paddingRight: '10px' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--cs-hover)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'var(--cs-selected)',
  },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--cs-selected)',
    outline: '1px solid var(--cs-border-strong)',
  },
  '.cm-placeholder': { color: 'var(--cs-text-3)' },
  '.cm-sql-fault': { textDecoration: 'underline wavy var(--cs-5xx)', textUnderlineOffset: '4px' },
  '.cm-tooltip': {
    overflow: 'hidden',
    border: '1px solid var(--cs-border)',
    borderRadius: '8px',
    backgroundColor: 'var(--cs-surface)',
    boxShadow: 'var(--cs-shadow-2)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    padding: '4px',
    // Eight rows and what stands above them.
    maxHeight: '228px',
    fontFamily: 'var(--cs-mono)',
    fontSize: '12px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    display: 'flex',
    alignItems: 'center',
    height: '24px',
    padding: '0 8px',
    borderRadius: '6px',
    color: 'var(--cs-text-1)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--cs-selected)',
    color: 'var(--cs-text-1)',
  },
  '.cm-completionDetail': {
    marginLeft: 'auto',
    paddingLeft: '16px',
    color: 'var(--cs-text-3)',
    fontStyle: 'normal',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > completion-section': {
    display: 'block',
    padding: '2px 8px 4px',
    border: 'none',
    color: 'var(--cs-text-3)',
    fontFamily: 'var(--cs-font)',
    fontSize: '11px',
    opacity: '1',
  },
  '.cm-completionLabel': {
    overflow: 'hidden',
    maxWidth: '44ch',
    textOverflow: 'ellipsis',
  },
  '.cm-value-count': {
    display: 'flex',
    flex: 'none',
    alignItems: 'center',
    gap: '8px',
    marginLeft: 'auto',
    paddingLeft: '16px',
    color: 'var(--cs-text-2)',
    fontVariantNumeric: 'tabular-nums',
  },
  // Counts of any usual length leave the bars below each other.
  '.cm-value-count > :last-child': { minWidth: '13ch', textAlign: 'right' },
  '.cm-value-track': {
    width: '72px',
    height: '4px',
    borderRadius: '2px',
    backgroundColor: 'var(--cs-track)',
  },
  '.cm-value-track > span': {
    display: 'block',
    height: '100%',
    borderRadius: '2px',
    backgroundColor: 'var(--cs-accent)',
  },
  '.cm-completionMatchedText': { color: 'var(--cs-accent)', textDecoration: 'none' },
});

/** The look of the editor, from the tokens; it follows the theme by itself. */
export const EDITOR_LOOK = [theme, syntaxHighlighting(highlights)];

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
