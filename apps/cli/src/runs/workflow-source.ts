import {
  fieldErrors,
  PilothouseError,
  valueSchema,
  workflowDefinitionSchema,
  type ValueSchema,
  type WorkflowDefinition,
} from '@pilothouse/contract';
import { parseWorkflow, readYaml, type SourcePosition } from '@pilothouse/core';
import { readFileSync, statSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { CommandError, exitCodes, usage } from '../output/exit-codes.ts';

const extensions = new Set(['.yaml', '.yml', '.json']);

/** Whether an argument means a file: it is one, or it looks like one; else it is the name of a workflow. */
export const isFile = (path: string, cwd: string): boolean =>
  extensions.has(extname(path).toLowerCase()) ||
  /[\\/]/.test(path) ||
  (statSync(resolve(cwd, path), { throwIfNoEntry: false })?.isFile() ?? false);

/**
 * Reads a workflow file and checks all of it.
 * @throws CommandError with a line `file:line:column problem` for each thing that is wrong
 */
export const readWorkflow = (path: string, cwd: string): WorkflowDefinition => readWorkflowFile(path, cwd).definition;

/** The same with its text, for what is found wrong with it later. */
export function readWorkflowFile(path: string, cwd: string): { definition: WorkflowDefinition; text: string } {
  const absolute = resolve(cwd, path);
  let text;
  try {
    text = readFileSync(absolute, 'utf8');
  } catch {
    const isFolder = statSync(absolute, { throwIfNoEntry: false })?.isDirectory();
    throw usage(isFolder ? `${path} is a directory. Specify a workflow file.` : `File not found: ${path}.`);
  }
  try {
    const parsed = workflowDefinitionSchema.safeParse(parseWorkflow(text, { file: path }));
    if (parsed.success) return { definition: parsed.data, text };
    throw new PilothouseError('VALIDATION_FAILED', `${path} is invalid`, { fields: fieldErrors(parsed.error) });
  } catch (thrown) {
    if (!(thrown instanceof PilothouseError)) throw thrown;
    throw new InvalidWorkflow(path, thrown);
  }
}

/** Reads a file with the schema of an answer. @throws CommandError that says what is wrong with it */
export function readSchema(path: string, cwd: string): ValueSchema {
  let value: unknown;
  try {
    value = readYaml(readFileSync(resolve(cwd, path), 'utf8'))?.value;
  } catch (thrown) {
    throw usage(
      `${path}: invalid JSON or YAML: ${thrown instanceof Error ? thrown.message.split('\n')[0] : 'unknown error'}`,
    );
  }
  const parsed = valueSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [first] = fieldErrors(parsed.error);
  throw usage(`${path}: invalid JSON Schema: ${first?.pointer || '(document)'}: ${first?.detail ?? 'not valid'}`);
}

/** A workflow file that is not valid: a line for each problem, as compilers and editors write them. */
export class InvalidWorkflow extends CommandError {
  /** The problems for programs: lines and columns count from 1. */
  readonly problems: readonly (SourcePosition & { detail: string })[];

  /** @param problem of the whole file */
  constructor(file: string, { fields = [], details }: PilothouseError, problem = 'is not a valid workflow') {
    const positions = (details?.positions ?? []) as SourcePosition[];
    const problems = fields.map(({ pointer, detail }, index) => {
      const { line = 1, column = 1 } = positions[index] ?? {};
      return { pointer, detail, line, column };
    });
    const lines = problems.map(({ line, column, detail }) => `${file}:${line}:${column} ${detail}`);
    super(exitCodes.usage, `${file} ${problem}.`, lines);
    this.problems = problems;
  }
}
