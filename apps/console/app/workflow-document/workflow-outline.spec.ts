import { layoutGraph, slotAt } from '../editor/graph/graph-layout.ts';
import { allSteps, readOutline } from './workflow-outline.ts';
import { pathOfRunStep } from './yaml-path.ts';

const file = `name: round
inputs: { sku: { type: string } }
steps:
  - action: navigate
    title: Open the shop
    url: https://a.example
  - action: forEach
    in: steps.rows.value
    steps:
      - action: click
        target: [{ role: button, name: Add }, { css: b }]
      - action: loop
        until: "true"
`;
const acceptsSteps = (action: string) => action === 'forEach' || action === 'loop';
const outline = readOutline(file, acceptsSteps);

test('steps have names, summaries and lines', () => {
  const steps = allSteps(outline?.steps ?? { path: [], field: '', steps: [] });
  expect(steps.map(({ key, name, detail, lines }) => [key, name, detail, lines.first, lines.last])).toEqual([
    ['/steps/0', 'Open the shop', 'https://a.example', 4, 6],
    ['/steps/1', 'forEach', 'steps.rows.value', 7, 13],
    ['/steps/1/steps/0', 'click', 'button Add', 10, 11],
    ['/steps/1/steps/1', 'loop', 'true', 12, 13],
  ]);
  expect(outline?.inputs).toEqual({ sku: { type: 'string' } });
});

test.each(['', 'steps: [', '- a', 'a: *b'])('%j has no outline', (text) =>
  expect(readOutline(text, acceptsSteps)).toBeNull(),
);

test('a text has no outline when it is beyond the limits of a workflow file', () => {
  const steps = 'steps:\n  - action: reload\n';
  expect(readOutline(`${steps}# ${'x'.repeat(250_000)}`, acceptsSteps)?.steps.steps).toHaveLength(1);
  expect(readOutline(`${steps}# ${'x'.repeat(270_000)}`, acceptsSteps)).toBeNull();
  expect(readOutline(`${steps}base: &base { a: 1 }\nmore: { <<: *base }\n`, acceptsSteps)).toBeNull();
  expect(readOutline(`${steps}a: 1\na: 2\n`, acceptsSteps)).toBeNull();
  expect(readOutline(`${steps}deep: ${'['.repeat(5000)}${']'.repeat(5000)}\n`, acceptsSteps)).toBeNull();
});

test('many keys are read in linear time', () => {
  const keys = Array.from({ length: 10_000 }, (_, index) => `  key${index}: 1\n`).join('');
  const startedAt = performance.now();
  expect(readOutline(`steps:\n  - action: reload\ninputs:\n${keys}`, acceptsSteps)?.steps.steps).toHaveLength(1);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

test.each(['steps: 5', 'steps: [1, {}]', 'steps:\n  - action: [x]'])(
  'an incomplete workflow has an outline: %j',
  (text) => expect(readOutline(text, acceptsSteps)).not.toBeNull(),
);

const namedSteps = [
  { path: ['steps', 1], action: 'forEach', value: { id: 'rows' } },
  { path: ['steps', 1, 'steps', 0], action: 'click', value: { id: 'open' } },
  { path: ['steps', 2], action: 'call', value: { id: 'log_in' } },
];

test.each([
  ['2', ['steps', 1]],
  ['2[3]/1', ['steps', 1, 'steps', 0]],
  ['1/catch/2', ['steps', 0, 'catch', 1]],
  ['2[1]/until', ['steps', 1]],
  ['rows[3]/open', ['steps', 1, 'steps', 0]],
  ['rows[3]/2/1', ['steps', 1, 'steps', 1, 'steps', 0]],
  ['log_in/open', ['steps', 2]],
])('the run step %s belongs to the step %j', (runStep, path) =>
  expect(pathOfRunStep(runStep, namedSteps)).toEqual(path),
);

test('boxes are stacked, and the boxes of a block are inside it', () => {
  const { steps, links, lists } = layoutGraph(outline?.steps ?? { path: [], field: '', steps: [] });
  const box = new Map(steps.map((layoutStep) => [layoutStep.step.key, layoutStep]));
  const [open, each, click, loop] = ['/steps/0', '/steps/1', '/steps/1/steps/0', '/steps/1/steps/1'].map((key) =>
    box.get(key),
  );
  if (!open || !each || !click || !loop) throw new Error('A box is missing');
  expect(each.y).toBeGreaterThan(open.y + open.height);
  expect(loop.y).toBeGreaterThan(click.y + click.height);
  expect(loop.y + loop.height).toBeLessThan(each.height);
  expect(click.x + click.width).toBeLessThan(each.width);
  expect(links.map(({ source, target }) => [source, target])).toContainEqual(['/steps/1/steps/0', '/steps/1/steps/1']);
  // An empty block has a place to put a step into.
  expect(lists.map(({ key }) => key)).toContain('/steps/1/steps/1/steps');
});

test('a dropped step takes the nearest slot', () => {
  const layout = layoutGraph(outline?.steps ?? { path: [], field: '', steps: [] });
  for (const slot of layout.slots) {
    const slotAtPointer = slotAt(layout, { x: slot.x + slot.width / 2, y: slot.y }, ['steps', 9]);
    expect(slotAtPointer).toMatchObject({ list: slot.list, index: slot.index });
  }
  const inner = layout.slots.find(({ list }) => list.length > 3);
  // Not into itself.
  expect(slotAt(layout, { x: inner?.x ?? 0, y: inner?.y ?? 0 }, ['steps', 1])?.list).toEqual(['steps']);
});

test('branches with their own page are lists with names', () => {
  const [step] =
    readOutline(
      'steps: [{ action: parallel, branches: { rate: { action: http, url: u }, shop: [{ action: navigate, url: v }] } }]',
      acceptsSteps,
    )?.steps.steps ?? [];
  expect(step?.lists.map(({ field, path }) => [field, path])).toEqual([['shop', ['steps', 0, 'branches', 'shop']]]);
  expect(step?.lists[0]?.steps.map(({ key, detail }) => [key, detail])).toEqual([['/steps/0/branches/shop/0', 'v']]);
  expect(step?.detail).toBe('rate: action http, url u');
});

test('a step with empty fields has an empty summary', () => {
  const text =
    'steps:\n  - { action: forEach, in: [] }\n  - { action: click, target: {} }\n  - { action: fill, text: }\n';
  const details = readOutline(text, acceptsSteps)?.steps.steps.map(({ detail }) => detail);
  expect(details).toEqual(['', '', '']);
});
