import type { Json } from '@pilothouse/contract/primitives.schema';
import { MAX_PROFILE_BYTES, storageStateSchema } from '@pilothouse/contract/project/profile.schema';
import { workflowDefinitionSchema } from '@pilothouse/contract/workflow/workflow.schema';
import { lintDefinition } from '../workflow/lint/lint-workflow.ts';
import { templateScope } from '../workflow/secret-placeholders.ts';
import { trimProfile, profileFacts, profileOfRun, usesSaveProfile, serializeProfile } from './browser-profile.ts';

const cookie = (domain: string) => ({ name: 'sid', value: 'hush', domain });

test('a summary lists only domains and origins, without duplicates', () => {
  const state = storageStateSchema.parse({
    cookies: [cookie('.shop.example'), cookie('shop.example'), cookie('auth.example')],
    origins: [{ origin: 'https://shop.example', localStorage: [{ name: 'token', value: 'hush' }] }],
  });
  expect(profileFacts(state)).toEqual({
    cookies: 3,
    cookieDomains: ['auth.example', 'shop.example'],
    origins: ['https://shop.example'],
  });
  expect(JSON.parse(serializeProfile(state))).toEqual(state);
});

test('a profile that is too large is rejected with its size in bytes', () => {
  const value = '\u{1F34E}'.repeat(MAX_PROFILE_BYTES / 4);
  const state = { cookies: [], origins: [{ origin: 'https://shop.example', localStorage: [{ name: 'a', value }] }] };
  expect(JSON.stringify(state).length).toBeLessThan(MAX_PROFILE_BYTES);
  expect(() => serializeProfile(state)).toThrow(
    expect.objectContaining({ code: 'PAYLOAD_TOO_LARGE', details: { bytes: expect.any(Number), limit: 1_500_000 } }),
  );
});

test('drops the largest databases first, until the profile fits', () => {
  const site = (host: string, characters: number) => ({
    origin: `https://${host}.example`,
    localStorage: [{ name: 'token', value: 'hush' }],
    indexedDB: [
      {
        name: 'cache',
        version: 1,
        stores: [
          { name: 'all', autoIncrement: true, records: [{ key: 1, value: 'x'.repeat(characters) }], indexes: [] },
        ],
      },
    ],
  });
  const origins = [site('small', 100), site('large', MAX_PROFILE_BYTES), site('medium', 1_000_000)];
  const state = storageStateSchema.parse({ cookies: [cookie('small.example')], origins });
  const { state: trimmed, dropped: left } = trimProfile(state);
  expect(left).toEqual([{ origin: 'https://large.example', bytes: expect.any(Number) }]);
  const { indexedDB: _, ...withoutDatabase } = origins[1] ?? site('', 0);
  expect(trimmed).toEqual({ ...state, origins: [origins[0], withoutDatabase, origins[2]] });
  expect(() => serializeProfile(trimmed)).not.toThrow();
  expect(trimProfile(trimmed)).toEqual({ state: trimmed, dropped: [] });
});

test.each([
  ['cookies', { cookies: undefined }],
  ['origins', { origins: {} }],
  ['cookies/0/value', { cookies: [{ name: 'a', domain: 'x.example' }] }],
  ['cookies/0/domain', { cookies: [{ ...cookie('https://x.example') }] }],
  ['cookies/0/expires', { cookies: [{ ...cookie('x.example'), expires: -2 }] }],
  ['cookies/0/sameSite', { cookies: [{ ...cookie('x.example'), sameSite: 'no_restriction' }] }],
  ['origins/0/origin', { origins: [{ origin: 'https://x.example/', localStorage: [] }] }],
  [
    'origins/0/indexedDB/0/version',
    { origins: [{ origin: 'https://x.example', indexedDB: [{ name: 'a', version: 0, stores: [] }] }] },
  ],
  ['origins/0/localStorage/0/value', { origins: [{ origin: 'https://x.example', localStorage: [{ name: 'a' }] }] }],
])('a state that is wrong at %s is refused there', (path, state) => {
  expect(
    storageStateSchema
      .safeParse({ cookies: [], origins: [], ...state })
      .error?.issues.map((issue) => issue.path.join('/')),
  ).toEqual([path]);
});

const definitionOf = (profile: Json | undefined, steps: object[] = [{ action: 'goBack' }], fields: object = {}) =>
  workflowDefinitionSchema.parse({
    name: 'orders',
    inputs: { customer: { type: 'string' }, password: { type: 'string', secret: true } },
    ...(profile !== undefined && { browser: { profile } }),
    steps,
    ...fields,
  });
const scope = (definition: ReturnType<typeof definitionOf>, customer: Json) =>
  templateScope(definition, { inputs: { customer }, secrets: ['password'], steps: {}, run: { id: 'run', epoch: 1 } });

test('the profile of a run has its inputs in its name', () => {
  const definition = definitionOf({ name: 'shop-{{inputs.customer}}', required: true });
  expect(profileOfRun(definition, scope(definition, 'robin'))).toEqual({ name: 'shop-robin', required: true });
  for (const customer of ['Robin Hood', '', '{{inputs.customer}}'])
    expect(() => profileOfRun(definition, scope(definition, customer))).toThrow(
      expect.objectContaining({ code: 'TEMPLATE_INVALID' }),
    );
  expect(profileOfRun(definitionOf(undefined), scope(definition, 'robin'))).toBeNull();
});

test('a run saves only profiles that its workflow names', () => {
  const save = (name?: string) => ({ action: 'saveProfile', ...(name !== undefined && { name }) });
  const workflows = { 'log-in': { steps: [save('called')] } };
  const definition = definitionOf('own', [save(), { action: 'group', steps: [save('other')] }], { workflows });
  expect(['own', 'other', 'called', 'third'].map((name) => usesSaveProfile(definition, name, 'own'))).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expect(usesSaveProfile(definitionOf('own'), 'own', 'own')).toBe(false);
  expect(usesSaveProfile(definitionOf('own', [save('shop-{{inputs.customer}}')]), 'any', 'own')).toBe(true);
});

test.each<[Json | undefined, object[], string[]]>([
  ['shop', [{ action: 'saveProfile' }], []],
  ['{{inputs.customer}}', [{ action: 'saveProfile', name: 'shop-{{inputs.customer}}' }], []],
  [undefined, [{ action: 'saveProfile', name: 'shop' }], []],
  [
    undefined,
    [{ action: 'goBack' }, { action: 'group', steps: [{ action: 'saveProfile' }] }],
    ['/steps/1/steps/0/name'],
  ],
  ['{{inputs.password}}', [{ action: 'saveProfile' }], ['/browser/profile']],
  ['shop', [{ action: 'saveProfile', name: '{{inputs.password}}' }], ['/steps/0/name']],
  [
    'shop',
    [
      { id: 'kept', action: 'saveProfile' },
      { action: 'navigate', url: '{{steps.kept.value.version}}' },
    ],
    [],
  ],
  [
    'shop',
    [
      { id: 'kept', action: 'saveProfile' },
      { action: 'navigate', url: '{{steps.kept.value.cookies}}' },
    ],
    ['/steps/1/url'],
  ],
])('a workflow with the profile %j and steps %j has problems at %j', (profile, steps, pointers) => {
  expect(lintDefinition(definitionOf(profile, steps)).map(({ pointer }) => pointer)).toEqual(pointers);
});

test.each(['Shop', 'a b', '', '-a', 'x'.repeat(64)])('%j is no name of a profile', (profile) => {
  expect(() => definitionOf(profile)).toThrow();
  expect(() => definitionOf('shop', [{ action: 'saveProfile', name: profile }])).toThrow();
});
