import { terminalStatuses, type RunStatus } from '@pilothouse/contract/run/run-status';
import { reactionRules, type EndedRunFact } from '@pilothouse/core/run/run-reactions';

/** Facts of a row `c` of `locked_change`. Those of the run itself are columns, which are read from the locked row. */
const factSql: Readonly<Record<EndedRunFact, string>> = {
  hasHealedStep: 'c."hasHealedStep"',
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
