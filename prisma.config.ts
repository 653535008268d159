/** Configuration of the Prisma CLI, which generates the client. Migrations are plain SQL and do not need it. */
import { defineConfig } from 'prisma/config';

// The CLI downloads its schema engine otherwise, although generating the client does not use it.
process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= process.execPath;
// The CLI is not to ask its maker's server for news.
process.env['CHECKPOINT_DISABLE'] ??= '1';

export default defineConfig({
  schema: 'prisma/schema.prisma',
});
