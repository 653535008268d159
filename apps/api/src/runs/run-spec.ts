import type { RunWorkflow } from '@pilothouse/contract/api/workflows.routes';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { nearestWords } from '@pilothouse/contract/nearest';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { PROXY_PASSWORD } from '@pilothouse/contract/project/egress.schema';
import type { Budget } from '@pilothouse/contract/run/budget.schema';
import { isTerminal } from '@pilothouse/contract/run/run-status';
import type { RetryRun, SubmitRun } from '@pilothouse/contract/run/run.schema';
import { Inject } from '@nestjs/common';
import { projectLimitErrors, effectiveBudget } from '@pilothouse/core/run/budget-check';
import { resolveInputs } from '@pilothouse/core/workflow/workflow-io';
import {
  FleetStore,
  ProjectSecretStore,
  ProjectSettingsStore,
  RunReader,
  type EligibleFleet,
  type ProjectSummary,
  type RunSubmission,
} from '@pilothouse/infra-db';
import type { Vault } from '@pilothouse/infra-vault';
import { validationError } from '../http/request-validation.ts';
import { VAULT } from '../common/injection-tokens.ts';
import { UploadsService } from '../uploads/uploads.service.ts';
import { WorkflowsService } from '../workflows/workflows.service.ts';
import { planFromRequest, type RunPlan, type RunOptions } from '../workflows/run-plan.ts';
import { unsealSecrets } from '../sealing/sealed-data.ts';
import { selectFleet } from './fleet-selection.ts';

/** Workflow, steps or goal to run, and its project. */
export type RunSpec = { readonly project: ProjectSummary } & RunSource;

type RunSource =
  /** The plan in a request: a workflow of the project, a definition, steps, or a goal. */
  | { readonly kind: 'request'; readonly request: SubmitRun }
  /** A workflow of the project, by name or id. */
  | { readonly kind: 'workflow'; readonly workflow: string; readonly request: RunWorkflow }
  /** An ended run with its definition and inputs, some of them replaced. */
  | { readonly kind: 'repeat'; readonly run: string; readonly overrides: RetryRun }
  /** Another plan that takes the inputs of an ended run. */
  | { readonly kind: 'plan'; readonly run: string; readonly plan: RunPlan };

/** A spec whose workflow, fleet and inputs are known and checked. */
export interface ResolvedRun {
  readonly plan: RunPlan;
  readonly terms: RunOptions;
  readonly fleet: Pick<EligibleFleet, 'id' | 'name'>;
  readonly inputs: Readonly<Record<string, Json>>;
  readonly secrets: Readonly<Record<string, string>>;
  /** Name of the project secret by secret input. */
  readonly references: Readonly<Record<string, string>>;
}

/** All data that an idempotency key stands for. */
export function requestIdentity(spec: RunSpec): unknown {
  switch (spec.kind) {
    case 'request':
      return ['runs', spec.request];
    case 'workflow':
      return ['workflow', spec.workflow, spec.request];
    case 'repeat':
      return ['retry', spec.run, ...(Object.keys(spec.overrides).length === 0 ? [] : [spec.overrides])];
    case 'plan':
      return ['replay', spec.run, spec.plan.workflow];
  }
}

function missingSecret(name: string, names: readonly string[]): string {
  const [near] = nearestWords(name, names);
  const fix =
    near !== undefined
      ? `did you mean "${near}"?`
      : `create it with PUT /v1/secrets/${name}${names.length === 0 ? '' : ', or use a name of GET /v1/secrets'}`;
  return `The project has no secret "${name}": ${fix}`;
}

/** Resolves specs in a project: finds workflow, fleet and inputs, and checks them. */
export class RunSpecResolver {
  constructor(
    @Inject(RunReader) private readonly runs: RunReader,
    @Inject(FleetStore) private readonly fleets: FleetStore,
    @Inject(ProjectSettingsStore) private readonly settings: Pick<ProjectSettingsStore, 'budgets'>,
    @Inject(WorkflowsService) private readonly workflows: WorkflowsService,
    @Inject(UploadsService) private readonly uploads: UploadsService,
    @Inject(VAULT) private readonly vault: Vault,
    @Inject(ProjectSecretStore) private readonly projectSecrets: Pick<ProjectSecretStore, 'names'>,
  ) {}

  /** @throws PilothouseError NOT_FOUND, CONFLICT, VALIDATION_FAILED */
  async resolve(spec: RunSpec): Promise<ResolvedRun> {
    const { project } = spec;
    switch (spec.kind) {
      case 'request': {
        const { workflow = '', version } = spec.request;
        const plan = planFromRequest(spec.request) ?? (await this.workflows.plan(project.id, workflow, version));
        return this.resolveRequest(project, plan, spec.request);
      }
      case 'workflow': {
        const plan = await this.workflows.plan(project.id, spec.workflow, spec.request.version);
        return this.resolveRequest(project, plan, spec.request);
      }
      case 'repeat':
        return this.resolveRepeat(project, spec.run, spec.overrides, null);
      case 'plan':
        return this.resolveRepeat(project, spec.run, {}, spec.plan);
    }
  }

  private async resolveRequest(
    project: ProjectSummary,
    { workflow, definition: requestedDefinition }: RunPlan,
    request: RunOptions & Pick<SubmitRun, 'inputs' | 'fleet'>,
  ): Promise<ResolvedRun> {
    const definition = await this.workflows.complete(project.id, requestedDefinition);
    const { inputs, secrets, references } = resolveInputs(definition, request.inputs);
    await this.requireSecrets(project.id, references);
    await this.uploads.requireUploaded(project.id, definition, inputs);
    const [fleets, budget] = await Promise.all([
      this.fleets.serving(project.slug),
      this.budget(project.id, request.budget),
    ]);
    const fleet = selectFleet(fleets, definition.surface, request.fleet);
    return { plan: { workflow, definition }, terms: { ...request, budget }, fleet, inputs, secrets, references };
  }

  /** @param plan plan to execute; null: the original one */
  private async resolveRepeat(
    project: ProjectSummary,
    id: string,
    overrides: RetryRun,
    plan: RunPlan | null,
  ): Promise<ResolvedRun> {
    const [run, source] = await Promise.all([this.runs.get(project.id, id), this.runs.source(project.id, id)]);
    if (!run || !source) throw new PilothouseError('NOT_FOUND', `Run ${id} not found.`);
    if (!isTerminal(run.view.status)) {
      throw new PilothouseError('CONFLICT', `The run is ${run.view.status}; only an ended run can be retried`);
    }
    const workflow = plan ? plan.workflow : source.workflow;
    const definition = plan ? await this.workflows.complete(project.id, plan.definition) : source.definition;
    const { inputs, secrets, references } = this.inputsOf(id, source, {
      overrides: overrides.inputs,
      plannedDefinition: plan?.definition,
    });
    await this.requireSecrets(project.id, references);
    await this.uploads.requireUploaded(project.id, definition, inputs);
    const { fleet: name, budget: requestedBudget, ...terms } = overrides;
    const budget = await this.budget(project.id, requestedBudget, source.budget);
    const fleet =
      name === undefined
        ? { id: source.fleet, name: run.view.fleet }
        : selectFleet(await this.fleets.serving(project.slug), definition.surface, name);
    return {
      plan: { workflow, definition },
      terms: { ...source, ...terms, capture: terms.capture ?? source.capture, budget },
      fleet,
      inputs,
      secrets,
      references,
    };
  }

  /** @throws PilothouseError VALIDATION_FAILED at `/inputs/<name>` for each secret that the project does not have */
  private async requireSecrets(project: string, references: ResolvedRun['references']): Promise<void> {
    if (Object.keys(references).length === 0) return;
    const names = await this.projectSecrets.names(project);
    const fields = Object.entries(references)
      .filter(([, secret]) => !names.includes(secret))
      .map(([input, secret]) => ({ pointer: `/inputs/${input}/secret`, detail: missingSecret(secret, names) }));
    if (fields.length > 0) throw validationError('inputs', fields);
  }

  /**
   * Inputs and secrets of a submitted run. References to secrets of the project stay references.
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
    if (!overrides && !plannedDefinition) {
      return { inputs: source.inputs, secrets: { ...secrets, ...proxy }, references: source.secretReferences };
    }
    const references = Object.entries(source.secretReferences).map(([name, secret]) => [name, { secret }] as const);
    const allInputs = Object.entries({
      ...source.inputs,
      ...secrets,
      ...Object.fromEntries(references),
      ...overrides,
    });
    const acceptedInputs = plannedDefinition
      ? allInputs.filter(([name]) => Object.hasOwn(plannedDefinition.inputs, name))
      : allInputs;
    const resolved = resolveInputs(plannedDefinition ?? source.definition, Object.fromEntries(acceptedInputs));
    return { ...resolved, secrets: { ...resolved.secrets, ...proxy } };
  }

  /**
   * Effective budget of a run.
   * @param requestedBudget undefined: `originalBudget`, within the current limits of the project
   * @throws PilothouseError VALIDATION_FAILED when the request exceeds the limits of the project
   */
  private async budget(
    project: string,
    requestedBudget: Budget | undefined,
    originalBudget: Budget = {},
  ): Promise<Budget> {
    const projectBudgets = await this.settings.budgets(project);
    const fields = projectLimitErrors(projectBudgets, requestedBudget ?? {}).map(({ pointer, detail }) => ({
      pointer: `/budget${pointer}`,
      detail,
    }));
    if (fields.length > 0) throw validationError('budget', fields);
    return effectiveBudget(projectBudgets, requestedBudget ?? originalBudget);
  }
}
