import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract';
import type { Call } from '../http/call.ts';
import { Route } from '../http/route.ts';
import { EventsService } from './events.service.ts';
import { ManyRunsService } from './many.service.ts';
import { RunsService } from './runs.service.ts';
import { SubmitService } from './submit.service.ts';

@Controller()
export class RunsController {
  constructor(
    @Inject(RunsService) private readonly runs: RunsService,
    @Inject(SubmitService) private readonly submits: SubmitService,
    @Inject(EventsService) private readonly eventLog: EventsService,
    @Inject(ManyRunsService) private readonly many: ManyRunsService,
  ) {}

  @Route(routes.createRun)
  create({ caller, body, headers }: Call<typeof routes.createRun>) {
    return this.submits.submit(caller, body, headers['idempotency-key']);
  }

  @Route(routes.runWorkflow)
  createOf({ caller, params, body, headers }: Call<typeof routes.runWorkflow>) {
    return this.submits.submitWorkflow(caller, params.workflow, body, headers['idempotency-key']);
  }

  @Route(routes.listRuns)
  list({ caller, query }: Call<typeof routes.listRuns>) {
    return this.runs.list(caller, query);
  }

  @Route(routes.readRun)
  read({ caller, params, query, signal }: Call<typeof routes.readRun>) {
    return this.runs.read(caller, params.run, query.wait, signal);
  }

  @Route(routes.cancelRun)
  cancel({ caller, params }: Call<typeof routes.cancelRun>) {
    return this.runs.cancel(caller, params.run);
  }

  @Route(routes.resumeRun)
  resume({ caller, params, body }: Call<typeof routes.resumeRun>) {
    return this.runs.resume(caller, params.run, body);
  }

  @Route(routes.reopenRun)
  reopen({ caller, params }: Call<typeof routes.reopenRun>) {
    return this.runs.reopen(caller, params.run);
  }

  @Route(routes.dismissRun)
  dismiss({ caller, params, body }: Call<typeof routes.dismissRun>) {
    return this.runs.dismiss(caller, params.run, body?.question);
  }

  @Route(routes.retryRun)
  retry({ caller, params, body, headers }: Call<typeof routes.retryRun>) {
    return this.submits.retry(caller, params.run, headers['idempotency-key'], body);
  }

  @Route(routes.cancelRuns)
  cancelMany({ caller, body, signal }: Call<typeof routes.cancelRuns>) {
    return this.many.cancel(caller, body.runs, signal);
  }

  @Route(routes.retryRuns)
  retryMany({ caller, body, signal }: Call<typeof routes.retryRuns>) {
    return this.many.retry(caller, body.runs, signal);
  }

  @Route(routes.readRunDefinition)
  definition({ caller, params }: Call<typeof routes.readRunDefinition>) {
    return this.runs.definition(caller, params.run);
  }

  @Route(routes.listRunSteps)
  steps({ caller, params }: Call<typeof routes.listRunSteps>) {
    return this.runs.steps(caller, params.run);
  }

  @Route(routes.listRunArtifacts)
  artifacts({ caller, params }: Call<typeof routes.listRunArtifacts>) {
    return this.runs.artifacts(caller, params.run);
  }

  @Route(routes.listRunEvents)
  events(call: Call<typeof routes.listRunEvents>) {
    return this.eventLog.read(call);
  }
}
