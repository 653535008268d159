import { GroupCommit } from './group-commit.ts';

/** A commit whose batches end on request of the test. */
function createCommit(concurrency?: number) {
  const batches: { items: readonly string[]; end(): void }[] = [];
  const commit = new GroupCommit<string, string>({
    flush: (items) =>
      new Promise((resolve) => batches.push({ items, end: () => resolve(items.map((item) => `${item}!`)) })),
    keyOf: (item) => item[0] ?? '',
    ...(concurrency !== undefined && { concurrency }),
  });
  /** Waits until pending batches have started. */
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return { commit, batches, turn, items: () => batches.map(({ items }) => items.join(' ')) };
}

test('items written in one turn form one batch, and a lone item does not wait for it', async () => {
  const { commit, turn, items } = createCommit();
  void commit.write('a1');
  await turn();
  void commit.write('b1');
  await turn();
  expect(items()).toEqual(['a1', 'b1']);
});

/** The given number of items, each with its own key. */
const itemsFrom = (first: string, count: number) =>
  Array.from({ length: count }, (_, index) => String.fromCharCode(first.charCodeAt(0) + index));

test('beside a large batch the next one starts when it is half as large, or the large one has ended', async () => {
  const { commit, batches, turn } = createCommit();
  const sizes = () => batches.map(({ items }) => items.length);
  const answers = itemsFrom('a', 20).map((item) => commit.write(item));
  await turn();
  const laterWrites = itemsFrom('A', 9).map((item) => commit.write(item));
  await turn();
  expect(sizes()).toEqual([20]);
  laterWrites.push(commit.write('J'));
  await turn();
  expect(sizes()).toEqual([20, 10]);
  batches[1]?.end();
  expect(await laterWrites[9]).toBe('J!');
  const last = commit.write('K');
  await turn();
  expect(sizes()).toEqual([20, 10, 1]);
  for (const { end } of batches) end();
  expect(await answers[0]).toBe('a!');
  expect(await last).toBe('K!');
  await commit.drained();
});

test('a few items wait for the end of a large batch', async () => {
  const { commit, batches, turn } = createCommit();
  const answers = itemsFrom('a', 20).map((item) => commit.write(item));
  await turn();
  const small = commit.write('A');
  await turn();
  expect(batches).toHaveLength(1);
  batches[0]?.end();
  await Promise.all(answers);
  await turn();
  expect(batches[1]?.items).toEqual(['A']);
  batches[1]?.end();
  expect(await small).toBe('A!');
});

test('items with one key keep their order and never share a batch', async () => {
  const { commit, batches, turn, items } = createCommit();
  const answers = ['a1', 'a2'].map((item) => commit.write(item));
  await turn();
  expect(items()).toEqual(['a1']);
  batches[0]?.end();
  await answers[0];
  await turn();
  expect(items()).toEqual(['a1', 'a2']);
  batches[1]?.end();
  expect(await answers[1]).toBe('a2!');
});

test.each(['22021', '23514', 'P0001'])('a rejected item (%s) does not fail the others', async (code) => {
  const written: string[] = [];
  const commit = new GroupCommit<string, string>({
    flush: async (items) => {
      if (items.includes('bad')) throw Object.assign(new Error('refused'), { code });
      written.push(...items);
      return items;
    },
    keyOf: (item) => item,
  });
  const answers = await Promise.allSettled(['a', 'bad', 'c'].map((item) => commit.write(item)));
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(written).toEqual(['a', 'c']);
});
