import { PassThrough } from 'node:stream';
import { ManualTimers } from '@pilothouse/testing/manual-timers';
import { ExampleFileReader } from './example-file-reader.ts';

/** Object store whose files end when the spec ends them. */
function openFiles() {
  const files: PassThrough[] = [];
  const timers = new ManualTimers();
  const store = {
    stat: (key: string) =>
      Promise.resolve(key === 'gone' ? null : { size: 16, contentType: 'application/jsonl', modifiedAt: new Date(0) }),
    get: () => {
      const file = new PassThrough();
      file.write('{"messages":[]}\n');
      files.push(file);
      return Promise.resolve(file);
    },
  };
  return { files, timers, reader: new ExampleFileReader(store, timers) };
}

/** State of a promise after pending ones have settled. */
function outcomeOf(promise: Promise<unknown>) {
  const outcome: { error?: unknown; value?: unknown } = {};
  promise.then(
    (value) => (outcome.value = value),
    (error: unknown) => (outcome.error = error),
  );
  return outcome;
}

const timedOut = {
  code: 'UNAVAILABLE',
  message: 'The training file was not read within 20 s. Try again.',
  details: { retryAfterSeconds: 20 },
};

test('a file that the store does not send in time is refused, and its connection is closed', async () => {
  const { files, timers, reader } = openFiles();
  const outcome = outcomeOf(reader.count('train.jsonl'));
  await timers.advance(19_999);
  expect([outcome, files[0]?.destroyed]).toEqual([{}, false]);
  await timers.advance(1);
  expect(outcome.error).toMatchObject(timedOut);
  expect(files[0]?.destroyed).toBe(true);
  expect(timers.delays).toEqual([]);
});

test('a file that ends in time is counted, and a missing one is null', async () => {
  const { files, timers, reader } = openFiles();
  const outcome = outcomeOf(reader.count('train.jsonl'));
  await timers.advance(19_000);
  files[0]?.end('{"messages":[]}\n');
  await timers.advance(0);
  expect(outcome.value).toMatchObject({ examples: 2, size: 16, problem: null });
  expect(await reader.count('gone')).toBeNull();
  expect(timers.delays).toEqual([]);
});

test('two files are read at a time, four wait, and a seventh is refused until one has timed out', async () => {
  const { files, timers, reader } = openFiles();
  const outcomes = Array.from({ length: 6 }, () => outcomeOf(reader.count('train.jsonl')));
  await timers.advance(0);
  expect(files).toHaveLength(2);
  await expect(reader.count('train.jsonl')).rejects.toMatchObject({
    message: 'Too many training files are being read. Try again.',
  });
  await timers.advance(20_000);
  expect(outcomes.map(({ error }) => error !== undefined)).toEqual([true, true, false, false, false, false]);
  expect(files).toHaveLength(4);
  await timers.advance(40_000);
  for (const { error } of outcomes) expect(error).toMatchObject(timedOut);
});
