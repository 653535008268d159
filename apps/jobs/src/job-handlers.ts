import { randomUUID } from 'node:crypto';
import { createBuildDatasetHandler } from './datasets/build-dataset.handler.ts';
import { createExportHandler } from './datasets/export-dataset.handler.ts';
import { createEvaluateHandler } from './evaluation/evaluate.handler.ts';
import { createTuneHandler } from './tuning/tune.handler.ts';
import type { JobHandlers } from './runner/job-handler.ts';
import type { JobDependencies } from './job-dependencies.ts';
import { ScoreJob } from './scoring/score.job.ts';

/** Creates the handlers of the job runner. A kind without one does not compile. */
export const createJobHandlers = (dependencies: JobDependencies) =>
  ({
    score: new ScoreJob(dependencies, randomUUID),
    build_dataset: createBuildDatasetHandler(dependencies),
    export: createExportHandler(dependencies),
    tune: createTuneHandler(dependencies),
    evaluate: createEvaluateHandler(dependencies),
  }) satisfies Required<JobHandlers>;
