import { walkNodes, PilothouseError, type FieldError } from '@pilothouse/contract';
import { checkInput, inputValueSchema } from '../workflow-io.ts';
import { escapePointer } from '../templates.ts';
import {
  type LintedWorkflow,
  type NamesInScope,
  branchErrors,
  callCycleErrors,
  lintTemplates,
  profileErrors,
  templateErrors,
} from './lint-references.ts';
import { manyPatterns, patternErrors } from './lint-fields.ts';
import { StepLinter } from './lint-steps.ts';

/**
 * Lints a valid definition: undefined names in templates and expressions, exposed secrets, unsupported regular expressions, invalid
 * defaults, recursive calls. Returns an empty list if there are no problems.
 */
export function lintDefinition(definition: LintedWorkflow): FieldError[] {
  const { workflows = {} } = definition;
  const many = manyPatterns(definition);
  if (many.length > 0) return many;
  return [
    ...oneProblems(definition, ''),
    ...Object.entries(workflows).flatMap(([name, called]) =>
      oneProblems({ ...called, workflows }, `/workflows/${escapePointer(name)}`),
    ),
    ...callCycleErrors(workflows),
    ...profileErrors(definition),
    ...branchErrors(definition),
  ];
}

/**
 * Throws the problems of `lintDefinition`.
 * @throws PilothouseError VALIDATION_FAILED
 */
export function checkDefinitionOrThrow(definition: LintedWorkflow): void {
  const fields = lintDefinition(definition);
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

/** Problems of a workflow by itself. */
function oneProblems(definition: LintedWorkflow, base: string): FieldError[] {
  const all = [...walkNodes(definition.steps)];
  const ids = new Map(
    all.flatMap(({ node }, turn) => (node.id === undefined ? [] : [[node.id, { node, turn }] as const])),
  );
  const walk = new StepLinter();
  const known = { definition, ids, turn: 0, around: [], vars: new Set<string>() };
  const vars = walk.list(definition.steps, `${base}/steps`, known);
  const end = { ...known, turn: all.length, vars };
  return [
    ...inputProblems(definition, base),
    ...browserProblems({ ...known, turn: -1 }, base),
    ...walk.problems,
    ...outputProblems(end, base),
  ];
}

function inputProblems({ inputs }: LintedWorkflow, base: string): FieldError[] {
  return Object.entries(inputs).flatMap(([name, input]) => {
    const pointer = `${base}/inputs/${escapePointer(name)}`;
    const patterns = patternErrors(inputValueSchema(input), pointer);
    if (patterns.length > 0 || input.default === undefined) return patterns;
    if (input.default === null && input.optional) return [];
    return checkInput(input, input.default, `${pointer}/default`).map(({ pointer: at, detail }) => ({
      pointer: at,
      detail: `The default ${detail}`,
    }));
  });
}

/** Browser options are rendered before the first step. Secrets are allowed only with an origin. */
function browserProblems(known: NamesInScope, base: string): FieldError[] {
  const { found, problems } = lintTemplates(known.definition.browser, `${base}/browser`);
  for (const template of found) {
    const secretAllowed = /^\/browser\/httpCredentials\/(?:username|password)$/.test(template.pointer);
    problems.push(...templateErrors(known, template, secretAllowed));
  }
  return problems;
}

function outputProblems(known: NamesInScope, base: string): FieldError[] {
  const { output, outputSchema } = known.definition;
  const { found, problems } = lintTemplates(output, `${base}/output`);
  for (const template of found) problems.push(...templateErrors(known, template, false));
  if (outputSchema === undefined) return problems;
  if (output === undefined) {
    problems.push({ pointer: `${base}/outputSchema`, detail: 'There is a schema for the output but no `output`' });
  }
  return [...problems, ...patternErrors(outputSchema, `${base}/outputSchema`)];
}
