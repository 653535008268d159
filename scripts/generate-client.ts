/**
 * Writes the types of the REST client from the OpenAPI document: `node scripts/generate-client.ts`. The result is
 * committed, and a spec fails if it is out of date.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { openApiDocument } from '../apps/api/src/openapi/openapi-document.ts';

const HEAD = `/* Generated from the OpenAPI document by scripts/generate-client.ts: do not edit. */\n\n`;

/** Path of the generated types. */
export const CLIENT_TYPES = join(import.meta.dirname, '../libs/client/src/api.gen.ts');

/** The types, as TypeScript. */
export async function clientTypes(): Promise<string> {
  // Through JSON, as a client receives the document.
  const document = JSON.parse(JSON.stringify(openApiDocument('/'))) as OpenAPI3;
  return HEAD + astToString(await openapiTypescript(document, { alphabetize: true, defaultNonNullable: false }));
}

if (import.meta.main) await writeFile(CLIENT_TYPES, await clientTypes());
