import { migrateConfig } from './migrate.config.ts';
import { ConfigError } from './read-environment.ts';

const DATABASE_URL = 'postgresql://u:hunter2@h/db';

test('the migration needs a database and waits two minutes for it', () => {
  expect(migrateConfig({ DATABASE_URL })).toEqual({
    databaseUrl: DATABASE_URL,
    waitMs: 120_000,
    log: { level: 'info', format: 'json' },
  });
});

test.each([
  [{}, 'DATABASE_URL is not set.'],
  [
    { DATABASE_URL, PILOTHOUSE_DATABASE_WAIT_SECONDS: '-1' },
    'PILOTHOUSE_DATABASE_WAIT_SECONDS: set it to a whole number from 0 to 3600.',
  ],
])('%j is a sentence that says what to set', (environment, sentence) => {
  expect(() => migrateConfig(environment)).toThrow(new ConfigError([sentence]));
});
