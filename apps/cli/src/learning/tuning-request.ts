import { fieldErrors } from '@pilothouse/contract/errors/field-errors';
import {
  startTuningSchema,
  tunerKinds,
  type StartTuning,
  type TuningSource,
} from '@pilothouse/contract/learning/tuning.schema';
import { dialects, modelRoles } from '@pilothouse/contract/model/model.schema';
import { surfaceKindSchema } from '@pilothouse/contract/primitives.schema';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { resolve } from 'node:path';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { usage } from '../output/exit-codes.ts';
import { clean } from '../output/sanitize-text.ts';
import { wholeNumber } from '../runs/create-run.command.ts';
import { findExportIdOfProject } from './find-dataset.ts';

/** Flags that describe a tuning job. */
export interface TuningFlags extends ApiOptions {
  readonly tuner: string;
  readonly endpoint: string;
  readonly base: string;
  readonly training: string;
  readonly validation?: string;
  readonly trainer?: string;
  readonly method: string;
  readonly epochs?: number;
  readonly learningRate?: number;
  readonly learningRateMultiplier?: number;
  readonly adapterSize?: number;
  readonly role?: string;
  readonly surface?: string;
  readonly dialect?: string;
}

const positive = (text: string): number => {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('Use a number greater than 0, e.g. 0.0001.');
  return value;
};

/** Adds the flags that describe a tuning job. */
export const addTuningFlags = (command: Command): Command =>
  command
    .argument('<name>', 'name of the tuned model in the registry')
    .addOption(new Option('--tuner <kind>', 'tuner to use').choices(tunerKinds).makeOptionMandatory())
    .requiredOption('--endpoint <name>', 'configured model endpoint of the tuner')
    .option('--trainer <name>', 'configured trainer, for kubernetes')
    .requiredOption('--base <model>', 'base model, as the tuner names it')
    .requiredOption(
      '--training <file>',
      'training examples: JSON Lines file, export:<id, id prefix or last>, or gs:// or s3:// URI',
    )
    .option('--validation <file>', 'examples for validation')
    .addOption(
      new Option('--method <method>', 'tuning method').choices(['supervised', 'preference']).default('supervised'),
    )
    .option('--epochs <n>', 'passes over the examples', wholeNumber(1))
    .option('--learning-rate <rate>', 'learning rate, for together, fireworks and kubernetes', positive)
    .option('--learning-rate-multiplier <n>', 'factor of the default learning rate, for vertex and openai', positive)
    .option('--adapter-size <n>', 'rank of the adapter (LoRA)', wholeNumber(1))
    .addOption(
      new Option(
        '--role <role>',
        'role of the model in the registry (default: all except score and synthesize)',
      ).choices(modelRoles),
    )
    .addOption(
      new Option('--surface <surface>', 'surface of the model in the registry (default: all)').choices(
        surfaceKindSchema.options,
      ),
    )
    .addOption(new Option('--dialect <dialect>', 'action format of the examples').choices(dialects));

/** Request of the flags, with its files uploaded. @throws CommandError before an upload if the flags are invalid */
export async function tuningRequest(api: Api, cli: Cli, flags: TuningFlags, name: string): Promise<StartTuning> {
  const { tuner, trainer, endpoint, base: baseModel, method, epochs, role, surface, dialect } = flags;
  const { learningRate, learningRateMultiplier, adapterSize } = flags;
  const body = {
    ...{ name, tuner, trainer, endpoint, baseModel, method, role, surface, dialect },
    hyperparameters: { epochs, learningRate, learningRateMultiplier, adapterSize },
  };
  const training = await storedSource(api, flags.training);
  const validation = flags.validation === undefined ? undefined : await storedSource(api, flags.validation);
  // Checked before the upload, with an id in the place of the upload.
  const placeholder = { upload: '00000000-0000-7000-8000-000000000000' };
  const checked = startTuningSchema.safeParse({
    ...body,
    training: training ?? placeholder,
    validation: validation === null ? placeholder : validation,
  });
  if (!checked.success) {
    const lines = fieldErrors(checked.error).map(({ pointer, detail }) => clean(`${pointer}: ${detail}`));
    throw usage('The tuning job cannot be started.', lines);
  }
  return {
    ...checked.data,
    training: training ?? (await upload(api, cli, flags.training)),
    ...(flags.validation !== undefined && { validation: validation ?? (await upload(api, cli, flags.validation)) }),
  };
}

/** A source that needs no upload: an address in a bucket, or an export. null: a file. */
async function storedSource(api: Api, file: string): Promise<TuningSource | null> {
  if (file.startsWith('gs://') || file.startsWith('s3://')) return { uri: file };
  return file.startsWith('export:') ? { export: await findExportIdOfProject(api, file.slice('export:'.length)) } : null;
}

async function upload(api: Api, { cwd, terminal }: Cli, file: string): Promise<TuningSource> {
  terminal.status(() => `uploading ${clean(file)}`);
  try {
    return { upload: (await api.upload(resolve(cwd, file))).id };
  } finally {
    terminal.status(null);
  }
}
