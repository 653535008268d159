import { lintDefinition } from '../workflow/lint/lint-workflow.ts';
import { findStep } from './step-path.ts';
import { replayRun, recordsFromCheckpoints } from './replay-history.ts';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { Checkpoint } from '@pilothouse/contract/worker/to-worker.messages';
import { isBlock } from '@pilothouse/contract/workflow/control-flow.schema';
import { isNonIdempotent } from '@pilothouse/contract/workflow/step.schema';
import { workflowDefinitionSchema, type WorkflowDefinitionInput } from '@pilothouse/contract/workflow/workflow.schema';
import { renderTemplates } from '../workflow/secret-placeholders.ts';
import { advance, startProgram } from './interpreter.ts';
import { toTemplateScope } from './variable-scope.ts';
import type { StepOutcome, StepPosition, InterpreterState } from './interpreter-state.ts';

const open = (id?: string) => ({ action: 'navigate' as const, url: 'https://a.test', ...(id && { id }) });
const read = (id: string) => ({ action: 'extract' as const, id, target: { css: 'p' }, list: {} });
const fail: StepOutcome = { status: 'failed', error: { code: 'TARGET_NOT_FOUND', message: 'gone' } };
const run = { id: 'a-run', epoch: 1 };

type Answer = (position: StepPosition) => Json | StepOutcome;
const isOutcome = (answer: Json | StepOutcome): answer is StepOutcome =>
  typeof answer === 'object' && answer !== null && 'status' in answer;

/** Executes a workflow. @returns positions, outcomes and the final state */
function execute(
  source: Partial<WorkflowDefinitionInput> & Pick<WorkflowDefinitionInput, 'steps'>,
  answer: Answer = () => null,
  inputs = {},
) {
  const definition = workflowDefinitionSchema.parse({ name: 'spec', ...source });
  const problems = lintDefinition(definition);
  const start = startProgram(definition, run, { inputs, secrets: [] });
  const states: InterpreterState[] = [start];
  const outcomes: StepOutcome[] = [];
  let state = start;
  while (state.next.kind === 'step') {
    const response = answer(state.next.position);
    const outcome: StepOutcome = isOutcome(response) ? response : { status: 'completed', value: response };
    outcomes.push(outcome);
    state = advance(state, outcome);
    states.push(state);
  }
  const positions = states.flatMap(({ next }) => (next.kind === 'step' ? [next.position] : []));
  const output = () => renderTemplates(definition.output ?? null, toTemplateScope(state.scope, run));
  const error = state.next.kind === 'failed' ? state.next.error : undefined;
  return {
    definition,
    problems,
    start,
    states,
    positions,
    paths: positions.map(({ path }) => path),
    outcomes,
    end: state,
    output,
    error,
  };
}

test('a list without control flow is executed in order', () => {
  const { paths, positions, end } = execute({ steps: [open(), open(), open()] });
  expect(paths).toEqual(['1', '2', '3']);
  expect(positions.map(({ number }) => number)).toEqual([0, 1, 2]);
  expect(end.next.kind).toBe('end');
});

test('a list is evaluated once, and each iteration collects a value', () => {
  const { problems, paths, output } = execute(
    {
      steps: [
        read('rows'),
        {
          action: 'forEach',
          id: 'all',
          in: 'steps.rows.value.filter(r, r.n > 1)',
          as: 'row',
          index: 'i',
          steps: [open(), read('rows2')],
          collect: { sku: '{{vars.row.sku}}', at: '{{vars.i}}', path: '{{steps.rows2.value}}' },
        },
      ],
      output: '{{steps.all.value}}',
    },
    ({ path }) =>
      path === 'rows'
        ? [
            { sku: 'a', n: 1 },
            { sku: 'b', n: 2 },
            { sku: 'c', n: 3 },
          ]
        : path,
  );
  expect(problems).toEqual([]);
  expect(paths).toEqual(['rows', 'all[1]/1', 'all[1]/rows2', 'all[2]/1', 'all[2]/rows2']);
  expect(output()).toEqual([
    { sku: 'b', at: 0, path: 'all[1]/rows2' },
    { sku: 'c', at: 1, path: 'all[2]/rows2' },
  ]);
});

test.each([
  ['true expression', 'inputs.n == 3', ['one', '2']],
  ['false expression', 'inputs.n > 3', ['2']],
  ['condition of the page that is met', { text: 'yes' }, ['one/if', 'one', '2']],
  ['condition of the page that is not met', { text: 'no' }, ['one/if', '2']],
] as const)('a step with `if`: %s', (_, when, expected) => {
  const steps = [{ ...open('one'), if: when }, open()];
  const answer: Answer = ({ step }) => step.action === 'checkCondition' && step.condition.text === 'yes';
  const { paths, output } = execute(
    { inputs: { n: { type: 'integer' } }, steps, output: '{{steps.one.value}}' },
    answer,
    {
      n: 3,
    },
  );
  expect(paths).toEqual(expected);
  expect(output()).toBe(expected.includes('one' as never) ? false : null);
});

test('a skipped group executes `else`', () => {
  const group = { action: 'group' as const, if: 'vars.n > 1', steps: [open()], else: [open(), open()] };
  expect(execute({ steps: [{ action: 'set', vars: { n: '1 + 1' } }, group] }).paths).toEqual(['2/1']);
  expect(execute({ steps: [{ action: 'set', vars: { n: 1 } }, group] }).paths).toEqual(['2/else/1', '2/else/2']);
});

test('steps are repeated until the condition is met, up to the iteration limit', () => {
  const count = { action: 'set' as const, vars: { n: 'vars.n + 1' } };
  const loop = (condition: string | { text: string }, maxIterations?: number) => ({
    steps: [
      { action: 'set' as const, vars: { n: 0 } },
      { action: 'loop' as const, until: condition, steps: [open(), count], ...(maxIterations && { maxIterations }) },
    ],
    output: '{{vars.n}}',
  });
  const three = execute(loop('vars.n >= 3'));
  expect([three.paths, three.output()]).toEqual([['2[1]/1', '2[2]/1', '2[3]/1'], 3]);
  const untilText = execute(loop({ text: 'there' }), ({ path }) => path === '2[2]/until');
  expect(untilText.paths).toEqual(['2[1]/1', '2[1]/until', '2[2]/1', '2[2]/until']);
  const never = execute(loop('vars.n < 0', 2));
  expect([never.paths, never.error?.code]).toEqual([['2[1]/1', '2[2]/1'], 'LOOP_LIMIT_EXCEEDED']);
});

test('paginate ends when there is no next page', () => {
  const pages = {
    action: 'paginate' as const,
    id: 'pages',
    next: { text: 'Next' },
    steps: [read('rows')],
    collect: '{{steps.rows.value}}',
  };
  const answer: Answer = ({ path, step }) => (step.action === 'checkCondition' ? path === 'pages[1]/more' : path);
  const { paths, output } = execute({ steps: [pages], output: '{{steps.pages.value}}' }, answer);
  expect(paths).toEqual(['pages[1]/rows', 'pages[1]/more', 'pages[1]/next', 'pages[2]/rows', 'pages[2]/more']);
  expect(output()).toEqual(['pages[1]/rows', 'pages[2]/rows']);
});

describe('a failure', () => {
  const tryDefinition = (fields: object) => ({
    steps: [{ action: 'try' as const, steps: [open(), open()], ...fields }, open()],
  });
  const first: Answer = ({ path }) => (path === '1/1' ? fail : null);

  test('is caught, with its code', () => {
    const handlers = { catch: [{ ...open(), if: 'vars.error.code == "TARGET_NOT_FOUND"' }], finally: [open()] };
    expect(execute(tryDefinition(handlers), first).paths).toEqual(['1/1', '1/catch/1', '1/finally/1', '2']);
    expect(execute(tryDefinition(handlers)).paths).toEqual(['1/1', '1/2', '1/finally/1', '2']);
    expect(execute(tryDefinition({ catch: [] }), first).paths).toEqual(['1/1', '2']);
  });

  test('is thrown again after `finally` without `catch`', () => {
    const { paths, error } = execute(tryDefinition({ finally: [open()] }), first);
    expect([paths, error?.code]).toEqual([['1/1', '1/finally/1'], 'TARGET_NOT_FOUND']);
  });

  test('in `catch` still executes `finally`', () => {
    const failing: Answer = ({ path }) => (path === '1/1' || path === '1/catch/1' ? fail : null);
    const { paths, error } = execute(tryDefinition({ catch: [open()], finally: [open()] }), failing);
    expect([paths, error?.code]).toEqual([['1/1', '1/catch/1', '1/finally/1'], 'TARGET_NOT_FOUND']);
  });

  test('unwinds loops and calls', () => {
    const { paths, end } = execute(
      {
        workflows: { inner: { steps: [open()] } },
        steps: [
          {
            action: 'try',
            steps: [{ action: 'forEach', in: [1, 2], steps: [{ action: 'call', workflow: 'inner' }] }],
            catch: [open()],
          },
          open(),
        ],
      },
      ({ path }) => (path === '1/1[2]/1/1' ? fail : null),
    );
    expect(paths).toEqual(['1/1[1]/1/1', '1/1[2]/1/1', '1/catch/1', '2']);
    expect([end.next.kind, end.scope.vars]).toEqual(['end', {}]);
  });

  test('of an expression is one of its step, with the path', () => {
    const steps = [{ action: 'set' as const, vars: { a: 'inputs.n + "x"' } }, open()];
    const { paths, error } = execute({ inputs: { n: { type: 'integer' } }, steps }, () => null, { n: 1 });
    expect([paths, error?.code, error?.message]).toEqual([[], 'EXPRESSION_FAILED', expect.stringMatching(/^Step 1: /)]);
    const result = execute(
      { inputs: { n: { type: 'integer' } }, steps: [{ action: 'try', steps, catch: [open()] }] },
      () => null,
      {
        n: 1,
      },
    );
    expect(result.paths).toEqual(['1/catch/1']);
  });

  test('of loops without steps is the iteration limit', () => {
    const empty = { action: 'set' as const, vars: { a: 1 } };
    const steps = [
      {
        action: 'loop' as const,
        until: 'false',
        maxIterations: 10_000,
        steps: [{ action: 'loop' as const, until: 'false', maxIterations: 10_000, steps: [empty] }],
      },
    ];
    expect(execute({ steps }).error?.code).toBe('LOOP_LIMIT_EXCEEDED');
  });
});

test('values of an iteration are removed before the next one', () => {
  const { output } = execute(
    {
      steps: [
        {
          action: 'forEach',
          id: 'all',
          in: [1, 2],
          steps: [{ action: 'group', if: 'vars.item == 1', steps: [read('maybe')] }],
          collect: '{{steps.maybe.value}}',
        },
      ],
      output: '{{steps.all.value}}',
    },
    () => 'read',
  );
  expect(output()).toEqual(['read', null]);
});

test('a called workflow sees only its inputs, and returns its output', () => {
  const { problems, paths, output } = execute(
    {
      inputs: { user: { type: 'string' } },
      workflows: {
        greet: {
          inputs: { name: { type: 'string' }, loud: { type: 'boolean', default: false } },
          steps: [{ ...open('page') }],
          output: { greeting: 'Hello {{inputs.name}}', loud: '{{inputs.loud}}' },
        },
      },
      steps: [{ action: 'call', id: 'sub', workflow: 'greet', inputs: { name: '{{inputs.user}}' } }],
      output: '{{steps.sub.value.greeting}}, {{steps.sub.value.loud}}',
    },
    () => null,
    { user: 'Ada' },
  );
  expect(problems).toEqual([]);
  expect([paths, output()]).toEqual([['sub/page'], 'Hello Ada, false']);
});

/** Pseudo-random integers of a seed. */
function seededRandom(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Source = WorkflowDefinitionInput['steps'];

function randomSteps(random: (below: number) => number, depth: number): Source {
  return Array.from({ length: 1 + random(3) }, (): Source[number] => {
    const steps = () => randomSteps(random, depth + 1);
    const condition = [undefined, 'true', 'false', { text: 'now' }][random(8)];
    const common = condition === undefined ? {} : { if: condition };
    switch (depth > 2 ? 0 : random(9)) {
      case 1:
        return { action: 'group', steps: steps(), ...(random(2) && { else: steps() }), ...common };
      case 2:
        return {
          action: 'forEach',
          in: Array.from({ length: random(4) }, (_, n) => n),
          as: `v${depth}`,
          steps: steps(),
          ...common,
        };
      case 3:
        return {
          action: 'loop',
          until: { text: 'done' },
          maxIterations: 3,
          index: `i${depth}`,
          steps: steps(),
          ...common,
        };
      case 4:
        return { action: 'paginate', next: { text: 'Next' }, maxIterations: 3, steps: steps(), ...common };
      case 5:
      case 6:
        return {
          action: 'try',
          steps: steps(),
          ...(random(3) && { catch: steps() }),
          ...(random(2) && { finally: steps() }),
          ...common,
        };
      default:
        return { ...open(), ...common };
    }
  });
}

/** A random outcome that depends on the seed and the path only. */
const randomOutcome =
  (seed: number): Answer =>
  ({ path, step }) => {
    const random = seededRandom([...path].reduce((sum, char) => sum * 31 + char.charCodeAt(0), seed) % 1_000_000);
    random(2);
    if (random(6) === 0) return fail;
    return step.action === 'checkCondition' ? random(2) === 0 : path;
  };

const seeds = Array.from({ length: 300 }, (_, seed) => seed);

test('replaying the outcomes of an interrupted run leads to the same state', () => {
  let longest = 0;
  for (const seed of seeds) {
    const { start, states, positions, outcomes, definition, error } = execute(
      { steps: randomSteps(seededRandom(seed), 0) },
      randomOutcome(seed),
    );
    longest = Math.max(longest, positions.length);
    expect(new Set(positions.map(({ path }) => path)).size).toBe(positions.length);
    expect(positions.map(({ number }) => number)).toEqual(positions.map((_, index) => index));
    for (const { path, step } of positions) expect(findStep(definition, path)).toEqual(step);
    if (error) expect(['TARGET_NOT_FOUND', 'LOOP_LIMIT_EXCEEDED']).toContain(error.code);
    for (const lostAt of [0, Math.floor(positions.length / 2), positions.length - 1]) {
      const checkpoints = outcomes.slice(0, lostAt).map((outcome, step): Checkpoint => ({
        step,
        path: positions[step]?.path ?? '',
        status: outcome.status,
        epoch: 1,
        value: outcome.status === 'failed' ? null : outcome.value,
        verifiable: false,
        ...(outcome.status === 'failed' && { error: { ...outcome.error, retry: 'no' as const } }),
      }));
      const history = replayRun(start, recordsFromCheckpoints(checkpoints, new Map()));
      expect(history.positions).toEqual(positions.slice(0, lostAt + 1));
      expect(history.states[lostAt]).toEqual(states[lostAt]);
    }
  }
  expect(longest).toBeGreaterThan(20);
});

test('records of an attempt on another path are ignored', () => {
  const steps: Source = [{ action: 'try', steps: [open(), open()], catch: [open()] }, open()];
  const { start } = execute({ steps });
  const record = (step: number, path: string, status: Checkpoint['status']): Checkpoint => ({
    step,
    path,
    status,
    epoch: 1,
    value: null,
    verifiable: false,
    ...(status === 'failed' && { error: { code: 'TARGET_NOT_FOUND', message: '', retry: 'no' } }),
  });
  // The first attempt reached 2. The second failed at 1/1 and was lost before 1/catch/1.
  const records = [record(0, '1/1', 'failed'), record(1, '1/2', 'completed'), record(2, '2', 'running')];
  const history = replayRun(start, recordsFromCheckpoints(records, new Map()));
  expect(history.positions.map(({ path }) => path)).toEqual(['1/1', '1/catch/1']);
  expect([...history.caughtFailures]).toEqual([0]);
});

describe('the path of a step', () => {
  const rows = { action: 'forEach' as const, id: 'orders', in: ['a', 'b'], steps: [open('visit'), open()] };
  const steps: Source = [open(), rows, { action: 'try', id: 'attempt', steps: [read('title')], catch: [open('undo')] }];

  test('has ids instead of positions', () => {
    const { paths, positions, definition } = execute({ steps }, ({ path }) => (path === 'attempt/title' ? fail : null));
    expect(paths).toEqual([
      '1',
      'orders[1]/visit',
      'orders[1]/2',
      'orders[2]/visit',
      'orders[2]/2',
      'attempt/title',
      'attempt/catch/undo',
    ]);
    for (const { path, step } of positions) expect(findStep(definition, path)).toEqual(step);
  });

  test('of ids only does not change when steps are inserted before', () => {
    const stablePaths = (allSteps: Source) =>
      execute({ steps: allSteps }).paths.filter((path) => !/(^|\/)\d/.test(path));
    expect(stablePaths([open(), open(), ...steps])).toEqual(stablePaths(steps));
  });

  test('of a decision starts with the id of its block', () => {
    const loop = { action: 'loop' as const, id: 'wait', until: { text: 'ready' }, steps: [open()] };
    const { paths, definition } = execute({ steps: [{ ...loop, if: { text: 'busy' } }] }, () => true);
    expect(paths).toEqual(['wait/if', 'wait[1]/1', 'wait[1]/until']);
    expect(findStep(definition, 'wait[1]/until')).toEqual({ action: 'checkCondition', condition: { text: 'ready' } });
    expect(findStep(definition, 'wait/if')).toEqual({ action: 'checkCondition', condition: { text: 'busy' } });
  });
});

test('positions never refer to blocks', () => {
  const { positions } = execute({ steps: randomSteps(seededRandom(7), 0) }, randomOutcome(7));
  expect(positions.every(({ step }) => !isBlock(step))).toBe(true);
});

test('a step is not idempotent if a branch calls a step that is not', () => {
  const post = { action: 'http' as const, method: 'POST' as const, url: 'https://a.test/' };
  const nonIdempotent = (step: object, options: object = {}) => {
    const branches = { a: [{ action: 'call' as const, workflow: 'outer' }], b: [open()] };
    const { positions, problems } = execute({
      steps: [{ action: 'parallel', branches, ...options }],
      workflows: {
        outer: { steps: [{ action: 'group', steps: [{ action: 'call', workflow: 'inner' }] }] },
        inner: { steps: [open(), { ...post, ...step }] },
      },
    });
    expect(problems).toEqual([]);
    return positions.map((position) => isNonIdempotent(position.step));
  };
  expect([nonIdempotent({}), nonIdempotent({ method: 'GET' }), nonIdempotent({}, { idempotent: true })]).toEqual([
    [true],
    [false],
    [false],
  ]);
  expect(nonIdempotent({ idempotent: false }, { idempotent: true })).toEqual([true]);
});
