import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

/** A measured page. */
export interface BenchPage {
  readonly name: string;
  /** Origin: `theirs` came with a package, `widgets` is their code in a body of ours, `ours` was written for this. */
  readonly by: 'theirs' | 'widgets' | 'ours';
  readonly path: string;
  /** An expression that is true when the page is ready. */
  readonly ready: string;
  readonly html?: string;
}

const modules = join(import.meta.dirname, '../../node_modules');

const page = (body: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Bench</title><body>${body}</body></html>`;

const icon = 'display:inline-block;width:14px;height:14px;background:#c33';

/** Nine nodes, three of them actionable, one by a listener alone. */
const row = (index: number) =>
  `<li><a href="#p${index}">Product number ${index}</a><p>Some words about <b>it</b> and <i>its maker</i></p><span>${index},00 €</span><button>Add</button><span class="trash" style="${icon}"></span></li>`;

const shop = (rows: number) =>
  page(
    `<h1>Shop</h1><input placeholder="Search the shop"><ul>${Array.from({ length: rows }, (_, index) => row(index)).join('')}</ul>
    <script>for (const one of document.querySelectorAll('.trash')) one.addEventListener('click', () => one.parentElement.remove())</script>`,
  );

const api = {
  openapi: '3.0.3',
  info: { title: 'Orders', version: '1' },
  paths: Object.fromEntries(
    Array.from({ length: 60 }, (_, index) => [
      `/orders/${index}`,
      Object.fromEntries(
        ['get', 'put', 'delete'].map((method) => [
          method,
          { summary: `${method} ${index}`, responses: { 200: { description: 'ok' } } },
        ]),
      ),
    ]),
  ),
};

/** From some 100 to some 15,000 nodes. */
export const pages: readonly BenchPage[] = [
  { name: 'shop, 100 nodes', by: 'ours', path: '/shop-11', ready: 'true', html: shop(11) },
  {
    name: 'jQuery UI demo',
    by: 'theirs',
    path: '/npm/jquery-ui-dist/index.html',
    ready: `!!document.querySelector('.ui-datepicker td')`,
  },
  {
    name: 'Swagger UI (React)',
    by: 'widgets',
    path: '/swagger',
    ready: `document.querySelectorAll('.opblock').length >= 10`,
    html: page(`<link rel="stylesheet" href="/npm/swagger-ui-dist/swagger-ui.css"><div id="ui"></div>
      <script src="/npm/swagger-ui-dist/swagger-ui-bundle.js"></script><script>SwaggerUIBundle({ spec: ${JSON.stringify(api)}, dom_id: '#ui' })</script>`),
  },
  {
    name: 'flatpickr, Choices, Sortable',
    by: 'widgets',
    path: '/widgets',
    ready: `!!document.querySelector('.flatpickr-day') && !!document.querySelector('.choices')`,
    html: page(`<link rel="stylesheet" href="/npm/flatpickr/dist/flatpickr.css"><link rel="stylesheet" href="/npm/choices.js/public/assets/styles/choices.css">
      <input id="day"><select id="kind" multiple><option selected>Tea<option selected>Coffee<option>Milk</select>
      <ul id="board">${Array.from({ length: 8 }, (_, index) => `<li>Card ${index} <span class="trash" style="${icon}"></span></li>`).join('')}</ul>
      <script src="/npm/flatpickr/dist/flatpickr.js"></script><script src="/npm/choices.js/public/assets/scripts/choices.js"></script><script src="/npm/sortablejs/Sortable.js"></script>
      <script>flatpickr('#day', { inline: true }); new Choices('#kind', { removeItemButton: true }); new Sortable(document.getElementById('board'));
      for (const one of document.querySelectorAll('.trash')) one.onclick = () => one.parentElement.remove();</script>`),
  },
  {
    name: 'Quill editor',
    by: 'widgets',
    path: '/quill',
    ready: `!!document.querySelector('.ql-toolbar .ql-picker-item')`,
    html: page(`<link rel="stylesheet" href="/npm/quill/dist/quill.snow.css"><div id="editor"><p>Dear <b>harbour master</b>,</p></div>
      <script src="/npm/quill/dist/quill.js"></script><script>new Quill('#editor', { theme: 'snow', modules: { toolbar: [[{ header: [1, 2, false] }], ['bold', 'italic', 'link', 'image'], [{ list: 'ordered' }, { list: 'bullet' }], [{ color: [] }]] } })</script>`),
  },
  {
    name: 'virtual list of 10,000 rows',
    by: 'ours',
    path: '/virtual',
    ready: `document.querySelectorAll('#list .row').length > 20`,
    html: page(`<style>#list{height:600px;overflow:auto;position:relative}.row{position:absolute;height:24px;left:0;right:0}</style><div id="list"><div style="height:240000px"></div></div>
      <script>const list = document.getElementById('list'); const draw = () => { for (const old of list.querySelectorAll('.row')) old.remove();
        const from = Math.floor(list.scrollTop / 24); for (let index = from; index < from + 30; index += 1) { const one = document.createElement('div');
        one.className = 'row'; one.style.top = index * 24 + 'px'; one.innerHTML = 'Row ' + index + ' <span class="edit" style="${icon}"></span>';
        one.addEventListener('pointerdown', () => {}); one.lastChild.addEventListener('click', () => {}); list.append(one); } };
        list.addEventListener('scroll', draw); list.scrollTop = 90000; draw()</script>`),
  },
  {
    name: 'frames and shadow roots',
    by: 'ours',
    path: '/nested',
    ready: `document.querySelector('iframe').contentDocument.querySelectorAll('button').length > 10`,
    html: page(`<div id="hosts"></div><iframe src="/shop-11" style="width:600px;height:400px"></iframe>
      <script>for (let index = 0; index < 12; index += 1) { const host = document.createElement('div'); document.getElementById('hosts').append(host);
        const root = host.attachShadow({ mode: 'open' }); root.innerHTML = '<button>Shadow ' + index + '</button><span style="${icon}"></span>'; root.lastChild.onmousedown = () => {}; }</script>`),
  },
  { name: 'shop, 3,340 nodes', by: 'ours', path: '/shop-417', ready: 'true', html: shop(417) },
  { name: 'shop, 15,000 nodes', by: 'ours', path: '/shop-1874', ready: 'true', html: shop(1874) },
];

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

/** Serves pages, and files of packages under `/npm/`. */
export async function servePages(
  served: readonly Pick<BenchPage, 'path' | 'html'>[] = pages,
): Promise<{ origin: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent((request.url ?? '/').split('?')[0] ?? '/');
    const ownHtml = served.find((page) => page.path === path)?.html;
    const body =
      ownHtml === undefined && path.startsWith('/npm/')
        ? readFile(join(modules, normalize(path.slice(5))))
        : Promise.resolve(ownHtml);
    body.then(
      (content) => {
        response.writeHead(content === undefined ? 404 : 200, {
          'content-type': types[extname(path)] ?? (ownHtml === undefined ? 'application/octet-stream' : 'text/html'),
        });
        response.end(content ?? '');
      },
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
