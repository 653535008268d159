import type { Action } from '@pilothouse/contract/actions/action-sets';
import { click, css, inFrame, type ConformanceCase, type ConformanceGroup } from '../conformance-case.ts';

const FROM = 'page-set-input-files.spec.ts';
const DOWNLOAD = 'download.spec.ts';
const SHORT_MS = 1500;

const upload = (selector = '#f', file = 'a.txt'): Action => ({ action: 'upload', target: css(selector), file });
const input = (attributes = '', code = `note([...files].map((file) => file.name))`) =>
  `<input id="f" type="file" onchange="${code}" ${attributes}>`;

const uploads = (name: string, html: string, overrides: Partial<ConformanceCase> = {}): ConformanceCase => ({
  name,
  from: FROM,
  html,
  steps: [upload()],
  playwright: 'gives the file',
  outcome: { notes: 'a.txt' },
  ...overrides,
});
const refuses = (error: string, message?: string): Partial<ConformanceCase> => ({
  timeoutMs: SHORT_MS,
  playwright: 'error',
  outcome: { error, ...(message !== undefined && { message }) },
});

const choose = `const field = document.createElement('input'); field.type = 'file'; field.onchange = () => note(field.files[0].name); field.click();`;
const chooser = `<button id="f" onclick="${choose}">Choose</button>`;
const read = (reaction: string) => `files[0].text().then((text) => note(text)); ${reaction}`;

const downloads = (
  name: string,
  html: string,
  files: readonly string[],
  overrides: Partial<ConformanceCase> = {},
): ConformanceCase => ({
  name,
  from: DOWNLOAD,
  html,
  responses: {
    '/file': attachment('file.txt'),
    '/plain': { headers: { 'content-type': 'application/octet-stream' }, body: 'Hello' },
  },
  steps: [{ action: 'download', target: css('#go') }],
  playwright: 'downloads',
  outcome: { files },
  ...overrides,
});
const attachment = (name?: string) => ({
  headers: {
    'content-type': 'application/octet-stream',
    'content-disposition': name === undefined ? 'attachment' : `attachment; filename=${name}`,
  },
  body: 'Hello world',
});
const link = (href: string, attributes = '') => `<a id="go" href="${href}" ${attributes}>Download</a>`;
const blob = (use: string) =>
  `<button id="go" onclick="const url = window.URL.createObjectURL(new Blob(['Hello'])); ${use}">Save</button>`;

/** Files that a page receives. */
export const uploadCases: ConformanceGroup = {
  name: 'upload',
  cases: [
    uploads('a file field', input()),
    uploads('the content of the file', input('', read('')), {
      playwright: 'reads it',
      outcome: { notes: 'content of a.txt' },
    }),
    uploads('the label of a file field', `<label id="l" for="f">Choose</label>${input()}`, { steps: [upload('#l')] }),
    uploads('a hidden file field', input('style="display:none"'), { from: null }),
    uploads('a file field in a frame', '<iframe src="PATH/frame"></iframe>', {
      documents: { '/frame': input() },
      steps: [{ action: 'upload', target: inFrame('#f'), file: 'a.txt' }],
    }),
    uploads(
      'a file field in a shadow root',
      `<div id="host"></div><script>host.attachShadow({ mode: 'open' }).innerHTML = '<input id="f" type="file">'; host.shadowRoot.querySelector('input').onchange = ({ target }) => note(target.files[0].name)</script>`,
      { from: null },
    ),
    uploads('input and change', `<input id="f" type="file" oninput="note('input')" onchange="note('change')">`, {
      playwright: 'input change',
      outcome: { notes: 'input change' },
    }),
    uploads('a field for several files', input('multiple')),
    uploads('another file replaces the first', input(), {
      from: null,
      steps: [upload(), upload('#f', 'b.txt')],
      playwright: 'a.txt, then b.txt',
      outcome: { notes: 'a.txt b.txt' },
    }),
    uploads('a field that accepts other types', input('accept=".png"'), { from: null }),
    uploads('a field for a folder', input('webkitdirectory multiple'), refuses('ACTION_UNSUPPORTED', 'folder')),
    uploads('a disabled field', input('disabled'), { from: null, ...refuses('TARGET_NOT_ACTIONABLE') }),
    uploads(
      'a field that is enabled later',
      `${input('disabled')}<script>setTimeout(() => { f.disabled = false }, 200)</script>`,
      { from: null },
    ),
    uploads(
      'a button whose field is in the page',
      `<button id="b" onclick="f.click()">Choose</button>${input('hidden')}`,
      { steps: [upload('#b')] },
    ),
    uploads('a button whose field is not in the page', chooser),
    uploads('a button in a frame', '<iframe src="PATH/frame"></iframe>', {
      documents: { '/frame': chooser },
      steps: [{ action: 'upload', target: inFrame('#f'), file: 'a.txt' }],
    }),
    uploads(
      'a button that opens the dialog later',
      `<button id="f" onclick="setTimeout(() => { ${choose} }, 100)">Choose</button>`,
    ),
    uploads('a button that opens no dialog', `<button id="f" onclick="note('clicked')">Choose</button>`, {
      from: null,
      ...refuses('ACTION_UNSUPPORTED', 'opens no file dialog'),
      outcome: { error: 'ACTION_UNSUPPORTED', message: 'opens no file dialog', notes: 'clicked' },
    }),
    uploads('a page of another origin', '<p>Start</p>', {
      documents: { '/second': input() },
      steps: [{ action: 'navigate', url: 'OTHER/second' }, upload()],
    }),
    uploads('a page that reads the file and empties the field', input('', read(`value = ''`)), {
      from: null,
      playwright: 'gives the file; the field is empty',
      ours: 'unverifiable',
      deviation: 'The page may have read or refused the file.',
      outcome: { notes: 'content of a.txt', effect: 'unverifiable', message: 'emptied' },
    }),
    uploads('a page that refuses the file', `${input('', `value = ''`)}`, {
      from: null,
      playwright: 'gives the file; the field is empty',
      ours: 'unverifiable',
      deviation: 'The page may have read or refused the file.',
      outcome: { effect: 'unverifiable', message: 'emptied' },
    }),
    uploads(
      'two locators that find two fields',
      `<label>Contract ${input()}</label><label>Invoice <input type="file" data-testid="i"></label>`,
      {
        from: null,
        steps: [{ action: 'upload', target: [{ testId: 'i' }, { label: 'Contract', exact: true }], file: 'a.txt' }],
        playwright: 'has one locator only',
        ours: 'error',
        deviation: 'The file must not reach a field that the step does not mean.',
        outcome: { error: 'TARGET_AMBIGUOUS', message: 'find different elements' },
      },
    ),
    uploads(
      'a button and the hidden field behind it',
      `<div><button id="b" onclick="f.click()">Choose</button>${input('hidden')}</div>`,
      {
        from: null,
        steps: [
          { action: 'upload', target: [{ css: '#f' }, { role: 'button', name: 'Choose', exact: true }], file: 'a.txt' },
        ],
      },
    ),
    uploads('a page that replaces the field', input('', `note(files[0].name); outerHTML = '<b>Sent</b>'`), {
      from: null,
    }),
  ],
};

/** Files that a page gives. */
export const downloadCases: ConformanceGroup = {
  name: 'download',
  cases: [
    downloads('a file of the server', link('PATH/bare'), ['bare'], { responses: { '/bare': attachment() } }),
    downloads('a file with a name', link('PATH/file'), ['file.txt']),
    downloads('a name of the step', link('PATH/file'), ['mine.txt'], {
      from: null,
      steps: [{ action: 'download', target: css('#go'), name: 'mine.txt' }],
    }),
    downloads('a click', link('PATH/file'), ['file.txt'], { steps: [click('#go')] }),
    downloads('a link with a name', link('PATH/plain', 'download="foo.zip"'), ['foo.zip']),
    downloads('a response that is no page', link('PATH/plain'), ['plain']),
    downloads('a URL that is a file', '<p>Start</p>', ['file.txt'], {
      steps: [{ action: 'navigate', url: 'PATH/file' }],
      ours: 'unverifiable',
      deviation: 'The file was received, but no page was opened.',
      outcome: { files: ['file.txt'], effect: 'unverifiable', message: 'started a download' },
    }),
    downloads('a response with Cross-Origin-Opener-Policy', link('PATH/own'), ['own.txt'], {
      responses: {
        '/own': {
          ...attachment(),
          headers: { ...attachment('own.txt').headers, 'cross-origin-opener-policy': 'same-origin' },
        },
      },
    }),
    downloads(
      'data of the page',
      blob(`Object.assign(document.createElement('a'), { href: url, download: 'blob.txt' }).click()`),
      ['blob.txt'],
    ),
    downloads('data as a URL', link('data:text/plain,hello', 'download="data.txt"'), ['data.txt'], { from: null }),
    downloads('a new window', link('PATH/file', 'target="_blank"'), ['file.txt'], {
      outcome: { notes: '', files: ['file.txt'] },
    }),
    downloads('frames in frames', '<iframe src="PATH/outer"></iframe>', ['file.txt'], {
      documents: { '/outer': '<iframe src="PATH/inner"></iframe>', '/inner': link('PATH/file') },
      steps: [{ action: 'download', target: { css: '#go', within: { css: 'iframe', within: { css: 'iframe' } } } }],
    }),
    downloads('a PDF with a download link', link('PATH/doc.pdf', 'download'), ['doc.pdf'], {
      responses: { '/doc.pdf': { headers: { 'content-type': 'application/pdf' }, body: '%PDF-1.4' } },
    }),
    downloads(
      'two files',
      `<button id="go" onclick="for (const name of ['a', 'b']) { const link = document.createElement('a'); link.href = 'PATH/plain'; link.download = name + '.txt'; link.click(); }">Save</button>`,
      ['a.txt', 'b.txt'],
      {
        from: null,
        steps: [click('#go')],
      },
    ),
    downloads('a button without a file', `<button id="go" onclick="note('clicked')">Save</button>`, [], {
      from: null,
      timeoutMs: SHORT_MS,
      playwright: 'times out',
      outcome: { error: 'STEP_TIMED_OUT', notes: 'clicked', files: [] },
    }),
    downloads('a file that does not exist', link('PATH/gone', 'download="gone.txt"'), [], {
      from: null,
      timeoutMs: SHORT_MS,
      playwright: 'the download failed',
      outcome: { error: 'NAVIGATION_FAILED', files: [] },
    }),
  ],
};
