import { fieldErrors } from '../errors/field-errors.ts';
import { startTuningSchema } from './tuning.schema.ts';

const request = { name: 'rope-v2', endpoint: 'trainer', baseModel: 'base' };
const upload = { upload: '0198c0de-0000-7000-8000-000000000001' };

const problemsOf = (fields: object) => {
  const { error } = startTuningSchema.safeParse({ ...request, training: upload, ...fields });
  return error ? fieldErrors(error).map(({ pointer, detail }) => `${pointer}: ${detail}`) : [];
};

test.each([
  ['openai', { learningRateMultiplier: 2 }],
  ['together', { learningRate: 0.001, adapterSize: 16 }],
  ['fireworks', { epochs: 2, learningRate: 0.001 }],
])('%s has %j', (tuner, hyperparameters) => {
  expect(problemsOf({ tuner, hyperparameters })).toEqual([]);
});

test.each([
  [
    { tuner: 'openai', hyperparameters: { adapterSize: 16 } },
    '/hyperparameters/adapterSize: `openai` has no `adapterSize`. Use `epochs`, `learningRateMultiplier`, `beta`',
  ],
  [
    { tuner: 'together', hyperparameters: { learningRateMultiplier: 2 } },
    '/hyperparameters/learningRateMultiplier: `together` has no `learningRateMultiplier`. Use `epochs`, `learningRate`, `adapterSize`, `beta`',
  ],
  [
    { tuner: 'together', hyperparameters: { beta: 0.1 } },
    '/hyperparameters/beta: `beta` requires the method `preference`',
  ],
])('a setting without effect is refused: %j', (fields, problem) => {
  expect(problemsOf(fields)).toEqual([problem]);
});

test('beta is a setting of preference pairs', () => {
  expect(problemsOf({ tuner: 'together', method: 'preference', hyperparameters: { beta: 0.1 } })).toEqual([]);
});

const vertexSources =
  '`vertex` reads from Cloud Storage. Use a `uri` with gs://, or the `export` of a GCS destination.';
test.each<[object, string[]]>([
  [{ tuner: 'kubernetes', trainer: 'rope' }, []],
  [{ tuner: 'kubernetes', trainer: 'rope', training: { uri: 's3://bucket/train.jsonl' } }, []],
  [{ tuner: 'kubernetes' }, ['/trainer: Name the trainer of the installation']],
  [{ tuner: 'openai', trainer: 'rope' }, ['/trainer: Only `kubernetes` has trainers. Leave it out']],
  [
    { tuner: 'kubernetes', trainer: 'rope', baseModel: '--output $(id)' },
    ['/baseModel: Use letters, digits and `._/:@-`, e.g. Qwen/Qwen3-VL-8B-Instruct'],
  ],
  [
    { tuner: 'together', training: { uri: 'gs://bucket/train.jsonl' } },
    ['/training: Only `vertex` and `kubernetes` read from a bucket. Use `upload` or `export`.'],
  ],
  [{ tuner: 'vertex', training: { export: upload.upload } }, []],
  [{ tuner: 'vertex', training: { uri: 's3://bucket/train.jsonl' } }, [`/training: ${vertexSources}`]],
  [{ tuner: 'vertex' }, [`/training: ${vertexSources}`]],
])('trainer and files fit the tuner: %j', (fields, problems) => {
  expect(problemsOf(fields)).toEqual(problems);
});
