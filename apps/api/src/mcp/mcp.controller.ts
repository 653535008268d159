import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import type { RouteRequest } from '../http/route-request.ts';
import { Route } from '../http/route.decorator.ts';
import { McpService } from './mcp.service.ts';

@Controller()
export class McpController {
  constructor(@Inject(McpService) private readonly mcp: McpService) {}

  @Route(routes.callMcp)
  call({ caller, body, query, signal, request }: RouteRequest<typeof routes.callMcp>) {
    return this.mcp.serve(caller, request, signal, { body, isReadOnly: query.readOnly === true });
  }

  @Route(routes.openMcpStream)
  open({ caller, signal, request }: RouteRequest<typeof routes.openMcpStream>) {
    return this.mcp.serve(caller, request, signal);
  }

  @Route(routes.endMcpSession)
  end({ caller, signal, request }: RouteRequest<typeof routes.endMcpSession>) {
    return this.mcp.serve(caller, request, signal);
  }

  @Route(routes.readMcpResource)
  resource({ request }: RouteRequest<typeof routes.readMcpResource>) {
    return this.mcp.resource(request.origin);
  }
}
