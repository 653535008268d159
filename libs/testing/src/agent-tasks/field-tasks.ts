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
const field = (random: SeededRandom, label: string, input: string) =>
  random
    .shuffle([
      `<p><label>${label} ${input}</label></p>`,
      '<p><label>Owner <input name="owner"></label></p>',
      ...unrelatedItems,
    ])
    .join('');

/** A value that is typed into a field, followed by blur. */
function typingTask(
  name: string,
  role: string,
  input: string,
  generateValue: (random: SeededRandom) => string,
): TaskKind {
  return {
    name,
    generate: (random) => {
      const label = random.pick(names);
      const value = generateValue(random);
      return {
        goal: `Put ${JSON.stringify(value)} into ${label}`,
        body: field(random, label, input),
        stages: [
          [elementLinePattern(role, label), 'type', { text: value }],
          [elementLinePattern(role, label), 'press', { key: 'Tab' }],
        ],
        successText: `value = ${value}`,
      };
    },
  };
}

export const fieldTasks: readonly TaskKind[] = [
  typingTask('a text', 'textbox', '<input name="value">', (random) => random.pick(words)),
  typingTask(
    'an e-mail address',
    'textbox',
    '<input type="email" name="value">',
    (random) => `crew${random.int(1, 99)}@sea.test`,
  ),
  typingTask('a number', 'spinbutton', '<input type="number" step="0.1" name="value">', (random) =>
    String(random.int(1, 90) / 10),
  ),
  typingTask(
    'a date',
    'date',
    '<input type="date" name="value">',
    (random) => `2026-${pad(random.int(1, 12))}-${pad(random.int(1, 28))}`,
  ),
  typingTask(
    'a time',
    'time',
    '<input type="time" name="value">',
    (random) => `${pad(random.int(0, 23))}:${pad(random.int(0, 59))}`,
  ),
  typingTask(
    'a longer text',
    'textbox',
    '<textarea name="value"></textarea>',
    (random) => `Bound for ${random.pick(words)}, in two days`,
  ),
  typingTask('a field with a hint alone', 'textbox', '<input name="value" placeholder="e.g. Heron">', (random) =>
    random.pick(words),
  ),
  {
    name: 'an editor',
    generate: (random) => {
      const text = `All well, ${random.pick(words)}`;
      return {
        goal: `Write ${JSON.stringify(text)} as log entry`,
        body: `${unrelatedItems.join('')}<div class="box" contenteditable role="textbox" aria-label="Log entry" oninput="say('log: ' + this.textContent)"></div>`,
        stages: [[elementLinePattern('textbox', 'Log entry'), 'type', { text }]],
        successText: `log: ${text}`,
      };
    },
  },
  {
    name: 'a text that is added to',
    generate: (random) => {
      const [initialText, addition] = [random.pick(words), random.pick([' (sold)', ' (laid up)', ', Oslo'])];
      return {
        goal: `Add ${JSON.stringify(addition)} to the remark`,
        body: field(random, 'Remark', `<input name="value" value="${initialText}">`),
        stages: [
          [elementLinePattern('textbox', 'Remark'), 'type', { text: addition, append: true }],
          [elementLinePattern('textbox', 'Owner'), 'click'],
        ],
        successText: `value = ${initialText}${addition}`,
      };
    },
  },
  {
    name: 'a field that is emptied',
    generate: (random) => ({
      goal: 'Empty the remark',
      body: field(
        random,
        'Remark',
        `<input value="${random.pick(words)}" onchange="say('emptied ' + (value === ''))">`,
      ),
      stages: [
        [elementLinePattern('textbox', 'Remark'), 'clear'],
        [elementLinePattern('textbox', 'Owner'), 'click'],
      ],
      successText: 'emptied true',
    }),
  },
  {
    name: 'a form that Enter sends',
    generate: (random) => {
      const value = random.pick(words);
      return {
        goal: `Look for ${value}`,
        body: `<form onsubmit="event.preventDefault(); say('asked for ' + document.getElementById('q').value)">${field(random, 'Find', '<input id="q">')}<button>Look</button></form>`,
        stages: [
          [elementLinePattern('textbox', 'Find'), 'type', { text: value }],
          [elementLinePattern('textbox', 'Find'), 'press', { key: 'Enter' }],
        ],
        successText: `asked for ${value}`,
      };
    },
  },
  {
    name: 'suggestions',
    generate: (random) => {
      const harbours = random.shuffle(['Rotterdam', 'Rostock', 'Roscoff', 'Rosyth']);
      const [harbour = ''] = harbours;
      return {
        goal: `Choose ${harbour} as harbour`,
        body: `<p><label>Harbour <input role="combobox" aria-expanded="false" aria-controls="list" id="in" autocomplete="off"></label></p><ul role="listbox" id="list" aria-label="Harbours" hidden></ul>${unrelatedItems.join('')}
<script>const box = document.getElementById('in'), list = document.getElementById('list');
box.oninput = () => setTimeout(() => { list.hidden = false; box.setAttribute('aria-expanded', 'true');
  list.innerHTML = ${JSON.stringify(random.shuffle(harbours))}.filter((one) => one.startsWith(box.value)).map((one) => '<li role="option">' + one + '</li>').join(''); }, 150);
list.onclick = ({ target }) => { box.value = target.textContent; list.hidden = true; say('harbour = ' + box.value); };</script>`,
        stages: [
          [/combobox "Harbour"/, 'type', { text: 'Ro' }],
          [elementLinePattern('option', harbour), 'click'],
        ],
        successText: `harbour = ${harbour}`,
      };
    },
  },
  {
    name: 'tags',
    generate: (random) => {
      const [first = '', two = ''] = random.shuffle(['grain', 'timber', 'salt', 'steel']);
      const box = elementLinePattern('textbox', 'Cargo');
      return {
        goal: `Add the tags ${first} and ${two}`,
        body: `<p><label>Cargo <input id="in"></label> <span id="tags"></span></p>${unrelatedItems.join('')}<script>const tags = [];
document.getElementById('in').onkeydown = ({ key, target }) => { if (key !== 'Enter' || !target.value) return;
  tags.push(target.value); target.value = ''; document.getElementById('tags').textContent = tags.join(' '); say('tags ' + tags.join('+')); };</script>`,
        stages: [
          [box, 'type', { text: first }],
          [box, 'press', { key: 'Enter' }],
          [box, 'type', { text: two }],
          [box, 'press', { key: 'Enter' }],
        ],
        successText: `tags ${first}+${two}`,
      };
    },
  },
  {
    name: 'a form of several fields in one turn',
    generate: (random) => {
      const [vessel, berth] = [random.pick(words), `N${random.int(1, 9)}`];
      return {
        goal: `Book berth ${berth} for ${vessel}`,
        body: `<form onsubmit="event.preventDefault(); say('booked ' + this.berth.value + ' for ' + this.vessel.value)">${random.shuffle(['<p><label>Vessel <input name="vessel"></label></p>', '<p><label>Berth <input name="berth"></label></p>', ...unrelatedItems]).join('')}<button>Book</button></form>`,
        stages: [],
        successText: `booked ${berth} for ${vessel}`,
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
