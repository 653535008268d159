import { call } from './parsed-prompt.ts';
import type { SeededRandom } from './task-random.ts';
import { unrelatedItems } from './task-page.ts';
import { lastEvent, elementLinePattern, doneCall, type TaskKind } from './agent-task.ts';

/*
 * Tasks with text fields.
 */

const names = ['Vessel name', 'Ship', 'Name of the boat', 'Craft'] as const;
const words = ['Anna', 'Blue Heron', 'Skua II', 'Zeewind', 'Østersø'] as const;
const pad = (number: number) => String(number).padStart(2, '0');

/** A field among others, with further content of the page. */
const field = (dice: SeededRandom, label: string, input: string) =>
  dice
    .shuffle([
      `<p><label>${label} ${input}</label></p>`,
      '<p><label>Owner <input name="owner"></label></p>',
      ...unrelatedItems,
    ])
    .join('');

/** A value that is typed into a field, followed by blur. */
function typed(name: string, role: string, input: string, draw: (dice: SeededRandom) => string): TaskKind {
  return {
    name,
    draw: (dice) => {
      const label = dice.pick(names);
      const value = draw(dice);
      return {
        goal: `Put ${JSON.stringify(value)} into ${label}`,
        body: field(dice, label, input),
        stages: [
          [elementLinePattern(role, label), 'type', { text: value }],
          [elementLinePattern(role, label), 'press', { key: 'Tab' }],
        ],
        said: `value = ${value}`,
      };
    },
  };
}

export const fieldTasks: readonly TaskKind[] = [
  typed('a text', 'textbox', '<input name="value">', (dice) => dice.pick(words)),
  typed(
    'an e-mail address',
    'textbox',
    '<input type="email" name="value">',
    (dice) => `crew${dice.int(1, 99)}@sea.test`,
  ),
  typed('a number', 'spinbutton', '<input type="number" step="0.1" name="value">', (dice) =>
    String(dice.int(1, 90) / 10),
  ),
  typed(
    'a date',
    'date',
    '<input type="date" name="value">',
    (dice) => `2026-${pad(dice.int(1, 12))}-${pad(dice.int(1, 28))}`,
  ),
  typed(
    'a time',
    'time',
    '<input type="time" name="value">',
    (dice) => `${pad(dice.int(0, 23))}:${pad(dice.int(0, 59))}`,
  ),
  typed(
    'a longer text',
    'textbox',
    '<textarea name="value"></textarea>',
    (dice) => `Bound for ${dice.pick(words)}, in two days`,
  ),
  typed('a field with a hint alone', 'textbox', '<input name="value" placeholder="e.g. Heron">', (dice) =>
    dice.pick(words),
  ),
  {
    name: 'an editor',
    draw: (dice) => {
      const text = `All well, ${dice.pick(words)}`;
      return {
        goal: `Write ${JSON.stringify(text)} as log entry`,
        body: `${unrelatedItems.join('')}<div class="box" contenteditable role="textbox" aria-label="Log entry" oninput="say('log: ' + this.textContent)"></div>`,
        stages: [[elementLinePattern('textbox', 'Log entry'), 'type', { text }]],
        said: `log: ${text}`,
      };
    },
  },
  {
    name: 'a text that is added to',
    draw: (dice) => {
      const [kept, added] = [dice.pick(words), dice.pick([' (sold)', ' (laid up)', ', Oslo'])];
      return {
        goal: `Add ${JSON.stringify(added)} to the remark`,
        body: field(dice, 'Remark', `<input name="value" value="${kept}">`),
        stages: [
          [elementLinePattern('textbox', 'Remark'), 'type', { text: added, append: true }],
          [elementLinePattern('textbox', 'Owner'), 'click'],
        ],
        said: `value = ${kept}${added}`,
      };
    },
  },
  {
    name: 'a field that is emptied',
    draw: (dice) => ({
      goal: 'Empty the remark',
      body: field(dice, 'Remark', `<input value="${dice.pick(words)}" onchange="say('emptied ' + (value === ''))">`),
      stages: [
        [elementLinePattern('textbox', 'Remark'), 'clear'],
        [elementLinePattern('textbox', 'Owner'), 'click'],
      ],
      said: 'emptied true',
    }),
  },
  {
    name: 'a form that Enter sends',
    draw: (dice) => {
      const value = dice.pick(words);
      return {
        goal: `Look for ${value}`,
        body: `<form onsubmit="event.preventDefault(); say('asked for ' + document.getElementById('q').value)">${field(dice, 'Find', '<input id="q">')}<button>Look</button></form>`,
        stages: [
          [elementLinePattern('textbox', 'Find'), 'type', { text: value }],
          [elementLinePattern('textbox', 'Find'), 'press', { key: 'Enter' }],
        ],
        said: `asked for ${value}`,
      };
    },
  },
  {
    name: 'suggestions',
    draw: (dice) => {
      const harbours = dice.shuffle(['Rotterdam', 'Rostock', 'Roscoff', 'Rosyth']);
      const [wanted = ''] = harbours;
      return {
        goal: `Choose ${wanted} as harbour`,
        body: `<p><label>Harbour <input role="combobox" aria-expanded="false" aria-controls="list" id="in" autocomplete="off"></label></p><ul role="listbox" id="list" aria-label="Harbours" hidden></ul>${unrelatedItems.join('')}
<script>const box = document.getElementById('in'), list = document.getElementById('list');
box.oninput = () => setTimeout(() => { list.hidden = false; box.setAttribute('aria-expanded', 'true');
  list.innerHTML = ${JSON.stringify(dice.shuffle(harbours))}.filter((one) => one.startsWith(box.value)).map((one) => '<li role="option">' + one + '</li>').join(''); }, 150);
list.onclick = ({ target }) => { box.value = target.textContent; list.hidden = true; say('harbour = ' + box.value); };</script>`,
        stages: [
          [/combobox "Harbour"/, 'type', { text: 'Ro' }],
          [elementLinePattern('option', wanted), 'click'],
        ],
        said: `harbour = ${wanted}`,
      };
    },
  },
  {
    name: 'tags',
    draw: (dice) => {
      const [one = '', two = ''] = dice.shuffle(['grain', 'timber', 'salt', 'steel']);
      const box = elementLinePattern('textbox', 'Cargo');
      return {
        goal: `Add the tags ${one} and ${two}`,
        body: `<p><label>Cargo <input id="in"></label> <span id="tags"></span></p>${unrelatedItems.join('')}<script>const tags = [];
document.getElementById('in').onkeydown = ({ key, target }) => { if (key !== 'Enter' || !target.value) return;
  tags.push(target.value); target.value = ''; document.getElementById('tags').textContent = tags.join(' '); say('tags ' + tags.join('+')); };</script>`,
        stages: [
          [box, 'type', { text: one }],
          [box, 'press', { key: 'Enter' }],
          [box, 'type', { text: two }],
          [box, 'press', { key: 'Enter' }],
        ],
        said: `tags ${one}+${two}`,
      };
    },
  },
  {
    name: 'a form of several fields in one turn',
    draw: (dice) => {
      const [vessel, berth] = [dice.pick(words), `N${dice.int(1, 9)}`];
      return {
        goal: `Book berth ${berth} for ${vessel}`,
        body: `<form onsubmit="event.preventDefault(); say('booked ' + this.berth.value + ' for ' + this.vessel.value)">${dice.shuffle(['<p><label>Vessel <input name="vessel"></label></p>', '<p><label>Berth <input name="berth"></label></p>', ...unrelatedItems]).join('')}<button>Book</button></form>`,
        stages: [],
        said: `booked ${berth} for ${vessel}`,
        policy: () => (prompt) =>
          prompt.page.includes(`booked ${berth}`)
            ? doneCall(lastEvent(`booked ${berth} for ${vessel}`))
            : [
                call('type', { element: prompt.element(elementLinePattern('textbox', 'Vessel')), text: vessel }),
                call('type', { element: prompt.element(elementLinePattern('textbox', 'Berth')), text: berth }),
                call('click', { element: prompt.element(elementLinePattern('button', 'Book')) }),
              ],
      };
    },
  },
];
