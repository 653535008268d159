import type { UpdateProject, RetentionPolicy, ProjectView } from '@pilothouse/contract/api/project.routes';
import type { ProjectModels } from '@pilothouse/contract/model/model-settings.schema';
import { dialects, modelRoles } from '@pilothouse/contract/model/model.schema';
import type { AgentNote } from '@pilothouse/contract/project/agent-notes.schema';
import type { SiteLimit } from '@pilothouse/contract/project/politeness.schema';
import { actionCacheModeSchema } from '@pilothouse/contract/workflow/goal.schema';
import { repairPolicySchema } from '@pilothouse/contract/workflow/workflow.schema';
import { Option } from 'commander';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, newNoun, processSource, withApi, type CliSource } from '../api/define-command.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { usage } from '../output/exit-codes.ts';
import { json } from '../output/value-text.ts';
import { budgetOf, withBudgets, type ParsedBudget } from './budget-flags.ts';
import { hasLearningFlags, withLearning, withLearningOptions, type LearningFlags } from './learning-flags.ts';
import { projectLines } from './project-lines.ts';
import {
  agentNote,
  allowedHost,
  ANY_HOST,
  limit,
  model,
  modelFormat,
  siteLimit,
  type Limit,
  type ModelFormats,
} from './settings-flags.ts';

interface SetFlags extends ApiOptions, LearningFlags {
  readonly concurrencyLimit?: Limit;
  readonly retainRuns?: Limit;
  readonly retainEvents?: Limit;
  readonly retainArtifacts?: Limit;
  readonly allowHost?: readonly string[];
  readonly siteLimit?: readonly SiteLimit[];
  readonly robots?: 'report' | 'ignore';
  readonly model?: ProjectModels;
  readonly modelFormat?: ModelFormats;
  readonly healing?: 'propose' | 'publish';
  readonly actionCache?: 'auto' | 'never';
  readonly note?: readonly AgentNote[];
  readonly modelLog?: 'none' | 'full';
  readonly defaultBudget?: ParsedBudget;
  readonly maxBudget?: ParsedBudget;
  readonly monthlyBudget?: ParsedBudget;
}

const retained = {
  runs: 'runs and everything they store',
  events: 'events and steps of runs',
  artifacts: 'artifacts of runs',
} as const;

const retainOption = (data: keyof typeof retained) =>
  [`--retain-${data} <days>`, `days to keep ${retained[data]} after the run ends, or "forever"`] as const;

/** `pilothouse project`; `set` is for admins. */
export const projectCommand = (source = processSource) =>
  newNoun(
    'project',
    'Show and change project settings.',
    [
      newApiCommand(
        'show',
        'Show project settings and run counts.',
        ['pilothouse project show', 'pilothouse project show --json'],
        source,
      ).action(withApi(source, show)),
      setCommand(source),
    ],
    source,
  );

const setCommand = (source: CliSource) =>
  withLearningOptions(
    newApiCommand(
      'set',
      'Change project settings. Omitted settings stay unchanged.',
      [
        'pilothouse project set --concurrency-limit 5',
        'pilothouse project set --retain-runs 365 --retain-artifacts forever',
        'pilothouse project set --allow-host example.com --allow-host "*.example.com"',
        'pilothouse project set --site-limit "*.example.com=30/min,2"',
        'pilothouse project set --record-turns sample --sample-percent 20',
        'pilothouse project set --default-budget tokens=50000 --monthly-budget usd=20',
      ],
      source,
    )
      .option('--concurrency-limit <n>', 'maximum concurrent runs, or "none"', limit('none'))
      .option(...retainOption('runs'), limit('forever'))
      .option(...retainOption('events'), limit('forever'))
      .option(...retainOption('artifacts'), limit('forever'))
      .option('--allow-host <host>', 'allowed host; repeatable. "any": every public host, "none": no host', allowedHost)
      .option(
        '--site-limit <limit>',
        'pages per minute and concurrent runs of a site; repeatable. "none": no limits',
        siteLimit,
      )
      .addOption(
        new Option('--robots <mode>', '"report": record pages disallowed by robots.txt, or "ignore"').choices([
          'report',
          'ignore',
        ]),
      )
      .option(
        '--model <models>',
        'models in order of preference, for all purposes or one ("act=…"); repeatable. "none": installation default',
        model,
      )
      .option(
        '--model-format <format>',
        `action format of a model, e.g. "vision=ui-tars-1.5"; repeatable. "auto": detect. Formats: ${dialects.join(', ')}`,
        modelFormat,
      )
      .addOption(
        new Option(
          '--healing <mode>',
          'healed locators: "propose" for review, or publish after verification ("publish")',
        ).choices(repairPolicySchema.options),
      )
      .addOption(
        new Option('--action-cache <mode>', 'reuse agent actions without calling a model: "auto" or "never"').choices(
          actionCacheModeSchema.options,
        ),
      )
      .option(
        '--note <note>',
        'note for agents, "app:mousepad=text" or "site:*.example.com=text"; repeatable, replaces all. "none": no notes',
        agentNote,
      )
      .addOption(
        new Option('--model-log <mode>', 'store prompts and answers as run artifacts: "full" or "none"').choices([
          'none',
          'full',
        ]),
      )
      .option(
        '--default-budget <limits>',
        'default budget per run, e.g. "steps=500,seconds=3600,tokens=50000,usd=0.25", or "none"',
        budgetOf('default'),
      )
      .option('--max-budget <limits>', 'maximum budget a run can request, same format', budgetOf('max'))
      .option(
        '--monthly-budget <limits>',
        'model budget of all runs per calendar month (UTC), e.g. "tokens=5000000,usd=20", or "none"',
        budgetOf('month'),
      ),
  ).action(withApi(source, set));

async function show(api: Api, { terminal }: Cli, flags: ApiOptions): Promise<void> {
  print(await api.project(), terminal, flags);
}

async function set(api: Api, { terminal }: Cli, flags: SetFlags): Promise<void> {
  const {
    concurrencyLimit,
    retainRuns,
    retainEvents,
    retainArtifacts,
    allowHost,
    siteLimit: limits,
    robots: robotsTxt,
    model: models,
    modelFormat: formats,
    healing,
    actionCache,
    note: notes,
    modelLog,
    defaultBudget,
    maxBudget,
    monthlyBudget,
  } = flags;
  const budgets = {
    ...(defaultBudget && { default: defaultBudget }),
    ...(maxBudget && { max: maxBudget }),
    ...(monthlyBudget && { month: monthlyBudget }),
  };
  const retention: Partial<RetentionPolicy> = {
    ...(retainRuns && { runsDays: retainRuns.value }),
    ...(retainEvents && { eventsDays: retainEvents.value }),
    ...(retainArtifacts && { artifactsDays: retainArtifacts.value }),
  };
  const change: UpdateProject = {
    ...(concurrencyLimit && { maxConcurrentRuns: concurrencyLimit.value }),
    ...(Object.keys(retention).length > 0 && { retention }),
    ...(allowHost && { egress: { allow: allowHost[0] === ANY_HOST ? null : [...allowHost] } }),
    ...((healing ?? actionCache ?? notes) && {
      agents: {
        ...(await api.project()).agents,
        ...(healing && { repairPolicy: healing }),
        ...(actionCache && { actionCache }),
        ...(notes && { notes: [...notes] }),
      },
    }),
    ...((models ?? formats ?? modelLog) && { models: await projectModels(api, { models, formats, modelLog }) }),
    ...(Object.keys(budgets).length > 0 && { budgets: withBudgets((await api.project()).budgets, budgets) }),
    ...(hasLearningFlags(flags) && { learning: withLearning((await api.project()).learning, flags) }),
    ...((limits ?? robotsTxt) && { politeness: await politeness(api, limits, robotsTxt) }),
  };
  if (Object.keys(change).length === 0) throw usage('Nothing to change. See --help for options.');
  print(await api.updateProject(change), terminal, flags);
}

/** The models of the project with the changes of the flags; null: none. */
async function projectModels(
  api: Api,
  {
    models: newModels,
    formats = {},
    modelLog,
  }: { models: ProjectModels | undefined; formats: ModelFormats | undefined; modelLog: SetFlags['modelLog'] },
): Promise<ProjectModels | null> {
  const { trace: traceNow, ...now } = (await api.project()).models ?? {};
  const trace = modelLog ?? traceNow;
  const models: ProjectModels = { ...(newModels ?? now), ...(trace === 'full' && { trace }) };
  for (const role of ['default', ...modelRoles] as const) {
    const format = formats[role];
    const choice = models[role];
    if (format === undefined) continue;
    if (!choice) throw usage(`--model-format ${role} requires --model ${role}=…`);
    models[role] = { ...choice, dialect: format ?? undefined };
  }
  return Object.keys(models).length > 0 ? models : null;
}

/** The site limits and the robots.txt policy of the project with the changes of the flags; null: none. */
async function politeness(
  api: Api,
  limits: readonly SiteLimit[] | undefined,
  robotsTxt: SetFlags['robots'],
): Promise<UpdateProject['politeness']> {
  const now = limits && robotsTxt ? null : (await api.project()).politeness;
  const next = {
    ...now,
    ...(limits && { limits: [...limits] }),
    ...(robotsTxt && { robots: robotsTxt }),
  };
  return next.limits?.length === 0 && next.robots === undefined ? null : next;
}

function print(project: ProjectView, { out, style }: Cli['terminal'], { json: asJson }: ApiOptions): void {
  if (asJson) out(json(project));
  else for (const line of projectLines(project, style)) out(line);
}
