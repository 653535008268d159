import type { Diagnostic } from '@codemirror/lint';
import type { Text } from '@codemirror/state';
import type { Problem } from '../../workflows/workflow-yaml.server.ts';

/** Offset of a line and column, both from 1. Positions after the end are moved to the end. */
export function positionOf(doc: Text, line: number, column: number): number {
  const { from, to } = doc.line(Math.min(Math.max(line, 1), doc.lines));
  return Math.min(from + Math.max(column, 1) - 1, to);
}

/** Diagnostics of problems. Each one spans the text from its position to the end of the line. */
export const diagnosticsOf = (doc: Text, problems: readonly Problem[]): Diagnostic[] =>
  problems.map(({ line, column, detail }) => {
    const from = positionOf(doc, line, column);
    return { from, to: Math.max(from, doc.lineAt(from).to), severity: 'error', message: detail };
  });

/** The smallest change that turns one text into another, so that the cursor stays. Null: the texts are equal. */
export function replacementOf(before: string, after: string): { from: number; to: number; insert: string } | null {
  if (before === after) return null;
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before[from] === after[from]) from += 1;
  let end = 0;
  while (end < shorter - from && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}
