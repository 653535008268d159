/** Page content that is unrelated to the task. */
export const unrelatedItems: readonly string[] = [
  '<p><label>Reference <input name="reference"></label></p>',
  '<p><label><input type="checkbox" name="newsletter"> Newsletter</label></p>',
  '<p><button type="button">Help</button> <a href="#top">Top</a></p>',
  '<p>Quay 7 is closed for the regatta.</p>',
];

const STYLE = `body { font: 16px/1.4 sans-serif; margin: 16px; max-width: 60rem } label, button, li, td, th { padding: 3px 6px }
[hidden] { display: none !important } table { border-collapse: collapse } .box { border: 1px solid #99a; padding: 8px; margin: 8px 0 }`;

const SCRIPT = `const out = document.getElementById('out');
const say = (what) => { out.textContent = String(what); };
const valueOf = (one) => one.type === 'checkbox' ? one.checked
  : one.multiple ? [...one.selectedOptions].map((option) => option.value).join(', ') : one.value;
document.addEventListener('change', ({ target }) => { if (target.name) say(target.name + ' = ' + valueOf(target)); });`;

/** Reports each text of the event to the server with its time, in milliseconds since the epoch: requests can overtake each other. */
const REPORT = `new MutationObserver(() => navigator.sendBeacon('/effects', JSON.stringify({ path: location.pathname, text: out.textContent, timeMs: performance.timeOrigin + performance.now() })))
  .observe(out, { childList: true, characterData: true, subtree: true });`;

/** A page with this body. `say(...)` shows the last event; changes of named controls are shown automatically. */
export const taskPage = (body: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><title>Task</title><style>${STYLE}</style><body><h1>Task</h1><p>Last event: <output id="out">none</output></p><script>${SCRIPT}
${REPORT}</script>${body}</body></html>`;
