import { Module } from '@nestjs/common';
import { ObjectsController } from './objects.controller.ts';
import { ObjectsService } from './objects.service.ts';

@Module({
  controllers: [ObjectsController],
  providers: [ObjectsService],
})
export class ObjectsModule {}
