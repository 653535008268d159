import type { RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { WorkflowDefinitionInput } from '@pilothouse/contract/workflow/workflow.schema';
import {
  SHOP,
  goalEvents,
  withoutLocators,
  goal,
  compile,
  compileErrorMessage,
  clickGo,
  fillSearch,
} from './compile-run.fixture.ts';

test('uses the last start of a goal, and notes a lost worker', () => {
  const events = goalEvents([fillSearch('one'), fillSearch('two'), { ...fillSearch('three'), sequence: 1 }, clickGo]);
  const { steps, notes } = compile(events.map((event, index) => ({ ...event, epoch: index < 4 ? 1 : 2 })));
  expect(steps).toMatchObject([{ text: 'three' }, { action: 'click' }]);
  expect(notes).toEqual([expect.stringContaining('a worker was lost')]);
});

test.each<[what: string, events: RunEvent[], source: Partial<WorkflowDefinitionInput>, why: RegExp]>([
  ['no goal', [], { steps: [{ action: 'goBack' }] }, /it has no goal/],
  [
    'goals in branches alone',
    [],
    {
      steps: [
        {
          action: 'parallel',
          branches: { a: [{ action: 'navigate', url: SHOP }, goal], b: [{ action: 'navigate', url: SHOP }] },
        },
      ],
    },
    /stays a goal: step 1: a branch has its own pages/,
  ],
  ['a goal that was not reached', [], {}, /stays a goal: in this run it was not reached/],
  [
    'an element that only its index identifies',
    goalEvents([{ ...clickGo, locators: [] }]),
    {},
    /only its index identifies its element/,
  ],
  ['a text that was masked', goalEvents([fillSearch('is ••••')]), {}, /it contains a secret/],
  ['events without locators', goalEvents([clickGo]).map(withoutLocators), {}, /too old to record locators/],
  ['nothing at all', goalEvents([]), {}, /no action and no answer remains/],
])('rejects a run with %s', (_title, events, source, why) => {
  expect(compileErrorMessage(events, source)).toMatch(why);
});
