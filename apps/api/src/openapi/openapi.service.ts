import { Inject } from '@nestjs/common';
import { HttpResponse } from '../http/http-response.ts';
import { PUBLIC_URL } from '../common/injection-tokens.ts';
import { openApiDocument, workflowSchemaDocument } from './openapi-document.ts';

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
