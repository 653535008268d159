import { agentEventSchema, type AgentEvent } from '@pilothouse/contract/events/agent.events';
import { createEvent } from '@pilothouse/contract/events/event-log.schema';
import type { RunAnswer } from '@pilothouse/contract/run/run-question.schema';
import { prepareAgentState } from './initial-goal-state.ts';

const prompt = { name: 'act-text', version: 8 };
const thought = (path?: string) => {
  const data = {
    step: 1,
    ...(path !== undefined && { path }),
    id: null,
    turn: 1,
    thought: 'It asks for a code',
    plannedActions: [],
  };
  return agentEventSchema.parse(
    createEvent('agent.turn', 'x', { ...data, page: null, prompt, tier: 'text' }, new Date(0)),
  );
};
const stateFor = (path: string, agent: AgentEvent[], answer: Partial<RunAnswer>) =>
  prepareAgentState(
    { action: 'goal', goal: 'Log in' },
    {
      position: { number: 1, path },
      assignment: {
        agentEvents: agent,
        answer: { step: 1, questionNumber: 3, choice: 'continue', answeredBy: 'Ada', ...answer },
        secrets: [],
        agentNotes: [],
      },
      hosts: [],
      openedUrl: null,
      openedApps: [],
      surface: 'browser' as const,
    },
  );

test('continues with events of the same goal and ignores those of another path or iteration', () => {
  expect(stateFor('2', [thought()], { path: '2' })).toMatchObject({
    counters: { questions: 3 },
    history: { turns: [{ thought: 'It asks for a code' }] },
  });
  expect(stateFor('1[2]/1', [thought('1[2]/1')], { path: '1[2]/1' })).toMatchObject({
    counters: { questions: 3 },
    history: { turns: [{}] },
  });
  for (const path of ['2', '1[1]/2', '1/2']) {
    const otherState = stateFor('1[2]/1', [thought(path === '2' ? undefined : path)], { path });
    expect([otherState.counters.questions, otherState.history.turns, otherState.goal.text]).toEqual([0, [], 'Log in']);
  }
  // The answer has no path of its step.
  expect(stateFor('1[2]/1', [], {}).counters.questions).toBe(3);
});

test('the applications of a goal are its own, or else those that the workflow opened', () => {
  const appsOf = (apps: string[] | undefined, openedApps: string[]) =>
    prepareAgentState(
      { action: 'goal', goal: 'Write', ...(apps && { apps }) },
      {
        position: { number: 0, path: '1' },
        assignment: { agentEvents: [], answer: null, secrets: [], agentNotes: [] },
        ...{ hosts: [], openedUrl: null, openedApps, surface: 'desktop' },
      },
    ).origins.apps;
  expect(appsOf(['mousepad'], ['xterm'])).toEqual(['mousepad']);
  expect(appsOf(undefined, ['xterm', 'thunar'])).toEqual(['xterm', 'thunar']);
  expect(appsOf(undefined, [])).toEqual([]);
});

test('notes of the project follow those of the step, and shipped notes follow both', () => {
  const goalOn = (surface: 'browser' | 'desktop') =>
    prepareAgentState(
      {
        action: 'goal',
        goal: 'Write',
        appNotes: { mousepad: 'of the step' },
        siteNotes: { 'shop.example': 'of the step' },
      },
      {
        position: { number: 0, path: '1' },
        assignment: {
          ...{ agentEvents: [], answer: null, secrets: [] },
          agentNotes: [
            { app: 'mousepad', text: 'of the project' },
            { site: '*.example', text: 'of the project' },
          ],
        },
        ...{ hosts: [], openedUrl: null, openedApps: [], surface },
      },
    ).goal;
  const { appNotes, siteNotes } = goalOn('desktop');
  const ofMousepad = appNotes.filter(({ app }) => app === 'mousepad').map(({ note }) => note);
  expect(ofMousepad).toEqual(['of the step', 'of the project', expect.stringContaining('Control+S saves')]);
  expect(siteNotes.map(({ note }) => note)).toEqual(['of the step', 'of the project']);
  expect(goalOn('browser').appNotes).toHaveLength(2);
});
