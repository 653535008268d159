import type { CreateExport, ExportFormat, ExportObjective } from '@pilothouse/contract/learning/dataset-export.schema';

/** Words for a format of exports. */
export interface ExportFormatLabel {
  label: string;
  /** One sentence on the training tool and the files. */
  text: string;
  /** True: only the objective `sft`. */
  isSftOnly?: boolean;
  /** True if the lines contain the screenshots. */
  embedsImages?: boolean;
  /** True if a tuning job can use it. */
  canTune: boolean;
}

/** Words for all formats. */
export const exportFormatLabels: Readonly<Record<ExportFormat, ExportFormatLabel>> = {
  gemini: {
    label: 'Gemini',
    embedsImages: true,
    text: 'Supervised and preference tuning of Vertex AI.',
    canTune: true,
  },
  together: {
    label: 'Together',
    embedsImages: true,
    text: 'Messages of Together, with at most 10 embedded screenshots of 10 MB each.',
    canTune: true,
  },
  fireworks: {
    label: 'Fireworks',
    embedsImages: true,
    text: 'Messages of Fireworks, with at most 30 embedded screenshots.',
    canTune: true,
  },
  llamafactory: {
    label: 'LLaMA-Factory',
    text: 'Conversations in sharegpt, with screenshot files and dataset_info.json.',
    canTune: true,
  },
  swift: { label: 'ms-swift', text: 'Messages and tools of ms-swift, with screenshot files.', canTune: true },
  trl: { label: 'TRL', text: 'Messages and images of Hugging Face TRL, with screenshot files.', canTune: true },
  atif: {
    label: 'ATIF',
    text: 'One trajectory for each trace, for analysis and exchange.',
    isSftOnly: true,
    canTune: false,
  },
  raw: {
    label: 'Raw',
    text: 'The steps of the dataset as JSON lines, with screenshot files.',
    isSftOnly: true,
    canTune: false,
  },
};

export const objectiveLabels: Readonly<Record<ExportObjective, { label: string; text: string }>> = {
  sft: { label: 'Supervised (SFT)', text: 'Good answers and corrections.' },
  preference: { label: 'Preference pairs', text: 'Pairs of a bad answer and its correction.' },
  grounding: { label: 'Grounding', text: 'Points of named elements on screenshots.' },
};

/** Labels of answer formats. */
export const dialectLabels: Readonly<Record<CreateExport['dialect'], string>> = {
  calls: 'Function calls',
  aura: 'Aura (JSON, for most models)',
  deskpilot: 'DeskPilot',
  'echo-prism': 'Echo Prism',
  'ui-tars': 'UI-TARS',
  'ui-tars-1.5': 'UI-TARS 1.5',
};

/** Labels of a dataset's splits. */
export const splitLabels: Readonly<Record<CreateExport['splits'][number], string>> = {
  train: 'Train',
  validation: 'Validation',
  test: 'Test',
};
