import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { parseWorkflow, type SourcePosition } from '@pilothouse/core/workflow/parse-workflow';
import { stringify } from 'yaml';
import { yamlFormat } from '../workflow-document/edit-steps.ts';

/** Problem of a workflow file. Line and column count from 1. */
export interface Problem {
  line: number;
  column: number;
  detail: string;
  /** JSON pointer; empty for the whole file. */
  pointer: string;
}

/** A definition as YAML. */
export const yamlOf = (definition: unknown): string => stringify(definition, yamlFormat);

/** Source text of a version; without one, its definition as YAML. */
export const sourceTextOf = ({ definition, source }: { definition: unknown; source: string | null }): string =>
  source ?? yamlOf(definition);

/** Validates a workflow with the same rules as the API. */
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
