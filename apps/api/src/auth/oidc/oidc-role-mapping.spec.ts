import type { OidcRole } from '@pilothouse/contract/project/user.schema';
import { mapClaimsToRoles } from './oidc-role-mapping.ts';

const rule = (claim: string, value: string, project: string, role: OidcRole['role']): OidcRole => ({
  claim,
  value,
  project,
  role,
});

test.each<[string, OidcRole[], Record<string, unknown>, Record<string, string | null>]>([
  ['a list that has it', [rule('groups', 'a', 'p', 'viewer')], { groups: ['b', 'a'] }, { p: 'viewer' }],
  ['a text that is it', [rule('team', 'a', 'p', 'viewer')], { team: 'a' }, { p: 'viewer' }],
  ['a text that only begins so', [rule('team', 'a', 'p', 'viewer')], { team: 'ab' }, { p: null }],
  ['a path', [rule('realm_access.roles', 'a', 'p', 'admin')], { realm_access: { roles: ['a'] } }, { p: 'admin' }],
  [
    'a name with dots',
    [rule('https://x.test/roles', 'a', 'p', 'admin')],
    { 'https://x.test/roles': ['a'] },
    { p: 'admin' },
  ],
  ['true', [rule('staff', 'true', 'p', 'viewer')], { staff: true }, { p: 'viewer' }],
  ['no such claim', [rule('constructor.name', 'Object', 'p', 'admin')], {}, { p: null }],
  [
    'several, of which the highest counts in each project',
    [rule('g', 'a', 'p', 'admin'), rule('g', 'b', 'p', 'viewer'), rule('g', 'c', 'q', 'viewer')],
    { g: ['a', 'b'] },
    { p: 'admin', q: null },
  ],
])('%s', (_, rules, claims, roles) => {
  expect(Object.fromEntries(mapClaimsToRoles(rules, claims))).toEqual(roles);
});
