import { EventEmitter } from 'node:events';
import { ManualTimers } from '@pilothouse/testing/manual-timers';
import type { Page } from 'playwright-core';
import { NetworkActivity } from './network-activity.ts';

const aRequest = (resourceType: string, url = 'http://site.test/', body: string | null = null) => ({
  resourceType: () => resourceType,
  isNavigationRequest: () => false,
  url: () => url,
  postData: () => body,
});

/** The network of a page that sends what the spec says. */
function aNetwork() {
  const timers = new ManualTimers();
  const events = new EventEmitter();
  const page = Object.assign(events, { url: () => 'about:blank', workers: () => [], mainFrame: () => null });
  const network = new NetworkActivity(page as unknown as Page, timers);
  const request = (resourceType: string) => {
    const sent = aRequest(resourceType);
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
  ['an image', (events: EventEmitter) => events.emit('request', aRequest('image'))],
])('does not wait for %s', (_, open) => {
  const { events, network } = aNetwork();
  open(events);
  expect([network.isResponsePending, network.isRendering(0), network.isActive]).toEqual([false, false, true]);
});

it.each<[string, string, string, string | null, boolean]>([
  ['A-1042', 'fetch', 'http://site.test/codes/A-1042', null, true],
  ['A-1042', 'ping', 'http://site.test/', 'code=A-1042', true],
  ['A-1042', 'document', 'http://site.test/?code=A-1042', null, true],
  ['A-1042', 'image', 'http://site.test/A-1042.png', null, false],
  ['2', 'fetch', 'http://site.test:2/v2/items/2', null, false],
  ['2', 'fetch', 'http://site.test/?page=12&day=2026-11-2', null, false],
  ['2', 'fetch', 'http://site.test/', '{"id":"a2","at":"2026-11-2T10:02","sum":1.2}', false],
  ['2', 'fetch', 'http://site.test/', '{"quantity":2}', true],
  ['2', 'xhr', 'http://site.test/', 'item=17&quantity=2', true],
  ['2', 'fetch', 'http://site.test/?quantity=2', null, true],
])('finds the text %s in a request of type %s: %s %s', (text, type, url, body, expected) => {
  const { events, network } = aNetwork();
  events.emit('request', aRequest(type, url, body));
  expect(network.hasSentSince(-1, text)).toBe(expected);
});

it('finds a text that was sent through a socket after a time', async () => {
  const { timers, events, network } = aNetwork();
  const socket = new EventEmitter();
  events.emit('websocket', socket);
  await timers.advance(10);
  socket.emit('framesent', { payload: '42["scan","A-1042"]' });
  expect([network.hasSentSince(5, 'A-1042'), network.hasSentSince(10, 'A-1042')]).toEqual([true, false]);
  socket.emit('framesent', { payload: Buffer.from('\u0001B-1042') });
  expect(network.hasSentSince(5, 'B-1042')).toBe(true);
  socket.emit('framesent', { payload: '2' });
  expect(network.hasSentSince(5, '2')).toBe(false);
});
