import { LocatorLog } from './locator-log.ts';

const clockAt = (...times: number[]) => ({ now: () => new Date(0), monotonic: () => times.shift() ?? 0 });

test('has the last result of each tried locator, in the order of the chain', () => {
  const log = new LocatorLog(
    [{ label: 'Quantity' }, { css: '#qty' }, { text: 'never tried' }],
    clockAt(100, 105, 110, 400, 402),
  );
  log.add(0, 0);
  log.add(1, 0);
  log.add(0, 0);
  log.add(1, 1);
  expect(log.entries).toEqual([
    { locator: 'label="Quantity"', matches: 0, elapsedMs: 300 },
    { locator: 'css=#qty', matches: 1, elapsedMs: 302 },
  ]);
});

test('is bounded', () => {
  const chain = Array.from({ length: 12 }, (_, index) => ({ css: `a${index}` }));
  const log = new LocatorLog(chain);
  chain.forEach((_, index) => log.add(index, 0));
  expect(log.entries).toHaveLength(10);
});
