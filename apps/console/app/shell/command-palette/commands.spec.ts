import { commandsFor, type CommandOptions } from './commands.ts';

const options: CommandOptions = {
  pages: [{ href: '/runs', name: 'Runs', key: 'r' }],
  projects: [{ id: 'p2', name: 'Harbor' }],
  role: 'admin',
  search: {
    text: '',
    workflows: [{ name: 'read-tides', title: 'Read the tides' }],
    runs: [{ id: '0190aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee', name: 'read-tides', status: 'Running' }],
  },
};

const labels = (text: string, changes: Partial<CommandOptions> = {}) =>
  commandsFor(text, { ...options, ...changes }).flatMap(({ items }) => items.map(({ label }) => label));

test.each([
  ['dark', 'Theme: dark'],
  ['harb', 'Switch to project Harbor'],
  ['RUN goal', 'New run with a goal'],
  ['audit', 'Settings: Audit log'],
  ['g r', 'Runs'],
])('%j finds %j', (text, label) => expect(labels(text)).toContain(label));

test('a viewer gets no commands that change data', () => {
  expect(labels('new', { role: 'viewer' })).not.toContain('New run');
  expect(labels('new')).toEqual(expect.arrayContaining(['New run', 'New workflow', 'New dataset']));
  expect(labels('new', { role: 'operator' })).not.toContain('New dataset');
});

test.each([
  ['viewer', ['Profiles', 'Secrets', 'Account']],
  ['operator', ['Profiles', 'Secrets', 'Account']],
  ['admin', ['Profiles', 'Secrets', 'Members', 'API keys', 'Audit log', 'Projects', 'Account']],
] as const)('a %s finds the pages that the role can open', (role, expected) => {
  const pages = [{ href: '/settings', name: 'Settings' }];
  expect(labels('settings', { role, pages })).toEqual(['Settings', ...expected.map((name) => `Settings: ${name}`)]);
});

test('server results are shown for their text, and filtered for a later text', () => {
  const search = { ...options.search, text: 'opening hours', workflows: [], runs: options.search?.runs ?? [] };
  // A run is found by its goal, which is not shown.
  expect(labels('opening hours', { search })).toEqual(['read-tides 0190aaaa-bbbb']);
  expect(labels('opening hours now', { search })).toEqual([]);
  expect(labels('0190', { search })).toEqual(['read-tides 0190aaaa-bbbb']);
});
