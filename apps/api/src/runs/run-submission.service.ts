import {
  type Budget,
  type Json,
  PROXY_PASSWORD,
  PilothouseError,
  type RetryRun,
  type RunEgress,
  type RunView,
  type RunWorkflow,
  type SubmitEgress,
  type SubmitRun,
  countSteps,
  createEvent,
  isTerminal,
} from '@pilothouse/contract';
import { Inject } from '@nestjs/common';
import {
  projectLimitErrors,
  isLinear,
  firstStepIntent,
  resolveInputs,
  effectiveBudget,
  type Clock,
} from '@pilothouse/core';
import {
  FleetStore,
  ProjectSettingsStore,
  RunReader,
  type IdempotencyClaim,
  type NewRun,
  type RunSubmission,
  type EligibleFleet,
} from '@pilothouse/infra-db';
import type { Vault } from '@pilothouse/infra-vault';
import { HttpResponse } from '../http/http-response.ts';
import { actorFrom, type Caller } from '../http/route-request.ts';
import { validationError } from '../http/request-validation.ts';
import { newId } from '../common/new-id.ts';
import { CLOCK, VAULT } from '../common/injection-tokens.ts';
import { UploadsService } from '../uploads/uploads.service.ts';
import { RunLifecycle } from '../run-lifecycle/run-lifecycle.ts';
import { WorkflowsService } from '../workflows/workflows.service.ts';
import { selectFleet } from './fleet-selection.ts';
import { IdempotencyService } from './idempotency.service.ts';
import { planFromRequest, type RunPlan, type RunOptions } from '../workflows/run-plan.ts';
import { requireStorableInputs, sealSecrets, unsealSecrets } from '../sealing/sealed-data.ts';

/** Splits the egress of a run: the proxy password is stored with the secrets and never shown. */
export function extractProxyPassword(given: SubmitEgress | null): { egress: RunEgress | null; password?: string } {
  if (!given?.proxy) return { egress: given };
  const { password, ...proxy } = given.proxy;
  return { egress: { ...given, proxy }, ...(password !== undefined && { password }) };
}

/** Fleet, egress and secrets of a run. */
interface Load {
  readonly fleet: Pick<EligibleFleet, 'id' | 'name'>;
  readonly inputs: Readonly<Record<string, Json>>;
  readonly secrets: Readonly<Record<string, string>>;
  readonly retryOf: string | null;
}

/** Options to submit a run again. */
interface Again {
  /** Request that the idempotency key stands for. */
  readonly request: unknown;
  /** Overrides of the original run. */
  readonly otherwise: RetryRun;
  /** Plan to execute; null: the original one. */
  readonly plan: RunPlan | null;
}

/** Validates and submits runs. */
export class RunSubmissionService {
  constructor(
    @Inject(RunLifecycle) private readonly way: RunLifecycle,
    @Inject(RunReader) private readonly runs: RunReader,
    @Inject(FleetStore) private readonly fleets: FleetStore,
    @Inject(ProjectSettingsStore) private readonly settings: Pick<ProjectSettingsStore, 'budgets'>,
    @Inject(WorkflowsService) private readonly workflows: WorkflowsService,
    @Inject(UploadsService) private readonly uploads: UploadsService,
    @Inject(IdempotencyService) private readonly idempotency: IdempotencyService,
    @Inject(VAULT) private readonly vault: Vault,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Submits a run of the plan in the body. */
  submit(caller: Caller, body: SubmitRun, key: string | undefined): Promise<HttpResponse<RunView>> {
    return this.idempotent(caller, key, ['runs', body], async (held) => {
      const { workflow = '', version } = body;
      return this.prepare(
        caller,
        planFromRequest(body) ?? (await this.workflows.plan(caller, workflow, version)),
        body,
        held,
      );
    });
  }

  /** Submits a run of a workflow of the project. */
  submitWorkflow(
    caller: Caller,
    workflow: string,
    body: RunWorkflow,
    key: string | undefined,
  ): Promise<HttpResponse<RunView>> {
    return this.idempotent(caller, key, ['workflow', workflow, body], async (held) =>
      this.prepare(caller, await this.workflows.plan(caller, workflow, body.version), body, held),
    );
  }

  /** Submits a finished run again with its definition and inputs. @param otherwise overrides */
  retry(caller: Caller, of: string, key: string | undefined, otherwise: RetryRun = {}): Promise<HttpResponse<RunView>> {
    const request = Object.keys(otherwise).length === 0 ? ['retry', of] : ['retry', of, otherwise];
    return this.resubmit(caller, of, key, { request, otherwise, plan: null });
  }

  /** Submits it with another plan that takes the same inputs. */
  replay(caller: Caller, of: string, plan: RunPlan, key: string): Promise<HttpResponse<RunView>> {
    return this.resubmit(caller, of, key, { request: ['replay', of, plan.workflow], otherwise: {}, plan });
  }

  private resubmit(
    caller: Caller,
    of: string,
    key: string | undefined,
    { request, otherwise, plan }: Again,
  ): Promise<HttpResponse<RunView>> {
    return this.idempotent(caller, key, request, async (held) => {
      const [found, source] = await Promise.all([
        this.runs.get(caller.project.id, of),
        this.runs.source(caller.project.id, of),
      ]);
      if (!found || !source) throw new PilothouseError('NOT_FOUND', `There is no run ${of}`);
      if (!isTerminal(found.view.status)) {
        throw new PilothouseError(
          'CONFLICT',
          `The run is ${found.view.status}; only a run that has ended is run again`,
        );
      }
      const workflow = plan ? plan.workflow : source.workflow;
      const definition = plan ? await this.workflows.complete(caller, plan.definition) : source.definition;
      const { inputs, secrets } = this.inputsOf(of, source, { otherwise: otherwise.inputs, planned: plan?.definition });
      await this.uploads.mustBeThere(caller, definition, inputs);
      const { fleet: name, budget: asked, ...terms } = otherwise;
      const budget = await this.budget(caller, asked, source.budget);
      const fleet =
        name === undefined
          ? { id: source.fleet, name: found.view.fleet }
          : selectFleet(await this.fleets.serving(caller.project.slug), definition.surface, name);
      const load = { fleet, inputs, secrets, retryOf: plan ? null : of };
      return this.insert(
        caller,
        { workflow, definition },
        { ...source, ...terms, capture: terms.capture ?? source.capture, budget },
        load,
        held,
      );
    });
  }

  /**
   * Inputs and secrets of a submitted run.
   * @param changed.otherwise overrides of inputs; `planned`: a plan with inputs of its own
   */
  private inputsOf(
    run: string,
    source: RunSubmission,
    {
      otherwise,
      planned,
    }: { otherwise: Readonly<Record<string, Json>> | undefined; planned: RunPlan['definition'] | undefined },
  ) {
    const { [PROXY_PASSWORD]: password, ...secrets } = source.secrets
      ? unsealSecrets(this.vault, run, source.secrets)
      : {};
    const proxy = password !== undefined && { [PROXY_PASSWORD]: password };
    if (!otherwise && !planned) return { inputs: source.inputs, secrets: { ...secrets, ...proxy } };
    const given = Object.entries({ ...source.inputs, ...secrets, ...otherwise });
    const taken = planned ? given.filter(([name]) => Object.hasOwn(planned.inputs, name)) : given;
    const resolved = resolveInputs(planned ?? source.definition, Object.fromEntries(taken));
    return { inputs: resolved.inputs, secrets: { ...resolved.secrets, ...proxy } };
  }

  /** Checks inputs, files and fleet, then queues the run. */
  private async prepare(
    caller: Caller,
    { workflow, definition: written }: RunPlan,
    body: RunOptions & Pick<SubmitRun, 'inputs' | 'fleet'>,
    held: IdempotencyClaim | null,
  ): Promise<string> {
    const definition = await this.workflows.complete(caller, written);
    const { inputs, secrets } = resolveInputs(definition, body.inputs);
    await this.uploads.mustBeThere(caller, definition, inputs);
    const [fleets, budget] = await Promise.all([
      this.fleets.serving(caller.project.slug),
      this.budget(caller, body.budget),
    ]);
    const fleet = selectFleet(fleets, definition.surface, body.fleet);
    return this.insert(
      caller,
      { workflow, definition },
      { ...body, budget },
      { fleet, inputs, secrets, retryOf: null },
      held,
    );
  }

  /**
   * Effective budget of a run.
   * @param asked requested budget; undefined: that of `before`, within the current limits of the project
   * @throws PilothouseError VALIDATION_FAILED when the request exceeds the limits of the project
   */
  private async budget(caller: Caller, asked: Budget | undefined, before: Budget = {}): Promise<Budget> {
    const given = await this.settings.budgets(caller.project.id);
    const fields = projectLimitErrors(given, asked ?? {}).map(({ pointer, detail }) => ({
      pointer: `/budget${pointer}`,
      detail,
    }));
    if (fields.length > 0) throw validationError('budget', fields);
    return effectiveBudget(given, asked ?? before);
  }

  private async insert(
    caller: Caller,
    { definition, workflow }: RunPlan,
    terms: RunOptions,
    { fleet, inputs, secrets, retryOf }: Load,
    held: IdempotencyClaim | null,
  ): Promise<string> {
    requireStorableInputs(inputs, secrets);
    const { priority, budget, capture, labels, expiresIn = null } = terms;
    const { egress, password } = extractProxyPassword(terms.egress ?? null);
    const sealed = { ...secrets, ...(password !== undefined && { [PROXY_PASSWORD]: password }) };
    const secretNames = Object.keys(secrets).filter((name) => name !== PROXY_PASSWORD);
    const now = this.clock.now();
    const id = newId(now.getTime());
    const run: NewRun = {
      id,
      project: caller.project.id,
      fleet: fleet.id,
      workflow,
      workflowName: definition.name,
      surface: definition.surface,
      definition,
      stepCount: Math.max(1, countSteps(definition.steps)),
      inputs,
      secretNames,
      secrets: sealSecrets(this.vault, id, sealed),
      priority,
      budget,
      capture,
      egress,
      labels,
      retryOf,
      createdBy: actorFrom(caller),
      expiresIn,
      firstIntent: firstStepIntent(definition, { run: id, inputs, secrets: secretNames }),
      event: createEvent(
        'run.queued',
        `Queued on fleet ${fleet.name}${retryOf ? `, again after ${retryOf}` : ''}`,
        { fleet: fleet.name, priority, retryOf, ...(isLinear(definition.steps) && { steps: definition.steps.length }) },
        now,
      ),
      idempotency: held,
    };
    await this.way.submit(run);
    return id;
  }

  private async idempotent(
    caller: Caller,
    key: string | undefined,
    request: unknown,
    submit: (held: IdempotencyClaim | null) => Promise<string>,
  ): Promise<HttpResponse<RunView>> {
    const { run, replayed } = await this.idempotency.runOnce(caller.project.id, key, request, submit);
    const found = await this.runs.get(caller.project.id, run);
    if (!found) throw new PilothouseError('GONE', `The run ${run} was removed`);
    return new HttpResponse<RunView>(202, found.view, {
      location: `/v1/runs/${run}`,
      ...(replayed && { 'idempotency-replayed': 'true' }),
    });
  }
}
