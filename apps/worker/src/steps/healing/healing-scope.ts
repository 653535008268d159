import { isHealable } from '../../error-policy.ts';
import { locatorSchema, type Locator } from '@pilothouse/contract/actions/locator.schema';
import { toPilothouseError, type PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { MAX_MODEL_TIMEOUT_MS } from '@pilothouse/contract/model/model.schema';
import type { SurfaceKind } from '@pilothouse/contract/primitives.schema';
import type { RunAnswer, RunQuestion } from '@pilothouse/contract/run/run-question.schema';
import type { Assignment } from '@pilothouse/contract/worker/to-worker.messages';
import { reservedStepIds } from '@pilothouse/contract/workflow/control-flow.schema';
import { isSurfaceStep, type Step, type SurfaceStep } from '@pilothouse/contract/workflow/step.schema';
import { stepTarget, withoutIterations } from '@pilothouse/core/agent/healing/workflow-repair';
import type { HostRule } from '@pilothouse/core/egress/host-rules';
import type { StepPosition } from '@pilothouse/core/interpreter/interpreter-state';
import type { Masker } from '@pilothouse/core/secret/secret-masker';
import { renderTemplates } from '@pilothouse/core/workflow/secret-placeholders';
import type { AttemptLink } from '@pilothouse/infra-link';
import type { ActionScope } from '../../actions/action-scope.ts';
import type { TurnStore } from '../../turns/turn-store.ts';
import { newPromptBoundary } from '../agent/model-client.ts';
import type { EventBuffer } from '../../attempt/event-buffer.ts';
import type { AttemptContext } from '../../context/attempt-context.ts';

/** Services and data for healing. */
export interface HealingContext {
  readonly position: StepPosition;
  /** Maximum milliseconds of all model calls that choose the element. */
  readonly modelMs: number;
  /** Surface of the workflow. */
  readonly surface: SurfaceKind;
  /** Name of the workflow. */
  readonly workflow: string;
  readonly scope: ActionScope;
  readonly link: Pick<AttemptLink, 'request' | 'callModel'>;
  readonly events: Pick<EventBuffer, 'add'>;
  readonly masker: Masker;
  readonly assignment: Pick<Assignment, 'answer' | 'secrets'>;
  /** Lists of allowed hosts; empty: no limit. */
  readonly hosts: readonly (readonly HostRule[])[];
  /** True if a person is asked after all other methods failed. */
  readonly canAskHuman: boolean;
  /** Null: turns are not recorded. */
  readonly turns: TurnStore | null;
  /** Delimiter of page content in prompts, which pages cannot guess. */
  readonly promptBoundary: string;
  /** Renders the templates of a locator; null: a value is unknown. */
  render(locator: Locator): Locator | null;
  requestAnswer(question: RunQuestion): Promise<RunAnswer>;
  maskSecrets(): Promise<void>;
}

/** Attempt and running step. */
interface HealingServices {
  readonly assignment: Assignment;
  readonly link: Pick<AttemptLink, 'request' | 'callModel'>;
  readonly attempt: Pick<AttemptContext, 'events' | 'masker' | 'egress' | 'secrets' | 'progress' | 'turns'>;
  requestAnswer(question: RunQuestion): Promise<RunAnswer>;
}

/** Creates the services for healing the running step. */
export function createHealingContext(
  position: StepPosition,
  scope: ActionScope,
  { assignment, link, attempt, requestAnswer }: HealingServices,
): HealingContext {
  const { events, masker, egress, secrets, progress, turns } = attempt;
  const { definition } = assignment;
  return {
    position,
    modelMs: modelMsOf(position.step),
    surface: definition.surface ?? 'browser',
    workflow: definition.title ?? definition.name,
    scope,
    link,
    events,
    masker,
    assignment,
    hosts: egress.policy.rules.lists.map(({ rules }) => rules),
    canAskHuman: healModeOf(position.step, definition) === 'ask',
    turns,
    promptBoundary: newPromptBoundary(),
    render: (locator) => renderLocator(locator, progress),
    requestAnswer,
    maskSecrets: () => secrets.maskAll(),
  };
}

/** Minimum milliseconds of model calls: short timeouts of steps are for pages. */
const MIN_MODEL_MS = 60_000;

/** Milliseconds for model calls: the timeout that the step sets; without one, that of a slow local server. */
const modelMsOf = ({ timeout }: Pick<Step, 'timeout'>): number =>
  timeout === undefined ? MAX_MODEL_TIMEOUT_MS : Math.min(Math.max(timeout * 1000, MIN_MODEL_MS), MAX_MODEL_TIMEOUT_MS);

function renderLocator(locator: Locator, progress: Pick<AttemptContext['progress'], 'scope'>): Locator | null {
  try {
    const parsed = locatorSchema.safeParse(renderTemplates(JSON.parse(JSON.stringify(locator)), progress.scope()));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** Healing setting of the step, or else of its workflow. */
const healModeOf = (step: Step, { heal = 'never' }: Pick<Assignment['definition'], 'heal'>) =>
  isSurfaceStep(step) ? (step.heal ?? heal) : 'never';

/**
 * True if healing applies to a failed step. An error that the workflow catches is part of its control flow, and healed only if the step itself
 * enables healing.
 */
export function canHeal(
  step: Step,
  thrown: unknown,
  definition: Pick<Assignment['definition'], 'heal'>,
  { path }: StepPosition,
  progress: Pick<AttemptContext['progress'], 'isCaught'>,
): step is SurfaceStep {
  if (!isSurfaceStep(step) || stepTarget(step) === null || healModeOf(step, definition) === 'never') return false;
  const error: PilothouseError = toPilothouseError(thrown);
  // Internal steps of blocks are not part of the workflow.
  if (!isHealable(error.code) || reservedStepIds.has(withoutIterations(path).split('/').at(-1) ?? '')) return false;
  // A step with `heal: never` never reaches this point.
  return step.heal !== undefined || !progress.isCaught(error.view());
}
