import type { Action } from '@pilothouse/contract/actions/action-sets';
import { css, type ConformanceCase, type ConformanceGroup } from '../conformance-case.ts';

const FROM = 'page-check.spec.ts';

const check: Action = { action: 'check', target: css('#c') };
const uncheck: Action = { action: 'uncheck', target: css('#c') };
const box = (attributes = '') => `<input id="c" type="checkbox" ${attributes} onchange="note(checked)">`;
const aria = (role: string, state: string | null, next: string) =>
  `<div role="${role}" id="c" ${state === null ? '' : `aria-checked="${state}"`}>Check box</div>
   <script>c.onclick = () => { c.setAttribute('aria-checked', '${next}'); note('${next}') }</script>`;

const checks = (name: string, html: string, step: Action, notes?: string): ConformanceCase => ({
  name,
  from: FROM,
  html,
  steps: [step],
  playwright: notes ? 'changes it' : 'leaves it',
  outcome: notes ? { notes } : {},
});

const roles = ['checkbox', 'menuitemcheckbox', 'option', 'radio', 'switch', 'menuitemradio', 'treeitem'];
const radios = new Set(['radio', 'menuitemradio']);

/** Check boxes, radio buttons and switches. */
export const checkCases: ConformanceGroup = {
  name: 'check',
  cases: [
    checks('a box', box(), check, 'true'),
    checks('a checked box', box('checked'), check),
    checks('uncheck a box', box('checked'), uncheck, 'false'),
    checks('uncheck an unchecked box', box(), uncheck),
    checks(
      'a radio button',
      `<input type="radio" name="r">one<input id="c" type="radio" name="r" onchange="note('two')">two`,
      check,
      'two',
    ),
    checks('a box in a button', `<div role="button">${box()}</div>`, check, 'true'),
    checks(
      'a label',
      `<input id="i" type="checkbox" onchange="note(checked)"><label id="c" for="i">Agree</label>`,
      check,
      'true',
    ),
    checks(
      'a label around a box',
      `<label id="c"><input type="checkbox" onchange="note(checked)">Agree</label>`,
      check,
      'true',
    ),
    checks(
      'a box that is enabled later',
      `${box('disabled')}<script>setTimeout(() => { c.disabled = false }, 200)</script>`,
      check,
      'true',
    ),
    ...roles.map((role) => checks(`role ${role}`, aria(role, null, 'true'), check, 'true')),
    ...roles
      .filter((role) => !radios.has(role))
      .map((role) => checks(`uncheck role ${role}`, aria(role, 'true', 'false'), uncheck, 'false')),
    ...[...radios].map((role): ConformanceCase => ({
      name: `uncheck role ${role}`,
      from: FROM,
      html: aria(role, 'true', 'false'),
      steps: [uncheck],
      playwright: 'unchecks it',
      ours: 'error',
      deviation: 'a radio button is left by checking another of its group; the error says so',
      outcome: { error: 'ACTION_UNSUPPORTED', message: 'check another of its group' },
    })),
    ...['<div id="c">Check me</div>', '<div id="c" role="button">Check me</div>'].map(
      (html, index): ConformanceCase => ({
        name: `no box ${index + 1}`,
        from: FROM,
        html,
        steps: [check],
        playwright: 'error',
        outcome: { error: 'ACTION_UNSUPPORTED', message: 'is not a checkbox, radio button or switch' },
      }),
    ),
    {
      name: 'a box that does not change',
      from: 'elementhandle-misc.spec.ts',
      html: `<input id="c" type="checkbox" onclick="event.preventDefault()">`,
      steps: [check],
      timeoutMs: 4000,
      playwright: 'error: clicking the checkbox did not change its state',
      outcome: { error: 'TARGET_NOT_ACTIONABLE', message: 'did not become checked' },
    },
  ],
};
