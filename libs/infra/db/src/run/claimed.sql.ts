/**
 * What a claim hands to the worker, of row `r` as it is after it.
 * @param opening expression: the intent that the claim made; null where it made none
 */
export const claimedRunJson = (opening: string) => `json_build_object(
    'definition', r.definition, 'inputs', r.inputs, 'secrets', r.secret_names, 'budget', r.budget, 'record', r.record,
    'egress', r.egress,
    'project', (SELECT json_build_object('egress', p.egress_allow, 'politeness', p.politeness) FROM project p WHERE p.id = r.project_id),
    'answer', r.answer, 'opening', ${opening}, 'usedSteps', r.used_steps - (${opening} IS NOT NULL)::int, 'usedSeconds', r.used_seconds,
    'waitedMs', greatest(0, (extract(epoch FROM now() - r.queued_at) * 1000)::int))`;
