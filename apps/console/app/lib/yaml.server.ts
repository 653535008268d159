import { PilothouseError } from '@pilothouse/contract';
import { parseWorkflow, type Position } from '@pilothouse/core';
import { stringify } from 'yaml';

/** What is wrong with a workflow, and where: lines and columns count from 1. */
export interface Problem {
  line: number;
  column: number;
  detail: string;
}

/** A definition as people write it. */
export const yamlOf = (definition: unknown): string => stringify(definition, { lineWidth: 120 });

/** What the API would refuse of a workflow: the same checks, made here while somebody writes. */
export function problemsOf(text: string): Problem[] {
  try {
    parseWorkflow(text);
    return [];
  } catch (error) {
    if (!(error instanceof PilothouseError)) throw error;
    const positions = (error.details?.positions ?? []) as Position[];
    return (error.fields ?? []).map(({ detail }, index) => ({
      line: positions[index]?.line ?? 1,
      column: positions[index]?.column ?? 1,
      detail,
    }));
  }
}
