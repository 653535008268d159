import {
  isSurfaceStep,
  locatorSchema,
  reservedStepIds,
  toPilothouseError,
  type RunAnswer,
  type Assignment,
  type Locator,
  type PilothouseError,
  type RunQuestion,
  type Step,
  type SurfaceStep,
} from '@pilothouse/contract';
import {
  stepTarget,
  renderTemplates,
  withoutIterations,
  type HostRule,
  type Masker,
  type StepPosition,
} from '@pilothouse/core';
import type { AttemptLink } from '@pilothouse/infra-link';
import type { ActionScope } from '../../actions/run-action.ts';
import { newPromptBoundary } from '../agent/model-client.ts';
import type { EventBuffer } from '../../attempt/event-buffer.ts';
import type { AttemptContext } from '../../context/attempt-context.ts';

/** What healing needs of the attempt. */
export interface HealParts {
  readonly place: StepPosition;
  /** What the workflow is called. */
  readonly workflow: string;
  readonly act: ActionScope;
  readonly link: Pick<AttemptLink, 'request' | 'callModel'>;
  readonly events: Pick<EventBuffer, 'add'>;
  readonly masker: Masker;
  readonly assignment: Pick<Assignment, 'answer' | 'secrets'>;
  /** Lists of hosts that the run may reach; none: it has no list. */
  readonly hosts: readonly (readonly HostRule[])[];
  /** Whether a person is asked where nothing else heals it. */
  readonly asksPeople: boolean;
  /** Cannot be guessed by a page. */
  readonly mark: string;
  /** A locator with its templates replaced; null when they name what is not known. */
  render(locator: Locator): Locator | null;
  ask(question: RunQuestion): Promise<RunAnswer>;
  maskSecrets(): Promise<void>;
}

/** What an attempt gives to the healing of the step at work. */
interface OfAttempt {
  readonly assignment: Assignment;
  readonly link: Pick<AttemptLink, 'request' | 'callModel'>;
  readonly tools: Pick<AttemptContext, 'events' | 'masker' | 'egress' | 'secrets' | 'progress'>;
  ask(question: RunQuestion): Promise<RunAnswer>;
}

/** What healing needs of the attempt, for the step at work. */
export function healParts(
  place: StepPosition,
  act: ActionScope,
  { assignment, link, tools, ask }: OfAttempt,
): HealParts {
  const { events, masker, egress, secrets, progress } = tools;
  const { definition } = assignment;
  return {
    place,
    workflow: definition.title ?? definition.name,
    act,
    link,
    events,
    masker,
    assignment,
    hosts: egress.pass.rules.lists.map(({ rules }) => rules),
    asksPeople: wishOf(place.step, definition) === 'ask',
    mark: newPromptBoundary(),
    render: (locator) => rendered(locator, progress),
    ask,
    maskSecrets: () => secrets.maskAll(),
  };
}

function rendered(locator: Locator, progress: Pick<AttemptContext['progress'], 'scope'>): Locator | null {
  try {
    const parsed = locatorSchema.safeParse(renderTemplates(JSON.parse(JSON.stringify(locator)), progress.scope()));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** What the step, or else its workflow, says of healing. */
const wishOf = (step: Step, { heal = 'never' }: Pick<Assignment['definition'], 'heal'>) =>
  isSurfaceStep(step) ? (step.heal ?? heal) : 'never';

/** How a step fails that may be healed: nothing is what it names, or several are. */
const lost = new Set(['TARGET_NOT_FOUND', 'TARGET_AMBIGUOUS']);

/**
 * Whether a step that failed is healed: its workflow, or it itself, says so. What the workflow catches is part of its course, and healed only
 * where the step itself says so.
 */
export function canHeal(
  step: Step,
  thrown: unknown,
  definition: Pick<Assignment['definition'], 'heal'>,
  { path: at }: StepPosition,
  progress: Pick<AttemptContext['progress'], 'isCaught'>,
): step is SurfaceStep {
  if (!isSurfaceStep(step) || stepTarget(step) === null || wishOf(step, definition) === 'never') return false;
  const error: PilothouseError = toPilothouseError(thrown);
  // What a block does by itself stands in no list of steps.
  if (!lost.has(error.code) || reservedStepIds.has(withoutIterations(at).split('/').at(-1) ?? '')) return false;
  // What says `off` itself did not come here.
  return step.heal !== undefined || !progress.isCaught(error.view());
}
