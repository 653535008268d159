import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jobsConfig } from './jobs.config.ts';

const folder = mkdtempSync(join(tmpdir(), 'jobs-config-'));
const file = join(folder, 'trainers.json');
afterAll(() => rmSync(folder, { recursive: true }));

const store = { S3_ENDPOINT: 'http://127.0.0.1:9000', S3_ACCESS_KEY: 'a', S3_SECRET_KEY: 's' };
const environment = {
  ...{ DATABASE_URL: 'postgresql://127.0.0.1/x', REDIS_URL: 'redis://127.0.0.1', ...store },
};
const trainer = { name: 'rope', kind: 'TrainJob', template: { spec: { runtimeRef: { name: 'torch' } } } };
const withTrainers = (trainers: unknown, variables: Record<string, string | undefined> = {}) => {
  writeFileSync(file, JSON.stringify(trainers));
  return jobsConfig({ ...environment, PILOTHOUSE_TRAINERS_FILE: file, PILOTHOUSE_NAMESPACE: 'fleet', ...variables });
};

test('reads trainers from a file', () => {
  expect(withTrainers([trainer]).trainers).toEqual({ trainers: [trainer], namespace: 'fleet', kubeconfig: undefined });
  expect(jobsConfig(environment).trainers).toBeUndefined();
});

test.each<[string, object, Record<string, string | undefined>, string]>([
  [
    'an invalid template',
    { ...trainer, template: { spec: {} } },
    {},
    'PILOTHOUSE_TRAINERS_FILE (0.template.spec.runtimeRef): set it to the training runtime',
  ],
  ['no namespace', trainer, { PILOTHOUSE_NAMESPACE: undefined }, 'PILOTHOUSE_NAMESPACE: set it to'],
  [
    'a folder as the store',
    trainer,
    { S3_ENDPOINT: undefined, OBJECT_STORE_DIR: folder },
    'S3_ENDPOINT: set it to a store that the trainers reach',
  ],
])('refuses trainers with %s', (_title, invalidTrainer, variables, message) => {
  expect(() => withTrainers([invalidTrainer], variables)).toThrow(message);
});

const destinations = {
  'my-bucket': { kind: 's3', bucket: 'training', endpoint: 'https://s3.example.com' },
  vertex: { kind: 'gcs', bucket: 'harbour', folder: 'exports' },
};
const withDestinations = (value: object, variables: object = {}) =>
  jobsConfig({ ...environment, PILOTHOUSE_EXPORT_DESTINATIONS: JSON.stringify(value), ...variables }).destinations;

test('reads destinations with their keys', () => {
  const keys = { DESTINATION_MY_BUCKET_ACCESS_KEY: 'id', DESTINATION_MY_BUCKET_SECRET_KEY: 'secret' };
  expect(withDestinations(destinations, keys)).toEqual({
    'my-bucket': { config: destinations['my-bucket'], accessKey: 'id', secretKey: 'secret', keyFile: undefined },
    vertex: { config: destinations.vertex, accessKey: '', secretKey: '', keyFile: undefined },
  });
});

test.each<[string, object, string]>([
  ['no key', destinations, 'DESTINATION_MY_BUCKET_ACCESS_KEY is not set.'],
  ['another kind', { a: { kind: 'ftp' } }, 'PILOTHOUSE_EXPORT_DESTINATIONS (a.kind): set it to s3 or gcs'],
  ['no bucket', { a: { kind: 'gcs' } }, 'PILOTHOUSE_EXPORT_DESTINATIONS (a.bucket)'],
  [
    'a folder with slashes at its ends',
    { a: { kind: 'gcs', bucket: 'harbour', folder: '/x/' } },
    'PILOTHOUSE_EXPORT_DESTINATIONS (a.folder): set it to a folder such as pilothouse/exports',
  ],
])('refuses destinations with %s', (_title, value, message) => {
  expect(() => withDestinations(value)).toThrow(message);
});
