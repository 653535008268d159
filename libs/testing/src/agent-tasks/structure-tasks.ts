import { call, type ParsedPrompt } from './parsed-prompt.ts';
import { unrelatedItems } from './task-page.ts';
import { scrollCall, lastEvent, elementLinePattern, doneCall, type TaskKind } from './agent-task.ts';

/*
 * Tasks with page regions, frames and text to read.
 */

const ships = ['Anna', 'Heron', 'Skua', 'Zeewind', 'Pelican', 'Tern'] as const;

const isThere = (prompt: ParsedPrompt, said: string) => prompt.page.includes(lastEvent(said));

/** Escapes a document for a frame. */
const framed = (html: string) => html.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

export const structureTasks: readonly TaskKind[] = [
  {
    name: 'tabs',
    draw: (dice) => {
      const list = dice.shuffle(['Day', 'Night', 'Dog watch']);
      const [, wanted = ''] = list;
      return {
        goal: `Show the tab ${wanted}`,
        body: `<div role="tablist">${list.map((one, at) => `<button type="button" role="tab" aria-selected="${at === 0}" onclick="this.setAttribute('aria-selected', 'true'); say('tab ${one}')">${one}</button>`).join('')}</div>${unrelatedItems.join('')}`,
        stages: [[elementLinePattern('tab', wanted), 'click']],
        said: `tab ${wanted}`,
      };
    },
  },
  {
    name: 'what opens',
    draw: (dice) => {
      const day = dice.pick(['Monday', 'Thursday', 'Sunday']);
      return {
        goal: 'On which day is the quay closed? The small print says it',
        body: `<details><summary>Show the small print</summary><p>Closed on ${day}.</p></details>${unrelatedItems.join('')}`,
        stages: [],
        said: day,
        policy: () => (prompt) => {
          const found = /Closed on (\w+)/.exec(prompt.page)?.[1];
          return found === undefined
            ? [call('click', { element: prompt.element(/small print/) })]
            : doneCall(`Closed on ${found}`, { answer: found });
        },
      };
    },
  },
  {
    name: 'a tree',
    draw: (dice) => {
      const wanted = dice.pick(['Pier 1', 'Pier 2', 'Pier 3']);
      return {
        goal: `Open Harbour and choose ${wanted}`,
        body: `<ul role="tree" aria-label="Places"><li role="treeitem" aria-expanded="false" aria-label="Harbour" tabindex="0" id="h" onclick="g.hidden = false; this.setAttribute('aria-expanded', 'true')">Harbour<ul role="group" id="g" hidden>${dice
          .shuffle(['Pier 1', 'Pier 2', 'Pier 3'])
          .map((one) => `<li role="treeitem" tabindex="-1" onclick="say('at ${one}')">${one}</li>`)
          .join('')}</ul></li></ul>${unrelatedItems.join('')}<script>const g = document.getElementById('g');</script>`,
        stages: [
          [elementLinePattern('treeitem', 'Harbour'), 'click'],
          [elementLinePattern('treeitem', wanted), 'click'],
        ],
        said: `at ${wanted}`,
      };
    },
  },
  {
    name: 'pages of a list',
    draw: (dice) => {
      const wanted = dice.pick(ships);
      return {
        goal: `Find ${wanted} in the list and open it`,
        body: `<ul id="list"></ul><p><button type="button" id="next">Next page</button></p>${unrelatedItems.join('')}<script>const all = ${JSON.stringify(dice.shuffle(ships))}; let at = 0;
const show = () => { document.getElementById('list').innerHTML = all.slice(at, at + 2).map((one) => '<li><a href="#" onclick="event.preventDefault(); say(\\'opened ' + one + '\\')">' + one + '</a></li>').join(''); };
document.getElementById('next').onclick = () => { at += 2; show(); }; show();</script>`,
        stages: [],
        said: `opened ${wanted}`,
        policy: () => (prompt) => {
          if (isThere(prompt, `opened ${wanted}`)) return doneCall(lastEvent(`opened ${wanted}`));
          const link = prompt.maybe(elementLinePattern('link', wanted));
          return [call('click', { element: link ?? prompt.element(elementLinePattern('button', 'Next page')) })];
        },
      };
    },
  },
  {
    name: 'a long list that scrolls',
    draw: (dice) => {
      const wanted = `Berth ${dice.int(60, 90)}`;
      return {
        goal: `Choose ${wanted}`,
        body: Array.from(
          { length: 100 },
          (_, at) =>
            `<p><button type="button" onclick="say('took Berth ${at}'); window.scrollTo(0, 0)">Berth ${at}</button></p>`,
        ).join(''),
        stages: [],
        said: `took ${wanted}`,
        policy: () => (prompt) => {
          if (isThere(prompt, `took ${wanted}`)) return doneCall(lastEvent(`took ${wanted}`));
          const found = prompt.maybe(elementLinePattern('button', `${wanted}"`.slice(0, -1)));
          return [found === undefined ? call('scroll', { down: 700 }) : call('click', { element: found })];
        },
      };
    },
  },
  {
    name: 'a list that grows as it is scrolled',
    draw: (dice) => {
      const wanted = `Row ${dice.int(30, 55)}`;
      return {
        goal: `Choose ${wanted} in the box`,
        body: `<div id="box" class="box" tabindex="0" role="region" aria-label="Rows" style="height:200px;overflow:auto"></div><script>const box = document.getElementById('box'); let n = 0;
const more = () => { for (let i = 0; i < 20; i += 1) { const row = document.createElement('div'); const name = 'Row ' + n++; row.innerHTML = '<button type="button">' + name + '</button>'; row.firstChild.onclick = () => say('took ' + name); box.append(row); } };
box.onscroll = () => { if (n < 100 && box.scrollTop + box.clientHeight > box.scrollHeight - 40) more(); }; more();</script>`,
        stages: [],
        said: `took ${wanted}`,
        policy: () => (prompt) => {
          if (isThere(prompt, `took ${wanted}`)) return doneCall(lastEvent(`took ${wanted}`));
          const found = prompt.maybe(elementLinePattern('button', wanted));
          if (found !== undefined) return [call('click', { element: found })];
          return [call('scroll', { element: prompt.element(/button "Row/), down: 160 })];
        },
      };
    },
  },
  {
    name: 'a cell of a table',
    draw: (dice) => {
      const rows = dice.shuffle(ships).map((name) => [name, `${dice.int(20, 95) / 10} m`] as const);
      const [wanted = '', depth = ''] = rows[2] ?? [];
      return {
        goal: `How deep does ${wanted} lie?`,
        body: `<table><tr><th>Ship<th>Draught</tr>${rows.map(([name, deep]) => `<tr><td>${name}<td>${deep}</tr>`).join('')}</table>${unrelatedItems.join('')}`,
        stages: [],
        said: depth,
        policy: () => (prompt) => {
          const found = new RegExp(`row ${wanted} \\| ([\\d.]+ m)`).exec(prompt.page)?.[1];
          return found === undefined ? scrollCall() : doneCall(found, { answer: found });
        },
      };
    },
  },
  {
    name: 'a table that is sorted first',
    draw: (dice) => {
      const rows = dice.shuffle(ships).map((name, at) => [name, 10 + at * 7] as const);
      const lightest = dice.shuffle(rows);
      const said = `sorted by Load, first ${rows[0]?.[0] ?? ''}`;
      return {
        goal: 'Sort by load, and say which ship comes first',
        body: `<table><thead><tr><th><button type="button">Ship</button><th><button type="button" id="s">Load</button></tr></thead><tbody id="t"></tbody></table>${unrelatedItems.join('')}<script>const rows = ${JSON.stringify(lightest)};
const show = () => { document.getElementById('t').innerHTML = rows.map(([a, b]) => '<tr><td>' + a + '<td>' + b + ' t</tr>').join(''); };
document.getElementById('s').onclick = () => { rows.sort((a, b) => a[1] - b[1]); show(); say('sorted by Load, first ' + rows[0][0]); }; show();</script>`,
        stages: [[elementLinePattern('button', 'Load'), 'click']],
        said,
      };
    },
  },
  {
    name: 'a text far down the page',
    draw: (dice) => {
      const code = `HX-${dice.int(1000, 9999)}`;
      return {
        goal: 'What is the code of the harbour master?',
        body: `${unrelatedItems.join('')}<div style="height:4000px"></div><p>The code of the harbour master is ${code}.</p>`,
        stages: [],
        said: code,
        policy: () => (prompt) => {
          const found = /harbour master is (HX-\d+)/.exec(prompt.page)?.[1];
          return found === undefined ? [call('read_page')] : doneCall(found, { answer: found });
        },
      };
    },
  },
  {
    name: 'drag and drop',
    draw: (dice) => {
      const hold = dice.pick(['Fore hold', 'Aft hold']);
      const target = (name: string) =>
        `<div class="box" role="button" tabindex="0" aria-label="${name}" ondragover="event.preventDefault()" ondrop="event.preventDefault(); say('stowed in ${name}')">${name}</div>`;
      return {
        goal: `Drag the crate into the ${hold}`,
        body: `<div class="box" draggable="true" role="button" aria-label="Crate" style="width:120px">Crate</div>${dice.shuffle(['Fore hold', 'Aft hold']).map(target).join('')}`,
        stages: [],
        said: `stowed in ${hold}`,
        policy: () => (prompt) =>
          isThere(prompt, `stowed in ${hold}`)
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
    draw: (dice) => {
      const sign = `PILOT-${dice.int(1, 99)}`;
      return {
        goal: `The call sign is ${sign}`,
        body: `${unrelatedItems.join('')}<iframe title="Radio" width="400" height="80" srcdoc="${framed(`<label>Call sign <input onchange="parent.document.getElementById('out').textContent = 'call sign ' + value"></label> <button>Radio check</button>`)}"></iframe>`,
        stages: [
          [/textbox "Call sign"/, 'type', { text: sign }],
          [/textbox "Call sign"/, 'press', { key: 'Tab' }],
        ],
        said: `call sign ${sign}`,
      };
    },
  },
  {
    name: 'a button in a shadow root',
    draw: (dice) => {
      const name = dice.pick(['Signal', 'Beacon']);
      return {
        goal: `Light the ${name}`,
        body: `${unrelatedItems.join('')}<task-lamp></task-lamp><script>customElements.define('task-lamp', class extends HTMLElement { connectedCallback() { const root = this.attachShadow({ mode: 'open' }); root.innerHTML = '<button type="button">${name}</button>'; root.firstChild.onclick = () => say('lit ${name}'); } });</script>`,
        stages: [[elementLinePattern('button', name), 'click']],
        said: `lit ${name}`,
      };
    },
  },
  {
    name: 'steps of a form, one after the other',
    draw: (dice) => {
      const [ship, days] = [dice.pick(ships), dice.int(1, 9)];
      return {
        goal: `Register ${ship} for ${days} days`,
        body: `<section id="one"><label>Ship <input id="a"></label> <button type="button" onclick="one.hidden = true; two.hidden = false">Continue</button></section><section id="two" hidden><label>Days <input type="number" id="b"></label> <button type="button" onclick="say('registered ' + a.value + ' for ' + b.value)">Register</button></section>${unrelatedItems.join('')}<script>const [one, two, a, b] = ['one', 'two', 'a', 'b'].map((id) => document.getElementById(id));</script>`,
        stages: [
          [/textbox "Ship"/, 'type', { text: ship }],
          [elementLinePattern('button', 'Continue'), 'click'],
          [/spinbutton "Days"/, 'type', { text: String(days) }],
          [elementLinePattern('button', 'Register'), 'click'],
        ],
        said: `registered ${ship} for ${days}`,
      };
    },
  },
  {
    name: 'pictures, one after the other',
    draw: (dice) => {
      const list = dice.shuffle(['Lighthouse', 'Crane', 'Ferry', 'Buoy']);
      const wanted = dice.pick(['Lighthouse', 'Crane', 'Ferry', 'Buoy']);
      return {
        goal: `Go on until ${wanted} shows, then choose it`,
        body: `<div role="group" aria-label="Pictures"><p id="p"></p><button type="button" aria-label="Next picture" onclick="shown = (shown + 1) % 4; show()">›</button> <button type="button" onclick="say('chose ' + pictures[shown])">Choose</button></div>${unrelatedItems.join('')}<script>const pictures = ${JSON.stringify(list)}; let shown = 0; const show = () => { document.getElementById('p').textContent = 'Picture: ' + pictures[shown]; }; show();</script>`,
        stages: [],
        said: `chose ${wanted}`,
        policy: () => (prompt) => {
          if (isThere(prompt, `chose ${wanted}`)) return doneCall(lastEvent(`chose ${wanted}`));
          const isUp = prompt.page.includes(`Picture: ${wanted}`);
          return [
            call('click', { element: prompt.element(elementLinePattern('button', isUp ? 'Choose' : 'Next picture')) }),
          ];
        },
      };
    },
  },
];
