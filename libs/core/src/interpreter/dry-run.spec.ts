import { workflowDefinitionSchema, type WorkflowDefinitionInput } from '@pilothouse/contract/workflow/workflow.schema';
import { dryRun } from './dry-run.ts';
import { advance, startBranch, startProgram } from './interpreter.ts';
import { numberOf } from './step-number.ts';

const source: WorkflowDefinitionInput = {
  name: 'spec',
  inputs: { word: { type: 'string' }, password: { type: 'string', secret: true } },
  steps: [
    { action: 'fill', target: { label: 'Password' }, text: '{{inputs.password}}' },
    {
      action: 'extract',
      id: 'rows',
      target: { css: 'tr' },
      list: { sku: { css: 'td' }, n: { css: 'th', type: 'integer' } },
    },
    {
      action: 'forEach',
      id: 'all',
      in: 'steps.rows.value',
      as: 'row',
      steps: [{ action: 'navigate', url: 'https://a.test/{{vars.row.sku}}?q={{inputs.word}}' }],
      collect: '{{vars.row.n}}',
    },
    { action: 'paginate', next: { text: 'Next' }, steps: [{ action: 'screenshot' }] },
  ],
  output: '{{steps.all.value}}',
};
const program = workflowDefinitionSchema.parse(source);
const programInputs = { inputs: { word: 'rope' }, secrets: ['password'] };
const urls = (run: ReturnType<typeof dryRun>) =>
  run.steps.flatMap(({ step }) => (step.action === 'navigate' ? [step.url] : []));

test('shows the steps of a run with rendered templates', () => {
  const run = dryRun(program, programInputs, {});
  expect(run.steps.map(({ at: path }) => path)).toEqual(['1', 'rows', 'all[1]/1', '4[1]/1', '4[1]/more']);
  expect(run.steps[0]?.step).toMatchObject({ text: '{{inputs.password}}' });
  expect(run.steps[1]).toMatchObject({ value: [{ sku: '<sku>', n: 1 }], isSupplied: false });
  expect(urls(run)).toEqual(['https://a.test/<sku>?q=rope']);
  expect(run).toMatchObject({ end: 'end', output: [1] });
});

test('uses the given step values', () => {
  const run = dryRun(program, programInputs, {
    rows: [
      { sku: 'a', n: 4 },
      { sku: 'b', n: 5 },
    ],
  });
  expect(urls(run)).toEqual(['https://a.test/a?q=rope', 'https://a.test/b?q=rope']);
  expect(run.output).toEqual([4, 5]);
});

test('shows steps of branches, with values of earlier steps', () => {
  const navigate = (url: string) => ({ action: 'navigate' as const, url });
  const title = { id: 'title', action: 'extract' as const, target: { css: 'h1' }, value: {} };
  const branches = {
    left: [navigate('https://a.test/'), title, navigate('https://a.test/{{steps.title.value}}')],
    right: [navigate('https://b.test/'), title],
  };
  const run = dryRun(
    { steps: [{ id: 'both', action: 'parallel', branches }], output: '{{steps.both.value}}' },
    programInputs,
    {},
  );
  expect(run.steps.map(({ at: path }) => path)).toEqual([
    'both',
    'both/left/1',
    'both/left/title',
    'both/left/3',
    'both/right/1',
    'both/right/title',
  ]);
  expect(urls(run)).toEqual(['https://a.test/', 'https://a.test/<title>', 'https://b.test/']);
  expect(run).toMatchObject({ end: 'end', output: { left: { title: '<title>' }, right: { title: '<title>' } } });
});

test('shows control flow of a branch, with its own values and variables', () => {
  const branches = {
    shop: [
      { action: 'set' as const, vars: { query: 'vars.query + "-shop"' } },
      {
        id: 'all',
        action: 'forEach' as const,
        in: ['a', 'b'],
        steps: [
          { action: 'navigate' as const, url: 'https://{{vars.item}}.test/?q={{vars.query}}' },
          { id: 'title', action: 'extract' as const, target: { css: 'h1' }, value: {} },
        ],
        collect: '{{vars.item}}: {{steps.title.value}}',
      },
    ],
    data: { action: 'http' as const, url: 'https://data.test/?q={{vars.query}}' },
  };
  const run = dryRun(
    {
      steps: [
        { action: 'set', vars: { query: '"rope"' } },
        { id: 'both', action: 'parallel', branches },
        { action: 'navigate', url: 'https://after.test/?q={{vars.query}}' },
      ],
    },
    programInputs,
    {},
  );
  expect(run.end).toBe('end');
  const inBranch = ['all[1]/1', 'all[1]/title', 'all[2]/1', 'all[2]/title'].map((inner) => `both/shop/${inner}`);
  expect(run.steps.map(({ at: path }) => path)).toEqual(['both', ...inBranch, '3']);
  expect(urls(run)).toEqual([
    'https://a.test/?q=rope-shop',
    'https://b.test/?q=rope-shop',
    'https://after.test/?q=rope',
  ]);
});

test('a step of a branch has the same number in a dry run and in a run', () => {
  const click = { action: 'click' as const, target: { css: 'a' } };
  const rows = { id: 'rows', action: 'forEach' as const, in: ['a', 'b'], steps: [click] };
  const left = [
    { action: 'navigate' as const, url: 'https://a.test/' },
    rows,
    { id: 'sub', action: 'call' as const, workflow: 'inner' },
  ];
  const right = { action: 'http' as const, url: 'https://b.test/' };
  const workflows = { inner: workflowDefinitionSchema.parse({ name: 'inner', steps: [{ ...click, id: 'last' }] }) };
  // The first step has the id of a step in the branch.
  const steps = [
    { ...click, id: 'rows' },
    { id: 'both', action: 'parallel' as const, branches: { left, right } },
  ];
  const numbers = ['2/left/1', '2/left/2[1]/1', '2/left/2[2]/1', '2/left/3/1'];
  const dryOutcome = dryRun({ steps, workflows }, programInputs, {});
  expect(dryOutcome.error).toBeNull();
  const dry = dryOutcome.steps;
  expect(dry.map(({ number }) => number)).toEqual(['1', '2', ...numbers]);

  let state = startBranch(startProgram({ steps, workflows }, { id: 'run', epoch: 1 }, programInputs), left);
  const runNumbers = [];
  while (state.next.kind === 'step') {
    runNumbers.push(`2/left/${numberOf(state.next.position)}`);
    state = advance(state, { status: 'completed', value: null });
  }
  expect(runNumbers).toEqual(numbers);
});

test('enters workflows that a branch calls, and generates the value of a goal', () => {
  const branches = {
    called: [{ id: 'stock', action: 'call' as const, workflow: 'read', inputs: { sku: 'a' } }],
    agent: [
      { action: 'navigate' as const, url: 'https://b.test/' },
      { id: 'price', action: 'goal' as const, goal: 'Say the price', outputSchema: { type: 'number' as const } },
    ],
  };
  const read = {
    inputs: { sku: { type: 'string' as const } },
    steps: [
      { action: 'navigate' as const, url: 'https://a.test/{{inputs.sku}}' },
      { id: 'left', action: 'extract' as const, target: { css: 'p' }, value: {} },
    ],
    output: '{{steps.left.value}}',
  };
  const steps = [{ id: 'both', action: 'parallel' as const, branches }];
  const run = dryRun({ steps, workflows: { read }, output: '{{steps.both.value}}' }, programInputs, {});
  expect(run.steps.map(({ at: path }) => path)).toEqual([
    'both',
    'both/called/stock/1',
    'both/called/stock/left',
    'both/agent/1',
    'both/agent/price',
  ]);
  expect(urls(run)).toEqual(['https://a.test/a', 'https://b.test/']);
  expect(run).toMatchObject({ end: 'end', output: { agent: { price: 1 } } });
});

test('reports the failing step, and stops after the maximum number of steps', () => {
  const failing = dryRun(program, programInputs, { rows: [{ n: 4 }] });
  expect(failing).toMatchObject({ end: 'failed', error: { code: 'TEMPLATE_INVALID' } });
  const screenshot = { action: 'screenshot' as const };
  const long = {
    ...program,
    steps: [{ action: 'loop' as const, until: 'false', maxIterations: 5000, steps: [screenshot] }],
  };
  expect(dryRun(long, programInputs, {})).toMatchObject({ end: 'cut', steps: { length: 1000 } });
});
