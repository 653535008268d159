import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** Colors are the tokens of the page, which follow its theme. */
const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: '0.75rem' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'inherit', lineHeight: '1.25rem', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)', padding: '0.5rem 0' },
  '.cm-content:focus-visible': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--raised)', color: 'var(--muted)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--raised) 60%, transparent)' },
  '.cm-marked': { boxShadow: 'inset 3px 0 var(--primary)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 35%, transparent)',
  },
  '.cm-selectionMatch': { backgroundColor: 'color-mix(in srgb, var(--accent) 20%, transparent)' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--raised)',
    outline: '1px solid var(--edge)',
  },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--bad)',
    textDecorationSkipInk: 'none',
  },
  '.cm-tooltip': {
    color: 'var(--text)',
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--line)',
    borderRadius: '6px',
    boxShadow: '0 4px 16px rgb(13 6 35 / 0.25)',
    zIndex: '30',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'inherit', maxHeight: '14rem' },
  '.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { color: 'var(--text)', backgroundColor: 'var(--raised)' },
  '.cm-tooltip.cm-completionInfo': { maxWidth: 'min(20rem, 80vw)', padding: '4px 8px', fontSize: '0.75rem' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-diagnostic': { padding: '4px 8px', borderLeft: '3px solid var(--bad)', fontFamily: 'inherit' },
  '.cm-panels': { color: 'var(--text)', backgroundColor: 'var(--raised)', borderColor: 'var(--line)' },
  '.cm-textfield': {
    color: 'var(--text)',
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--edge)',
    borderRadius: '4px',
  },
  '.cm-button': {
    color: 'var(--text)',
    backgroundImage: 'none',
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--line)',
    borderRadius: '4px',
  },
  // Phones zoom in when a field with smaller text gets the focus.
  '@media (pointer: coarse)': { '.cm-scroller': { fontSize: '1rem', lineHeight: '1.5rem' } },
});

const highlighting = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--live)' },
  { tag: [tags.string, tags.special(tags.string), tags.content], color: 'var(--text)' },
  { tag: [tags.string], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--warn)' },
  { tag: [tags.lineComment, tags.comment], color: 'var(--muted)', fontStyle: 'italic' },
  { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace], color: 'var(--muted)' },
  { tag: [tags.labelName, tags.typeName], color: 'var(--warn)' },
]);

/** Theme of the code editor for light and dark mode. */
export const editorTheme: Extension = [theme, syntaxHighlighting(highlighting)];
