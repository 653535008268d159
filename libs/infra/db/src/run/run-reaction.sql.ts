import { terminalStatuses, type RunStatus } from '@pilothouse/contract/run/run-status';
import { reactionRules, type EndedRunFact } from '@pilothouse/core/run/run-reactions';

/** Facts of a row `c` of `locked_change`. Those of the run itself are columns, which are read from the locked row. */
const factSql: Readonly<Record<EndedRunFact, string>> = {
  hasHealedStep: 'c."hasHealedStep"',
  isReplay: `(SELECT origin->>'kind' = 'replay' FROM run WHERE id = c.run)`,
  hasModelCall: 'c.calls > 0',
  hasGoal: `(SELECT definition::text LIKE '%"goal"%' FROM run WHERE id = c.run)`,
  hasCompiledWorkflow: 'EXISTS (SELECT FROM compilation WHERE workflow_id = c.workflow)',
  hasRecordedTurn: `(c."hasStoredTurn" OR EXISTS (SELECT FROM artifact WHERE run_id = c.run AND kind = 'turn'))`,
  usesRegisteredModel: 'EXISTS (SELECT FROM registry_run WHERE run_id = c.run)',
};

const isIn = (statuses: readonly RunStatus[]) => `c."to" IN (${statuses.map((status) => `'${status}'`).join(', ')})`;

const rulesSql = Object.entries(reactionRules)
  .map(([reaction, { statuses, facts }]) => {
    const anyFact = facts?.map((fact) => factSql[fact]).join(' OR ') ?? 'true';
    return `('${reaction}', ${isIn(statuses)} AND (${anyFact}))`;
  })
  .join(',\n    ');

/** Stores the reactions of the runs that end, by the rules of `reactionRules`. */
export const INSERT_REACTIONS = `INSERT INTO run_reaction (run_id, reaction)
  SELECT c.run, required.reaction FROM locked_change c CROSS JOIN LATERAL (VALUES
    ${rulesSql}
  ) AS required(reaction, is_required)
  WHERE ${isIn(terminalStatuses)} AND required.is_required`;

/** Attempts are counted up, so that the end of a current attempt does not delete the reaction. */
const DUE_AGAIN = 'ON CONFLICT (run_id, reaction) DO UPDATE SET due_at = now(), attempts = run_reaction.attempts + 1';

/** SQL condition: a proposal has passed its verification, and a person or its policy wants it published. */
export const IS_PUBLISHABLE = `status = 'open' AND verification = 'passed' AND (approved_by IS NOT NULL OR policy = 'publish')`;

/**
 * Makes the recording of a verification due, if the run $1 has ended. The lock lets an active run end only after the transaction, so that its
 * own reaction sees what the transaction stored.
 */
export const REQUEST_ENDED_VERIFICATION = `WITH verification AS MATERIALIZED (SELECT status FROM run WHERE id = $1::uuid FOR SHARE)
  INSERT INTO run_reaction (run_id, reaction) SELECT $1::uuid, 'record_verification'
  WHERE NOT EXISTS (SELECT FROM verification WHERE status NOT IN (${terminalStatuses.map((status) => `'${status}'`).join(', ')}))
  ${DUE_AGAIN}`;

/** The same for the passed proposals of the workflow $1 that wait for publication. */
export const REQUEST_PUBLICATIONS = `INSERT INTO run_reaction (run_id, reaction)
  SELECT DISTINCT verification_run_id, 'record_verification' FROM proposal WHERE workflow_id = $1::uuid AND verification_run_id IS NOT NULL AND ${IS_PUBLISHABLE}
  ${DUE_AGAIN}`;
