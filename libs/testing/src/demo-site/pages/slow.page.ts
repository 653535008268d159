import { html } from '../html.ts';
import { delayOf, delayResponse } from '../request-delay.ts';
import { json, streamedPage, type Reply } from '../site-responses.ts';
import type { MemberRequest, Route } from '../site-route.ts';
import { layout } from '../site-layout.ts';

export const slowRoutes: readonly Route[] = [
  { method: 'GET', path: '/slow', shape: 'page', access: 'session', handle: showShell },
  { method: 'GET', path: '/api/tides', shape: 'data', access: 'session', handle: readTides },
];

const DEFAULT_DELAY = 1500;

const TIDES = [
  { time: '03:42', tide: 'High', height: '2.1 m' },
  { time: '09:58', tide: 'Low', height: '0.3 m' },
  { time: '16:11', tide: 'High', height: '1.9 m' },
  { time: '22:20', tide: 'Low', height: '0.4 m' },
];

function showShell(request: MemberRequest): Reply {
  const content = html`<div class="page-head">
      <div>
        <h1>Tides</h1>
        <p class="muted">Read from the gauge at the harbour mouth. It takes its time.</p>
      </div>
    </div>
    <section class="card" id="tides" data-ms="${delayOf(request, DEFAULT_DELAY)}" aria-busy="true" aria-live="polite">
      <p class="loading"><span class="spinner"></span>Reading the gauge …</p>
      <div class="skeleton"></div>
      <div class="skeleton"></div>
      <div class="skeleton"></div>
    </section>`;
  const { session } = request;
  const shell = layout({ title: 'Tides', session, section: '/slow', scripts: ['slow.js'], width: 'narrow', content });
  return streamedPage(shell);
}

async function readTides(request: MemberRequest): Promise<Reply> {
  const ms = await delayResponse(request, DEFAULT_DELAY);
  return json({ ms, tides: TIDES });
}
