import { Module } from '@nestjs/common';
import { DatasetExportsService } from './dataset-exports.service.ts';
import { DatasetsController } from './datasets.controller.ts';
import { DatasetsService } from './datasets.service.ts';

@Module({ controllers: [DatasetsController], providers: [DatasetsService, DatasetExportsService] })
export class DatasetsModule {}
