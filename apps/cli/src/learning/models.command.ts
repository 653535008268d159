import { fieldErrors } from '@pilothouse/contract/errors/field-errors';
import {
  registerModelSchema,
  type ArmStats,
  type RegisteredModel,
  type ShadowStats,
} from '@pilothouse/contract/learning/registry.schema';
import { dialects, modelRoles } from '@pilothouse/contract/model/model.schema';
import { surfaceKindSchema } from '@pilothouse/contract/primitives.schema';
import { Option } from 'commander';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { newApiCommand, newNoun, processSource, withApi } from '../api/define-command.ts';
import { readPages } from '../api/read-pages.ts';
import { usage } from '../output/exit-codes.ts';
import { clean } from '../output/sanitize-text.ts';
import { pairs, table } from '../output/text-table.ts';
import { relative } from '../output/time-text.ts';
import { checkCommand, pricesCommand } from './check-model.command.ts';
import { evaluateCommand } from './evaluate-model.command.ts';
import { json } from '../output/value-text.ts';
import { wholeNumber } from '../runs/create-run.command.ts';

interface RegisterFlags extends ApiOptions {
  readonly base?: string;
  readonly role?: string;
  readonly surface?: string;
  readonly dialect?: string;
  readonly region?: string;
  readonly description?: string;
}

interface StageFlags extends ApiOptions {
  readonly reason?: string;
}

const REASON = 'reason, for the history';

/** `pilothouse models`. */
export const modelsCommand = (source = processSource) =>
  newNoun(
    'models',
    'Check and register models, and choose the share of runs that uses them.',
    [
      newApiCommand('list', 'List registered models.', ['pilothouse models list'], source).action(
        withApi(source, list),
      ),
      newApiCommand('show', 'Show a registered model with its history.', ['pilothouse models show rope-v2'], source)
        .argument('<name>', 'name in the registry')
        .action(
          withApi(source, async (api: Api, cli: Cli, flags: ApiOptions, name: string) =>
            print(cli, flags, await api.registeredModel(name)),
          ),
        ),
      newApiCommand(
        'register',
        'Register a model. No run uses it yet.',
        ['pilothouse models register rope-v2 vllm/rope-v2 --base vllm/qwen3-vl --role act --dialect ui-tars-1.5'],
        source,
      )
        .argument('<name>', 'name in the registry')
        .argument('<model>', 'the model, as endpoint/model')
        .option('--base <model>', 'base model: the fallback, and the source of unknown prices and capabilities')
        .addOption(
          new Option('--role <role>', 'only for calls of this role (default: all except score and synthesize)').choices(
            modelRoles,
          ),
        )
        .addOption(
          new Option('--surface <surface>', 'only for runs on this surface (default: all)').choices(
            surfaceKindSchema.options,
          ),
        )
        .addOption(new Option('--dialect <dialect>', 'text format of actions of the model').choices(dialects))
        .option('--region <region>', 'region of the model, for information')
        .option('--description <text>', 'description')
        .action(withApi(source, register)),
      checkCommand(source),
      pricesCommand(source),
      evaluateCommand(source),
      newApiCommand(
        'shadow',
        'Ask a model a share of the calls a second time, without effect on runs.',
        ['pilothouse models shadow rope-v2 --percent 20'],
        source,
      )
        .argument('<name>', 'name in the registry')
        .requiredOption('--percent <n>', 'share of the calls, 1 to 100', wholeNumber(1))
        .option('--reason <text>', REASON)
        .action(
          withApi(
            source,
            async (api: Api, cli: Cli, flags: StageFlags & { readonly percent: number }, name: string) => {
              if (flags.percent > 100) throw usage('--percent must be 1 to 100.');
              print(cli, flags, await api.startShadow(name, flags.percent, flags.reason));
            },
          ),
        ),
      newApiCommand(
        'canary',
        'Use a model for a share of the runs. It is rolled back if they fail too often.',
        ['pilothouse models canary rope-v2 --percent 10'],
        source,
      )
        .argument('<name>', 'name in the registry')
        .requiredOption('--percent <n>', 'share of the runs, 1 to 99', wholeNumber(1))
        .option('--reason <text>', REASON)
        .action(
          withApi(
            source,
            async (api: Api, cli: Cli, flags: StageFlags & { readonly percent: number }, name: string) => {
              if (flags.percent > 99)
                throw usage('--percent must be 1 to 99. Use all runs with: pilothouse models promote');
              print(cli, flags, await api.startCanary(name, flags.percent, flags.reason));
            },
          ),
        ),
      newApiCommand('promote', 'Use a model for all runs.', ['pilothouse models promote rope-v2'], source)
        .argument('<name>', 'name in the registry')
        .option('--reason <text>', REASON)
        .action(
          withApi(source, async (api: Api, cli: Cli, flags: StageFlags, name: string) =>
            print(cli, flags, await api.promoteModel(name, flags.reason)),
          ),
        ),
      newApiCommand(
        'rollback',
        'Stop using a model.',
        ['pilothouse models rollback rope-v2 --reason "Wrong prices"'],
        source,
      )
        .argument('<name>', 'name in the registry')
        .option('--reason <text>', REASON)
        .action(
          withApi(source, async (api: Api, cli: Cli, flags: StageFlags, name: string) =>
            print(cli, flags, await api.rollBackModel(name, flags.reason)),
          ),
        ),
      newApiCommand('delete', 'Delete a model that no run uses.', ['pilothouse models delete rope-v1'], source)
        .argument('<name>', 'name in the registry')
        .action(
          withApi(source, async (api: Api, { terminal }: Cli, flags: ApiOptions, name: string) => {
            const model = await api.deleteRegisteredModel(name);
            terminal.out(flags.json ? json(model) : `Deleted model ${clean(model.name)}.`);
          }),
        ),
    ],
    source,
  );

async function list(api: Api, { terminal, now }: Cli, flags: ApiOptions): Promise<void> {
  const { items } = await readPages((page) => api.registeredModels(page));
  if (flags.json) return terminal.out(json({ items }));
  if (items.length === 0)
    return terminal.err('No registered models. Register one: npx pilothouse models register <name> <endpoint/model>');
  const rows = items.map((model) => [
    model.name,
    stageText(model),
    relative(model.stageChangedAt, now()),
    scopeText(model),
    clean(model.model),
    rateText(model.runs?.candidate),
    rateText(model.runs?.base),
  ]);
  const heads = ['name', 'stage', 'since', 'for', 'model', 'success', 'base success'].map((head) => ({
    head,
    canShrink: head === 'model',
  }));
  for (const line of table(heads, rows, terminal.style, terminal.columns)) terminal.out(line);
}

const stageText = ({
  stage,
  canaryPercent,
  shadowPercent,
}: Pick<RegisteredModel, 'stage' | 'canaryPercent' | 'shadowPercent'>): string =>
  stage === 'canary'
    ? `canary ${canaryPercent} %`
    : stage === 'shadow'
      ? `shadow ${shadowPercent} %`
      : stage.replace('_', ' ');

const scopeText = ({ role, surface }: RegisteredModel): string =>
  [role, surface].filter((part) => part !== null).join(', ') || 'all calls';

const rateText = (stats: ArmStats | undefined): string => (stats ? `${stats.successes}/${stats.trials}` : '–');

async function register(api: Api, cli: Cli, flags: RegisterFlags, name: string, model: string): Promise<void> {
  const { base, role, surface, dialect, region, description } = flags;
  const parsed = registerModelSchema.safeParse({ name, model, base, role, surface, dialect, region, description });
  if (!parsed.success) {
    const lines = fieldErrors(parsed.error).map(({ pointer, detail }) => clean(`${pointer}: ${detail}`));
    throw usage('The model cannot be registered.', lines);
  }
  print(cli, flags, await api.registerModel(parsed.data));
}

function print({ terminal, now }: Cli, { json: asJson }: ApiOptions, model: RegisteredModel): void {
  if (asJson) return terminal.out(json(model));
  const { style } = terminal;
  const facts: [string, string][] = [
    ['stage', `${stageText(model)} since ${relative(model.stageChangedAt, now())}`],
    ['model', clean(model.model)],
    ...(model.base === null ? [] : [['base', clean(model.base)] as [string, string]]),
    ['for', scopeText(model)],
    ...(model.runs
      ? ([
          ['success', intervalText(model.runs.candidate)],
          ['base success', intervalText(model.runs.base)],
        ] as [string, string][])
      : []),
    ...(model.shadow ? ([['shadow', shadowText(model.shadow)]] as [string, string][]) : []),
  ];
  terminal.out(style.bold(clean(model.name)));
  for (const line of pairs(facts, style)) terminal.out(`  ${line}`);
  for (const { from, to, canaryPercent, shadowPercent, reason, by, at } of model.transitions) {
    const actor = by ? clean(by.name) : 'Pilothouse';
    const change = `${from.replace('_', ' ')} → ${stageText({ stage: to, canaryPercent, shadowPercent })}`;
    terminal.out(
      `  ${style.dim(`${relative(at, now())}: ${change}, by ${actor}${reason === null ? '' : `. ${clean(reason)}`}`)}`,
    );
  }
}

const intervalText = ({ successes, trials, low, high }: ArmStats): string =>
  trials === 0
    ? 'no runs'
    : `${successes} of ${trials} runs, 95 % interval ${Math.round(low * 100)}–${Math.round(high * 100)} %`;

function shadowText({ calls, agreed, disagreed, failed, low, high, usd, medianMs }: ShadowStats): string {
  const compared = agreed + disagreed;
  const range = compared === 0 ? '' : `, 95 % interval ${Math.round(low * 100)}–${Math.round(high * 100)} %`;
  const time = medianMs === null ? '' : `, median ${(medianMs / 1000).toFixed(1)} s`;
  return `${agreed} of ${compared} compared actions agree${range}; ${calls} calls, ${failed} failed${time}, $${usd.toFixed(4)}`;
}
