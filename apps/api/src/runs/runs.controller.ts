import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import type { RunOrigin } from '@pilothouse/contract/run/run-origin.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { HttpResponse } from '../http/http-response.ts';
import type { Caller, RouteRequest } from '../http/route-request.ts';
import { Route } from '../http/route.decorator.ts';
import { RunEventsService } from './events/run-events.service.ts';
import { BulkRunsService } from './bulk-runs.service.ts';
import { RunsService } from './runs.service.ts';
import type { RunSpec } from './run-spec.ts';
import { originOf, retryOriginOf } from './run-origin.ts';
import { RunSubmitter } from './submit-run.ts';

@Controller()
export class RunsController {
  constructor(
    @Inject(RunsService) private readonly runs: RunsService,
    @Inject(RunSubmitter) private readonly submitter: RunSubmitter,
    @Inject(RunEventsService) private readonly eventLog: RunEventsService,
    @Inject(BulkRunsService) private readonly bulkRuns: BulkRunsService,
  ) {}

  @Route(routes.createRun)
  create({ caller, body, headers }: RouteRequest<typeof routes.createRun>) {
    const spec = { project: caller.project, kind: 'request', request: body } as const;
    return this.submit(caller, spec, originOf(caller, headers['idempotency-key']));
  }

  @Route(routes.runWorkflow)
  createOf({ caller, params, body, headers }: RouteRequest<typeof routes.runWorkflow>) {
    const spec = { project: caller.project, kind: 'workflow', workflow: params.workflow, request: body } as const;
    return this.submit(caller, spec, originOf(caller, headers['idempotency-key']));
  }

  @Route(routes.listRuns)
  list({ caller, query }: RouteRequest<typeof routes.listRuns>) {
    return this.runs.list(caller, query);
  }

  @Route(routes.readRun)
  read({ caller, params, query, signal }: RouteRequest<typeof routes.readRun>) {
    return this.runs.read(caller, params.run, query.wait, signal);
  }

  @Route(routes.cancelRun)
  cancel({ caller, params }: RouteRequest<typeof routes.cancelRun>) {
    return this.runs.cancel(caller, params.run);
  }

  @Route(routes.answerRun)
  answer({ caller, params, body }: RouteRequest<typeof routes.answerRun>) {
    return this.runs.answer(caller, params.run, body);
  }

  @Route(routes.reopenRun)
  reopen({ caller, params }: RouteRequest<typeof routes.reopenRun>) {
    return this.runs.reopen(caller, params.run);
  }

  @Route(routes.completeRun)
  complete({ caller, params, body }: RouteRequest<typeof routes.completeRun>) {
    return this.runs.complete(caller, params.run, body?.question);
  }

  @Route(routes.retryRun)
  retry({ caller, params, body, headers }: RouteRequest<typeof routes.retryRun>) {
    const spec = { project: caller.project, kind: 'repeat', run: params.run, overrides: body ?? {} } as const;
    return this.submit(caller, spec, retryOriginOf(caller, params.run, headers['idempotency-key']));
  }

  @Route(routes.cancelRuns)
  cancelMany({ caller, body, signal }: RouteRequest<typeof routes.cancelRuns>) {
    return this.bulkRuns.cancel(caller, body.runs, signal);
  }

  @Route(routes.retryRuns)
  retryMany({ caller, body, signal }: RouteRequest<typeof routes.retryRuns>) {
    return this.bulkRuns.retry(caller, body.runs, signal);
  }

  @Route(routes.readRunDefinition)
  definition({ caller, params }: RouteRequest<typeof routes.readRunDefinition>) {
    return this.runs.definition(caller, params.run);
  }

  @Route(routes.listRunSteps)
  steps({ caller, params }: RouteRequest<typeof routes.listRunSteps>) {
    return this.runs.steps(caller, params.run);
  }

  @Route(routes.listRunArtifacts)
  artifacts({ caller, params }: RouteRequest<typeof routes.listRunArtifacts>) {
    return this.runs.artifacts(caller, params.run);
  }

  @Route(routes.listRunEvents)
  events(call: RouteRequest<typeof routes.listRunEvents>) {
    return this.eventLog.read(call);
  }

  private async submit(caller: Caller, spec: RunSpec, origin: RunOrigin): Promise<HttpResponse<RunView>> {
    const { run, isRepeated } = await this.submitter.submit(spec, origin);
    return new HttpResponse<RunView>(202, await this.runs.readSubmitted(caller, run), {
      location: `/v1/runs/${run}`,
      ...(isRepeated && { 'idempotency-replayed': 'true' }),
    });
  }
}
