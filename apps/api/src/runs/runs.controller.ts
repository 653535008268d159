import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import type { RouteRequest } from '../http/route-request.ts';
import { Route } from '../http/route.decorator.ts';
import { RunEventsService } from './events/run-events.service.ts';
import { BulkRunsService } from './bulk-runs.service.ts';
import { RunsService } from './runs.service.ts';
import { RunSubmissionService } from './run-submission.service.ts';

@Controller()
export class RunsController {
  constructor(
    @Inject(RunsService) private readonly runs: RunsService,
    @Inject(RunSubmissionService) private readonly submits: RunSubmissionService,
    @Inject(RunEventsService) private readonly eventLog: RunEventsService,
    @Inject(BulkRunsService) private readonly bulkRuns: BulkRunsService,
  ) {}

  @Route(routes.createRun)
  create({ caller, body, headers }: RouteRequest<typeof routes.createRun>) {
    return this.submits.submit(caller, body, headers['idempotency-key']);
  }

  @Route(routes.runWorkflow)
  createOf({ caller, params, body, headers }: RouteRequest<typeof routes.runWorkflow>) {
    return this.submits.submitWorkflow(caller, params.workflow, body, headers['idempotency-key']);
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
    return this.submits.retry(caller, params.run, headers['idempotency-key'], body);
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
}
