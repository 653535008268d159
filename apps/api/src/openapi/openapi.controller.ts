import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import { HttpResponse } from '../http/http-response.ts';
import { PUBLIC_URL } from '../common/injection-tokens.ts';
import type { RouteRequest } from '../http/route-request.ts';
import { Route } from '../http/route.decorator.ts';
import { openApiDocument, workflowSchemaDocument } from './openapi-document.ts';
import { swaggerAsset, swaggerPage } from './swagger-page.ts';

/** The generated API descriptions. Each is generated once. */
export class OpenApiService {
  private document: Record<string, unknown> | undefined;
  private schema: string | undefined;

  constructor(@Inject(PUBLIC_URL) private readonly publicUrl: () => string) {}

  openApi(): Record<string, unknown> {
    this.document ??= { ...openApiDocument(this.publicUrl()) };
    return this.document;
  }

  workflowSchema(): HttpResponse<undefined> {
    this.schema ??= JSON.stringify(workflowSchemaDocument());
    return new HttpResponse<undefined>(200, this.schema, { 'content-type': 'application/schema+json' });
  }
}

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
