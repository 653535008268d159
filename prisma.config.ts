/** Configuration of the Prisma CLI, which developers use through `./scripts/prisma`; the product applies its migrations without it. */
import { join } from 'node:path';
import { defineConfig } from 'prisma/config';

// The engine of `migrate` and `db` is its WebAssembly build. Nothing is downloaded, and every platform with Node works.
process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= join(import.meta.dirname, 'scripts/prisma-engine/main.ts');
// The CLI is not to ask its maker's server for news.
process.env['CHECKPOINT_DISABLE'] ??= '1';

const url = process.env['DATABASE_URL'];

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  ...(url && { datasource: { url } }),
});
