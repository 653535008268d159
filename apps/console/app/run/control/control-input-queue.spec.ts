import type { PageInput } from '@pilothouse/contract/control/control.schema';
import type { ApiAnswer } from '../../api/post-api.ts';
import { ControlInputQueue } from './control-input-queue.ts';

const key = (name: string): PageInput => ({ kind: 'key', key: name });
const text = (content: string): PageInput => ({ kind: 'text', text: content });
const move = (x: number): PageInput => ({ kind: 'move', x, y: 0 });
const succeeded: ApiAnswer<string> = { answer: 'yes', error: null };

/** A queue whose requests wait until the test answers them. */
const slowQueue = () => {
  const sentBodies: unknown[] = [];
  const pending: ((answer: ApiAnswer<string>) => void)[] = [];
  const post = (content: unknown) => {
    sentBodies.push(content);
    return new Promise<ApiAnswer<string>>((resolve) => pending.push(resolve));
  };
  const queue = new ControlInputQueue(post);
  const request = (content: string) => queue.request(() => post(content));
  /** Answers the pending request, and resolves when the next one is pending. */
  const respond = async (answer: ApiAnswer<string> = succeeded) => {
    pending.shift()?.(answer);
    await new Promise(setImmediate);
  };
  return { queue, sentBodies, request, respond };
};

test('a request is sent between the input before and after it', async () => {
  const { queue, sentBodies, request, respond } = slowQueue();
  queue.send(key('Control+A'));
  const cut = request('cut');
  queue.send(text('n'));
  queue.send(text('ew'));
  expect(sentBodies).toEqual([[key('Control+A')]]);
  await respond();
  expect(sentBodies.slice(1)).toEqual(['cut']);
  await respond();
  expect(await cut).toEqual(succeeded);
  expect(sentBodies.slice(2)).toEqual([[text('new')]]);
});

test('pointer moves do not delay a request', async () => {
  const { queue, sentBodies, request, respond } = slowQueue();
  queue.send(move(1));
  const list = request('choices');
  for (const x of [2, 3]) {
    queue.send(move(x));
    await respond();
  }
  expect(sentBodies).toEqual([[move(1)], 'choices', [move(3)]]);
  expect(await list).toEqual(succeeded);
});

test('rejected input drops all that waits, and reports the error', async () => {
  const { queue, sentBodies, request, respond } = slowQueue();
  queue.send(move(1));
  const requests = [request('inspect'), request('choices')];
  queue.send(move(2));
  const rejected: ApiAnswer<string> = { answer: null, error: 'You do not have control' };
  await respond(rejected);
  expect(await Promise.all(requests)).toEqual([rejected, rejected]);
  expect(sentBodies).toEqual([[move(1)]]);
  queue.send(move(3));
  expect(sentBodies).toEqual([[move(1)], [move(3)]]);
});
