import type { Diagnostic } from '@codemirror/lint';
import type { Text } from '@codemirror/state';
import type { Problem } from '../../workflows/workflow-yaml.server.ts';

/** Offset of a line and column, both from 1. Positions after the end are moved to the end. */
export function positionOf(doc: Text, line: number, column: number): number {
  const { from: start, to: end } = doc.line(Math.min(Math.max(line, 1), doc.lines));
  return Math.min(start + Math.max(column, 1) - 1, end);
}

/** Diagnostics of problems. Each one spans the text from its position to the end of the line. */
export const diagnosticsOf = (doc: Text, problems: readonly Problem[]): Diagnostic[] =>
  problems.map(({ line, column, detail }) => {
    const start = positionOf(doc, line, column);
    return { from: start, to: Math.max(start, doc.lineAt(start).to), severity: 'error', message: detail };
  });

/** The smallest change that turns one text into another, so that the cursor stays. Null: the texts are equal. */
export function replacementOf(oldText: string, newText: string): { from: number; to: number; insert: string } | null {
  if (oldText === newText) return null;
  const shorter = Math.min(oldText.length, newText.length);
  let start = 0;
  while (start < shorter && oldText[start] === newText[start]) start += 1;
  let end = 0;
  while (end < shorter - start && oldText[oldText.length - 1 - end] === newText[newText.length - 1 - end]) end += 1;
  return { from: start, to: oldText.length - end, insert: newText.slice(start, newText.length - end) };
}
