import { Inject } from '@nestjs/common';
import type { CompileRunResult, CompileRun } from '@pilothouse/contract/api/compilation.routes';
import { runWorkflowSchema, type WorkflowDetail } from '@pilothouse/contract/api/workflows.routes';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import type { WorkflowDefinition } from '@pilothouse/contract/workflow/workflow.schema';
import { compileRun } from '@pilothouse/core/agent/compile/compile-run';
import { reasonNotToVerify } from '@pilothouse/core/agent/healing/workflow-repair';
import { RunReader, type RunSubmission } from '@pilothouse/infra-db';
import type { Caller } from '../http/route-request.ts';
import { validationError } from '../http/request-validation.ts';
import { ProposalsService } from './proposals.service.ts';
import { WorkflowsService } from '../workflows/workflows.service.ts';
import { runDataDeleted } from '../runs/runs.service.ts';
import { hasGeneratedName } from '../workflows/run-plan.ts';
import { RunMeasurementsService } from '../savings/run-measurements.service.ts';
import { startedBy } from '../runs/run-origin.ts';
import { RunSubmitter } from '../runs/submit-run.ts';

/** Batch size for reading events. */
const EVENTS = 1000;

/** Compiles agent runs into workflows. */
export class RunCompilerService {
  constructor(
    @Inject(RunReader) private readonly runs: RunReader,
    @Inject(WorkflowsService) private readonly workflows: WorkflowsService,
    @Inject(RunSubmitter) private readonly submitter: RunSubmitter,
    @Inject(ProposalsService) private readonly proposals: ProposalsService,
    @Inject(RunMeasurementsService) private readonly measurements: RunMeasurementsService,
  ) {}

  /** @throws PilothouseError NOT_FOUND, GONE; CONFLICT when the run cannot be compiled; VALIDATION_FAILED without a name */
  async compile(caller: Caller, id: string, { name, verify, inputs }: CompileRun): Promise<CompileRunResult> {
    const [run, source] = await Promise.all([
      this.runs.get(caller.project.id, id),
      this.runs.source(caller.project.id, id),
    ]);
    if (!run || !source) throw new PilothouseError('NOT_FOUND', `Run ${id} not found.`);
    const { view, eventSeq } = run;
    if (view.status !== 'completed')
      throw new PilothouseError('CONFLICT', `The run is ${view.status}; only a completed run can be compiled`);
    const workflowName = name ?? nameOf(source);
    const { definition, notes } = compileRun({
      definition: { ...source.definition, name: workflowName },
      inputs: source.inputs,
      secrets: source.secretNames,
      events: await this.events(id, eventSeq),
    });
    const workflow = await this.saveVersion(caller, definition);
    await this.measurements.recordCompilation(id, workflow.id, workflow.version);
    const verification = verify ? await this.verify(caller, view, source, workflow, inputs) : null;
    const proposal = verification && (await this.proposals.addCompiled(caller, id, workflow, notes, verification));
    return { workflow, notes: [...notes], verification: verification && { ...verification, proposal } };
  }

  private async events(run: string, eventSeq: number): Promise<RunEvent[]> {
    const events: RunEvent[] = [];
    for (let lastSeq = 0; lastSeq < eventSeq; lastSeq = events.at(-1)?.seq ?? eventSeq) {
      const page = await this.runs.events(run, lastSeq, EVENTS);
      if (page.length === 0) throw runDataDeleted(run);
      events.push(...page);
    }
    return events;
  }

  private async saveVersion(caller: Caller, definition: WorkflowDefinition): Promise<WorkflowDetail> {
    try {
      return await this.workflows.update(caller, definition.name, definition);
    } catch (error) {
      if (!(error instanceof PilothouseError) || error.code !== 'NOT_FOUND') throw error;
      return (await this.workflows.create(caller, definition)).body as WorkflowDetail;
    }
  }

  /** Submits one run of the workflow, unless it could do harm. The workflow is stored in any case. */
  private async verify(
    caller: Caller,
    { id: original, fleet }: RunView,
    source: RunSubmission,
    { id, version, definition }: WorkflowDetail,
    overrides: CompileRun['inputs'],
  ): Promise<Pick<NonNullable<CompileRunResult['verification']>, 'run' | 'reason'>> {
    const reason = verificationBlocker(definition, source, overrides);
    if (reason !== null) return { run: null, reason };
    const originalInputs = Object.entries(source.inputs).filter(([, value]) => value !== null);
    const references = Object.entries(source.secretReferences)
      .filter(([name]) => Object.hasOwn(definition.inputs, name))
      .map(([name, secret]) => [name, { secret }] as const);
    const body = runWorkflowSchema.parse({
      version,
      fleet,
      inputs: { ...Object.fromEntries(originalInputs), ...Object.fromEntries(references), ...overrides },
    });
    try {
      const { run } = await this.submitter.submit(
        { project: caller.project, kind: 'workflow', workflow: id, request: body },
        { kind: 'replay', run: original, ...startedBy(caller) },
      );
      return { run, reason: null };
    } catch (error) {
      if (!(error instanceof PilothouseError)) throw error;
      return {
        run: null,
        reason: `${error.message}${(error.fields ?? []).map((field) => `; ${field.pointer}: ${field.detail}`).join('')}`,
      };
    }
  }
}

function nameOf({ workflow, definition }: RunSubmission): string {
  if (workflow === null && hasGeneratedName(definition))
    throw validationError('body', [{ pointer: '/name', detail: 'The run has no workflow name. Set `name`.' }]);
  return definition.name;
}

/** Reason why a workflow is not verified automatically; null if it may be. */
function verificationBlocker(
  definition: WorkflowDefinition,
  source: RunSubmission,
  overrides: CompileRun['inputs'],
): string | null {
  const untried = reasonNotToVerify(definition);
  if (untried !== null) return untried;
  const availableNames = { ...source.secretReferences, ...overrides };
  const missing = source.secretNames.filter((name) => !Object.hasOwn(availableNames, name));
  if (missing.length > 0) return `Secret inputs are not readable. Set ${missing.join(', ')} in \`inputs\`.`;
  // A host restriction of the run must not be lost.
  if (source.egress !== null) return 'The run had its own hosts or proxy. Run it manually with them.';
  return null;
}
