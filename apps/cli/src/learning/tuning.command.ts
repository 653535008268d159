import type { TuningEstimate, TuningEvents } from '@pilothouse/contract/learning/tuning-progress.schema';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { newApiCommand, newNoun, processSource, withApi } from '../api/define-command.ts';
import { shortId } from '../api/find-by-id.ts';
import { clean } from '../output/sanitize-text.ts';
import { pairs, table } from '../output/text-table.ts';
import { json } from '../output/value-text.ts';
import { findJob, JOB_ARGUMENT } from './jobs.command.ts';
import { addTuningFlags, tuningRequest, type TuningFlags } from './tuning-request.ts';

interface StartFlags extends TuningFlags {
  readonly yes?: boolean;
}

/** `pilothouse tuning`. */
export const tuningCommand = (source = processSource) =>
  newNoun(
    'tuning',
    'Tune models.',
    [
      addTuningFlags(
        newApiCommand(
          'start',
          'Tune a model with a file of examples, and register it.',
          [
            'pilothouse tuning start rope-v2 --tuner together --endpoint together --base Qwen/Qwen3-VL-8B-Instruct --training train.jsonl',
            'pilothouse tuning start rope-v2 --tuner vertex --endpoint gemini --base gemini-2.5-flash --training gs://harbour/train.jsonl',
          ],
          source,
        ),
      )
        .option('--yes', 'skip the confirmation prompt with the estimated cost')
        .action(withApi(source, start)),
      addTuningFlags(
        newApiCommand(
          'estimate',
          'Estimate tokens and cost of a tuning job, without starting it.',
          [
            'pilothouse tuning estimate rope-v2 --tuner together --endpoint together --base Qwen/Qwen3-VL-8B-Instruct --training train.jsonl --epochs 3',
          ],
          source,
        ),
      ).action(withApi(source, estimate)),
      newApiCommand(
        'logs',
        'Show the states, log lines and last losses of a tuning job.',
        ['pilothouse tuning logs last', 'pilothouse tuning logs 0197f3c2-1a2b --json'],
        source,
      )
        .argument('<job>', JOB_ARGUMENT)
        .action(withApi(source, logs)),
    ],
    source,
  );

async function start(api: Api, cli: Cli, flags: StartFlags, name: string): Promise<void> {
  const { terminal } = cli;
  const request = await tuningRequest(api, cli, flags, name);
  if (!flags.json || terminal.canPrompt) {
    const lines = estimateLines(await api.estimateTuning(request), terminal.errStyle);
    for (const line of lines) terminal.err(line);
  }
  if (!flags.yes && terminal.canPrompt && !(await terminal.confirm(`Start tuning ${clean(name)}?`)))
    return terminal.err('Not started.');
  const job = await api.startTuning(request);
  if (flags.json) return terminal.out(json(job));
  terminal.out(`Started tuning job ${shortId(job.id)} for ${clean(name)}.`);
  terminal.out(`Follow it: npx pilothouse tuning logs ${shortId(job.id)}`);
}

async function estimate(api: Api, cli: Cli, flags: TuningFlags, name: string): Promise<void> {
  const { terminal } = cli;
  const result = await api.estimateTuning(await tuningRequest(api, cli, flags, name));
  if (flags.json) return terminal.out(json(result));
  for (const line of estimateLines(result, terminal.style)) terminal.out(line);
}

async function logs(api: Api, { terminal }: Cli, flags: ApiOptions, jobName: string): Promise<void> {
  const { id } = await findJob(api, jobName, 'tune');
  const events = await api.tuningEvents(id);
  if (flags.json) return terminal.out(json(events));
  for (const line of eventLines(events)) terminal.out(line);
  if (events.loss.length === 0) return;
  const heads = ['step', 'training loss', 'validation loss'].map((head) => ({ head, align: 'right' as const }));
  const rows = events.loss
    .slice(-LISTED_POINTS)
    .map((point) => [String(point.step), lossText(point.trainingLoss), lossText(point.validationLoss)]);
  for (const line of table(heads, rows, terminal.style, terminal.columns)) terminal.out(line);
}

/** Points of the loss curve that are listed. */
const LISTED_POINTS = 10;

const lossText = (loss: number | null) => (loss === null ? '–' : loss.toFixed(4));

function eventLines({ states, messages, tunerJob }: TuningEvents): string[] {
  if (tunerJob === null) return ['The tuning job was not started at the tuner yet.'];
  const lines = [
    ...states.map(({ at, state }) => ({ at, text: `state: ${state}` })),
    ...messages.map(({ at, text }) => ({ at: at ?? '', text })),
  ];
  return lines
    .toSorted((first, second) => first.at.localeCompare(second.at))
    .map(({ at, text }) => `${at.slice(0, 19).padEnd(19)}  ${clean(text)}`);
}

function estimateLines(result: TuningEstimate, style: Cli['terminal']['style']): string[] {
  const number = (value: number | null) => (value === null ? 'not known' : value.toLocaleString('en'));
  const { examples, textTokens, images, imageTokens, epochs, trainedTokens, usd, reason } = result;
  return pairs(
    [
      ['examples', `${result.isExtrapolated ? 'about ' : ''}${number(examples)}`],
      ['tokens per epoch', `${number(textTokens)} text, ${number(imageTokens)} image (${number(images)} images)`],
      ['epochs', `${epochs}${result.isEpochsAssumed ? ' (assumed, the tuner decides)' : ''}`],
      ['trained tokens', number(trainedTokens)],
      ['estimated cost', usd === null ? clean(reason ?? '') : `$${usd.toFixed(2)}`],
    ],
    style,
  );
}
