import { tablesOf } from './output-table.ts';

test('a list of objects has a column for every key', () =>
  expect(
    tablesOf([
      { sku: 'R-1', price: 2 },
      { sku: 'R-2', note: 'last' },
    ]),
  ).toEqual([
    {
      key: '',
      columns: ['sku', 'price', 'note'],
      rows: [
        ['R-1', 2, null],
        ['R-2', null, 'last'],
      ],
    },
  ]));

test('lists in an object are separate tables', () =>
  expect(tablesOf({ total: 3, tags: ['a'], orders: [{ id: 1 }, 'gone'] })).toEqual([
    {
      key: '',
      columns: ['Name', 'Value'],
      rows: [
        ['total', 3],
        ['tags', ['a']],
      ],
    },
    {
      key: 'orders',
      columns: ['id', ''],
      rows: [
        [1, null],
        [null, 'gone'],
      ],
    },
  ]));

test.each([null, 'text', 3, [], [1, 2], {}])('%j has no table', (value) => expect(tablesOf(value)).toEqual([]));
