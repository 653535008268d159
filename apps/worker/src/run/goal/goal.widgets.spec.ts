import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json, ModelCall } from '@pilothouse/contract';
import { assignmentOf, ScriptedGateway } from '@pilothouse/infra-link/testing';
import { BrowserHost } from '@pilothouse/surface-browser';
import { answerOf, call, SeenPrompt, startSite, until, type Site } from '@pilothouse/testing';
import { startWorker } from '../../testing/worker.fixture.ts';
import type { Worker } from '../../worker.ts';

/*
 * Small tasks on one widget each: what the prompt says of the page, and the actions that are offered, have to suffice. The policies know
 * what things are called, and nothing of the page but its list.
 */

let site: Site;
let host: BrowserHost;
let gateway: ScriptedGateway;
let root: string;
let worker: Worker;
beforeAll(async () => {
  [site, gateway] = await Promise.all([startSite(), ScriptedGateway.start()]);
  root = await mkdtemp(join(tmpdir(), 'pilothouse-widgets-spec-'));
  host = new BrowserHost({});
  worker = await startWorker(root, { url: gateway.url, host });
  await gateway.until(() => gateway.all('ready').length > 0);
}, 30_000);
afterAll(async () => {
  worker.leaveNow('the spec is over');
  await worker.ended.catch(() => undefined);
  await host.close();
  await gateway.close();
  await site.close();
  await rm(root, { recursive: true });
});

/** An element by its line, and what is done with it. */
type Stage = readonly [line: RegExp, name: string, more?: Record<string, Json>];

const tab = /textbox "Vessel name"/;
const tasks: [string, string, Stage[]][] = [
  [
    'a text',
    'vessel = Anna',
    [
      [tab, 'type', { text: 'Anna' }],
      [tab, 'press', { key: 'Tab' }],
    ],
  ],
  [
    'a number',
    'draught = 4.5',
    [
      [/spinbutton "Draught"/, 'type', { text: '4.5' }],
      [tab, 'click'],
    ],
  ],
  ['a date', 'arrival = 2026-05-04', [[/"Arrival"/, 'type', { text: '2026-05-04' }]]],
  [
    'a longer text',
    'remarks = Two lines',
    [
      [/textbox "Remarks"/, 'type', { text: 'Two lines' }],
      [/textbox "Remarks"/, 'press', { key: 'Tab' }],
    ],
  ],
  ['an editor', 'log entry = All well', [[/textbox "Log entry"/, 'type', { text: 'All well' }]]],
  ['a select box', 'berth = n2', [[/combobox "Berth"/, 'select', { option: 'North 2' }]]],
  ['several options', 'services = Water, Waste', [[/listbox "Services"/, 'select', { option: ['Water', 'Waste'] }]]],
  ['a radio button', 'flag = no', [[/radio "Norway"/, 'check']]],
  ['a checkbox', 'dangerous = true', [[/checkbox "Dangerous goods/, 'check']]],
  ['a switch', 'night work on', [[/switch "Night work"/, 'check']]],
  ['a slider', 'speed = 6', [[/slider "Speed limit"/, 'press', { key: 'ArrowRight', times: 2 }]]],
  ['a button', 'counted 1', [[/button "Count"/, 'click']]],
  ['a button without a text', 'horn', [[/button "Sound the horn"/, 'click']]],
  ['a double click', 'double click', [[/button "Double-click me"/, 'click', { count: 2 }]]],
  ['a right click', 'right click', [[/button "Right-click me"/, 'click', { button: 'right' }]]],
  [
    'a dialog of the page',
    'dialog: yes',
    [
      [/button "Open dialog"/, 'click'],
      [/button "Yes"/, 'click'],
    ],
  ],
  [
    'a dialog of the browser',
    'answered true',
    [
      [/button "Ask by the browser"/, 'dialog', { accept: true }],
      [/button "Ask by the browser"/, 'click'],
    ],
  ],
  [
    'a menu',
    'menu: Anchor',
    [
      [/button "Menu"/, 'click'],
      [/menuitem "Anchor"/, 'click'],
    ],
  ],
  ['tabs', 'tab: Night', [[/tab "Night"/, 'click']]],
  ['drag and drop', 'dropped crate', [[/button "Crate"/, 'drag']]],
  ['a button in a shadow root', 'shadow 1', [[/button "In the shadow/, 'click']]],
];

/** Does the stages one by one, scrolling to what is not in view; then says that it is done. */
function stagesOf(stages: readonly Stage[], said: string) {
  let at = 0;
  return (seen: SeenPrompt): ModelCall[] => {
    const stage = stages[at];
    if (!stage) return [call('done', { title_or_url: 'Widget gallery', indicators: [said] })];
    const [line, name, more = {}] = stage;
    const element = seen.maybe(line);
    if (element === undefined) return [call('scroll', { by: { y: 500 } })];
    at += 1;
    if (name === 'dialog') return [call(name, more)];
    const hold: Record<string, Json> = name === 'drag' ? { to_element: seen.element(/Drop into the hold|"Hold"/) } : {};
    return [call(name, { element, ...more, ...hold })];
  };
}

const ran = async (policy: (seen: SeenPrompt) => ModelCall[]) => {
  gateway.model = ({ request }) => {
    try {
      return answerOf(policy(SeenPrompt.of(request)));
    } catch (thrown) {
      return answerOf([call('fail', { reason: String(thrown) })]);
    }
  };
  const run = assignmentOf({
    steps: [
      { action: 'navigate', url: `${site.url}/public/widgets` },
      { id: 'goal', action: 'goal', goal: 'Use the widget', maxSteps: 15 },
    ],
    output: '{{steps.goal.value}}',
  });
  gateway.assign(run);
  await until('the run ended', () => gateway.log.outcome(run) !== undefined, 40_000);
  return gateway.log.outcome(run);
};

test.each(tasks)(
  '%s',
  async (_, said, stages) => {
    expect(await ran(stagesOf(stages, `Last event: ${said}`))).toMatchObject({ status: 'completed' });
  },
  60_000,
);

test('what shows when the pointer is over something', async () => {
  const stages: Stage[] = [[/focusable .hover/, 'hover']];
  expect(await ran(stagesOf(stages, 'High water at 16:11'))).toMatchObject({ status: 'completed' });
}, 60_000);

test('what opens', async () => {
  const stages: Stage[] = [[/Show the small print/, 'click']];
  expect(await ran(stagesOf(stages, 'Berths are given in the order of arrival.'))).toMatchObject({
    status: 'completed',
  });
}, 60_000);

test('a field in a frame', async () => {
  const stages: Stage[] = [[/textbox "Call sign"/, 'type', { text: 'PILOT-7' }]];
  expect(await ran(stagesOf(stages, 'PILOT-7'))).toMatchObject({ status: 'completed' });
}, 60_000);

test('a new tab is gone on in', async () => {
  const link: Stage = [/link "Open in a new tab"/, 'click'];
  const policy = stagesOf([link], 'Inside the frame');
  const there = [call('done', { title_or_url: '/public/widgets/frame', indicators: ['Inside the frame'] })];
  expect(await ran((seen) => (/widgets\/frame\n/.test(seen.page) ? there : policy(seen)))).toMatchObject({
    status: 'completed',
  });
}, 60_000);

test('an answer that stands further down the page', async () => {
  const policy = (seen: SeenPrompt) => {
    const depth = /North 2\s+(?:\| )?(\d+\.\d) m/.exec(seen.page)?.[1];
    if (depth === undefined) return [call('read_page')];
    return [call('done', { answer: depth, title_or_url: 'Widget gallery', indicators: [`${depth} m`] })];
  };
  expect(await ran(policy)).toMatchObject({ status: 'completed', output: '9.0' });
}, 60_000);
