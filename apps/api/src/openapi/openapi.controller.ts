import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract';
import type { Call } from '../http/call.ts';
import { Route } from '../http/route.ts';
import { docsAsset, docsPage } from './docs.ts';
import { OpenApiService } from './openapi.service.ts';

@Controller()
export class OpenApiController {
  constructor(@Inject(OpenApiService) private readonly descriptions: OpenApiService) {}

  @Route(routes.readOpenApi)
  openApi(_: Call<typeof routes.readOpenApi>) {
    return this.descriptions.openApi();
  }

  @Route(routes.readWorkflowSchema)
  workflowSchema(_: Call<typeof routes.readWorkflowSchema>) {
    return this.descriptions.workflowSchema();
  }

  @Route(routes.readDocs)
  page(_: Call<typeof routes.readDocs>) {
    return docsPage();
  }

  @Route(routes.readDocsAsset)
  asset({ params }: Call<typeof routes.readDocsAsset>) {
    return docsAsset(params.asset);
  }
}
