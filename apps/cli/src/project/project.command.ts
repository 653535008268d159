import {
  dialects,
  hostPatternSchema,
  actionCacheModeSchema,
  modelRoles,
  runStatuses,
  projectModelsSchema,
  repairPolicySchema,
  siteLimitSchema,
  type UpdateProject,
  type Dialect,
  type RetentionPolicy,
  type ModelRole,
  type ProjectModels,
  type ProjectView,
  type SiteLimit,
} from '@pilothouse/contract';
import { InvalidArgumentError, Option } from 'commander';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, oneCli, withApi } from '../api/define-command.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { usage } from '../output/exit-codes.ts';
import type { Style } from '../output/text-style.ts';
import { pairs } from '../output/text-table.ts';
import { clean, count } from '../output/sanitize-text.ts';
import { json } from '../output/value-text.ts';
import { budgetOf, budgetRows, withBudgets, type GivenBudget } from './budget-flags.ts';

interface SetFlags extends ApiOptions {
  readonly maxRunning?: Limit;
  readonly keepRuns?: Limit;
  readonly keepEvents?: Limit;
  readonly keepArtifacts?: Limit;
  readonly allow?: readonly string[];
  readonly siteLimit?: readonly SiteLimit[];
  readonly robots?: 'note' | 'ignore';
  readonly model?: ProjectModels;
  readonly dialect?: Spoken;
  readonly repairs?: 'propose' | 'auto';
  readonly memory?: 'on' | 'off';
  readonly trace?: 'none' | 'full';
  readonly budgetRun?: GivenBudget;
  readonly budgetMost?: GivenBudget;
  readonly budgetMonth?: GivenBudget;
}

/** A whole number from 1, or none; an object, because commander takes a null for an option without a value. */
interface Limit {
  readonly value: number | null;
}

const limit =
  (none: string) =>
  (text: string): Limit => {
    if (text === none) return { value: null };
    if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError(`Use a whole number from 1, or "${none}".`);
    return { value: Number(text) };
  };

/** Gathers hosts; `any` stands for no list, `none` for an empty one. */
function allowed(text: string, before: readonly string[] = []): readonly string[] {
  if (text === ANY_HOST || text === 'none') return text === ANY_HOST ? [ANY_HOST] : [];
  const host = hostPatternSchema.safeParse(text);
  if (!host.success) throw new InvalidArgumentError(`${host.error.issues[0]?.message ?? 'This is no host'}.`);
  return [...before.filter((one) => one !== ANY_HOST), host.data];
}

const ANY_HOST = 'any';

/** Gathers limits, each as `*.example.com=30/min,2`; `none` ends all. */
function siteLimit(text: string, before: readonly SiteLimit[] = []): readonly SiteLimit[] {
  if (text === 'none') return [];
  const [, domain = '', pace, runs] = /^(.+)=(?:([\d.]+)\/min)?,?(\d+)?$/.exec(text) ?? [];
  const limit = siteLimitSchema.safeParse({
    domain,
    ...(pace !== undefined && { perMinute: Number(pace) }),
    ...(runs !== undefined && { concurrent: Number(runs) }),
  });
  if (!limit.success)
    throw new InvalidArgumentError('Write "*.example.com=30/min", "shop.example.com=2", or both: "...=30/min,2".');
  return [...before.filter((one) => one.domain !== limit.data.domain), limit.data];
}

function robots(text: string): 'note' | 'ignore' {
  if (text === 'note' || text === 'ignore') return text;
  throw new InvalidArgumentError('Use "note" or "ignore".');
}

const kept = {
  runs: 'runs, with all they have,',
  events: 'events and steps of runs',
  artifacts: 'files of runs',
} as const;

/** Gathers models, each as `act=gemini/gemini-2.5-flash,openai/gpt-5-mini`, or without a role for all; `none` ends all. */
function model(text: string, before: ProjectModels = {}): ProjectModels {
  if (text === 'none') return {};
  const [, role = 'default', names = ''] = /^(?:([a-z]+)=)?(.+)$/.exec(text) ?? [];
  const models = projectModelsSchema.safeParse({ ...before, [role]: { use: names.split(',') } });
  if (models.success) return models.data;
  throw new InvalidArgumentError(
    'Write "gemini/gemini-2.5-flash", "act=groq/llama-4,openai/gpt-5-mini", or "none"; roles: plan, act, see, verify, synthesise, score.',
  );
}

/** How models write actions, by what they are asked for; null: as is known of them. */
type Spoken = Partial<Record<ModelRole | 'default', Dialect | null>>;

/** Gathers dialects, each as `see=ui-tars-1.5`, or without a role for `default`; `known` takes one back. */
function spoken(text: string, before: Spoken = {}): Spoken {
  const [, said = 'default', dialect] = /^(?:([a-z]+)=)?(.+)$/.exec(text) ?? [];
  const role = (['default', ...modelRoles] as const).find((one) => one === said);
  const known = dialects.find((one) => one === dialect) ?? null;
  if (role && (known || dialect === 'known')) return { ...before, [role]: known };
  throw new InvalidArgumentError(
    `Write "see=ui-tars-1.5", or "known" to take it back; dialects: ${dialects.join(', ')}; roles: ${modelRoles.join(', ')}.`,
  );
}

const keepOption = (what: keyof typeof kept) =>
  [`--keep-${what} <days>`, `days after their end that ${kept[what]} are kept, or "forever"`] as const;

/** `pilothouse project`: limits of the project, what it keeps, where its runs may go; `project set` is for admins. */
export const projectCommand = (source = oneCli) =>
  newApiCommand(
    'project',
    'show the project: its limits, how long it keeps what, where its runs may go, its runs by status',
    ['pilothouse project', 'pilothouse project set --max-running 5 --keep-artifacts 30'],
    source,
  )
    .action(withApi(source, show))
    .addCommand(
      newApiCommand('show', 'the same', ['pilothouse project show', 'pilothouse project show --json'], source).action(
        withApi(source, show),
      ),
    )
    .addCommand(
      newApiCommand(
        'set',
        'change what is given; the rest stays',
        [
          'pilothouse project set --max-running 5',
          'pilothouse project set --keep-runs 365 --keep-artifacts forever',
          'pilothouse project set --allow example.com --allow "*.example.com"',
          'pilothouse project set --site-limit "*.example.com=30/min,2"',
          'pilothouse project set --budget-run tokens=50000 --budget-month usd=20',
        ],
        source,
      )
        .option('--max-running <n>', 'most runs at work at a time, or "none"', limit('none'))
        .option(...keepOption('runs'), limit('forever'))
        .option(...keepOption('events'), limit('forever'))
        .option(...keepOption('artifacts'), limit('forever'))
        .option(
          '--allow <host>',
          'a host that runs may reach, again for more; "any": all public ones, "none": none',
          allowed,
        )
        .option(
          '--site-limit <limit>',
          'pages a minute and runs at a time on a site, again for more sites; "none": no limits',
          siteLimit,
        )
        .option(
          '--model <models>',
          'models to ask, the first that is available, as "gemini/...,openai/..." for all or "act=..." for a role, again for more; "none": those of the installation',
          model,
        )
        .option(
          '--dialect <dialect>',
          `how models write actions where that is not known of them, as "see=ui-tars-1.5", again for more: ${dialects.join(', ')}; "known" takes it back`,
          spoken,
        )
        .addOption(
          new Option(
            '--repairs <what>',
            'locators that healed a step: "propose" them to a person, or publish them once they are proved ("auto")',
          ).choices(repairPolicySchema.options),
        )
        .addOption(
          new Option(
            '--memory <what>',
            'what agents did on a page: done again there without a model ("on"), or not kept ("off")',
          ).choices(actionCacheModeSchema.options),
        )
        .addOption(
          new Option(
            '--trace <what>',
            'what models are asked and answered: full keeps it as files of each run',
          ).choices(['none', 'full']),
        )
        .option(
          '--budget-run <limits>',
          'what a run may use up that says nothing, as "steps=500,seconds=3600,tokens=50000,usd=0.25", or "none"',
          budgetOf('default'),
        )
        .option('--budget-most <limits>', 'the most that a run may ask for, likewise', budgetOf('most'))
        .option(
          '--budget-month <limits>',
          'what all runs may take of models in a calendar month (UTC), as "tokens=5000000,usd=20", or "none"',
          budgetOf('month'),
        )
        .option('--robots <what>', '"note": say when robots.txt asks not to open a page, or "ignore"', robots)
        .action(withApi(source, set)),
    );

async function show(api: Api, { terminal }: Cli, flags: ApiOptions): Promise<void> {
  tell(await api.project(), terminal, flags);
}

async function set(api: Api, { terminal }: Cli, flags: SetFlags): Promise<void> {
  const {
    maxRunning,
    keepRuns,
    keepEvents,
    keepArtifacts,
    allow,
    siteLimit: limits,
    robots: robotsTxt,
    model: models,
    dialect,
    repairs,
    memory,
    trace,
    budgetRun,
    budgetMost,
    budgetMonth,
  } = flags;
  const budgets = {
    ...(budgetRun && { default: budgetRun }),
    ...(budgetMost && { most: budgetMost }),
    ...(budgetMonth && { month: budgetMonth }),
  };
  const keep: Partial<RetentionPolicy> = {
    ...(keepRuns && { runsDays: keepRuns.value }),
    ...(keepEvents && { eventsDays: keepEvents.value }),
    ...(keepArtifacts && { artifactsDays: keepArtifacts.value }),
  };
  const change: UpdateProject = {
    ...(maxRunning && { maxRunning: maxRunning.value }),
    ...(Object.keys(keep).length > 0 && { keep }),
    ...(allow && { egress: { allow: allow[0] === ANY_HOST ? null : [...allow] } }),
    ...((repairs ?? memory) && {
      agents: { ...(await api.project()).agents, ...(repairs && { repairs }), ...(memory && { memory }) },
    }),
    ...((models ?? dialect ?? trace) && { models: await projectModels(api, { models, dialect, trace }) }),
    ...(Object.keys(budgets).length > 0 && { budgets: withBudgets((await api.project()).budgets, budgets) }),
    ...((limits ?? robotsTxt) && { politeness: await politeness(api, limits, robotsTxt) }),
  };
  if (Object.keys(change).length === 0) throw usage('Say what to change; --help shows what there is.');
  tell(await api.changeProject(change), terminal, flags);
}

/** Models that are given, else those there are; how they write actions, and whether their calls are kept, likewise. */
async function projectModels(
  api: Api,
  { models: given, dialect = {}, trace }: Pick<SetFlags, 'dialect' | 'trace'> & { models: ProjectModels | undefined },
): Promise<ProjectModels | null> {
  const { trace: traceNow, ...now } = (await api.project()).models ?? {};
  const kept = trace ?? traceNow;
  const models: ProjectModels = { ...(given ?? now), ...(kept === 'full' && { trace: kept }) };
  for (const role of ['default', ...modelRoles] as const) {
    const said = dialect[role];
    const choice = models[role];
    if (said === undefined) continue;
    if (!choice) throw usage(`Name a model with --dialect ${role}=...: --model ${role}=endpoint/model.`);
    models[role] = { ...choice, dialect: said ?? undefined };
  }
  return Object.keys(models).length > 0 ? models : null;
}

/** What is given, and of what is not what there is. */
async function politeness(
  api: Api,
  limits: readonly SiteLimit[] | undefined,
  robotsTxt: 'note' | 'ignore' | undefined,
): Promise<UpdateProject['politeness']> {
  const now = limits && robotsTxt ? null : (await api.project()).politeness;
  const said = { ...now, ...(limits && { limits: [...limits] }), ...(robotsTxt && { robots: robotsTxt }) };
  return said.limits?.length === 0 && said.robots === undefined ? null : said;
}

function tell(project: ProjectView, { out, style }: Cli['terminal'], { json: asJson }: ApiOptions): void {
  if (asJson) out(json(project));
  else for (const line of projectLines(project, style)) out(line);
}

function projectLines(project: ProjectView, style: Style): string[] {
  const { slug, name, maxRunning, keep, egress, politeness: polite, models, agents, runs } = project;
  const keeps = (days: number | null, otherwise: string) =>
    days === null ? otherwise : `${count(days, 'day')} after the end`;
  const likeRuns = keep.runsDays === null ? 'for ever' : 'as long as the run';
  return pairs(
    [
      ['project', `${style.bold(slug)}  ${clean(name)}`],
      ['runs', runStatuses.map((status) => `${runs[status]} ${status}`).join(style.dim(' · '))],
      ['limit', maxRunning === null ? 'none' : `${count(maxRunning, 'run')} at work at a time`],
      ['keeps runs', keeps(keep.runsDays, 'for ever')],
      ['keeps events', keeps(keep.eventsDays, likeRuns)],
      ['keeps files', keeps(keep.artifactsDays, likeRuns)],
      ['may reach', egress.allow === null ? 'all public hosts' : egress.allow.join(', ') || 'nothing'],
      ['site limits', (polite?.limits ?? []).map(limitInWords).join(style.dim(' · ')) || 'none'],
      ['robots.txt', polite && polite.robots !== 'ignore' ? 'noted' : 'not looked at'],
      ['repairs', agents?.repairs === 'auto' ? 'published once they are proved' : 'a person accepts them'],
      ['memory', agents?.memory === 'off' ? 'off' : 'what agents did is done again without a model'],
      ['models', modelsInWords(models).join(style.dim(' · ')) || 'those of the installation'],
      ...budgetRows(project),
      ['prompts', models?.trace === 'full' ? 'kept, and answers' : 'not kept'],
    ],
    style,
  );
}

const modelsInWords = (models: ProjectModels | null): string[] =>
  (['default', ...modelRoles] as const).flatMap((role) => {
    const choice = models?.[role];
    return choice ? [`${role}: ${choice.use.join(', ')}${choice.dialect ? ` (${choice.dialect})` : ''}`] : [];
  });

function limitInWords({ domain, perMinute, concurrent }: SiteLimit): string {
  const parts = [
    ...(perMinute === undefined ? [] : [`${perMinute} pages a minute`]),
    ...(concurrent === undefined ? [] : [`${count(concurrent, 'run')} at a time`]),
  ];
  return `${domain}: ${parts.join(', ')}`;
}
