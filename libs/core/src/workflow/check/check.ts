import { eachNode, PilothouseError, type FieldProblem } from '@pilothouse/contract';
import { checkInput, inputValueSchema } from '../inputs.ts';
import { escapePointer } from '../template.ts';
import { branchProblems, circleProblems, profileProblems } from './across.ts';
import { manyPatterns, patternProblems } from './forms.ts';
import { templateProblems, type Checked, type Known } from './known.ts';
import { findTemplates } from './templates.ts';
import { Walk } from './walk.ts';

/**
 * What is wrong with a definition beyond the form of its fields: templates and expressions that name what is not there (yet), secrets
 * where they would be seen, regular expressions and defaults that cannot work, calls that go round in a circle. Empty when all is well.
 */
export function checkDefinition(definition: Checked): FieldProblem[] {
  const { workflows = {} } = definition;
  const many = manyPatterns(definition);
  if (many.length > 0) return many;
  return [
    ...oneProblems(definition, ''),
    ...Object.entries(workflows).flatMap(([name, called]) =>
      oneProblems({ ...called, workflows }, `/workflows/${escapePointer(name)}`),
    ),
    ...circleProblems(workflows),
    ...profileProblems(definition),
    ...branchProblems(definition),
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

/** Problems of a workflow by itself. */
function oneProblems(definition: Checked, base: string): FieldProblem[] {
  const all = [...eachNode(definition.steps)];
  const ids = new Map(
    all.flatMap(({ node }, turn) => (node.id === undefined ? [] : [[node.id, { node, turn }] as const])),
  );
  const walk = new Walk();
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

function inputProblems({ inputs }: Checked, base: string): FieldProblem[] {
  return Object.entries(inputs).flatMap(([name, input]) => {
    const pointer = `${base}/inputs/${escapePointer(name)}`;
    const patterns = patternProblems(inputValueSchema(input), pointer);
    if (patterns.length > 0 || input.default === undefined) return patterns;
    if (input.default === null && input.optional) return [];
    return checkInput(input, input.default, `${pointer}/default`).map(({ pointer: at, detail }) => ({
      pointer: at,
      detail: `The default ${detail}`,
    }));
  });
}

/** What the browser is told, it is told before the first step; a secret only for the origin it is for. */
function browserProblems(known: Known, base: string): FieldProblem[] {
  const { found, problems } = findTemplates(known.definition.browser, `${base}/browser`);
  for (const template of found) {
    const secretAllowed = /^\/browser\/auth\/(?:username|password)$/.test(template.pointer);
    problems.push(...templateProblems(known, template, secretAllowed));
  }
  return problems;
}

function outputProblems(known: Known, base: string): FieldProblem[] {
  const { output, outputSchema } = known.definition;
  const { found, problems } = findTemplates(output, `${base}/output`);
  for (const template of found) problems.push(...templateProblems(known, template, false));
  if (outputSchema === undefined) return problems;
  if (output === undefined) {
    problems.push({ pointer: `${base}/outputSchema`, detail: 'There is a schema for the output but no `output`' });
  }
  return [...problems, ...patternProblems(outputSchema, `${base}/outputSchema`)];
}
