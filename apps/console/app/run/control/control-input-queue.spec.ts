import type { PageInput } from '@pilothouse/contract';
import type { ApiAnswer } from '../../api/post-api.ts';
import { ControlInputQueue } from './control-input-queue.ts';

const key = (name: string): PageInput => ({ kind: 'key', key: name });
const text = (content: string): PageInput => ({ kind: 'text', text: content });
const move = (x: number): PageInput => ({ kind: 'move', x, y: 0 });
const succeeded: ApiAnswer<string> = { answer: 'yes', error: null };

/** A queue whose requests wait until the test answers them. */
const slowQueue = () => {
  const sent: unknown[] = [];
  const pending: ((answer: ApiAnswer<string>) => void)[] = [];
  const post = (content: unknown) => {
    sent.push(content);
    return new Promise<ApiAnswer<string>>((resolve) => pending.push(resolve));
  };
  const queue = new ControlInputQueue(post);
  const request = (content: string) => queue.request(() => post(content));
  /** Answers the pending request, and resolves when the next one is pending. */
  const respond = async (answer: ApiAnswer<string> = succeeded) => {
    pending.shift()?.(answer);
    await new Promise(setImmediate);
  };
  return { queue, sent, request, respond };
};

test('a question is asked between the input before it and the input after it', async () => {
  const { queue, sent, request, respond } = slowQueue();
  queue.send(key('Control+A'));
  const cut = request('cut');
  queue.send(text('n'));
  queue.send(text('ew'));
  expect(sent).toEqual([[key('Control+A')]]);
  await respond();
  expect(sent.slice(1)).toEqual(['cut']);
  await respond();
  expect(await cut).toEqual(succeeded);
  expect(sent.slice(2)).toEqual([[text('new')]]);
});

test('a pointer that goes on moving keeps no question waiting', async () => {
  const { queue, sent, request, respond } = slowQueue();
  queue.send(move(1));
  const list = request('choices');
  for (const x of [2, 3]) {
    queue.send(move(x));
    await respond();
  }
  expect(sent).toEqual([[move(1)], 'choices', [move(3)]]);
  expect(await list).toEqual(succeeded);
});

test('after input that does not count nothing is sent or asked, and who asked is told why', async () => {
  const { queue, sent, request, respond } = slowQueue();
  queue.send(move(1));
  const args = [request('look'), request('choices')];
  queue.send(move(2));
  const over: ApiAnswer<string> = { answer: null, error: 'You do not have the wheel' };
  await respond(over);
  expect(await Promise.all(args)).toEqual([over, over]);
  expect(sent).toEqual([[move(1)]]);
  queue.send(move(3));
  expect(sent).toEqual([[move(1)], [move(3)]]);
});
