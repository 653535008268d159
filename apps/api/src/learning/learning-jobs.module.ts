import { Module } from '@nestjs/common';
import { EvaluationsService } from './evaluations.service.ts';
import { LearningJobsController } from './learning-jobs.controller.ts';
import { LearningJobsService } from './learning-jobs.service.ts';

/** Background jobs over REST. */
@Module({ controllers: [LearningJobsController], providers: [LearningJobsService, EvaluationsService] })
export class LearningJobsModule {}
