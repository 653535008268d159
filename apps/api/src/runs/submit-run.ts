import { createEvent } from '@pilothouse/contract/events/event-log.schema';
import { PROXY_PASSWORD, type RunEgress, type SubmitEgress } from '@pilothouse/contract/project/egress.schema';
import type { RunOrigin } from '@pilothouse/contract/run/run-origin.schema';
import { countSteps } from '@pilothouse/contract/workflow/workflow-node.schema';
import { Inject } from '@nestjs/common';
import { isLinear } from '@pilothouse/core/interpreter/step-path';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import { firstStepIntent } from '@pilothouse/core/run/step-intent';
import type { IdempotencyClaim } from '@pilothouse/infra-db';
import type { ModelsConfig } from '@pilothouse/infra-config';
import type { Vault } from '@pilothouse/infra-vault';
import { validationError } from '../http/request-validation.ts';
import { newId } from '../common/new-id.ts';
import { CLOCK, MODELS_CONFIG, VAULT } from '../common/injection-tokens.ts';
import { RunLifecycle } from '../run-lifecycle/run-lifecycle.ts';
import { runModelProblems } from '../models/models-view.ts';
import { goalPreviewOf } from '../workflows/run-plan.ts';
import { requireStorableInputs, sealSecrets } from '../sealing/sealed-data.ts';
import { ChildRuns } from './child-runs.ts';
import { IdempotencyService, type SubmissionResult } from './idempotency.service.ts';
import { storedKeyOf } from './run-origin.ts';
import { requestIdentity, RunSpecResolver, type ResolvedRun, type RunSpec } from './run-spec.ts';

/** Splits the egress of a run: the proxy password is stored with the secrets and never shown. */
function extractProxyPassword(egress: SubmitEgress | null): { egress: RunEgress | null; password?: string } {
  if (!egress?.proxy) return { egress };
  const { password, ...proxy } = egress.proxy;
  return { egress: { ...egress, proxy }, ...(password !== undefined && { password }) };
}

/** The only way to start a run, for requests and for Pilothouse itself. */
export class RunSubmitter {
  constructor(
    @Inject(RunLifecycle) private readonly lifecycle: Pick<RunLifecycle, 'submit'>,
    @Inject(ChildRuns) private readonly children: Pick<ChildRuns, 'requireParent' | 'followParent'>,
    @Inject(RunSpecResolver) private readonly specs: RunSpecResolver,
    @Inject(IdempotencyService) private readonly idempotency: IdempotencyService,
    @Inject(VAULT) private readonly vault: Vault,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(MODELS_CONFIG) private readonly models: ModelsConfig,
  ) {}

  /**
   * Stores a run and queues it, once for each idempotency key of the origin.
   * @returns the run, and whether an earlier call with the same key started it
   * @throws PilothouseError NOT_FOUND, CONFLICT, VALIDATION_FAILED, IDEMPOTENCY_MISMATCH, IDEMPOTENCY_IN_FLIGHT, UNAVAILABLE
   */
  submit(spec: RunSpec, origin: RunOrigin): Promise<SubmissionResult> {
    return this.idempotency.runOnce(spec.project.id, storedKeyOf(origin), requestIdentity(spec), async (claim) =>
      this.insert(spec.project.id, await this.specs.resolve(spec), origin, claim),
    );
  }

  private async insert(
    project: string,
    { plan: { definition, workflow }, terms, fleet, inputs, secrets, references }: ResolvedRun,
    origin: RunOrigin,
    claim: IdempotencyClaim | null,
  ): Promise<string> {
    requireStorableInputs(inputs, secrets);
    const parentRunId = origin.kind === 'parent' ? origin.run : (terms.parentRunId ?? null);
    if (parentRunId !== null) await this.children.requireParent(project, parentRunId);
    const { priority, budget, capture, labels, model = null, expiresIn = null } = terms;
    const modelProblems = model === null ? [] : runModelProblems(model, this.models);
    if (modelProblems.length > 0) throw validationError('run', modelProblems);
    const { egress, password } = extractProxyPassword(terms.egress ?? null);
    const sealed = { ...secrets, ...(password !== undefined && { [PROXY_PASSWORD]: password }) };
    const secretNames = Object.keys({ ...secrets, ...references }).filter((name) => name !== PROXY_PASSWORD);
    const now = this.clock.now();
    const id = newId(now.getTime());
    const retryOf = origin.kind === 'retry' ? origin.run : null;
    await this.lifecycle.submit({
      id,
      project,
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
      ...(Object.keys(references).length > 0 && { secretReferences: references }),
      priority,
      budget,
      capture,
      egress,
      labels,
      model,
      origin,
      parentRunId,
      expiresIn,
      firstIntent: firstStepIntent(definition, { run: id, inputs, secrets: secretNames }),
      event: createEvent(
        'run.queued',
        `Queued on fleet ${fleet.name}${retryOf ? `, again after ${retryOf}` : ''}`,
        { fleet: fleet.name, priority, retryOf, ...(isLinear(definition.steps) && { steps: definition.steps.length }) },
        now,
      ),
      idempotency: claim,
    });
    if (parentRunId !== null) await this.children.followParent(id, parentRunId);
    return id;
  }
}
