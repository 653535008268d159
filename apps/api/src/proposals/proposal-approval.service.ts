import { Inject } from '@nestjs/common';
import type { ProposalView } from '@pilothouse/contract/api/proposals.routes';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { ProposalStore } from '@pilothouse/infra-db';
import type { Caller } from '../http/route-request.ts';
import { startedBy } from '../runs/run-origin.ts';
import { RunSubmitter } from '../runs/submit-run.ts';
import { WorkflowsService } from '../workflows/workflows.service.ts';
import { proposalConflict, ProposalsService } from './proposals.service.ts';

/** Replays a proposal on approval, before it is published. */
export class ProposalApprovalService {
  constructor(
    @Inject(ProposalStore) private readonly store: ProposalStore,
    @Inject(ProposalsService) private readonly proposals: ProposalsService,
    @Inject(WorkflowsService) private readonly workflows: WorkflowsService,
    @Inject(RunSubmitter) private readonly submitter: RunSubmitter,
  ) {}

  /**
   * Publishes a proposal as soon as a run has verified it: the current one, or a new one, which also performs non-repeatable steps.
   * A proposal that has passed is published at once.
   * @throws PilothouseError NOT_FOUND; CONFLICT with the reason
   */
  async verifyAndPublish(caller: Caller, id: string): Promise<ProposalView> {
    const proposal = await this.proposals.requirePublishable(caller, id);
    const { verification } = proposal;
    if (verification.state === 'passed') return this.proposals.publish(caller, id, { skipVerification: false });
    const run =
      verification.state === 'running' && verification.run !== null
        ? verification.run
        : await this.replay(caller, proposal);
    if (!(await this.store.approve(id, caller.name, run)))
      throw proposalConflict('The proposal was decided or verified meanwhile.');
    return this.proposals.read(caller, id);
  }

  /** Submits a run of the version with the inputs of the newest run of the proposal. A repeated request returns the same run. */
  private async replay(caller: Caller, { id, workflow, version, runs, verification }: ProposalView): Promise<string> {
    const newestRun = runs.at(-1);
    if (newestRun === undefined) throw proposalConflict('The proposal has no run whose inputs a replay could use.');
    const { definition } = await this.workflows.read(caller, workflow.id, version);
    const plan = { workflow: { id: workflow.id, version }, definition };
    try {
      const { run } = await this.submitter.submit(
        { project: caller.project, kind: 'plan', run: newestRun, plan },
        { kind: 'replay', run: newestRun, ...startedBy(caller, `verify-${id}-${verification.run ?? 'first'}`) },
      );
      return run;
    } catch (error) {
      if (!(error instanceof PilothouseError) || error.code !== 'NOT_FOUND') throw error;
      throw proposalConflict(`The run ${newestRun}, whose inputs a replay would use, was deleted.`);
    }
  }
}
