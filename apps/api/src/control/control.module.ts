import { Module } from '@nestjs/common';
import { APP_CONTEXT } from '../common/injection-tokens.ts';
import type { AppContext } from '../infrastructure/app-context.ts';
import { RunsModule } from '../runs/runs.module.ts';
import { UploadsModule } from '../uploads/uploads.module.ts';
import { ControlRelay } from './control-relay.ts';
import { ControlService } from './control.service.ts';
import { ControlController } from './control.controller.ts';

/** The relay of manual control, shared by the gateway and the REST routes. */
@Module({
  providers: [
    {
      provide: ControlRelay,
      inject: [APP_CONTEXT],
      useFactory: ({ channels }: AppContext) => new ControlRelay(channels),
    },
  ],
  exports: [ControlRelay],
})
export class ControlRelayModule {}

@Module({
  imports: [ControlRelayModule, RunsModule, UploadsModule],
  controllers: [ControlController],
  providers: [ControlService],
})
export class ControlModule {}
