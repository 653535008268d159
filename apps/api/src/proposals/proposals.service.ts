import { Inject } from '@nestjs/common';
import type {
  PublishProposal,
  ListProposalsQuery,
  Verification,
  ProposalView,
} from '@pilothouse/contract/api/proposals.routes';
import type { Page } from '@pilothouse/contract/api/query-params';
import type { WorkflowDetail } from '@pilothouse/contract/api/workflows.routes';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import { ProposalStore } from '@pilothouse/infra-db';
import type { Caller } from '../http/route-request.ts';
import { newId } from '../common/new-id.ts';
import { CLOCK } from '../common/injection-tokens.ts';
import { WorkflowsService } from '../workflows/workflows.service.ts';

/** Proposed workflow versions, and the decisions on them. */
export class ProposalsService {
  constructor(
    @Inject(ProposalStore) private readonly store: ProposalStore,
    @Inject(WorkflowsService) private readonly workflows: WorkflowsService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  list(caller: Caller, query: ListProposalsQuery): Promise<Page<ProposalView>> {
    return this.store.list(caller.project.id, query);
  }

  /** @throws PilothouseError NOT_FOUND */
  async read(caller: Caller, id: string): Promise<ProposalView> {
    const proposal = await this.store.read(caller.project.id, id);
    if (!proposal) throw new PilothouseError('NOT_FOUND', `Proposal ${id} not found.`);
    return proposal;
  }

  /** Publishes the version. @throws PilothouseError NOT_FOUND; CONFLICT with the reason */
  async publish(
    caller: Caller,
    id: string,
    { skipVerification }: Pick<PublishProposal, 'skipVerification'>,
  ): Promise<ProposalView> {
    const { workflow, version, verification } = await this.requirePublishable(caller, id);
    const unless = 'publish it with `skipVerification`';
    if (!skipVerification && verification.state === 'running')
      throw proposalConflict(`Its verification (run ${verification.run}) is in progress. Wait for it, or ${unless}.`);
    if (!skipVerification && verification.state === 'failed')
      throw proposalConflict(`Its verification failed: ${verification.reason}. Fix it, or ${unless}.`);
    await this.workflows.publish(caller, workflow.id, version);
    return this.decide(caller, id, 'published');
  }

  /** An open proposal for the published version; an outdated one is decided. @throws PilothouseError NOT_FOUND; CONFLICT */
  async requirePublishable(caller: Caller, id: string): Promise<ProposalView> {
    const proposal = await this.open(caller, id);
    const { workflow, baseVersion: base, version } = proposal;
    const { publishedVersion } = await this.workflows.read(caller, workflow.id);
    if (base === null || publishedVersion === null || publishedVersion === base) return proposal;
    // The publisher stopped before it decided the proposal, or did not know about it.
    const isPublished = publishedVersion === version;
    await this.store.decide(id, isPublished ? 'published' : 'superseded', caller.name, this.clock.now());
    if (isPublished) throw proposalConflict(`Version ${version} is already published.`);
    throw proposalConflict(`The proposal changes version ${base}, but version ${publishedVersion} is published now.`);
  }

  /** @throws PilothouseError NOT_FOUND; CONFLICT when it is decided */
  async reject(caller: Caller, id: string): Promise<ProposalView> {
    await this.open(caller, id);
    return this.decide(caller, id, 'rejected');
  }

  /** Stores the verdict on a compiled version. @returns its proposal; null when it is already published */
  async addCompiled(
    caller: Caller,
    run: string,
    { id: workflow, version, published }: WorkflowDetail,
    notes: readonly string[],
    { run: verificationRun, reason }: Pick<Verification, 'run' | 'reason'>,
  ): Promise<string | null> {
    if (published) return null;
    const id = newId();
    const project = caller.project.id;
    await this.store.save({
      ...{
        id,
        project,
        workflow,
        kind: 'compile',
        baseVersion: null,
        version,
        policy: 'propose',
        changes: [],
        notes,
        runs: [run],
      },
      verification: { state: verificationRun === null ? 'none' : 'running', run: verificationRun, reason },
    });
    const { items } = await this.store.list(project, { workflow, limit: 200 });
    return items.find((proposal) => proposal.version === version)?.id ?? null;
  }

  private async open(caller: Caller, id: string): Promise<ProposalView> {
    const proposal = await this.read(caller, id);
    if (proposal.status !== 'open') throw proposalConflict(`The proposal is already ${proposal.status}.`);
    return proposal;
  }

  private async decide(caller: Caller, id: string, status: 'published' | 'rejected'): Promise<ProposalView> {
    if (!(await this.store.decide(id, status, caller.name, this.clock.now())))
      throw proposalConflict('The proposal was decided meanwhile.');
    return this.read(caller, id);
  }
}

export const proposalConflict = (reason: string) =>
  new PilothouseError('CONFLICT', `The proposal is not decided: ${reason}`);
