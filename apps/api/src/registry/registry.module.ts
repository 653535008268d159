import { Module } from '@nestjs/common';
import { RegistryController } from './registry.controller.ts';
import { RegistryService } from './registry.service.ts';
import { RollbackJob } from './rollback.job.ts';

@Module({ controllers: [RegistryController], providers: [RegistryService, RollbackJob] })
export class RegistryModule {}
