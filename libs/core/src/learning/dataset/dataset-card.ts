import type { DatasetExample, DatasetSplit } from '@pilothouse/contract/learning/dataset-example.schema';
import {
  cardCounterStateSchema,
  type CardCounterState,
  type DatasetCard,
} from '@pilothouse/contract/learning/dataset.schema';

/* The card of a dataset: what it contains, where it comes from, and how it may be used. */

/** Format of a dataset's files, with its version. */
export const DATASET_BUILDER = 'pilothouse-dataset/1';

/** Number of steps that an omission names. */
const MAX_NAMED_STEPS = 20;

type Counts = Pick<DatasetCard, 'counts' | 'splits' | 'qualities' | 'surfaces' | 'workflows' | 'models' | 'omissions'>;

const emptyState = (): CardCounterState => ({
  examples: 0,
  traces: 0,
  lastRun: '',
  images: 0,
  bytes: 0,
  corrections: 0,
  duplicates: 0,
  redactions: 0,
  groups: {},
  splits: {},
  qualities: {},
  surfaces: {},
  workflows: {},
  models: {},
  omissions: {},
});

/** Counts of a dataset while it is built. */
export class CardCounter {
  readonly state: CardCounterState;

  private constructor(state: CardCounterState) {
    this.state = state;
  }

  /** A counter without steps, or one that continues from a checkpoint. */
  static create(state: unknown = null): CardCounter {
    return new CardCounter(state === null ? emptyState() : cardCounterStateSchema.parse(state));
  }

  add(example: DatasetExample, group: string, redactions: number): void {
    const { state } = this;
    state.examples += 1;
    state.redactions += redactions;
    if (example.correction) state.corrections += 1;
    // The steps of a trace are consecutive.
    if (example.run !== state.lastRun) state.traces += 1;
    state.lastRun = example.run;
    increase(state.groups, group);
    increase(state.splits, example.split);
    increase(state.qualities, example.quality);
    increase(state.surfaces, example.surface);
    increase(state.workflows, example.workflow);
    increase(state.models, example.model ?? 'none');
  }

  addImage(bytes: number): void {
    this.state.images += 1;
    this.state.bytes += bytes;
  }

  addDuplicate(): void {
    this.state.duplicates += 1;
  }

  /** Counts a step that is not part of the dataset. */
  omit(reason: string, step: string): void {
    const omission = (this.state.omissions[reason] ??= { count: 0, steps: [] });
    omission.count += 1;
    if (omission.steps.length < MAX_NAMED_STEPS) omission.steps.push(step);
  }

  get exampleCount(): number {
    return this.state.examples;
  }

  counts(): Counts {
    const { examples, traces, images, bytes, corrections, duplicates, redactions, groups, omissions } = this.state;
    const { splits, qualities, surfaces, workflows, models } = this.state;
    return {
      counts: {
        examples,
        traces,
        images,
        bytes,
        groups: Object.keys(groups).length,
        corrections,
        duplicates,
        redactions,
      },
      splits: { train: 0, validation: 0, test: 0, ...splits } as Record<DatasetSplit, number>,
      qualities: { good: 0, bad: 0, unknown: 0, ...qualities } as DatasetCard['qualities'],
      surfaces,
      workflows,
      models,
      omissions: Object.entries(omissions)
        .map(([reason, omission]) => ({ reason, ...omission }))
        .sort((left, right) => (left.reason < right.reason ? -1 : 1)),
    };
  }
}

function increase(counts: Record<string, number>, key: string): void {
  counts[key] = (Object.hasOwn(counts, key) ? (counts[key] ?? 0) : 0) + 1;
}

/** Removes the syntax of Markdown from a text. */
const plain = (text: string) => text.replace(/[\\`*_{}[\]<>#|\r\n]/g, ' ').trim();

const table = (title: string, counts: Readonly<Record<string, number>>) =>
  Object.keys(counts).length === 0
    ? ''
    : `\n## ${title}\n\n| | steps |\n| --- | ---: |\n${Object.entries(counts)
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .map(([name, value]) => `| ${plain(name) || 'without a workflow'} | ${value} |`)
        .join('\n')}\n`;

export function cardMarkdown(card: DatasetCard): string {
  const { counts } = card;
  return `# ${card.name}, version ${card.version}

${counts.examples} steps of ${counts.traces} traces with ${counts.images} screenshots (${counts.bytes} bytes).
${counts.duplicates} duplicates were left out, ${counts.redactions} texts and areas were redacted, ${counts.corrections} steps have a correction.

- License: ${plain(card.license)}
- Consent: ${plain(card.consent)}
- Hash: ${card.sha256}
- Builder: ${card.builder}
- Split: ${card.shares.train} train, ${card.shares.validation} validation, ${card.shares.test} test, by workflow and site, seed ${card.seed}

## Query

\`\`\`json
${JSON.stringify(card.query, null, 2)}
\`\`\`
${table('Parts', card.splits)}${table('Qualities', card.qualities)}${table('Surfaces', card.surfaces)}${table('Workflows', card.workflows)}${table('Models', card.models)}
## Left out

${card.omissions.length === 0 ? 'No step was left out for another reason.' : card.omissions.map(({ reason, count }) => `- ${plain(reason)}: ${count}`).join('\n')}

## Files

${card.files.map(({ name, sha256, examples }) => `- ${name}: ${examples} steps, ${sha256}`).join('\n')}
`;
}
