import { randomUUID } from 'node:crypto';
import { createBuildDatasetHandler } from '../datasets/build-dataset.handler.ts';
import { createExportHandler } from '../datasets/export-dataset.handler.ts';
import { createEvaluateHandler } from '../evaluation/evaluate.handler.ts';
import { createTuneHandler } from '../tuning/tune.handler.ts';
import type { JobDependencies, JobHandler } from './job-handler.ts';
import { ScoreJob } from './score/score.job.ts';

/** Creates the handlers of the learner, one for each kind that it executes. */
export function createJobHandlers(dependencies: JobDependencies): readonly JobHandler[] {
  return [
    new ScoreJob(dependencies, randomUUID),
    createBuildDatasetHandler(dependencies),
    createExportHandler(dependencies),
    createTuneHandler(dependencies),
    createEvaluateHandler(dependencies),
  ] as readonly JobHandler[];
}
