import type { ModelChoice } from '@pilothouse/contract/model/model-settings.schema';
import type { Dialect, ModelRole } from '@pilothouse/contract/model/model.schema';
import type { SurfaceKind } from '@pilothouse/contract/primitives.schema';
import { hashFraction } from '../hash-fraction.ts';

/** A registered model that runs may use, or that answers their calls a second time. */
export interface RegistryRule {
  readonly id: string;
  readonly model: string;
  readonly base: string | null;
  /** null: all roles except `JUDGING_ROLES`. */
  readonly role: ModelRole | null;
  /** null: all surfaces. */
  readonly surface: SurfaceKind | null;
  readonly dialect: Dialect | null;
  readonly stage: 'shadow' | 'canary' | 'active';
  /** With `canary`: share of the runs in percent. */
  readonly canaryPercent: number | null;
  /** With `shadow`: share of the calls in percent. */
  readonly shadowPercent: number | null;
}

/** A call of a run, as far as it selects a model. */
export interface RegistryCall {
  readonly run: string;
  readonly role: ModelRole;
  readonly surface: SurfaceKind;
}

/** Model of a call, and the arms of the experiments that the run belongs to. */
export interface RegistrySelection {
  /** null: the models of the project. */
  readonly rule: RegistryRule | null;
  readonly arms: readonly { readonly model: string; readonly arm: 'candidate' | 'base' }[];
}

/** Roles that only an entry with this role serves: a tuned model must not judge its own runs. */
const JUDGING_ROLES: ReadonlySet<ModelRole> = new Set(['score', 'synthesize']);

const servesCall = (rule: RegistryRule, { role, surface }: Omit<RegistryCall, 'run'>): boolean =>
  (rule.role === null ? !JUDGING_ROLES.has(role) : rule.role === role) &&
  (rule.surface === null || rule.surface === surface);

/** An entry for a role precedes one for a surface, and both precede one for all. */
const specificity = ({ role, surface }: RegistryRule): number => (role === null ? 0 : 2) + (surface === null ? 0 : 1);

const mostSpecific = (rules: readonly RegistryRule[]): RegistryRule | null =>
  rules.toSorted((a, b) => specificity(b) - specificity(a))[0] ?? null;

/** Selects the registered model of a call. The same run always gets the same answer for the same rules. */
export function selectRegisteredModel(rules: readonly RegistryRule[], call: RegistryCall): RegistrySelection {
  const matching = rules.filter((rule) => servesCall(rule, call));
  const canary = mostSpecific(matching.filter(({ stage }) => stage === 'canary'));
  const active = mostSpecific(matching.filter(({ stage }) => stage === 'active'));
  const isInCanary = canary !== null && bucketOf(canary.id, call.run) < (canary.canaryPercent ?? 0);
  const rule = isInCanary ? canary : active;
  return {
    rule,
    arms: [
      ...(canary ? [{ model: canary.id, arm: isInCanary ? ('candidate' as const) : ('base' as const) }] : []),
      ...(rule && rule !== canary ? [{ model: rule.id, arm: 'candidate' as const }] : []),
    ],
  };
}

/** The model of the stage `shadow` for a call; null: none. */
export const selectShadowModel = (
  rules: readonly RegistryRule[],
  call: Omit<RegistryCall, 'run'>,
): RegistryRule | null => mostSpecific(rules.filter((rule) => rule.stage === 'shadow' && servesCall(rule, call)));

/** Number from 0 to 99 that depends on both ids. */
export const bucketOf = (model: string, run: string): number => Math.floor(hashFraction(`${model}:${run}`) * 100);

/**
 * Model choice of a registered model. Its base, or else the models of the project, answer when it is unavailable.
 * @param project models of the project; undefined: none
 */
export function registeredChoice(
  { model, base, dialect }: RegistryRule,
  project: ModelChoice | undefined,
): ModelChoice {
  const { dialect: projectDialect, ...settings } = project ?? { use: [] };
  const fallbacks = [...(base === null ? [] : [base]), ...settings.use].filter((name) => name !== model);
  const selectedDialect = dialect ?? projectDialect;
  return {
    ...settings,
    use: [model, ...new Set(fallbacks)].slice(0, 5),
    ...(selectedDialect && { dialect: selectedDialect }),
  };
}
