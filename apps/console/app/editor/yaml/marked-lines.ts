import { StateEffect, StateField } from '@codemirror/state';
import { Decoration, EditorView, type DecorationSet } from '@codemirror/view';

/** First and last line, from 1. */
export interface MarkedLines {
  first: number;
  last: number;
}

/** Marks lines; null: none. */
export const setMarkedLines = StateEffect.define<MarkedLines | null>();

const markedLine = Decoration.line({ class: 'cm-marked' });

/** Shows a bar on the left of the marked lines. */
export const markedLinesField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(decorations, { changes, effects, state }) {
    const effect = effects.findLast((candidate) => candidate.is(setMarkedLines));
    if (!effect) return decorations.map(changes);
    const lines = effect.value as MarkedLines | null;
    if (!lines) return Decoration.none;
    const last = Math.min(lines.last, state.doc.lines);
    const numbers = Array.from({ length: Math.max(0, last - lines.first + 1) }, (_, index) => lines.first + index);
    return Decoration.set(numbers.map((line) => markedLine.range(state.doc.line(line).from)));
  },
  provide: (field) => EditorView.decorations.from(field),
});
