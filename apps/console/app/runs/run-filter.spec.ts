import { filterOf, queryOf, searchOf } from './run-filter.ts';

const filter = (search: string) => filterOf(new URLSearchParams(search));

test('a filter survives the URL', () => {
  const search = 'status=failed&status=queued&fleet=browser&label=team%3Aa&error=INTERNAL&workflow=tides&span=24h';
  expect(new URLSearchParams(searchOf(filter(search)))).toEqual(new URLSearchParams(searchOf(filter(`${search}&x=1`))));
  expect(filter(String(searchOf(filter(search))))).toEqual(filter(search));
});

test('what makes no sense is left out', () =>
  expect(String(searchOf(filter('status=lost,failed&span=9y&workflow=%20')))).toBe('status=failed'));

test('the API is asked for the same time within a minute', () => {
  const ask = (now: number) => queryOf(filter('span=1h&label=a:b'), now);
  expect(ask(7_200_000)).toEqual({ labels: ['a:b'], createdAfter: '1970-01-01T01:00:00.000Z' });
  expect(ask(7_259_999)).toEqual(ask(7_200_000));
});
