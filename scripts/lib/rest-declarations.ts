import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { openApiDocument } from '../../apps/api/src/openapi/openapi-document.ts';

const EXPORTS = `
/** The operations of the REST API, by method and path. */
export type RestApi = import('openapi-fetch').Client<paths>;

/** A run, as \`GET /v1/runs/{run}\` returns it. */
export type RunView = components['schemas']['Run'];

/** Body of \`POST /v1/a2ui/runs\`. */
export type SubmitA2uiBody = components['schemas']['SubmitA2ui'];
`;

/**
 * The declarations of `libs/client/src/rest-api.ts` for the npm package, from the OpenAPI document. They name each schema, have the
 * description of each operation, and do not need the sources of the contract.
 */
export async function restDeclarations(): Promise<string> {
  // Through JSON, as a client receives the document.
  const document = JSON.parse(JSON.stringify(openApiDocument('/'))) as OpenAPI3;
  return astToString(await openapiTypescript(document, { alphabetize: true, defaultNonNullable: false })) + EXPORTS;
}
