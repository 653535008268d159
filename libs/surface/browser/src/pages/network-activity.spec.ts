import { EventEmitter } from 'node:events';
import { ManualTimers } from '@pilothouse/testing/manual-timers';
import type { Page } from 'playwright-core';
import { NetworkActivity } from './network-activity.ts';

/** The network of a page that sends what the spec says. */
function aNetwork() {
  const timers = new ManualTimers();
  const events = new EventEmitter();
  const page = Object.assign(events, { url: () => 'about:blank', workers: () => [], mainFrame: () => null });
  const network = new NetworkActivity(page as unknown as Page, timers);
  const request = (resourceType: string) => {
    const content = { url: () => 'https://demo.test/', postData: () => null };
    const sent = { ...content, resourceType: () => resourceType, isNavigationRequest: () => false };
    events.emit('request', sent);
    return { finish: () => events.emit('requestfinished', sent) };
  };
  return { timers, events, network, request };
}

it('waits for a response that the page may render, and for the rendering', async () => {
  const { timers, network, request } = aNetwork();
  const fetch = request('fetch');
  await timers.advance(900);
  expect(network.isResponsePending).toBe(true);
  fetch.finish();
  expect([network.isResponsePending, network.isRendering(0)]).toEqual([false, true]);
  await timers.advance(99);
  expect(network.isRendering(0)).toBe(true);
  await timers.advance(1);
  expect(network.isRendering(0)).toBe(false);
});

it('does not wait for the response of a long poll', async () => {
  const { timers, network, request } = aNetwork();
  request('fetch');
  await timers.advance(1_000);
  expect([network.isResponsePending, network.isRendering(0), network.isActive]).toEqual([false, false, true]);
});

it.each([
  ['a socket', (events: EventEmitter) => events.emit('websocket', new EventEmitter())],
  [
    'an image',
    (events: EventEmitter) => events.emit('request', { resourceType: () => 'image', isNavigationRequest: () => false }),
  ],
])('does not wait for %s', (_, open) => {
  const { events, network } = aNetwork();
  open(events);
  expect([network.isResponsePending, network.isRendering(0), network.isActive]).toEqual([false, false, true]);
});
