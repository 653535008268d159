import type { AbilityResult, KnownPriceView } from '@pilothouse/contract/model/model-check.schema';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { newApiCommand, processSource, withApi } from '../api/define-command.ts';
import { clean } from '../output/sanitize-text.ts';
import { table } from '../output/text-table.ts';
import { json } from '../output/value-text.ts';

/** `pilothouse models check`. */
export const checkCommand = (source = processSource) =>
  newApiCommand(
    'check',
    'Call a model once per ability: text, functions, JSON schema, image, streaming.',
    ['pilothouse models check llama/qwen2.5-coder'],
    source,
  )
    .argument('[model]', 'the model, as endpoint/model (default: the first model of the installation)')
    .action(withApi(source, check));

async function check(api: Api, { terminal }: Cli, flags: ApiOptions, model: string | undefined): Promise<void> {
  const result = await api.checkModel(model);
  if (flags.json) return terminal.out(json(result));
  const heads = [
    { head: 'ability' },
    { head: 'works' },
    { head: 'seconds', align: 'right' as const },
    { head: 'tokens/s', align: 'right' as const },
    { head: 'answer', canShrink: true },
  ];
  const rows = result.abilities.map(({ ability, works, seconds, tokensPerSecond, detail }: AbilityResult) => [
    ability,
    works === null ? 'unknown' : works ? terminal.style.green('yes') : terminal.style.red('no'),
    seconds.toFixed(1),
    tokensPerSecond === null ? '' : tokensPerSecond.toFixed(1),
    clean(detail),
  ]);
  terminal.out(terminal.style.bold(clean(result.model)));
  for (const line of table(heads, rows, terminal.style, terminal.columns)) terminal.out(line);
  terminal.out(`Used ${result.tokens} tokens${result.usd === null ? '' : ` ($${result.usd.toFixed(4)})`}.`);
  if (result.abilities.some(({ works }) => works === null))
    terminal.out('Some calls got no answer. Check the model again before you set anything.');
  else if (result.dialect === null)
    return terminal.out('The model does not work. Correct its endpoint, name or key first.');
  if (result.dialect === null) return;
  terminal.out(`Recommended dialect: ${result.dialect}.`);
  terminal.out(
    Object.keys(result.settings).length === 0
      ? 'Nothing has to be set.'
      : `Add to PILOTHOUSE_MODEL_OVERRIDES: ${JSON.stringify({ [clean(result.model)]: result.settings })}`,
  );
}

/** `pilothouse models prices`. */
export const pricesCommand = (source = processSource) =>
  newApiCommand(
    'prices',
    'List the known prices of models, with their sources and age.',
    ['pilothouse models prices'],
    source,
  ).action(withApi(source, prices));

const DAY_MS = 86_400_000;

async function prices(api: Api, { terminal, now }: Cli, flags: ApiOptions): Promise<void> {
  const { items } = await api.modelPrices();
  if (flags.json) return terminal.out(json({ items }));
  const amount = (value: number | undefined) => (value === undefined ? '' : String(value));
  const heads = [
    { head: 'model' },
    ...['input', 'output', 'cached'].map((head) => ({ head, align: 'right' as const })),
    { head: 'age', align: 'right' as const },
    { head: 'source', canShrink: true },
  ];
  const rows = items.map(({ model, input, output, cacheRead, source, changes }: KnownPriceView) => [
    clean(model),
    ...[input, output, cacheRead].map(amount),
    source === null ? '' : `${Math.max(0, Math.floor((now().getTime() - Date.parse(source.read)) / DAY_MS))} d`,
    clean(
      source === null
        ? 'PILOTHOUSE_MODEL_OVERRIDES'
        : `${source.kind}: ${source.url}${changes ? `; from ${changes.from}: ${changes.input} / ${changes.output}` : ''}`,
    ),
  ]);
  terminal.out('US dollars per million tokens');
  for (const line of table(heads, rows, terminal.style, terminal.columns)) terminal.out(line);
}
