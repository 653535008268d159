import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A page with two fields and a button on the left, which becomes blue after submission. The title becomes `Ready` on
 * request.
 */
const PAGE = `<!doctype html><title>Sign in</title>
<style>body{margin:0;background:#f00} input,button{position:fixed;left:0;width:40vw;height:10vh}</style>
<h1>Welcome</h1>
<input id="name" aria-label="Name" style="top:0"><input id="password" type="password" aria-label="Password" style="top:20vh">
<button style="top:40vh">Go</button>
<script>
  fetch('/ready').then(() => { document.title = 'Ready'; });
  document.querySelector('button').onclick = () => {
    const value = (id) => document.getElementById(id).value;
    document.body.style.background = '#00f';
    document.querySelector('h1').textContent = 'Hello ' + value('name') + ', ' + value('password').length;
    fetch('/clicked');
  };
</script>`;

/** Positions on the page, in thousandths. */
export const positions = { name: { x: 200, y: 50 }, password: { x: 200, y: 250 }, resume: { x: 200, y: 450 } } as const;

/** A site whose page waits for input of a person. */
export class ControlTestSite {
  /** Number of clicks on the button. */
  clickCount = 0;
  /** Messages of the page, in order. */
  readonly messages: string[] = [];
  readonly #server: Server;
  #isReady = false;
  readonly #waiting: (() => void)[] = [];

  private constructor(page: string) {
    this.#server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://site');
      if (pathname === '/clicked') this.clickCount += 1;
      if (pathname === '/message') this.messages.push(searchParams.get('text') ?? '');
      if (pathname !== '/ready') return void response.setHeader('content-type', 'text/html').end(page);
      if (this.#isReady) response.end();
      else this.#waiting.push(() => response.end());
    });
  }

  /** @param page its HTML; it asks for `/ready`, and may send messages by `/message?text=` */
  static async start(page = PAGE): Promise<ControlTestSite> {
    const site = new ControlTestSite(page);
    await once(site.#server.listen(0, '127.0.0.1'), 'listening');
    return site;
  }

  /** The step that opens the page. */
  get open(): object {
    return { action: 'navigate', url: `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/` };
  }

  /** A definition that waits until the page is ready, and then extracts its content. */
  get definition(): object {
    return {
      name: 'greeting',
      steps: [
        this.open,
        { action: 'waitFor', condition: { title: 'Ready' }, timeout: 120 },
        { id: 'greeting', action: 'extract', target: { css: 'h1' }, value: {}, title: 'Read the greeting' },
      ],
      output: { messages: '{{steps.greeting.value}}' },
    };
  }

  /** Marks all pages as ready, including later ones. */
  ready(): void {
    this.#isReady = true;
    for (const resume of this.#waiting.splice(0)) resume();
  }

  /** Resets the site. */
  reset(): void {
    this.#isReady = false;
    this.clickCount = 0;
    this.messages.length = 0;
    this.#waiting.length = 0;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
