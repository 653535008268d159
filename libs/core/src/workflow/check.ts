import { idSchema, PilothouseError } from '@pilothouse/contract';
import type { FieldProblem, Json, Step, ValueSchema, WorkflowDefinition } from '@pilothouse/contract';
import { checkInput, inputValueSchema } from './inputs.ts';
import { misfit, stepShape } from './shape.ts';
import { eachString, escapePointer, parseTemplate, type FoundTemplate } from './template.ts';

type Checked = Pick<WorkflowDefinition, 'inputs' | 'steps' | 'output' | 'outputSchema'>;

/**
 * What is wrong with a definition beyond the form of its fields: templates that name what is not there (yet), secrets where
 * they would be seen, regular expressions and defaults that cannot work. Empty when all is well.
 */
export function checkDefinition(definition: Checked): FieldProblem[] {
  return [
    ...inputProblems(definition),
    ...definition.steps.flatMap((step, index) => stepProblems(definition, step, index)),
    ...outputProblems(definition),
  ];
}

/** Throws what `checkDefinition` finds. @throws PilothouseError VALIDATION_FAILED */
export function checkDefinitionOrThrow(definition: Checked): void {
  const fields = checkDefinition(definition);
  const [first] = fields;
  if (!first) return;
  const more = fields.length > 1 ? ` (and ${fields.length - 1} more)` : '';
  throw new PilothouseError(
    'VALIDATION_FAILED',
    `The workflow is not valid at ${first.pointer}: ${first.detail}${more}`,
    {
      fields,
    },
  );
}

function inputProblems({ inputs }: Checked): FieldProblem[] {
  return Object.entries(inputs).flatMap(([name, input]) => {
    const pointer = `/inputs/${escapePointer(name)}`;
    const patterns = patternProblems(inputValueSchema(input), pointer);
    if (patterns.length > 0 || input.default === undefined) return patterns;
    if (input.default === null && input.optional) return [];
    return checkInput(input, input.default, `${pointer}/default`).map(({ pointer: at, detail }) => ({
      pointer: at,
      detail: `The default ${detail}`,
    }));
  });
}

function stepProblems(definition: Checked, step: Step, index: number): FieldProblem[] {
  const base = `/steps/${index}`;
  const { found, problems } = findTemplates(step, base);
  for (const template of found) {
    const typed = step.action === 'type' && template.pointer === `${base}/text`;
    problems.push(...templateProblems(definition, template, index, typed));
  }
  if (step.action === 'extract') problems.push(...patternProblems(step, base));
  if (step.action === 'upload') problems.push(...uploadProblems(definition, step.file, `${base}/file`, found));
  return problems;
}

function outputProblems(definition: Checked): FieldProblem[] {
  const { output, outputSchema, steps } = definition;
  const { found, problems } = findTemplates(output, '/output');
  for (const template of found) problems.push(...templateProblems(definition, template, steps.length, false));
  if (outputSchema === undefined) return problems;
  if (output === undefined) {
    problems.push({ pointer: '/outputSchema', detail: 'There is a schema for the output but no `output`' });
  }
  return [...problems, ...patternProblems(outputSchema, '/outputSchema')];
}

function findTemplates(value: unknown, base: string): { found: FoundTemplate[]; problems: FieldProblem[] } {
  const found: FoundTemplate[] = [];
  const problems: FieldProblem[] = [];
  eachString(
    value,
    (text, pointer) => {
      try {
        for (const part of parseTemplate(text)) if (part.kind === 'template') found.push({ ...part, pointer });
      } catch (thrown) {
        if (!(thrown instanceof PilothouseError)) throw thrown;
        problems.push({ pointer, detail: thrown.message });
      }
    },
    base,
  );
  return { found, problems };
}

/** @param before index of the step the template stands in: only steps before it have a value */
function templateProblems(
  { inputs, steps }: Checked,
  { path, pointer, source }: FoundTemplate,
  before: number,
  secretAllowed: boolean,
): FieldProblem[] {
  const problem = (detail: string) => [{ pointer, detail: `${source}: ${detail}` }];
  const [root, name] = path;
  if (root === 'run') return [];
  if (root === 'inputs') {
    const input = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
    if (!input) return problem(`there is no input "${name}"; there are: ${names(Object.keys(inputs))}`);
    if (input.secret && !secretAllowed) return problem('a secret may stand only in the text of a `type` step');
    const why = misfit(inputValueSchema(input), path.slice(2));
    return why ? problem(why) : [];
  }
  const readers = steps.slice(0, before).flatMap(({ id, action }) => (id && action === 'extract' ? [id] : []));
  const at = steps.findIndex(({ id }) => id === name);
  const step = steps[at];
  if (!step) return problem(`there is no step "${name}"; before this there are, with a value: ${names(readers)}`);
  if (at === before) return problem('a step cannot use its own value');
  if (at > before) return problem(`step "${name}" comes later`);
  const shape = stepShape(step);
  if (!shape) return problem(`step "${name}" is a ${step.action} step; only extract steps have a value`);
  const why = misfit(shape, path.slice(3));
  return why ? problem(why) : [];
}

function uploadProblems({ inputs }: Checked, file: string, pointer: string, found: FoundTemplate[]): FieldProblem[] {
  if (idSchema.safeParse(file).success) return [];
  const [template, ...others] = found.filter((one) => one.pointer === pointer);
  const whole = template !== undefined && others.length === 0 && template.source === file && template.path.length === 2;
  const input = whole && template.path[0] === 'inputs' ? inputs[template.path[1]] : undefined;
  if (input?.type === 'file') return [];
  const files = Object.entries(inputs).flatMap(([name, { type }]) => (type === 'file' ? [name] : []));
  return [{ pointer, detail: `Name an input of type file, as {{inputs.<name>}}; there are: ${names(files)}` }];
}

/** Values of the user's own, and a column that happens to be called `pattern`. */
const noPattern = /\/(?:enum|const|default)(?:\/|$)|\/table\/columns\/pattern$/;

/** Every `pattern` in a schema, or in what an extract step reads, must be a regular expression. */
function patternProblems(value: ValueSchema | Step | Json, base: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  eachString(
    value,
    (text, pointer) => {
      if (!pointer.endsWith('/pattern') || noPattern.test(pointer)) return;
      try {
        new RegExp(text, 'u');
      } catch (thrown) {
        problems.push({ pointer, detail: `Not a regular expression: ${(thrown as Error).message}` });
      }
    },
    base,
  );
  return problems;
}

const names = (list: readonly string[]) => (list.length === 0 ? 'none' : list.join(', '));
