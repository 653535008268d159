import { ParameterList } from './parameter-list.ts';

interface Item {
  id: string;
  tags?: string[];
  count?: number;
}

const items: readonly Item[] = [{ id: 'a', tags: ['x'], count: 1 }, { id: 'b' }];

describe('parameter list', () => {
  it('numbers the parameters of all sets and returns the values in the same order', () => {
    const list = new ParameterList<readonly Item[]>();
    const array = list.arrays((rows) => rows, {
      id: ['uuid', ({ id }) => id],
      tags: ['json', ({ tags }) => tags],
    });
    const record = list.json((rows) => rows, { id: ['uuid', ({ id }) => id], count: ['int', ({ count }) => count] });
    const next = list.arrays((rows) => rows.slice(1), { count: ['int', ({ count }) => count] });
    expect(array).toEqual({ parameters: '$1::uuid[], $2::json[]', names: 'id, tags' });
    expect(record).toEqual({ parameter: '$3::json', columns: 'id uuid, count int' });
    expect(next).toEqual({ parameters: '$4::int[]', names: 'count' });
    expect(list.last).toBe(4);
    expect(list.values(items)).toEqual(['{"a","b"}', '{"[\\"x\\"]",NULL}', '[{"id":"a","count":1}]', '{NULL}']);
  });

  it('breaks the line of parameters and of record columns between objects of columns', () => {
    const list = new ParameterList<readonly Item[]>();
    const first = { id: ['uuid', ({ id }: Item) => id] } as const;
    const second = { count: ['int', ({ count }: Item) => count] } as const;
    expect(list.arrays((rows) => rows, first, second)).toEqual({
      parameters: '$1::uuid[],\n    $2::int[]',
      names: 'id, count',
    });
    expect(list.json((rows) => rows, first, second).columns).toBe('id uuid,\n    count int');
  });

  it('quotes reserved words and names with capital letters', () => {
    const list = new ParameterList<readonly Item[]>();
    const column = ['text', ({ id }: Item) => id] as const;
    expect(list.arrays((rows) => rows, { to: column, leaseMs: column, started_at: column }).names).toBe(
      '"to", "leaseMs", started_at',
    );
    expect(list.json((rows) => rows, { to: column, leaseMs: column }).columns).toBe('"to" text, "leaseMs" text');
  });

  it('keeps a null value in a record', () => {
    const list = new ParameterList<readonly Item[]>();
    list.json((rows) => rows, { id: ['uuid', ({ id }) => id], count: ['int', () => null] });
    expect(list.values(items.slice(1))).toEqual(['[{"id":"b","count":null}]']);
  });

  it('has a value for each parameter without rows', () => {
    const list = new ParameterList<readonly Item[]>();
    list.arrays((rows) => rows, { id: ['uuid', ({ id }) => id], tags: ['json', ({ tags }) => tags] });
    list.json((rows) => rows, { id: ['uuid', ({ id }) => id] });
    expect(list.values([])).toEqual(['{}', '{}', '[]']);
  });

  it('adds no parameter for an empty list of columns', () => {
    const list = new ParameterList<readonly Item[]>();
    expect(list.arrays((rows) => rows)).toEqual({ parameters: '', names: '' });
    expect(list.last).toBe(0);
    expect(list.values(items)).toEqual([]);
  });

  it('continues the numbers of another list', () => {
    const list = new ParameterList<Item>(36);
    expect([list.scalar(({ id }) => id), list.scalar(({ count }) => count)]).toEqual(['$37', '$38']);
    expect(list.values({ id: 'a', count: 7 })).toEqual(['a', 7]);
  });
});
