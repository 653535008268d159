import { html, type Html } from '../html.ts';
import { page, type Reply } from '../site-responses.ts';
import type { MemberRequest, Route } from '../site-route.ts';
import { bareLayout, layout } from '../site-layout.ts';

export const contactRoutes: readonly Route[] = [
  { method: 'GET', path: '/contact', shape: 'page', access: 'session', handle: (request) => page(contact(request)) },
  {
    method: 'GET',
    path: '/contact/frame',
    shape: 'page',
    access: 'session',
    handle: (request) => page(messageForm(request)),
  },
  { method: 'POST', path: '/contact/frame', shape: 'page', access: 'session', handle: receive },
];

const TOPICS = ['An order', 'A delivery', 'An invoice', 'Something else'];
const MAX_MESSAGE_CHARS = 2000;

function contact({ session }: MemberRequest): Html {
  const content = html`<div class="page-head"><h1>Contact</h1></div>
    <div class="split">
      <section class="card frame-card" aria-labelledby="write-title">
        <h2 id="write-title">Write to us</h2>
        <iframe title="Message form" src="/contact/frame"></iframe>
      </section>
      <aside class="card">
        <h2>The quay office</h2>
        <address>Harbour Supplies<br />Quay 7, Gate B<br />3011 Rotterdam</address>
        <dl class="summary">
          <div>
            <dt>Weekdays</dt>
            <dd>06:00 – 20:00</dd>
          </div>
          <div>
            <dt>Saturday</dt>
            <dd>07:00 – 14:00</dd>
          </div>
          <div>
            <dt>VHF</dt>
            <dd>Channel 12</dd>
          </div>
        </dl>
      </aside>
    </div>`;
  return layout({ title: 'Contact', session, section: '/contact', content });
}

function messageForm({ session }: MemberRequest, error = '', fields: Record<string, string> = {}): Html {
  return bareLayout(
    'Message',
    html`<form method="post" action="/contact/frame" class="stack">
      ${error ? html`<p class="alert" role="alert">${error}</p>` : ''}
      <div class="row">
        <div class="field grow">
          <label for="from">Your name</label><input id="from" name="name" autocomplete="name" value="${fields.name}" />
        </div>
        <div class="field grow">
          <label for="topic">About</label>
          <select id="topic" name="topic">
            ${TOPICS.map((topic) => html`<option${topic === fields.topic ? html` selected` : ''}>${topic}</option>`)}
          </select>
        </div>
      </div>
      <div class="field">
        <label for="message">Message</label><textarea id="message" name="message" rows="5">${fields.message}</textarea>
      </div>
      <p class="hint">We answer to ${session.account.email}.</p>
      <p><button class="button primary">Send message</button></p>
    </form>`,
  );
}

async function receive(request: MemberRequest): Promise<Reply> {
  const form = await request.form();
  const [name = '', topic = '', message = ''] = ['name', 'topic', 'message'].map((field) => {
    const value = form.get(field);
    return typeof value === 'string' ? value.trim() : '';
  });
  const fields = { name, topic, message };
  if (!name || !message) return page(messageForm(request, 'Enter your name and a message.', fields), 422);
  if (message.length > MAX_MESSAGE_CHARS) {
    return page(messageForm(request, `Keep the message under ${MAX_MESSAGE_CHARS} characters.`, fields), 422);
  }
  request.record('contact', fields);
  return page(bareLayout('Thank you', thanks(name)));
}

function thanks(name: string): Html {
  return html`<div class="notice" role="status">
    <h2>Thank you, ${name}!</h2>
    <p>Your message has reached the quay office.</p>
    <p><a href="/contact/frame">Write another one</a></p>
  </div>`;
}
