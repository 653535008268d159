import { unwrapData, type Client } from '@pilothouse/client';
import type { ProposalView } from '@pilothouse/contract/api/proposals.routes';
import { diffLines, type DiffLine } from '@pilothouse/core/workflow/line-diff';
import { yamlOf } from '../workflows/workflow-yaml.server.ts';

/** A proposal with the diff to its base version; null: there is no base version. */
export interface ProposalWithDiff {
  proposal: ProposalView;
  diff: DiffLine[] | null;
}

const MAX_PROPOSALS = 20;

/** Reads proposals, newest first. @param filter by run or status */
export async function readProposals(
  { api }: Client,
  filter: { run?: string; status?: ProposalView['status'][] },
): Promise<ProposalWithDiff[]> {
  const { items } = await unwrapData(
    api.GET('/v1/proposals', { params: { query: { ...filter, limit: MAX_PROPOSALS } } }),
  );
  const definition = async (workflow: string, version: number) => {
    const params = { path: { workflow }, query: { version } };
    return yamlOf((await unwrapData(api.GET('/v1/workflows/{workflow}', { params }))).definition);
  };
  return Promise.all(
    items.map(async (proposal) => {
      const { workflow, baseVersion: base, version } = proposal;
      if (base === null) return { proposal, diff: null };
      const [baseText, proposedText] = await Promise.all([
        definition(workflow.id, base),
        definition(workflow.id, version),
      ]);
      return { proposal, diff: diffLines(baseText, proposedText) };
    }),
  );
}
