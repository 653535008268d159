import { call } from './parsed-prompt.ts';
import { unrelatedItems } from './task-page.ts';
import { lastEvent, elementLinePattern, doneCall, type TaskStage, type TaskKind } from './agent-task.ts';

/*
 * Tasks with choices, switches and counters.
 */

const flags = ['Netherlands', 'Norway', 'Greece', 'Malta', 'Chile'] as const;
const services = ['Water', 'Shore power', 'Waste', 'Crane', 'Laundry'] as const;

const options = (list: readonly string[]) => list.map((label) => `<option>${label}</option>`).join('');
const box = (type: string, name: string, label: string, attributes = '') =>
  `<p><label><input type="${type}" name="${name}" value="${label}" ${attributes}> ${label}</label></p>`;

export const choiceTasks: readonly TaskKind[] = [
  {
    name: 'a select box',
    generate: (random) => {
      const selection = random.pick(flags);
      return {
        goal: `Set the flag to ${selection}`,
        body: random
          .shuffle([
            `<p><label>Flag <select name="flag"><option value="">None</option>${options(random.shuffle(flags))}</select></label></p>`,
            ...unrelatedItems,
          ])
          .join(''),
        stages: [[/combobox "Flag"/, 'select', { option: [selection] }]],
        successText: `flag = ${selection}`,
      };
    },
  },
  {
    name: 'several options',
    generate: (random) => {
      const list = random.shuffle(services);
      const selection = list.filter((_, index) => index % 2 === 0);
      return {
        goal: `Choose ${selection.join(', ')}`,
        body: `<p><label>Services <select name="services" multiple size="5">${options(list)}</select></label></p>${unrelatedItems.join('')}`,
        stages: [[/listbox "Services"/, 'select', { option: selection }]],
        successText: `services = ${selection.join(', ')}`,
      };
    },
  },
  {
    name: 'radio buttons',
    generate: (random) => {
      const selection = random.pick(flags);
      return {
        goal: `The flag is ${selection}`,
        body: `<fieldset><legend>Flag</legend>${random
          .shuffle(flags)
          .map((label) => box('radio', 'flag', label))
          .join('')}</fieldset>`,
        stages: [[elementLinePattern('radio', selection), 'check']],
        successText: `flag = ${selection}`,
      };
    },
  },
  {
    name: 'a checkbox among several',
    generate: (random) => {
      const selection = random.pick(services);
      return {
        goal: `Ask for ${selection}`,
        body:
          random
            .shuffle(services)
            .map((label) => box('checkbox', label, label))
            .join('') + unrelatedItems.join(''),
        stages: [[elementLinePattern('checkbox', selection), 'check']],
        successText: `${selection} = true`,
      };
    },
  },
  {
    name: 'a checkbox that is cleared',
    generate: (random) => {
      const selection = random.pick(services);
      return {
        goal: `Do not ask for ${selection}`,
        body: random
          .shuffle(services)
          .map((label) => box('checkbox', label, label, 'checked'))
          .join(''),
        stages: [[elementLinePattern('checkbox', selection), 'uncheck']],
        successText: `${selection} = false`,
      };
    },
  },
  {
    name: 'a switch',
    generate: (random) => {
      const name = random.pick(['Night work', 'Pilot on board', 'Quiet hours']);
      return {
        goal: `Turn on ${name}`,
        body: random
          .shuffle([
            `<p><button type="button" role="switch" aria-checked="false" onclick="this.setAttribute('aria-checked', 'true'); say('on: ${name}')">${name}</button></p>`,
            ...unrelatedItems,
          ])
          .join(''),
        stages: [[elementLinePattern('switch', name), 'check']],
        successText: `on: ${name}`,
      };
    },
  },
  {
    name: 'a slider',
    generate: (random) => {
      const [start, steps] = [random.int(2, 5), random.int(1, 5)];
      return {
        goal: `Raise the speed limit by ${steps}`,
        body: `<p><label>Speed limit <input type="range" name="speed" min="0" max="12" value="${start}"></label></p>${unrelatedItems.join('')}`,
        stages: [[/slider "Speed limit"/, 'press', { key: 'ArrowRight', times: steps }]],
        successText: `speed = ${start + steps}`,
      };
    },
  },
  {
    name: 'plus and minus',
    generate: (random) => {
      const selection = random.int(2, 5);
      const openMore: TaskStage = [elementLinePattern('button', 'More'), 'click'];
      return {
        goal: `Take ${selection} berths`,
        body: `<p>${random.shuffle(['<button type="button" aria-label="Fewer berths" onclick="step(-1)">−</button>', '<button type="button" aria-label="More berths" onclick="step(1)">+</button>']).join('')}</p>${unrelatedItems.join('')}<script>let count = 0; const step = (by) => { count += by; say('berths ' + count); };</script>`,
        stages: Array.from({ length: selection }, () => openMore),
        successText: `berths ${selection}`,
      };
    },
  },
  {
    name: 'stars',
    generate: (random) => {
      const selection = random.int(1, 5);
      return {
        goal: `Rate the berth with ${selection}`,
        body: `<div role="radiogroup" aria-label="Rating">${[1, 2, 3, 4, 5].map((n) => `<span role="radio" aria-checked="false" tabindex="0" aria-label="${n} of 5" onclick="this.setAttribute('aria-checked', 'true'); say('rated ${n}')">★</span>`).join('')}</div>${unrelatedItems.join('')}`,
        stages: [[elementLinePattern('radio', `${selection} of 5`), 'check']],
        successText: `rated ${selection}`,
      };
    },
  },
  {
    name: 'colors',
    generate: (random) => {
      const colors = random.shuffle(['Teal', 'Crimson', 'Navy', 'Olive']);
      const selection = random.pick(['Teal', 'Crimson', 'Navy', 'Olive']);
      return {
        goal: `Paint the hull ${selection}`,
        body: `<p>${colors.map((color) => `<button type="button" aria-label="${color}" style="background:${color.toLowerCase()};width:40px;height:40px" onclick="say('hull ${color}')"></button>`).join('')}</p>${unrelatedItems.join('')}`,
        stages: [[elementLinePattern('button', selection), 'click']],
        successText: `hull ${selection}`,
      };
    },
  },
  {
    name: 'a custom list',
    generate: (random) => {
      const selection = random.pick(flags);
      return {
        goal: `Choose ${selection} in the list`,
        body: `<div role="listbox" aria-label="Flag" tabindex="0">${random
          .shuffle(flags)
          .map(
            (label) =>
              `<div role="option" aria-selected="false" onclick="this.setAttribute('aria-selected', 'true'); say('flag ${label}')">${label}</div>`,
          )
          .join('')}</div>${unrelatedItems.join('')}`,
        stages: [[elementLinePattern('option', selection), 'click']],
        successText: `flag ${selection}`,
      };
    },
  },
  {
    name: 'a box that opens a list',
    generate: (random) => {
      const selection = random.pick(flags);
      return {
        goal: `Open the flag and choose ${selection}`,
        body: `<p><span id="l">Flag</span> <button type="button" role="combobox" aria-labelledby="l v" aria-expanded="false" aria-controls="list" onclick="list.hidden = !list.hidden; this.setAttribute('aria-expanded', String(!list.hidden))"><span id="v">none</span></button></p><ul role="listbox" id="list" hidden onclick="document.getElementById('v').textContent = event.target.textContent; this.hidden = true; say('flag ' + event.target.textContent)">${random
          .shuffle(flags)
          .map((label) => `<li role="option">${label}</li>`)
          .join('')}</ul>${unrelatedItems.join('')}<script>const list = document.getElementById('list');</script>`,
        stages: [
          [/combobox "Flag/, 'click'],
          [elementLinePattern('option', selection), 'click'],
        ],
        successText: `flag ${selection}`,
      };
    },
  },
  {
    name: 'a day in a calendar',
    generate: (random) => {
      const [months, day] = [random.int(1, 3), random.int(1, 28)];
      const indicator = `2026-${months + 5} day ${day}`;
      return {
        goal: `Choose day ${day} of month ${months + 5}`,
        body: `<p><button type="button" id="prev" aria-label="Month before">‹</button> <b id="m"></b> <button type="button" id="next" aria-label="Next month">›</button></p><div role="grid" id="g" style="display:grid;grid-template-columns:repeat(7,44px)"></div><script>let month = 5;
const show = () => { document.getElementById('m').textContent = 'Month ' + month; document.getElementById('g').innerHTML = Array.from({ length: 28 }, (_, i) => '<button type="button" data-day="' + (i + 1) + '">' + (i + 1) + '</button>').join(''); };
document.getElementById('prev').onclick = () => { month -= 1; show(); }; document.getElementById('next').onclick = () => { month += 1; show(); };
document.getElementById('g').onclick = ({ target }) => { if (target.dataset.day) say('2026-' + month + ' day ' + target.dataset.day); }; show();</script>`,
        stages: [],
        successText: indicator,
        policy: () => (prompt) => {
          if (prompt.page.includes(indicator)) return doneCall(lastEvent(indicator));
          if (!prompt.page.includes(`Month ${months + 5}`))
            return [call('click', { element: prompt.element(elementLinePattern('button', 'Next month')) })];
          return [call('click', { element: prompt.element(new RegExp(`button "${day}"`)) })];
        },
      };
    },
  },
];
