import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import type { RouteRequest } from '../http/route-request.ts';
import { Route } from '../http/route.decorator.ts';
import { ProposalApprovalService } from './proposal-approval.service.ts';
import { ProposalsService } from './proposals.service.ts';
import { RunCompilerService } from './run-compiler.service.ts';

@Controller()
export class ProposalsController {
  constructor(
    @Inject(ProposalsService) private readonly proposals: ProposalsService,
    @Inject(ProposalApprovalService) private readonly approvals: ProposalApprovalService,
    @Inject(RunCompilerService) private readonly compiles: RunCompilerService,
  ) {}

  @Route(routes.compileRun)
  compile({ caller, params, body }: RouteRequest<typeof routes.compileRun>) {
    return this.compiles.compile(caller, params.run, body);
  }

  @Route(routes.listProposals)
  list({ caller, query }: RouteRequest<typeof routes.listProposals>) {
    return this.proposals.list(caller, query);
  }

  @Route(routes.readProposal)
  read({ caller, params }: RouteRequest<typeof routes.readProposal>) {
    return this.proposals.read(caller, params.proposal);
  }

  @Route(routes.publishProposal)
  accept({ caller, params, body }: RouteRequest<typeof routes.publishProposal>) {
    const { proposal } = params;
    return body.verifyFirst
      ? this.approvals.verifyAndPublish(caller, proposal)
      : this.proposals.publish(caller, proposal, body);
  }

  @Route(routes.rejectProposal)
  reject({ caller, params }: RouteRequest<typeof routes.rejectProposal>) {
    return this.proposals.reject(caller, params.proposal);
  }
}
