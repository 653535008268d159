import { a2uiVersions, type A2uiVersion } from '@pilothouse/contract/a2ui/a2ui-versions';
import { createEvent, type RunEvent } from '@pilothouse/contract/events/event-log.schema';
import { brokenTopology, danglingBindings, renderSurface, schemaErrors } from '@pilothouse/testing/a2ui/a2ui-checks';
import { A2uiStream } from './a2ui-stream.ts';
import { newRunCard } from './run-card.ts';

const RUN = '019a0000-0000-7000-8000-000000000001';
const now = new Date('2026-11-22T10:00:00Z');
const ref = { step: 0, id: null };
const turn = (number: number, thought: string) =>
  createEvent(
    'agent.turn',
    '',
    { ...ref, turn: number, thought, plannedActions: [], prompt: { name: 'act.text', version: 1 }, page: null },
    now,
  );
const numbered = (drafts: ReturnType<typeof createEvent>[]): RunEvent[] =>
  drafts.map((draft, index) => ({ ...draft, seq: index + 1, run: RUN, epoch: 1 }));

const streamOf = (version: A2uiVersion) =>
  new A2uiStream(RUN, version, newRunCard('order', [{ index: 0, title: 'Order the rope' }]));
const surfaceAfter = (version: A2uiVersion, drafts: ReturnType<typeof createEvent>[]) => {
  const stream = streamOf(version);
  const messages = [...stream.start(), ...numbered(drafts).flatMap((event) => stream.update(event))];
  return { messages, surface: renderSurface(version, messages) };
};
const rows = (surface: ReturnType<typeof renderSurface>, list = 'activity') =>
  Object.values((surface.data[list] ?? {}) as Record<string, Record<string, string>>);

const events = [
  createEvent('run.assigned', '', { worker: 'browser-1', fleet: 'browser' }, now),
  createEvent('step.started', '', { ...ref, action: 'goal', title: 'Order the rope', summary: '' }, now),
  turn(1, 'The shop is open'),
  createEvent(
    'agent.action_started',
    '',
    { ...ref, turn: 1, sequence: 1, action: 'click', title: 'Click “Order”' } as never,
    now,
  ),
  turn(2, 'It is in the cart'),
  createEvent(
    'agent.note',
    '',
    { ...ref, turn: 2, kind: 'problem', note: 'The page did not change' } as never,
    now,
    'warn',
  ),
  createEvent('control.taken', '', { operator: 'robin', token: 7 }, now),
  createEvent('control.action', '', { ...ref, operator: 'robin', title: 'Type “2”' } as never, now),
  createEvent('control.released', '', { operator: 'robin', token: 7, reason: 'released' }, now),
  createEvent(
    'step.healed',
    '',
    {
      ...ref,
      tier: 'text',
      method: 'similarity',
      element: 'button "Send"',
      previousLocators: [{ css: 'a' }],
      locators: [],
    },
    now,
  ),
  ...(['screenshot', 'download'] as const).map((kind, index) =>
    createEvent(
      'artifact.created',
      '',
      {
        artifact: `019a0000-0000-7000-8000-00000000000${index}`,
        step: 0,
        kind,
        name: 'bill.pdf',
        contentType: 'application/pdf',
        size: 12,
      },
      now,
    ),
  ),
  createEvent(
    'step.completed',
    '',
    { ...ref, tier: 'text', durationMs: 1, outcome: 'completed', effect: 'confirmed', located: null, page: null },
    now,
  ),
  createEvent('run.completed', '', { output: null, durationMs: 1 }, now),
];

describe.each(a2uiVersions)('activity in A2UI %s', (version) => {
  test('turns, notes, control, heals and files are rows in order of time', () => {
    const { messages, surface } = surfaceAfter(version, events);
    expect(rows(surface).map(({ title, detail, status }) => [title, detail, status])).toEqual([
      ['Order the rope, turn 1', 'Click “Order”', 'completed'],
      ['Order the rope, turn 2', 'It is in the cart', 'completed'],
      ['Note on Order the rope', 'The page did not change', 'interrupted'],
      ['robin released control', 'Type “2”', 'completed'],
      ['Healed Order the rope', 'No locator matched. Used button "Send"', 'completed'],
      ['File bill.pdf', 'download, 12 bytes', 'completed'],
    ]);
    expect(schemaErrors(version, messages)).toEqual([]);
    expect(brokenTopology(surface)).toEqual([]);
    expect(danglingBindings(surface)).toEqual([]);
  });

  test('only the current turn of an agent runs', () => {
    expect(rows(surfaceAfter(version, events.slice(0, 5)).surface).map(({ status }) => status)).toEqual([
      'completed',
      'running',
    ]);
  });

  test('a goal shows the notes and cached actions that it used, and the check of its result', () => {
    const prompt = { name: 'act.text', version: 1 };
    const page = { url: 'https://shop.example/cart', title: 'Cart' };
    const turnWith = (number: number, fields: object) =>
      createEvent(
        'agent.turn',
        '',
        { ...ref, turn: number, thought: '', plannedActions: [], prompt, page, ...fields },
        now,
      );
    const note = (kind: 'verified' | 'unverified', text: string, fields: object = {}) =>
      createEvent('agent.note', '', { ...ref, turn: 3, kind, note: text, ...fields }, now);
    const sources = (missing: string[]) =>
      createEvent('agent.answer_sources', '', { ...ref, turn: 3, sources: [], computed: [], missing }, now);
    const drafts = [
      ...events.slice(0, 2),
      turnWith(1, { source: 'cache' }),
      turnWith(2, { notes: 2 }),
      turnWith(3, { notes: 1, page: { url: 'app://mousepad/a', title: 'a' } }),
      note('verified', 'As expected: the title', { newlyMet: { anchor: null, indicators: [] } }),
      note('unverified', 'The goal is not met yet: no receipt'),
    ];
    const shown = (count: number, added: typeof drafts = []) =>
      rows(surfaceAfter(version, [...drafts.slice(0, count), ...added]).surface).map(({ title, detail, status }) => [
        title,
        detail,
        status,
      ]);
    expect(shown(3)[0]).toEqual(['Context of Order the rope', 'actions of an earlier run in 1 turn', 'completed']);
    const context = '2 notes about shop.example, 1 note about mousepad, actions of an earlier run in 1 turn';
    expect(shown(drafts.length)).toEqual([
      ['Context of Order the rope', context, 'completed'],
      ['Order the rope, turn 1', '', 'completed'],
      ['Order the rope, turn 2', '', 'completed'],
      ['Order the rope, turn 3', '', 'running'],
      ['Note on Order the rope', 'As expected: the title', 'completed'],
      ['Output check of Order the rope', 'The goal is not met yet: no receipt', 'interrupted'],
    ]);
    const met = note('verified', 'Verified by the page', { isGoalMet: true });
    const check = (...added: typeof drafts) => shown(drafts.length, added).slice(5);
    expect(check(met)).toEqual([['Output check of Order the rope', 'Verified by the page', 'completed']]);
    expect(check(met, sources(['/price', '']))).toEqual([
      ['Output check of Order the rope', 'No page shows /price, the answer', 'interrupted'],
    ]);
    expect(check(met, sources([]))).toEqual([['Output check of Order the rope', 'Pages show the answer', 'completed']]);
    const { messages, surface } = surfaceAfter(version, [...drafts, met]);
    expect([...schemaErrors(version, messages), ...danglingBindings(surface)]).toEqual([]);
  });

  test('a long activity drops its oldest rows', () => {
    const stream = streamOf(version);
    const messages = stream.start();
    const turns = numbered(Array.from({ length: 250 }, (_, index) => turn(index + 1, 'Next')));
    let whole = 0;
    for (const event of turns) {
      const updates = stream.update(event);
      whole += updates.filter((message) => JSON.stringify(message).length > 5_000).length;
      messages.push(...updates);
    }
    const shown = rows(renderSurface(version, messages));
    expect(shown).toHaveLength(149);
    expect(shown.at(-1)?.title).toBe('Order the rope, turn 250');
    expect(whole).toBe(1);
  });

  test('the run can be cancelled until it ends or the cancellation is requested', () => {
    const cancelling = createEvent('run.cancelling', '', { requestedBy: 'robin' }, now);
    const titles = (drafts: typeof events) =>
      rows(surfaceAfter(version, drafts).surface, 'cancels').map(({ title }) => title);
    expect(titles([])).toEqual(['Cancel run']);
    expect(titles(events.slice(0, 4))).toEqual(['Cancel run']);
    expect(titles([...events.slice(0, 4), cancelling])).toEqual([]);
    expect(titles(events)).toEqual([]);
  });
});
