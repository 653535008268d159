import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract';
import type { Call } from '../http/call.ts';
import { Route } from '../http/route.ts';
import { ApprovalsService } from './approvals.service.ts';
import { CompileService } from './compile.service.ts';
import { ProposalsService } from './proposals.service.ts';

@Controller()
export class ProposalsController {
  constructor(
    @Inject(ProposalsService) private readonly proposals: ProposalsService,
    @Inject(ApprovalsService) private readonly approvals: ApprovalsService,
    @Inject(CompileService) private readonly compiles: CompileService,
  ) {}

  @Route(routes.compileRun)
  compile({ caller, params, body }: Call<typeof routes.compileRun>) {
    return this.compiles.compile(caller, params.run, body);
  }

  @Route(routes.listProposals)
  list({ caller, query }: Call<typeof routes.listProposals>) {
    return this.proposals.list(caller, query);
  }

  @Route(routes.readProposal)
  read({ caller, params }: Call<typeof routes.readProposal>) {
    return this.proposals.read(caller, params.proposal);
  }

  @Route(routes.acceptProposal)
  accept({ caller, params, body }: Call<typeof routes.acceptProposal>) {
    const { proposal } = params;
    return body.prove ? this.approvals.approve(caller, proposal) : this.proposals.accept(caller, proposal, body);
  }

  @Route(routes.rejectProposal)
  reject({ caller, params }: Call<typeof routes.rejectProposal>) {
    return this.proposals.reject(caller, params.proposal);
  }
}
