import type { Tier } from '@pilothouse/contract/model/tier-names';
import type { RunAnswer, RunQuestion } from '@pilothouse/contract/run/run-question.schema';
import type { StepPosition } from '@pilothouse/core/interpreter/interpreter-state';
import type { Masker } from '@pilothouse/core/secret/secret-masker';
import type { AttemptLink } from '@pilothouse/infra-link';
import type { EventBuffer } from '../../attempt/event-buffer.ts';
import type { GoalTurns } from '../../turns/goal-turns.ts';
import type { ActionCache } from './action-cache.ts';
import type { ExecutorContext } from './action-executor.ts';
import type { BranchRef } from './agent-events.ts';
import type { GoalContext } from './initial-goal-state.ts';

/** Services of the attempt that an agent uses. */
export interface AgentContext
  extends ExecutorContext, Pick<GoalContext, 'hosts' | 'openedUrl' | 'openedApps' | 'surface'> {
  readonly position: StepPosition;
  /** Set for a goal in a branch of the step. */
  readonly branch?: BranchRef;
  readonly link: Pick<AttemptLink, 'callModel' | 'sendThinking'>;
  readonly events: Pick<EventBuffer, 'add' | 'flush' | 'maskError'>;
  readonly masker: Masker;
  readonly assignment: ExecutorContext['assignment'] & GoalContext['assignment'];
  /** Random text around page content in prompts. */
  readonly promptBoundary: string;
  readonly actionCache: ActionCache;
  /** Records the turns of the goal; null: they are not recorded. */
  readonly turns: GoalTurns | null;
  requestAnswer(question: RunQuestion): Promise<RunAnswer>;
  /** Called when the goal reaches a higher tier. */
  onTier(tier: Tier): void;
  /** Question to wait on while a person has control; null: no manual control. */
  controlQuestion(): RunQuestion | null;
  /** Titles of the actions that the person did during the last manual control. */
  manualActions(): readonly string[];
  /** Masks all secrets of the run in everything that is stored or sent. */
  maskSecrets(): Promise<void>;
}
