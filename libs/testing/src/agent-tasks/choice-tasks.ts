import { call } from './parsed-prompt.ts';
import { unrelatedItems } from './task-page.ts';
import { lastEvent, elementLinePattern, doneCall, type TaskStage, type TaskKind } from './agent-task.ts';

/*
 * Tasks with choices, switches and counters.
 */

const flags = ['Netherlands', 'Norway', 'Greece', 'Malta', 'Chile'] as const;
const services = ['Water', 'Shore power', 'Waste', 'Crane', 'Laundry'] as const;

const options = (list: readonly string[]) => list.map((one) => `<option>${one}</option>`).join('');
const box = (type: string, name: string, label: string, more = '') =>
  `<p><label><input type="${type}" name="${name}" value="${label}" ${more}> ${label}</label></p>`;

export const choiceTasks: readonly TaskKind[] = [
  {
    name: 'a select box',
    draw: (dice) => {
      const wanted = dice.pick(flags);
      return {
        goal: `Set the flag to ${wanted}`,
        body: dice
          .shuffle([
            `<p><label>Flag <select name="flag"><option value="">None</option>${options(dice.shuffle(flags))}</select></label></p>`,
            ...unrelatedItems,
          ])
          .join(''),
        stages: [[/combobox "Flag"/, 'select', { option: [wanted] }]],
        said: `flag = ${wanted}`,
      };
    },
  },
  {
    name: 'several options',
    draw: (dice) => {
      const list = dice.shuffle(services);
      const wanted = list.filter((_, index) => index % 2 === 0);
      return {
        goal: `Choose ${wanted.join(', ')}`,
        body: `<p><label>Services <select name="services" multiple size="5">${options(list)}</select></label></p>${unrelatedItems.join('')}`,
        stages: [[/listbox "Services"/, 'select', { option: wanted }]],
        said: `services = ${wanted.join(', ')}`,
      };
    },
  },
  {
    name: 'radio buttons',
    draw: (dice) => {
      const wanted = dice.pick(flags);
      return {
        goal: `The flag is ${wanted}`,
        body: `<fieldset><legend>Flag</legend>${dice
          .shuffle(flags)
          .map((one) => box('radio', 'flag', one))
          .join('')}</fieldset>`,
        stages: [[elementLinePattern('radio', wanted), 'check']],
        said: `flag = ${wanted}`,
      };
    },
  },
  {
    name: 'a checkbox among several',
    draw: (dice) => {
      const wanted = dice.pick(services);
      return {
        goal: `Ask for ${wanted}`,
        body:
          dice
            .shuffle(services)
            .map((one) => box('checkbox', one, one))
            .join('') + unrelatedItems.join(''),
        stages: [[elementLinePattern('checkbox', wanted), 'check']],
        said: `${wanted} = true`,
      };
    },
  },
  {
    name: 'a checkbox that is cleared',
    draw: (dice) => {
      const wanted = dice.pick(services);
      return {
        goal: `Do not ask for ${wanted}`,
        body: dice
          .shuffle(services)
          .map((one) => box('checkbox', one, one, 'checked'))
          .join(''),
        stages: [[elementLinePattern('checkbox', wanted), 'uncheck']],
        said: `${wanted} = false`,
      };
    },
  },
  {
    name: 'a switch',
    draw: (dice) => {
      const name = dice.pick(['Night work', 'Pilot on board', 'Quiet hours']);
      return {
        goal: `Turn on ${name}`,
        body: dice
          .shuffle([
            `<p><button type="button" role="switch" aria-checked="false" onclick="this.setAttribute('aria-checked', 'true'); say('on: ${name}')">${name}</button></p>`,
            ...unrelatedItems,
          ])
          .join(''),
        stages: [[elementLinePattern('switch', name), 'check']],
        said: `on: ${name}`,
      };
    },
  },
  {
    name: 'a slider',
    draw: (dice) => {
      const [from, steps] = [dice.int(2, 5), dice.int(1, 5)];
      return {
        goal: `Raise the speed limit by ${steps}`,
        body: `<p><label>Speed limit <input type="range" name="speed" min="0" max="12" value="${from}"></label></p>${unrelatedItems.join('')}`,
        stages: [[/slider "Speed limit"/, 'press', { key: 'ArrowRight', times: steps }]],
        said: `speed = ${from + steps}`,
      };
    },
  },
  {
    name: 'plus and minus',
    draw: (dice) => {
      const wanted = dice.int(2, 5);
      const more: TaskStage = [elementLinePattern('button', 'More'), 'click'];
      return {
        goal: `Take ${wanted} berths`,
        body: `<p>${dice.shuffle(['<button type="button" aria-label="Fewer berths" onclick="step(-1)">−</button>', '<button type="button" aria-label="More berths" onclick="step(1)">+</button>']).join('')}</p>${unrelatedItems.join('')}<script>let count = 0; const step = (by) => { count += by; say('berths ' + count); };</script>`,
        stages: Array.from({ length: wanted }, () => more),
        said: `berths ${wanted}`,
      };
    },
  },
  {
    name: 'stars',
    draw: (dice) => {
      const wanted = dice.int(1, 5);
      return {
        goal: `Rate the berth with ${wanted}`,
        body: `<div role="radiogroup" aria-label="Rating">${[1, 2, 3, 4, 5].map((n) => `<span role="radio" aria-checked="false" tabindex="0" aria-label="${n} of 5" onclick="this.setAttribute('aria-checked', 'true'); say('rated ${n}')">★</span>`).join('')}</div>${unrelatedItems.join('')}`,
        stages: [[elementLinePattern('radio', `${wanted} of 5`), 'check']],
        said: `rated ${wanted}`,
      };
    },
  },
  {
    name: 'colours',
    draw: (dice) => {
      const colours = dice.shuffle(['Teal', 'Crimson', 'Navy', 'Olive']);
      const wanted = dice.pick(['Teal', 'Crimson', 'Navy', 'Olive']);
      return {
        goal: `Paint the hull ${wanted}`,
        body: `<p>${colours.map((one) => `<button type="button" aria-label="${one}" style="background:${one.toLowerCase()};width:40px;height:40px" onclick="say('hull ${one}')"></button>`).join('')}</p>${unrelatedItems.join('')}`,
        stages: [[elementLinePattern('button', wanted), 'click']],
        said: `hull ${wanted}`,
      };
    },
  },
  {
    name: 'a list of the page’s own',
    draw: (dice) => {
      const wanted = dice.pick(flags);
      return {
        goal: `Choose ${wanted} in the list`,
        body: `<div role="listbox" aria-label="Flag" tabindex="0">${dice
          .shuffle(flags)
          .map(
            (one) =>
              `<div role="option" aria-selected="false" onclick="this.setAttribute('aria-selected', 'true'); say('flag ${one}')">${one}</div>`,
          )
          .join('')}</div>${unrelatedItems.join('')}`,
        stages: [[elementLinePattern('option', wanted), 'click']],
        said: `flag ${wanted}`,
      };
    },
  },
  {
    name: 'a box that opens a list',
    draw: (dice) => {
      const wanted = dice.pick(flags);
      return {
        goal: `Open the flag and choose ${wanted}`,
        body: `<p><span id="l">Flag</span> <button type="button" role="combobox" aria-labelledby="l v" aria-expanded="false" aria-controls="list" onclick="list.hidden = !list.hidden; this.setAttribute('aria-expanded', String(!list.hidden))"><span id="v">none</span></button></p><ul role="listbox" id="list" hidden onclick="document.getElementById('v').textContent = event.target.textContent; this.hidden = true; say('flag ' + event.target.textContent)">${dice
          .shuffle(flags)
          .map((one) => `<li role="option">${one}</li>`)
          .join('')}</ul>${unrelatedItems.join('')}<script>const list = document.getElementById('list');</script>`,
        stages: [
          [/combobox "Flag/, 'click'],
          [elementLinePattern('option', wanted), 'click'],
        ],
        said: `flag ${wanted}`,
      };
    },
  },
  {
    name: 'a day in a calendar',
    draw: (dice) => {
      const [months, day] = [dice.int(1, 3), dice.int(1, 28)];
      const said = `2026-${months + 5} day ${day}`;
      return {
        goal: `Choose day ${day} of month ${months + 5}`,
        body: `<p><button type="button" id="prev" aria-label="Month before">‹</button> <b id="m"></b> <button type="button" id="next" aria-label="Next month">›</button></p><div role="grid" id="g" style="display:grid;grid-template-columns:repeat(7,44px)"></div><script>let month = 5;
const show = () => { document.getElementById('m').textContent = 'Month ' + month; document.getElementById('g').innerHTML = Array.from({ length: 28 }, (_, i) => '<button type="button" data-day="' + (i + 1) + '">' + (i + 1) + '</button>').join(''); };
document.getElementById('prev').onclick = () => { month -= 1; show(); }; document.getElementById('next').onclick = () => { month += 1; show(); };
document.getElementById('g').onclick = ({ target }) => { if (target.dataset.day) say('2026-' + month + ' day ' + target.dataset.day); }; show();</script>`,
        stages: [],
        said,
        policy: () => (prompt) => {
          if (prompt.page.includes(said)) return doneCall(lastEvent(said));
          if (!prompt.page.includes(`Month ${months + 5}`))
            return [call('click', { element: prompt.element(elementLinePattern('button', 'Next month')) })];
          return [call('click', { element: prompt.element(new RegExp(`button "${day}"`)) })];
        },
      };
    },
  },
];
