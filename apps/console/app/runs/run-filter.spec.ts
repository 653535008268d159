import { filterOf, queryOf, searchOf } from './run-filter.ts';

const filter = (search: string) => filterOf(new URLSearchParams(search));

test('a filter survives the URL', () => {
  const search =
    'status=failed&status=queued&fleet=browser&surface=desktop&origin=retry&label=team%3Aa&error=INTERNAL&workflow=tides&parent=0197f3c2-1a2b-7c3d-8e4f-000000000001&span=24h';
  expect(new URLSearchParams(searchOf(filter(search)))).toEqual(new URLSearchParams(searchOf(filter(`${search}&x=1`))));
  expect(filter(String(searchOf(filter(search))))).toEqual(filter(search));
});

test('invalid values are ignored', () =>
  expect(
    String(searchOf(filter('status=lost,failed&span=9y&surface=paper&origin=toString&parent=last&workflow=%20'))),
  ).toBe('status=failed'));

test('queries within a minute are equal', () => {
  const queryAt = (now: number) => queryOf(filter('span=1h&label=a:b&origin=console'), now);
  expect(queryAt(7_200_000)).toEqual({
    origin: ['console'],
    labels: ['a:b'],
    createdAfter: '1970-01-01T01:00:00.000Z',
  });
  expect(queryAt(7_259_999)).toEqual(queryAt(7_200_000));
});
