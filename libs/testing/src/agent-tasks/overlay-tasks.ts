import { call } from './parsed-prompt.ts';
import { unrelatedItems } from './task-page.ts';
import { lastEvent, elementLinePattern, doneCall, type TaskStage, type TaskKind } from './agent-task.ts';

/*
 * Tasks with buttons, popups and overlays.
 */

const ships = ['Anna', 'Heron', 'Skua', 'Zeewind'] as const;

const button = (name: string, script: string, more = '') =>
  `<p><button type="button" ${more} onclick="${script}">${name}</button></p>`;

export const overlayTasks: readonly TaskKind[] = [
  {
    name: 'a button',
    draw: (dice) => {
      const name = dice.pick(['Count', 'Moor', 'Cast off', 'Sound the horn']);
      return {
        goal: `Use ${name}`,
        body: dice
          .shuffle([button(name, `say('${name} done')`), button('Drift', `say('wrong')`), ...unrelatedItems])
          .join(''),
        stages: [[elementLinePattern('button', name), 'click']],
        said: `${name} done`,
      };
    },
  },
  {
    name: 'a button without a text',
    draw: (dice) => {
      const name = dice.pick(['Sound the horn', 'Ring the bell']);
      return {
        goal: name,
        body: dice.shuffle([button('📯', `say('heard')`, `aria-label="${name}"`), ...unrelatedItems]).join(''),
        stages: [[elementLinePattern('button', name), 'click']],
        said: 'heard',
      };
    },
  },
  {
    name: 'the button of a row',
    draw: (dice) => {
      const list = dice.shuffle(ships);
      const wanted = dice.pick(ships);
      return {
        goal: `Open the papers of ${wanted}`,
        body: `<table>${list.map((one) => `<tr><td>${one}</td><td><button type="button" onclick="say('papers of ${one}')">Papers</button></td></tr>`).join('')}</table>${unrelatedItems.join('')}`,
        stages: [],
        said: `papers of ${wanted}`,
        policy: () => (prompt) => {
          if (prompt.page.includes(`papers of ${wanted}`)) return doneCall(lastEvent(`papers of ${wanted}`));
          const lines = prompt.page.split('\n');
          const row = lines.findIndex((one) => new RegExp(`row ${wanted}\\b`).test(one));
          const index = lines
            .slice(row + 1)
            .map((one) => /^\[(\d+)\] button "Papers"/.exec(one)?.[1])
            .find(Boolean);
          return [call('click', { element: Number(index) })];
        },
      };
    },
  },
  {
    name: 'a double click',
    draw: (dice) => {
      const name = dice.pick(['Chart', 'Log book']);
      return {
        goal: `Double-click ${name}`,
        body: dice
          .shuffle([
            `<p><button type="button" ondblclick="say('opened ${name}')">${name}</button></p>`,
            ...unrelatedItems,
          ])
          .join(''),
        stages: [[elementLinePattern('button', name), 'click', { times: 2 }]],
        said: `opened ${name}`,
      };
    },
  },
  {
    name: 'a right click',
    draw: (dice) => {
      const choice = dice.pick(['Rename', 'Copy', 'Print']);
      return {
        goal: `${choice} the chart`,
        body: `<p><button type="button" oncontextmenu="event.preventDefault(); menu.hidden = false">Chart</button></p><ul role="menu" id="menu" hidden>${dice
          .shuffle(['Rename', 'Copy', 'Print'])
          .map((one) => `<li role="menuitem" tabindex="-1" onclick="say('chose ${one}')">${one}</li>`)
          .join('')}</ul>${unrelatedItems.join('')}<script>const menu = document.getElementById('menu');</script>`,
        stages: [
          [elementLinePattern('button', 'Chart'), 'click', { button: 'right' }],
          [elementLinePattern('menuitem', choice), 'click'],
        ],
        said: `chose ${choice}`,
      };
    },
  },
  {
    name: 'a dialog of the page',
    draw: (dice) => {
      const [answer, text] = dice.pick([
        ['yes', 'Yes'],
        ['no', 'No'],
      ]) as [string, string];
      return {
        goal: `Open the dialog and answer ${text}`,
        body: `${button('Open dialog', `document.getElementById('d').showModal()`)}<dialog id="d" aria-label="Question"><p>Cast off?</p>${dice.shuffle(['<button type="button" value="yes">Yes</button>', '<button type="button" value="no">No</button>']).join('')}</dialog>${unrelatedItems.join('')}<script>document.getElementById('d').onclick = ({ target, currentTarget }) => { if (target.value) { currentTarget.close(); say('dialog: ' + target.value); } };</script>`,
        stages: [
          [elementLinePattern('button', 'Open dialog'), 'click'],
          [elementLinePattern('button', text), 'click'],
        ],
        said: `dialog: ${answer}`,
      };
    },
  },
  {
    name: 'a dialog of the browser',
    draw: (dice) => {
      const accept = dice.pick([true, false]);
      return {
        goal: `Ask by the browser, and ${accept ? 'confirm' : 'refuse'}`,
        body: button('Ask', `say('answered ' + confirm('Weigh anchor?'))`) + unrelatedItems.join(''),
        stages: [],
        said: `answered ${accept}`,
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
    draw: (dice) => {
      const name = dice.pick(ships);
      return {
        goal: `Give the name ${name} when the browser asks`,
        body: button('Rename', `say('renamed ' + prompt('New name?'))`) + unrelatedItems.join(''),
        stages: [],
        said: `renamed ${name}`,
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
    draw: (dice) => {
      const wanted = dice.pick(['Moor', 'Anchor', 'Drift']);
      return {
        goal: `Choose ${wanted} in the menu`,
        body: `<p><button type="button" aria-haspopup="menu" aria-expanded="false" onclick="menu.hidden = false">Menu</button></p><ul role="menu" id="menu" hidden onclick="say('menu: ' + event.target.textContent); this.hidden = true">${dice
          .shuffle(['Moor', 'Anchor', 'Drift'])
          .map((one) => `<li role="menuitem" tabindex="-1">${one}</li>`)
          .join('')}</ul>${unrelatedItems.join('')}<script>const menu = document.getElementById('menu');</script>`,
        stages: [
          [elementLinePattern('button', 'Menu'), 'click'],
          [elementLinePattern('menuitem', wanted), 'click'],
        ],
        said: `menu: ${wanted}`,
      };
    },
  },
  {
    name: 'a menu that opens under the pointer',
    draw: (dice) => {
      const wanted = dice.pick(['North quay', 'South quay']);
      return {
        goal: `Choose ${wanted} under Quays`,
        body: `<style>.sub { display: none } .top:hover .sub { display: block }</style><div class="top" style="width:200px"><button type="button" aria-haspopup="menu">Quays</button><ul role="menu" class="sub" onclick="say('quay: ' + event.target.textContent)">${dice
          .shuffle(['North quay', 'South quay'])
          .map((one) => `<li role="menuitem" tabindex="-1">${one}</li>`)
          .join('')}</ul></div>${unrelatedItems.join('')}`,
        stages: [
          [elementLinePattern('button', 'Quays'), 'hover'],
          [elementLinePattern('menuitem', wanted), 'click'],
        ],
        said: `quay: ${wanted}`,
      };
    },
  },
  {
    name: 'a banner over the page',
    draw: (dice) => {
      const accept = dice.pick(['Accept all', 'Only what is needed', 'Got it']);
      const stages: TaskStage[] = [
        [elementLinePattern('button', accept), 'click'],
        [elementLinePattern('button', 'Count'), 'click'],
      ];
      return {
        goal: 'Count once; nothing about cookies matters',
        body: `${button('Count', `say('counted 1')`)}${unrelatedItems.join('')}<div role="dialog" aria-modal="true" aria-label="Cookies" id="b" style="position:fixed;inset:0;background:#fffd;padding:60px"><p>We use cookies.</p><button type="button" onclick="document.getElementById('b').remove()">${accept}</button></div>`,
        stages,
        said: 'counted 1',
      };
    },
  },
  {
    name: 'what shows under the pointer',
    draw: (dice) => {
      const time = `${dice.int(10, 23)}:${dice.int(10, 59)}`;
      return {
        goal: 'When is high water?',
        body: `<style>.tip { display: none } .tide:hover .tip { display: inline }</style><p class="tide" tabindex="0"><span>Tide</span> <span role="tooltip" class="tip">High water at ${time}</span></p>${unrelatedItems.join('')}`,
        stages: [],
        said: time,
        policy: () => (prompt) => {
          const found = /High water at (\d\d:\d\d)/.exec(prompt.page)?.[1];
          return found === undefined
            ? [call('hover', { element: prompt.element(/Tide/) })]
            : doneCall(`High water at ${found}`, { answer: found });
        },
      };
    },
  },
  {
    name: 'what comes later',
    draw: (dice) => {
      const name = dice.pick(ships);
      return {
        goal: `Call ${name} and wait for the answer`,
        body: `${button(`Call ${name}`, `setTimeout(() => say('${name} answers'), ${dice.int(300, 900)})`)}${unrelatedItems.join('')}`,
        stages: [],
        said: `${name} answers`,
        policy: () => {
          let called = false;
          return (prompt) => {
            if (prompt.page.includes(`${name} answers`)) return doneCall(lastEvent(`${name} answers`));
            if (called) return [call('waitFor', { text: `${name} answers` })];
            called = true;
            return [call('click', { element: prompt.element(elementLinePattern('button', 'Call')) })];
          };
        },
      };
    },
  },
];
