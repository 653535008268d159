import type { Deadline } from '@pilothouse/core/time/deadlines';
import type { IsolatedWorld } from './isolated-world.ts';
import { PageReader, type PageDocument } from './page-reader.ts';
import type { Snapshot } from './snapshot/snapshot-result.ts';

const empty = {
  ...{ url: 'https://shop.example/', title: '', loading: false, busy: false, elements: [], frames: [] },
  ...{ viewport: { width: 800, height: 600 }, scroll: { above: 0, below: 0 }, opaqueRegions: [], hosts: [], texts: [] },
} satisfies Snapshot;
const bounds = { x: 0, y: 0, width: 100, height: 50 };
const view = { left: 0, top: 0, right: 100, bottom: 50 };
const withFrame: Snapshot = {
  ...empty,
  frames: [{ ...{ id: 1, insertIndex: 0, name: 'Payment', x: 0, y: 0, scale: 1 }, bounds, view }],
};
const field: Snapshot['elements'][number] = {
  ...{ id: 2, role: 'textbox', name: 'Card', bounds, point: { x: 50, y: 25 }, interactive: true, state: {}, tags: [] },
};

/** Answer of the browser about a frame that has gone. */
const frameGone = new Error('No node with given id found');

/** A page with a cross-origin frame. @param frameIds answers to the question which frame the element has */
function pageWith(frameIds: (() => Promise<string | null>)[], openFrame = () => Promise.resolve()) {
  const world = {
    ...{ frame: 'top', document: 1, snapshot: () => Promise.resolve(withFrame), call: () => Promise.resolve([true]) },
    isProtocolError: (error: unknown) => error === frameGone,
    frameIn: () => (frameIds.length > 1 ? frameIds.shift() : frameIds[0])?.(),
  } as unknown as IsolatedWorld;
  const child = { frame: 'child', document: 1, snapshot: () => Promise.resolve({ ...empty, elements: [field] }) };
  const reader = new PageReader<null>(async () => {
    await openFrame();
    return { world: child as unknown as IsolatedWorld, frame: null, isBelow: false };
  });
  const top: PageDocument<null> = { world, frame: null, isBelow: false };
  const deadline = (ms: number): Deadline => ({
    signal: new AbortController().signal,
    deadline: performance.now() + ms,
  });
  return async (ms = 5_000) => {
    const { elements, opaqueRegions, hasLateFrame } = await reader.read(top, 'view', deadline(ms));
    return { names: elements.map(({ element }) => element.name), regions: opaqueRegions.length, hasLateFrame };
  };
}

test.each([
  ['had no answer', true, () => Promise.reject(new Error('The browser did not answer within 5000 ms'))],
  ['failed', false, () => Promise.reject(frameGone)],
  ['found no frame', false, () => Promise.resolve(null)],
])('reads a frame again after its first read %s, which is late: %s', async (_, hasLateFrame, firstAnswer) => {
  const read = pageWith([firstAnswer, () => Promise.resolve('child')]);
  expect(await read()).toEqual({ names: [], regions: 1, hasLateFrame });
  expect(await read()).toEqual({ names: ['Card'], regions: 0, hasLateFrame: false });
});

test('does not wait for a frame longer than the deadline, and reports it', async () => {
  const read = pageWith([() => Promise.resolve('child')], () => new Promise(() => undefined));
  expect(await read(20)).toEqual({ names: [], regions: 1, hasLateFrame: true });
});
