import { intentKey, normalizeGoal } from './goal-intent.ts';

const intent = (goal: string, site = 'shop.test', surface = 'browser') => intentKey({ surface, site, goals: [goal] });

describe('goals with the same intent', () => {
  it.each([
    ['case and whitespace', 'Log in and  open\nthe Cart.', 'log in and open the cart'],
    ['an amount', 'Pay 12.50 EUR to the harbor', 'Pay 3,000 EUR to the harbor'],
    ['a currency symbol', 'Pay €12 to the harbor', 'Pay $9.99 to the harbor'],
    ['an ISO date', 'Book a berth for 2026-05-03', 'Book a berth for 2027-12-24.'],
    ['a written date', 'Book a berth for 3 May 2026', 'Book a berth for 24 December 2027'],
    ['a date in another order', 'Book a berth for May 3, 2026', 'Book a berth for Dec. 24, 2027'],
    ['a quoted name', 'Find "Mooring rope" in the list', 'Find “Fender, large” in the list'],
    ['a template', 'Find {{inputs.product}} in the list', 'Find "Fender" in the list'],
    ['an order number', 'Cancel order RL-1023', 'cancel order RL-88'],
    ['an address', 'Send the invoice to ada@example.com', 'Send the invoice to bob@harbor.test'],
    ['the path of a URL', 'Open https://shop.test/a?x=1 and log in', 'Open https://shop.test/b and log in'],
    ['the form of a letter', 'Open the ﬁle list', 'Open the file list'],
  ])('differ in %s', (_, first, second) => {
    expect(intent(first)).toBe(intent(second));
  });
});

describe('goals with another intent', () => {
  it.each([
    ['another verb', 'Cancel order 3', 'Open order 3'],
    ['another host', 'Open https://shop.test/a', 'Open https://bank.test/a'],
    ['a month without a number', 'Ask whether I may leave', 'Ask whether I can leave'],
    ['an apostrophe', "Open the captain's list", 'Open the list'],
  ])('differ in %s', (_, first, second) => {
    expect(intent(first)).not.toBe(intent(second));
  });

  test('are on another site or surface', () => {
    expect(intent('Log in', 'shop.test')).not.toBe(intent('Log in', 'bank.test'));
    expect(intent('Log in', 'shop.test')).not.toBe(intent('Log in', 'shop.test', 'desktop'));
  });

  test('are in another order', () => {
    const keyOf = (goals: string[]) => intentKey({ surface: 'browser', site: '', goals });
    expect(keyOf(['Log in', 'Log out'])).not.toBe(keyOf(['Log out', 'Log in']));
    expect(keyOf(['Log in', 'Log out'])).not.toBe(keyOf(['Log in Log out']));
  });
});

test('a hostile goal takes linear time', () => {
  const startedAt = performance.now();
  for (const part of ['"', '{{', '“a', '9 may ', ' \t', 'https://', '.'.repeat(9)]) normalizeGoal(part.repeat(100_000));
  expect(performance.now() - startedAt).toBeLessThan(2_000);
});

test('an open quote does not swallow the goal', () => {
  expect(normalizeGoal('Find 5" pipes on the page')).toBe('find # pipes on the page');
});
