import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { A2uiMessage, A2uiVersion } from '@pilothouse/contract';
import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** The official schemas come with the official renderer core. */
const sources = dirname(dirname(createRequire(import.meta.url).resolve('@a2ui/web_core')));
const schema = (path: string) => JSON.parse(readFileSync(join(sources, path), 'utf8')) as Record<string, unknown>;

const checks: Readonly<Record<A2uiVersion, () => ValidateFunction>> = {
  '0.9': () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addSchema(schema('v0_9/schemas/common_types.json'));
    // Messages name their catalogue by this address; which one it is, is said by `createSurface`.
    const catalog = schema('v0_9/schemas/catalogs/basic/catalog.json');
    ajv.addSchema({ ...catalog, $id: 'https://a2ui.org/specification/v0_9/catalog.json' });
    return ajv.compile(schema('v0_9/schemas/server_to_client.json'));
  },
  '0.8': () => {
    const ajv = new Ajv({ strict: false, allErrors: true });
    addFormats.default(ajv);
    return ajv.compile(schema('v0_8/schemas/server_to_client_with_standard_catalog.json'));
  },
};

const compiled = new Map<A2uiVersion, ValidateFunction>();

/** What of these messages the official schema of the version refuses, in a line each. */
export function schemaErrors(version: A2uiVersion, messages: readonly A2uiMessage[]): string[] {
  const check = compiled.get(version) ?? checks[version]();
  compiled.set(version, check);
  return messages.flatMap((message, index) =>
    check(message) ? [] : (check.errors ?? []).map((error) => `${index}${error.instancePath}: ${error.message ?? ''}`),
  );
}
