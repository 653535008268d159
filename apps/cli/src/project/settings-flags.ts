import { projectModelsSchema, type ProjectModels } from '@pilothouse/contract/model/model-settings.schema';
import { dialects, modelRoles, type Dialect, type ModelRole } from '@pilothouse/contract/model/model.schema';
import { agentNoteSchema, type AgentNote } from '@pilothouse/contract/project/agent-notes.schema';
import { hostPatternSchema } from '@pilothouse/contract/project/egress.schema';
import { siteLimitSchema, type SiteLimit } from '@pilothouse/contract/project/politeness.schema';
import { InvalidArgumentError } from 'commander';

/** A whole number of 1 or more, or none. An object, because commander treats null as an option without a value. */
export interface Limit {
  readonly value: number | null;
}

export const limit =
  (none: string) =>
  (text: string): Limit => {
    if (text === none) return { value: null };
    if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError(`Use a whole number of 1 or more, or "${none}".`);
    return { value: Number(text) };
  };

/** Collects hosts; `any` means no list, `none` an empty list. */
export function allowedHost(text: string, previous: readonly string[] = []): readonly string[] {
  if (text === ANY_HOST || text === 'none') return text === ANY_HOST ? [ANY_HOST] : [];
  const host = hostPatternSchema.safeParse(text);
  if (!host.success) throw new InvalidArgumentError(`${host.error.issues[0]?.message ?? 'Invalid host'}.`);
  return [...previous.filter((previousHost) => previousHost !== ANY_HOST), host.data];
}

export const ANY_HOST = 'any';

/** Collects limits, each as `*.example.com=30/min,2`; `none` removes all. */
export function siteLimit(text: string, previous: readonly SiteLimit[] = []): readonly SiteLimit[] {
  if (text === 'none') return [];
  const [, domain = '', rate, runs] = /^(.+)=(?:([\d.]+)\/min)?,?(\d+)?$/.exec(text) ?? [];
  const limit = siteLimitSchema.safeParse({
    domain,
    ...(rate !== undefined && { requestsPerMinute: Number(rate) }),
    ...(runs !== undefined && { maxConcurrentRuns: Number(runs) }),
  });
  if (!limit.success) throw new InvalidArgumentError('Use "host=30/min", "host=2", or "host=30/min,2".');
  return [...previous.filter((previousLimit) => previousLimit.domain !== limit.data.domain), limit.data];
}

/** Collects notes for agents, each as `app:mousepad=Control+S saves` or `site:*.example.com=Prices are net`; `none` removes all. */
export function agentNote(text: string, previous: readonly AgentNote[] = []): readonly AgentNote[] {
  if (text === 'none') return [];
  const [, kind = '', subject = '', note = ''] = /^(app|site):([^=]+)=([^]*)$/.exec(text) ?? [];
  const parsed = agentNoteSchema.safeParse({ [kind]: subject.trim(), text: note });
  if (parsed.success) return [...previous, parsed.data];
  throw new InvalidArgumentError(
    kind === ''
      ? 'Use "app:mousepad=text", "site:*.example.com=text", or "none".'
      : `${parsed.error.issues[0]?.message ?? 'Invalid note'}.`,
  );
}

/** Collects models, each as `act=gemini/gemini-2.5-flash,openai/gpt-5-mini`, or without a purpose for all; `none` removes all. */
export function model(text: string, previous: ProjectModels = {}): ProjectModels {
  if (text === 'none') return {};
  const [, role = 'default', names = ''] = /^(?:([a-z]+)=)?(.+)$/.exec(text) ?? [];
  const models = projectModelsSchema.safeParse({ ...previous, [role]: { use: names.split(',') } });
  if (models.success) return models.data;
  throw new InvalidArgumentError(
    `Use "provider/model", "purpose=provider/model,…", or "none". Purposes: ${modelRoles.join(', ')}`,
  );
}

/** The action format of models, by purpose; null: detected. */
export type ModelFormats = Partial<Record<ModelRole | 'default', Dialect | null>>;

/** Collects action formats, each as `vision=ui-tars-1.5`, or without a purpose for `default`; `auto` removes one. */
export function modelFormat(text: string, previous: ModelFormats = {}): ModelFormats {
  const [, purpose = 'default', format] = /^(?:([a-z]+)=)?(.+)$/.exec(text) ?? [];
  const role = (['default', ...modelRoles] as const).find((modelRole) => modelRole === purpose);
  const dialect = dialects.find((name) => name === format) ?? null;
  if (role && (dialect || format === 'auto')) return { ...previous, [role]: dialect };
  throw new InvalidArgumentError(
    `Use "purpose=format", or "purpose=auto". Formats: ${dialects.join(', ')}; purposes: ${modelRoles.join(', ')}`,
  );
}
