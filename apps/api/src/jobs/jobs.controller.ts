import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import { Route } from '../http/route.decorator.ts';
import type { RouteRequest } from '../http/route-request.ts';
import { EvaluationsService } from '../learning/evaluations.service.ts';
import { JobEventsService } from './job-events.service.ts';
import { JobsService } from './jobs.service.ts';

@Controller()
export class JobsController {
  constructor(
    @Inject(JobsService) private readonly jobs: JobsService,
    @Inject(JobEventsService) private readonly events: JobEventsService,
    @Inject(EvaluationsService) private readonly evaluations: EvaluationsService,
  ) {}

  @Route(routes.listJobs)
  list({ caller, query }: RouteRequest<typeof routes.listJobs>) {
    return this.jobs.list(caller, query);
  }

  @Route(routes.readJob)
  read({ caller, params }: RouteRequest<typeof routes.readJob>) {
    return this.jobs.read(caller, params.job);
  }

  @Route(routes.streamJob)
  stream(call: RouteRequest<typeof routes.streamJob>) {
    return this.events.stream(call);
  }

  @Route(routes.startEvaluation)
  startEvaluation({ caller, body, headers }: RouteRequest<typeof routes.startEvaluation>) {
    return this.evaluations.start(caller, body, headers['idempotency-key']);
  }

  @Route(routes.cancelJob)
  cancel({ caller, params }: RouteRequest<typeof routes.cancelJob>) {
    return this.jobs.cancel(caller, params.job);
  }

  @Route(routes.retryJob)
  retry({ caller, params, body }: RouteRequest<typeof routes.retryJob>) {
    return this.jobs.retry(caller, params.job, body);
  }
}
