import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import { Route } from '../http/route.decorator.ts';
import type { RouteRequest } from '../http/route-request.ts';
import { EvaluationsService } from './evaluations.service.ts';
import { LearningJobsService } from './learning-jobs.service.ts';

@Controller()
export class LearningJobsController {
  constructor(
    @Inject(LearningJobsService) private readonly jobs: LearningJobsService,
    @Inject(EvaluationsService) private readonly evaluations: EvaluationsService,
  ) {}

  @Route(routes.listLearningJobs)
  list({ caller, query }: RouteRequest<typeof routes.listLearningJobs>) {
    return this.jobs.list(caller, query);
  }

  @Route(routes.readLearningJob)
  read({ caller, params }: RouteRequest<typeof routes.readLearningJob>) {
    return this.jobs.read(caller, params.job);
  }

  @Route(routes.startEvaluation)
  startEvaluation({ caller, body, headers }: RouteRequest<typeof routes.startEvaluation>) {
    return this.evaluations.start(caller, body, headers['idempotency-key']);
  }

  @Route(routes.cancelLearningJob)
  cancel({ caller, params }: RouteRequest<typeof routes.cancelLearningJob>) {
    return this.jobs.cancel(caller, params.job);
  }

  @Route(routes.retryLearningJob)
  retry({ caller, params, body }: RouteRequest<typeof routes.retryLearningJob>) {
    return this.jobs.retry(caller, params.job, body);
  }
}
