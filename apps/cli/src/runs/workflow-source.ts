import { fieldErrors } from '@pilothouse/contract/errors/field-errors';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { valueSchema, type ValueSchema } from '@pilothouse/contract/workflow/value.schema';
import { workflowDefinitionSchema, type WorkflowDefinition } from '@pilothouse/contract/workflow/workflow.schema';
import { stepOfPointer } from '@pilothouse/core/interpreter/step-number';
import { parseWorkflow, type SourcePosition } from '@pilothouse/core/workflow/parse-workflow';
import { readYaml } from '@pilothouse/core/workflow/parse-yaml';
import { readFileSync, statSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { CommandError, exitCodes, usage } from '../output/exit-codes.ts';

const extensions = new Set(['.yaml', '.yml', '.json']);

/** True if an argument is a file or looks like one; otherwise it is a workflow name. */
export const isFile = (path: string, cwd: string): boolean =>
  extensions.has(extname(path).toLowerCase()) ||
  /[\\/]/.test(path) ||
  (statSync(resolve(cwd, path), { throwIfNoEntry: false })?.isFile() ?? false);

/** Reads and validates a workflow file. @throws CommandError with a line `file:line:column problem` for each problem */
export const readWorkflow = (path: string, cwd: string): WorkflowDefinition => readWorkflowFile(path, cwd).definition;

/** Reads and validates a workflow file. Also returns its text. */
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

/** Reads a JSON Schema file. @throws CommandError with the problem */
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

/** The field of a problem: `/name: `, or the number of its step as in a run: `step 3/1, /target: `. */
function placeOf(pointer: string): string {
  const place = stepOfPointer(pointer);
  if (!place) return pointer === '' ? '' : `${pointer}: `;
  return place.field === '' ? `step ${place.step}: ` : `step ${place.step}, ${place.field}: `;
}

/** An invalid workflow file, with one line per problem in the format of compilers. */
export class InvalidWorkflow extends CommandError {
  /** The problems as data. Lines and columns count from 1. */
  readonly problems: readonly (SourcePosition & { detail: string })[];

  /** @param problem of the whole file */
  constructor(file: string, { fields = [], details }: PilothouseError, problem = 'is not a valid workflow') {
    const positions = (details?.positions ?? []) as SourcePosition[];
    const problems = fields
      .map(({ pointer, detail }, index) => {
        const { line = 1, column = 1 } = positions[index] ?? {};
        return { pointer, detail, line, column };
      })
      .toSorted((a, b) => a.line - b.line || a.column - b.column);
    const lines = problems.map(({ line, column, pointer, detail }) => {
      const text = detail.startsWith(`${pointer}: `) ? detail.slice(pointer.length + 2) : detail;
      return `${file}:${line}:${column} ${placeOf(pointer)}${text}`;
    });
    super(exitCodes.usage, `${file} ${problem}.`, lines);
    this.problems = problems;
  }
}
