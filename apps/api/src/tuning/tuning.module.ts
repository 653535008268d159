import { Module } from '@nestjs/common';
import { TuningController } from './tuning.controller.ts';
import { TuningService } from './tuning.service.ts';

@Module({ controllers: [TuningController], providers: [TuningService] })
export class TuningModule {}
