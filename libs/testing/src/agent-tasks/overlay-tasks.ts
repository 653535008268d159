import { call } from './parsed-prompt.ts';
import { unrelatedItems } from './task-page.ts';
import { lastEvent, elementLinePattern, doneCall, type TaskStage, type TaskKind } from './agent-task.ts';

/*
 * Tasks with buttons, popups and overlays.
 */

const ships = ['Anna', 'Heron', 'Skua', 'Zeewind'] as const;

const button = (name: string, script: string, attributes = '') =>
  `<p><button type="button" ${attributes} onclick="${script}">${name}</button></p>`;

export const overlayTasks: readonly TaskKind[] = [
  {
    name: 'a button',
    generate: (random) => {
      const name = random.pick(['Count', 'Moor', 'Cast off', 'Sound the horn']);
      return {
        goal: `Use ${name}`,
        body: random
          .shuffle([button(name, `say('${name} done')`), button('Drift', `say('wrong')`), ...unrelatedItems])
          .join(''),
        stages: [[elementLinePattern('button', name), 'click']],
        successText: `${name} done`,
      };
    },
  },
  {
    name: 'a button without a text',
    generate: (random) => {
      const name = random.pick(['Sound the horn', 'Ring the bell']);
      return {
        goal: name,
        body: random.shuffle([button('📯', `say('heard')`, `aria-label="${name}"`), ...unrelatedItems]).join(''),
        stages: [[elementLinePattern('button', name), 'click']],
        successText: 'heard',
      };
    },
  },
  {
    name: 'the button of a row',
    generate: (random) => {
      const list = random.shuffle(ships);
      const selection = random.pick(ships);
      return {
        goal: `Open the papers of ${selection}`,
        body: `<table>${list.map((ship) => `<tr><td>${ship}</td><td><button type="button" onclick="say('papers of ${ship}')">Papers</button></td></tr>`).join('')}</table>${unrelatedItems.join('')}`,
        stages: [],
        successText: `papers of ${selection}`,
        policy: () => (prompt) => {
          if (prompt.page.includes(`papers of ${selection}`)) return doneCall(lastEvent(`papers of ${selection}`));
          const lines = prompt.page.split('\n');
          const row = lines.findIndex((line) => new RegExp(`row ${selection}\\b`).test(line));
          const index = lines
            .slice(row + 1)
            .map((line) => /^\[(\d+)\] button "Papers"/.exec(line)?.[1])
            .find(Boolean);
          return [call('click', { element: Number(index) })];
        },
      };
    },
  },
  {
    name: 'a double click',
    generate: (random) => {
      const name = random.pick(['Chart', 'Log book']);
      return {
        goal: `Double-click ${name}`,
        body: random
          .shuffle([
            `<p><button type="button" ondblclick="say('opened ${name}')">${name}</button></p>`,
            ...unrelatedItems,
          ])
          .join(''),
        stages: [[elementLinePattern('button', name), 'click', { times: 2 }]],
        successText: `opened ${name}`,
      };
    },
  },
  {
    name: 'a right click',
    generate: (random) => {
      const choice = random.pick(['Rename', 'Copy', 'Print']);
      return {
        goal: `${choice} the chart`,
        body: `<p><button type="button" oncontextmenu="event.preventDefault(); menu.hidden = false">Chart</button></p><ul role="menu" id="menu" hidden>${random
          .shuffle(['Rename', 'Copy', 'Print'])
          .map((label) => `<li role="menuitem" tabindex="-1" onclick="say('chose ${label}')">${label}</li>`)
          .join('')}</ul>${unrelatedItems.join('')}<script>const menu = document.getElementById('menu');</script>`,
        stages: [
          [elementLinePattern('button', 'Chart'), 'click', { button: 'right' }],
          [elementLinePattern('menuitem', choice), 'click'],
        ],
        successText: `chose ${choice}`,
      };
    },
  },
  {
    name: 'a dialog of the page',
    generate: (random) => {
      const [answer, text] = random.pick([
        ['yes', 'Yes'],
        ['no', 'No'],
      ]) as [string, string];
      return {
        goal: `Open the dialog and answer ${text}`,
        body: `${button('Open dialog', `document.getElementById('d').showModal()`)}<dialog id="d" aria-label="Question"><p>Cast off?</p>${random.shuffle(['<button type="button" value="yes">Yes</button>', '<button type="button" value="no">No</button>']).join('')}</dialog>${unrelatedItems.join('')}<script>document.getElementById('d').onclick = ({ target, currentTarget }) => { if (target.value) { currentTarget.close(); say('dialog: ' + target.value); } };</script>`,
        stages: [
          [elementLinePattern('button', 'Open dialog'), 'click'],
          [elementLinePattern('button', text), 'click'],
        ],
        successText: `dialog: ${answer}`,
      };
    },
  },
  {
    name: 'a dialog of the browser',
    generate: (random) => {
      const accept = random.pick([true, false]);
      return {
        goal: `Ask by the browser, and ${accept ? 'confirm' : 'refuse'}`,
        body: button('Ask', `say('answered ' + confirm('Weigh anchor?'))`) + unrelatedItems.join(''),
        stages: [],
        successText: `answered ${accept}`,
        policy: () => (prompt) =>
          prompt.page.includes('answered ')
            ? doneCall(lastEvent(`answered ${accept}`))
            : [
                call('dialog', { accept }),
                call('click', { element: prompt.element(elementLinePattern('button', 'Ask')) }),
              ],
      };
    },
  },
  {
    name: 'a dialog of the browser that asks for a text',
    generate: (random) => {
      const name = random.pick(ships);
      return {
        goal: `Give the name ${name} when the browser asks`,
        body: button('Rename', `say('renamed ' + prompt('New name?'))`) + unrelatedItems.join(''),
        stages: [],
        successText: `renamed ${name}`,
        policy: () => (prompt) =>
          prompt.page.includes('renamed ')
            ? doneCall(lastEvent(`renamed ${name}`))
            : [
                call('dialog', { accept: true, text: name }),
                call('click', { element: prompt.element(elementLinePattern('button', 'Rename')) }),
              ],
      };
    },
  },
  {
    name: 'a menu',
    generate: (random) => {
      const selection = random.pick(['Moor', 'Anchor', 'Drift']);
      return {
        goal: `Choose ${selection} in the menu`,
        body: `<p><button type="button" aria-haspopup="menu" aria-expanded="false" onclick="menu.hidden = false">Menu</button></p><ul role="menu" id="menu" hidden onclick="say('menu: ' + event.target.textContent); this.hidden = true">${random
          .shuffle(['Moor', 'Anchor', 'Drift'])
          .map((label) => `<li role="menuitem" tabindex="-1">${label}</li>`)
          .join('')}</ul>${unrelatedItems.join('')}<script>const menu = document.getElementById('menu');</script>`,
        stages: [
          [elementLinePattern('button', 'Menu'), 'click'],
          [elementLinePattern('menuitem', selection), 'click'],
        ],
        successText: `menu: ${selection}`,
      };
    },
  },
  {
    name: 'a menu that opens under the pointer',
    generate: (random) => {
      const selection = random.pick(['North quay', 'South quay']);
      return {
        goal: `Choose ${selection} under Quays`,
        body: `<style>.sub { display: none } .top:hover .sub { display: block }</style><div class="top" style="width:200px"><button type="button" aria-haspopup="menu">Quays</button><ul role="menu" class="sub" onclick="say('quay: ' + event.target.textContent)">${random
          .shuffle(['North quay', 'South quay'])
          .map((label) => `<li role="menuitem" tabindex="-1">${label}</li>`)
          .join('')}</ul></div>${unrelatedItems.join('')}`,
        stages: [
          [elementLinePattern('button', 'Quays'), 'hover'],
          [elementLinePattern('menuitem', selection), 'click'],
        ],
        successText: `quay: ${selection}`,
      };
    },
  },
  {
    name: 'a banner over the page',
    generate: (random) => {
      const accept = random.pick(['Accept all', 'Only what is needed', 'Got it']);
      const stages: TaskStage[] = [
        [elementLinePattern('button', accept), 'click'],
        [elementLinePattern('button', 'Count'), 'click'],
      ];
      return {
        goal: 'Count once; nothing about cookies matters',
        body: `${button('Count', `say('counted 1')`)}${unrelatedItems.join('')}<div role="dialog" aria-modal="true" aria-label="Cookies" id="b" style="position:fixed;inset:0;background:#fffd;padding:60px"><p>We use cookies.</p><button type="button" onclick="document.getElementById('b').remove()">${accept}</button></div>`,
        stages,
        successText: 'counted 1',
      };
    },
  },
  {
    name: 'content shown on hover',
    generate: (random) => {
      const time = `${random.int(10, 23)}:${random.int(10, 59)}`;
      return {
        goal: 'When is high water?',
        body: `<style>.tip { display: none } .tide:hover .tip { display: inline }</style><p class="tide" tabindex="0"><span>Tide</span> <span role="tooltip" class="tip">High water at ${time}</span></p>${unrelatedItems.join('')}`,
        stages: [],
        successText: time,
        answer: time,
        policy: () => (prompt) => {
          const highWater = /High water at (\d\d:\d\d)/.exec(prompt.page)?.[1];
          return highWater === undefined
            ? [call('hover', { element: prompt.element(/Tide/) })]
            : doneCall(`High water at ${highWater}`, { answer: highWater });
        },
      };
    },
  },
  {
    name: 'content that appears later',
    generate: (random) => {
      const name = random.pick(ships);
      return {
        goal: `Call ${name} and wait for the answer`,
        body: `${button(`Call ${name}`, `setTimeout(() => say('${name} answers'), ${random.int(300, 900)})`)}${unrelatedItems.join('')}`,
        stages: [],
        successText: `${name} answers`,
        policy: () => {
          let hasCalled = false;
          return (prompt) => {
            if (prompt.page.includes(`${name} answers`)) return doneCall(lastEvent(`${name} answers`));
            if (hasCalled) return [call('waitFor', { text: `${name} answers` })];
            hasCalled = true;
            return [call('click', { element: prompt.element(elementLinePattern('button', 'Call')) })];
          };
        },
      };
    },
  },
];
