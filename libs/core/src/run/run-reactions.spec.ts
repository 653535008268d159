import type { RunReaction } from '@pilothouse/contract/run/run-reaction.schema';
import type { RunStatus } from '@pilothouse/contract/run/run-status';
import { MAX_REACTION_ATTEMPTS, reactionRetryMs, reactionsOf, type EndedRunFact } from './run-reactions.ts';

test.each<[RunStatus, readonly EndedRunFact[], readonly RunReaction[]]>([
  ['completed', [], []],
  ['completed', ['hasHealedStep'], ['propose_repair', 'measure_savings']],
  ['failed', ['hasHealedStep'], []],
  ['failed', ['isReplay'], ['record_verification']],
  ['cancelled', ['isReplay', 'hasHealedStep'], ['record_verification', 'cancel_children']],
  ['completed', ['isReplay', 'hasHealedStep'], ['propose_repair', 'record_verification', 'measure_savings']],
  ['completed', ['hasModelCall'], ['measure_savings']],
  ['completed', ['hasGoal'], ['measure_savings']],
  ['completed', ['hasCompiledWorkflow'], ['measure_savings']],
  ['failed', ['hasModelCall', 'hasGoal', 'hasCompiledWorkflow'], []],
  ['completed', ['hasRecordedTurn'], ['request_score']],
  ['failed', ['hasRecordedTurn'], ['request_score']],
  ['cancelled', ['hasRecordedTurn', 'usesRegisteredModel', 'hasHealedStep'], ['request_score', 'cancel_children']],
  ['cancelled', [], ['cancel_children']],
  ['completed', ['usesRegisteredModel'], ['check_rollback']],
  ['failed', ['usesRegisteredModel'], ['check_rollback']],
  ['queued', ['hasHealedStep', 'hasModelCall', 'hasRecordedTurn', 'usesRegisteredModel'], []],
])('a run that is %s with %j requires %j', (status, facts, reactions) => {
  expect(reactionsOf(status, new Set(facts))).toEqual(reactions);
});

test('attempts follow after 1 s, then twice the time up to an hour, for a week', () => {
  expect([1, 2, 3, 12, 13, 100].map(reactionRetryMs)).toEqual([1_000, 2_000, 4_000, 2_048_000, 3_600_000, 3_600_000]);
  expect([MAX_REACTION_ATTEMPTS, MAX_REACTION_ATTEMPTS + 1].map(reactionRetryMs)).toEqual([null, null]);
  const delays = Array.from({ length: MAX_REACTION_ATTEMPTS - 1 }, (_, index) => reactionRetryMs(index + 1) ?? 0);
  const days = delays.reduce((sum, ms) => sum + ms) / 86_400_000;
  expect(Math.round(days)).toBe(7);
});
