import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { Expectation } from '@pilothouse/contract/agent/agent.schema';
import {
  elementSchema,
  observationSchema,
  type ElementView,
  type Observation,
} from '@pilothouse/contract/observation/observation.schema';
import type { AgentGoal } from '@pilothouse/core/agent/agent-goal';
import type { ClaimHistory } from '@pilothouse/core/agent/claim-evidence';
import type { AgentInput } from '@pilothouse/core/agent/agent-protocol';
import type { PlannedAction } from '@pilothouse/core/agent/planned-action';

/* Builders for specs of the agent. */

/** Enabled button `B<index>`; each index has its own row on the page. */
export const anElement = (index: number, fields: Partial<ElementView> = {}): ElementView =>
  elementSchema.parse({
    index,
    interactive: true,
    role: 'button',
    name: `B${index}`,
    state: {},
    tags: [],
    bounds: { x: 0, y: index * 20, width: 100, height: 20 },
    ...fields,
  });

/** Loaded page of 1000 × 800 pixels. */
export const aPage = (elements: readonly ElementView[], fields: Partial<Observation> = {}): Observation =>
  observationSchema.parse({
    url: 'https://shop.test/catalogue',
    title: 'Catalogue',
    document: 1,
    loading: false,
    viewport: { width: 1000, height: 800 },
    scroll: { above: 0, below: 0 },
    focused: null,
    elements,
    opaqueRegions: [],
    ...fields,
  });

export const aGoal = (fields: Partial<AgentGoal> = {}): AgentGoal => ({
  text: 'Find the rope',
  outputSchema: null,
  texts: [],
  condition: null,
  maxTurns: 30,
  surface: 'browser',
  siteNotes: [],
  appNotes: [],
  limits: { autoApprove: new Set(), hosts: [], secrets: [] },
  ...fields,
});

/** History of a goal with one action, on an initial page without text. */
export const aClaimHistory = (fields: Partial<ClaimHistory> = {}): ClaimHistory => ({
  goal: aGoal(),
  actionCount: 1,
  initialText: '',
  knownText: '',
  seenTexts: [],
  typedTexts: [],
  ...fields,
});

export const plannedAction = (action: Action): PlannedAction => ({ kind: 'act', action });
export const clickOn = (index: number, expects?: Expectation): PlannedAction => ({
  kind: 'act',
  action: { action: 'click', target: { elementIndex: index } },
  ...(expects && { expects }),
});

export const observed = (observation: Observation): AgentInput => ({ kind: 'observed', observation });
export const modelAnswered = (...actions: PlannedAction[]): AgentInput => ({
  kind: 'modelAnswered',
  answer: { thought: 'So be it', actions, problems: [] },
});
