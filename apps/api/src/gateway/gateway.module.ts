import { Module, type DynamicModule } from '@nestjs/common';
import { Gateway } from './worker-gateway.ts';
import { WorkerHandshake } from './socket/worker-handshake.ts';
import { WorkerGateway } from './worker-server.ts';

/** The part of the API that workers connect to; the application also needs `new WorkerServer(app, handshake)`. */
@Module({})
export class GatewayModule {
  static forRoot(gateway: Gateway, handshake: WorkerHandshake): DynamicModule {
    return {
      module: GatewayModule,
      providers: [
        { provide: Gateway, useValue: gateway },
        { provide: WorkerHandshake, useValue: handshake },
        WorkerGateway,
      ],
    };
  }
}
