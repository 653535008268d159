/** Writes `docs/schema/workflow.schema.json`, by which editors complete workflow files. Usage: `node scripts/generate-schema.ts`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { workflowJsonSchema } from '@pilothouse/core/workflow/json-schema';

const file = join(import.meta.dirname, '..', 'docs', 'schema', 'workflow.schema.json');
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, `${JSON.stringify(workflowJsonSchema(), null, 2)}\n`);
