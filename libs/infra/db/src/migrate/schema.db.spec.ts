import { createDatabase } from '@pilothouse/testing/test-database';
import { withClient } from './pg-database.ts';
import { prismaCli } from './prisma-engine/prisma-cli.fixture.ts';

/** Output of `migrate diff` between a migrated database and `schema.prisma`. */
const drift = (databaseUrl: string) =>
  prismaCli(['migrate', 'diff', '--from-config-datasource', '--to-schema', 'prisma/schema.prisma', '--exit-code'], {
    DATABASE_URL: databaseUrl,
  });

test('the migrations create the schema of schema.prisma', async () => {
  const database = await createDatabase();
  try {
    expect(await drift(database.url)).toMatchObject({
      code: 0,
      output: expect.stringContaining('No difference detected'),
    });
    await withClient(database.url, (client) => client.query('DROP INDEX run_active_idx'));
    expect(await drift(database.url)).toMatchObject({ code: 2, output: expect.stringContaining('fleet_id, status') });
  } finally {
    await database.drop();
  }
});
