import { Module } from '@nestjs/common';
import { ProfilesController } from './profiles.controller.ts';
import { ProfilesService } from './profiles.service.ts';

@Module({
  controllers: [ProfilesController],
  providers: [ProfilesService],
})
export class ProfilesModule {}
