import { Inject } from '@nestjs/common';
import type { Verification, ProposalView, RepairedStep } from '@pilothouse/contract/api/proposals.routes';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import {
  repairedChain,
  hasGoals,
  collectHealedSteps,
  repairWorkflow,
  reasonNotToVerify,
} from '@pilothouse/core/agent/healing/workflow-repair';
import type { Clock, Log } from '@pilothouse/core/ports/runtime.port';
import { ProposalStore, RunReader, type PublishableProposal, type FinishedVerification } from '@pilothouse/infra-db';
import type { Caller } from '../http/route-request.ts';
import { newId } from '../common/new-id.ts';
import { startedBy } from '../runs/run-origin.ts';
import { RunSubmitter } from '../runs/submit-run.ts';
import { CLOCK, LOG } from '../common/injection-tokens.ts';
import { WorkflowsService } from '../workflows/workflows.service.ts';
import { isRetryable, publicReason } from '../http/http-problem.ts';
import { ProposalsService } from './proposals.service.ts';

/** Actor of automatic decisions. */
const HEAL = 'heal';

/** Creates proposals from healed steps, and follows their verification. */
export class RepairProposalsService {
  constructor(
    @Inject(ProposalStore) private readonly store: ProposalStore,
    @Inject(ProposalsService) private readonly proposals: ProposalsService,
    @Inject(RunReader) private readonly runs: RunReader,
    @Inject(WorkflowsService) private readonly workflows: WorkflowsService,
    @Inject(RunSubmitter) private readonly submitter: RunSubmitter,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /**
   * Proposes the repairs of a completed run of a published workflow version, or of any version while none is published.
   * A further run with the same repairs is added to the open proposal.
   * @param isLastAttempt stops waiting for a verification; the proposal states why it is missing
   */
  async propose(run: string, isLastAttempt: boolean): Promise<void> {
    const project = await this.store.findProject(run);
    if (!project) return;
    const caller = systemCaller(project);
    const source = await this.runs.source(project.id, run);
    if (!source?.workflow || (await this.store.isVerificationRun(run))) return;
    const { id: workflow, version: base } = source.workflow;
    const current = await this.workflows.read(caller, workflow, base);
    if (current.archived || (current.publishedVersion !== null && current.publishedVersion !== base)) return;
    const healedSteps = collectHealedSteps(await this.store.healedEvents(run), source.definition);
    const repair = repairWorkflow(current.definition, healedSteps);
    const existing = await this.store.listRepairs(workflow, base);
    const open = existing.find(({ status }) => status === 'open');
    if (open && isCoveredBy(repair.changes, open)) return this.store.addRun(open.id, run);
    const changes = [...repair.changes, ...(open?.changes ?? []).filter(({ path }) => !hasStep(repair.changes, path))];
    const isRejected = existing.some((proposal) => proposal.status === 'rejected' && isSame(proposal.changes, changes));
    if (changes.length === 0 || isRejected) return;

    const { definition } = repairWorkflow(current.definition, changes);
    // The version may exist already: its verification could not be submitted, and another run was processed since.
    const existingVersion = await this.store.findVersion(workflow, definition, { author: HEAL, baseVersion: base });
    const detail = await (existingVersion === null
      ? this.workflows.update(caller, workflow, definition)
      : this.workflows.read(caller, workflow, existingVersion));
    const verification = await this.startVerification(caller, run, detail, isLastAttempt);
    if (open) await this.store.decide(open.id, 'superseded', HEAL, this.clock.now());
    const policy = definition.repairPolicy ?? project.repairPolicy ?? 'propose';
    const { notes } = repair;
    const runs = [...new Set([...(open?.runs ?? []), run])];
    await this.store.save({
      ...{ id: newId(), project: project.id, workflow, kind: 'heal', baseVersion: base, version: detail.version },
      ...{ policy, changes, notes, runs, verification },
    });
  }

  /**
   * Evaluates the verification of an ended run, and publishes a passed version if a person approved it or the policy allows it. Does nothing
   * for other runs, and for a result that is recorded.
   */
  async recordResult(run: string): Promise<void> {
    const verification = await this.store.finishedVerification(run);
    if (verification !== null)
      return this.withFailureRecord(verification, 'Verification could not be evaluated', () =>
        this.evaluateVerification(verification),
      );
    // The process stopped after the verdict, the approval came after it, or the workflow was archived.
    const publishable = await this.store.publishableProposal(run);
    if (publishable !== null) await this.publish(publishable);
  }

  /** Publishes a passed version if a person approved it or the policy allows it. */
  private publish(proposal: PublishableProposal): Promise<void> {
    return this.withFailureRecord(proposal, 'Verified version could not be published', () =>
      this.publishPassed(proposal),
    );
  }

  /** A permanent failure is not retried; the proposal shows the reason. */
  private async withFailureRecord(
    { proposal, run }: PublishableProposal,
    message: string,
    work: () => Promise<void>,
  ): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (isRetryable(error)) throw error;
      this.log.warn({ proposal, run, error: String(error) }, 'verification abandoned');
      await this.store.recordVerification(proposal, {
        state: 'failed',
        run,
        reason: `${message}: ${publicReason(error)}`,
      });
    }
  }

  private async evaluateVerification(verification: FinishedVerification): Promise<void> {
    const { proposal: id, run } = verification;
    const caller = systemCaller(await this.projectOf(verification));
    const { workflow, version } = await this.proposals.read(caller, id);
    const { definition } = await this.workflows.read(caller, workflow.id, version);
    const reason = verificationFailure(verification, hasGoals(definition));
    await this.store.recordVerification(id, { state: reason === null ? 'passed' : 'failed', run, reason });
    if (reason === null) await this.publish(verification);
  }

  private async publishPassed(verified: PublishableProposal): Promise<void> {
    const { proposal: id } = verified;
    const caller = systemCaller(await this.projectOf(verified));
    // An approval given meanwhile counts; a later one triggers a new attempt.
    const proposal = await this.proposals.read(caller, id);
    const approver = proposal.approvedBy ?? (proposal.policy === 'publish' ? HEAL : null);
    if (approver === null || proposal.status !== 'open') return;
    await this.proposals
      .publish({ ...caller, name: approver }, id, { skipVerification: false })
      .catch((error: unknown) => {
        // Another version was published meanwhile; the proposal records it.
        if (!(error instanceof PilothouseError) || error.code !== 'CONFLICT') throw error;
      });
  }

  private async projectOf({ run, project }: PublishableProposal) {
    return (await this.store.findProject(run)) ?? { id: project, slug: '', name: '' };
  }

  /** Submits a run of the version with the inputs of the healed run, unless it could do harm. */
  private async startVerification(
    caller: Caller,
    healedRun: string,
    { id, version, definition }: Pick<WorkflowVersion, 'id' | 'version' | 'definition'>,
    isLastAttempt: boolean,
  ): Promise<Verification> {
    const reason = reasonNotToVerify(definition);
    if (reason !== null) return { state: 'none', run: null, reason };
    try {
      const plan = { workflow: { id, version }, definition };
      const { run } = await this.submitter.submit(
        { project: caller.project, kind: 'plan', run: healedRun, plan },
        { kind: 'replay', run: healedRun, ...startedBy(caller, `heal-${id}-${version}`) },
      );
      return { state: 'running', run, reason: null };
    } catch (error) {
      if (isRetryable(error) && !isLastAttempt) throw error;
      // The version exists already: without a proposal its missing verification would go unnoticed.
      this.log.warn({ run: healedRun, workflow: id, version, error: String(error) }, 'repair not verified');
      return { state: 'none', run: null, reason: publicReason(error) };
    }
  }
}

type WorkflowVersion = Awaited<ReturnType<WorkflowsService['read']>>;

/** The system actor in a project. */
const systemCaller = ({ id, slug, name }: Caller['project']): Caller => ({
  name: HEAL,
  role: 'admin',
  project: { id, slug, name },
  key: null,
  user: null,
});

/** Reason why a run cannot verify a version; null if it can. @param callsModels its goals call models even if the locators match */
function verificationFailure(
  { status, error, calls: callCount, healed: healedCount }: FinishedVerification,
  callsModels: boolean,
): string | null {
  if (status === null) return 'The run was deleted before it was evaluated';
  if (status !== 'completed') return `The run ${status}${error?.message ? `: ${error.message}` : ''}`;
  if (healedCount > 0) return `${healedCount === 1 ? 'A step' : `${healedCount} steps`} had to be healed again`;
  return callCount > 0 && !callsModels
    ? `It took ${callCount === 1 ? 'a call' : `${callCount} calls`} to a model`
    : null;
}

const hasStep = (changes: readonly RepairedStep[], path: string) => changes.some((change) => change.path === path);

/** Returns whether an open or rejected proposal already repairs these steps. */
const isCoveredBy = (
  changes: readonly RepairedStep[],
  { changes: repairedSteps, verification }: ProposalView,
): boolean =>
  changes.every(({ path }) => hasStep(repairedSteps, path)) &&
  (verification.state !== 'failed' || isSame(repairedSteps, changes));

const isSame = (changes: readonly RepairedStep[], otherChanges: readonly RepairedStep[]): boolean =>
  textOf(changes) === textOf(otherChanges);

const textOf = (changes: readonly RepairedStep[]): string =>
  JSON.stringify(
    changes
      .map((change) => [change.path, repairedChain(change)])
      .sort(([a], [b]) => String(a).localeCompare(String(b))),
  );
