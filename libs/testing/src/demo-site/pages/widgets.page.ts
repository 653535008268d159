import { html, type Html } from '../html.ts';
import { page } from '../site-responses.ts';
import type { Route, SiteRequest } from '../site-route.ts';
import { bareLayout, layout } from '../site-layout.ts';

/** One widget of each kind, without a login, for tests of single actions. */
export const widgetRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/public/widgets',
    shape: 'page',
    access: 'public',
    handle: (request) => page(widgets(request)),
  },
  { method: 'GET', path: '/public/widgets/frame', shape: 'page', access: 'public', handle: () => page(frame()) },
];

function widgets({ session }: SiteRequest): Html {
  const content = html`<div class="page-head">
      <div>
        <h1>Widget gallery</h1>
        <p class="muted">One of each. Nothing here is sent anywhere.</p>
      </div>
      <p class="last-event">Last event: <output id="last-event">none</output></p>
    </div>
    <div class="gallery" id="gallery">${fields()} ${choices()} ${buttons()} ${structure()} ${special()}</div>`;
  return layout({ title: 'Widget gallery', session, scripts: ['widgets.js'], content });
}

function fields(): Html {
  return html`<section class="card stack" aria-labelledby="g-fields">
    <h2 id="g-fields">Fields</h2>
    <div class="field"><label for="w-text">Vessel name</label><input id="w-text" name="vessel" type="text" /></div>
    <div class="field">
      <label for="w-password">Harbour code</label
      ><input id="w-password" name="code" type="password" autocomplete="off" />
    </div>
    <div class="field">
      <label for="w-number">Draught</label
      ><input id="w-number" name="draught" type="number" step="0.1" min="0" max="20" />
    </div>
    <div class="field"><label for="w-date">Arrival</label><input id="w-date" name="arrival" type="date" /></div>
    <div class="field"><label for="w-time">Pilot at</label><input id="w-time" name="pilot" type="time" /></div>
    <div class="field"><input name="imo" type="text" placeholder="IMO number" aria-label="IMO number" /></div>
    <div class="field">
      <label for="w-area">Remarks</label><textarea id="w-area" name="remarks" rows="2"></textarea>
    </div>
    <div class="field">
      <span class="label" id="w-rich-label">Log entry</span>
      <div
        class="rich"
        contenteditable="true"
        role="textbox"
        aria-multiline="true"
        aria-labelledby="w-rich-label"
      ></div>
    </div>
    <div class="field">
      <label for="w-file">Manifest</label><input id="w-file" name="manifest" type="file" multiple />
    </div>
  </section>`;
}

function choices(): Html {
  return html`<section class="card stack" aria-labelledby="g-choices">
    <h2 id="g-choices">Choices</h2>
    <div class="field">
      <label for="w-select">Berth</label>
      <select id="w-select" name="berth">
        <option value="">None</option>
        <option value="n1">North 1</option>
        <option value="n2">North 2</option>
        <option value="s1">South 1</option>
      </select>
    </div>
    <div class="field">
      <label for="w-multi">Services</label>
      <select id="w-multi" name="services" multiple size="3">
        <option>Water</option>
        <option>Shore power</option>
        <option>Waste</option>
      </select>
    </div>
    <fieldset class="plain">
      <legend>Flag</legend>
      <label class="check"><input type="radio" name="flag" value="nl" /> <span>Netherlands</span></label>
      <label class="check"><input type="radio" name="flag" value="no" /> <span>Norway</span></label>
      <label class="check"><input type="radio" name="flag" value="gr" /> <span>Greece</span></label>
    </fieldset>
    <label class="check"><input type="checkbox" name="dangerous" /> <span>Dangerous goods on board</span></label>
    <button class="switch" type="button" role="switch" aria-checked="false" id="w-switch">Night work</button>
    <div class="field">
      <label for="w-range">Speed limit</label
      ><input id="w-range" name="speed" type="range" min="0" max="12" value="4" />
    </div>
    <div class="field">
      <label for="w-color">Hull color</label><input id="w-color" name="color" type="color" value="#0d9488" />
    </div>
  </section>`;
}

function buttons(): Html {
  return html`<section class="card stack" aria-labelledby="g-buttons">
    <h2 id="g-buttons">Buttons</h2>
    <div class="actions">
      <button class="button primary" type="button" id="w-count">Count</button>
      <button class="button" type="button" disabled>Disabled</button>
      <button class="button quiet" type="button" aria-label="Sound the horn">📯</button>
    </div>
    <p>Counted <output id="w-counted" data-testid="counted">0</output> times</p>
    <div class="actions">
      <button class="button" type="button" id="w-double">Double-click me</button>
      <button class="button" type="button" id="w-context">Right-click me</button>
    </div>
    <div class="actions">
      <button class="button" type="button" id="w-dialog-open">Open dialog</button>
      <button class="button" type="button" id="w-alert">Ask by the browser</button>
    </div>
    <dialog id="w-dialog" aria-label="Gallery dialog">
      <p>Cast off?</p>
      <div class="actions">
        <button class="button primary" type="button" value="yes">Yes</button
        ><button class="button quiet" type="button" value="no">No</button>
      </div>
    </dialog>
    <div class="menu">
      <button class="button" type="button" aria-haspopup="menu" aria-expanded="false" id="w-menu">Menu</button>
      <ul role="menu" aria-label="Menu" hidden>
        <li role="menuitem" tabindex="-1">Moor</li>
        <li role="menuitem" tabindex="-1">Anchor</li>
        <li role="menuitem" tabindex="-1">Drift</li>
      </ul>
    </div>
    <p><a href="/public/widgets/frame" target="_blank">Open in a new tab</a></p>
  </section>`;
}

function structure(): Html {
  return html`<section class="card stack" aria-labelledby="g-structure">
    <h2 id="g-structure">Structure</h2>
    <div class="tabs">
      <div role="tablist" aria-label="Watch">
        <button type="button" role="tab" id="t-day" aria-selected="true" aria-controls="p-day">Day</button
        ><button type="button" role="tab" id="t-night" aria-selected="false" aria-controls="p-night" tabindex="-1">
          Night
        </button>
      </div>
      <div role="tabpanel" id="p-day" aria-labelledby="t-day">The day watch begins at 08:00.</div>
      <div role="tabpanel" id="p-night" aria-labelledby="t-night" hidden>The night watch begins at 20:00.</div>
    </div>
    <details>
      <summary>Show the small print</summary>
      <p>Berths are given in the order of arrival.</p>
    </details>
    <table class="table" aria-label="Berths">
      <thead>
        <tr>
          <th scope="col">Berth</th>
          <th scope="col" class="number">Depth</th>
        </tr>
      </thead>
      <tbody>
        <tr>
          <td>North 1</td>
          <td class="number">11.5 m</td>
        </tr>
        <tr>
          <td>North 2</td>
          <td class="number">9.0 m</td>
        </tr>
        <tr>
          <td>South 1</td>
          <td class="number">6.2 m</td>
        </tr>
      </tbody>
    </table>
    <ul class="plain-list">
      <li>Water</li>
      <li>Fuel</li>
      <li>Provisions</li>
    </ul>
    <label for="w-progress">Loading</label><progress id="w-progress" max="100" value="60">60 %</progress>
    <label for="w-meter">Tank</label><meter id="w-meter" min="0" max="1" value="0.8">80 %</meter>
    <div class="scroller" tabindex="0" role="region" aria-label="Log book">
      ${Array.from({ length: 20 }, (_, hour) => html`<p>${String(hour).padStart(2, '0')}:00 All well.</p>`)}
    </div>
  </section>`;
}

function special(): Html {
  return html`<section class="card stack" aria-labelledby="g-special">
    <h2 id="g-special">Special</h2>
    <div class="drag">
      <div id="w-drag" draggable="true" role="button" aria-label="Crate">Crate</div>
      <div id="w-drop" role="region" aria-label="Hold">Drop into the hold</div>
    </div>
    <div class="hover" tabindex="0"><span>Hover for the tide</span><span role="tooltip">High water at 16:11</span></div>
    <gallery-counter></gallery-counter>
    <iframe title="Gallery frame" src="/public/widgets/frame"></iframe>
  </section>`;
}

function frame(): Html {
  return bareLayout(
    'Gallery frame',
    html`<p>Inside the frame</p>
      <p>
        <label>Call sign <input name="callsign" /></label>
      </p>`,
  );
}
