import { Module } from '@nestjs/common';
import { RegistryController } from './registry.controller.ts';
import { RegistryService } from './registry.service.ts';

@Module({ controllers: [RegistryController], providers: [RegistryService] })
export class RegistryModule {}
