import {
  bucketOf,
  registeredChoice,
  selectRegisteredModel,
  selectShadowModel,
  type RegistryCall,
  type RegistryRule,
} from './registered-model-selection.ts';

const aRule = (id: string, facts: Partial<RegistryRule> = {}): RegistryRule => ({
  ...{
    id,
    model: `tuned/${id}`,
    base: null,
    role: null,
    surface: null,
    dialect: null,
    stage: 'active',
    canaryPercent: null,
    shadowPercent: null,
  },
  ...facts,
});
const aCall = (facts: Partial<RegistryCall> = {}): RegistryCall => ({
  run: 'run',
  role: 'act',
  surface: 'browser',
  ...facts,
});
const selectedId = (rules: RegistryRule[], call = aCall()) => selectRegisteredModel(rules, call).rule?.id ?? null;

test('without a matching model the models of the project are used', () => {
  expect(selectRegisteredModel([], aCall())).toEqual({ rule: null, arms: [] });
  expect(selectedId([aRule('a', { role: 'verify' }), aRule('b', { surface: 'desktop' })])).toBeNull();
});

test('an entry for the role precedes one for the surface, and both precede one for all', () => {
  const rules = [aRule('all'), aRule('surface', { surface: 'browser' }), aRule('role', { role: 'act' })];
  expect(selectedId(rules)).toBe('role');
  expect(selectedId(rules, aCall({ role: 'verify' }))).toBe('surface');
  expect(selectedId(rules, aCall({ role: 'verify', surface: 'desktop' }))).toBe('all');
  expect(selectedId([...rules, aRule('both', { role: 'act', surface: 'browser' })])).toBe('both');
});

test.each(['score', 'synthesize'] as const)('an entry without a role does not serve the role %s', (role) => {
  const rules = [
    aRule('all'),
    aRule('surface', { surface: 'browser' }),
    aRule('canary', { stage: 'canary', canaryPercent: 100 }),
  ];
  expect(selectRegisteredModel(rules, aCall({ role }))).toEqual({ rule: null, arms: [] });
  expect(selectShadowModel([aRule('shadow', { stage: 'shadow' })], aCall({ role }))).toBeNull();
  expect(selectedId([...rules, aRule('judge', { role })], aCall({ role }))).toBe('judge');
});

test('a canary gets its share of the runs, and the same run always the same model', () => {
  const rules = [aRule('old'), aRule('new', { stage: 'canary', canaryPercent: 30 })];
  const runs = Array.from({ length: 4000 }, (_, index) => `0197f3c2-1a2b-7c3d-8e4f-${String(index).padStart(12, '0')}`);
  const selected = runs.map((run) => selectRegisteredModel(rules, aCall({ run })));
  const inCanary = selected.filter(({ rule }) => rule?.id === 'new').length;
  expect(inCanary / runs.length).toBeCloseTo(0.3, 1);
  expect(runs.map((run) => selectRegisteredModel(rules, aCall({ run })))).toEqual(selected);
  for (const { rule, arms } of selected)
    expect(arms).toEqual(
      rule?.id === 'new'
        ? [{ model: 'new', arm: 'candidate' }]
        : [
            { model: 'new', arm: 'base' },
            { model: 'old', arm: 'candidate' },
          ],
    );
});

test('two canaries divide the runs independently', () => {
  const runs = Array.from({ length: 2000 }, (_, index) => `run-${index}`);
  const both = runs.filter((run) => bucketOf('a', run) < 50 && bucketOf('b', run) < 50).length;
  expect(both / runs.length).toBeCloseTo(0.25, 1);
});

test('the base and the models of the project answer when the model is unavailable', () => {
  const project = { use: ['openai/gpt', 'gemini/flash'], temperature: 0.2, dialect: 'calls' as const };
  expect(registeredChoice(aRule('a', { base: 'gemini/flash', dialect: 'aura' }), project)).toEqual({
    use: ['tuned/a', 'gemini/flash', 'openai/gpt'],
    temperature: 0.2,
    dialect: 'aura',
  });
  expect(registeredChoice(aRule('a'), undefined)).toEqual({ use: ['tuned/a'] });
});

test('a shadow model is never the model of a run, and the entry for the role precedes the one for all', () => {
  const rules = [aRule('all', { stage: 'shadow' }), aRule('role', { stage: 'shadow', role: 'act' }), aRule('used')];
  expect(selectedId(rules)).toBe('used');
  expect(selectRegisteredModel(rules, aCall()).arms).toEqual([{ model: 'used', arm: 'candidate' }]);
  expect(selectShadowModel(rules, aCall())?.id).toBe('role');
  expect(selectShadowModel(rules, aCall({ role: 'vision' }))?.id).toBe('all');
  expect(selectShadowModel([aRule('used')], aCall())).toBeNull();
});
