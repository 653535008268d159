import { lintDefinition } from '../workflow/lint/lint-workflow.ts';
import { findStep } from './step-path.ts';
import { replayRun, recordsFromCheckpoints } from './replay-history.ts';
import {
  isBlock,
  isNonIdempotent,
  workflowDefinitionSchema,
  type Checkpoint,
  type Json,
  type WorkflowDefinitionInput,
} from '@pilothouse/contract';
import { renderTemplates } from '../secret/secret-placeholders.ts';
import { advance, startProgram } from './interpreter.ts';
import { toTemplateScope } from './variable-scope.ts';
import type { StepOutcome, StepPosition, InterpreterState } from './interpreter-state.ts';

const open = (id?: string) => ({ action: 'navigate' as const, url: 'https://a.test', ...(id && { id }) });
const read = (id: string) => ({ action: 'extract' as const, id, target: { css: 'p' }, list: {} });
const fail: StepOutcome = { status: 'failed', error: { code: 'TARGET_NOT_FOUND', message: 'gone' } };
const run = { id: 'a-run', epoch: 1 };

type Answer = (place: StepPosition) => Json | StepOutcome;
const isOutcome = (answer: Json | StepOutcome): answer is StepOutcome =>
  typeof answer === 'object' && answer !== null && 'status' in answer;

/** Carries a workflow out. @returns where it was, each step's outcome, and how it ended */
function walk(
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
    const given = answer(state.next.place);
    const outcome: StepOutcome = isOutcome(given) ? given : { status: 'completed', value: given };
    outcomes.push(outcome);
    state = advance(state, outcome);
    states.push(state);
  }
  const places = states.flatMap(({ next }) => (next.kind === 'step' ? [next.place] : []));
  const output = () => renderTemplates(definition.output ?? null, toTemplateScope(state.scope, run));
  const error = state.next.kind === 'failed' ? state.next.error : undefined;
  return {
    definition,
    problems,
    start,
    states,
    places,
    ats: places.map(({ path: at }) => at),
    outcomes,
    end: state,
    output,
    error,
  };
}

test('a list without control flow is carried out from the first to the last', () => {
  const { ats, places, end } = walk({ steps: [open(), open(), open()] });
  expect(ats).toEqual(['1', '2', '3']);
  expect(places.map(({ number }) => number)).toEqual([0, 1, 2]);
  expect(end.next.kind).toBe('end');
});

test('a list is looked at once, and each round adds to what the loop gives', () => {
  const { problems, ats, output } = walk(
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
          collect: { sku: '{{vars.row.sku}}', at: '{{vars.i}}', seen: '{{steps.rows2.value}}' },
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
  expect(ats).toEqual(['rows', 'all[1]/1', 'all[1]/rows2', 'all[2]/1', 'all[2]/rows2']);
  expect(output()).toEqual([
    { sku: 'b', at: 0, seen: 'all[1]/rows2' },
    { sku: 'c', at: 1, seen: 'all[2]/rows2' },
  ]);
});

test.each([
  ['an expression that holds', 'inputs.n == 3', ['one', '2']],
  ['one that does not', 'inputs.n > 3', ['2']],
  ['a condition of the page', { text: 'yes' }, ['one/if', 'one', '2']],
  ['one that is not so', { text: 'no' }, ['one/if', '2']],
] as const)('a step with `if`: %s', (_, when, expected) => {
  const steps = [{ ...open('one'), if: when }, open()];
  const answer: Answer = ({ step }) => step.action === 'checkCondition' && step.condition.text === 'yes';
  const { ats, output } = walk({ inputs: { n: { type: 'integer' } }, steps, output: '{{steps.one.value}}' }, answer, {
    n: 3,
  });
  expect(ats).toEqual(expected);
  expect(output()).toBe(expected.includes('one' as never) ? false : null);
});

test('a group has another way when it is left out', () => {
  const group = { action: 'group' as const, if: 'vars.n > 1', steps: [open()], else: [open(), open()] };
  expect(walk({ steps: [{ action: 'set', vars: { n: '1 + 1' } }, group] }).ats).toEqual(['2/1']);
  expect(walk({ steps: [{ action: 'set', vars: { n: 1 } }, group] }).ats).toEqual(['2/else/1', '2/else/2']);
});

test('steps are repeated until something is so, and no more often than they may', () => {
  const count = { action: 'set' as const, vars: { n: 'vars.n + 1' } };
  const loop = (until: string | { text: string }, maxIterations?: number) => ({
    steps: [
      { action: 'set' as const, vars: { n: 0 } },
      { action: 'loop' as const, until, steps: [open(), count], ...(maxIterations && { maxIterations }) },
    ],
    output: '{{vars.n}}',
  });
  const three = walk(loop('vars.n >= 3'));
  expect([three.ats, three.output()]).toEqual([['2[1]/1', '2[2]/1', '2[3]/1'], 3]);
  const seen = walk(loop({ text: 'there' }), ({ path: at }) => at === '2[2]/until');
  expect(seen.ats).toEqual(['2[1]/1', '2[1]/until', '2[2]/1', '2[2]/until']);
  const never = walk(loop('vars.n < 0', 2));
  expect([never.ats, never.error?.code]).toEqual([['2[1]/1', '2[2]/1'], 'LOOP_LIMIT_EXCEEDED']);
});

test('pages are gone through until there is no next one', () => {
  const pages = {
    action: 'paginate' as const,
    id: 'pages',
    next: { text: 'Next' },
    steps: [read('rows')],
    collect: '{{steps.rows.value}}',
  };
  const answer: Answer = ({ path: at, step }) => (step.action === 'checkCondition' ? at === 'pages[1]/more' : at);
  const { ats, output } = walk({ steps: [pages], output: '{{steps.pages.value}}' }, answer);
  expect(ats).toEqual(['pages[1]/rows', 'pages[1]/more', 'pages[1]/next', 'pages[2]/rows', 'pages[2]/more']);
  expect(output()).toEqual(['pages[1]/rows', 'pages[2]/rows']);
});

describe('what fails', () => {
  const tried = (more: object) => ({
    steps: [{ action: 'try' as const, steps: [open(), open()], ...more }, open()],
  });
  const first: Answer = ({ path: at }) => (at === '1/1' ? fail : null);

  test('is caught, with its code', () => {
    const caught = { catch: [{ ...open(), if: 'vars.error.code == "TARGET_NOT_FOUND"' }], finally: [open()] };
    expect(walk(tried(caught), first).ats).toEqual(['1/1', '1/catch/1', '1/finally/1', '2']);
    expect(walk(tried(caught)).ats).toEqual(['1/1', '1/2', '1/finally/1', '2']);
    expect(walk(tried({ catch: [] }), first).ats).toEqual(['1/1', '2']);
  });

  test('is thrown again after `finally` when nothing catches it', () => {
    const { ats, error } = walk(tried({ finally: [open()] }), first);
    expect([ats, error?.code]).toEqual([['1/1', '1/finally/1'], 'TARGET_NOT_FOUND']);
  });

  test('may fail in `catch` too: `finally` is done all the same', () => {
    const failing: Answer = ({ path: at }) => (at === '1/1' || at === '1/catch/1' ? fail : null);
    const { ats, error } = walk(tried({ catch: [open()], finally: [open()] }), failing);
    expect([ats, error?.code]).toEqual([['1/1', '1/catch/1', '1/finally/1'], 'TARGET_NOT_FOUND']);
  });

  test('leaves loops and calls on its way out', () => {
    const { ats, end } = walk(
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
      ({ path: at }) => (at === '1/1[2]/1/1' ? fail : null),
    );
    expect(ats).toEqual(['1/1[1]/1/1', '1/1[2]/1/1', '1/catch/1', '2']);
    expect([end.next.kind, end.scope.vars]).toEqual(['end', {}]);
  });

  test('expressions fail like steps, and say where', () => {
    const steps = [{ action: 'set' as const, vars: { a: 'inputs.n + "x"' } }, open()];
    const { ats, error } = walk({ inputs: { n: { type: 'integer' } }, steps }, () => null, { n: 1 });
    expect([ats, error?.code, error?.message]).toEqual([[], 'EXPRESSION_FAILED', expect.stringMatching(/^Step 1: /)]);
    const caught = walk(
      { inputs: { n: { type: 'integer' } }, steps: [{ action: 'try', steps, catch: [open()] }] },
      () => null,
      {
        n: 1,
      },
    );
    expect(caught.ats).toEqual(['1/catch/1']);
  });

  test('loops that do nothing end', () => {
    const empty = { action: 'set' as const, vars: { a: 1 } };
    const steps = [
      {
        action: 'loop' as const,
        until: 'false',
        maxIterations: 10_000,
        steps: [{ action: 'loop' as const, until: 'false', maxIterations: 10_000, steps: [empty] }],
      },
    ];
    expect(walk({ steps }).error?.code).toBe('LOOP_LIMIT_EXCEEDED');
  });
});

test('what a round read is not known in the next', () => {
  const { output } = walk(
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

test('a called workflow sees its inputs only, and gives its output', () => {
  const { problems, ats, output } = walk(
    {
      inputs: { who: { type: 'string' } },
      workflows: {
        greet: {
          inputs: { name: { type: 'string' }, loud: { type: 'boolean', default: false } },
          steps: [{ ...open('page') }],
          output: { said: 'Hello {{inputs.name}}', loud: '{{inputs.loud}}' },
        },
      },
      steps: [{ action: 'call', id: 'sub', workflow: 'greet', inputs: { name: '{{inputs.who}}' } }],
      output: '{{steps.sub.value.said}}, {{steps.sub.value.loud}}',
    },
    () => null,
    { who: 'Ada' },
  );
  expect(problems).toEqual([]);
  expect([ats, output()]).toEqual([['sub/page'], 'Hello Ada, false']);
});

/** Small numbers that look drawn by lot, the same for the same seed. */
function lots(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Source = WorkflowDefinitionInput['steps'];

function program(draw: (below: number) => number, depth: number): Source {
  return Array.from({ length: 1 + draw(3) }, (): Source[number] => {
    const steps = () => program(draw, depth + 1);
    const condition = [undefined, 'true', 'false', { text: 'now' }][draw(8)];
    const common = condition === undefined ? {} : { if: condition };
    switch (depth > 2 ? 0 : draw(9)) {
      case 1:
        return { action: 'group', steps: steps(), ...(draw(2) && { else: steps() }), ...common };
      case 2:
        return {
          action: 'forEach',
          in: Array.from({ length: draw(4) }, (_, n) => n),
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
          ...(draw(3) && { catch: steps() }),
          ...(draw(2) && { finally: steps() }),
          ...common,
        };
      default:
        return { ...open(), ...common };
    }
  });
}

/** What a place comes to: by lot, but always the same in the same place. */
const fate =
  (seed: number): Answer =>
  ({ path: at, step }) => {
    const draw = lots([...at].reduce((sum, char) => sum * 31 + char.charCodeAt(0), seed) % 1_000_000);
    draw(2);
    if (draw(6) === 0) return fail;
    return step.action === 'checkCondition' ? draw(2) === 0 : at;
  };

const seeds = Array.from({ length: 300 }, (_, seed) => seed);

test('whoever has the outcomes of a run comes to the same place, wherever it was lost', () => {
  let longest = 0;
  for (const seed of seeds) {
    const { start, states, places, outcomes, definition, error } = walk({ steps: program(lots(seed), 0) }, fate(seed));
    longest = Math.max(longest, places.length);
    expect(new Set(places.map(({ path: at }) => at)).size).toBe(places.length);
    expect(places.map(({ number }) => number)).toEqual(places.map((_, index) => index));
    for (const { path: at, step } of places) expect(findStep(definition, at)).toEqual(step);
    if (error) expect(['TARGET_NOT_FOUND', 'LOOP_LIMIT_EXCEEDED']).toContain(error.code);
    for (const lost of [0, Math.floor(places.length / 2), places.length - 1]) {
      const checkpoints = outcomes.slice(0, lost).map((outcome, step): Checkpoint => ({
        step,
        path: places[step]?.path ?? '',
        status: outcome.status,
        epoch: 1,
        value: outcome.status === 'failed' ? null : outcome.value,
        verifiable: false,
        ...(outcome.status === 'failed' && { error: { ...outcome.error, retry: 'no' as const } }),
      }));
      const history = replayRun(start, recordsFromCheckpoints(checkpoints, new Map()));
      expect(history.places).toEqual(places.slice(0, lost + 1));
      expect(history.states[lost]).toEqual(states[lost]);
    }
  }
  expect(longest).toBeGreaterThan(20);
});

test('an attempt that took another way leaves nothing that is mistaken for this one', () => {
  const steps: Source = [{ action: 'try', steps: [open(), open()], catch: [open()] }, open()];
  const { start } = walk({ steps });
  const record = (step: number, at: string, status: Checkpoint['status']): Checkpoint => ({
    step,
    path: at,
    status,
    epoch: 1,
    value: null,
    verifiable: false,
    ...(status === 'failed' && { error: { code: 'TARGET_NOT_FOUND', message: '', retry: 'no' } }),
  });
  // The first attempt came to 2; the second failed at 1/1, and was lost before it began 1/catch/1.
  const left = [record(0, '1/1', 'failed'), record(1, '1/2', 'completed'), record(2, '2', 'running')];
  const history = replayRun(start, recordsFromCheckpoints(left, new Map()));
  expect(history.places.map(({ path: at }) => at)).toEqual(['1/1', '1/catch/1']);
  expect([...history.caught]).toEqual([0]);
});

describe('the path of a step', () => {
  const rows = { action: 'forEach' as const, id: 'orders', in: ['a', 'b'], steps: [open('visit'), open()] };
  const steps: Source = [open(), rows, { action: 'try', id: 'tried', steps: [read('seen')], catch: [open('undo')] }];

  test('has ids in place of positions', () => {
    const { ats, places, definition } = walk({ steps }, ({ path }) => (path === 'tried/seen' ? fail : null));
    expect(ats).toEqual([
      '1',
      'orders[1]/visit',
      'orders[1]/2',
      'orders[2]/visit',
      'orders[2]/2',
      'tried/seen',
      'tried/catch/undo',
    ]);
    for (const { path, step } of places) expect(findStep(definition, path)).toEqual(step);
  });

  test('with ids alone stays the same when steps are added before', () => {
    const kept = (all: Source) => walk({ steps: all }).ats.filter((at) => !/(^|\/)\d/.test(at));
    expect(kept([open(), open(), ...steps])).toEqual(kept(steps));
  });

  test('has the decisions of a block under its id', () => {
    const until = { action: 'loop' as const, id: 'wait', until: { text: 'ready' }, steps: [open()] };
    const { ats, definition } = walk({ steps: [{ ...until, if: { text: 'busy' } }] }, () => true);
    expect(ats).toEqual(['wait/if', 'wait[1]/1', 'wait[1]/until']);
    expect(findStep(definition, 'wait[1]/until')).toEqual({ action: 'checkCondition', condition: { text: 'ready' } });
    expect(findStep(definition, 'wait/if')).toEqual({ action: 'checkCondition', condition: { text: 'busy' } });
  });
});

test('blocks are no steps', () => {
  const { places } = walk({ steps: program(lots(7), 0) }, fate(7));
  expect(places.every(({ step }) => !isBlock(step))).toBe(true);
});

test('a step of which a branch calls what must not happen twice must not happen twice itself', () => {
  const post = { action: 'http' as const, method: 'POST' as const, url: 'https://a.test/' };
  const once = (step: object, own: object = {}) => {
    const branches = { a: [{ action: 'call' as const, workflow: 'outer' }], b: [open()] };
    const { places, problems } = walk({
      steps: [{ action: 'parallel', branches, ...own }],
      workflows: {
        outer: { steps: [{ action: 'group', steps: [{ action: 'call', workflow: 'inner' }] }] },
        inner: { steps: [open(), { ...post, ...step }] },
      },
    });
    expect(problems).toEqual([]);
    return places.map((place) => isNonIdempotent(place.step));
  };
  expect([once({}), once({ method: 'GET' }), once({}, { idempotent: true })]).toEqual([[true], [false], [false]]);
  expect(once({ idempotent: false }, { idempotent: true })).toEqual([true]);
});
