import type { RunWorkflow } from '@pilothouse/contract/api/workflows.routes';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { createEvent } from '@pilothouse/contract/events/event-log.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { PROXY_PASSWORD, type RunEgress, type SubmitEgress } from '@pilothouse/contract/project/egress.schema';
import type { Budget } from '@pilothouse/contract/run/budget.schema';
import { isTerminal } from '@pilothouse/contract/run/run-status';
import type { RetryRun, RunView, SubmitRun } from '@pilothouse/contract/run/run.schema';
import { countSteps } from '@pilothouse/contract/workflow/workflow-node.schema';
import { Inject } from '@nestjs/common';
import { isLinear } from '@pilothouse/core/interpreter/step-path';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import { projectLimitErrors, effectiveBudget } from '@pilothouse/core/run/budget-check';
import { firstStepIntent } from '@pilothouse/core/run/step-intent';
import { resolveInputs } from '@pilothouse/core/workflow/workflow-io';
import {
  FleetStore,
  ProjectSettingsStore,
  RunReader,
  type IdempotencyClaim,
  type NewRun,
  type RunSubmission,
  type EligibleFleet,
} from '@pilothouse/infra-db';
import type { ModelsConfig } from '@pilothouse/infra-config';
import type { Vault } from '@pilothouse/infra-vault';
import { HttpResponse } from '../http/http-response.ts';
import { actorFrom, type Caller } from '../http/route-request.ts';
import { validationError } from '../http/request-validation.ts';
import { newId } from '../common/new-id.ts';
import { CLOCK, MODELS_CONFIG, VAULT } from '../common/injection-tokens.ts';
import { UploadsService } from '../uploads/uploads.service.ts';
import { RunLifecycle } from '../run-lifecycle/run-lifecycle.ts';
import { WorkflowsService } from '../workflows/workflows.service.ts';
import { runModelProblems } from '../models/models-view.ts';
import { selectFleet } from './fleet-selection.ts';
import { IdempotencyService } from './idempotency.service.ts';
import { planFromRequest, goalPreviewOf, type RunPlan, type RunOptions } from '../workflows/run-plan.ts';
import { requireStorableInputs, sealSecrets, unsealSecrets } from '../sealing/sealed-data.ts';

/** Splits the egress of a run: the proxy password is stored with the secrets and never shown. */
export function extractProxyPassword(egress: SubmitEgress | null): { egress: RunEgress | null; password?: string } {
  if (!egress?.proxy) return { egress };
  const { password, ...proxy } = egress.proxy;
  return { egress: { ...egress, proxy }, ...(password !== undefined && { password }) };
}

/** Fleet, inputs and secrets of a run. */
interface RunTarget {
  readonly fleet: Pick<EligibleFleet, 'id' | 'name'>;
  readonly inputs: Readonly<Record<string, Json>>;
  readonly secrets: Readonly<Record<string, string>>;
  readonly retryOf: string | null;
}

/** Options to submit a run again. */
interface Resubmission {
  /** Request that the idempotency key identifies. */
  readonly request: unknown;
  /** Overrides of the original run. */
  readonly overrides: RetryRun;
  /** Plan to execute; null: the original one. */
  readonly plan: RunPlan | null;
}

/** Validates and submits runs. */
export class RunSubmissionService {
  constructor(
    @Inject(RunLifecycle) private readonly lifecycle: RunLifecycle,
    @Inject(RunReader) private readonly runs: RunReader,
    @Inject(FleetStore) private readonly fleets: FleetStore,
    @Inject(ProjectSettingsStore) private readonly settings: Pick<ProjectSettingsStore, 'budgets'>,
    @Inject(WorkflowsService) private readonly workflows: WorkflowsService,
    @Inject(UploadsService) private readonly uploads: UploadsService,
    @Inject(IdempotencyService) private readonly idempotency: IdempotencyService,
    @Inject(VAULT) private readonly vault: Vault,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(MODELS_CONFIG) private readonly models: ModelsConfig,
  ) {}

  /** Submits a run of the plan in the body. */
  submit(caller: Caller, body: SubmitRun, key: string | undefined): Promise<HttpResponse<RunView>> {
    return this.idempotent(caller, key, ['runs', body], async (claim) => {
      const { workflow = '', version } = body;
      return this.prepare(
        caller,
        planFromRequest(body) ?? (await this.workflows.plan(caller, workflow, version)),
        body,
        claim,
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
    return this.idempotent(caller, key, ['workflow', workflow, body], async (claim) =>
      this.prepare(caller, await this.workflows.plan(caller, workflow, body.version), body, claim),
    );
  }

  /** Submits a finished run again with its definition and inputs. @param overrides replaced options */
  retry(caller: Caller, of: string, key: string | undefined, overrides: RetryRun = {}): Promise<HttpResponse<RunView>> {
    const request = Object.keys(overrides).length === 0 ? ['retry', of] : ['retry', of, overrides];
    return this.resubmit(caller, of, key, { request, overrides, plan: null });
  }

  /** Submits it with another plan that takes the same inputs. */
  replay(caller: Caller, of: string, plan: RunPlan, key: string): Promise<HttpResponse<RunView>> {
    return this.resubmit(caller, of, key, { request: ['replay', of, plan.workflow], overrides: {}, plan });
  }

  private resubmit(
    caller: Caller,
    of: string,
    key: string | undefined,
    { request, overrides, plan }: Resubmission,
  ): Promise<HttpResponse<RunView>> {
    return this.idempotent(caller, key, request, async (claim) => {
      const [run, source] = await Promise.all([
        this.runs.get(caller.project.id, of),
        this.runs.source(caller.project.id, of),
      ]);
      if (!run || !source) throw new PilothouseError('NOT_FOUND', `Run ${of} not found.`);
      if (!isTerminal(run.view.status)) {
        throw new PilothouseError('CONFLICT', `The run is ${run.view.status}; only an ended run can be retried`);
      }
      const workflow = plan ? plan.workflow : source.workflow;
      const definition = plan ? await this.workflows.complete(caller, plan.definition) : source.definition;
      const { inputs, secrets } = this.inputsOf(of, source, {
        overrides: overrides.inputs,
        plannedDefinition: plan?.definition,
      });
      await this.uploads.requireUploaded(caller, definition, inputs);
      const { fleet: name, budget: requested, ...terms } = overrides;
      const budget = await this.budget(caller, requested, source.budget);
      const fleet =
        name === undefined
          ? { id: source.fleet, name: run.view.fleet }
          : selectFleet(await this.fleets.serving(caller.project.slug), definition.surface, name);
      const target = { fleet, inputs, secrets, retryOf: plan ? null : of };
      return this.insert(
        caller,
        { workflow, definition },
        { ...source, ...terms, capture: terms.capture ?? source.capture, budget },
        target,
        claim,
      );
    });
  }

  /**
   * Inputs and secrets of a submitted run.
   * @param overrides replaced inputs
   * @param plannedDefinition definition with its own inputs; undefined: the original definition
   */
  private inputsOf(
    run: string,
    source: RunSubmission,
    {
      overrides,
      plannedDefinition,
    }: { overrides: Readonly<Record<string, Json>> | undefined; plannedDefinition: RunPlan['definition'] | undefined },
  ) {
    const { [PROXY_PASSWORD]: password, ...secrets } = source.secrets
      ? unsealSecrets(this.vault, run, source.secrets)
      : {};
    const proxy = password !== undefined && { [PROXY_PASSWORD]: password };
    if (!overrides && !plannedDefinition) return { inputs: source.inputs, secrets: { ...secrets, ...proxy } };
    const allInputs = Object.entries({ ...source.inputs, ...secrets, ...overrides });
    const acceptedInputs = plannedDefinition
      ? allInputs.filter(([name]) => Object.hasOwn(plannedDefinition.inputs, name))
      : allInputs;
    const resolved = resolveInputs(plannedDefinition ?? source.definition, Object.fromEntries(acceptedInputs));
    return { inputs: resolved.inputs, secrets: { ...resolved.secrets, ...proxy } };
  }

  /** Checks inputs, files and fleet, then queues the run. */
  private async prepare(
    caller: Caller,
    { workflow, definition: requestedDefinition }: RunPlan,
    body: RunOptions & Pick<SubmitRun, 'inputs' | 'fleet'>,
    claim: IdempotencyClaim | null,
  ): Promise<string> {
    const definition = await this.workflows.complete(caller, requestedDefinition);
    const { inputs, secrets } = resolveInputs(definition, body.inputs);
    await this.uploads.requireUploaded(caller, definition, inputs);
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
      claim,
    );
  }

  /**
   * Effective budget of a run.
   * @param requested requested budget; undefined: `originalBudget`, within the current limits of the project
   * @throws PilothouseError VALIDATION_FAILED when the request exceeds the limits of the project
   */
  private async budget(caller: Caller, requested: Budget | undefined, originalBudget: Budget = {}): Promise<Budget> {
    const projectBudgets = await this.settings.budgets(caller.project.id);
    const fields = projectLimitErrors(projectBudgets, requested ?? {}).map(({ pointer, detail }) => ({
      pointer: `/budget${pointer}`,
      detail,
    }));
    if (fields.length > 0) throw validationError('budget', fields);
    return effectiveBudget(projectBudgets, requested ?? originalBudget);
  }

  private async insert(
    caller: Caller,
    { definition, workflow }: RunPlan,
    terms: RunOptions,
    { fleet, inputs, secrets, retryOf }: RunTarget,
    claim: IdempotencyClaim | null,
  ): Promise<string> {
    requireStorableInputs(inputs, secrets);
    const { priority, budget, capture, labels, model = null, expiresIn = null } = terms;
    const modelProblems = model === null ? [] : runModelProblems(model, this.models);
    if (modelProblems.length > 0) throw validationError('run', modelProblems);
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
      goal: goalPreviewOf({ workflow, definition }),
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
      model,
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
      idempotency: claim,
    };
    await this.lifecycle.submit(run);
    return id;
  }

  private async idempotent(
    caller: Caller,
    key: string | undefined,
    request: unknown,
    submit: (claim: IdempotencyClaim | null) => Promise<string>,
  ): Promise<HttpResponse<RunView>> {
    const { run, replayed } = await this.idempotency.runOnce(caller.project.id, key, request, submit);
    const stored = await this.runs.get(caller.project.id, run);
    if (!stored) throw new PilothouseError('GONE', `Run ${run} was deleted`);
    return new HttpResponse<RunView>(202, stored.view, {
      location: `/v1/runs/${run}`,
      ...(replayed && { 'idempotency-replayed': 'true' }),
    });
  }
}
