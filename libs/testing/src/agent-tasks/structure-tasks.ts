import { call, type ParsedPrompt } from './parsed-prompt.ts';
import { unrelatedItems } from './task-page.ts';
import { scrollCall, lastEvent, elementLinePattern, doneCall, type TaskKind } from './agent-task.ts';

/*
 * Tasks with page regions, frames and text to read.
 */

const ships = ['Anna', 'Heron', 'Skua', 'Zeewind', 'Pelican', 'Tern'] as const;

const hasLastEvent = (prompt: ParsedPrompt, text: string) => prompt.page.includes(lastEvent(text));

/** Escapes a document for a frame. */
const framed = (html: string) => html.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

export const structureTasks: readonly TaskKind[] = [
  {
    name: 'tabs',
    generate: (random) => {
      const list = random.shuffle(['Day', 'Night', 'Dog watch']);
      const [, selection = ''] = list;
      return {
        goal: `Show the tab ${selection}`,
        body: `<div role="tablist">${list.map((label, index) => `<button type="button" role="tab" aria-selected="${index === 0}" onclick="this.setAttribute('aria-selected', 'true'); say('tab ${label}')">${label}</button>`).join('')}</div>${unrelatedItems.join('')}`,
        stages: [[elementLinePattern('tab', selection), 'click']],
        successText: `tab ${selection}`,
      };
    },
  },
  {
    name: 'a collapsed section',
    generate: (random) => {
      const day = random.pick(['Monday', 'Thursday', 'Sunday']);
      return {
        goal: 'On which day is the quay closed? The small print says it',
        body: `<details><summary>Show the small print</summary><p>Closed on ${day}.</p></details>${unrelatedItems.join('')}`,
        stages: [],
        successText: day,
        answer: day,
        policy: () => (prompt) => {
          const closedDay = /Closed on (\w+)/.exec(prompt.page)?.[1];
          return closedDay === undefined
            ? [call('click', { element: prompt.element(/small print/) })]
            : doneCall(`Closed on ${closedDay}`, { answer: closedDay });
        },
      };
    },
  },
  {
    name: 'a tree',
    generate: (random) => {
      const selection = random.pick(['Pier 1', 'Pier 2', 'Pier 3']);
      return {
        goal: `Open Harbour and choose ${selection}`,
        body: `<ul role="tree" aria-label="Places"><li role="treeitem" aria-expanded="false" aria-label="Harbour" tabindex="0" id="h" onclick="g.hidden = false; this.setAttribute('aria-expanded', 'true')">Harbour<ul role="group" id="g" hidden>${random
          .shuffle(['Pier 1', 'Pier 2', 'Pier 3'])
          .map((label) => `<li role="treeitem" tabindex="-1" onclick="say('at ${label}')">${label}</li>`)
          .join('')}</ul></li></ul>${unrelatedItems.join('')}<script>const g = document.getElementById('g');</script>`,
        stages: [
          [elementLinePattern('treeitem', 'Harbour'), 'click'],
          [elementLinePattern('treeitem', selection), 'click'],
        ],
        successText: `at ${selection}`,
      };
    },
  },
  {
    name: 'pages of a list',
    generate: (random) => {
      const selection = random.pick(ships);
      return {
        goal: `Find ${selection} in the list and open it`,
        body: `<ul id="list"></ul><p><button type="button" id="next">Next page</button></p>${unrelatedItems.join('')}<script>const all = ${JSON.stringify(random.shuffle(ships))}; let at = 0;
const show = () => { document.getElementById('list').innerHTML = all.slice(at, at + 2).map((one) => '<li><a href="#" onclick="event.preventDefault(); say(\\'opened ' + one + '\\')">' + one + '</a></li>').join(''); };
document.getElementById('next').onclick = () => { at += 2; show(); }; show();</script>`,
        stages: [],
        successText: `opened ${selection}`,
        policy: () => (prompt) => {
          if (hasLastEvent(prompt, `opened ${selection}`)) return doneCall(lastEvent(`opened ${selection}`));
          const link = prompt.maybe(elementLinePattern('link', selection));
          return [call('click', { element: link ?? prompt.element(elementLinePattern('button', 'Next page')) })];
        },
      };
    },
  },
  {
    name: 'a long list that scrolls',
    generate: (random) => {
      const selection = `Berth ${random.int(60, 90)}`;
      return {
        goal: `Choose ${selection}`,
        body: Array.from(
          { length: 100 },
          (_, index) =>
            `<p><button type="button" onclick="say('took Berth ${index}'); window.scrollTo(0, 0)">Berth ${index}</button></p>`,
        ).join(''),
        stages: [],
        successText: `took ${selection}`,
        policy: () => (prompt) => {
          if (hasLastEvent(prompt, `took ${selection}`)) return doneCall(lastEvent(`took ${selection}`));
          const element = prompt.maybe(elementLinePattern('button', `${selection}"`.slice(0, -1)));
          return [element === undefined ? call('scroll', { down: 700 }) : call('click', { element })];
        },
      };
    },
  },
  {
    name: 'a list that grows as it is scrolled',
    generate: (random) => {
      const selection = `Row ${random.int(30, 55)}`;
      return {
        goal: `Choose ${selection} in the box`,
        body: `<div id="box" class="box" tabindex="0" role="region" aria-label="Rows" style="height:200px;overflow:auto"></div><script>const box = document.getElementById('box'); let n = 0;
const more = () => { for (let i = 0; i < 20; i += 1) { const row = document.createElement('div'); const name = 'Row ' + n++; row.innerHTML = '<button type="button">' + name + '</button>'; row.firstChild.onclick = () => say('took ' + name); box.append(row); } };
box.onscroll = () => { if (n < 100 && box.scrollTop + box.clientHeight > box.scrollHeight - 40) more(); }; more();</script>`,
        stages: [],
        successText: `took ${selection}`,
        policy: () => (prompt) => {
          if (hasLastEvent(prompt, `took ${selection}`)) return doneCall(lastEvent(`took ${selection}`));
          const element = prompt.maybe(elementLinePattern('button', selection));
          if (element !== undefined) return [call('click', { element })];
          return [call('scroll', { element: prompt.element(/button "Row/), down: 160 })];
        },
      };
    },
  },
  {
    name: 'a cell of a table',
    generate: (random) => {
      const rows = random.shuffle(ships).map((name) => [name, `${random.int(20, 95) / 10} m`] as const);
      const [selection = '', depth = ''] = rows[2] ?? [];
      return {
        goal: `How deep does ${selection} lie?`,
        body: `<table><tr><th>Ship<th>Draught</tr>${rows.map(([name, deep]) => `<tr><td>${name}<td>${deep}</tr>`).join('')}</table>${unrelatedItems.join('')}`,
        stages: [],
        successText: depth,
        answer: depth,
        policy: () => (prompt) => {
          const depthText = new RegExp(`row ${selection} \\| ([\\d.]+ m)`).exec(prompt.page)?.[1];
          return depthText === undefined ? scrollCall() : doneCall(depthText, { answer: depthText });
        },
      };
    },
  },
  {
    name: 'a table that is sorted first',
    generate: (random) => {
      const rows = random.shuffle(ships).map((name, index) => [name, 10 + index * 7] as const);
      const lightest = random.shuffle(rows);
      const indicator = `sorted by Load, first ${rows[0]?.[0] ?? ''}`;
      return {
        goal: 'Sort by load, and say which ship comes first',
        body: `<table><thead><tr><th><button type="button">Ship</button><th><button type="button" id="s">Load</button></tr></thead><tbody id="t"></tbody></table>${unrelatedItems.join('')}<script>const rows = ${JSON.stringify(lightest)};
const show = () => { document.getElementById('t').innerHTML = rows.map(([a, b]) => '<tr><td>' + a + '<td>' + b + ' t</tr>').join(''); };
document.getElementById('s').onclick = () => { rows.sort((a, b) => a[1] - b[1]); show(); say('sorted by Load, first ' + rows[0][0]); }; show();</script>`,
        stages: [[elementLinePattern('button', 'Load'), 'click']],
        successText: indicator,
      };
    },
  },
  {
    name: 'a text far down the page',
    generate: (random) => {
      const code = `HX-${random.int(1000, 9999)}`;
      return {
        goal: 'What is the code of the harbour master?',
        body: `${unrelatedItems.join('')}<div style="height:4000px"></div><p>The code of the harbour master is ${code}.</p>`,
        stages: [],
        successText: code,
        answer: code,
        policy: () => (prompt) => {
          const harbourCode = /harbour master is (HX-\d+)/.exec(prompt.page)?.[1];
          return harbourCode === undefined ? [call('read_page')] : doneCall(harbourCode, { answer: harbourCode });
        },
      };
    },
  },
  {
    name: 'drag and drop',
    generate: (random) => {
      const hold = random.pick(['Fore hold', 'Aft hold']);
      const target = (name: string) =>
        `<div class="box" role="button" tabindex="0" aria-label="${name}" ondragover="event.preventDefault()" ondrop="event.preventDefault(); say('stowed in ${name}')">${name}</div>`;
      return {
        goal: `Drag the crate into the ${hold}`,
        body: `<div class="box" draggable="true" role="button" aria-label="Crate" style="width:120px">Crate</div>${random.shuffle(['Fore hold', 'Aft hold']).map(target).join('')}`,
        stages: [],
        successText: `stowed in ${hold}`,
        policy: () => (prompt) =>
          hasLastEvent(prompt, `stowed in ${hold}`)
            ? doneCall(lastEvent(`stowed in ${hold}`))
            : [
                call('drag', {
                  element: prompt.element(elementLinePattern('button', 'Crate')),
                  to_element: prompt.element(elementLinePattern('button', hold)),
                }),
              ],
      };
    },
  },
  {
    name: 'a field in a frame',
    generate: (random) => {
      const sign = `PILOT-${random.int(1, 99)}`;
      return {
        goal: `The call sign is ${sign}`,
        body: `${unrelatedItems.join('')}<iframe title="Radio" width="400" height="80" srcdoc="${framed(`<label>Call sign <input onchange="parent.document.getElementById('out').textContent = 'call sign ' + value"></label> <button>Radio check</button>`)}"></iframe>`,
        stages: [
          [/textbox "Call sign"/, 'type', { text: sign }],
          [/textbox "Call sign"/, 'press', { key: 'Tab' }],
        ],
        successText: `call sign ${sign}`,
      };
    },
  },
  {
    name: 'a button in a shadow root',
    generate: (random) => {
      const name = random.pick(['Signal', 'Beacon']);
      return {
        goal: `Light the ${name}`,
        body: `${unrelatedItems.join('')}<task-lamp></task-lamp><script>customElements.define('task-lamp', class extends HTMLElement { connectedCallback() { const root = this.attachShadow({ mode: 'open' }); root.innerHTML = '<button type="button">${name}</button>'; root.firstChild.onclick = () => say('lit ${name}'); } });</script>`,
        stages: [[elementLinePattern('button', name), 'click']],
        successText: `lit ${name}`,
      };
    },
  },
  {
    name: 'steps of a form, one after the other',
    generate: (random) => {
      const [ship, days] = [random.pick(ships), random.int(1, 9)];
      return {
        goal: `Register ${ship} for ${days} days`,
        body: `<section id="one"><label>Ship <input id="a"></label> <button type="button" onclick="one.hidden = true; two.hidden = false">Continue</button></section><section id="two" hidden><label>Days <input type="number" id="b"></label> <button type="button" onclick="say('registered ' + a.value + ' for ' + b.value)">Register</button></section>${unrelatedItems.join('')}<script>const [one, two, a, b] = ['one', 'two', 'a', 'b'].map((id) => document.getElementById(id));</script>`,
        stages: [
          [/textbox "Ship"/, 'type', { text: ship }],
          [elementLinePattern('button', 'Continue'), 'click'],
          [/spinbutton "Days"/, 'type', { text: String(days) }],
          [elementLinePattern('button', 'Register'), 'click'],
        ],
        successText: `registered ${ship} for ${days}`,
      };
    },
  },
  {
    name: 'photos, one after the other',
    generate: (random) => {
      const list = random.shuffle(['Lighthouse', 'Crane', 'Ferry', 'Buoy']);
      const selection = random.pick(['Lighthouse', 'Crane', 'Ferry', 'Buoy']);
      return {
        goal: `Go on until ${selection} shows, then choose it`,
        body: `<div role="group" aria-label="Photos"><p id="p"></p><button type="button" aria-label="Next photo" onclick="shown = (shown + 1) % 4; show()">›</button> <button type="button" onclick="say('chose ' + photos[shown])">Choose</button></div>${unrelatedItems.join('')}<script>const photos = ${JSON.stringify(list)}; let shown = 0; const show = () => { document.getElementById('p').textContent = 'Photo: ' + photos[shown]; }; show();</script>`,
        stages: [],
        successText: `chose ${selection}`,
        policy: () => (prompt) => {
          if (hasLastEvent(prompt, `chose ${selection}`)) return doneCall(lastEvent(`chose ${selection}`));
          const isUp = prompt.page.includes(`Photo: ${selection}`);
          return [
            call('click', { element: prompt.element(elementLinePattern('button', isUp ? 'Choose' : 'Next photo')) }),
          ];
        },
      };
    },
  },
];
