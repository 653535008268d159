import { PilothouseError, type FieldError } from '@pilothouse/contract/errors/pilothouse-error';
import { walkNodes } from '@pilothouse/contract/workflow/control-flow.schema';
import { checkInput, inputValueSchema } from '../workflow-io.ts';
import { desktopOptionErrors } from '../desktop-options.ts';
import { escapePointer } from '../templates.ts';
import {
  type LintedWorkflow,
  type NamesInScope,
  branchErrors,
  callCycleErrors,
  lintTemplates,
  profileErrors,
  templateErrors,
  uniqueErrors,
} from './lint-references.ts';
import { patternCountErrors, patternErrors } from './lint-fields.ts';
import { StepLinter } from './lint-steps.ts';
import { surfaceErrors } from './lint-surface.ts';

/**
 * Lints a valid definition: undefined names in templates and expressions, exposed secrets, unsupported regular expressions, invalid
 * defaults, recursive calls. Returns an empty list if there are no problems.
 */
export function lintDefinition(definition: LintedWorkflow): FieldError[] {
  const { workflows = {} } = definition;
  const patternErrorsOfCount = patternCountErrors(definition);
  if (patternErrorsOfCount.length > 0) return patternErrorsOfCount;
  return uniqueErrors([
    ...workflowProblems(definition, ''),
    ...Object.entries(workflows).flatMap(([name, subworkflow]) =>
      workflowProblems({ ...subworkflow, workflows }, `/workflows/${escapePointer(name)}`),
    ),
    ...callCycleErrors(workflows),
    ...profileErrors(definition),
    ...branchErrors(definition),
    ...surfaceErrors(definition),
  ]);
}

/**
 * Throws the problems of `lintDefinition`.
 * @throws PilothouseError VALIDATION_FAILED
 */
export function checkDefinitionOrThrow(definition: LintedWorkflow): void {
  const fields = lintDefinition(definition);
  const [first] = fields;
  if (!first) return;
  const suffix = fields.length > 1 ? ` (and ${fields.length - 1} more)` : '';
  throw new PilothouseError(
    'VALIDATION_FAILED',
    `The workflow is invalid at ${first.pointer}: ${first.detail}${suffix}`,
    {
      fields,
    },
  );
}

/** Problems of a workflow by itself. */
function workflowProblems(definition: LintedWorkflow, base: string): FieldError[] {
  const nodes = [...walkNodes(definition.steps)];
  const ids = new Map(
    nodes.flatMap(({ node }, order) => (node.id === undefined ? [] : [[node.id, { node, order }] as const])),
  );
  const linter = new StepLinter();
  const scope = { definition, ids, order: 0, enclosingIds: [], vars: new Set<string>() };
  const vars = linter.list(definition.steps, `${base}/steps`, scope);
  const end = { ...scope, order: nodes.length, vars };
  return [
    ...inputProblems(definition, base),
    ...browserProblems({ ...scope, order: -1 }, base),
    ...desktopProblems({ ...scope, order: -1 }, base),
    ...linter.problems,
    ...outputProblems(end, base),
  ];
}

function inputProblems({ inputs }: LintedWorkflow, base: string): FieldError[] {
  return Object.entries(inputs).flatMap(([name, input]) => {
    const pointer = `${base}/inputs/${escapePointer(name)}`;
    const patterns = patternErrors(inputValueSchema(input), pointer);
    if (patterns.length > 0 || input.default === undefined) return patterns;
    if (input.default === null && input.optional) return [];
    return checkInput(input, input.default, `${pointer}/default`).map(({ pointer: fieldPointer, detail }) => ({
      pointer: fieldPointer,
      detail: `The default ${detail}`,
    }));
  });
}

/** Browser options are rendered before the first step. Secrets are allowed only with an origin. */
function browserProblems(scope: NamesInScope, base: string): FieldError[] {
  const { templates: foundTemplates, problems } = lintTemplates(scope.definition.browser, `${base}/browser`);
  for (const template of foundTemplates) {
    const secretAllowed = /^\/browser\/httpCredentials\/(?:username|password)$/.test(template.pointer);
    problems.push(...templateErrors(scope, template, secretAllowed));
  }
  return problems;
}

/** Desktop options are rendered before the first step, and contain no secrets. */
function desktopProblems(scope: NamesInScope, base: string): FieldError[] {
  const { desktop } = scope.definition;
  if (desktop === undefined) return [];
  const { templates, problems } = lintTemplates(desktop, `${base}/desktop`);
  const valueProblems = desktopOptionErrors(desktop, (text) => text.includes('{{')).map(({ pointer, detail }) => ({
    pointer: `${base}/desktop${pointer}`,
    detail,
  }));
  return [...problems, ...templates.flatMap((template) => templateErrors(scope, template, false)), ...valueProblems];
}

function outputProblems(scope: NamesInScope, base: string): FieldError[] {
  const { output, outputSchema } = scope.definition;
  const { templates: foundTemplates, problems } = lintTemplates(output, `${base}/output`);
  for (const template of foundTemplates) problems.push(...templateErrors(scope, template, false));
  if (outputSchema === undefined) return problems;
  if (output === undefined) {
    problems.push({ pointer: `${base}/outputSchema`, detail: '`outputSchema` needs an `output`: add it' });
  }
  return [...problems, ...patternErrors(outputSchema, `${base}/outputSchema`)];
}
