import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import type { RouteRequest } from '../http/route-request.ts';
import { Route } from '../http/route.decorator.ts';
import { swaggerAsset, swaggerPage } from './swagger-page.ts';
import { OpenApiService } from './openapi.service.ts';

@Controller()
export class OpenApiController {
  constructor(@Inject(OpenApiService) private readonly descriptions: OpenApiService) {}

  @Route(routes.readOpenApi)
  openApi(_: RouteRequest<typeof routes.readOpenApi>) {
    return this.descriptions.openApi();
  }

  @Route(routes.readWorkflowSchema)
  workflowSchema(_: RouteRequest<typeof routes.readWorkflowSchema>) {
    return this.descriptions.workflowSchema();
  }

  @Route(routes.readDocs)
  page(_: RouteRequest<typeof routes.readDocs>) {
    return swaggerPage();
  }

  @Route(routes.readDocsAsset)
  asset({ params }: RouteRequest<typeof routes.readDocsAsset>) {
    return swaggerAsset(params.asset);
  }
}
