import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import { elementSchema, observationSchema } from '@pilothouse/contract/observation/observation.schema';
import { parseHostRules } from '@pilothouse/core/egress/host-rules';
import { approvalForTarget } from './healing-approval.ts';

/* Approval of an action on the element that healing found. */

const pageOf = (url: string, name: string) =>
  observationSchema.parse({
    ...{ url, title: 'x', document: 1, loading: false, opaqueRegions: [], focused: null },
    ...{ viewport: { width: 1000, height: 800 }, scroll: { above: 0, below: 0 } },
    elements: [
      elementSchema.parse({
        ...{ index: 0, role: 'textbox', name, interactive: true, state: {}, tags: [] },
        bounds: { x: 0, y: 0, width: 100, height: 20 },
      }),
    ],
  });
const target: Locator = { elementIndex: 0 };
const fillSecret: Action = { action: 'fill', target, text: '{{inputs.pin}}' };
const kindOf = (action: Action, url: string, hosts: readonly string[] = [], name = 'PIN') =>
  approvalForTarget(action, target, pageOf(url, name), {
    hosts: hosts.length > 0 ? [parseHostRules(hosts)] : [],
    assignment: { answer: null, secrets: ['pin'] },
  })?.kind ?? null;

test.each([
  ['https://shop.test/login', null],
  ['app://keepassxc/Passwords', null],
  // A place without an id receives no secret.
  ['app:///Passwords', 'credentials'],
  ['data:text/html,x', 'credentials'],
  ['about:blank', 'credentials'],
])('typing a secret on %s: %s', (url, kind) => {
  expect(kindOf(fillSecret, url)).toBe(kind);
});

test('lists of hosts limit sites, not applications', () => {
  const hosts = ['shop.test', 'keepassxc'];
  const click: Action = { action: 'click', target };
  expect(kindOf(click, 'https://shop.test/', hosts)).toBeNull();
  expect(kindOf(click, 'https://other.test/', hosts)).toBe('otherSite');
  expect(kindOf(click, 'app://xterm/', hosts)).toBeNull();
  expect(kindOf(click, 'app://xterm/', hosts, 'Delete')).toBe('delete');
});
