import { Module } from '@nestjs/common';
import { UploadsService } from './uploads.service.ts';
import { UploadsController } from './uploads.controller.ts';

@Module({
  controllers: [UploadsController],
  providers: [UploadsService],
  exports: [UploadsService],
})
export class UploadsModule {}
