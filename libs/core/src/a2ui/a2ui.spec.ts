import { a2uiCatalogs, a2uiVersions, type A2uiVersion } from '@pilothouse/contract/a2ui/a2ui-versions';
import type { A2uiMessage } from '@pilothouse/contract/a2ui/a2ui.schema';
import { createEvent, type RunEvent } from '@pilothouse/contract/events/event-log.schema';
import { APPROVAL_QUESTION_NUMBER } from '@pilothouse/contract/run/approval-question';
import { brokenTopology, danglingBindings, renderSurface, schemaErrors } from '@pilothouse/testing/a2ui/a2ui-checks';
import { A2uiMessageProcessor } from '@a2ui/web_core/v0_8';
import { BASIC_COMPONENTS, Catalog, MessageProcessor } from '@a2ui/web_core/v0_9';
import { durationText, escapeMarkdown, newRunCard } from './run-card.ts';
import { A2uiStream } from './a2ui-stream.ts';

const RUN = '019a0000-0000-7000-8000-000000000001';
const planned = [
  { index: 0, title: 'Open the page' },
  { index: 1, title: 'Order the rope' },
  { index: 2, title: 'Read the number' },
];
const ref = (step: number) => ({ step, id: null });
const completed = {
  tier: 'replay' as const,
  durationMs: 812,
  outcome: 'completed' as const,
  effect: 'confirmed' as const,
  located: null,
  page: null,
};
const error = { code: 'TARGET_NOT_FOUND', message: 'Nothing has the name “Order”', retry: 'no' } as const;

type EventDraft = ReturnType<typeof createEvent>;
const numbered = (drafts: EventDraft[]): RunEvent[] =>
  drafts.map((draft, index) => ({ ...draft, seq: index + 1, run: RUN, epoch: 1 }));
const now = new Date('2026-11-22T10:00:00Z');

const asked = createEvent(
  'run.awaiting_user',
  'Asks',
  {
    ...ref(1),
    key: '1.1.2',
    questionNumber: 2,
    reason: 'Is [this](https://evil.example/x) the right rope?',
    choices: [
      { choice: 'continue', title: 'Yes, order it' },
      { choice: 'decline', title: 'No' },
    ],
    expiresAt: '2026-11-22T11:00:00.000Z',
  },
  now,
);

/** A run with a lost worker, an agent, a question and a result. */
const events = numbered([
  createEvent('run.queued', '', { fleet: 'browser', priority: 0, retryOf: null, steps: 3 }, now),
  createEvent('run.assigned', '', { worker: 'browser-1', fleet: 'browser' }, now),
  createEvent(
    'step.started',
    '',
    { ...ref(0), action: 'navigate', title: 'Open the page', summary: 'harbour.example' },
    now,
  ),
  createEvent('run.requeued', '', { error, worker: 'browser-1' }, now),
  createEvent('run.assigned', '', { worker: 'browser-2', fleet: 'browser' }, now),
  createEvent(
    'step.started',
    '',
    { ...ref(0), action: 'navigate', title: 'Open the page', summary: 'harbour.example' },
    now,
  ),
  createEvent('step.completed', '', { ...ref(0), ...completed }, now),
  createEvent('step.started', '', { ...ref(1), action: 'goal', title: 'Order the rope', summary: '' }, now),
  createEvent('run.log', '', { facts: {} }, now),
  createEvent(
    'model.called',
    '',
    {
      step: 1,
      role: 'act',
      provider: 'gemini',
      model: 'flash',
      prompt: { name: 'act.text', version: 1 },
      durationMs: 500,
      inputTokens: 1_000,
      outputTokens: 50,
      cachedTokens: 0,
      usd: 0.002,
      finish: 'stop',
    },
    now,
  ),
  createEvent(
    'agent.turn',
    '',
    {
      ...ref(1),
      turn: 1,
      thought: '{"looks": "like JSON"}',
      plannedActions: [],
      prompt: { name: 'act.text', version: 1 },
      page: null,
    },
    now,
  ),
  asked,
  createEvent('run.answered', '', { step: 1, questionNumber: 2, choice: 'continue', answeredBy: 'robin' }, now),
  createEvent(
    'step.completed',
    '',
    { ...ref(1), ...completed, tier: 'text' as const, durationMs: 65_000, value: 'HS-1001' },
    now,
  ),
  createEvent(
    'step.skipped',
    '',
    { ...ref(2), reason: 'Its condition is not met', outcome: 'completed', effect: 'confirmed' },
    now,
  ),
  // A step that was not planned.
  createEvent('step.started', '', { ...ref(3), action: 'extract', title: 'Read it again', summary: '' }, now),
  createEvent('step.failed', '', { ...ref(3), error, outcome: 'refused', effect: 'none', durationMs: 10 }, now),
  createEvent('run.completed', '', { output: { number: 'HS-1001', '~~~~': 1 }, durationMs: 70_000 }, now),
]);

const messagesOf = (version: A2uiVersion, events: RunEvent[]): A2uiMessage[] => {
  const writer = new A2uiStream(RUN, version, newRunCard('order-supplies', planned));
  return [...writer.start(), ...events.flatMap((event) => writer.update(event))];
};
const items = (surface: ReturnType<typeof renderSurface>, list: string) =>
  Object.values(surface.data[list] as Record<string, Record<string, string>>);

describe.each(a2uiVersions)('A2UI %s', (version) => {
  test('after each event all messages match the official schema, and the surface is complete', () => {
    for (let count = 0; count <= events.length; count += 1) {
      const messages = messagesOf(version, events.slice(0, count));
      expect(schemaErrors(version, messages)).toEqual([]);
      const surface = renderSurface(version, messages);
      expect(surface).toMatchObject({ id: `run-${RUN}`, canRender: true });
      expect(brokenTopology(surface)).toEqual([]);
      expect(danglingBindings(surface)).toEqual([]);
    }
  });

  test('a question of an agent has a text field, and the approval of a step has none', () => {
    const approval = { ...asked, data: { ...asked.data, questionNumber: APPROVAL_QUESTION_NUMBER } };
    const textOf = (question: EventDraft) => JSON.stringify(messagesOf(version, numbered([question])));
    expect(textOf(asked)).toContain('Your answer (optional)');
    expect(textOf(approval)).toContain('Yes, order it');
    expect(textOf(approval)).not.toContain('Your answer (optional)');
  });

  test('a completed step whose effect was not seen says so', () => {
    const unseen = { effect: 'unverifiable' as const, effectReason: 'Nothing visible changed' };
    const drafts = [createEvent('step.completed', '', { ...ref(0), ...completed, ...unseen }, now)];
    const rows = items(renderSurface(version, messagesOf(version, numbered(drafts))), 'steps');
    expect(JSON.stringify(rows)).toContain('Not verified (Nothing visible changed); 812 ms');
  });

  test('steps start as pending, and each shows its status', () => {
    const states = (count: number) =>
      items(renderSurface(version, messagesOf(version, events.slice(0, count))), 'steps').map(({ title, status }) => [
        title,
        status,
      ]);
    expect(states(0)).toEqual([
      ['Validate workflow and inputs', 'completed'],
      ['Wait for a worker', 'pending'],
      ['Start the browser', 'pending'],
      ['Open the page', 'pending'],
      ['Order the rope', 'pending'],
      ['Read the number', 'pending'],
    ]);
    expect(states(2)[2]).toEqual(['Start the browser', 'running']);
    expect(states(4).slice(1, 4)).toEqual([
      ['Wait for a worker', 'running'],
      ['Start the browser', 'completed'],
      ['Open the page', 'interrupted'],
    ]);
    expect(states(12).at(4)).toEqual(['Order the rope', 'interrupted']);
    expect(states(events.length)).toEqual([
      ['Validate workflow and inputs', 'completed'],
      ['Wait for a worker', 'completed'],
      ['Start the browser', 'completed'],
      ['Open the page', 'completed'],
      ['Order the rope', 'completed'],
      ['Read the number', 'skipped'],
      ['Read it again', 'failed'],
    ]);
  });

  test('an open question is shown with its key in its buttons, and its answer text is cleared', () => {
    const openQuestion = renderSurface(version, messagesOf(version, events.slice(0, 12)));
    expect(items(openQuestion, 'choices').map(({ question, choice }) => [question, choice])).toEqual([
      ['1.1.2', 'continue'],
      ['1.1.2', 'decline'],
    ]);
    expect(items(openQuestion, 'questions')[0]?.reason).toBe(
      'Is [this]\u200b(https:\u200b//evil.example/x) the right rope?',
    );
    expect(items(openQuestion, 'words')).toHaveLength(1);
    expect(openQuestion.data.answer).toEqual({ text: '' });
    const afterAnswer = renderSurface(version, messagesOf(version, events.slice(0, 13)));
    expect([items(afterAnswer, 'choices'), items(afterAnswer, 'questions')]).toEqual([[], []]);
  });

  test('the result is a card with the output and the model usage', () => {
    const surface = renderSurface(version, messagesOf(version, events));
    expect(items(surface, 'results')).toMatchObject([
      { title: 'Completed in 1 min 10 s', text: '~~~~json\n{\n  "number": "HS-1001",\n  "~~~\u200b~": 1\n}\n~~~~' },
    ]);
    expect(surface.data.run).toMatchObject({ state: 'Completed · 1 model call, 1050 tokens, $0.0020' });
  });

  test('a resumed stream sends the same messages as an uninterrupted one', () => {
    const whole = new A2uiStream(RUN, version, newRunCard('order-supplies', planned));
    const resumed = new A2uiStream(RUN, version, newRunCard('order-supplies', planned));
    events.slice(0, 8).forEach((event) => {
      whole.update(event);
      resumed.skip(event);
    });
    for (const event of events.slice(8)) expect(resumed.update(event)).toEqual(whole.update(event));
  });

  test('an event sends minimal updates', () => {
    const writer = new A2uiStream(RUN, version, newRunCard('order-supplies', planned));
    expect(events.slice(0, 9).map((event) => writer.update(event).length)).toEqual([1, 3, 2, 3, 3, 2, 1, 1, 0]);
  });
});

test('the official client of 0.8 builds its tree from all messages', () => {
  const client = new A2uiMessageProcessor();
  client.processMessages(messagesOf('0.8', events) as never);
  const tree = JSON.stringify(client.getSurfaces().get(`run-${RUN}`)?.componentTree);
  for (const id of ['root', 'step:s0', 'step:s4', 'result:s0']) expect(tree).toContain(`"id":"${id}`);
  expect(tree).not.toContain('"id":"question:');
});

test('the official client of 0.9 accepts all messages', () => {
  const client = new MessageProcessor([new Catalog(a2uiCatalogs['0.9'], BASIC_COMPONENTS)]);
  client.processMessages(messagesOf('0.9', events) as never);
  const surface = client.model.getSurface(`run-${RUN}`);
  expect(surface?.dataModel.get('/steps/6/title')).toBe('Read it again');
  expect(surface?.componentsModel.get('step')?.type).toBe('Row');
});

test('text that looks like JSON is escaped for 0.8', () => {
  const surface = renderSurface('0.8', messagesOf('0.8', events.slice(0, 11)));
  expect(items(surface, 'steps')[4]?.detail).toBe('\u200b{"looks": "like JSON"}');
});

test('a cancelled run shows who cancelled it and skips the remaining steps', () => {
  const cancelled = [
    ...events.slice(0, 3).map(({ seq, run, epoch, ...draft }) => draft as EventDraft),
    createEvent('run.cancelling', '', { requestedBy: 'robin' }, now),
    createEvent('run.cancelled', '', { requestedBy: 'robin' }, now),
  ];
  const runningSurface = renderSurface('0.9', messagesOf('0.9', numbered(cancelled.slice(0, 4))));
  expect(runningSurface.data.run).toMatchObject({ state: 'Running · Cancellation requested by robin' });
  const surface = renderSurface('0.9', messagesOf('0.9', numbered(cancelled)));
  expect(items(surface, 'steps').map(({ status, detail }) => [status, detail])).toEqual([
    ['completed', ''],
    ['completed', 'Assigned to browser-1'],
    ['completed', ''],
    ['skipped', 'harbour.example'],
    ['skipped', 'Not reached'],
    ['skipped', 'Not reached'],
  ]);
  expect(items(surface, 'results')).toMatchObject([{ title: 'Cancelled by robin', icon: 'skipNext' }]);
});

test.each([
  ['![x](http://a.example/p.png)', '![x]\u200b(http:\u200b//a.example/p.png)'],
  ['[x][1] [1]: //a.example', '[x]\u200b[1] [1]\u200b: //a.example'],
  ['<img src=x> 1 < 2', '<\u200bimg src=x> 1 < 2'],
  ['www.a.example', 'www\u200b.a.example'],
])('%s is escaped', (text, inert) => {
  expect(escapeMarkdown(text)).toBe(inert);
});

test.each([
  [812, '812 ms'],
  [3_449, '3.4 s'],
  [125_400, '2 min 5 s'],
])('%i ms are %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

test('the checks detect a broken surface', () => {
  const messages = messagesOf('0.9', []);
  const broken = (components: unknown[]) =>
    [...messages, { version: 'v0.9', updateComponents: { surfaceId: `run-${RUN}`, components } }] as A2uiMessage[];
  const dangling = broken([{ id: 'step', component: 'Row', children: ['step-icon', 'gone', 'root'] }]);
  expect(brokenTopology(renderSurface('0.9', dangling))).toEqual([
    'step shows gone, which does not exist',
    'cycle: root > steps > step > root',
    'no component shows step-words',
    'no component shows step-title',
    'no component shows step-detail',
    'no component shows step-status',
  ]);
  const unbound = broken([{ id: 'run-title', component: 'Text', text: { path: '/run/titel' } }]);
  expect(danglingBindings(renderSurface('0.9', unbound))).toEqual(['run-title: /run/titel']);
  expect(schemaErrors('0.9', broken([{ id: 'x', component: 'Text' }]))).not.toEqual([]);
});
