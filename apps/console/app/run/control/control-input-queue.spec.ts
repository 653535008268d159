import type { PageInput } from '@pilothouse/contract';
import type { ApiAnswer } from '../../api/post-api.ts';
import { ControlInputQueue } from './control-input-queue.ts';

const key = (name: string): PageInput => ({ kind: 'key', key: name });
const text = (typed: string): PageInput => ({ kind: 'text', text: typed });
const move = (x: number): PageInput => ({ kind: 'move', x, y: 0 });
const answered: ApiAnswer<string> = { answer: 'yes', why: null };

/** A queue over a link on which each request waits until it is let through. */
const slow = () => {
  const sent: unknown[] = [];
  const held: ((said: ApiAnswer<string>) => void)[] = [];
  const request = (what: unknown) => {
    sent.push(what);
    return new Promise<ApiAnswer<string>>((resolve) => held.push(resolve));
  };
  const queue = new ControlInputQueue(request);
  const ask = (what: string) => queue.ask(() => request(what));
  /** Answers the request that is on its way; resolves when the next one is. */
  const through = async (said: ApiAnswer<string> = answered) => {
    held.shift()?.(said);
    await new Promise(setImmediate);
  };
  return { queue, sent, ask, through };
};

test('a question is asked between the input before it and the input after it', async () => {
  const { queue, sent, ask, through } = slow();
  queue.send(key('Control+A'));
  const cut = ask('cut');
  queue.send(text('n'));
  queue.send(text('ew'));
  expect(sent).toEqual([[key('Control+A')]]);
  await through();
  expect(sent.slice(1)).toEqual(['cut']);
  await through();
  expect(await cut).toEqual(answered);
  expect(sent.slice(2)).toEqual([[text('new')]]);
});

test('a pointer that goes on moving keeps no question waiting', async () => {
  const { queue, sent, ask, through } = slow();
  queue.send(move(1));
  const list = ask('choices');
  for (const x of [2, 3]) {
    queue.send(move(x));
    await through();
  }
  expect(sent).toEqual([[move(1)], 'choices', [move(3)]]);
  expect(await list).toEqual(answered);
});

test('after input that does not count nothing is sent or asked, and who asked is told why', async () => {
  const { queue, sent, ask, through } = slow();
  queue.send(move(1));
  const asked = [ask('look'), ask('choices')];
  queue.send(move(2));
  const over: ApiAnswer<string> = { answer: null, why: 'You do not have the wheel' };
  await through(over);
  expect(await Promise.all(asked)).toEqual([over, over]);
  expect(sent).toEqual([[move(1)]]);
  queue.send(move(3));
  expect(sent).toEqual([[move(1)], [move(3)]]);
});
