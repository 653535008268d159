import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import { createEvent, type RunEvent } from '@pilothouse/contract/events/event-log.schema';
import {
  type TestAction,
  SHOP,
  TIME,
  TARGET_NOT_FOUND,
  goalEvents,
  compile,
  compileErrorMessage,
  goButton,
  clickGo,
  fillSearch,
} from './compile-run.fixture.ts';

describe('question to a person', () => {
  test('is repeated before the same action, with the new values', () => {
    const actions: TestAction[] = [
      fillSearch('web-1'),
      { ...clickGo, irreversibleEffect: 'delete', approval: 'use button “Delete web-1”' },
    ];
    const inputs = { host: { type: 'string' as const } };
    const { steps } = compile(goalEvents(actions), { inputs }, { inputs: { host: 'web-1' } });
    expect(steps).toMatchObject([
      { action: 'fill' },
      { action: 'click', idempotent: false, approval: 'Allow it to use button “Delete {{inputs.host}}”' },
    ]);
    expect(steps[0]).not.toHaveProperty('approval');
  });

  test('in text form, or about a failed action, is asked before the next step', () => {
    const actions: TestAction[] = [
      { ...clickGo, error: TARGET_NOT_FOUND, approval: 'use button “Go”' },
      { ...clickGo, answeredQuestion: 'Are these the right ones?' },
    ];
    expect(compile(goalEvents(actions)).steps).toMatchObject([
      { approval: 'Allow it to use button “Go”; Are these the right ones?' },
    ]);
  });

  test('that is unknown rejects the run', () => {
    const decision = createEvent(
      'agent.note',
      'x',
      { step: 0, path: 'goal', id: 'goal', turn: 1, kind: 'approval_decision', note: 'yes' },
      TIME,
    );
    const events = goalEvents([clickGo]).map((event) => {
      const { approval, ...data } = event.data;
      return { ...event, data };
    });
    const [first] = events;
    const decisionEvents = first ? [{ ...decision, seq: 0, run: first.run, epoch: 1 }] : [];
    expect(compileErrorMessage([...decisionEvents, ...events])).toMatch(/a person approved an action/);
  });
});

describe('manual actions', () => {
  const password: Locator = { label: 'Your password', exact: true };
  const canvasPoint: Locator = { point: { x: 100, y: 100 } };
  /** Manual actions of Ada, each with the resulting page. */
  const manualActionEvents = (manualActions: [Action, string?][], step = 0, path?: string): RunEvent[] =>
    manualActions.map(([move, on = '/'], index) => {
      const page = { url: `${SHOP}${on}`, title: 'Shop' };
      const ref = { step, id: null, ...(path !== undefined && { path }) };
      const data = { ...ref, operator: 'Ada', action: move, title: move.action, secret: false, page };
      const run = '0197f3c2-1a2b-7000-8000-000000000000';
      return { ...createEvent('control.action', 'x', data, TIME), seq: index, run, epoch: 1 };
    });
  const fillPassword: Action = { action: 'fill', target: [password, canvasPoint], text: '••••', append: true };
  const logIn: Action = { action: 'click', target: [{ role: 'button', name: 'Log in', exact: true }, canvasPoint] };

  test('become steps; a secret becomes one input, even if typed several times', () => {
    const steps = [
      { action: 'navigate' as const, url: `${SHOP}/` },
      { id: 'out', action: 'pdf' as const },
    ];
    const events = manualActionEvents([[fillPassword], [fillPassword], [logIn, '/home']], 1, 'out');
    const [firstStepEnd] = goalEvents([]).slice(-1);
    const compiled = compile([...(firstStepEnd ? [firstStepEnd] : []), ...events], { steps });
    expect(compiled.definition.inputs).toEqual({ yourPassword: { type: 'string', secret: true } });
    expect(compiled.steps).toEqual([
      { action: 'navigate', url: `${SHOP}/` },
      { action: 'fill', target: password, text: '{{inputs.yourPassword}}', append: true },
      { action: 'click', target: { role: 'button', name: 'Log in', exact: true }, expect: { url: `${SHOP}/home*` } },
      { id: 'out', action: 'pdf' },
    ]);
    expect(compiled.notes).toEqual(['step out: manual actions of Ada became steps']);
  });

  test('expect a page that appeared late after the action that caused it', () => {
    const steps = [
      { action: 'navigate' as const, url: `${SHOP}/` },
      { id: 'out', action: 'pdf' as const },
    ];
    const reload: Action = { action: 'press', key: 'F5' };
    const events = manualActionEvents(
      [
        [logIn, '/'],
        [reload, '/home'],
      ],
      1,
      'out',
    ).map((event, index) => {
      const pageBefore = { url: `${SHOP}${index === 0 ? '/' : '/home'}`, title: 'Shop' };
      return { ...event, data: { ...event.data, pageBefore } };
    });
    const [firstStepEnd] = goalEvents([]).slice(-1);
    const compiled = compile([...(firstStepEnd ? [firstStepEnd] : []), ...events], { steps });
    expect(compiled.steps).toMatchObject([
      { action: 'navigate' },
      { action: 'click', expect: { url: `${SHOP}/home*` } },
      { action: 'press', key: 'F5' },
      { action: 'pdf' },
    ]);
    expect(compiled.steps[2]).not.toHaveProperty('expect');
  });

  test('of a goal keep their position and use templates; a payment is not repeated', () => {
    const pay: Action = { action: 'click', target: [{ role: 'button', name: 'Pay now', exact: true }] };
    const text: Action = { action: 'fill', target: [{ label: 'Code', exact: true }], text: 'rope', append: true };
    const [started, completedEvent, ...endEvents] = goalEvents([clickGo]);
    const events = [started, completedEvent, ...manualActionEvents([[text], [pay]], 0, 'goal'), ...endEvents].flatMap(
      (event) => event ?? [],
    );
    const { steps } = compile(events, { inputs: { code: { type: 'string' } } }, { inputs: { code: 'rope' } });
    expect(steps).toEqual([
      { action: 'click', target: [goButton, { css: '#go' }] },
      { action: 'fill', target: { label: 'Code', exact: true }, text: '{{inputs.code}}', append: true },
      { action: 'click', target: { role: 'button', name: 'Pay now', exact: true }, idempotent: false },
    ]);
  });

  test('in a loop are left out with a note', () => {
    const forEachStep = { action: 'forEach' as const, in: [1], steps: [{ action: 'pdf' as const }] };
    const [manualEvent] = manualActionEvents([[logIn]]);
    const eventInLoop = manualEvent && { ...manualEvent, data: { ...manualEvent.data, path: '2[0]/1' } };
    const { notes } = compile([...manualActionEvents([[logIn]]), ...(eventInLoop ? [eventInLoop] : [])], {
      steps: [{ action: 'pdf' }, forEachStep],
    });
    expect(notes).toEqual(['step 1: manual actions of Ada became steps', 'step 2[0]/1: manual actions are left out']);
  });
});
