import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { Step } from '@pilothouse/contract/workflow/step.schema';
import type { ValueSchema } from '@pilothouse/contract/workflow/value.schema';
import { renderStep, renderTemplates } from '../workflow/secret-placeholders.ts';
import { inferFieldTypes, stepValueType } from '../workflow/step-types.ts';
import { stepTitle } from '../workflow/step-titles.ts';
import { branchesInOrder, branchStepPath } from './parallel-branches.ts';
import { numberOf } from './step-number.ts';
import { advance, startProgram, startBranch } from './interpreter.ts';
import { toTemplateScope } from './variable-scope.ts';
import type { ProgramInputs, StepPosition, Program, InterpreterState } from './interpreter-state.ts';

/** Maximum steps of a dry run. */
const MAX_STEPS = 1000;

/** A step that a run would execute. */
export interface DryStep {
  readonly at: string;
  /** Number of the step for people. */
  readonly number: string;
  readonly title: string;
  /** With its templates replaced; secrets stay names. */
  readonly step: Step;
  /** Assumed value of the step, if it reads one. */
  readonly value: Json;
  /** True if the caller supplied the value. Otherwise it is generated from its type. */
  readonly isSupplied: boolean;
}

/** Result of a dry run. */
export interface DryRun {
  readonly steps: readonly DryStep[];
  /** `cut`: only the first steps are shown. */
  readonly end: 'end' | 'failed' | 'cut';
  readonly error: PilothouseError | null;
  /** Output with generated values. */
  readonly output: Json;
}

/**
 * Executes a workflow without a surface. Every step succeeds and reads the supplied value, or a generated value of its type (one element for
 * lists). Page conditions in `if` and `until` hold, and there is no next page.
 * @param values values of steps by id
 */
export function dryRun(
  source: Program & { output?: Json | undefined; outputSchema?: ValueSchema | undefined },
  programInputs: ProgramInputs,
  values: Readonly<Record<string, Json>>,
): DryRun {
  const program = inferFieldTypes(source);
  const run = { id: '00000000-0000-7000-8000-000000000000', epoch: 1 };
  const steps: DryStep[] = [];
  let state = startProgram(program, run, programInputs);
  try {
    for (; state.next.kind === 'step' && steps.length < MAX_STEPS;) {
      const dry = dryStep(state.next.position, state, values);
      steps.push(dry, ...branchSteps(dry, state, values));
      state = advance(state, { status: 'completed', value: dry.value });
    }
    if (state.next.kind === 'step') return { steps, end: 'cut', error: null, output: null };
    if (state.next.kind === 'failed') return { steps, end: 'failed', error: state.next.error, output: null };
    const output =
      program.output === undefined ? null : renderTemplates(program.output, toTemplateScope(state.scope, run));
    return { steps, end: 'end', error: null, output };
  } catch (thrown) {
    if (!(thrown instanceof PilothouseError)) throw thrown;
    return { steps, end: 'failed', error: thrown, output: null };
  }
}

function dryStep(position: StepPosition, state: InterpreterState, values: Readonly<Record<string, Json>>): DryStep {
  const { path, step: template } = position;
  const step = renderStep(template, toTemplateScope(state.scope, state.run));
  const isSupplied = step.id !== undefined && Object.hasOwn(values, step.id);
  const valueType = stepValueType(step, state.program.workflows);
  const value = isSupplied
    ? (values[step.id ?? ''] ?? null)
    : valueType &&
      (step.action === 'checkCondition' ? !path.endsWith('/more') : sampleValue(valueType, step.id ?? step.action));
  return { at: path, number: numberOf(position), title: stepTitle(step), step, value, isSupplied };
}

/**
 * Steps of the branches with a page, one branch after the other.
 * @throws PilothouseError the error of a step
 */
function branchSteps(
  { at: path, number, step }: DryStep,
  outerState: InterpreterState,
  values: Readonly<Record<string, Json>>,
): DryStep[] {
  if (step.action !== 'parallel') return [];
  return branchesInOrder(step).flatMap(({ name, nodes, isPage }) => {
    const steps: DryStep[] = [];
    let state = isPage ? startBranch(outerState, nodes) : undefined;
    while (state?.next.kind === 'step' && steps.length < MAX_STEPS) {
      const dry = dryStep(state.next.position, state, values);
      const innerPath = branchStepPath(path, name, dry.at);
      steps.push({ ...dry, at: innerPath, number: branchStepPath(number, name, dry.number) });
      state = advance(state, { status: 'completed', value: dry.value });
    }
    if (state?.next.kind === 'failed') throw state.next.error;
    return steps;
  });
}

/** A sample value of a type. */
function sampleValue({ type, items, properties, anyOf }: ValueSchema, name: string): Json {
  if (anyOf?.[0]) return sampleValue(anyOf[0], name);
  switch (type) {
    case 'array':
      return [items ? sampleValue(items, name) : null];
    case 'object':
      return Object.fromEntries(Object.entries(properties ?? {}).map(([key, shape]) => [key, sampleValue(shape, key)]));
    case 'number':
    case 'integer':
      return 1;
    case 'boolean':
      return true;
    default:
      return `<${name}>`;
  }
}
