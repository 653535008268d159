import { createHash } from 'node:crypto';
import type { DatasetSplit } from '@pilothouse/contract/learning/dataset-example.schema';
import type { DatasetCard } from '@pilothouse/contract/learning/dataset.schema';
import { canonicalJson } from './canonical-json.ts';
import { CardCounter, cardMarkdown, DATASET_BUILDER } from './dataset-card.ts';
import { anExample, aCorrectedExample } from './dataset.fixture.ts';
import { splitGroup, splitOf } from './dataset-split.ts';
import { DuplicateIndex, hammingDistance, textIdentity } from './deduplication.ts';

const shares = { train: 0.8, validation: 0.1, test: 0.1 };

describe('canonical JSON', () => {
  test('does not depend on the order of keys', () => {
    expect(canonicalJson({ b: [{ d: 1, c: undefined }], a: null })).toBe('{"a":null,"b":[{"d":1}]}');
    expect(canonicalJson({ a: 1, b: 2 })).toBe(canonicalJson({ b: 2, a: 1 }));
  });
});

describe('the split', () => {
  const groups = Array.from({ length: 5000 }, (_, index) =>
    splitGroup({ workflow: `workflow-${index % 100}`, site: `site-${Math.floor(index / 100)}.test` }),
  );

  test('has the wanted shares, and is the same for the same seed', () => {
    const counts: Record<DatasetSplit, number> = { train: 0, validation: 0, test: 0 };
    for (const group of groups) {
      counts[splitOf(group, 7, shares)] += 1;
      expect(splitOf(group, 7, shares)).toBe(splitOf(group, 7, shares));
    }
    expect(counts.train / groups.length).toBeCloseTo(0.8, 1);
    expect(counts.validation / groups.length).toBeCloseTo(0.1, 1);
    expect(groups.some((group) => splitOf(group, 7, shares) !== splitOf(group, 8, shares))).toBe(true);
  });

  test('never separates the steps of a workflow on a site', () => {
    expect(splitGroup({ workflow: 'order', site: 'Shop.test' })).toBe(
      splitGroup({ workflow: 'order', site: 'shop.test' }),
    );
    // No separator can be forged by a name.
    expect(splitGroup({ workflow: 'a', site: 'b","c' })).not.toBe(splitGroup({ workflow: 'a","b', site: 'c' }));
  });

  test.each<[DatasetSplit]>([['train'], ['validation'], ['test']])('a share of 1 puts everything into %s', (split) => {
    const shares = { train: 0, validation: 0, test: 0, [split]: 1 };
    expect(new Set(groups.slice(0, 500).map((group) => splitOf(group, 1, shares)))).toEqual(new Set([split]));
  });
});

describe('deduplication', () => {
  const hashed = (example: ReturnType<typeof anExample>, perceptualHash = '0123456789abcdef') => ({
    textHash: createHash('sha256').update(textIdentity(example)).digest('hex'),
    perceptualHash,
  });

  test('a step with the same texts and nearly the same screenshot is a duplicate', () => {
    const index = new DuplicateIndex();
    expect(index.add(hashed(anExample()))).toBe(true);
    expect(index.add(hashed(anExample({ run: '0198c0de-0000-7000-8000-000000000009' }), '0123456789abcdee'))).toBe(
      false,
    );
    expect(index.add(hashed(anExample(), 'fedcba9876543210'))).toBe(true);
    expect(index.size).toBe(2);
  });

  test('two forms that differ in an amount are different steps, although their screenshots look the same', () => {
    const changedExample = anExample();
    changedExample.page.elements[1] = { ...changedExample.page.elements[1]!, value: '98,75' };
    const index = new DuplicateIndex();
    expect([index.add(hashed(anExample())), index.add(hashed(changedExample))]).toEqual([true, true]);
  });

  test('a corrected step is no duplicate of the uncorrected one', () => {
    expect(textIdentity(anExample({ quality: 'bad' }))).not.toBe(textIdentity(aCorrectedExample()));
  });

  test('distances of hashes', () => {
    expect(hammingDistance('0000000000000000', '0000000000000000')).toBe(0);
    expect(hammingDistance('0000000000000000', 'ffffffffffffffff')).toBe(64);
    expect(hammingDistance('0000000000000001', '0000000000000003')).toBe(1);
  });
});

describe('the card', () => {
  const counter = CardCounter.create();
  counter.add(anExample(), 'group', 2);
  counter.add(aCorrectedExample({ run: '0198c0de-0000-7000-8000-000000000002', split: 'test' }), 'group', 0);
  counter.addImage(30_000);
  counter.addDuplicate();
  counter.omit('The screenshot is missing', 'run/3');
  const resumed = CardCounter.create(JSON.parse(JSON.stringify(counter.state)));
  const card: DatasetCard = {
    name: 'orders',
    version: 2,
    query: { qualities: ['good', 'bad'] },
    shares,
    seed: 1,
    license: 'CC-BY-4.0',
    consent: 'Runs of the project only.',
    builder: DATASET_BUILDER,
    ...resumed.counts(),
    files: [{ name: 'examples-00001.jsonl', sha256: 'c'.repeat(64), bytes: 10, examples: 2 }],
    sha256: 'd'.repeat(64),
  };

  test('counts a workflow with the name of a property of objects', () => {
    const named = CardCounter.create();
    named.add(anExample({ workflow: 'constructor', model: 'valueOf' }), 'group', 0);
    const { workflows, models } = CardCounter.create(JSON.parse(JSON.stringify(named.state))).counts();
    expect(workflows).toEqual({ constructor: 1 });
    expect(models).toEqual({ valueOf: 1 });
  });

  test('counts steps, traces, screenshots, duplicates and omissions, also after a restart', () => {
    expect(card.counts).toEqual({
      examples: 2,
      traces: 2,
      images: 1,
      bytes: 30_000,
      groups: 1,
      corrections: 1,
      duplicates: 1,
      redactions: 2,
    });
    expect(card.splits).toEqual({ train: 1, validation: 0, test: 1 });
    expect(card.omissions).toEqual([{ reason: 'The screenshot is missing', count: 1, steps: ['run/3'] }]);
  });

  test('is readable as Markdown, and names of workflows cannot break it', () => {
    const text = cardMarkdown({ ...card, workflows: { 'a | b\n# c': 3 } });
    expect(text).toContain('2 steps of 2 traces with 1 screenshots');
    expect(text).toContain('| a   b   c | 3 |');
    expect(text).toContain('- The screenshot is missing: 1');
  });
});
