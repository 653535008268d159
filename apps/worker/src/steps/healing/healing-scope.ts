import { isHealable } from '../../error-policy.ts';
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
import type { ActionScope } from '../../actions/action-scope.ts';
import { newPromptBoundary } from '../agent/model-client.ts';
import type { EventBuffer } from '../../attempt/event-buffer.ts';
import type { AttemptContext } from '../../context/attempt-context.ts';

/** Services and data for healing. */
export interface HealParts {
  readonly place: StepPosition;
  /** Name of the workflow. */
  readonly workflow: string;
  readonly act: ActionScope;
  readonly link: Pick<AttemptLink, 'request' | 'callModel'>;
  readonly events: Pick<EventBuffer, 'add'>;
  readonly masker: Masker;
  readonly assignment: Pick<Assignment, 'answer' | 'secrets'>;
  /** Lists of allowed hosts; empty: no limit. */
  readonly hosts: readonly (readonly HostRule[])[];
  /** True if a person is asked after all other methods failed. */
  readonly asksPeople: boolean;
  /** Delimiter of page content in prompts, which pages cannot guess. */
  readonly mark: string;
  /** Renders the templates of a locator; null: a value is unknown. */
  render(locator: Locator): Locator | null;
  ask(question: RunQuestion): Promise<RunAnswer>;
  maskSecrets(): Promise<void>;
}

/** Attempt and running step. */
interface OfAttempt {
  readonly assignment: Assignment;
  readonly link: Pick<AttemptLink, 'request' | 'callModel'>;
  readonly tools: Pick<AttemptContext, 'events' | 'masker' | 'egress' | 'secrets' | 'progress'>;
  ask(question: RunQuestion): Promise<RunAnswer>;
}

/** Creates the services for healing the running step. */
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

/** Healing setting of the step, or else of its workflow. */
const wishOf = (step: Step, { heal = 'never' }: Pick<Assignment['definition'], 'heal'>) =>
  isSurfaceStep(step) ? (step.heal ?? heal) : 'never';

/**
 * True if healing applies to a failed step. An error that the workflow catches is part of its control flow, and healed only if the step itself
 * enables healing.
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
  // Internal steps of blocks are not part of the workflow.
  if (!isHealable(error.code) || reservedStepIds.has(withoutIterations(at).split('/').at(-1) ?? '')) return false;
  // A step with `heal: never` never reaches this point.
  return step.heal !== undefined || !progress.isCaught(error.view());
}
