import { PilothouseError } from '@pilothouse/contract';
import { parseWorkflow, type SourcePosition } from '@pilothouse/core';
import { stringify } from 'yaml';
import { yamlFormat } from '../editor/document/edit-steps.ts';

/** What is wrong with a workflow, and where: lines and columns count from 1. */
export interface Problem {
  line: number;
  column: number;
  detail: string;
  /** JSON pointer to what is wrong; empty for the whole file. */
  pointer: string;
}

/** A definition as people write it. */
export const yamlOf = (definition: unknown): string => stringify(definition, yamlFormat);

/** A version as people wrote it, comments and all; one that came without a text as the house writes it. */
export const sourceTextOf = ({ definition, source }: { definition: unknown; source: string | null }): string =>
  source ?? yamlOf(definition);

/** What the API would refuse of a workflow: the same checks, made here while somebody writes. */
export function problemsOf(text: string): Problem[] {
  try {
    parseWorkflow(text);
    return [];
  } catch (error) {
    if (!(error instanceof PilothouseError)) throw error;
    const positions = (error.details?.positions ?? []) as SourcePosition[];
    return (error.fields ?? []).map(({ detail, pointer }, index) => ({
      pointer,
      line: positions[index]?.line ?? 1,
      column: positions[index]?.column ?? 1,
      detail,
    }));
  }
}
