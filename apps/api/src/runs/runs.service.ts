import type { Page } from '@pilothouse/contract/api/query-params';
import type { ListRunsQuery } from '@pilothouse/contract/api/runs.routes';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ArtifactView } from '@pilothouse/contract/run/artifact.schema';
import type { AnswerRun } from '@pilothouse/contract/run/run-question.schema';
import { isTerminal } from '@pilothouse/contract/run/run-status';
import type { RunStepView, RunView } from '@pilothouse/contract/run/run.schema';
import type { WorkflowDefinition } from '@pilothouse/contract/workflow/workflow.schema';
import { Inject } from '@nestjs/common';
import { RunReader, type RunWithSeq, type StoredArtifact } from '@pilothouse/infra-db';
import type { ObjectStorage } from '@pilothouse/infra-blob';
import { HttpResponse } from '../http/http-response.ts';
import type { Caller } from '../http/route-request.ts';
import { OBJECTS } from '../common/injection-tokens.ts';
import { RunLifecycle } from '../run-lifecycle/run-lifecycle.ts';

/** Data of a run that retention has removed while the run remains. */
export const runDataDeleted = (run: string) =>
  new PilothouseError(
    'GONE',
    `The events and steps of run ${run} were deleted: the retention period of the project is over`,
  );

/** Seconds for which a link to an artifact is valid. */
const LINK_SECONDS = 900;

/** Reads runs of a project, waits for them, and forwards requests of people. */
export class RunsService {
  constructor(
    @Inject(RunReader) private readonly runs: RunReader,
    @Inject(RunLifecycle) private readonly lifecycle: RunLifecycle,
    @Inject(OBJECTS) private readonly objects: Pick<ObjectStorage, 'clientTransfers'>,
  ) {}

  list(caller: Caller, query: ListRunsQuery): Promise<Page<RunView>> {
    return this.runs.list(caller.project.id, query);
  }

  /** @throws PilothouseError NOT_FOUND, also for a run of another project */
  async find(caller: Caller, run: string): Promise<RunWithSeq> {
    return (await this.runs.get(caller.project.id, run)) ?? missing(run);
  }

  /** Reads a run that was submitted now or, with the same idempotency key, before. @throws PilothouseError GONE */
  async readSubmitted(caller: Caller, run: string): Promise<RunView> {
    const submitted = await this.runs.get(caller.project.id, run);
    if (submitted) return submitted.view;
    throw new PilothouseError('GONE', `Run ${run} was deleted`);
  }

  /** Returns the run once it has ended, after `wait` seconds, or when the client disconnects. */
  async read(caller: Caller, run: string, wait: number, signal: AbortSignal): Promise<RunView> {
    const initial = await this.find(caller, run);
    if (wait === 0 || isTerminal(initial.view.status)) return initial.view;
    await this.waitForEnd(run, initial.eventSeq, AbortSignal.any([signal, AbortSignal.timeout(wait * 1000)]));
    return (await this.find(caller, run)).view;
  }

  async cancel(caller: Caller, run: string): Promise<HttpResponse<RunView>> {
    await this.find(caller, run);
    const outcome = await this.lifecycle.cancel(run, caller.name);
    const { view } = await this.find(caller, run);
    if (outcome === 'ended') {
      throw new PilothouseError('CONFLICT', `The run is already ${view.status}`);
    }
    return new HttpResponse<RunView>(outcome === 'cancelled' ? 200 : 202, view);
  }

  /** Answers the question of a run. @throws PilothouseError CONFLICT when the run does not wait for this answer */
  async answer(caller: Caller, run: string, answer: AnswerRun): Promise<RunView> {
    await this.find(caller, run);
    const isAnswered = await this.lifecycle.answer(run, answer, caller.name);
    return this.requireAccepted(caller, run, isAnswered, 'answer');
  }

  /** Queues a waiting run whose slot was released. @throws PilothouseError CONFLICT when it does not wait, or its browser is open */
  async reopen(caller: Caller, run: string): Promise<RunView> {
    const { view: current } = await this.find(caller, run);
    if (current.status === 'awaiting_user' && current.worker !== null)
      throw new PilothouseError('CONFLICT', 'The browser of the run is open. Take control.');
    const reopened = await this.lifecycle.reopen(run, caller.name);
    return this.requireAccepted(caller, run, reopened, 'reopen');
  }

  /** Ends a run that waits for a person. @param question as in `RunLifecycle.complete` @throws PilothouseError CONFLICT */
  async complete(caller: Caller, run: string, question?: string): Promise<RunView> {
    await this.find(caller, run);
    const completed = await this.lifecycle.complete(run, caller.name, question);
    return this.requireAccepted(caller, run, completed, 'complete');
  }

  private async requireAccepted(caller: Caller, run: string, isAccepted: boolean, action: string): Promise<RunView> {
    const { view } = await this.find(caller, run);
    if (isAccepted) return view;
    throw new PilothouseError(
      'CONFLICT',
      view.question
        ? 'The run asks another question now. Reload it.'
        : `The run is ${view.status} and has no open question to ${action}.`,
    );
  }

  async definition(caller: Caller, run: string): Promise<WorkflowDefinition> {
    return (await this.runs.definition(caller.project.id, run)) ?? missing(run);
  }

  async steps(caller: Caller, run: string): Promise<{ items: RunStepView[] }> {
    const items = (await this.runs.steps(caller.project.id, run)) ?? missing(run);
    if (items.every(({ status }) => status === 'pending')) {
      // Either no step was reached, or retention has removed them.
      const { view } = await this.find(caller, run);
      if (isTerminal(view.status) && view.currentStep !== null) throw runDataDeleted(run);
    }
    return { items };
  }

  async artifacts(caller: Caller, run: string): Promise<{ items: ArtifactView[] }> {
    const storedArtifacts = (await this.runs.artifacts(caller.project.id, run)) ?? missing(run);
    return { items: await Promise.all(storedArtifacts.map((artifact) => this.withLink(artifact))) };
  }

  private async withLink({ key, ...artifact }: StoredArtifact): Promise<ArtifactView> {
    const { name, contentType } = artifact;
    const link = { name, contentType, expiresInSeconds: LINK_SECONDS, inline: true };
    return { ...artifact, url: (await this.objects.clientTransfers.download(key, link)).url };
  }

  /** Resolves when the run has ended, or the signal aborts. @throws errors of PostgreSQL */
  async waitForEnd(run: string, lastSeq: number, signal: AbortSignal): Promise<void> {
    const events = this.lifecycle.watch(run, lastSeq, signal)[Symbol.asyncIterator]();
    for (let next = await events.next(); !next.done;) next = await events.next();
  }
}

function missing(run: string): never {
  throw new PilothouseError('NOT_FOUND', `Run ${run} not found.`);
}
