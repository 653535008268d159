import { GroupCommit } from './group-commit.ts';

/** A commit whose batches end when they are told to. */
function gathered(concurrency?: number) {
  const batches: { items: readonly string[]; end(): void }[] = [];
  const commit = new GroupCommit<string, string>({
    flush: (items) =>
      new Promise((resolve) => batches.push({ items, end: () => resolve(items.map((item) => `${item}!`)) })),
    keyOf: (item) => item[0] ?? '',
    ...(concurrency !== undefined && { concurrency }),
  });
  /** Batches that begin now have begun afterwards. */
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return { commit, batches, turn, items: () => batches.map(({ items }) => items.join(' ')) };
}

test('what is written in one turn is one batch, and a lone item does not wait for it', async () => {
  const { commit, turn, items } = gathered();
  void commit.write('a1');
  await turn();
  void commit.write('b1');
  await turn();
  expect(items()).toEqual(['a1', 'b1']);
});

test('beside a large batch the next begins once it is half as large, or the large one has ended', async () => {
  const { commit, batches, turn, items } = gathered();
  const answers = ['a1', 'b1', 'c1', 'd1', 'e1', 'f1'].map((item) => commit.write(item));
  await turn();
  const more = ['g1', 'h1'].map((item) => commit.write(item));
  await turn();
  expect(items()).toEqual(['a1 b1 c1 d1 e1 f1']);
  more.push(commit.write('i1'));
  await turn();
  expect(items().slice(1)).toEqual(['g1 h1 i1']);
  const last = commit.write('j1');
  batches[0]?.end();
  expect(await Promise.all(answers)).toEqual(['a1!', 'b1!', 'c1!', 'd1!', 'e1!', 'f1!']);
  await turn();
  batches[1]?.end();
  await Promise.all(more);
  await turn();
  expect(items().slice(2)).toEqual(['j1']);
  batches[2]?.end();
  expect(await last).toBe('j1!');
  await commit.drained();
});

test('items of one key keep their order and never share a batch', async () => {
  const { commit, batches, turn, items } = gathered();
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
