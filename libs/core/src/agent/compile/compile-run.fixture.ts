import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import { fieldErrors } from '@pilothouse/contract/errors/field-errors';
import type { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { createEvent, type EventData, type RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { workflowDefinitionSchema, type WorkflowDefinitionInput } from '@pilothouse/contract/workflow/workflow.schema';
import { compileRun } from './compile-run.ts';

export type CompletedAction = EventData<'agent.action_completed'>;

/** Action of an agent: the action, its page and the locators of its element. */
export interface TestAction {
  readonly action: Action;
  /** Path of the page before the action, or the URI of a window. */
  readonly on?: string;
  /** URI of the window right after the action. */
  readonly windowAfter?: string;
  readonly title?: string;
  readonly height?: number;
  readonly locators?: Locator[];
  readonly error?: CompletedAction['error'];
  readonly irreversibleEffect?: CompletedAction['irreversibleEffect'];
  /** Texts of the rows in view before the action. */
  readonly rows?: string[];
  readonly endLocators?: Locator[];
  readonly approval?: string;
  /** Text answer of a person before the action. */
  readonly answeredQuestion?: string;
  /** Expected texts that the action made appear. */
  readonly metTexts?: string[];
  /** Default: the next number. */
  readonly sequence?: number;
  /** The worker was lost during the action. */
  readonly isLost?: boolean;
}

export const SHOP = 'https://shop.test';
export const TIME = new Date(0);
export const element = { elementIndex: 5 };
export const TARGET_NOT_FOUND: CompletedAction['error'] = {
  code: 'TARGET_NOT_FOUND',
  message: 'It is gone',
  retry: 'no',
};

/** Events of a goal that these actions reached. */
export function goalEvents(
  actions: readonly TestAction[],
  {
    step = 0,
    value = null,
    sources = [],
    end = '/',
    path = 'goal',
  }: {
    step?: number;
    value?: Json;
    sources?: EventData<'agent.answer_sources'>['sources'];
    end?: string;
    path?: string;
  } = {},
): RunEvent[] {
  const ref = { step, id: 'goal', turn: 1, path };
  let sequence = 0;
  const drafts = actions.flatMap(({ action, on = '/', title = 'Shop', height = 900, ...testAction }) => {
    sequence = testAction.sequence ?? sequence + 1;
    const approval = testAction.approval ?? null;
    const answerEvents = testAction.answeredQuestion
      ? [
          createEvent(
            'agent.note',
            'x',
            { ...ref, kind: 'answer', note: 'yes', question: testAction.answeredQuestion },
            TIME,
          ),
        ]
      : [];
    const started = createEvent(
      'agent.action_started',
      'x',
      { ...ref, sequence, action, title: `${action.action} it`, approval },
      TIME,
    );
    if (testAction.isLost) return [...answerEvents, started];
    const acted = {
      ...ref,
      sequence,
      durationMs: 1,
      error: testAction.error ?? null,
      page: testAction.windowAfter === undefined ? null : { url: testAction.windowAfter, title: '' },
      pageBefore: { url: urlOf(on), title, height },
      locators: testAction.locators ?? [],
      outcome: testAction.error ? ('refused' as const) : ('completed' as const),
      effect: testAction.error ? ('none' as const) : ('confirmed' as const),
      irreversibleEffect: testAction.irreversibleEffect ?? null,
      ...(testAction.rows && { rows: testAction.rows }),
      ...(testAction.endLocators && { endLocators: testAction.endLocators }),
    };
    const expectation = { anchor: null, indicators: testAction.metTexts ?? [] };
    const verified = createEvent(
      'agent.note',
      'x',
      { ...ref, kind: 'verified', note: 'x', newlyMet: expectation },
      TIME,
    );
    return [
      ...answerEvents,
      started,
      createEvent('agent.action_completed', 'x', acted, TIME),
      ...(testAction.metTexts ? [verified] : []),
    ];
  });
  const page = { url: urlOf(end), title: urlOf(end) === end ? '' : 'Shop' };
  const { turn, ...stepRef } = ref;
  return [
    ...drafts,
    createEvent('agent.answer_sources', 'x', { ...ref, turn, sources, computed: [], missing: [] }, TIME),
    createEvent(
      'step.completed',
      'x',
      {
        ...stepRef,
        tier: 'text',
        durationMs: 1,
        outcome: 'completed',
        effect: 'confirmed',
        located: null,
        value,
        page,
      },
      TIME,
    ),
  ].map((draft, index) => ({ ...draft, seq: index + 1, run: '0197f3c2-1a2b-7000-8000-000000000000', epoch: 1 }));
}

const urlOf = (place: string): string => (/^(?:app|about):/.test(place) ? place : `${SHOP}${place}`);

/** Event without locators. */
export function withoutLocators(event: RunEvent): RunEvent {
  if (event.type !== 'agent.action_completed') return event;
  const { pageBefore, locators, irreversibleEffect, ...data } = event.data;
  return { ...event, data: { ...data, pageBefore: null, locators: [], irreversibleEffect: null } };
}

export const goal = { id: 'goal', action: 'goal' as const, goal: 'Find a rope' };

export function compile(
  events: readonly RunEvent[],
  source: Partial<WorkflowDefinitionInput> = {},
  options: { inputs?: Record<string, Json>; secrets?: string[] } = {},
) {
  const definition = workflowDefinitionSchema.parse({ name: 'shop', steps: [goal], ...source });
  const compiled = compileRun({ definition, inputs: {}, secrets: [], events, ...options });
  const valid = workflowDefinitionSchema.safeParse(compiled.definition);
  expect(valid.success ? [] : fieldErrors(valid.error)).toEqual([]);
  return { ...compiled, steps: compiled.definition.steps };
}

export const compileErrorMessage = (...args: Parameters<typeof compile>): string => {
  try {
    compile(...args);
  } catch (thrown) {
    expect((thrown as PilothouseError).code).toBe('CONFLICT');
    return (thrown as PilothouseError).message;
  }
  throw new Error('It was compiled');
};

export const goButton: Locator = { role: 'button', name: 'Go', exact: true };
export const clickGo: TestAction = {
  action: { action: 'click', target: element },
  locators: [goButton, { css: '#go' }],
};
export const fillSearch = (text: string, overrides: Partial<TestAction> = {}): TestAction => ({
  action: { action: 'fill', target: element, text },
  locators: [{ label: 'Search' }],
  ...overrides,
});
