import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import type { SurfaceStep } from '@pilothouse/contract/workflow/step.schema';
import { stepRef } from '@pilothouse/core/interpreter/step-path';
import { stepTitle } from '@pilothouse/core/workflow/step-titles';
import { observeWithRetry } from '../../observation/page-observer.ts';
import { tierOfMethod, type Candidate } from './candidates.ts';
import type { HealingContext } from './healing-scope.ts';

/** The page on which a healed step acts. */
export interface HealedTurn {
  /** Records the healed step as a turn, without a screenshot. @param action with the target that was found */
  complete(action: Action, method: Candidate['method']): void;
}

/** Observes the page before a step acts on a candidate; null: turns are not recorded. */
export async function startHealedTurn(step: SurfaceStep, context: HealingContext): Promise<HealedTurn | null> {
  const { turns, scope, position } = context;
  if (!turns) return null;
  const page = await observeWithRetry('view', scope).catch((): Observation | null => null);
  scope.signal.throwIfAborted();
  if (!page) return null;
  const timestamp = scope.clock.now().toISOString();
  const startedAtMs = scope.clock.monotonic();
  return {
    complete(action, method) {
      const group = turns.startGroup({ ...stepRef(position), id: position.step.id ?? null }, true);
      const tier = tierOfMethod[method];
      const durationMs = Math.max(0, Math.round(scope.clock.monotonic() - startedAtMs));
      turns.add(
        group,
        {
          ...turns.startTurn(position.number, 0),
          ...{ at: timestamp, page, goal: stepTitle(step), input: null, prompt: null, answer: null, thought: '' },
          tier: tier === 'replan' ? 'text' : tier,
          source:
            method === 'human' ? 'person' : method === 'text-model' || method === 'vision-model' ? 'model' : 'cache',
          ...{ planned: [{ kind: 'act', action }], problems: [], notes: [] },
          outcomes: [
            {
              ...{ sequence: 1, planned: 0, action, error: null, durationMs },
              ...{ urlAfter: null, titleAfter: null, pageBefore: null, pageAfter: null },
            },
          ],
        },
        () => Promise.resolve(null),
      );
    },
  };
}
